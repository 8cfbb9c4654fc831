"""The fairness page: what was sealed before the first card, what was opened after the last, and how to check it."""

from markupsafe import Markup
from msgspec import Struct

from punto.floor.shoes.shoe_kind import ShoeKind
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest, Raw
from punto.web.messages import SealedShoeView
from punto.web.pages.base.i18n import TRANSLATORS, Translator
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, table_path
from punto.web.pages.base.templates import page
from punto.web.pages.parts.words import card_name
from punto.web.views.sealed_shoes import last_shoes

CARDS_SHOWN = 12


class ShoeSeal(Struct, frozen=True):
    """A shoe that has not been opened."""

    name: str
    decks: int
    commitment: str
    in_play: bool
    """On the table now. False if it was put aside or is not in use yet."""


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
    example: Markup = Markup("printf '%s\\n%s' <var>nonce</var> '<var>cards</var>' | sha256sum")


async def fairness(call: HttpRequest) -> Raw:
    name, language = call.path["table"], call.language
    t = TRANSLATORS[language]
    live = await call.service.floor.find_table(name)
    shoes = await last_shoes(live.database, name)
    current = live.state.shoe.id if live.state.shoe else ""
    context = FairnessPage(
        layout=layout_of(call, "fairness", table_path(name, "fairness")),
        table=name,
        table_title=live.title,
        game=t(f"book.{live.rules.id}"),
        real=live.setup.shoes is ShoeKind.MANUAL,
        seeded=live.setup.shoes is ShoeKind.SEEDED,
        sealed=[
            ShoeSeal(shoe.shoe, shoe.decks, shoe.commitment, in_play=shoe.shoe == current)
            for shoe in shoes
            if shoe.nonce is None
        ],
        opened=[opened(shoe, shoe.nonce, shoe.cards, t) for shoe in shoes if shoe.nonce and shoe.cards],
    )
    return await page(context, language)


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
