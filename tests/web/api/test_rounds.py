"""A round step by step over HTTP: its address, and what each of its players, strangers and staff see of it."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx2
import pytest

from punto.floor.journal.actor import Actor
from punto.floor.people.looks import LookFilter, LookKind
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import STAFF, Position
from tests.floor.playing import AT_ONCE, DEALER, MANAGER, SUPERVISOR, At, player
from tests.web.serving import Server, server
from tests.web.wire import problem

TABLE, GAME = "Orchid 1", "commission-insurance"
AT = "/api/tables/Orchid%201/rounds"
SID = Actor("sid", Position.SHIFT_MANAGER)
HOSTILE = "<script>alert('x')</script> \"&amp;" + "x" * 120
ANN_MINOR, BEN_MINOR, RULED_MINOR = 101_03, 207_07, 33_33
ANNS_MINOR, BENS_MINOR = 4_44, 5_55
"""What a ruling about both pays in round 0."""
FOR_STAFF = ("by", "terminal", "proposed_by", "approved_by", "happened_at_us", "command")


class Evening(NamedTuple):
    served: Server
    ann: httpx2.Client
    ben: httpx2.Client


async def play(floor: Floor) -> None:
    """Two openings. In round 1 of the second both bet, both are offered insurance, and a ruling pays Ben."""
    at = At(floor, TABLE)
    await at.open(GAME)
    await at.do(SUPERVISOR, "load_shoe", shoe="red", decks=8)
    for _ in range(2):
        await at.do(DEALER, "open_betting")
        await at.do(SUPERVISOR, "cancel_round")
    await at.do(SUPERVISOR, "close_table")
    await at.open(GAME)
    await at.do(SUPERVISOR, "load_shoe", shoe="blue", decks=8)
    await at.seat("ann", "ben")
    await at.do(
        SID, "rule", reason="as the film shows", effect="adjust", amounts={"ann": ANNS_MINOR, "ben": BENS_MINOR}
    )
    await at.do(DEALER, "open_betting")
    await at.do(player("ann"), "place_bet", who="ann", box=1, bet="banker", stake_minor=ANN_MINOR)
    await at.do(player("ben"), "place_bet", who="ben", box=2, bet="player", stake_minor=BEN_MINOR)
    await at.do(DEALER, "close_betting")
    for card in ("2s", "4d", "Kh", "2c"):
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "open_insurance")  # 2 against 6: on Banker
    await at.do(player("ann"), "take_insurance", who="ann", box=1, stake_minor=10_01)
    await at.do(DEALER, "deal_card", card="6h")
    await at.do(DEALER, "open_insurance")  # 8 against 6: on Player
    await at.do(DEALER, "deal_card", card="Ks")
    await at.do(DEALER, "settle")
    await at.do(SID, "rule", reason=HOSTILE, effect="adjust", amounts={"ben": RULED_MINOR})


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    with server(str(tmp_path_factory.mktemp("rounds") / "floor.db")) as running:
        running.run(running.floor.create_table(MANAGER, TableSetup(TABLE, GAME, ShoeKind.MANUAL, pace=AT_ONCE)))
        ann, ben = (running.client(running.visitor(name)) for name in ("ann", "ben"))
        running.run(play(running.floor))
        yield Evening(running, ann, ben)


def got(client: httpx2.Client, name: str = "2-1", **headers: str) -> dict[str, Any]:
    answer = client.get(f"{AT}/{name}", headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def leaves(value: Any) -> Iterator[Any]:
    """All numbers, and all words of all texts."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    elif isinstance(value, str):
        yield from re.findall(r"[\w.]+", value)
    else:
        yield value


def kinds(replay: dict[str, Any]) -> list[str]:
    return [step["event"]["event"].removesuffix(".1") for step in replay["steps"]]


