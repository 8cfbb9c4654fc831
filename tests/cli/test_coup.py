"""``punto coup``: the explanation of a coup, as text and as JSON."""

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from punto.cli import main
from punto.rules.bets.pay_lines import decided
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from tests.cli.rounds import BANKER_SIX, NATURAL, NINES, ONE_NIL, Line, answer, bet, insured, round_of
from tests.cli.running import ENVIRONMENT, punto, punto_here
from tests.lanes import examples
from tests.marks import BOOKS, clause

ALL = [pytest.param(rules, id=rules.id) for rules in BOOKS]
KEYS = {
    *("game", "cards", "steps", "next", "player", "banker", "natural", "finished", "winner"),
    *("offers", "bets", "unused"),
}


def _run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["coup", *arguments])
    assert done.exit_code == status, done.output
    return done.stdout


def _rows(*arguments: str) -> list[list[str]]:
    """The lines of the output, each split into cells."""
    return [re.split(r"\s{2,}", line.strip()) for line in _run(*arguments).splitlines() if line.strip()]


def _json(*arguments: str) -> Line:
    read: Line = json.loads(_run(*arguments, "--json"))
    return read


@clause("commission-insurance", "3.10", "3.15", "3.16", "3.17", "4.1.2", "4.1.3")
def test_each_card_is_explained_with_its_clause() -> None:
    rows = _rows("commission-insurance", ONE_NIL + " 9h")
    assert rows[0] == ["Commission Baccarat with Insurance, version 5"]
    assert rows[1:8] == [
        ["card 1", "Ks", "闲 Player", "card 1 of the first four is Player's", "3.10"],
        ["card 2", "2d", "庄 Banker", "card 2 of the first four is Banker's", "3.10"],
        ["card 3", "4h", "闲 Player", "card 3 of the first four is Player's", "3.10"],
        ["card 4", "3c", "庄 Banker", "card 4 of the first four is Banker's", "3.10"],
        ["card 5", "7s", "闲 Player", "Player has 4: Player draws", "3.15"],
        ["card 6", "5c", "庄 Banker", "Banker has 5, Player's third card counts 7: Banker draws", "3.15"],
        ["no more", "both hands have three cards", "3.15"],
    ]
    assert rows[8:12] == [
        ["闲 Player", "Ks 4h 7s", "1 point"],
        ["庄 Banker", "2d 3c 5c", "0 points"],
        ["Player 闲 wins 1 to 0", "3.16"],
        ["left over: 9h"],
    ]
    assert rows[12] == ["Insurance"]
    assert set(rows[13]) == {"on four cards", "Banker insured", "win", "2 to 1", "4.1.3"}
    assert set(rows[14]) == {"on Player's third card", "Banker insured", "win", "7 to 1", "4.1.3"}
    assert rows[15:] == [
        ["Bets"],
        ["Player 闲", "win", "1 to 1", "4.1.2"],
        ["Banker 庄", "lose", "3.16"],
        ["Tie 和", "lose", "1.20"],
        ["Player Pair", "lose", "1.14"],
        ["Banker Pair", "lose", "1.14"],
    ]


@pytest.mark.parametrize(
    ("game", "player_draws", "banker_draws", "banker_stands", "natural"),
    [
        pytest.param("commission", "3.6", "3.6, 3.5", "3.6", "3.6", marks=clause("commission", "3.5", "3.6")),
        pytest.param(
            *("super-six-plus", "3.12", "3.12, 3.11", "3.12", "3.12"), marks=clause("super-six-plus", "3.11", "3.12")
        ),
        pytest.param(
            *("tiger-buffalo", "3.15", "3.15, 3.13", "3.15", "3.15"), marks=clause("tiger-buffalo", "3.13", "3.15")
        ),
    ],
)
def test_why_the_next_card_is_drawn_or_not(
    game: str, player_draws: str, banker_draws: str, banker_stands: str, natural: str
) -> None:
    assert ["next", "闲 Player", "Player has 4: Player draws", player_draws] in _rows(game, "Ks 2d 4h 3c")
    why = "Player has 7 and stands, Banker has 5: Banker draws"
    assert ["next", "庄 Banker", why, banker_draws] in _rows(game, "Ks 2d 7h 3c")
    why = "Player has 7 and stands, Banker has three cards"
    assert ["no more", why, banker_draws] in _rows(game, "Ks 2d 7h 3c 4s")
    why = "Banker has 5, Player's third card counts 8: Banker stands"
    assert ["no more", why, banker_stands] in _rows(game, "Ks 2d 4h 3c 8s")
    assert ["no more", "Player has a natural 8: nobody draws", natural] in _rows(game, NATURAL)
    both = "Player has a natural 8 and Banker has a natural 9: nobody draws"
    assert ["no more", both, natural] in _rows(game, "5s Kd 3h 9c")


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        (NATURAL, "Player 闲 wins 8 to 7, by a natural"),
        (BANKER_SIX, "Banker 庄 wins 6 to 1"),
        (NINES, "Tie 和 9 to 9"),
        ("9s 9d Ks Kd", "Tie 和 9 to 9, by a natural"),
    ],
)
def test_the_winner_is_named(cards: str, winner: str) -> None:
    assert winner in [row[0] for row in _rows("commission", cards)]


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("cards", [NATURAL, NINES, BANKER_SIX])
def test_every_bet_of_the_game_has_its_row(rules: Rulebook, cards: str) -> None:
    rows = _rows(rules.id, cards)
    rows = rows[rows.index(["Bets"]) + 1 :]
    assert [row[0].split(" 闲")[0].split(" 庄")[0].split(" 和")[0] for row in rows] == [
        rule.name for rule in rules.bets.values()
    ]
    assert all(row[1] in {"win", "lose", "push"} for row in rows)


