"""The steps by which somebody lays out a question: each makes another question of it."""

from typing import Any

from msgspec.structs import replace

from punto.rules.coup.cards import FACE_DOWN
from punto.rules.money import read_amount, write_amount
from punto.rules.rulebook import Rulebook
from punto.table.referee.question import BetLaid, RefereeQuestion

FACE_DOWN_SETTING = "face_down"


def add_card(question: RefereeQuestion, face: str) -> RefereeQuestion:
    """With one more card drawn. Cards that nobody has seen are for tables that deal face down."""
    *before, last = question.happened or ("",)
    if isinstance(last, str):
        happened: tuple[str | dict[str, Any], ...] = (*before, f"{last} {face}".strip())
    else:
        happened = (*before, last, face)
    laid = replace(question, happened=happened)
    return replace(laid, table={**laid.table, FACE_DOWN_SETTING: True}) if face == FACE_DOWN else laid


def add_step(question: RefereeQuestion, body: dict[str, Any]) -> RefereeQuestion:
    return replace(question, happened=(*question.happened, body))


def drop_last(question: RefereeQuestion) -> RefereeQuestion:
    """Without the last card or step."""
    if not question.happened:
        return question
    *before, last = question.happened
    rest = last.split()[:-1] if isinstance(last, str) else []
    return replace(question, happened=(*before, " ".join(rest)) if rest else tuple(before))


def deal_face_down(question: RefereeQuestion, *, down: bool) -> RefereeQuestion:
    """At a table that deals face down, or face up: then with no card that nobody has seen."""
    table = {name: value for name, value in question.table.items() if name != FACE_DOWN_SETTING}
    if down:
        return replace(question, table={**table, FACE_DOWN_SETTING: True})
    seen = (" ".join(card for card in _cards(step) if card != FACE_DOWN) for step in question.happened)
    return replace(question, table=table, happened=tuple(step for step in seen if step))


def _cards(step: str | dict[str, Any]) -> list[str]:
    return step.split() if isinstance(step, str) else []


def add_bet(question: RefereeQuestion, box: int, bet: str, minor: int, *, seated: bool) -> RefereeQuestion:
    """With a chip on a bet: on the one that lies there already, or a new one."""
    bets = list(question.bets)
    for at, laid in enumerate(bets):
        if (laid.box, laid.bet, laid.seated is not False, laid.who) == (box, bet, seated, ""):
            bets[at] = replace(laid, stake=_plain(read_amount(laid.stake) + minor))
            return replace(question, bets=tuple(bets))
    new = BetLaid(box, bet, _plain(minor), seated=None if seated else False)
    return replace(question, bets=(*bets, new))


def _plain(minor: int) -> str:
    return write_amount(minor).removesuffix(".00")


def drop_bet(question: RefereeQuestion, at: int) -> RefereeQuestion:
    return replace(question, bets=question.bets[:at] + question.bets[at + 1 :])


def at_book(question: RefereeQuestion, book: Rulebook, layout: str) -> RefereeQuestion:
    """The same cards and bets in another book, without the bets that its layout does not have.

    A layout of another book stands for the first one.
    """
    first = next(iter(book.layouts))
    chosen = book.layouts.get(layout, book.layouts[first])
    boxes = chosen.most_boxes or 99
    bets = tuple(bet for bet in question.bets if bet.bet in chosen.menu and bet.box <= boxes)
    return replace(question, book=book.id, layout="" if chosen.id == first else chosen.id, bets=bets)
