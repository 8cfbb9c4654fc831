"""What players and staff see of a round is what the ledger moved: live, on pages and in the history."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from msgspec import UNSET

from punto.floor.database.base import Database
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.round_record import WentBack
from punto.floor.journal.streams import Head
from punto.floor.running.live_table import LiveTable
from punto.floor.running.table_setup import TableSetup
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.topics import Topic
from punto.table import evolve
from punto.table.records.events import MoneyEvent, TableOpened
from punto.table.records.findings import RoundVoided
from punto.table.records.positions import Position
from punto.table.records.state import Table
from punto.web.api import history
from punto.web.messages import Adjusted, RoundSummary, RoundView, Settled, TableView
from punto.web.pages.base.i18n import TRANSLATORS, person_name
from punto.web.pages.history import show_round
from punto.web.pages.parts.announcement import call_of
from punto.web.pages.parts.results import show_results
from punto.web.pages.table.boxes import areas_of
from punto.web.pages.table.own_result import OwnResult, own_result
from punto.web.views.cursors import END
from punto.web.views.shoe_results import ShoeResults
from punto.web.views.table_view import me_at, table_view
from punto.web.views.viewer import Viewer
from punto.web.views.visibility import Sight
from tests.floor.goldens import TABLE
from tests.floor.journals import EVERY_JOURNAL, JOURNALS, all_entries
from tests.floor.ledger import Amounts, Ledger, LedgerRound, ledger_of
from tests.floor.nights import SID, opened
from tests.floor.playing import SUPERVISOR
from tests.web.page_tree import read_page
from tests.web.pages.test_pages_truth import Played
from tests.web.serving import server

pytestmark = pytest.mark.sweep

EN, ZH = TRANSLATORS["en"], TRANSLATORS["zh"]


@pytest.fixture(scope="module", params=EVERY_JOURNAL)
def floor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A floor after a session."""
    url = str(tmp_path_factory.mktemp("agree") / "floor.db")
    JOURNALS[request.param](url)
    with opened(url) as database:
        yield database


@pytest.fixture(scope="module")
def entries(floor: Database) -> list[Entry]:
    return all_entries(floor)


@pytest.fixture(scope="module")
def live(floor: Database, entries: list[Entry]) -> LiveTable:
    """The table of that session."""
    first = read_event(entries[0].event)
    assert isinstance(first, TableOpened)
    return LiveTable(TableSetup(TABLE, first.book, ShoeKind.MANUAL), floor)


def amounts(results: Iterable[Settled]) -> Amounts:
    """Totals of results, as the ledger counts them."""
    found: Amounts = {}
    for result in results:
        key = (result.who, result.box, result.bet)
        staked, returned = found.get(key, (0, 0))
        found[key] = (staked + result.stake_minor, returned + result.returned_minor)
    return found


def total(adjustments: Iterable[Adjusted]) -> dict[str, int]:
    """Amounts moved by rulings, by player."""
    moved = Counter[str]()
    for each in adjustments:
        moved[each.who] += each.amount_minor
    return {who: amount for who, amount in moved.items() if amount}


# ---- live


def test_at_every_moment_the_live_table_tells_what_the_ledger_moved(live: LiveTable, entries: list[Entry]) -> None:
    """Also during a round: stakes that went back are shown immediately."""
    ledger, marks, looked = Ledger(), ShoeResults(), 0
    for entry in entries:
        event = read_event(entry.event)
        if entry.version == 1:
            ledger, marks, live.state = Ledger(), ShoeResults(), Table()
            live.openings = int(entry.stream.rpartition("/")[2])
        live.state, live.head = evolve(live.state, event), Head(entry.stream, 0, entry.version)
        marks.feed([entry])
        ledger.record(entry.stream, event)
        if not isinstance(event, MoneyEvent) or live.state.round is None:
            continue
        looked += 1
        for sight in (Sight.STAFF, Sight.PLAYER):
            view = table_view(live, marks, sight, None).round
            assert view is not None
            assert amounts(view.results) == ledger.rounds[-1].bets
            moved = total(view.adjustments or ())
            assert moved == (ledger.rounds[-1].adjusted if sight is Sight.STAFF else {})
            _see_void(live, marks, view, sight)
            _see_differential(live, view)
        _see_page(live, marks, ledger.rounds[-1])
    assert looked > 10


def _see_differential(live: LiveTable, view: RoundView) -> None:
    banker = sum(bet.stake_minor for bet in view.bets if bet.bet == "banker")
    player = sum(bet.stake_minor for bet in view.bets if bet.bet == "player")
    shown = live.rules.topics[Topic.DIFFERENTIAL] and view.bets and view.winner is None and view.void is None
    assert view.differential_minor == (banker - player if shown else None)


