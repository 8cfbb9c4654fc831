"""Tests of the web: a real server on a real socket."""
