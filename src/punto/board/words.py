"""What a board shows, in words, for people who hear it."""

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from punto.board.results import Mark
from punto.board.roads import BigRoad, Colour, Derived, NextMarks
from punto.catalogue.sentence import Language, Phrase, phrase, say
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side


def bead_plate_label(marks: Sequence[Mark], language: Language) -> str:
    """How many rounds there are, who won them, and the last result.

    >>> from punto.board.results import read_marks
    >>> bead_plate_label(read_marks("B P Pbp"), "en")
    'Bead Plate. 3 rounds: 1 Banker, 2 Player, 0 Tie. Last: Player, Banker Pair, Player Pair.'
    """
    if not marks:
        return _nothing("bead_plate", language)
    by = Counter(mark.winner for mark in marks)
    last = marks[-1]
    pairs = (("banker_pair",) if last.banker_pair else ()) + (("player_pair",) if last.player_pair else ())
    return say(
        "road_label.bead_plate",
        language,
        rounds=len(marks),
        banker=by[Winner.BANKER],
        player=by[Winner.PLAYER],
        tie=by[Winner.TIE],
        last=(last.winner.value, *pairs),
    )


def big_road_label(big: BigRoad, language: Language) -> str:
    """How many columns there are, and how long the last one is.

    >>> from punto.board.results import read_marks
    >>> from punto.board.roads import big_road
    >>> big_road_label(big_road(read_marks("B PPPT")), "en")
    'Big Road. 2 columns. Last: Player, 3 in a row, then 1 tie.'
    """
    if not big.cells and not big.ties_waiting:
        return _nothing("big_road", language)
    if not big.cells:
        return say("road_label.only_ties", language, ties=big.ties_waiting)
    return say("road_label.big_road", language, columns=len(big.heights), last=_last_column(big))


def _last_column(big: BigRoad) -> Phrase:
    last, run = big.cells[-1], big.heights[-1]
    winner, ties = last.mark.winner.value, last.ties
    if not ties:
        return phrase("road_label.run", winner=winner, run=run)
    # the ties of the very first cell may have come before it
    alone = len(big.cells) == 1
    return phrase(
        "road_label.run_with_ties" if alone else "road_label.run_then_ties", winner=winner, run=run, ties=ties
    )


def derived_label(colours: Sequence[Colour], road: Derived, language: Language) -> str:
    """How many marks a derived road has of each colour, and how long its last column is.

    >>> derived_label([Colour.BLUE, Colour.RED, Colour.RED], Derived.BIG_EYE_BOY, "en")
    'Big Eye Boy. 3 marks: 2 red, 1 blue. Last: red, 2 in a row.'
    """
    if not colours:
        return _nothing(road.value, language)
    by = Counter(colours)
    run = sum(1 for _ in takewhile(lambda colour: colour is colours[-1], reversed(colours)))
    return say(
        "road_label.derived",
        language,
        road=road.value,
        marks=len(colours),
        red=by[Colour.RED],
        blue=by[Colour.BLUE],
        last=colours[-1].value,
        run=run,
    )


def ask_label(next_marks: NextMarks, side: Side, language: Language) -> str:
    """What each derived road would get if that side won next.

    >>> ask_label(dict.fromkeys(Derived, Colour.RED), Side.BANKER, "en")
    'If Banker wins next: Big Eye Boy red, Small Road red, Cockroach Pig red.'
    """
    marks = tuple(_next_mark(road, colour) for road, colour in next_marks.items())
    return say("road_label.ask", language, title=phrase(f"ask.{side}"), marks=marks)


def _next_mark(road: Derived, colour: Colour | None) -> Phrase:
    if colour is None:
        return phrase("road_label.no_mark", road=road.value)
    return phrase("road_label.mark", road=road.value, colour=colour.value)


def _nothing(road: str, language: Language) -> str:
    return say("road_label.nothing", language, road=road)