def _see_void(live: LiveTable, marks: ShoeResults, view: RoundView, sight: Sight) -> None:
    """Everybody sees reason and clauses; staff also see the note."""
    record = marks.record
    assert record is not None
    assert live.state.round is not None
    assert view.void == live.state.round.irregularities.void
    if view.voided is None:
        assert view.void is None
        return
    assert record.void is not None
    assert (view.voided.ground, view.voided.clauses) == (view.void, record.clauses)
    assert view.voided.reason == (record.void.reason if sight is Sight.STAFF else UNSET)


def _see_page(live: LiveTable, marks: ShoeResults, expected: LedgerRound) -> None:
    """The panel with the player's own bets, and the announcement."""
    view = table_view(live, marks, Sight.PLAYER, None)
    assert view.round is not None
    gains = Counter[str]()
    for who in {result.who for result in view.round.results} | expected.adjusted.keys():
        mine = [result for result in view.round.results if result.who == who]
        told = _result_of(live, marks, view, who)
        shown = told.outcomes
        gains[who] += sum(each.gain_minor for each in shown) + sum(each.amount_minor for each in told.adjustments)
        assert told.gain_minor == gains[who]
        assert not any(each.reason for each in told.adjustments)
        assert sorted(each.stake_minor for each in shown) == sorted(result.stake_minor for result in mine)
        back = [result for result in mine if result.went_back]
        assert all(each.why for each in show_results(live.rules, None, back, EN))
    assert gains == expected.gains
    _see_felt(live, view, expected)
    if view.round.voided is not None:
        said = call_of(live, view, EN)
        assert said.ground
        assert said.ground != call_of(live, view, ZH).ground
        assert (said.clauses, said.note) == (view.round.voided.clauses, "")


def _result_of(live: LiveTable, marks: ShoeResults, view: TableView, who: str) -> OwnResult:
    """What the page tells a player."""
    by = Actor(who, Position.PLAYER)
    result = own_result(live, view, by, me_at(live.state, marks.record, by, plays=True), None, EN)
    assert result is not None
    assert result.fresh
    return result


def _see_felt(live: LiveTable, view: TableView, expected: LedgerRound) -> None:
    """Every area shows the result of its bet: none yet, or as the table settled it."""
    now, settings = live.state.round, live.state.settings
    assert now is not None
    assert settings is not None
    over = expected.over
    settled = {(each.who, each.box, each.bet): each.result.value for each in now.results if each.stage is None}
    keys = {key for key in (*expected.bets, *now.bets) if not key[2].endswith("_insurance")}
    for who, box in {key[:2] for key in keys}:
        areas = areas_of(live, view, settings, box, who, EN)
        shown = {area.bet: area.result for area in (*areas.mains, *areas.player, *areas.centre, *areas.banker)}
        for bet in {key[2] for key in keys if key[:2] == (who, box)}:
            key = (who, box, bet)
            if not over and key in now.bets:
                assert shown[bet] == "", key
            elif over and key in settled and (settled[key] == "win" or len(set(expected.bets[key])) > 1):
                assert shown[bet] == settled[key], key  # a bet of a cent may win nothing
            else:  # it went back: by the book, by a ruling, or with the whole round
                assert shown[bet] == "push", key


# ---- history


def rounds(live: LiveTable, openings: Iterable[int], whose: Viewer, most: int = 10_000) -> list[RoundSummary]:
    """The rounds of all openings as a viewer may see them, newest first."""

    async def work() -> list[RoundSummary]:
        return [
            each
            for opening in sorted(openings, reverse=True)
            for each in await history._rounds_back(live, opening, END, most, whose)
        ]

    return asyncio.run(work())


def openings_in(entries: list[Entry]) -> set[int]:
    """The numbers of the openings."""
    return {int(entry.stream.rpartition("/")[2]) for entry in entries}


def test_the_history_is_the_ledger(live: LiveTable, entries: list[Entry]) -> None:
    ledger = [each for each in ledger_of(entries) if each.over][::-1]
    told = rounds(live, openings_in(entries), Viewer(Sight.STAFF))
    assert [each.round for each in told] == [each.number for each in ledger]
    for summary, expected in zip(told, ledger, strict=True):
        assert amounts(summary.results) == expected.bets
        assert total(summary.adjustments) == expected.adjusted
        assert (summary.winner is None) is (summary.voided is not None or summary.round == 0)