@clause("commission", "4.1.2", "4.1.1")
@clause("da-hu-ying-xiong", "4.1.1")
def test_odds_and_commission_as_people_say_them() -> None:
    assert ["Banker 庄", "win", "1 to 1 less 1/20", "4.1.2, 4.1.1"] in _rows("commission", BANKER_SIX)
    rows = _rows("da-hu-ying-xiong", BANKER_SIX)
    assert ["Banker 庄", "win", "1 to 2", "4.1.1"] in rows
    assert ["Big Tiger", "win", "50 to 1", "4.1.1"] in rows
    assert _json("commission", BANKER_SIX)["bets"]["banker"]["commission"] == "1/20"


@pytest.mark.parametrize("rules", ALL)
def test_insurance_is_spoken_of_only_where_the_book_has_it(rules: Rulebook) -> None:
    rows = _rows(rules.id, NATURAL)
    assert (["Insurance"] in rows) == (["none was offered"] in rows) == (rules.insurance is not None)


@clause("commission-insurance", "3.12", "3.12.1")
def test_insurance_that_stands_open_is_offered() -> None:
    four = _json("commission-insurance", "Ks 2d 4h 3c")["offers"]
    assert four == [{"stage": "four", "side": "banker", "odds": "2", "clauses": ["4.1.3"]}]
    third = _json("commission-insurance", "Ks 2d 4h 3c 7s")["offers"]
    assert third == [*four, {"stage": "third", "side": "banker", "odds": "7", "clauses": ["4.1.3"]}]
    rows = [set(row) for row in _rows("commission-insurance", "Ks 2d 4h 3c 7s")]
    assert {"on four cards", "Banker insured", "over", "2 to 1", "4.1.3"} in rows
    assert {"on Player's third card", "Banker insured", "open now", "7 to 1", "4.1.3"} in rows


@pytest.mark.parametrize("rules", ALL)
def test_a_coup_without_cards_waits_for_its_first(rules: Rulebook) -> None:
    rows = _rows(rules.id)
    first_four = "3.4" if rules.id == "commission" else "3.10"
    assert ["next", "闲 Player", "card 1 of the first four is Player's", first_four] in rows
    assert rows.count(["闲 Player", "no cards"]) == rows.count(["庄 Banker", "no cards"]) == 1
    assert rows[-2:] == [["Bets that are decided"], ["none yet"]]
    told = _json(rules.id)
    assert (told["finished"], told["winner"], told["steps"], told["next"]["to"]) == (False, None, [], "player")
    assert all(out == {"result": None} for out in told["bets"].values())


@clause("commission", "1:pair")
def test_bets_that_are_decided_before_the_end() -> None:
    rows = _rows("commission", "Ks 2d Kh")
    assert rows[-2:] == [["Bets that are decided"], ["Player Pair", "win", "1:pair"]]
    rows = _rows("commission", "Ks 2d Kh 3c")
    assert rows[-2:] == [["Player Pair", "win", "1:pair"], ["Banker Pair", "lose", "1:pair"]]


