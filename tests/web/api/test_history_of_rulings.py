"""Rulings in the history: before the first round, and why bets went back. Also a damaged journal."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from punto.floor.database.base import Transaction
from punto.table.records.positions import Position
from tests.floor.nights import MAX, SID
from tests.floor.playing import SUPERVISOR
from tests.web.pages.test_pages_truth import INSURED, Played
from tests.web.serving import server
from tests.web.wire import problem

ROUNDS = "/api/tables/t1/rounds"


@pytest.fixture
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """A table at which vera plays, before its first round."""
    with server(str(tmp_path_factory.mktemp("ruled") / "floor.db")) as running:
        yield Played(running)


def _rounds(client: httpx2.Client, **query: str | int) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = client.get(ROUNDS, params=query).json()["rounds"]
    return told


# ---- before the first round


def _reopen_and_rule(table: Played) -> None:
    """Play a round, reopen with the chips carried over, and make a ruling before the first round."""
    run = table.server.run
    table.bets(banker=100_00)
    run(table.at.do(SUPERVISOR, "report_foreign_card", reason="a joker in the shoe"))
    run(table.at.do(SUPERVISOR, "close_table"))
    run(table.at.open("commission-insurance", differential_minor=4_000_00))
    run(table.at.do(SID, "rule", reason="as the film shows", effect="adjust", amounts={"vera": 3_33}))


def test_what_was_ruled_before_the_first_round_is_round_0(table: Played) -> None:
    _reopen_and_rule(table)
    for client, reason in ((table.vera, None), (table.dealer, "as the film shows")):
        ruled, void = _rounds(client)
        assert [(each["who"], each["amount_minor"], each.get("reason")) for each in ruled["adjustments"]] == [
            ("vera", 3_33, reason)
        ]
        assert ruled["at_us"] == ruled["adjustments"][0]["at_us"]
        assert (ruled["round"], ruled["cursor"]) == (0, "2/1")
        assert (ruled["winner"], ruled["voided"], ruled["cards"], ruled["results"]) == (None, None, [], [])
        assert (void["round"], void["cursor"].partition("/")[0]) == (1, "1")
        assert _rounds(client, most=1) == [ruled]
        assert _rounds(client, before=ruled["cursor"]) == [void]
    others = table.server.client(table.server.visitor("victor"))
    assert [each["round"] for each in _rounds(others)] == [1]


def test_the_history_page_shows_what_was_ruled_before_the_first_round(table: Played) -> None:
    _reopen_and_rule(table)
    for client, noted in ((table.vera, False), (table.dealer, True)):
        ruled, _ = table.page("/history", client).all("section", "panel")
        heading = ruled.one("h2").words
        assert heading.startswith("Before the first round ")
        assert "void" not in heading
        assert ruled.one("h3").words.endswith(" +3.33")
        assert ("as the film shows" in ruled.words) is noted


# ---- bets that went back


def _return_bets(table: Played) -> None:
    """The bet on Tie goes back by a ruling, the bet on Banker because its insurance was never offered."""
    run = table.server.run
    table.bets(banker=100_00, tie=5_00)
    table.deal(*INSURED[:4])
    tie = [{"who": "vera", "box": 3, "bet": "tie"}]
    run(table.at.do(SID, "rule", reason="it was not hers", effect="return", bets=tie))
    run(table.at.do(SUPERVISOR, "report_excess_card", cards=[INSURED[4]]))
    now = table.server.floor.table("t1").state.round
    for who in (
        now.irregularities.options.waiting_for if now is not None and now.irregularities.options is not None else ()
    ):
        table.do("choose_option", who=who, choice="continue")
    table.do("deal_card")
    table.deal(INSURED[5])
    missed: dict[str, Any] = {"who": "vera", "box": 3, "side": "banker", "reason": "she had asked for it"}
    run(table.at.do(MAX, "return_uninsured_bets", **missed))
    table.do("settle")


def test_why_a_bet_was_returned_goes_to_the_staff_and_auditors_alone(table: Played) -> None:
    _return_bets(table)
    noted = {"banker": ("uninsured", "she had asked for it"), "tie": ("ruling", "it was not hers")}
    for client, staff in ((table.vera, False), (table.dealer, True), (table.server.by(Position.AUDITOR), True)):
        (only,) = _rounds(client)
        live = client.get("/api/tables/t1").json()["state"]["round"]["results"]
        expected = {bet: (back, reason if staff else None) for bet, (back, reason) in noted.items()}
        for results in (only["results"], live):
            assert {each["bet"]: (each["went_back"], each.get("reason")) for each in results} == expected
        page = table.page("/history", client)
        shown = [quote.words for quote in page.all("q")]
        assert sorted(shown) == (sorted(reason for _, reason in noted.values()) if staff else [])


def test_before_a_bet_is_returned_the_pit_manager_sees_what_the_player_ends_with(table: Played) -> None:
    table.bets(banker=100_00, tie=5_00)
    table.deal(*INSURED[:4])
    table.do("deal_card", card=INSURED[4], not_offered=True)
    table.deal(INSURED[5])
    listed = table.server.by(Position.PIT_MANAGER).get("/api/tables/t1/legal").json()["legal"]
    amounts = {one["command"]["command"]: one["ends_with_minor"] for one in listed}
    assert amounts.pop("return_uninsured_bets.1") == 100_00
    assert set(amounts.values()) == {None}


# ---- a damaged journal


@pytest.mark.parametrize("path", ["/rounds", "/events"])
@pytest.mark.parametrize("event", [b"\0\xff", "[]"])
def test_a_damaged_entry_is_answered_in_the_one_shape(table: Played, path: str, event: str | bytes) -> None:
    table.bets(banker=100_00)

    def damage(transaction: Transaction) -> None:
        sql = "UPDATE entries SET event = ? WHERE version = 3 AND stream = (SELECT id FROM streams WHERE name = 't1/1')"
        transaction.change(sql, (event,))

    table.server.floor.database.writing(damage).result()
    answer = table.dealer.get(f"/api/tables/t1{path}")
    assert problem(answer, 500, "bad_database")["message"].startswith("Entry 3 of t1/1 holds an event that")
    table.deal(*INSURED[:2])  # the table itself goes on


def test_money_that_does_not_balance_is_in_no_history(table: Played) -> None:
    _reopen_and_rule(table)

    def damage(transaction: Transaction) -> None:
        changed = transaction.change("UPDATE entries SET event = replace(event, ',333]', ',334]')", ())
        assert changed

    table.server.floor.database.writing(damage).result()
    told = problem(table.dealer.get(ROUNDS), 500, "bad_database")["message"]
    assert told.startswith("The postings of entry 2 of t1/2 do not balance.")
    assert table.dealer.get("/tables/t1/history").status_code == 500
