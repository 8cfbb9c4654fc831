"""Tests of the floor on real databases: journal, runtime and audit."""