def test_a_player_is_told_of_their_own_amounts_and_of_no_reason(live: LiveTable, entries: list[Entry]) -> None:
    ledger = [each for each in ledger_of(entries) if each.over][::-1]
    people = Counter(who for each in ledger for who in each.gains)
    for who, _ in people.most_common(4):
        told = rounds(live, openings_in(entries), Viewer(Sight.PLAYER, who))
        theirs = [each for each in ledger if each.number or who in each.adjusted]
        for summary, expected in zip(told, theirs, strict=True):
            mine = {key: bet for key, bet in expected.bets.items() if key[0] == who}
            assert amounts(summary.results) == mine
            assert sum(each.amount_minor for each in summary.adjustments) == expected.adjusted.get(who, 0)
            assert {each.who for each in summary.adjustments} <= {who}
            assert all(each.reason is UNSET for each in summary.adjustments)
            assert all(each.reason is UNSET for each in summary.results)
            assert summary.voided is None or summary.voided.reason is UNSET


def test_the_last_rounds_are_the_same_however_few_are_asked_for(live: LiveTable, entries: list[Entry]) -> None:
    last = max(openings_in(entries))
    whole = rounds(live, [last], Viewer(Sight.STAFF))
    for most in (1, 2, 20):
        assert rounds(live, [last], Viewer(Sight.STAFF), most) == whole[:most]


def test_the_history_page_is_the_ledger(live: LiveTable, entries: list[Entry]) -> None:
    ledger = [each for each in ledger_of(entries) if each.over][::-1]
    told = rounds(live, openings_in(entries), Viewer(Sight.STAFF))
    voids = [event for entry in entries if isinstance(event := read_event(entry.event), RoundVoided)][::-1]
    for summary, expected in zip(told, ledger, strict=True):
        page = show_round(live.rules, summary, EN, {}, GamingDay())
        gains = {person_name(who, EN, {}, with_id=True): gain for who, gain in expected.gains.items()}
        assert {each.name: each.gain_minor for each in page.bettors} == gains
        staked = sum(bet.stake_minor for each in page.bettors for bet in each.outcomes)
        gained = sum(bet.gain_minor for each in page.bettors for bet in each.outcomes)
        assert staked == sum(staked for staked, _ in expected.bets.values())
        assert gained == sum(returned - staked for staked, returned in expected.bets.values())
        if page.void is not None:
            event = voids.pop(0)
            assert (page.void.reason, page.void.clauses) == (event.reason, event.clauses)
            assert page.void.ground
        void, before_first = page.headline.endswith(": void"), page.headline == EN("history.before_first")
        assert (void, before_first) == (page.void is not None, summary.round == 0)
    assert voids == []


def test_a_bet_made_good_after_the_settlement_came_back_and_was_not_lost(tmp_path: Path) -> None:
    """By 5.13.2 ann's bet of the sixth round goes back after it was settled as lost."""
    JOURNALS["troubled"](str(tmp_path / "floor.db"))
    with opened(str(tmp_path / "floor.db")) as database:
        table = LiveTable(TableSetup(TABLE, "commission-insurance", ShoeKind.MANUAL), database)
        (sixth,) = [each for each in rounds(table, [1], Viewer(Sight.PLAYER, "ann")) if each.round == 6]
    (bet,) = [each for each in sixth.results if each.bet == "banker"]
    assert (bet.stake_minor, bet.returned_minor, bet.went_back) == (100_01, 100_01, WentBack.UNINSURED)
    (shown,) = [
        each
        for bettor in show_round(table.rules, sixth, EN, UNSET, GamingDay()).bettors
        for each in bettor.outcomes
        if each.stake_minor == 100_01
    ]
    assert (shown.result, shown.gain_minor) == ("push", 0)
    assert shown.why.startswith("Insurance was due but was not offered, and it would have won")


# ---- as a browser gets it


