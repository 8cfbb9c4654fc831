"""docs/glossary.md: each word once, in order, with the Chinese word that the pages use."""

import re
from collections import Counter

from punto.catalogue import zh
from tests.console import ROOT

PAGE = (ROOT / "docs/glossary.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)[1:]
CHINESE = {word: chinese for word, chinese, _ in ROWS}
BEYOND_GB2312 = "曱甴"
"""Cantonese characters of the trade."""


def test_each_word_stands_once_and_in_alphabetical_order() -> None:
    words = [word for word, _, _ in ROWS]
    assert len(words) > 80
    assert words == sorted(words, key=str.casefold)
    assert [word for word, times in Counter(words).items() if times > 1] == []


def _is_simplified(chinese: str) -> bool:
    """GB 2312 has no traditional forms."""
    try:
        chinese.translate(dict.fromkeys(map(ord, BEYOND_GB2312))).encode("gb2312")
    except UnicodeEncodeError:
        return False
    return re.search(r"[\u4e00-\u9fff]", chinese) is not None


def test_each_word_has_a_chinese_one_in_simplified_characters() -> None:
    assert [word for word, chinese in CHINESE.items() if not _is_simplified(chinese)] == []
    assert not _is_simplified("閒")
    assert not _is_simplified("Player")


def test_the_hands_and_the_edge_are_called_as_on_the_pages() -> None:
    names = {"Player": "bet.player", "Banker": "bet.banker", "tie": "bet.tie"}
    assert {word: CHINESE[word] for word in names} == {word: zh.SENTENCES[key] for word, key in names.items()}
    assert CHINESE["edge, house edge"] == "赌场优势"
