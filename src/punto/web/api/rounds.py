"""A round of a table to step through."""

from contextlib import ExitStack
from typing import Annotated
from urllib.parse import quote

from msgspec import Meta

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import person_key
from punto.floor.journal.stream_name import StreamName
from punto.floor.people.looks import LookKind
from punto.floor.people.players import players_in
from punto.floor.reports.complaints import MAX_COMPLAINT_LENGTH, send_complaint
from punto.floor.reports.rounds.coup_chances import chances_in
from punto.floor.reports.rounds.round_reader import SteppedRound
from punto.floor.turns import in_thread
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest, Redirect
from punto.web.messages import Message, RequestBody, RoundReplay
from punto.web.views.round_names import read_round_name, write_round
from punto.web.views.round_view import NO_CHANCES, round_replay
from punto.web.views.viewer import Viewer
from punto.web.views.visibility import Sight
from punto.web.words.event_words import Writer
from punto.web.words.translator import Translator, translator


class ComplaintRequest(RequestBody, frozen=True):
    text: Annotated[str, Meta(max_length=2 * MAX_COMPLAINT_LENGTH)]
    """What happened, in the player's own words. Line breaks become spaces."""


class ComplaintReceived(Message, frozen=True):
    number: int
    """Of the entry in the house's record: quote it."""


async def one(call: HttpRequest) -> RoundReplay | Redirect:
    name = await permanent_name(call)
    if name != call.path["round"]:
        return Redirect(f"/api/tables/{quote(call.path['table'], safe='')}/rounds/{name}")
    replay, _ = await read_replay(call)
    return replay


async def permanent_name(call: HttpRequest) -> str:
    """The permanent name of the round in the address. A number alone is that of the last opening that has it."""
    table, text = call.path["table"], call.path["round"]
    live = await call.service.floor.find_table(table)
    place = read_round_name(text)
    if place is None:
        raise FloorRefused(FloorCode.UNKNOWN_ROUND, variant="at_table", table=live.setup.name, round=text[:40])
    opening, number = place
    return write_round(opening or await call.service.rounds.last_opening_with(live.setup.name, number), number)


async def read_replay(call: HttpRequest) -> tuple[RoundReplay, Translator]:
    """The round whose permanent name is in the address, as the sender may see it, and what speaks of its table."""
    live = await call.service.floor.find_table(call.path["table"])
    place = read_round_name(call.path["round"])
    assert place is not None and place[0] is not None  # noqa: PT018, S101 - a permanent name
    viewer = Viewer.of(call.actor, await call.sight())
    found = await call.service.rounds.find(StreamName(live.setup.name, place[0]), place[1], staff=viewer.sight.whole)
    if viewer.sight.whole:
        await call.service.looks.saw(call.actor, LookKind.ROUND, call.path["round"], table=live.setup.name)
    writer = await _writer(call, viewer, found)

    def make() -> RoundReplay:
        chances = chances_in(found.steps) if _may_see_chances(viewer, found) else NO_CHANCES
        return round_replay(found, live.title, viewer, writer, chances)

    return await in_thread(make), writer.t  # a round may have hundreds of entries


async def complain(call: HttpRequest) -> ComplaintReceived:
    service, by = call.service, call.by
    place = read_round_name(await permanent_name(call))
    assert place is not None and place[0] is not None  # noqa: PT018, S101 - a permanent name
    stream = StreamName(call.path["table"], place[0])
    with ExitStack() as stack:  # a visitor can use any number of names, so addresses count too
        for key in (call.address, person_key(by)):
            stack.enter_context(service.limits.complaints.take_if_done(key))
        rules = await service.floor_view.rules()
        number = await send_complaint(service.floor.house_log, by, rules, stream, place[1], call.body.text)
    return ComplaintReceived(number=number)


def _may_see_chances(viewer: Viewer, found: SteppedRound) -> bool:
    """What known cards are worth to a bettor is for the pit, while somebody may bet on it."""
    over = found.steps.record.end is not None
    return viewer.sight is Sight.PIT or (viewer.sight.whole and over)


async def _writer(call: HttpRequest, viewer: Viewer, found: SteppedRound) -> Writer:
    """Writes names for staff. Players read their own id, and nobody else's."""
    ids = players_in([step.event for step in found.steps.steps]) if viewer.sight.whole else frozenset[str]()
    names = await call.service.player_names.of(ids)
    t = translator(call.language, at_shuffler=found.steps.steps[0].after.at_shuffler)  # before round 0 nothing is open
    return Writer(t, names, found.steps.box_labels)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/tables/{table}/rounds/{round}",
        one,
        "Get a round step by step",
        RoundReplay,
        access=Access.ANYBODY,
        cost=EXPENSIVE,
    ),
    Endpoint(
        "POST",
        "/api/tables/{table}/rounds/{round}/complaints",
        complain,
        "Complain about a round",
        ComplaintReceived,
        ComplaintRequest,
        status=201,
    ),
)
