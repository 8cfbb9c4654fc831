"""Every template has a context with exactly the names that it uses."""

from collections.abc import Iterator
from functools import cache

from jinja2 import meta, nodes

import punto.web.pages  # noqa: F401 - all pages, with their contexts
from punto.web.pages.base.layout import PageContext, PageLayout
from punto.web.pages.base.templates import Context, named_in, templates

ALWAYS = {"t", "language"}


def _contexts(kind: type[Context] = Context) -> Iterator[type[Context]]:
    for each in kind.__subclasses__():
        if hasattr(each, "template"):
            yield each
        yield from _contexts(each)


CONTEXTS = sorted(_contexts(), key=lambda kind: kind.template)


@cache
def _parsed(name: str) -> nodes.Template:
    environment = templates()
    assert environment.loader is not None
    return environment.parse(environment.loader.get_source(environment, name)[0])


def _named(tree: nodes.Template, *kinds: type[nodes.Node]) -> set[str]:
    found = set()
    for node in tree.find_all(kinds):
        name = getattr(node, "template", None)
        assert isinstance(name, nodes.Const), "a template is named where it is used"
        found.add(name.value)
    return found


@cache
def _used(name: str) -> set[str]:
    """The names used by a template and by those that share its context."""
    tree = _parsed(name)
    found = meta.find_undeclared_variables(tree) - templates().globals.keys() - _defined(tree)
    for other in _named(tree, nodes.Extends, nodes.Include):
        found |= _used(other)
    return found


def _defined(tree: nodes.Template) -> set[str]:
    """The macros that a template defines or imports. Its blocks see them, which jinja2's own analysis misses."""
    imported = [name for node in tree.find_all(nodes.FromImport) for name in node.names]
    return {name if isinstance(name, str) else name[1] for name in imported} | {
        macro.name for macro in tree.find_all(nodes.Macro)
    }


def _fields(kind: type[Context]) -> set[str]:
    own = set(kind.__struct_fields__)
    return own - {"layout"} if issubclass(kind, PageContext) else own


def test_each_template_has_one_context_or_is_part_of_another() -> None:
    everything = set(templates().list_templates())
    trees = [_parsed(name) for name in everything]
    parts = set().union(*(_named(tree, nodes.Extends, nodes.FromImport, nodes.Import) for tree in trees))
    named = [kind.template for kind in CONTEXTS]
    assert sorted(named) == sorted(everything - parts)


def test_a_context_has_the_names_its_template_uses_and_no_others() -> None:
    for kind in CONTEXTS:
        around = set(PageLayout.__struct_fields__) if issubclass(kind, PageContext) else set()
        assert not around & _fields(kind), f"{kind.template}: a name of the layout means the same on every page"
        assert _used(kind.template) - ALWAYS - around == _fields(kind), kind.template


def test_every_name_of_the_layout_is_used() -> None:
    used = set().union(*(_used(kind.template) for kind in CONTEXTS if issubclass(kind, PageContext)))
    assert set(PageLayout.__struct_fields__) <= used


def test_what_is_imported_uses_nothing_but_its_arguments() -> None:
    """A macro does not see the context of the page that imports it."""
    trees = [_parsed(name) for name in templates().list_templates()]
    imported = set().union(*(_named(tree, nodes.FromImport, nodes.Import) for tree in trees))
    assert imported
    for name in imported:
        assert _used(name) == set(), name


def test_the_templates_that_one_names_are_found() -> None:
    loader = templates().loader
    assert loader is not None
    for name in templates().list_templates():
        named = named_in(loader.get_source(templates(), name)[0])
        assert sorted(named) == sorted(str(each) for each in meta.find_referenced_templates(_parsed(name))), name
