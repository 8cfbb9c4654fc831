"""What a round to step through shows to staff, to each of its players, and to the public, over every golden evening."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec import to_builtins

from punto.floor.journal.entry import EntryContext
from punto.floor.reports.rounds.round_reader import SteppedRound
from punto.floor.reports.rounds.round_steps import RoundSteps
from punto.floor.reports.rounds.step_reasons import offer_reason
from punto.rules.coup.table_of_play import Side
from punto.table.records.identity import Place
from punto.table.records.ledger import BROUGHT, chips, player_of
from punto.table.records.state import stakes
from punto.table.revision import REVISION
from punto.web.messages import RoundReplay, RoundStepView
from punto.web.views.round_view import round_replay
from punto.web.views.viewer import Viewer
from punto.web.views.visibility import STAFF_FIELDS, Sight
from punto.web.words.event_words import Writer
from punto.web.words.translator import TRANSLATORS
from tests.floor.round_steps import each_round, golden_entries
from tests.golden.recordings import ALL, NEWEST
from tests.marks import rest_at_night

STAFF = Viewer(Sight.STAFF)
IN_TEST = NEWEST[::12]
PUBLIC = Viewer(Sight.PUBLIC, "")


def view(steps: RoundSteps, viewer: Viewer, language: Any = "en", incidents: tuple[int, ...] = ()) -> RoundReplay:
    return round_replay(
        SteppedRound(steps, incidents, None, None), "t1", viewer, Writer(TRANSLATORS[language], {}, steps.box_labels)
    )


def plain(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def texts(value: Any) -> Iterator[str]:
    """All strings of a message, also keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def amounts(value: Any) -> Iterator[int]:
    """All amounts of a message except the limits on the table's sign."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "settings":
                continue
            if key.endswith("_minor") and isinstance(inner, int):
                yield abs(inner)
            yield from amounts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from amounts(inner)


def people(steps: RoundSteps) -> set[str]:
    """Everybody at the table in a round, by every name they have there."""
    found = set(steps.players)
    for step in steps.steps:
        for table in (step.before, step.after):
            found |= {*table.people, *table.seats.values(), *table.behind}
            found |= {who for who, _ in stakes(table.round)} if table.round else set()
    return found


def own_amounts(steps: RoundSteps, name: str) -> set[int]:
    """Every amount that is somebody's own: what they have, what moved, their stakes and results, and sums of these."""
    found, brought_minor = {0}, 0
    for step in steps.steps:
        found.update(abs(minor) for account, minor in step.before.balances.items() if player_of(account) == name)
        found.update(abs(minor) for account, minor in step.after.balances.items() if player_of(account) == name)
        found.update(abs(each.change_minor) for each in step.postings if player_of(each.account) == name)
        found.update(abs(each.after_minor) for each in step.postings if player_of(each.account) == name)
        found.update(stake.stake_minor for stake in step.felt.stakes if stake.who == name)
        found |= _amounts_about(to_builtins(step.event), name)
        found |= _amounts_about(plain(step.decided), name)
        offer = offer_reason(step)
        found.update(bet.most_minor for bet in (offer.to or () if offer else ()) if bet.who == name)
        if getattr(step.event, "who", None) == name:
            brought_minor -= sum(each.change_minor for each in step.postings if each.account == BROUGHT)
    return found | {abs(brought_minor)}


def _amounts_about(value: Any, name: str) -> set[int]:
    """The amounts of the records that name somebody."""
    if isinstance(value, dict):
        inner = set().union(*(_amounts_about(each, name) for each in value.values()))
        if value.get("who") == name:
            inner |= {abs(each) for key, each in value.items() if key.endswith("_minor") and isinstance(each, int)}
        return inner
    return set().union(*(_amounts_about(each, name) for each in value)) if isinstance(value, list | tuple) else set()


def names_in(value: Any, names: set[str]) -> set[str]:
    """Which names a message has in any text. Sentences name boxes, so a place counts only as a text of its own."""
    told = set(texts(value))
    words = set(re.findall(r"\w+", " ".join(told)))
    return {name for name in names if {name, chips(name)} & told or (Place.find(name) is None and name in words)}


def check_public_part(whole: RoundStepView, cut: RoundStepView) -> None:
    """Cards, clauses and phase are for everybody; who acted and why is not."""
    assert (cut.card, cut.phase, cut.felt.hands, cut.felt.beside) == (
        whole.card,
        whole.phase,
        whole.felt.hands,
        whole.felt.beside,
    )
    assert cut.clauses == whole.clauses
    assert cut.lines
    assert (cut.by, cut.terminal, cut.proposed_by, cut.approved_by, cut.command, cut.reason) == (*[None] * 5, "")


def check_whole(steps: RoundSteps, whole: RoundReplay) -> None:
    """Staff see every entry as it is recorded, and all cards in a hand or beside."""
    assert [shown.version for shown in whole.steps] == [step.entry.version for step in steps.steps]
    for step, shown in zip(steps.steps, whole.steps, strict=True):
        assert shown.event == msgspec.json.decode(step.entry.event)
        lying = [*(card for hand in shown.felt.hands for card in hand.cards), *shown.felt.beside]
        assert Counter(lying) == Counter((*step.felt.cards, *step.felt.drawn_early))
        assert [hand.side for hand in shown.felt.hands] == list(Side)


