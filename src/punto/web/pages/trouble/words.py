"""The tiles and the questions in the reader's language, ready for templates."""

from collections.abc import Iterator
from string import ascii_uppercase

from markupsafe import Markup
from msgspec import Struct

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.coup.cards import Face
from punto.rules.refusals import Refusal
from punto.table.procedure.trouble.facts import is_missing, questions
from punto.table.procedure.trouble.felt import FeltCard, TableInTrouble
from punto.table.procedure.trouble.questions import BETWEEN, FactKind, FactQuestion, Facts
from punto.table.procedure.trouble.tiles import Tile, TileName, tiles
from punto.table.records.settings import box_label
from punto.table.refusals import TableCode
from punto.web.pages.base.templates import Context, svg
from punto.web.pages.trouble.drawings import DRAWINGS
from punto.web.words.event_words import Writer, card_phrase

FACES = frozenset(map(str, Face))
KEYS = "123456789" + ascii_uppercase
"""A key for each tile, in their order."""


class ShownTile(Struct, frozen=True):
    name: TileName
    key: str
    title: str
    drawing: Markup
    why_not: str
    """Empty: it is possible now."""
    clauses: tuple[str, ...]
    wanted: bool
    leads_to: str


class ShownFactPick(Struct, frozen=True):
    key: str
    label: str
    chosen: bool
    amount: str
    """What was typed for it, where each pick has an amount."""
    why_not: str
    leads_to: str
    form: str


class ShownCard(Struct, frozen=True):
    """A card on the felt or in an answer."""

    code: str
    """Empty: face down."""
    label: str
    place: int = 0
    side: str = ""
    """The hand that it is drawn with; empty: none."""
    chosen: bool = False
    number: int = 0
    """Counts the cards that were tapped in order, from 1."""


class ShownFact(Struct, frozen=True, kw_only=True):
    name: str
    kind: FactKind
    label: str
    answer: str
    preset: str
    missing: bool
    """Has to be answered, or answered in another way."""
    picks: tuple[ShownFactPick, ...]
    cards: tuple[ShownCard, ...]
    """On the felt, or for typed cards those of the answer."""
    with_suit: bool
    unseen_only: bool
    fixed: str
    reasons: tuple[str, ...]


class TilesPiece(Context, frozen=True, kw_only=True):
    template = "trouble/tiles.html"
    book: str
    tiles: tuple[ShownTile, ...]
    address: str
    """Of the page, up to the name of a tile."""


class QuestionsPiece(Context, frozen=True, kw_only=True):
    """What stands inside ``<form data-facts>``."""

    template = "trouble/questions.html"
    questions: tuple[ShownFact, ...]
    address: str
    """As above, for answers that lead to another tile."""


def show_tiles(felt: TableInTrouble, writer: Writer) -> tuple[ShownTile, ...]:
    return tuple(_show_tile(key, tile, writer) for key, tile in zip(KEYS, tiles(felt), strict=False))


def show_questions(felt: TableInTrouble, tile: TileName, facts: Facts, writer: Writer) -> tuple[ShownFact, ...]:
    return tuple(_show_question(question, writer) for question in questions(felt, tile, facts))


def _show_tile(key: str, tile: Tile, writer: Writer) -> ShownTile:
    return ShownTile(
        name=tile.name,
        key=key,
        title=writer.t.write(phrase(f"tile.{tile.name}")),
        drawing=svg(DRAWINGS[tile.name]),
        why_not=why_not_words(tile.why_not, writer),
        clauses=tile.clauses,
        wanted=tile.wanted,
        leads_to=tile.leads_to or "",
    )


def _show_question(question: FactQuestion, writer: Writer) -> ShownFact:
    return ShownFact(
        name=question.name,
        kind=question.kind,
        label=words_of(question.label, writer),
        answer=question.answer,
        preset=question.preset,
        missing=is_missing(question),
        picks=tuple(_show_picks(question, writer)),
        cards=tuple(_show_cards(question, writer)),
        with_suit=question.with_suit,
        unseen_only=question.unseen_only,
        fixed=question.fixed,
        reasons=tuple(words_of(reason, writer) for reason in question.reasons),
    )


