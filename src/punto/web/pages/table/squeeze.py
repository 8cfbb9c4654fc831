"""Squeezing on a player's page: asking for a hand, and the cards to peel."""

from collections.abc import Mapping

from msgspec import Struct

from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide
from punto.table.records.commands import RequestSqueeze
from punto.table.records.kinds import SqueezeState
from punto.table.records.positions import Position
from punto.table.records.settings import Settings
from punto.table.records.state import Phase, Table
from punto.web.messages import HandView, SqueezeView, TableView
from punto.web.pages.base.i18n import Translator
from punto.web.pages.parts.hands import may_squeeze
from punto.web.pages.parts.words import card_name


class PeeledCard(Struct, frozen=True):
    place: int
    number: int
    """Of the hand's cards, counted from 1."""
    code: str
    """Empty until the player has begun to squeeze it."""
    name: str
    laid_open: bool


class ShownSqueeze(Struct, frozen=True):
    """The cards of one hand that the viewer squeezes now."""

    side: Side
    cards: tuple[PeeledCard, ...]


def squeeze_of(
    live: LiveTable, view: TableView, me: str, squeezed: Mapping[int, Card], t: Translator
) -> ShownSqueeze | None:
    """Player's cards come first. Where the cards are real, there is nothing to peel on a screen."""
    now = view.round
    if now is None or view.phase is not Phase.DEALING or live.setup.shoes is ShoeKind.MANUAL or view.stopped:
        return None
    for side, hand in ((Side.PLAYER, now.player), (Side.BANKER, now.banker)):
        if cards := _cards(live.state, hand, me, squeezed, t):
            return ShownSqueeze(side, cards)
    return None


def _cards(
    state: Table, hand: HandView, me: str, squeezed: Mapping[int, Card], t: Translator
) -> tuple[PeeledCard, ...]:
    laid_open = state.round.laid_open if state.round else frozenset()
    return tuple(
        PeeledCard(
            place=place,
            number=number,
            code=squeezed[place].value if place in squeezed else "",
            name=card_name(squeezed[place].value, t) if place in squeezed else "",
            laid_open=place in laid_open,
        )
        for number, (place, code) in enumerate(zip(hand.places, hand.cards, strict=True), 1)
        if may_squeeze(hand, me, place) and code is None
    )


def can_ask(rules: Rulebook, state: Table, settings: Settings, me: str) -> list[Side]:
    """The hands that the player may ask to squeeze now."""
    if not me or not settings.face_down:
        return []
    requests = [RequestSqueeze(me, Position.PLAYER, me, side) for side in Side]
    return [each.side for each in requests if not isinstance(decide(rules, state, each), Refusal)]


def squeeze_notes(view: TableView, me: str, asking: list[Side], t: Translator) -> list[str]:
    """What the player has asked for, may squeeze, or may squeeze no longer."""
    now = view.round
    if now is None or not me or view.phase not in (Phase.BETTING, Phase.DEALING):
        return []
    notes = []
    for side, hand in ((Side.PLAYER, now.player), (Side.BANKER, now.banker)):
        mine = next((squeeze for squeeze in hand.squeezes if squeeze.who == me), None)
        if mine is not None:
            notes.append(_squeeze_note(mine, side, view.phase, t))
        elif side in asking and side in view.standing_squeezes:
            notes.append(t("table.squeeze_at_once", side=side))
    return notes


def _squeeze_note(squeeze: SqueezeView, side: Side, phase: Phase, t: Translator) -> str:
    if squeeze.state is SqueezeState.LAPSED:
        return t("table.squeeze_lapsed", side=side)
    if squeeze.state is SqueezeState.ASKED:
        return t("table.squeeze_asked", side=side)
    if phase is Phase.BETTING:
        return t("table.squeeze_if_highest", side=side)
    return t("table.squeeze_yours" if squeeze.from_place == 1 else "table.squeeze_yours_later", side=side)
