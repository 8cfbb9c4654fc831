"""``happened_at`` over HTTP and with the client, and a restart that waits for the dealer."""

import httpx2
import msgspec

from punto.floor.reports.moments import iso_utc
from punto.table.records.positions import Position
from punto.table.records.reports import ReportRestart
from punto.web.messages import CommandRequest
from tests.floor.phases import Moment, table_at
from tests.floor.playing import betting_table
from tests.web.serving import Server
from tests.web.wire import problem

PATH = "/api/tables/t1/commands"
COMMAND = {"command": "close_betting.1"}


def _events(client: httpx2.Client) -> list[dict[str, object]]:
    events: list[dict[str, object]] = client.get("/api/tables/t1/events").json()["events"]
    return events


def test_staff_see_when_it_happened_and_others_do_not(served: Server) -> None:
    served.run(betting_table(served.floor))
    dealer, auditor, visitor = (served.by(each) for each in (Position.DEALER, Position.AUDITOR, Position.PLAYER))
    happened_at_us = served.floor.clock.now_us()
    body = {"id": "late", "command": COMMAND, "happened_at": iso_utc(happened_at_us)}
    answer = dealer.post(PATH, json=body)
    assert answer.status_code == 200, answer.text
    assert [event["happened_at_us"] for event in answer.json()["events"]] == [happened_at_us]
    assert _events(auditor)[-1]["happened_at_us"] == happened_at_us
    assert "happened_at_us" not in _events(auditor)[0]
    assert "happened_at_us" not in _events(visitor)[-1]
    again = dealer.post(PATH, json={**body, "happened_at": iso_utc(happened_at_us - 1)})
    assert again.json() == answer.json()


def test_the_history_of_rounds_says_so_to_staff(served: Server) -> None:
    served.run(table_at(served.floor, Moment.READY, "commission"))
    dealer, visitor = served.by(Position.DEALER), served.by(Position.PLAYER)
    happened_at_us = served.floor.clock.now_us()
    opening = {"id": "late", "command": {"command": "open_betting.1"}, "happened_at": iso_utc(happened_at_us)}
    assert dealer.post(PATH, json=opening).status_code == 200
    assert served.command(dealer, "t1", "close_betting").status_code == 200
    for card in ("9s", "2d", "Kh", "3c"):
        assert served.command(dealer, "t1", "deal_card", card=card).status_code == 200
    assert served.command(dealer, "t1", "settle").status_code == 200
    late, earlier = dealer.get("/api/tables/t1/rounds").json()["rounds"]
    assert (late["round"], late["happened_at_us"]) == (2, happened_at_us)
    assert "happened_at_us" not in earlier
    assert not any("happened_at_us" in each for each in visitor.get("/api/tables/t1/rounds").json()["rounds"])


def test_a_moment_in_another_form_is_refused_with_an_example(served: Server) -> None:
    served.run(betting_table(served.floor))
    dealer = served.by(Position.DEALER)
    for moment in ("2026-03-01 21:04", "2026-03-01T21:04:05"):
        error = problem(
            dealer.post(PATH, json={"id": "x", "command": COMMAND, "happened_at": moment}), 400, "bad_command"
        )
        assert "2026-03-01T21:04:05+08:00" in error["message"]
    future = iso_utc(served.floor.clock.now_us() + 3_600_000_000)
    problem(dealer.post(PATH, json={"id": "x", "command": COMMAND, "happened_at": future}), 400, "bad_command")


def test_a_client_sends_the_field_only_if_it_is_given() -> None:
    """Servers of earlier releases refuse fields that they do not know."""
    assert b"happened_at" not in msgspec.json.encode(CommandRequest(id="x", command=COMMAND))


def test_a_table_that_waits_for_the_dealer_says_so(served: Server) -> None:
    async def away() -> None:
        at = await table_at(served.floor, Moment.TWO, "commission")
        command = ReportRestart("house", Position.HOUSE, 1_000_000, 9_000_000)
        await served.floor.give(served.floor.table(at.name), "house:restart", command)

    served.run(away())
    dealer, visitor = served.by(Position.DEALER), served.by(Position.PLAYER)
    seen, public = (client.get("/api/tables/t1").json()["state"] for client in (dealer, visitor))
    assert (seen["waits_for_dealer"], seen["restart"]) == (True, {"from_us": 1_000_000, "to_us": 9_000_000})
    assert public["waits_for_dealer"]
    assert "restart" not in public
    for language, words in (
        ("en", "The game waits until the dealer has confirmed the table"),
        ("zh", "等待荷官确认桌面后继续"),
    ):
        page = visitor.get("/tables/t1", headers={"accept-language": language})
        assert words in page.text
    assert served.command(dealer, "t1", "resume_round").status_code == 200
    assert not dealer.get("/api/tables/t1").json()["state"]["waits_for_dealer"]
