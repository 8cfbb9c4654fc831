"""Questions about what happened: what can be answered, and how an answer is read."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.money import read_amount
from punto.rules.refusals import Refusal, Refused
from punto.table.decision import MAX_REASON_LENGTH
from punto.table.procedure.trouble.felt import FeltCard, TableInTrouble

Facts = Mapping[str, str]
"""Answers by the names of questions, as in the query of a page."""
UNSEEN = "?"
BETWEEN = "."
MAX_ANSWER_LENGTH = 4000
MAX_TYPED_CARDS = 12


class FactKind(StrEnum):
    """How a question is answered. Templates and scripts know these names."""

    CHOICE = "choice"
    """The key of one pick."""
    BETS = "bets"
    """The keys of several picks, one to a line."""
    AMOUNTS = "amounts"
    """An amount and the key of a pick, one pair to a line; negative if it is taken."""
    CARD = "card"
    CARDS = "cards"
    """Cards in the order drawn."""
    PLACE = "place"
    """One of the cards on the felt."""
    PLACES = "places"
    """Several of them."""
    ORDER = "order"
    """All of them, in another order."""
    SIDES = "sides"
    """Those that lie with the other hand."""
    AMOUNT = "amount"
    NUMBER = "number"
    TEXT = "text"
    REASON = "reason"


class FactPick(Struct, frozen=True):
    """One answer of a choice."""

    key: str
    label: Phrase
    value: Any = None
    """Of the command's field; merged into the command if the question has no field."""
    why_not: Refusal | Phrase | None = None
    """None: it can be chosen now."""
    leads_to: str = ""
    """The name of the tile to go to instead."""
    form: str = ""
    """The name of the console's dialog to open instead."""


class FactQuestion(Struct, frozen=True, kw_only=True):
    name: str
    """Of the fact."""
    field: str = ""
    """Of the command; empty: the value is merged into the command."""
    kind: FactKind
    label: Phrase
    answer: str = ""
    """From the facts, or else the one that is filled in; empty: none yet."""
    preset: str = ""
    """Filled in from the table and from the facts before it."""
    optional: bool = False
    picks: tuple[FactPick, ...] = ()
    cards: tuple[FeltCard, ...] = ()
    """The cards on the felt that can be tapped."""
    with_suit: bool = False
    """A rank alone is not enough."""
    unseen_only: bool = False
    """Nobody names a card of a sealed shoe: only their number matters."""
    least: int = 0
    """How many cards at least."""
    most: int = 999_999_999
    """The highest number."""
    fixed: str = ""
    """The first card, if the table itself has stopped at it."""
    reasons: tuple[Phrase, ...] = ()
    """Reasons that are given often."""


def order_question(facts: Facts, *, preset: str = "known") -> FactQuestion:
    """Whether the order of the cards is known. The house decides it."""
    return FactQuestion(
        name="order",
        kind=FactKind.CHOICE,
        label=phrase("guide.order"),
        answer=facts.get("order") or preset,
        preset=preset,
        picks=(
            FactPick("known", phrase("guide.order.known"), {}),
            FactPick("lost", phrase("guide.order.lost"), {"reconstructable": False}),
        ),
    )


def is_lost(facts: Facts) -> bool:
    return facts.get("order") == "lost"


def cards_question(
    felt: TableInTrouble, facts: Facts, label: Phrase, *, preset: str = "", least: int = 1, fixed: str = ""
) -> FactQuestion:
    return FactQuestion(
        name="cards",
        field="cards",
        kind=FactKind.CARDS,
        label=label,
        answer=facts.get("cards") or fixed or preset,
        preset=fixed or preset,
        optional=least == 0,
        with_suit=not felt.settings.faces_by_rank,
        unseen_only=felt.sealed,
        least=least,
        fixed=fixed,
    )


def reason_question(facts: Facts, *reasons: Phrase, needed: bool = False) -> FactQuestion:
    return FactQuestion(
        name="reason",
        field="reason",
        kind=FactKind.REASON,
        label=phrase("guide.reason") if needed else phrase("guide.reason_optional"),
        answer=facts.get("reason", ""),
        optional=not needed,
        reasons=reasons,
    )


def choice_question(
    facts: Facts, name: str, label: Phrase, picks: tuple[FactPick, ...], *, field: str = "", preset: str = ""
) -> FactQuestion:
    """One of the picks. A single one that can be chosen is the answer already."""
    possible = [each.key for each in picks if each.why_not is None]
    preset = preset or (possible[0] if len(possible) == 1 else "")
    return FactQuestion(
        name=name,
        field=field,
        kind=FactKind.CHOICE,
        label=label,
        answer=facts.get(name) or preset,
        preset=preset,
        picks=picks,
    )