def test_staff_and_auditors_see_everything(evening: Evening) -> None:
    whole = got(evening.served.by(Position.AUDITOR))
    for position in STAFF:
        assert got(evening.served.by(position)) == whole
    facts = ("table", "round", "number", "opening", "book", "shoe", "outcome", "in_play", "earlier", "later")
    assert [whole[each] for each in facts] == [TABLE, "2-1", 1, 2, GAME, "blue", "player", False, "2-0", None]
    assert kinds(whole)[-2:] == ["round_settled", "ruled"]
    assert [(each["who"], each["before_minor"], each["after_minor"]) for each in whole["funds"]] == [
        ("ann", 10_000_00 + ANNS_MINOR, 10_000_00 + ANNS_MINOR - ANN_MINOR + 3 * 10_01),
        ("ben", 10_000_00 + BENS_MINOR, 10_000_00 + BENS_MINOR + BEN_MINOR + RULED_MINOR),
    ]
    bet, ruling = whole["steps"][1], whole["steps"][-1]
    assert (bet["by"], bet["position"], bet["command"], bet["lines"]) == (
        "ann",
        "player",
        "place_bet",
        ["ann, box 1: 101.03 on Banker."],
    )
    had_minor = 10_000_00 + ANNS_MINOR
    assert [
        [each[key] for key in ("name", "before_minor", "change_minor", "after_minor")] for each in bet["postings"]
    ] == [
        ["Chips of ann", had_minor, -ANN_MINOR, had_minor - ANN_MINOR],
        ["Felt", 0, ANN_MINOR, ANN_MINOR],
    ]
    assert (ruling["by"], ruling["reason"], ruling["adjustments"][0]["amount_minor"]) == ("sid", HOSTILE, RULED_MINOR)
    four, third = (offer for step in whole["steps"] for offer in step["offers"])
    assert (four["stage"], four["odds"], four["player"], four["banker"]) == ("four", "3", 2, 6)
    assert [(to["who"], to["stake_minor"], to["most_minor"]) for to in four["to"]] == [("ann", ANN_MINOR, 33_67)]
    assert (third["stage"], third["side"], [to["who"] for to in third["to"]]) == ("third", "player", ["ben"])
    sixth = [step["card"] for step in whole["steps"] if step["card"] and step["card"]["place"] == 6]
    assert [(card["code"], card["hand"], card["draw"]) for card in sixth] == [(None, "banker", 5), ("Ks", "banker", 5)]
    assert sixth[0]["why"] == "Banker has 6, Player's third card counts 6: Banker draws"
    assert [hand["points"] for hand in whole["steps"][-1]["felt"]["hands"]] == [8, 6]
    cited = {clause for step in whole["steps"] for clause in step["clauses"]}
    assert cited <= {each["clause"] for each in whole["clauses"]}
    assert all(each["summary"] for each in whole["clauses"])


def test_players_see_their_own_and_nobody_elses(evening: Evening) -> None:
    ann, ben = got(evening.ann), got(evening.ben)
    for own, secrets in ((ann, {"ben", BEN_MINOR, "207.07", "33.33"}), (ben, {"ann", ANN_MINOR, "101.03", "10.01"})):
        assert secrets.isdisjoint(leaves(own))
        assert "script" not in leaves(own)
        assert len(own["funds"]) == 1
        for step in own["steps"]:
            assert [step[field] for field in FOR_STAFF] == [None] * len(FOR_STAFF)
            assert (step["reason"], step["incident"], step["alone"]) == ("", 0, False)
    assert "insurance_taken" in kinds(ann)
    assert "ruled" not in kinds(ann)
    assert "insurance_taken" not in kinds(ben)
    assert ben["steps"][-1]["lines"] == ["Ruling: amounts are paid or taken.", "ben: 33.33"]
    assert [offer["to"] == [] for step in ann["steps"] for offer in step["offers"]] == [False, True]


def test_of_a_ruling_about_several_each_sees_their_own(evening: Evening) -> None:
    sees = {
        "ann": (evening.ann, ANNS_MINOR, {"ben", BENS_MINOR, "5.55"}),
        "ben": (evening.ben, BENS_MINOR, {"ann", ANNS_MINOR, "4.44"}),
    }
    for name, (client, minor, secrets) in sees.items():
        zero = got(client, "2-0")
        assert secrets.isdisjoint(leaves(zero))
        (ruled,) = (step for step in zero["steps"] if step["event"]["event"] == "ruled.1")
        assert [(each["who"], each["amount_minor"]) for each in ruled["adjustments"]] == [(name, minor)]
        assert ruled["lines"][1:] == [f"{name}: {minor // 100}.{minor % 100}"]
    assert "ruled" not in kinds(got(evening.served.client(), "2-0"))


def test_the_public_sees_cards_and_clauses_and_no_money(evening: Evening) -> None:
    vera = evening.served.client(evening.served.visitor("vera"))
    administrator, nobody = evening.served.by(Position.ADMINISTRATOR), evening.served.client()
    public = got(nobody)
    assert got(administrator) == got(vera) == public
    secrets = {"ann", "ben", "sid", "dora", ANN_MINOR, BEN_MINOR, RULED_MINOR, "101.03", "207.07", "33.33", "script"}
    assert secrets <= {*leaves(got(evening.served.by(Position.AUDITOR)))}
    assert secrets.isdisjoint(leaves(public))
    assert public["funds"] == []
    assert {"bet_placed", "insurance_taken", "ruled"}.isdisjoint(kinds(public))
    assert [hand["cards"] for hand in public["steps"][-1]["felt"]["hands"]] == [["2s", "Kh", "6h"], ["4d", "2c", "Ks"]]
    assert public["clauses"]


