"""Finds the card of a shoe that a step, a command or an event refers to.

A place in a shoe is the shoe's name and the position of the card in it, counted from 0.
"""

from collections.abc import Mapping
from typing import Any

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import tag
from punto.rules.coup.cards import Face
from punto.table.records.commands import BurnCards, CutCardOut, DealCard, EndShoe, TurnCard
from punto.table.records.corrections import CorrectCard
from punto.table.records.events import CardDealt, CardsBurned, CardTurned, Event
from punto.table.records.findings import CardsDrawnOutOfTurn
from punto.table.records.reports import ReportFaceUpCard
from punto.table.records.settings import Automation
from punto.table.records.state import Table
from punto.table.refusals import TableCode
from punto.table.situation import TURNING, AutomaticStep, needs_card

ShoePlace = tuple[str, int]

_CARD_COMMANDS = {tag(kind): kind for kind in (BurnCards, DealCard, TurnCard, ReportFaceUpCard)}
"""Commands that name a card, by tag."""

_DEAL_CARD, _CORRECT_CARD = tag(DealCard), tag(CorrectCard)
_CUT_CARD_OUT = tag(CutCardOut)
_COUNTS = frozenset({_CUT_CARD_OUT, tag(EndShoe)})


# ---- the place of a card


def place_for_step(table: Table, step: AutomaticStep) -> ShoePlace | None:
    now = table.round
    if step.automation in TURNING and now is not None:
        return now.shoes[step.place - 1], now.draws[step.place - 1]
    if step.automation is Automation.DEAL:
        return _next_to_deal(table)
    return None if table.shoe is None else (table.shoe.id, table.shoe.drawn)


def place_for_command(table: Table, body: Mapping[str, Any]) -> ShoePlace | None:
    """The place of the card that a command names; None if it names none."""
    kind, now, place = _CARD_COMMANDS.get(str(body.get("command"))), table.round, body.get("place")
    if kind is DealCard:
        return _next_to_deal(table) if table.settings is not None and needs_card(table) else None
    if kind is BurnCards:
        return None if table.shoe is None else (table.shoe.id, table.shoe.drawn)
    if kind is None or now is None or type(place) is not int or not 0 < place <= len(now.shoes):
        return None
    return now.shoes[place - 1], now.draws[place - 1]


def _next_to_deal(table: Table) -> ShoePlace | None:
    if table.carried:
        return table.carried[0].shoe, table.carried[0].draw
    return None if table.shoe is None else (table.shoe.id, table.shoe.drawn)


# ---- commands with and without their card


def shows_card(body: Mapping[str, Any]) -> bool:
    """Whether a command has to name a card."""
    return str(body.get("command")) in _CARD_COMMANDS


def without_card(body: Mapping[str, Any]) -> dict[str, Any]:
    """Complete a command for which there is no card. The table refuses it before it uses the card."""
    return {**body, "card": None if _CARD_COMMANDS[body["command"]] is DealCard else Face.ACE_SPADES}


def refuse_named_cards(body: Mapping[str, Any]) -> None:
    """Refuse a named card for a sealed shoe. Otherwise a client could guess cards and learn from the answers."""
    cards = body.get("cards")
    if body.get("card") is not None or (isinstance(cards, list | tuple) and any(card is not None for card in cards)):
        raise FloorRefused(FloorCode.NOT_THE_SEALED_CARD, variant="named")


def is_correction(body: Mapping[str, Any]) -> bool:
    return body.get("command") == _CORRECT_CARD


def needs_real_shoe(table: Table, body: Mapping[str, Any]) -> bool:
    """Whether a command only makes sense where people draw and enter the cards."""
    return _deals_drawn_card(body) or is_correction(body) or _counts_by_hand(table, body)


def _deals_drawn_card(body: Mapping[str, Any]) -> bool:
    """Whether a command says that its card was drawn before it. At a sealed shoe the command itself draws the card."""
    return body.get("command") == _DEAL_CARD and bool(body.get("not_offered") or body.get("before_close"))


def _counts_by_hand(table: Table, body: Mapping[str, Any]) -> bool:
    """Whether a command says where a shoe is that the floor itself counts: a sealed one, except at a felt table.

    A continuous shuffler has no cut card anywhere: the table says so.
    """
    felt = table.settings is not None and table.settings.felt
    announces_none = body.get("command") == _CUT_CARD_OUT and table.at_shuffler
    return body.get("command") in _COUNTS and not felt and not announces_none


def refuse_at_sealed_shoe(table: Table, body: Mapping[str, Any]) -> None:
    """Refuse what only people at a real shoe can know."""
    if is_correction(body):
        raise FloorRefused(TableCode.NOTHING_TO_CORRECT, variant="sealed")
    if _deals_drawn_card(body) and body.get("before_close"):
        raise FloorRefused(FloorCode.CARD_NOT_DRAWN, variant="before_close")
    if _deals_drawn_card(body):
        raise FloorRefused(FloorCode.CARD_NOT_DRAWN)
    if _counts_by_hand(table, body) and table.at_shuffler:
        raise FloorRefused(FloorCode.SEALED_SHOE, variant="shuffler")
    if _counts_by_hand(table, body):
        raise FloorRefused(FloorCode.SEALED_SHOE)


# ---- cards in events and shoes in play


def cards_shown(table: Table, event: Event) -> list[tuple[str, int, Face]]:
    """Shoe, position and card for every card that an event shows. ``table`` is the state before it."""
    now = table.round
    if isinstance(event, CardTurned) and now is not None:
        return [(now.shoes[event.place - 1], now.draws[event.place - 1], event.card)]
    if isinstance(event, CardsBurned):
        return [(event.shoe, 0, event.card)]
    if isinstance(event, CardsDrawnOutOfTurn) and table.shoe is not None:
        drawn = enumerate(event.cards, table.shoe.drawn)
        return [(event.shoe, at, card) for at, card in drawn if card is not None]
    return []


def drawn_from(event: Event) -> str:
    """The shoe that an event takes a card from; empty if it takes none."""
    if isinstance(event, CardsBurned | CardsDrawnOutOfTurn) or (isinstance(event, CardDealt) and not event.carried):
        return event.shoe
    return ""


def in_play(table: Table) -> set[str]:
    """Shoes with cards on the table or still to come."""
    now = table.round
    names = {shoe.id for shoe in (table.shoe, table.next_shoe) if shoe is not None}
    names |= {carried.shoe for carried in table.carried}
    if now is not None and not now.over:
        names |= {*now.shoes, *(shoe.id for shoe in now.irregularities.replaced_shoes)}
    return names
