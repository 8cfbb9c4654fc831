"""The examples in the board's docstrings are correct."""

import doctest
import pkgutil
from importlib import import_module

import punto.board


def test_the_examples_in_the_docstrings() -> None:
    tried = 0
    for module in pkgutil.iter_modules(punto.board.__path__):
        done = doctest.testmod(import_module(f"punto.board.{module.name}"))
        assert done.failed == 0, module.name
        tried += done.attempted
    assert tried >= 10
