"""The ``punto`` command line: one file for each command."""

from punto.cli.main import main

__all__ = ["main"]
