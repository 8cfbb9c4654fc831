"""The two hands, as pages draw them."""

from msgspec import Struct

from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.table_of_play import Side
from punto.table.records.kinds import SqueezeState
from punto.web.messages import HandView, TableView
from punto.web.pages.base.i18n import Translator
from punto.web.pages.parts.words import card_name


class CardOnFelt(Struct, frozen=True):
    place: int
    code: str | None
    """None: face down."""
    label: str
    third: bool
    to_squeeze: bool
    """Whether the viewer may squeeze it at the felt."""
    opened: bool
    """Squeezed; the dealer turns it next."""


class ShownHand(Struct, frozen=True):
    side: str
    name: str
    points: int | None
    cards: tuple[CardOnFelt, ...]
    empty: int
    """How many of the first two cards are still missing."""
    won: bool
    can_ask: bool = False
    """Whether the viewer may ask to squeeze it now."""
    mine: bool = False
    """The viewer squeezes it, if they have the highest bet at the close."""


def may_squeeze(hand: HandView, me: str, place: int) -> bool:
    """After the close nobody but ``accepted_by`` has permission."""
    return bool(me) and hand.accepted_by == me and place >= (hand.squeeze_from or 1)


def hand_of(side: Side, view: TableView, me: str, t: Translator, *, can_ask: bool = False) -> ShownHand:
    now = view.round
    held = HandView() if now is None else now.player if side is Side.PLAYER else now.banker
    real = view.shoe is not None and view.shoe.kind is ShoeKind.MANUAL  # other cards are peeled on the screen
    cards = tuple(
        CardOnFelt(
            place=place,
            code=code,
            label=_label(place, code, held, t),
            third=place > 4,
            to_squeeze=real and code is None and may_squeeze(held, me, place) and place not in held.opened,
            opened=place in held.opened,
        )
        for place, code in zip(held.places, held.cards, strict=True)
    )
    return ShownHand(
        side=side.value,
        name=t(f"side.{side}"),
        points=held.points,
        cards=cards,
        empty=max(0, 2 - len(cards)),
        won=now is not None and now.winner is not None and now.winner.value == side.value,
        can_ask=can_ask,
        mine=bool(me) and any((each.who, each.state) == (me, SqueezeState.GRANTED) for each in held.squeezes),
    )


def _label(place: int, code: str | None, held: HandView, t: Translator) -> str:
    if code:
        return card_name(code, t)
    return t("card.squeezed") if place in held.opened else t("card.face_down")
