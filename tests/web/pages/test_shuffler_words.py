"""Pages of a table with a continuous shuffler: none of them speaks of a shoe."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import Position
from tests.floor.nights import DORA, NATURAL, SUE, Night
from tests.floor.nights import night as run_night
from tests.web.page_tree import read_html, read_page
from tests.web.serving import Server
from tests.web.views.test_visibility import after

WORDS = {"en": "shoe", "zh": "靴"}
PAGES = {
    "/tables/t1/deal": Position.DEALER,
    "/tables/t1/deal/table": Position.DEALER,
    "/tables/t1/deal/shoe": Position.DEALER,
    "/tables/t1/deal/keys": Position.DEALER,
    "/tables/t1/deal/squeeze": Position.DEALER,
    "/tables/t1/deal/approval?proposal=counted": Position.DEALER,
    "/tables/t1/keys": Position.DEALER,
    "/tables/t1/board": Position.PLAYER,
    "/tables/t1": Position.PLAYER,
    "/tables/t1/odds": Position.PLAYER,
    "/tables/t1/fairness": Position.PLAYER,
    "/tables/t1/history": Position.PIT_SUPERVISOR,
    "/tables/t1/guide": Position.PIT_SUPERVISOR,
    "/tables/t1/rounds/0": Position.AUDITOR,
    "/tables/t1/rounds/1": Position.AUDITOR,
    "/tables/t1/rounds/2": Position.AUDITOR,
    "/tables/t2/deal": Position.DEALER,
    "/tables/t2/board": Position.PLAYER,
    "/tables/t2/fairness": Position.PLAYER,
    "/pit/tables/t1": Position.PIT_SUPERVISOR,
    "/pit/tables/t2": Position.PIT_SUPERVISOR,
    "/approvals": Position.PIT_SUPERVISOR,
}
REGISTER = {"en": " q shoes ", "zh": " q 牌靴 "}
"""The link from the pit to the register, which has shoes and shufflers."""
SHORTEST = {"en": 100, "zh": 40}
"""Characters of the shortest page: on an empty one there is no shoe either."""


async def play(floor: Night) -> None:
    """A round, a round that is void because of a card too many; other tables have no machine yet."""
    for name in ("t1", "t2", "t3"):
        await floor.table(name, shoes=ShoeKind.MANUAL, continuous={}, observing=True, automations=())
    await floor.do(SUE, "t1", "load_shoe.1", shoe="m1", decks=8, inspected_by="sue")
    for number in (1, 2):
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.do(DORA, "t1", "close_betting.1")
        for card in NATURAL:
            await floor.do(DORA, "t1", "deal_card.1", card=card)
        if number == 1:
            await floor.do(DORA, "t1", "settle.1")
    await floor.do(SUE, "t1", "report_card_count.1", reason="nine of them")
    await floor.do(SUE, "t1", "load_shoe.1", shoe="m2", decks=8)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path: Path = tmp_path_factory.mktemp("shuffler") / "floor.db"
    with after(path, lambda url: run_night(url, play)) as running:
        propose(running)
        ring(running)
        yield running


def propose(running: Server) -> None:
    """Somebody has to approve what only supervisors may do."""
    dealer, about = running.by(Position.DEALER), {"reason": "counted again", "round": 2}
    for name, command in (
        ("inspected", {"command": "inspect_shoe.1", "shoe": "m1", **about}),
        ("counted", {"command": "report_card_count.1", **about}),
    ):
        answer = dealer.post("/api/tables/t1/proposals", json={"id": name, "command": command})
        assert answer.status_code == 201, answer.text


def ring(running: Server) -> None:
    """Once the house has a register, a shuffler that is not in it rings."""
    supervisor, entered = running.by(Position.PIT_SUPERVISOR), {"shoe": "r1", "decks": 8, "maker": "a", "batch": "b"}
    assert supervisor.post("/api/shoes", json=entered).status_code == 201
    assert running.command(supervisor, "t3", "load_shoe", shoe="m4", decks=8, round=0).status_code == 200
    running.until(lambda: bool(unfit(supervisor, "en")))


def unfit(client: httpx2.Client, language: str) -> list[str]:
    answer = client.get("/api/alarms?table=t3", headers={"accept-language": language})
    return [each["words"] for each in answer.json()["alarms"] if each["kind"] == "unfit_shoe"]


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("page", PAGES)
def test_no_page_of_the_table_speaks_of_a_shoe(served: Server, page: str, language: str) -> None:
    client, header = served.by(PAGES[page]), {"accept-language": language}
    answer = client.get(page, headers=header, follow_redirects=True)
    assert answer.status_code == 200
    words = re.sub(r'\{"at":.*', "", read_html(answer.text).words.lower())  # what the console's script reads
    words = words.replace(REGISTER[language], "")
    assert len(words) > SHORTEST[language]
    assert WORDS[language] not in words, words[max(words.find(WORDS[language]) - 200, 0) :][:400]


@pytest.mark.parametrize("language", WORDS)
def test_neither_does_an_incident(served: Server, language: str) -> None:
    words = read_page(served.by(Position.AUDITOR), "/incidents/1", language).words.lower()
    assert ("shuffler" if language == "en" else "洗牌机") in words
    clauses = words.replace("shoe or shuffler", "").replace("牌靴或洗牌机", "")
    assert WORDS[language] not in clauses, clauses


@pytest.mark.parametrize("language", WORDS)
def test_neither_does_an_alarm(served: Server, language: str) -> None:
    (words,) = unfit(served.by(Position.PIT_SUPERVISOR), language)
    assert words.startswith("Shuffler m4 " if language == "en" else "洗牌机m4")
    assert WORDS[language] not in words


@pytest.mark.parametrize("language", WORDS)
def test_neither_does_a_refusal(served: Server, language: str) -> None:
    supervisor, header = served.by(Position.PIT_SUPERVISOR), {"accept-language": language}
    for command in (
        {"command": "load_shoe.1", "shoe": "m1", "decks": 8},
        {"command": "load_shoe.1", "shoe": "m5", "formerly": "m1", "decks": 8},
        {"command": "inspect_shoe.1", "shoe": "m9", "reason": "looked"},
    ):
        body = {"id": served.next_id(), "command": {**command, "round": 2}}
        answer = supervisor.post("/api/tables/t1/commands", json=body, headers=header)
        assert answer.status_code >= 400, answer.text
        assert WORDS[language] not in re.sub("`.*?`", "", answer.json()["error"]["message"].lower()), answer.text
