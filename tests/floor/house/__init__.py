"""Tests of the house as an aggregate."""
