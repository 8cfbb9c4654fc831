"""Previews over HTTP: what a command would lead to, for whom, and who may look."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx2
import msgspec
import pytest

from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.commands import client_fields
from punto.table.records.positions import Position
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, sealed_table
from tests.table.samples import commands_by
from tests.table.tables import settings
from tests.web.page_tree import read_page
from tests.web.serving import Server, server

GAME = "commission-insurance"
ERROR = {"command": "report_dealing_error.1", "reason": "a card fell"}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("previews") / "floor.db")) as served:
        yield served


def opened(floor: Server, *steps: tuple[str, dict[str, Any]], **changes: Any) -> str:
    """A felt table with a real shoe and a bet of 50.00 on Banker in box 1, after these commands."""
    name = floor.next_id()
    floor.run(floor.floor.create_table(MANAGER, TableSetup(name, GAME, ShoeKind.MANUAL)))
    wanted = settings(book(GAME), least=10_00, most=500_00, observing=True, **changes)
    for command, fields in (
        ("open_table", {"settings": msgspec.to_builtins(wanted), "float_minor": 1_000_00}),
        ("load_shoe", {"shoe": f"{name} 1", "decks": 8}),
        ("open_betting", {}),
        ("place_bet", {"who": "box 1", "box": 1, "bet": "banker", "stake_minor": 50_00}),
        ("close_betting", {}),
        *steps,
    ):
        give(floor, name, command, **fields)
    return name


def give(floor: Server, table: str, command: str, **fields: Any) -> None:
    floor.run(At(floor.floor, table, f"{table}-{floor.next_id()}").do(SUPERVISOR, command, **fields))


def look(client: httpx2.Client, table: str, command: dict[str, Any], **headers: str) -> httpx2.Response:
    return client.post(f"/api/tables/{table}/preview", json={"command": command}, headers=headers)


def version(floor: Server, table: str) -> object:
    return floor.floor.table(table).head


def dealt(*cards: str) -> list[tuple[str, dict[str, Any]]]:
    return [("deal_card", {"card": card}) for card in cards]


def test_it_says_what_follows_and_changes_nothing(floor: Server) -> None:
    table = opened(floor, *dealt("5h", "9c", "2d"))
    before = version(floor, table)
    answer = look(floor.by(Position.DEALER), table, ERROR)
    assert answer.status_code == 200, answer.text
    view = answer.json()
    assert [event["event"] for event in view["events"]] == ["irregularity_reported.1", "options_given.1"]
    assert "5.12" in view["clauses"]
    foreseen = view["consequences"]
    assert foreseen["choosing"] == [{"who": "box 1", "back_minor": 50_00}]
    assert foreseen["positions"][0] == "pit_supervisor"
    assert (foreseen["then"], foreseen["void"]) == ("choose", False)
    assert view["words"]["choosing"] == ["Box 1: play on, or take 50 back."]
    assert version(floor, table) == before


def test_the_words_are_in_the_language_of_the_request(floor: Server) -> None:
    table = opened(floor, *dealt("5h"))
    words = look(floor.by(Position.DEALER), table, ERROR, **{"accept-language": "zh"}).json()["words"]
    assert words["then"] == "玩家选择。"
    assert words["say"] == words["say_in"]["zh"]
    assert set(words["say_in"]) == {"en", "zh"}


def test_a_refusal_lists_what_could_be_given_instead(floor: Server) -> None:
    table = opened(floor, *dealt("5h"))
    refused = look(floor.by(Position.DEALER), table, {"command": "call_time.1"})
    assert refused.status_code == 409
    error = refused.json()["error"]
    assert error["code"] == "no_options"
    assert error["legal"]


@pytest.mark.parametrize("position", [Position.AUDITOR, Position.ADMINISTRATOR])
def test_only_those_who_run_a_game_look(floor: Server, position: Position) -> None:
    table = opened(floor)
    assert look(floor.by(position), table, ERROR).status_code == 403


def test_a_card_that_lies_face_up_is_named_by_the_dealer(floor: Server) -> None:
    table = opened(floor, ("deal_card", {}), ("deal_card", {}), face_down=True)
    dealer = floor.by(Position.DEALER)
    report = {"command": "report_face_up_card.1", "place": 1}
    view = look(dealer, table, {**report, "card": "9s"}).json()
    assert view["words"]["follows"][1] == "Card 1 is the nine of spades."
    assert view["consequences"]["established"] is False
    assert look(dealer, table, report).json()["error"]["code"] == "no_preview"


@pytest.mark.parametrize("card", [{}, {"card": "9s"}])
def test_at_a_sealed_shoe_no_card_is_looked_up_or_guessed(floor: Server, card: dict[str, str]) -> None:
    name = floor.next_id()
    floor.run(floor.floor.create_table(MANAGER, TableSetup(name, GAME, ShoeKind.VIRTUAL)))
    answer = look(floor.by(Position.DEALER), name, {"command": "report_face_up_card.1", "place": 1, **card})
    assert answer.json()["error"]["code"] == "no_preview"


def test_previews_do_not_depend_on_cards_that_nobody_has_seen(floor: Server) -> None:
    """Two tables that differ in nothing but what lies face down and what is still in the sealed shoe."""
    names = [floor.next_id() for _ in range(2)]
    for name, cards in zip(names, ("9s 2d Kh 3c 5h", "4c 4d 2h 6s Td"), strict=True):
        at = floor.run(sealed_table(floor.floor, cards, name, GAME, face_down=True))
        floor.run(at.do(DEALER, "open_betting"))
        floor.run(at.bet("ann", 100_00))
        floor.run(at.do(DEALER, "close_betting"))
        for _ in range(4):
            floor.run(at.do(DEALER, "deal_card"))
    looked = Counter[int]()
    for command in commands_by(book(GAME), "dora", Position.DEALER, "ann"):
        fields = {name: None if name in ("card", "round") else value for name, value in client_fields(command).items()}
        if "cards" in fields:
            fields["cards"] = [None, None]
        answers = [look(floor.by(Position.PIT_MANAGER), name, fields) for name in names]
        first, second = (answer.text.replace(name, "T") for answer, name in zip(answers, names, strict=True))
        assert first == second, command
        looked[answers[0].status_code] += 1
    assert looked[200] > 10, looked


def test_a_proposal_has_the_same_while_it_would_still_follow(floor: Server) -> None:
    table = opened(floor, *dealt("5h", "9c"))
    dealer, supervisor = floor.by(Position.DEALER), floor.by(Position.PIT_SUPERVISOR)
    body = {"id": f"p-{table}", "command": ERROR}
    made = dealer.post(f"/api/tables/{table}/proposals", json=body).json()["preview"]
    assert made == look(dealer, table, ERROR).json()

    def listed() -> dict[str, Any]:
        (proposal,) = supervisor.get(f"/api/tables/{table}/proposals").json()["proposals"]
        preview: dict[str, Any] = proposal["preview"]
        return preview

    assert listed() == made
    give(floor, table, "deal_card", card="2d")  # the hands in the report would be others
    moved_on = listed()
    assert (moved_on["consequences"], moved_on["words"]) == (None, None)
    assert (moved_on["events"], moved_on["clauses"]) == (made["events"], made["clauses"])


def test_whoever_approves_reads_what_it_means_first(floor: Server) -> None:
    table = opened(floor, *dealt("5h", "9c"))
    body = {"id": f"q-{table}", "command": ERROR}
    assert floor.by(Position.DEALER).post(f"/api/tables/{table}/proposals", json=body).status_code == 201
    (means,) = read_page(floor.by(Position.PIT_SUPERVISOR), f"/approvals/q-{table}").all("ul", "means")
    assert [line.words for line in means.all("li")] == [
        "No bet is decided yet.",
        "As dealt: Player 5♥; Banker 9♣.",
        "By the order drawn: Player 5♥; Banker 9♣.",
        "Box 1: play on, or take 50 back.",
        "The players choose.",
    ]


# ---- what makes sense now


def sensible(client: httpx2.Client, table: str, **headers: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/api/tables/{table}/legal", headers=headers).json()["sensible"]
    return found


def test_what_makes_sense_comes_with_words_clauses_and_who_may(floor: Server) -> None:
    table = opened(floor, *dealt("9s", "2d", "Kh", "3c", "5h"))  # the fifth card is one too many
    report, dismiss, correct = sensible(floor.by(Position.DEALER), table)
    assert report["command"] == {
        "command": "report_excess_card.1",
        "cards": ["5h"],
        "to": None,
        "reconstructable": True,
        "reason": "",
        "round": 1,
    }
    assert (report["title"], report["who_may"], report["yours"]) == (
        "Report an excess card",
        "pit supervisor or above",
        False,
    )
    assert "5.7" in report["clauses"]
    assert dismiss["missing"] == ["reason"]
    assert "reason" not in dismiss["command"]
    assert correct["yours"]
    assert sensible(floor.by(Position.PIT_SUPERVISOR), table)[0]["yours"]
    chinese = sensible(floor.by(Position.DEALER), table, **{"accept-language": "zh"})
    assert chinese[0]["who_may"] == "监台主任或以上"


def test_what_makes_sense_can_be_given_as_it_is_listed(floor: Server) -> None:
    table, supervisor = opened(floor, *dealt("9s", "2d", "Kh", "3c", "5h")), floor.by(Position.PIT_SUPERVISOR)
    for number in range(2):  # the report, then the settlement
        command = sensible(supervisor, table)[0]["command"]
        body = {"id": f"{table} {number}", "command": command}
        assert supervisor.post(f"/api/tables/{table}/commands", json=body).status_code == 200
    assert sensible(supervisor, table)[0]["command"]["command"] == "open_betting.1"
