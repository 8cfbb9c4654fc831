"""Pages as a browser reads them: a tree of elements."""

from collections.abc import Iterator
from html.parser import HTMLParser

import httpx2

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})
_CLOSED = frozenset({"circle", "ellipse", "line", "path", "rect"})
"""SVG shapes, which end with a slash."""


class Element:
    """An element and its children."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element | str] = []

    def all(self, tag: str = "", css: str = "") -> Iterator["Element"]:
        """All descendants with this tag and class, in order."""
        for child in self.children:
            if isinstance(child, Element):
                if tag in ("", child.tag) and (not css or css in child.attributes.get("class", "").split()):
                    yield child
                yield from child.all(tag, css)

    def one(self, tag: str = "", css: str = "") -> "Element":
        """The only such descendant."""
        found = list(self.all(tag, css))
        assert len(found) == 1, (tag, css, len(found))
        return found[0]

    def id(self, name: str) -> "Element":
        """The element with this id."""
        found = [each for each in self.all() if each.attributes.get("id") == name]
        assert len(found) == 1, (name, len(found))
        return found[0]

    @property
    def words(self) -> str:
        """Its text, with single spaces."""
        return " ".join(" ".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child._texts()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice: {tag} {attrs}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _CLOSED | _VOID, tag
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"{tag} ends, but {self._open[-1].tag} is open"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def finished(self) -> Element:
        self.close()
        assert self._open == [self.root], f"{self._open[-1].tag} is not closed"
        return self.root


def read_html(text: str) -> Element:
    """Parse a page or a piece of one. Tags must be closed in order."""
    reader = _Reader()
    reader.feed(text)
    return reader.finished()


def read_page(client: httpx2.Client, path: str, language: str = "en", status: int = 200) -> Element:
    """Get and parse a page in this language."""
    answer = client.get(path, headers={"accept-language": language})
    assert answer.status_code == status, (path, answer.status_code, answer.text[:500])
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return read_html(answer.text)
