"""How the Chinese sentences are written: Simplified, with Chinese punctuation, without blanks, in the trade's words."""

# ruff: noqa: RUF001 - Chinese has punctuation of its own

import re
from collections.abc import Callable
from pathlib import Path
from string import Formatter

import pytest

import punto
from punto.catalogue import en, zh

Mistake = Callable[[str], bool]
HAN = "\u4e00-\u9fff"
WIDE = HAN + "\u3001-\u3011\uff01-\uff5e“”‘’—…"
"""Chinese characters and punctuation."""
TRADITIONAL_IN_GB2312 = "於後"
SIMPLIFIED_BEYOND_GB2312 = "曱甴"
"""The cockroach road."""
LETTERS = {"rank.A", "rank.J", "rank.Q", "rank.K", "console.shortcut.escape"}
"""Written alike in all languages."""


def plurals(template: str) -> list[str]:
    """What its placeholders choose between by number."""
    return [spec for _, _, spec, _ in Formatter().parse(template) if spec and "|" in spec]


def words(template: str) -> str:
    """The sentence with a sign in place of each value."""
    return "".join(text + ("" if name is None else "§") for text, name, _, _ in Formatter().parse(template))


def no_chinese(template: str) -> bool:
    written = (words(template), *(choice for plural in plurals(template) for choice in plural.split("|")))
    return any(re.search("[A-Za-z]", text) and not re.search(f"[{HAN}]", text) for text in written)


def narrow_punctuation(template: str) -> bool:
    """Also a full stop after a Chinese character, unless a name such as ``.toml`` starts with it."""
    written = (words(template), *plurals(template))
    return any(re.search(rf"[{HAN}][,;:?!()\"]|[,;:?!()\"][{HAN}]|[{HAN}]\.(?!\w)", text) for text in written)


def blank(template: str) -> bool:
    return any(re.search(rf"[{WIDE}]\s|\s[{WIDE}]", text) for text in (words(template), *plurals(template)))


def traditional(template: str) -> bool:
    """The character set GB 2312 has the simplified characters and hardly any traditional one."""
    return any(
        character in TRADITIONAL_IN_GB2312 or not character.encode("gb2312", "ignore")
        for character in re.findall(f"[{HAN}]", template)
        if character not in SIMPLIFIED_BEYOND_GB2312
    )


MISTAKES: dict[Mistake, tuple[str, ...]] = {
    no_chinese: ("The layout.", "{cards:# card|# cards}", "发了{cards:# card|# cards}", "Punto {version}"),
    narrow_punctuation: ("下注(闲)", "第3局:和", "闲, 庄", "停止下注.", '宣布"停止下注"'),
    blank: ("第 3局", "共{cards} 张", "闲， 庄", "Punto 自动执行", "{cards:# 张|# 张}"),
    traditional: tuple("閒門點賠險莊補發換經數張內註於後"),
}
WELL_WRITTEN = (
    "第3局：闲{points}点（例牌）。",
    "{name}（{kind}）",
    "{first}、{second}",
    "见第5.13条，用.toml文件",
    "{cards:一张牌|#张牌}，{host}:{port}",
)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(mistake: Mistake) -> None:
    assert [sample for sample in MISTAKES[mistake] if not mistake(sample)] == []
    assert [sample for sample in WELL_WRITTEN if mistake(sample)] == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_chinese_sentence_has_this_mistake(mistake: Mistake) -> None:
    found = {key: sentence for key, sentence in zh.SENTENCES.items() if mistake(sentence)}
    assert {key: sentence for key, sentence in found.items() if key not in LETTERS} == {}


def test_the_house_edge_is_not_called_odds() -> None:
    said = [key for key, sentence in en.SENTENCES.items() if "house edge" in sentence.lower()]
    assert {key: zh.SENTENCES[key] for key in said if "赔率" in zh.SENTENCES[key]} == {}


def test_player_is_written_in_one_way_everywhere() -> None:
    """In the sentences, and in whatever else people read: names in books, templates, scripts and style sheets."""
    package = Path(punto.__file__).parent
    read = [path for kind in ("py", "toml", "html", "js", "css", "svg") for path in package.rglob(f"*.{kind}")]
    assert {path.suffix for path in read} >= {".py", ".toml", ".html", ".js"}
    assert [path.name for path in read if "閒" in path.read_text(encoding="utf-8")] == []
    assert sum("闲" in sentence for sentence in zh.SENTENCES.values()) > 10


SUPERVISOR = "监台主任"
OTHER_WORDS_FOR_A_SUPERVISOR = ("主管", "督导", "监督员", "巡场", "领班")


def test_a_pit_supervisor_has_one_name() -> None:
    others = [key for key, text in zh.SENTENCES.items() if any(word in text for word in OTHER_WORDS_FOR_A_SUPERVISOR)]
    assert others == []
    named = {key for key, text in en.SENTENCES.items() if "supervisor" in text.lower()}
    assert len(named) > 30
    assert named == {key for key, text in zh.SENTENCES.items() if SUPERVISOR in text}
