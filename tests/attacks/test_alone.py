"""Insiders who try alone what needs two people: an administrator, and a pit supervisor with a seeded shoe."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import msgspec
import pytest

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, context_of
from punto.floor.journal.house_events import (
    HOUSE,
    AccountCreated,
    FloorRulesChanged,
    StreamClosed,
    StreamOpened,
    TokenIssued,
    read_house_event,
)
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.sealed import seeded_shoe
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from tests.floor.playing import MANAGER
from tests.table.tables import settings
from tests.web.serving import PASSWORD, Server, server

GAME = "commission"
PIN = "482913"


@pytest.fixture
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor with a table that is not for play money. Its administrator adam and shift manager sid are settled."""
    with server(str(tmp_path_factory.mktemp("alone") / "floor.db"), training=False) as served:
        served.run(served.floor.create_table(MANAGER, TableSetup("felt", GAME, ShoeKind.MANUAL)))
        served.token(Position.ADMINISTRATOR)
        served.token(Position.SHIFT_MANAGER)
        yield served


@pytest.fixture
def early(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The same floor before anybody but adam has changed their password."""
    with server(str(tmp_path_factory.mktemp("early") / "floor.db"), training=False) as served:
        served.run(served.floor.create_table(MANAGER, TableSetup("felt", GAME, ShoeKind.MANUAL)))
        served.token(Position.ADMINISTRATOR)
        yield served


def entries(floor: Server, stream: str = HOUSE) -> list[Entry]:
    def work(transaction: Transaction) -> list[Entry]:
        return list(streams.read(transaction, streams.head(transaction, stream), 0, 10_000))

    return floor.floor.database.reading(work).result()


def is_refused(answer: httpx2.Response, code: str = "second_person_needed", status: int = 409) -> bool:
    return (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def accounts(floor: Server) -> dict[str, str]:
    listed = floor.by(Position.ADMINISTRATOR).get("/api/accounts").json()["accounts"]
    return {account["name"]: account["position"] for account in listed}


OPENING = {
    "command": "open_table.1",
    "settings": msgspec.to_builtins(settings(book(GAME), least=10_00, most=500_00)),
    "float_minor": 1_000_00,
}
TOKEN = {"name": "robot", "position": "dealer", "work": "cards", "table": "felt"}
ALONE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a second account": ("POST", "/api/accounts", {"name": "other", "position": "shift_manager"}),
    "a second administrator": ("POST", "/api/accounts", {"name": "other", "position": "administrator"}),
    "a token as shift manager": (
        "POST",
        "/api/tokens",
        {"name": "robot", "position": "shift_manager", "work": "commands", "table": "felt"},
    ),
    "a reset and impersonation": ("POST", "/api/accounts/sid/password", {}),
    "a promotion": ("PUT", "/api/accounts/dora/position", {"position": "casino_manager"}),
    "taking the other off duty": ("PUT", "/api/accounts/sid/position", {"position": None}),
    "no more four eyes": ("PUT", "/api/floor-rules", {"visitors": False, "four_eyes": False}),
    "play money everywhere": ("PUT", "/api/floor-rules", {"visitors": False, "tables": ["felt"]}),
}


@pytest.mark.parametrize("attack", ALONE)
def test_an_administrator_gets_no_authority_alone(floor: Server, attack: str) -> None:
    floor.token(Position.DEALER)
    before, method, address, body = accounts(floor), *ALONE[attack]
    answer = floor.by(Position.ADMINISTRATOR).request(method, address, json=body)
    assert is_refused(answer), answer.text
    assert answer.json()["error"]["propose_at"] == "/api/proposals"
    assert accounts(floor) == before
    assert floor.run(floor.service.visitors.rules()) == FloorRules()
    for token in (floor.token(Position.SHIFT_MANAGER), floor.token(Position.DEALER)):
        assert floor.client(token).get("/api/session").status_code == 200


def test_an_account_without_a_position_gives_no_authority(floor: Server) -> None:
    administrator = floor.by(Position.ADMINISTRATOR)
    made = administrator.post("/api/accounts", json={"name": "other"})
    assert made.status_code == 201
    assert is_refused(administrator.put("/api/accounts/other/position", json={"position": "dealer"}))


def test_who_may_not_at_all_hears_that_first(floor: Server) -> None:
    for position in (Position.PIT_MANAGER, Position.SHIFT_MANAGER, Position.AUDITOR):
        client = floor.by(position)
        assert is_refused(client.post("/api/tokens", json=ALONE["a token as shift manager"][2]), "not_authorised", 403)
    dealer = floor.by(Position.DEALER)
    body = {"id": "open", "command": OPENING}
    assert is_refused(dealer.post("/api/tables/felt/commands", json=body), "not_authorised", 403)


# ---- two together


ACTS: dict[str, dict[str, Any]] = {
    "create_account.1": {"name": "other", "position": "pit_manager"},
    "assign_position.1": {"name": "dora", "position": "pit_supervisor"},
    "reset_password.1": {"name": "dora"},
    "issue_token.1": {"name": "robot", "position": "dealer", "days": 3, "work": "commands", "table": "felt"},
    "change_floor_rules.1": {"rules": {"four_eyes": False}},
}


def propose(client: httpx2.Client, act: str, proposal: str = "act", **changes: Any) -> httpx2.Response:
    return client.post("/api/proposals", json={"id": proposal, "act": {"act": act, **ACTS[act], **changes}})


def decide(client: httpx2.Client, proposal: str = "act", verb: str = "approve", **body: Any) -> httpx2.Response:
    return client.post(f"/api/proposals/{proposal}/{verb}", json=body)


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("first", [Position.ADMINISTRATOR, Position.SHIFT_MANAGER])
def test_two_officers_do_it_and_both_are_on_record(floor: Server, act: str, first: Position) -> None:
    floor.token(Position.DEALER)
    second = next(each for each in (Position.ADMINISTRATOR, Position.SHIFT_MANAGER) if each is not first)
    proposer, approver = floor.by(first), floor.by(second)
    before = accounts(floor)
    made = propose(proposer, act)
    assert made.status_code == 201, made.text
    assert (made.json()["state"], made.json()["act"]["act"]) == ("open", act)
    assert accounts(floor) == before
    assert propose(proposer, act).json() == made.json()
    (listed,) = approver.get("/api/proposals").json()["proposals"]
    assert listed["may_approve"]
    written = len(entries(floor))
    done = decide(approver)
    assert done.status_code == 200, done.text
    assert (done.json()["password"] is not None) is (act in ("create_account.1", "reset_password.1"))
    assert (done.json()["token"] is not None) is (act == "issue_token.1")
    names = {"sid": "shift_manager", "adam": "administrator"}
    for entry in entries(floor)[written:]:
        context = context_of(entry)
        assert (entry.actor, names[entry.actor]) == (context.approved_by, entry.position)
        assert {context.proposed_by, context.approved_by} == {"sid", "adam"}
        assert not context.alone
    assert len(entries(floor)) > written

    again = decide(approver)
    assert (again.status_code, again.json()["password"], again.json()["token"]) == (200, None, None)
    assert again.json()["proposal"] == done.json()["proposal"]


def test_what_two_have_made_works(floor: Server) -> None:
    administrator, shift_manager = floor.by(Position.ADMINISTRATOR), floor.by(Position.SHIFT_MANAGER)
    propose(administrator, "create_account.1")
    once = decide(shift_manager).json()["password"]
    signed_in = floor.client().post("/api/session", json={"name": "other", "password": once})
    assert signed_in.status_code == 200, signed_in.text
    propose(shift_manager, "change_floor_rules.1", "rules")
    decide(administrator, "rules")
    answer = administrator.post("/api/accounts", json={"name": "third", "position": "dealer"})
    assert answer.status_code == 201


def test_nobody_approves_their_own_act_nor_assigns_themselves(floor: Server) -> None:
    administrator, shift_manager = floor.by(Position.ADMINISTRATOR), floor.by(Position.SHIFT_MANAGER)
    propose(administrator, "create_account.1")
    assert is_refused(decide(administrator), "own_proposal", 403)
    own = propose(shift_manager, "assign_position.1", "own", name="SID", position="casino_manager")
    assert is_refused(own, "not_authorised", 403)
    other = propose(administrator, "assign_position.1", "other", name="sid", position="casino_manager")
    assert other.status_code == 201
    assert is_refused(decide(shift_manager, "other"), "not_authorised", 403)
    assert accounts(floor)["sid"] == "shift_manager"


def test_others_neither_propose_nor_approve_nor_see_acts(floor: Server) -> None:
    propose(floor.by(Position.ADMINISTRATOR), "create_account.1")
    for position in (Position.CASINO_MANAGER, Position.PIT_MANAGER, Position.DEALER):
        client = floor.by(position)
        assert is_refused(propose(client, "create_account.1", "mine"), "not_authorised", 403)
        assert is_refused(decide(client), "unknown_proposal", 404)
        assert client.get("/api/proposals").json()["proposals"] == []
    auditor = floor.by(Position.AUDITOR)
    assert len(auditor.get("/api/proposals").json()["proposals"]) == 1
    assert is_refused(decide(auditor), "not_authorised", 403)
    machine = floor.client(floor.machine("robot", Position.SHIFT_MANAGER))
    assert is_refused(decide(machine), "not_authorised", 403)
    assert is_refused(propose(machine, "create_account.1", "mine"), "not_authorised", 403)


def test_a_pin_hands_no_password_to_somebody_else(floor: Server) -> None:
    """The answer goes to the browser that asks. At a dealer's terminal an officer's PIN approves no account."""
    propose(floor.by(Position.ADMINISTRATOR), "create_account.1")
    shift_manager = floor.by(Position.SHIFT_MANAGER)
    assert shift_manager.put("/api/session/pin", json={"password": PASSWORD, "pin": PIN}).status_code == 204
    enrolled = floor.by(Position.PIT_MANAGER).post("/api/terminals", json={"table": "felt", "title": "left"})
    floor.an_hour_after_enrolling()
    by_pin = {"name": "sid", "pin": PIN}
    for token in (floor.token(Position.DEALER), floor.visitor("vera")):
        client = floor.client(token)
        client.cookies.update(enrolled.cookies)
        assert is_refused(decide(client, **by_pin), "unknown_proposal", 404)
    assert "other" not in accounts(floor)
    administrator = floor.client(floor.token(Position.ADMINISTRATOR))
    administrator.cookies.update(enrolled.cookies)
    assert decide(administrator, **by_pin).json()["password"]


def test_an_act_that_is_approved_twice_at_once_is_done_once(floor: Server) -> None:
    propose(floor.by(Position.ADMINISTRATOR), "create_account.1")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(decide, [floor.by(Position.SHIFT_MANAGER)] * 4))
    assert {answer.status_code for answer in answers} == {200}
    assert len([answer for answer in answers if answer.json()["password"]]) == 1


def test_a_proposer_who_is_no_longer_an_officer_counts_no_more(floor: Server) -> None:
    propose(floor.by(Position.ADMINISTRATOR), "create_account.1")
    floor.run(floor.service.accounts.assign(THE_CONSOLE, "adam", None))
    assert is_refused(decide(floor.by(Position.SHIFT_MANAGER)), "proposal_over")


def test_what_cannot_be_done_is_refused_when_it_is_proposed(floor: Server) -> None:
    administrator = floor.by(Position.ADMINISTRATOR)
    assert is_refused(propose(administrator, "create_account.1", name="sid"), "account_exists")
    assert is_refused(propose(administrator, "reset_password.1", name="nobody"), "unknown_account", 404)
    assert is_refused(propose(administrator, "issue_token.1", position="administrator"), "bad_position", 400)
    assert is_refused(propose(administrator, "issue_token.1", extra="x"), "bad_request", 400)
    assert accounts(floor) == {"administrator": "administrator", "adam": "administrator", "sid": "shift_manager"}
    declined = propose(administrator, "create_account.1")
    assert declined.status_code == 201
    assert decide(floor.by(Position.SHIFT_MANAGER), verb="decline", reason="not needed").json()["state"] == "declined"
    assert is_refused(decide(floor.by(Position.SHIFT_MANAGER)), "proposal_over")
    assert "other" not in accounts(floor)


# ---- opening and closing a table


def test_a_supervisor_neither_opens_nor_closes_a_table_alone(floor: Server) -> None:
    dealer, supervisor = floor.by(Position.DEALER), floor.by(Position.PIT_SUPERVISOR)
    address = "/api/tables/felt/proposals"
    for command, event in ((OPENING, StreamOpened), ({"command": "close_table.1"}, StreamClosed)):
        tag = str(command["command"])
        alone = supervisor.post("/api/tables/felt/commands", json={"id": f"alone {tag}", "command": command})
        assert is_refused(alone), alone.text
        assert alone.json()["error"]["propose_at"] == address
        legal = supervisor.get("/api/tables/felt/legal").json()["legal"]
        assert tag not in [each["command"]["command"] for each in legal]
        made = dealer.post(address, json={"id": tag, "command": command})
        assert made.status_code == 201, made.text
        assert is_refused(dealer.post(f"{address}/{tag}/approve", json={}), "own_proposal", 403)
        approved = supervisor.post(f"{address}/{tag}/approve", json={})
        assert approved.status_code == 200, approved.text
        last = entries(floor)[-1]
        assert isinstance(read_house_event(last.event), event)
        assert (context_of(last).proposed_by, context_of(last).approved_by) == ("dora", "sue")


# ---- before there are two


def test_before_there_are_two_one_acts_alone_and_auditors_see_it(early: Server) -> None:
    administrator = early.by(Position.ADMINISTRATOR)
    made = administrator.post("/api/accounts", json={"name": "boss", "position": "shift_manager"})
    assert made.status_code == 201, made.text
    # somebody else's one-time password that nobody has changed yet makes no second person
    token = administrator.post("/api/tokens", json=TOKEN)
    assert token.status_code == 201, token.text
    listed = early.by(Position.AUDITOR).get("/api/exceptions").json()["exceptions"]
    alone = [(each["by"], each["position"], each["event"]["event"]) for each in listed if each["alone"]]
    assert alone == [
        ("adam", "administrator", "token_issued.1"),
        ("adam", "administrator", "account_created.1"),
        ("adam", "administrator", "account_created.1"),
    ]
    once = made.json()["password"]
    signed_in = early.client().post("/api/session", json={"name": "boss", "password": once, "keep": "token"}).json()
    boss = early.client(signed_in["token"])
    changed = boss.post("/api/session/password", json={"before": once, "password": PASSWORD})
    assert changed.status_code == 204, changed.text
    assert is_refused(administrator.post("/api/tokens", json=TOKEN))


def test_before_there_are_two_a_supervisor_opens_alone(early: Server) -> None:
    supervisor = early.by(Position.PIT_SUPERVISOR)
    opened = supervisor.post("/api/tables/felt/commands", json={"id": "open", "command": OPENING})
    assert opened.status_code == 200, opened.text
    assert context_of(entries(early, "felt/1")[0]).alone
    early.token(Position.SHIFT_MANAGER)
    assert is_refused(supervisor.post("/api/tables/felt/commands", json={"id": "again", "command": OPENING}))
    again = supervisor.post("/api/tables/felt/commands", json={"id": "open", "command": OPENING})
    assert again.json() == opened.json()  # what was accepted alone answers the same


# ---- what one person made while there was nothing to win


def settled(served: Server, name: str, once: str) -> httpx2.Client:
    """Somebody who has changed their one-time password."""
    signed_in = served.client().post("/api/session", json={"name": name, "password": once, "keep": "token"}).json()
    client = served.client(signed_in["token"])
    changed = client.post("/api/session/password", json={"before": once, "password": PASSWORD})
    assert changed.status_code == 204, changed.text
    return client


@pytest.fixture
def play_money(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor as `make run` makes it: one administrator, and every table for play money."""
    with server(str(tmp_path_factory.mktemp("play") / "floor.db"), training=False) as served:
        served.run(served.floor.create_table(MANAGER, TableSetup("demo", GAME, ShoeKind.MANUAL)))
        served.token(Position.ADMINISTRATOR)
        served.run(served.service.visitors.change_rules(THE_CONSOLE, FloorRules(tables=("demo",))))
        yield served


def test_officers_made_among_play_money_open_no_table_for_money(play_money: Server) -> None:
    adam = play_money.by(Position.ADMINISTRATOR)
    made = {"boss": "shift_manager", "pat": "pit_supervisor", "deb": "dealer"}
    once = {
        name: adam.post("/api/accounts", json={"name": name, "position": position}).json()["password"]
        for name, position in made.items()
    }
    once["pat"] = adam.post("/api/accounts/pat/password", json={}).json()["password"]
    assert adam.post("/api/tokens", json={**TOKEN, "table": "demo"}).status_code == 201
    marked = [each for each in entries(play_money) if context_of(each).alone]
    assert len(marked) == 6  # three accounts, a password, and a machine with its token
    boss, pat, deb = (settled(play_money, name, once[name]) for name in made)
    assert boss.post("/api/tables", json={"name": "felt", "book": GAME, "shoes": "manual"}).status_code == 201
    play_money.service.floor_view.refresh()
    address = "/api/tables/felt/proposals"
    for client, path, body in (
        (deb, address, {"id": "open", "command": OPENING}),
        (pat, "/api/tables/felt/commands", {"id": "alone", "command": OPENING}),
    ):
        refused = client.post(path, json=body)
        assert is_refused(refused, "accounts_to_confirm"), refused.text
        assert all(name in refused.json()["error"]["message"] for name in (*made, "robot"))
    demo = pat.post("/api/tables/demo/commands", json={"id": "demo", "command": OPENING})
    assert is_refused(demo), demo.text  # play money needs two by now, and nothing to be confirmed

    waiting = boss.get("/api/accounts/alone").json()
    assert [(each["by"], each["name"], each["what"]) for each in waiting["acts"]] == [
        *(("adam", name, "account_created.1") for name in made),
        ("adam", "pat", "password_changed.1"),
        ("adam", "robot", "account_created.1"),
        ("adam", "robot", "token_issued.1"),
    ]
    assert is_refused(pat.get("/api/accounts/alone"), "not_authorised", 403)
    act = {"act": "confirm_accounts.1", "up_to": waiting["up_to"], "names": sorted({*made, "robot"})}
    hidden = {**act, "names": ["boss"]}
    assert is_refused(adam.post("/api/proposals", json={"id": "some", "act": hidden}), "preview_changed")
    assert adam.post("/api/proposals", json={"id": "all", "act": act}).status_code == 201
    assert is_refused(adam.post("/api/proposals/all/approve", json={}), "own_proposal", 403)
    assert is_refused(pat.post("/api/proposals/all/approve", json={}), "unknown_proposal", 404)
    assert boss.post("/api/proposals/all/approve", json={}).status_code == 200
    assert boss.get("/api/accounts/alone").json() == {"acts": [], "up_to": 0}
    last = entries(play_money)[-1]
    assert (context_of(last).proposed_by, context_of(last).approved_by) == ("adam", "boss")
    assert deb.post(address, json={"id": "open", "command": OPENING}).status_code == 201
    assert pat.post(f"{address}/open/approve", json={}).status_code == 200


def test_nobody_switches_it_off_alone_among_play_money(play_money: Server) -> None:
    adam, off = play_money.by(Position.ADMINISTRATOR), {"visitors": False, "tables": ["demo"], "four_eyes": False}
    assert adam.put("/api/floor-rules", json=off).status_code == 200  # there is no second person yet
    assert context_of(entries(play_money)[-1]).alone
    supervisor = play_money.by(Position.PIT_SUPERVISOR)
    play_money.run(play_money.floor.create_table(MANAGER, TableSetup("felt", GAME, ShoeKind.MANUAL)))
    play_money.service.floor_view.refresh()
    refused = supervisor.post("/api/tables/felt/commands", json={"id": "open", "command": OPENING})
    assert is_refused(refused, "accounts_to_confirm"), refused.text
    play_money.run(play_money.service.visitors.change_rules(THE_CONSOLE, FloorRules(tables=("demo",))))
    play_money.token(Position.SHIFT_MANAGER)
    assert is_refused(adam.put("/api/floor-rules", json=off))


def open_demo(play_money: Server) -> None:
    play_money.service.floor_view.refresh()
    body = {"id": "open", "command": OPENING}
    opening = play_money.by(Position.PIT_SUPERVISOR).post("/api/tables/demo/commands", json=body)
    assert opening.status_code == 200, opening.text


def test_an_open_table_leaves_play_money_only_by_two(play_money: Server) -> None:
    """To open one for money takes two, so nobody gets there by opening it for play money first."""
    adam, none = play_money.by(Position.ADMINISTRATOR), {"visitors": False, "tables": []}
    supervisor = play_money.by(Position.PIT_SUPERVISOR)
    open_demo(play_money)
    play_money.token(Position.SHIFT_MANAGER)
    assert is_refused(adam.put("/api/floor-rules", json=none))
    closed = supervisor.post("/api/tables/demo/commands", json={"id": "close", "command": {"command": "close_table.1"}})
    assert closed.status_code == 200, closed.text
    assert adam.put("/api/floor-rules", json=none).status_code == 200
    assert not context_of(entries(play_money)[-1]).alone


def test_alone_on_the_floor_it_is_marked(play_money: Server) -> None:
    adam = play_money.by(Position.ADMINISTRATOR)
    open_demo(play_money)
    assert adam.put("/api/floor-rules", json={"visitors": False, "tables": []}).status_code == 200
    assert context_of(entries(play_money)[-1]).alone


def test_the_console_is_recorded_as_the_console(floor: Server) -> None:
    """It has the database, so the disk: nothing there can ask for a second person."""
    floor.run(floor.service.accounts.create(THE_CONSOLE, "other", Position.SHIFT_MANAGER))
    last = entries(floor)[-1]
    assert isinstance(read_house_event(last.event), AccountCreated)
    assert (last.actor, context_of(last).alone) == (THE_CONSOLE.name, False)


def test_play_money_needs_no_second_person(floor: Server) -> None:
    floor.run(floor.service.visitors.change_rules(THE_CONSOLE, FloorRules(tables=("felt",))))
    answer = floor.by(Position.ADMINISTRATOR).post("/api/tokens", json=TOKEN)
    assert answer.status_code == 201
    last = entries(floor)[-1]
    assert isinstance(read_house_event(last.event), TokenIssued)
    assert context_of(last).alone  # what one person gave out stays marked


def test_switching_it_on_needs_one_person_and_off_two(floor: Server) -> None:
    administrator, off = floor.by(Position.ADMINISTRATOR), {"visitors": False, "four_eyes": False}
    propose(administrator, "change_floor_rules.1")
    assert decide(floor.by(Position.SHIFT_MANAGER)).status_code == 200
    assert administrator.get("/api/floor-rules").json()["four_eyes"] is False
    assert administrator.put("/api/floor-rules", json=off).status_code == 200
    assert administrator.put("/api/floor-rules", json={"visitors": False}).json()["four_eyes"] is False
    on = {"visitors": False, "four_eyes": True}
    assert administrator.put("/api/floor-rules", json=on).json()["four_eyes"] is True
    assert is_refused(administrator.put("/api/floor-rules", json=off))
    rules = [event for each in entries(floor) if isinstance(event := read_house_event(each.event), FloorRulesChanged)]
    assert [event.four_eyes for event in rules] == [False, False, False, True]


def test_rules_that_were_read_before_it_was_switched_on_do_not_switch_it_off(
    floor: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors = floor.service.visitors
    floor.run(visitors.change_rules(THE_CONSOLE, FloorRules(four_eyes=False)))
    changing = visitors.change_rules

    async def switched_on_first(*args: Any) -> None:
        monkeypatch.undo()
        await changing(THE_CONSOLE, FloorRules())
        await changing(*args)

    monkeypatch.setattr(visitors, "change_rules", switched_on_first)
    assert is_refused(floor.by(Position.ADMINISTRATOR).put("/api/floor-rules", json={"visitors": True}))
    assert floor.run(visitors.rules()) == FloorRules()


# ---- a seeded shoe


SEEDED = {"name": "known", "book": GAME, "shoes": "seeded", "seed": "7", "decks": 8}


def test_a_supervisor_gets_no_seeded_table(floor: Server) -> None:
    for position in (Position.PIT_SUPERVISOR, Position.SHIFT_MANAGER, Position.ADMINISTRATOR):
        assert is_refused(floor.by(position).post("/api/tables", json=SEEDED), "training_only", 403)
    assert "known" not in floor.floor.tables


def test_a_seeded_table_from_a_training_server_is_not_opened(tmp_path_factory: pytest.TempPathFactory) -> None:
    db = str(tmp_path_factory.mktemp("training") / "floor.db")
    with server(db, training=True) as served:
        supervisor = served.by(Position.PIT_SUPERVISOR)
        assert supervisor.post("/api/tables", json=SEEDED).status_code == 201
        assert served.command(supervisor, "known", **_opening()).status_code == 200
        loading = {"id": "k1", "command": {"command": "load_shoe.1", "shoe": "k1", "decks": 8}}
        loaded = supervisor.post("/api/tables/known/commands", json=loading)
        assert loaded.status_code == 200, loaded.text
        burned = served.command(supervisor, "known", "burn_cards")
        first = burned.json()["events"][0]["event"]["card"]
        assert first == seeded_shoe("k1", 8, "7").cards[0]  # whoever knows the seed knows every card
        assert served.command(supervisor, "known", "buy_in", who="box 1", amount_minor=500_00).status_code == 200
    with server(db, training=False) as served:
        supervisor = served.client(served.run(served.service.sessions.sign_in("sue", PASSWORD)).token)
        assert is_refused(later(served, supervisor, "load_shoe", shoe="k2", decks=8), "training_only", 403)
        again = supervisor.post("/api/tables/known/commands", json=loading)
        assert again.json() == loaded.json()  # what was accepted answers the same
        legal = supervisor.get("/api/tables/known/legal").json()["legal"]
        assert not {"load_shoe.1", "open_table.1"} & {each["command"]["command"] for each in legal}
        closed = later(served, supervisor, "close_table")
        assert closed.status_code == 200, closed.text
        assert is_refused(later(served, supervisor, **_opening()), "training_only", 403)


def test_chips_won_with_known_cards_end_with_the_table(tmp_path_factory: pytest.TempPathFactory) -> None:
    with server(str(tmp_path_factory.mktemp("training") / "floor.db"), training=True) as served:
        supervisor = served.by(Position.PIT_SUPERVISOR)
        supervisor.post("/api/tables", json=SEEDED)
        served.command(supervisor, "known", **_opening())
        sold = served.command(supervisor, "known", "buy_in", who="box 1", amount_minor=500_00)
        assert sold.status_code == 200, sold.text
        closed = served.command(supervisor, "known", "close_table").json()["events"][-1]["event"]
        assert closed["balances"]["chips:box 1"] == 500_00
        assert served.command(supervisor, "known", **_opening()).status_code == 200
        events = served.by(Position.AUDITOR).get("/api/tables/known/events?after=2/0").json()["events"]
        opened = events[0]["event"]
        assert opened["event"] == "table_opened.1"
        assert {account for account, _ in opened["postings"]} == {"float", "bank"}


def _opening() -> dict[str, Any]:
    return {**OPENING, "command": "open_table"}


def later(served: Server, client: httpx2.Client, command: str, **fields: Any) -> httpx2.Response:
    """Give a command with an id that no earlier server has used."""
    body = {"id": f"later {served.next_id()}", "command": {"command": f"{command}.1", **fields}}
    return client.post("/api/tables/known/commands", json=body)
