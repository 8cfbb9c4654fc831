"""Is the shoe fair? What was sealed before the first card, what was opened after the last, and how to check it."""

from markupsafe import Markup
from msgspec import Struct

from punto.floor.shoes.shoe_kind import ShoeKind
from punto.web.http.endpoint import DEAR, Access, Endpoint, HttpRequest, Raw
from punto.web.messages import ShoeTold
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.base.layout import PageContext, PlainAsked, layout_of, table_path
from punto.web.pages.base.templates import page
from punto.web.pages.parts.words import say_card
from punto.web.views.sealed_shoes import last_shoes

CARDS_SHOWN = 12
"""So many cards of an opened shoe are drawn."""


class ShoeSeal(Struct, frozen=True):
    """A shoe of which only the seal is known."""

    name: str
    decks: int
    commitment: str
    in_play: bool
    """On the table now; False: it was put aside, or is still to come."""


class OpenedShoe(Struct, frozen=True):
    """A shoe that is over, with all that was sealed of it."""

    name: str
    decks: int
    commitment: str
    nonce: str
    cards: str
    count: int
    first: tuple[tuple[str, str], ...]
    """The code and the name of the first cards."""
    command: str
    """What checks it on a command line."""


def opened(shoe: ShoeTold, nonce: str, cards: str, t: Translator) -> OpenedShoe:
    """A shoe that is over."""
    codes = cards.split()
    return OpenedShoe(
        name=shoe.shoe,
        decks=shoe.decks,
        commitment=shoe.commitment,
        nonce=nonce,
        cards=cards,
        count=len(codes),
        first=tuple((code, say_card(code, t)) for code in codes[:CARDS_SHOWN]),
        command=f"printf '%s\\n%s' {nonce} '{cards}' | sha256sum",
    )


class FairnessPage(PageContext, frozen=True, kw_only=True):
    """The seals of a table."""

    template = "fairness.html"
    table: str
    game: str
    real: bool
    seeded: bool
    sealed: list[ShoeSeal]
    opened: list[OpenedShoe]
    example: Markup = Markup("printf '%s\\n%s' <var>nonce</var> '<var>cards</var>' | sha256sum")


async def fairness(call: HttpRequest) -> Raw:
    """The page."""
    name, spoken = call.path["table"], call.language
    t = TRANSLATORS[spoken]
    live = await call.service.floor.find_table(name)
    told = await last_shoes(live.database, name)
    present = live.state.shoe.id if live.state.shoe else ""
    context = FairnessPage(
        layout=layout_of(call, "fairness", table_path(name, "fairness")),
        table=name,
        game=t(f"book.{live.rules.id}"),
        real=live.setup.shoes is ShoeKind.MANUAL,
        seeded=live.setup.shoes is ShoeKind.SEEDED,
        sealed=[
            ShoeSeal(shoe.shoe, shoe.decks, shoe.commitment, in_play=shoe.shoe == present)
            for shoe in told
            if shoe.nonce is None
        ],
        opened=[opened(shoe, shoe.nonce, shoe.cards, t) for shoe in told if shoe.nonce and shoe.cards],
    )
    return await page(context, spoken)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/tables/{table}/fairness",
        fairness,
        "The seals of a table",
        query=PlainAsked,
        access=Access.ANYBODY,
        cost=DEAR,
    ),
)