def _show_picks(question: FactQuestion, writer: Writer) -> Iterator[ShownFactPick]:
    lines = question.answer.splitlines()
    amounts = {key: amount for amount, _, key in (line.partition(" ") for line in lines)}
    for pick in question.picks:
        yield ShownFactPick(
            key=pick.key,
            label=words_of(pick.label, writer),
            chosen=pick.key in lines,
            amount=amounts.get(pick.key, "") if question.kind is FactKind.AMOUNTS else "",
            why_not=why_not_words(pick.why_not, writer),
            leads_to=pick.leads_to,
            form=pick.form,
        )


def _show_cards(question: FactQuestion, writer: Writer) -> Iterator[ShownCard]:
    answered = question.answer.split(BETWEEN) if question.answer else []
    if question.kind in (FactKind.CARD, FactKind.CARDS):
        yield from (_typed_card(code, writer) for code in answered)
    for card in question.cards:
        chosen = str(card.place) in answered
        yield ShownCard(
            code=card.card or "",
            label=_card_label(card, writer),
            place=card.place,
            side=_shown_side(question, card, moved=chosen),
            chosen=chosen,
            number=answered.index(str(card.place)) + 1 if chosen else 0,
        )


def _typed_card(code: str, writer: Writer) -> ShownCard:
    if code not in FACES:  # nobody has seen it, or it is no card
        return ShownCard("", writer.t.write(phrase("guide.unseen")))
    return ShownCard(code, writer.t.write(card_phrase(code)))


def _shown_side(question: FactQuestion, card: FeltCard, *, moved: bool) -> str:
    if card.early:
        return ""
    if question.kind is not FactKind.SIDES or not moved:
        return card.side
    return "banker" if card.side == "player" else "player"


def _card_label(card: FeltCard, writer: Writer) -> str:
    if card.card is None:
        return writer.t.write(phrase("guide.card_down", place=card.place))
    face = card_phrase(card.card)
    if card.early:
        return writer.t.write(phrase("guide.card_early", card=face))
    return writer.t.write(phrase("guide.card_in_hand", card=face, side=card.side))


# ---- words


_ORDER = phrase("guide.not_now.order")
_LATE_OFFER = phrase("guide.not_now.late_offer")
_CORRECTION = phrase("guide.not_now.correction")
_PLAINLY = {
    "irregularity_open.raised": phrase("guide.not_now.raised"),
    "irregularity_open.options_by_hand": phrase("guide.not_now.ask"),
    "irregularity_open.order": _ORDER,
    "irregularity_open.order_or_number": _ORDER,
    "bets_decided": _LATE_OFFER,
    "too_late.correction": _CORRECTION,
    "too_late.correction_ruling": _CORRECTION,
}
"""Refusals that name commands, and what the people at a table are told instead."""


def why_not_words(why_not: Refusal | Phrase | None, writer: Writer) -> str:
    """Empty if nothing speaks against it."""
    if why_not is None:
        return ""
    if isinstance(why_not, Phrase):
        return words_of(why_not, writer)
    if why_not.code is TableCode.NOT_IN_BOOK:
        return writer.t.write(phrase("guide.not_in_book"))
    if why_not.key == "irregularity_open.options":
        return words_of(phrase("guide.not_now.options", people=why_not.values["people"]), writer)
    return words_of(_PLAINLY.get(why_not.key) or Phrase(why_not.key, why_not.values), writer)


def words_of(said: Phrase, writer: Writer) -> str:
    """A phrase with people and boxes as the reader knows them."""
    values = {name: _value(name, value, writer) for name, value in said.values.items()}
    return writer.t.write(Phrase(said.key, values))


def _value(name: str, value: object, writer: Writer) -> object:
    if name == "who" and isinstance(value, str):
        return writer.person(value)
    if name == "people" and isinstance(value, tuple):
        return tuple(map(writer.person, value))
    if name == "box" and isinstance(value, int):
        return box_label(writer.labels, value)
    return value
