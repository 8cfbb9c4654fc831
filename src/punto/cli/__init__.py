"""The command line, one file a command."""

from punto.cli.main import main

__all__ = ["main"]
