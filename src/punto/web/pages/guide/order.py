"""Cards whose order nobody knows: they are tapped in order. What an order gives is said once it is chosen."""

from msgspec import Struct

from punto.catalogue.sentence import phrase
from punto.table.consequences import PossibleOrder, possible_orders
from punto.table.decision import this_round
from punto.table.play.pending import order_topic, write_places
from punto.table.records.reports import RuleCardOrder
from punto.table.records.state import cards_in_order
from punto.web.pages.guide.address import Address
from punto.web.pages.guide.moment import Guided, GuideMoment
from punto.web.pages.parts.carried import SmallCard, small_card
from punto.web.words.consequence_words import endings_of, result_phrase

_KEYS = "ABCDEFGHIJKLMOPQRSTUVWXY"
"""Without N, which stands for another shoe."""


class DoubtfulCard(Struct, frozen=True):
    """A card whose place in the order nobody knows."""

    place: int
    card: SmallCard
    drawn: int
    """As which of them it is named, from 1; 0: not yet."""
    href: str
    """Names it next, or takes it and those named after it back."""


class ShownOrder(Struct, frozen=True):
    key: str
    places: str
    """As scripts and tests name it: its places, with dots between them."""
    cards: tuple[SmallCard, ...]
    href: str
    chosen: bool
    result: str
    """Of the chosen one; empty if more cards are needed."""
    endings: tuple[str, ...]
    """Of the chosen one: whoever rules looks at the cards, not at the money."""


class OrderStep(Struct, frozen=True):
    cards: tuple[DoubtfulCard, ...]
    orders: tuple[ShownOrder, ...]
    """Those that begin as the cards were named so far."""
    more: int
    named: tuple[int, ...]
    """The places, in the order drawn; the last card names itself."""
    complete: bool


def order_step(at: Guided, address: Address) -> OrderStep:
    lost = this_round(at.table).irregularities.order_lost
    named = _named(address.get("drawn"), lost)
    cards = [each.card for each in cards_in_order(at.table)]
    orders, more = possible_orders(at.book, at.table)
    fitting = [each for each in orders if each.order[: len(named)] == named]
    shown = {place: small_card(None if (face := cards[place - 1]) is None else str(face), at.t) for place in lost}
    return OrderStep(
        cards=tuple(
            DoubtfulCard(place, shown[place], _rank(place, named), address.to(drawn=_write(_toggle(place, named))))
            for place in lost
        ),
        orders=tuple(_shown(at, address, key, each, shown, named) for key, each in zip(_KEYS, fitting, strict=False)),
        more=more,
        named=named,
        complete=len(named) == len(lost),
    )


def order_command(at: Guided, step: OrderStep) -> RuleCardOrder:
    return RuleCardOrder(at.by.name, at.by.position, step.named)


def _named(text: str, lost: tuple[int, ...]) -> tuple[int, ...]:
    """What is no such place, or is named twice, does not count."""
    places = tuple(dict.fromkeys(int(each) for each in text.split(".") if each.isdecimal() and len(each) < 3))
    named = tuple(place for place in places if place in lost)
    return (*named, *(set(lost) - set(named))) if len(named) == len(lost) - 1 else named


def _rank(place: int, named: tuple[int, ...]) -> int:
    return named.index(place) + 1 if place in named else 0


def _toggle(place: int, named: tuple[int, ...]) -> tuple[int, ...]:
    return named[: named.index(place)] if place in named else (*named, place)


def _write(places: tuple[int, ...]) -> str:
    return ".".join(map(str, places))


def _shown(
    at: Guided, address: Address, key: str, order: PossibleOrder, cards: dict[int, SmallCard], named: tuple[int, ...]
) -> ShownOrder:
    chosen = order.order == named
    end = order.finished if chosen else None
    return ShownOrder(
        key=key,
        places=_write(order.order),
        cards=tuple(cards[place] for place in order.order),
        href=address.to(drawn=_write(order.order)),
        chosen=chosen,
        result="" if end is None else at.t.write(result_phrase(end)),
        endings=endings_of(end, at.writer),
    )


def order_moment(at: Guided) -> GuideMoment:
    t = at.t
    now = this_round(at.table)
    why = [t("resolve.why.order", places=write_places(now.irregularities.order_lost)), t("resolve.why.cards_first")]
    if now.irregularities.order_lost_simultaneous:
        why.append(t("console.why.then_choose"))
    return GuideMoment(
        now=phrase("resolve.now.order"),
        why=tuple(why),
        say=phrase("aloud.order"),
        clauses=at.book.topics[order_topic(now)],
        who=at.may(RuleCardOrder),
    )
