"""What a board says in words, for who hears it and does not see it: English or Chinese."""

# ruff: noqa: RUF001 - Chinese has a comma and a colon of its own

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from punto.board.results import Mark
from punto.board.roads import Asked, BigRoad, Colour, Derived
from punto.catalogue.sentence import Language
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side

BEAD_PLATE: Final[dict[Language, str]] = {"en": "Bead Plate", "zh": "珠盘路"}
BIG_ROAD: Final[dict[Language, str]] = {"en": "Big Road", "zh": "大路"}
DERIVED: Final[dict[Derived, dict[Language, str]]] = {
    Derived.BIG_EYE_BOY: {"en": "Big Eye Boy", "zh": "大眼仔路"},
    Derived.SMALL_ROAD: {"en": "Small Road", "zh": "小路"},
    Derived.COCKROACH_PIG: {"en": "Cockroach Pig", "zh": "曱甴路"},
}
ASK: Final[dict[Side, dict[Language, str]]] = {
    Side.BANKER: {"en": "If Banker wins next", "zh": "庄问路"},
    Side.PLAYER: {"en": "If Player wins next", "zh": "閒问路"},
}
WINNER_WORDS: Final[dict[Winner, dict[Language, str]]] = {
    Winner.BANKER: {"en": "Banker", "zh": "庄"},
    Winner.PLAYER: {"en": "Player", "zh": "閒"},
    Winner.TIE: {"en": "Tie", "zh": "和"},
}
COLOUR_WORDS: Final[dict[Colour, dict[Language, str]]] = {
    Colour.RED: {"en": "red", "zh": "红"},
    Colour.BLUE: {"en": "blue", "zh": "蓝"},
}
_NOTHING: Final[dict[Language, str]] = {"en": "Nothing yet.", "zh": "暂无。"}
_COMMA: Final[dict[Language, str]] = {"en": ", ", "zh": "，"}
_STOP: Final[dict[Language, str]] = {"en": ".", "zh": "。"}


def say_bead_plate(marks: Sequence[Mark], language: Language) -> str:
    """How many rounds there are, who won them, and the last result.

    >>> from punto.board.results import read_marks
    >>> say_bead_plate(read_marks("B P Pbp"), "en")
    'Bead Plate. 3 rounds: 1 Banker, 2 Player, 0 Tie. Last: Player, Banker pair, Player pair.'
    """
    if not marks:
        return _sentences(language, BEAD_PLATE[language], _NOTHING[language])
    by = Counter(mark.winner for mark in marks)
    last = [WINNER_WORDS[marks[-1].winner][language]]
    if marks[-1].banker_pair:
        last.append({"en": "Banker pair", "zh": "庄对"}[language])
    if marks[-1].player_pair:
        last.append({"en": "Player pair", "zh": "閒对"}[language])
    said = _COMMA[language].join(last)
    if language == "zh":
        counts = _COMMA[language].join(f"{WINNER_WORDS[winner]['zh']}{by[winner]}" for winner in WINNER_WORDS)
        return _sentences(language, BEAD_PLATE[language], f"共{len(marks)}局：{counts}。最近：{said}。")
    counts = ", ".join(f"{by[winner]} {WINNER_WORDS[winner]['en']}" for winner in WINNER_WORDS)
    return _sentences(language, BEAD_PLATE[language], f"{_so_many(len(marks), 'round')}: {counts}. Last: {said}.")


def say_big_road(big: BigRoad, language: Language) -> str:
    """How many columns there are, and how the last stands.

    >>> from punto.board.results import read_marks
    >>> from punto.board.roads import big_road
    >>> say_big_road(big_road(read_marks("B PPPT")), "en")
    'Big Road. 2 columns. Last: Player, 3 in a row, then 1 tie.'
    """
    return _sentences(language, BIG_ROAD[language], _big_road(big, language))


def _big_road(big: BigRoad, language: Language) -> str:
    if not big.cells:
        if not big.ties_waiting:
            return _NOTHING[language]
        waiting = big.ties_waiting
        return {"en": f"{_so_many(waiting, 'tie')}, no decision yet.", "zh": f"和{waiting}局，未分庄閒。"}[language]
    last, run = big.cells[-1], big.heights[-1]
    who = WINNER_WORDS[last.mark.winner][language]
    if language == "zh":
        ties = f"，和{last.ties}局" if last.ties else ""
        return f"共{len(big.heights)}列。最近：{who}，连{run}局{ties}。"
    # the ties of the very first cell may have come before it
    then = "with" if len(big.cells) == 1 else "then"
    ties = f", {then} {_so_many(last.ties, 'tie')}" if last.ties else ""
    return f"{_so_many(len(big.heights), 'column')}. Last: {who}, {run} in a row{ties}."


def say_derived(colours: Sequence[Colour], road: Derived, language: Language) -> str:
    """How many marks a derived road has of each colour, and how its last column stands.

    >>> say_derived([Colour.BLUE, Colour.RED, Colour.RED], Derived.BIG_EYE_BOY, "en")
    'Big Eye Boy. 3 marks: 2 red, 1 blue. Last: red, 2 in a row.'
    """
    name = DERIVED[road][language]
    if not colours:
        return _sentences(language, name, _NOTHING[language])
    by = Counter(colours)
    run = sum(1 for _ in takewhile(lambda colour: colour is colours[-1], reversed(colours)))
    last = COLOUR_WORDS[colours[-1]][language]
    if language == "zh":
        return _sentences(
            language, name, f"共{len(colours)}个：红{by[Colour.RED]}，蓝{by[Colour.BLUE]}。最近：{last}，连{run}个。"
        )
    counts = f"{by[Colour.RED]} red, {by[Colour.BLUE]} blue"
    return _sentences(language, name, f"{_so_many(len(colours), 'mark')}: {counts}. Last: {last}, {run} in a row.")


def say_ask(asked: Asked, side: Side, language: Language) -> str:
    """What each derived road would get if that side won next.

    >>> say_ask(dict.fromkeys(Derived, Colour.RED), Side.BANKER, "en")
    'If Banker wins next: Big Eye Boy red, Small Road red, Cockroach Pig red.'
    """
    none = {"en": " no mark", "zh": "无"}[language]
    blank = " " if language == "en" else ""
    marks = [
        f"{DERIVED[road][language]}{none if colour is None else blank + COLOUR_WORDS[colour][language]}"
        for road, colour in asked.items()
    ]
    colon = {"en": ": ", "zh": "："}[language]
    return f"{ASK[side][language]}{colon}{_COMMA[language].join(marks)}{_STOP[language]}"


def _sentences(language: Language, name: str, rest: str) -> str:
    return f"{name}. {rest}" if language == "en" else f"{name}。{rest}"


def _so_many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
