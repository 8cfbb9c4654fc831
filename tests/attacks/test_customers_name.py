"""A visitor takes a customer's name to get at their chips. The customer's chips never move."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from punto.floor.database.base import Transaction
from punto.floor.house.projections.sessions import SessionKind
from punto.floor.upkeep.backup import backup
from punto.table.records.identity import player_id
from punto.table.records.positions import Position
from tests.floor.nights import opened as database_at
from tests.floor.people.test_authority import bodies
from tests.floor.players import register
from tests.floor.playing import DEALER, At, betting_table, player
from tests.floor.restoring import restored
from tests.web.serving import Server, server
from tests.web.wire import problem

CHIPS_MINOR = 50_000_00
STAKE_MINOR = 123_45
CUSTOMER, REGISTERED = "ann", player_id(1)
REAL, PLAY = "t1", "demo"
RULES = {"visitors": True, "buy_in_minor": 1_000_00, "buy_ins": 1, "tables": [PLAY]}


@contextmanager
def house(db: str) -> Iterator[Server]:
    """A real table and a play-money table, with betting open."""
    with server(db) as served:
        served.run(betting_table(served.floor, PLAY))
        served.run(betting_table(served.floor, REAL))
        at = At(served.floor, REAL, "setup")
        for name in ("ann", "ben"):  # the table of the tests comes with players
            served.run(at.do(DEALER, "leave", who=name))
            served.run(at.do(DEALER, "cash_out", who=name, amount_minor=10_000_00))
        for name in ("ann", "ben"):
            demo = At(served.floor, PLAY, f"setup {name}")
            served.run(demo.do(DEALER, "leave", who=name))
            served.run(demo.do(DEALER, "cash_out", who=name, amount_minor=10_000_00))
        assert served.by(Position.ADMINISTRATOR).put("/api/floor-rules", json=RULES).status_code == 200
        assert served.run(register(served.floor.house_log, "Ann Tan")) == REGISTERED
        yield served


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Server]:
    with house(str(tmp_path / "floor.db")) as served:
        yield served


def sell(served: Server, stake_minor: int = 0) -> dict[str, int]:
    """Sell chips to both customers, seat them, place a bet for each, and return all balances of the table.

    ``ann`` buys in as in 0.3.0, under a plain name; the registered player over HTTP.
    """
    at, dora = At(served.floor, REAL, "sale"), served.by(Position.DEALER)
    served.run(at.do(DEALER, "buy_in", who=CUSTOMER, amount_minor=CHIPS_MINOR))
    bought = served.command(dora, REAL, "buy_in", who=REGISTERED, amount_minor=CHIPS_MINOR)
    assert bought.status_code == 200, bought.text
    for box, who in enumerate((CUSTOMER, REGISTERED), 1):
        served.run(at.do(DEALER, "sit", who=who, box=box))
        if stake_minor:
            answer = served.run(at.bet(who, stake_minor, box=box, bet="banker"))
            assert answer.refusal is None, answer.refusal
    return balances(served)


def balances(served: Server) -> dict[str, int]:
    return dict(served.floor.table(REAL).state.balances)


def enter(served: Server, name: str = CUSTOMER) -> httpx2.Response:
    return served.client().post("/api/visit", json={"name": name, "keep": "token"})


def visit(served: Server, name: str = CUSTOMER) -> httpx2.Client:
    entered = enter(served, name)
    assert entered.status_code == 200, entered.text
    return served.client(entered.json()["token"])


# ---- the visitor comes after the customer


@pytest.mark.parametrize("name", ["ann", "Ann", "ANN", " ann", "\uff41nn", "an\u034fn"])
def test_nobody_enters_under_the_name_of_somebody_with_chips(floor: Server, name: str) -> None:
    sell(floor)
    problem(enter(floor, name), 409, "name_taken")


@pytest.mark.parametrize(
    "name", [REGISTERED, "p000001", "\uff30000001", "P00000I", "box 3", "Box 3", "behind  box 3/2"]
)
def test_nobody_enters_as_an_id_or_a_place(floor: Server, name: str) -> None:
    problem(enter(floor, name), 400, "bad_name")


# ---- the visitor comes before the customer


def attacks() -> Iterator[dict[str, Any]]:
    """Every command, in the name of each customer."""
    for who in (CUSTOMER, REGISTERED):
        for _, body in bodies(who):
            yield body
        yield {"command": "cash_out.1", "who": who, "amount_minor": CHIPS_MINOR - STAKE_MINOR}
        yield {"command": "place_bet.1", "who": who, "box": 1, "bet": "player", "stake_minor": STAKE_MINOR}
        yield {"command": "withdraw_bet.1", "who": who, "box": 1, "bet": "banker", "amount_minor": STAKE_MINOR}
        yield {"command": "identify_player.1", "who": who, "player_id": REGISTERED}


def test_no_command_of_a_visitor_does_anything_at_a_real_table(floor: Server) -> None:
    ann = visit(floor)
    before = sell(floor, STAKE_MINOR)
    head = floor.floor.table(REAL).head
    for number, body in enumerate(attacks()):
        answer = ann.post(f"/api/tables/{REAL}/commands", json={"id": f"attack {number}", "command": body})
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] in {"not_authorised", "not_your_own", "visitor_elsewhere"}, answer.text
    problem(ann.post(f"/api/tables/{REAL}/play-money"), 403, "no_buy_in")
    assert ann.get(f"/api/tables/{REAL}/legal").json()["legal"] == []
    assert (balances(floor), floor.floor.table(REAL).head) == (before, head)


def test_a_visitor_sees_nothing_of_a_customer_of_the_same_name(floor: Server) -> None:
    ann = visit(floor)
    before = sell(floor, STAKE_MINOR)
    me = ann.get(f"/api/tables/{REAL}").json()["me"]
    assert (me["chips_minor"], me["boxes"], me["behind"], me["adjustments"]) == (0, [], [], [])
    page = ann.get(f"/tables/{REAL}").text
    assert 'id="balance"' not in page
    assert "data-sit" not in page
    assert f'data-minor="{before["chips:ann"]}"' not in page
    assert "mine" not in ann.get("/").text
    at = At(floor.floor, REAL, "round")
    floor.run(at.do(DEALER, "close_betting"))
    for card in ("9s", "2d", "Kh", "3c"):
        floor.run(at.do(DEALER, "deal_card", card=card))
    floor.run(at.do(DEALER, "settle"))
    (last,) = ann.get(f"/api/tables/{REAL}/rounds").json()["rounds"]
    assert last["results"] == []
    assert floor.by(Position.AUDITOR).get(f"/api/tables/{REAL}/rounds").json()["rounds"][0]["results"]


def test_nobody_is_sold_chips_under_the_name_of_a_visitor(floor: Server) -> None:
    visit(floor)
    dora = floor.by(Position.DEALER)
    for who in ("ann", "Ann", "\uff41nn"):
        problem(floor.command(dora, REAL, "buy_in", who=who, amount_minor=CHIPS_MINOR), 409, "name_taken")
    problem(floor.command(dora, PLAY, "buy_in", who="ann", amount_minor=CHIPS_MINOR), 403, "play_money_only")
    sid = floor.by(Position.SHIFT_MANAGER)
    ruling = {"reason": "an error", "effect": "adjust", "amounts": {"ann": CHIPS_MINOR}}
    problem(floor.command(sid, REAL, "rule", **ruling), 409, "unknown_person")
    assert floor.floor.table(REAL).state.people == frozenset()


def test_a_customer_who_was_sold_chips_before_gets_no_more_until_the_visitor_is_gone(floor: Server) -> None:
    ann = visit(floor)
    before = sell(floor)
    dora = floor.by(Position.DEALER)
    problem(floor.command(dora, REAL, "buy_in", who="ann", amount_minor=1_00), 409, "name_taken")
    assert balances(floor) == before
    assert ann.delete("/api/session").status_code == 204
    assert floor.command(dora, REAL, "buy_in", who="ann", amount_minor=1_00).status_code == 200
    assert balances(floor)["chips:ann"] == before["chips:ann"] + 1_00


# ---- the visit ends, however it does


def leaves(served: Server, ann: httpx2.Client) -> None:
    assert ann.delete("/api/session").status_code == 204
    clear(served)


def expires(served: Server, _: httpx2.Client) -> None:
    def work(transaction: Transaction) -> int:
        return transaction.change("UPDATE sessions SET expires_us = 1 WHERE kind = ?", (SessionKind.VISITOR,))

    async def expire() -> int:
        return await served.floor.database.write(work)

    assert served.run(expire()) == 1
    clear(served)


def is_revoked(served: Server, _: httpx2.Client) -> None:
    admin = served.by(Position.ADMINISTRATOR)
    assert admin.delete("/api/accounts/ann/sessions").status_code == 204
    clear(served)


def is_revoked_as_a_visitor(served: Server, _: httpx2.Client) -> None:
    served.hired("Ann", Position.DEALER)
    admin = served.by(Position.ADMINISTRATOR)
    assert admin.delete("/api/visits/ann").status_code == 204
    clear(served)


def clear(served: Server) -> None:
    served.run(served.service.visitors.clear())


ENDS: list[Callable[[Server, httpx2.Client], None]] = [leaves, expires, is_revoked, is_revoked_as_a_visitor]


@pytest.mark.parametrize("stake_minor", [0, STAKE_MINOR])
@pytest.mark.parametrize("end", ENDS)
def test_the_house_cashes_out_the_visitor_and_not_the_customer(
    floor: Server, end: Callable[[Server, httpx2.Client], None], stake_minor: int
) -> None:
    ann = visit(floor)
    assert ann.post(f"/api/tables/{PLAY}/play-money").status_code == 200
    before = sell(floor, stake_minor)
    seats = floor.floor.table(REAL).state.seats
    end(floor, ann)
    problem(ann.get("/api/session"), 401, "not_signed_in")
    assert (balances(floor), floor.floor.table(REAL).state.seats) == (before, seats)
    assert floor.floor.table(PLAY).state.people == frozenset()
    problem(enter(floor), 409, "name_taken")  # the customer has the name
    at = At(floor.floor, REAL, "goes")
    if stake_minor:
        floor.run(at.do(player("ann"), "withdraw_bet", who="ann", box=1, bet="banker", amount_minor=stake_minor))
    for command in ("leave", "cash_out"):
        fields = {"amount_minor": CHIPS_MINOR} if command == "cash_out" else {}
        assert floor.command(floor.by(Position.DEALER), REAL, command, who="ann", **fields).status_code == 200
    visit(floor)


def test_a_restored_backup_gives_a_visitor_nothing_of_the_customers(tmp_path: Path) -> None:
    path, again = tmp_path / "floor.db", tmp_path / "again.db"
    with house(str(path)) as served:
        ann = visit(served)
        assert ann.post(f"/api/tables/{PLAY}/play-money").status_code == 200
        before = sell(served)
    with database_at(str(path)) as database:
        backup(database, tmp_path / "backup.db")
    restored(tmp_path / "backup.db", str(again))
    with server(str(again)) as served:
        served.taken_over()
        clear(served)
        assert balances(served) == before
        assert "ann" not in served.floor.table(PLAY).state.people
        problem(enter(served), 409, "name_taken")


def test_a_rule_turns_no_play_money_into_chips_that_staff_cash_out(floor: Server) -> None:
    admin, dora, ann = floor.by(Position.ADMINISTRATOR), floor.by(Position.DEALER), visit(floor)
    assert ann.post(f"/api/tables/{PLAY}/play-money").status_code == 200
    assert floor.command(ann, PLAY, "sit", who="ann", box=1).status_code == 200
    bet = {"who": "ann", "box": 1, "bet": "player"}
    assert floor.command(ann, PLAY, "place_bet", **bet, stake_minor=100_00).status_code == 200
    refused = problem(admin.put("/api/floor-rules", json={**RULES, "tables": []}), 400, "bad_floor_rules")
    assert f"'{PLAY}'" in refused["message"]
    assert floor.command(ann, PLAY, "withdraw_bet", **bet, amount_minor=100_00).status_code == 200
    assert admin.put("/api/floor-rules", json={**RULES, "tables": []}).status_code == 200
    assert not floor.floor.table(PLAY).state.people
    problem(floor.command(ann, PLAY, "sit", who="ann", box=1), 403, "visitor_elsewhere")
    problem(floor.command(dora, PLAY, "cash_out", who="ann", amount_minor=1_000_00), 409, "unknown_person")


def test_a_rule_turns_no_customers_chips_into_play_money(floor: Server) -> None:
    admin, dora = floor.by(Position.ADMINISTRATOR), floor.by(Position.DEALER)
    assert floor.command(dora, REAL, "buy_in", who="box 3", amount_minor=CHIPS_MINOR).status_code == 200
    before, wanted = balances(floor), {**RULES, "tables": [PLAY, REAL]}
    refused = problem(admin.put("/api/floor-rules", json=wanted), 400, "bad_floor_rules")
    assert f"'{REAL}'" in refused["message"]
    assert balances(floor) == before
    assert floor.command(dora, REAL, "cash_out", who="box 3", amount_minor=CHIPS_MINOR).status_code == 200
    assert admin.put("/api/floor-rules", json=wanted).status_code == 200
    problem(floor.command(dora, REAL, "buy_in", who="box 3", amount_minor=CHIPS_MINOR), 403, "play_money_only")


def test_a_dealer_named_like_the_visitor_is_not_signed_out_with_them(floor: Server) -> None:
    dealer = floor.client(floor.hired("ann", Position.DEALER))
    ann = visit(floor)
    leaves(floor, ann)
    assert dealer.get("/api/session").json()["position"] == "dealer"
    visit(floor)
    assert floor.by(Position.ADMINISTRATOR).delete("/api/accounts/ann/sessions").status_code == 204
    problem(dealer.get("/api/session"), 401, "not_signed_in")