def test_a_card_face_down_has_to_be_turned() -> None:
    rows = _rows("tiger-buffalo", "--layout", "C", "Ks 2d Ah ??")
    assert ["card 4", "??", "庄 Banker", "card 4 of the first four is Banker's", "3.10"] in rows
    assert ["next", "Unknown", "a card face down has to be turned first", "3.15"] in rows
    assert ["庄 Banker", "2d ??"] in rows
    told = _json("tiger-buffalo", "Ks 2d Ah ??")
    assert told["cards"] == ["Ks", "2d", "Ah", None]
    assert told["banker"] == {"cards": ["2d", None], "points": None}
    assert (told["finished"], told["next"]["to"]) == (False, "unknown")


@pytest.mark.parametrize("natural", ["9s ?? Ks ??", "?? 9s ?? Kd"])
def test_cards_face_down_do_not_hide_a_natural(natural: str) -> None:
    told = _json("commission", natural)
    assert (told["natural"], told["finished"], told["next"]["to"]) == (True, False, "nobody")
    assert told["bets"]["tie"] == {"result": None}


@clause("tiger-buffalo", "2.1.1")
def test_a_layout_has_its_bets_alone() -> None:
    assert {"player_pair", "wu_dalang"} <= _json("tiger-buffalo", NATURAL)["bets"].keys()
    pairs = _json("tiger-buffalo", "--layout", "A", NATURAL)["bets"]
    dalang = _json("tiger-buffalo", NATURAL, "--layout", "C")["bets"]
    assert "player_pair" in pairs
    assert "wu_dalang" not in pairs
    assert "wu_dalang" in dalang
    assert "player_pair" not in dalang
    names = [row[0] for row in _rows("tiger-buffalo", NATURAL, "--layout", "C")]
    assert "Wu Dalang" in names
    assert "Player Pair" not in names


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_cards_may_be_one_word_or_many(options: tuple[str, ...]) -> None:
    together = _run("commission", NINES, *options)
    assert _run("commission", *NINES.split(), *options) == together
    assert _run("commission", *NINES.replace(" ", "  ", 2).split(" "), *options) == together
    assert _run("commission", "4s 3d", "Kh", "Tc 5d 6h", *options) == together


REFUSED = [
    pytest.param(("punto-banco", "5s"), "unknown_book", [], "'punto-banco'", id="book"),
    pytest.param(("commission", "5s 10d"), "not_a_card", [], "'10d'", id="card"),
    pytest.param(("commission", "?"), "not_a_card", [], "'?'", id="question mark"),
    pytest.param(("commission", "5s", "--layout", "Z"), "unknown_layout", ["2.1.1"], "'Z'", id="layout"),
    pytest.param(("commission", "5s", "--decks", "9"), "decks_out_of_range", ["2.2.1"], "4 to 8", id="decks"),
    pytest.param(("commission", *["5s"] * 9), "too_many_copies", ["2.2.1"], "5s was dealt 9 times", id="most decks"),
    pytest.param(("tiger-buffalo", *["5s"] * 5, "--decks", "4"), "too_many_copies", ["2.2.1"], "5s", id="copies"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "code", "clauses", "says"), REFUSED)
def test_a_refusal_in_words_and_as_json(arguments: tuple[str, ...], code: str, clauses: list[str], says: str) -> None:
    words = punto_here("coup", *arguments)
    assert (words.returncode, words.stdout) == (2, b"")
    message = words.stderr.decode()
    assert message.startswith(f"Refused ({code}): ")
    assert message.count("\n") == 1
    assert says in message
    assert message.endswith(f" (clause {', '.join(clauses)})\n") == bool(clauses)
    as_json = punto_here("coup", *arguments, "--json")
    assert (as_json.returncode, as_json.stderr) == (2, b"")
    error = json.loads(as_json.stdout)["error"]
    assert error.keys() == {"code", "message", "clauses"}
    assert (error["code"], error["clauses"]) == (code, clauses)
    assert error["message"] in message