def preset_question(
    facts: Facts,
    name: str,
    kind: FactKind,
    label: Phrase,
    preset: str,
    *,
    field: str = "",
    cards: tuple[FeltCard, ...] = (),
) -> FactQuestion:
    """What the table fills in, until somebody answers otherwise."""
    return FactQuestion(
        name=name,
        field=field or name,
        kind=kind,
        label=label,
        answer=facts.get(name) or preset,
        preset=preset,
        cards=cards,
    )


# ---- reading answers


def read_answer(question: FactQuestion) -> Any:
    """The value of an answer; ValueError if it cannot be read."""
    if len(question.answer) > MAX_ANSWER_LENGTH:
        raise ValueError(question.name)
    try:
        return _READERS[question.kind](question, question.answer)
    except Refused as error:
        raise ValueError(str(error)) from error


def is_answered(question: FactQuestion) -> bool:
    if question.kind is FactKind.CARDS and question.answer:
        return len(question.answer.split(BETWEEN)) >= question.least
    return bool(question.answer.strip())


def _read_choice(question: FactQuestion, text: str) -> Any:
    return _pick(question, text).value


def _pick(question: FactQuestion, key: str) -> FactPick:
    found = next((each for each in question.picks if each.key == key), None)
    if found is None or found.why_not is not None or found.leads_to or found.form:
        raise ValueError(key)
    return found


def _read_bets(question: FactQuestion, text: str) -> list[Any]:
    return [_pick(question, key).value for key in dict.fromkeys(text.splitlines())]


def _read_amounts(question: FactQuestion, text: str) -> dict[str, int]:
    amounts = {}
    for line in text.splitlines():
        amount, _, key = line.partition(" ")
        amounts[_pick(question, key).key] = read_amount(amount.removeprefix("+"))
    return amounts


def _read_card(question: FactQuestion, text: str) -> Face:
    face = Face(text)
    if (question.with_suit and not face.suit) or question.unseen_only:
        raise ValueError(text)
    return face


def _read_cards(question: FactQuestion, text: str) -> list[Face | None]:
    words = text.split(BETWEEN)
    if len(words) > MAX_TYPED_CARDS or (question.fixed and words[0] != question.fixed):
        raise ValueError(text)
    known = (question.fixed, UNSEEN)  # of a sealed shoe, everybody has seen the card that it was stopped at
    return [_known_card(word) if word in known else _read_card(question, word) for word in words]


def _known_card(word: str) -> Face | None:
    return None if word == UNSEEN else Face(word)


def _read_place(question: FactQuestion, text: str) -> int:
    place = _read_number(question, text)
    if place not in {each.place for each in question.cards}:
        raise ValueError(text)
    return place


def _read_places(question: FactQuestion, text: str) -> list[int]:
    places = [_read_place(question, each) for each in text.split(BETWEEN)]
    if len(set(places)) < len(places):
        raise ValueError(text)
    return places


def _read_order(question: FactQuestion, text: str) -> list[int]:
    """The last of the cards needs no tap."""
    places = _read_places(question, text)
    rest = [each.place for each in question.cards if each.place not in places]
    if len(rest) > 1:
        raise ValueError(text)
    return places + rest


def _read_sides(question: FactQuestion, text: str) -> list[Side]:
    moved, other = set(_read_places(question, text)), {Side.PLAYER: Side.BANKER, Side.BANKER: Side.PLAYER}
    return [other[each.side] if each.place in moved else each.side for each in question.cards]


def _read_amount(_: FactQuestion, text: str) -> int:
    return read_amount(text)


def _read_number(question: FactQuestion, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) <= question.most):
        raise ValueError(text)
    return int(text)


def _read_text(_: FactQuestion, text: str) -> str:
    if len(text) > MAX_REASON_LENGTH or not text.isprintable():
        raise ValueError(text)
    return text


_READERS: dict[FactKind, Callable[[FactQuestion, str], Any]] = {
    FactKind.CHOICE: _read_choice,
    FactKind.BETS: _read_bets,
    FactKind.AMOUNTS: _read_amounts,
    FactKind.CARD: _read_card,
    FactKind.CARDS: _read_cards,
    FactKind.PLACE: _read_place,
    FactKind.PLACES: _read_places,
    FactKind.ORDER: _read_order,
    FactKind.SIDES: _read_sides,
    FactKind.AMOUNT: _read_amount,
    FactKind.NUMBER: _read_number,
    FactKind.TEXT: _read_text,
    FactKind.REASON: _read_text,
}
