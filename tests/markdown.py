"""Headings, anchors and links of the documentation's pages, as GitHub makes them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.console import ROOT

FENCE = re.compile(r"^( *```+).*?^\1$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(?P<level>#{1,6}) (?P<words>.+)$", re.MULTILINE)
LINK = re.compile(r"\[(?P<words>[^\]]*)\]\((?P<target>[^()\s]*)\)")


class Link(NamedTuple):
    words: str
    target: str


class Section(NamedTuple):
    heading: str
    anchor: str
    text: str


def prose(page: Path) -> str:
    """The page with its fenced blocks blanked out: every character stays where it is."""
    text = page.read_text(encoding="utf-8")
    return FENCE.sub(lambda block: re.sub(r"[^\n]", " ", block[0]), text)


def links(page: Path) -> list[Link]:
    """Every link of a page, pictures too, but not what is in backquotes."""
    text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda code: code[0].replace("[", ""), prose(page))
    return [Link(found["words"], found["target"]) for found in LINK.finditer(text)]


def sections(page: Path) -> Iterator[Section]:
    """Each heading with its anchor and its text, with what is under smaller headings."""
    used: dict[str, int] = {}
    text = page.read_text(encoding="utf-8")
    headings = list(HEADING.finditer(prose(page)))
    for place, heading in enumerate(headings):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", heading["words"]).strip()
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        count = used.get(anchor, 0)
        used[anchor] = count + 1
        rest = (each.start() for each in headings[place + 1 :] if len(each["level"]) <= len(heading["level"]))
        yield Section(words, f"{anchor}-{count}" if count else anchor, text[heading.end() : next(rest, len(text))])


def is_outside(target: str) -> bool:
    return re.match(r"[a-z]+:", target) is not None


def destination(page: Path, target: str) -> tuple[Path, str]:
    """The file that a relative link leads to, and the anchor in it or an empty text."""
    path, _, anchor = target.partition("#")
    return ((page.parent / path).resolve() if path else page), anchor


def dead_links(page: Path) -> list[str]:
    """Relative links that lead to no file, or to no heading of it."""
    dead = []
    for link in links(page):
        if is_outside(link.target):
            continue
        path, anchor = destination(page, link.target)
        if not path.exists() or (anchor and anchor not in {section.anchor for section in sections(path)}):
            dead.append(link.target)
    return dead


def clicks_to(heading: str, start: Path = ROOT / "README.md") -> int | None:
    """How many links lead from a page to this heading: to its anchor, or to the page that it opens."""
    distance = {start: 0}
    queue = [start]
    for page in queue:
        for link in links(page):
            path, anchor = destination(page, link.target)
            if is_outside(link.target) or path.suffix != ".md" or not path.is_file():
                continue
            title, *rest = sections(path)
            if heading == title.heading or heading in [section.heading for section in rest if section.anchor == anchor]:
                return distance[page] + 1
            if path not in distance:
                distance[path] = distance[page] + 1
                queue.append(path)
    return None