def test_a_pipe_gets_plain_text_and_json() -> None:
    page = punto("coup", "commission-insurance", *ONE_NIL.split())
    assert (page.returncode, page.stderr) == (0, b"")
    assert b"\x1b" not in page.stdout
    assert page.stdout.decode() == _run("commission-insurance", ONE_NIL)
    as_json = punto("coup", "commission-insurance", ONE_NIL, "--json")
    assert (as_json.returncode, as_json.stderr) == (0, b"")
    assert json.loads(as_json.stdout).keys() == KEYS


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
def test_a_terminal_gets_colours() -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "punto", "coup", "commission-insurance", ONE_NIL]
    environment = ENVIRONMENT | {"TERM": "xterm-256color"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        while part := _read_terminal(ours):
            shown += part
    os.close(ours)
    assert process.returncode == 0
    page = shown.decode().replace("\r\n", "\n")
    assert "\x1b[34m闲 Player\x1b[0m" in page  # blue
    assert "\x1b[31m庄 Banker\x1b[0m" in page  # red
    assert "\x1b[32mwin\x1b[0m" in page  # green
    plain = re.sub(r"\x1b\[[0-9;]*m", "", page)
    assert [line.rstrip() for line in plain.splitlines()] == [
        line.rstrip() for line in _run("commission-insurance", ONE_NIL).splitlines()
    ]


def _read_terminal(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux reports a closed terminal this way
        return b""


_CARDS = st.lists(st.sampled_from(Card), max_size=8).map(lambda cards: [*map(str, cards)])


@pytest.mark.parametrize("rules", ALL)
@settings(max_examples=examples(40))
@given(data=st.data())
def test_json_agrees_with_the_library(rules: Rulebook, data: st.DataObject) -> None:
    cards = data.draw(_CARDS)
    if data.draw(st.integers(0, 2)) == 0:
        cards = [data.draw(st.sampled_from([card, "??"])) for card in cards]
    told = _json(rules.id, *cards)
    coup = rules.coup(" ".join(cards))
    assert told.keys() == KEYS
    assert (told["game"], told["cards"]) == (rules.id, [None if card == "??" else card for card in cards])
    assert [step["card"] for step in told["steps"]] + told["unused"] == told["cards"]
    for at, step in enumerate([*told["steps"], told["next"]]):
        call = rules.coup(" ".join(cards[:at])).next if at < len(told["steps"]) else coup.next
        assert (step["to"], tuple(step["clauses"])) == (call.to, call.clauses)
        assert step["why"]
    for side in Side:
        hand = coup.hand(side)
        assert told[side] == {"cards": list(hand.cards), "points": hand.points}
    assert (told["natural"], told["finished"]) == (coup.natural, coup.finished)
    assert told["winner"] == (coup.winner if coup.finished else None)
    offered = [(offer["stage"], offer["side"], offer["odds"]) for offer in told["offers"]]
    assert offered == [(line.stage, line.side, line.odds_text) for line in rules.offers(coup)]
    assert told["bets"].keys() == rules.bets.keys()
    if coup.finished:
        _check_settled(rules, cards, told)
    else:
        for name, rule in rules.bets.items():
            certain = decided(rule, coup)
            cited = {"clauses": [rule.clause]} if certain else {}
            assert told["bets"][name] == {"result": certain, **cited}
        assert all("result" not in offer for offer in told["offers"])


def _check_settled(rules: Rulebook, cards: list[str], told: Line) -> None:
    """The output of ``punto settle`` for the same cards, with every bet and every insurance taken."""
    if "??" in cards:
        return
    for layout in rules.layouts.values():
        insurance = [insured(offer["side"], offer["stage"], "1") for offer in told["offers"]]
        bets = [bet(on) for on in layout.menu]
        settled = answer(round_of(rules.id, " ".join(cards), layout=layout.id, bets=bets, insurance=insurance))
        ours: dict[str, Any] = {
            on: {name: value for name, value in told["bets"][on].items() if name != "commission"} for on in layout.menu
        }
        rows = settled["results"]
        assert ours == {row["bet"]: _verdict(row) for row in rows[: len(bets)]}
        took = ["commission" in told["bets"][row["bet"]] for row in rows[: len(bets)]]
        assert took == ["commission" in row for row in rows[: len(bets)]]
        paid = [(row["result"], row["clauses"]) for row in rows[len(bets) :]]
        assert paid == [(offer["result"], offer["clauses"]) for offer in told["offers"]]


def _verdict(row: Line) -> Line:
    return {name: row[name] for name in ("result", "clauses", "odds") if name in row}


@pytest.mark.parametrize("rules", ALL)
@settings(max_examples=examples(30))
@given(data=st.data())
def test_a_bet_once_decided_stays_so(rules: Rulebook, data: st.DataObject) -> None:
    cards = [str(card) for card in data.draw(st.lists(st.sampled_from(Card), min_size=6, max_size=6))]
    early = [data.draw(st.sampled_from([card, "??"])) for card in cards[: data.draw(st.integers(0, 6))]]
    then, finally_ = _json(rules.id, *early)["bets"], _json(rules.id, *cards)["bets"]
    for name, out in then.items():
        assert out["result"] in {None, finally_[name]["result"]}
