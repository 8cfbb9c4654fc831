"""All message types can be imported from ``punto.web.messages``."""

import inspect
import pkgutil
from importlib import import_module

from punto.web import messages


def test_every_record_is_found_under_the_one_name() -> None:
    files = [import_module(f"{messages.__name__}.{found.name}") for found in pkgutil.iter_modules(messages.__path__)]
    assert len(files) > 1
    made = {
        name: kind
        for file in files
        for name, kind in inspect.getmembers(file, inspect.isclass)
        if kind.__module__ == file.__name__
    }
    assert set(messages.__all__) == {*made, "Cursor"}
    assert {name: getattr(messages, name) for name in made} == made