def test_a_player_reads_why_a_round_is_void_and_what_a_ruling_moved(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as running:
        table = Played(running)
        table.bets(banker=100_00, tie=5_00)
        running.run(table.at.do(SUPERVISOR, "report_foreign_card", reason="a joker in the shoe"))
        amounts_ruled = {"vera": 7_01}
        running.run(table.at.do(SID, "rule", reason="goodwill", effect="adjust", amounts=amounts_ruled))
        for client, noted in ((table.vera, False), (table.dealer, True)):
            page = table.page("/history", client)
            (panel,) = page.all("section", "panel")
            assert panel.one("h2").words.startswith("Round 1: void")
            void = panel.one("p", "void")
            assert void.words.startswith("A card was found that does not belong to the shoe.")
            assert [link.words for link in void.all("a", "clause")]
            assert ("a joker in the shoe" in page.words, "goodwill" in page.words) == (noted, noted)
            told = [
                (
                    details.one("span", "bet").words.split()[0],
                    details.one("span", "verdict").words,
                    details.one("span", "amount").words,
                )
                for details in panel.all("details")
            ]
            assert sorted(told) == [("Banker", "returned", "0"), ("Ruling", "paid", "+7.01"), ("Tie", "returned", "0")]
            assert panel.one("h3").words.endswith(" +7.01")
            live_page = table.page("", client)
            assert "A card was found that does not belong to the shoe." in live_page.words
            assert ("a joker in the shoe" in live_page.words) is noted
        side = table.page("").id("side")
        assert [each.words for each in side.all("span", "amount")] == ["0", "0", "+7.01"]
        assert side.one("p", "total").words == "Total +7.01"
        assert "goodwill" not in side.words


def test_what_a_ruling_moved_is_told_to_the_staff_and_to_whom_it_concerns(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as running:
        table = Played(running)
        table.bets(banker=100_00)
        running.run(table.at.do(SID, "rule", reason="goodwill", effect="adjust", amounts={"vera": 7_01}))
        victor = running.client(running.visitor("victor"))
        for client in (running.client(), running.by(Position.ADMINISTRATOR), victor, table.vera):
            seen = client.get("/api/tables/t1").json()
            assert "adjustments" not in seen["state"]["round"]
            own = [each["amount_minor"] for each in (seen["me"] or {}).get("adjustments", [])]
            assert own == ([7_01] if client is table.vera else [])
            assert "goodwill" not in str(seen)
        for client in (table.dealer, running.by(Position.AUDITOR)):
            (moved,) = client.get("/api/tables/t1").json()["state"]["round"]["adjustments"]
            assert (moved["who"], moved["amount_minor"], moved["reason"]) == ("vera", 7_01, "goodwill")


def test_the_board_and_the_lobby_say_why_a_round_is_void(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as running:
        table = Played(running)
        table.bets(banker=100_00)
        running.run(table.at.do(SUPERVISOR, "report_foreign_card", reason="a joker in the shoe"))
        grounds = {"en": "A card was found that does not belong to the shoe.", "zh": "发现不属于本靴的牌。"}
        for path in ("/tables/t1/board", "/"):
            for language, ground in grounds.items():
                page = read_page(running.client(), path, language)
                void = page.one("p", "void")
                assert void.words.startswith(ground)
                clauses = [link.words for link in void.all("a", "clause")]
                assert clauses == table.state()["round"]["voided"]["clauses"] != []
                assert "joker" not in page.words


def test_a_void_round_without_bets_is_in_the_history_of_the_staff_alone(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as running:
        table = Played(running)
        table.bets()
        running.run(table.at.do(SUPERVISOR, "report_foreign_card", reason="a joker in the shoe"))
        for client in (table.dealer, running.by(Position.AUDITOR)):
            (panel,) = table.page("/history", client).all("section", "panel")
            assert panel.one("h2").words.startswith("Round 1: void")
            assert "a joker in the shoe" in panel.one("p", "void").words
        assert list(table.page("/history").all("section", "panel")) == []


def test_a_bet_that_is_placed_again_after_a_ruling_has_the_result_of_the_new_one(tmp_path: Path) -> None:
    """A ruling returns 100.00 during betting, then 200.00 are bet on the same area."""

    def area(bet: str) -> set[str]:
        (found,) = [each for each in table.page().all("button", "area") if each.attributes["data-bet"] == bet]
        return set(found.attributes["class"].split()) & {"won", "lost", "push", "staked"}

    with server(str(tmp_path / "floor.db")) as running:
        table = Played(running)
        table.do("open_betting")
        for bet in ("banker", "tie"):
            running.run(table.at.bet("vera", 100_00, box=3, bet=bet))
        ruled = [{"who": "vera", "box": 3, "bet": bet} for bet in ("banker", "tie")]
        running.run(table.at.do(SID, "rule", reason="a misunderstanding", effect="return", bets=ruled))
        assert (area("banker"), area("tie")) == ({"push"}, {"push"})
        running.run(table.at.bet("vera", 200_00, box=3, bet="banker"))
        assert (area("banker"), area("tie")) == ({"staked"}, {"push"})
        table.do("close_betting")
        table.deal("2s", "9d", "Kh", "Kc")
        assert area("banker") == {"staked"}
        table.do("settle")
        assert (area("banker"), area("tie")) == ({"staked", "won"}, {"push"})
