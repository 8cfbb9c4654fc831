"""Serves the page of a round: every entry as a step, with the felt after it."""

from datetime import datetime

from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.turns import in_thread
from punto.library import book
from punto.web.api.audit.packs import MAY_MAKE_PACKS
from punto.web.api.rounds import permanent_name, read_replay
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest, Raw, Redirect
from punto.web.messages import RoundFunds, RoundReplay
from punto.web.pages.base.i18n import Translator
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of, table_path
from punto.web.pages.base.templates import large_page
from punto.web.pages.rounds.shown_steps import ShownRoundStep, show_steps
from punto.web.views.visibility import Sight


class RoundStepsPage(PageContext, frozen=True, kw_only=True):
    template = "round.html"
    headline: str
    name: str
    """Its permanent name at the table, such as ``2-17``."""
    table: str
    table_title: str
    table_path: str
    book: str
    game: str
    seeded: bool
    shoe: str
    at: datetime
    ended: datetime | None
    in_play: bool
    currency: str
    whole: bool
    """Whether the viewer sees everybody's bets."""
    own: bool
    """Whether they see their own."""
    steps: list[ShownRoundStep]
    says_bare: bool
    """Whether the felt says that no bets lie there."""
    funds: tuple[RoundFunds, ...]
    incidents: tuple[int, ...]
    earlier: str
    later: str
    may_export: bool


async def one(call: HttpRequest) -> Raw | Redirect:
    table, name = call.path["table"], await permanent_name(call)
    path = table_path(table, f"rounds/{name}")
    if name != call.path["round"]:
        return Redirect(path)
    (replay, t), sight = await read_replay(call), await call.sight()
    terminals = await call.service.terminals.titles({step.terminal for step in replay.steps if step.terminal})
    live, day = await call.service.floor.find_table(table), await call.service.floor_view.gaming_day()
    context = RoundStepsPage(
        layout=layout_of(call, "round", path, day.zone),
        headline=headline(replay, t),
        name=replay.round,
        table=table,
        table_title=replay.table_title,
        table_path=table_path(table),
        book=replay.book,
        game=t(f"book.{replay.book}"),
        seeded=live.setup.shoes is ShoeKind.SEEDED,
        shoe=replay.shoe or "",
        at=day.local(replay.at_us),
        ended=day.local(replay.ended_us) if replay.ended_us else None,
        in_play=replay.in_play,
        currency=replay.currency,
        whole=sight.whole,
        own=sight in (Sight.OWN, Sight.PLAYER),
        steps=await in_thread(show_steps, book(replay.book), replay, day, t, terminals),
        says_bare=sight.whole and any(step.felt.stakes for step in replay.steps),
        funds=replay.funds,
        incidents=replay.incidents,
        earlier=replay.earlier or "",
        later=replay.later or "",
        may_export=call.actor is not None and call.actor.position in MAY_MAKE_PACKS,
    )
    return await large_page(context, call.language)


def headline(replay: RoundReplay, t: Translator) -> str:
    number = replay.number
    if not number:
        return t("history.before_first")
    match replay.outcome:
        case "":
            return t("round_page.in_play", number=number)
        case "void":
            return t("history.void_round", number=number)
        case "cancelled":
            return t("round_page.cancelled", number=number)
        case winner if hands := replay.steps[-1].felt.hands:
            losing, winning = sorted(hand.points or 0 for hand in hands)
            return t("history.round", number=number, outcome=winner, winning=winning, losing=losing)
        case winner:
            return t("round_page.outcome", number=number, outcome=winner)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/tables/{table}/rounds/{round}",
        one,
        "A round to step through",
        query=PageQuery,
        access=Access.ANYBODY,
        cost=EXPENSIVE,
    ),
)