@pytest.mark.parametrize("evening", rest_at_night(ALL, IN_TEST))
def test_each_viewer_sees_what_is_theirs(evening: str) -> None:
    for steps in each_round(golden_entries(evening)):
        whole, public = view(steps, STAFF), view(steps, PUBLIC)
        check_whole(steps, whole)
        by_version, everybody = {shown.version: shown for shown in whole.steps}, people(steps)
        for name in everybody:
            own = view(steps, Viewer(Sight.PLAYER, name))
            told = plain(own)
            assert names_in(told, everybody - {name}) <= _said_of_oneself(own, name), (name, whole.round)
            assert set(amounts(told)) <= own_amounts(steps, name), (name, whole.round)
            assert not STAFF_FIELDS & {key for shown in own.steps for key in _keys(shown.event)}
            assert [each for each in whole.funds if each.who == name] == list(own.funds)
            assert {shown.version for shown in public.steps} <= {shown.version for shown in own.steps}
            for shown in own.steps:
                check_public_part(by_version[shown.version], shown)
        assert names_in(plain(public), everybody) == set()
        assert set(amounts(plain(public))) <= {0}
        assert (public.funds, public.outcome, public.ended_us) == ((), whole.outcome, whole.ended_us)
        for shown in public.steps:
            check_public_part(by_version[shown.version], shown)
            assert (shown.results, shown.adjustments, shown.postings, shown.felt.stakes) == ((), (), (), ())


def _said_of_oneself(own: RoundReplay, viewer: str) -> set[str]:
    """Other names of somebody: who they were before they were identified, or are from then on."""
    return {
        name
        for step in own.steps
        for line in step.lines
        if step.event["event"] == "player_identified.1"
        for name in re.split(r" is | from now on\.", line)
        if name != viewer
    }


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


@pytest.mark.parametrize("evening", NEWEST[3::10])
def test_who_came_under_a_name_later_sees_nothing_of_who_had_it_before(evening: str) -> None:
    compared = 0
    for steps in each_round(golden_entries(evening)):
        public = view(steps, PUBLIC)
        for name in {stake.who for step in steps.steps for stake in step.felt.stakes}:
            own = view(steps, Viewer(Sight.PLAYER, name))
            staked_us = min(
                step.entry.at_us for step in steps.steps if any(stake.who == name for stake in step.felt.stakes)
            )
            assert view(steps, Viewer(Sight.PLAYER, name, staked_us + 1)) == public
            later = view(steps, Viewer(Sight.PLAYER, name, staked_us))
            assert [shown for shown in later.steps if shown.at_us >= staked_us] == [
                shown for shown in own.steps if shown.at_us >= staked_us
            ]
            assert {shown.version for shown in later.steps if shown.at_us < staked_us} == {
                shown.version for shown in public.steps if shown.at_us < staked_us
            }
            assert [each.after_minor for each in later.funds] == [each.after_minor for each in own.funds]
            compared += 1
    assert compared > 2


def test_chips_before_the_round_are_those_from_when_somebody_came_under_their_name() -> None:
    (steps, *_) = each_round(golden_entries(ALL[0]))
    last = steps.steps[-1]
    for name in steps.players:
        (funds,) = view(steps, Viewer(Sight.PLAYER, name, last.entry.at_us)).funds
        assert steps.before.chips_minor(name) != funds.before_minor == last.before.chips_minor(name)
    assert steps.players


def test_chips_carried_into_an_opening_are_not_shown_to_who_has_the_name_since() -> None:
    again = next(each for each in each_round(golden_entries(ALL[0])) if each.record.stream == "t1/2")
    opening = again.steps[0].entry
    carried = [who for each in again.steps[0].postings if (who := player_of(each.account)) is not None]
    for name in carried:
        own, later = (view(again, Viewer(Sight.PLAYER, name, since)) for since in (opening.at_us, opening.at_us + 1))
        assert [each.account for each in own.steps[0].postings] == [chips(name)]
        assert later.steps[0].postings == ()
    assert carried


def test_how_a_command_came_to_the_table_is_for_the_staff() -> None:
    context = EntryContext(REVISION, "terminal-1", "pru", "sue", 5, alone=True, incident=7)
    (steps, *_) = each_round(golden_entries(ALL[0], (context,)))
    whole = view(steps, STAFF, incidents=(7,))
    assert whole.incidents == (7,)
    for shown in whole.steps:
        assert (shown.terminal, shown.proposed_by, shown.approved_by) == ("terminal-1", "pru", "sue")
        assert (shown.happened_at_us, shown.alone, shown.incident) == (5, True, 7)
    for viewer in (PUBLIC, *(Viewer(Sight.OWN, name) for name in people(steps))):
        cut = view(steps, viewer, incidents=(7,))
        assert cut.incidents == ()
        for shown in cut.steps:
            assert (shown.by, shown.terminal, shown.proposed_by, shown.approved_by) == (None, None, None, None)
            assert (shown.happened_at_us, shown.alone, shown.incident) == (None, False, 0)
