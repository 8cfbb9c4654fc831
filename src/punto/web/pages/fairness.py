"""The fairness page: what was sealed before the first card, what was opened after the last, and how to check it.

At a continuous shuffler a block of orders is sealed at a time, and each order is opened when its round is over.
"""

from markupsafe import Markup
from msgspec import Struct

from punto.floor.shoes.machine_orders import draw_list
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest, Raw
from punto.web.messages import RevealedOrderView, SealedShoeView
from punto.web.pages.base.i18n import Translator, translator
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, table_path
from punto.web.pages.base.templates import page
from punto.web.pages.parts.words import card_name
from punto.web.views.sealed_shoes import last_orders, last_shoes

CARDS_SHOWN = 12
CARDS_OF_A_ROUND = 6


class ShoeSeal(Struct, frozen=True):
    """A shoe that has not been opened."""

    name: str
    decks: int
    commitment: str
    in_play: bool
    """On the table now. False if it was put aside or is not in use yet."""
    block: int
    """Of a continuous shuffler, counted from 1; 0 for a shoe."""


class OpenedShoe(Struct, frozen=True):
    """A finished shoe, with everything that was sealed."""

    name: str
    decks: int
    commitment: str
    nonce: str
    cards: str
    count: int
    first: tuple[tuple[str, str], ...]
    """Code and name of the first ``CARDS_SHOWN`` cards."""
    command: str
    """A shell command that checks the commitment."""


class OpenedOrder(Struct, frozen=True):
    """The order of a round that is over, at a continuous shuffler."""

    shoe: str
    round: int
    commitment: str
    nonce: str
    cards: str
    count: int
    order: int
    path: str
    passed: tuple[tuple[str, str], ...]
    """Code and name of the cards that were out when the round began."""
    first: tuple[tuple[str, str], ...]
    """The same for the first cards that the round could draw."""


def opened_order(order: RevealedOrderView, t: Translator) -> OpenedOrder:
    passed = order.out.split()
    drawn = draw_list(order.cards, map(Card, passed))
    return OpenedOrder(
        shoe=order.shoe,
        round=order.round,
        commitment=order.commitment,
        nonce=order.nonce,
        cards=order.cards,
        count=len(order.cards.split()),
        order=order.order,
        path=" ".join(order.path),
        passed=tuple((code, card_name(code, t)) for code in passed),
        first=tuple((card.value, card_name(card.value, t)) for card in drawn[:CARDS_OF_A_ROUND]),
    )


def opened(shoe: SealedShoeView, nonce: str, cards: str, t: Translator) -> OpenedShoe:
    codes = cards.split()
    return OpenedShoe(
        name=shoe.shoe,
        decks=shoe.decks,
        commitment=shoe.commitment,
        nonce=nonce,
        cards=cards,
        count=len(codes),
        first=tuple((code, card_name(code, t)) for code in codes[:CARDS_SHOWN]),
        command=f"printf '%s\\n%s' {nonce} '{cards}' | sha256sum",
    )


class FairnessPage(PageContext, frozen=True, kw_only=True):
    template = "fairness.html"
    table: str
    table_title: str
    game: str
    real: bool
    seeded: bool
    sealed: list[ShoeSeal]
    opened: list[OpenedShoe]
    shuffler: bool
    orders: list[OpenedOrder]
    example: Markup = Markup("printf '%s\\n%s' <var>nonce</var> '<var>cards</var>' | sha256sum")


async def fairness(call: HttpRequest) -> Raw:
    name, language = call.path["table"], call.language
    live = await call.service.floor.find_table(name)
    shuffler = live.state.at_shuffler
    t = translator(language, at_shuffler=shuffler)
    shoes, now = await last_shoes(live.database, name), live.state.shoe
    current = now.id if now else ""
    sealed_orders = any(shoe.orders for shoe in shoes)
    orders = await last_orders(live.database, live.head) if sealed_orders and live.head is not None else []
    context = FairnessPage(
        layout=layout_of(call, "fairness", table_path(name, "fairness")),
        table=name,
        table_title=live.title,
        game=t(f"book.{live.rules.id}"),
        real=live.setup.shoes is ShoeKind.MANUAL,
        seeded=live.setup.shoes is ShoeKind.SEEDED,
        sealed=[
            ShoeSeal(
                shoe.shoe,
                shoe.decks,
                shoe.commitment,
                shoe.shoe == current,
                shoe.block + 1 if shoe.orders else 0,
            )
            for shoe in shoes
            if shoe.nonce is None
        ],
        opened=[opened(shoe, shoe.nonce, shoe.cards, t) for shoe in shoes if shoe.nonce and shoe.cards],
        shuffler=shuffler,
        orders=[opened_order(order, t) for order in orders],
    )
    return await page(context, language, t)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/tables/{table}/fairness",
        fairness,
        "The sealed shoes of a table",
        query=PageQuery,
        access=Access.ANYBODY,
        cost=EXPENSIVE,
    ),
)
