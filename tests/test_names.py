"""One word, one meaning: no public class, constant or type alias has the same name as another one of its room."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import punto

SOURCE = Path(punto.__file__).parent
CONVENTIONS = {"ENDPOINTS", "DECIDERS", "EVOLVERS", "SENTENCES"}
"""Names that every module of a kind defines, so that they can be collected in one place."""


def _defined(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """The names that a module defines, and whether each is only a type variable."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, False
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, False
        elif isinstance(node, ast.Assign):
            variable = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) in ("TypeVar", "ParamSpec")
            for target in node.targets:
                yield from ((name.id, variable) for name in ast.walk(target) if isinstance(name, ast.Name))


def test_no_class_constant_or_type_alias_is_defined_twice() -> None:
    files: dict[tuple[str, str], list[str]] = defaultdict(list)
    variables: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        room = path.relative_to(SOURCE).parts[0]
        for name, is_variable in _defined(ast.parse(path.read_text(encoding="utf-8"))):
            if name[0].isupper() and name not in CONVENTIONS:
                (variables if is_variable else files)[room, name].append(path.relative_to(SOURCE).as_posix())
    assert len(files) > 500
    assert {name: where for name, where in files.items() if len(where) > 1} == {}
    assert {name: [*where, *files[name]] for name, where in variables.items() if name in files} == {}


def test_no_kind_is_told_from_the_module_its_class_lives_in() -> None:
    """What a command or an event is about stands on its class, as ``concern``."""
    told = [path for path in sorted(SOURCE.rglob("*.py")) if "__module__" in path.read_text(encoding="utf-8")]
    assert told == []