def test_a_later_visitor_with_the_same_name_sees_nothing_of_the_former_one(evening: Evening) -> None:
    served = evening.served
    at = At(served.floor, TABLE, "former")

    async def leave() -> None:
        await at.do(player("ann"), "leave", who="ann")
        await at.do(DEALER, "cash_out", who="ann", amount_minor=served.floor.table(TABLE).state.chips_minor("ann"))

    before = got(evening.ann)
    assert before["funds"]
    served.run(leave())
    assert evening.ann.delete("/api/session").status_code == 204
    later = got(served.client(served.visitor("ann")))
    assert later == got(served.client())


def test_words_are_in_the_language_of_the_request(evening: Evening) -> None:
    auditor = evening.served.by(Position.AUDITOR)
    english, chinese = got(auditor), got(auditor, **{"punto-language": "zh"})
    for here, there in zip(english["steps"], chinese["steps"], strict=True):
        assert here["lines"] != there["lines"]
        assert not here["card"] or here["card"]["why"] != there["card"]["why"]
    assert english["clauses"] != chinese["clauses"]


def test_a_number_alone_leads_to_the_last_opening_that_has_it(evening: Evening) -> None:
    anybody = evening.served.client()
    for number, name in (("0", "2-0"), ("1", "2-1"), ("2", "1-2"), ("01", "2-1"), ("02-001", "2-1")):
        answer = anybody.get(f"{AT}/{number}")
        assert (answer.status_code, answer.headers["location"]) == (303, f"{AT}/{name}")


def test_each_round_names_the_ones_beside_it(evening: Evening) -> None:
    anybody, name, names = evening.served.client(), "1-0", list[str]()
    while name:
        replay = got(anybody, name)
        assert replay["earlier"] == (names[-1] if names else None)
        names.append(replay["round"])
        name = replay["later"]
    assert names == ["1-0", "1-1", "1-2", "2-0", "2-1"]
    assert [got(anybody, each)["outcome"] for each in names] == ["", "cancelled", "cancelled", "", "player"]


@pytest.mark.parametrize("name", ["3", "2-2", "3-0", "9-1", "x", "2-", "1" * 60, "2-1-1", "0-1", "%20"])
def test_a_round_that_is_not_there_is_refused(evening: Evening, name: str) -> None:
    problem(evening.served.client().get(f"{AT}/{name}"), 404, "unknown_round")
    problem(evening.served.client().get(f"/api/tables/none/rounds/{name}"), 404, "unknown_table")


def test_staff_who_look_are_on_record_and_players_are_not(evening: Evening) -> None:
    served = evening.served
    eve = served.client(served.hired("eve", Position.AUDITOR))
    for client in (eve, eve, evening.ben, served.client()):
        got(client, "2-0")
    looks = served.run(served.service.looks.list(SID, LookFilter(of="2-0"), 100))
    assert [(look.by, look.seen.what, look.seen.table) for look in looks if look.by in ("eve", "ben")] == [
        ("eve", LookKind.ROUND, TABLE)
    ]


def test_a_round_in_play_shows_no_card_that_lies_face_down(evening: Evening) -> None:
    served, at = evening.served, At(evening.served.floor, "face down")

    async def deal() -> None:
        await served.floor.create_table(MANAGER, TableSetup("face down", GAME, ShoeKind.VIRTUAL, pace=AT_ONCE))
        await at.open(GAME, face_down=True)
        await at.do(SUPERVISOR, "load_shoe", shoe="hidden", decks=8)
        await at.seat("cleo", "dirk")
        await at.do(DEALER, "burn_cards")
        await at.do(DEALER, "open_betting")
        await at.bet("cleo", 100_00)
        await at.do(DEALER, "close_betting")
        await at.do(DEALER, "deal_card")

    served.run(deal())
    answer = served.by(Position.CASINO_MANAGER).get("/api/tables/face%20down/rounds/1-1").json()
    assert (answer["in_play"], answer["outcome"], answer["ended_us"]) == (True, "", None)
    last = answer["steps"][-1]
    assert (last["card"]["code"], last["felt"]["hands"][0]["cards"], last["phase"]) == (None, [None], "dealing")
