"""Cards that lie exposed before a round and are dealt first, as everybody sees them."""

from msgspec import Struct

from punto.table.records.state import Phase, Table
from punto.web.pages.base.i18n import Translator
from punto.web.pages.parts.words import card_name

_PLACES = ("player_first", "banker_first", "player_second", "banker_second")


class SmallCard(Struct, frozen=True):
    code: str | None
    """None: face down."""
    label: str


class ShownCarried(Struct, frozen=True):
    card: SmallCard
    place: str
    """Where it is dealt, as text."""


def small_card(code: str | None, t: Translator) -> SmallCard:
    return SmallCard(code, card_name(code, t) if code else t("card.face_down"))


def carried_cards(state: Table, t: Translator) -> tuple[ShownCarried, ...]:
    """The exposed cards of earlier rounds that are still to be dealt."""
    now = state.round if state.phase in (Phase.BETTING, Phase.DEALING) else None
    dealt, number = (len(now.cards), now.number) if now else (0, None)
    return tuple(
        ShownCarried(small_card(str(each.card), t), t(f"carried.{_PLACES[place]}" if place < 4 else "carried.later"))
        for place, each in enumerate(state.carried, dealt)
        if each.card is not None and (number is None or each.drawn_in != number)
    )
