"""The language of a page, and text in templates that is not from the catalogue."""

import re
from html.parser import HTMLParser

import pytest

from punto.library import book, book_ids
from punto.web.http.language import language_of
from punto.web.pages.base.i18n import FELT_SIGNS
from punto.web.pages.base.templates import templates

SAME_IN_ALL_LANGUAGES = {"Punto", "English", "中文", "保险"}
"""Names, and the print on the lammer."""
READ_OUT = ("aria-label", "alt", "title", "placeholder")


class _Words(HTMLParser):
    """Collects the text of a template that people read or hear, without its expressions."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - HTMLParser's
        for name, value in attrs:
            if name in READ_OUT and value:
                self.handle_data(value)

    def handle_data(self, data: str) -> None:
        self.found |= {word for word in re.findall(r"[^\W\d_]+", data) if len(word) > 1}


def _words_of(source: str) -> set[str]:
    words = _Words()
    source = re.sub(r"\{% block body_data %\}.*", "", source)  # the attributes of an element of another template
    words.feed(re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", source, flags=re.DOTALL))
    return words.found


def test_a_template_has_no_words_of_its_own() -> None:
    loader = templates().loader
    assert loader is not None
    sources = {name: loader.get_source(templates(), name)[0] for name in templates().list_templates()}
    own = {name: found for name, source in sources.items() if (found := _words_of(source) - SAME_IN_ALL_LANGUAGES)}
    assert own == {}
    assert _words_of('<p title="Your bet">{{ words }} Deal</p>') == {"Your", "bet", "Deal"}


def test_the_felt_keeps_its_characters() -> None:
    for each in book_ids():
        assert {bet: rule.chinese for bet, rule in book(each).bets.items() if rule.chinese} == FELT_SIGNS


@pytest.mark.parametrize(
    ("headers", "asked", "language"),
    [
        ({}, None, "en"),
        ({"accept-language": "zh-SG,zh;q=0.9,en;q=0.8"}, None, "zh"),
        ({"accept-language": "fr, en-GB;q=0.8, zh;q=0.5"}, None, "en"),
        ({"accept-language": "ms"}, None, "en"),
        ({"accept-language": "en;q=0.5, zh-Hans;q=0.9"}, None, "zh"),
        ({"accept-language": "zh;q=0, en"}, None, "en"),
        ({"accept-language": "zh;q=0.000"}, None, "en"),
        ({"accept-language": "zh;q=nan, zh;q=2, *;q=0.1"}, None, "en"),
        ({"accept-language": "zha, EN-gb"}, None, "en"),
        ({"accept-language": "enm, zh"}, None, "zh"),
        ({"cookie": "punto-language=zh"}, "fr", "zh"),
        ({"accept-language": "en", "cookie": "punto-language=zh"}, None, "zh"),
        ({"cookie": "punto-language=zh"}, "en", "en"),
        ({"cookie": "punto-language=klingon"}, None, "en"),
        ({"cookie": "\x00=;;=,"}, None, "en"),
        ({}, "<script>", "en"),
    ],
)
def test_which_language_somebody_gets(headers: dict[str, str], asked: str | None, language: str) -> None:
    assert language_of(headers, asked) == language
