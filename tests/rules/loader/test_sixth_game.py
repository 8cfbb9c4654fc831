"""A new game needs only a TOML file: everything works with it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import punto
from punto import InsuranceStake, Refused, Stake, book_ids, settle
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result, decided
from punto.rules.coup.table_of_play import Side, To
from punto.rules.loader import read_book
from punto.rules.refusals import Code
from punto.rules.topics import Topic
from tests.rules.loader.texts import changed
from tests.waiting import DEADLINE_S

TOPICS = {
    Topic.LAYOUTS: ["A.1"],
    Topic.BOXES: ["A.1"],
    Topic.BETTING_OPENS: ["A.1"],
    Topic.BETS_OFFERED: ["A.1"],
    Topic.BETTING_CLOSED: ["A.1"],
    Topic.FIRST_FOUR: ["A.3"],
    Topic.DECKS: ["A.1"],
    Topic.WINNER: ["B.1"],
    Topic.TIE: ["B.1"],
    Topic.INSURANCE: ["C.1"],
    Topic.INSURANCE_CAP: ["C.7"],
    Topic.INSURED_BET: ["C.2"],
    Topic.INSURANCE_TIE: ["C.3"],
}
GAME = """
id = "dragon-gate"
in_force_from = "2030-01-01"
card_values = [
  { values = { A = 1, 2 = 2, 3 = 3, 4 = 4, 5 = 5, 6 = 6, 7 = 7, 8 = 8, 9 = 9 }, clause = "A.2" },
  { values = { T = 0, J = 0, Q = 0, K = 0 }, clause = "A.2" },
]

[decks]
least = 6
most = 8
clause = "A.1"

[layouts.gate]
boxes = "1-7"
clause = "A.1"

[layouts.salon]
kind = "big"
boxes = "14"
menu = ["player", "banker", "tie"]
clause = "A.1"

[table_of_play]
player = [
  { points = [0, 1, 2, 3, 4, 5], does = "draws", clause = "A.4" },
  { points = [6, 7], does = "stands", clause = "A.4" },
  { points = [8, 9], does = "natural", clause = "A.4" },
]
banker_alone = [
  { points = [0, 1, 2, 3, 4, 5], does = "draws", clause = "A.5" },
  { points = [6, 7], does = "stands", clause = "A.5" },
  { points = [8, 9], does = "natural", clause = "A.5" },
]
banker_after = [
  { points = [0, 1, 2], does = "draws", clause = "A.6" },
  { points = [3], draws_on = [0, 1, 2, 3, 4, 5, 6, 7, 9], stands_on = [8], clause = "A.6" },
  { points = [4], draws_on = [2, 3, 4, 5, 6, 7], stands_on = [0, 1, 8, 9], clause = "A.6" },
  { points = [5], draws_on = [4, 5, 6, 7], stands_on = [0, 1, 2, 3, 8, 9], clause = "A.6" },
  { points = [6], draws_on = [6, 7], stands_on = [0, 1, 2, 3, 4, 5, 8, 9], clause = "A.6" },
  { points = [7], does = "stands", clause = "A.6" },
  { points = [8, 9], does = "natural", clause = "A.6" },
]

[bets.player]
clause = "B.1"
pays = [
  { when = { winner = "player" }, odds = "1", clause = "B.2" },
  { when = { winner = "tie" }, odds = "push", clause = "B.3" },
]

[bets.banker]
clause = "B.1"
pays = [
  { when = { winner = "banker", points = [1, 2, 3, 4, 5, 6, 8, 9] }, odds = "1", clause = "B.2" },
  { when = { winner = "banker", points = [7], banker_cards = 2 }, odds = "1", clause = "B.2" },
  { when = { winner = "banker", points = [7], banker_cards = 3 }, odds = "push", clause = "B.4" },
  { when = { winner = "tie" }, odds = "push", clause = "B.3" },
]

[bets.tie]
clause = "B.1"
pays = [{ when = { winner = "tie" }, odds = "8", clause = "B.3" }]

[bets.dragon_seven]
clause = "B.5"
pays = [{ when = { winner = "banker", points = [7], banker_cards = 3 }, odds = "40", clause = "B.6" }]

[bets.panda_eight]
clause = "B.7"
pays = [{ when = { winner = "player", points = [8], player_cards = 3 }, odds = "25", clause = "B.8" }]

[bets.lucky_pair]
clause = "B.9"
pays = [
  { when = { pairs = ["player", "banker"] }, odds = "9/2", clause = "B.10" },
  { when = { pairs = ["both"] }, odds = "25", clause = "B.11" },
  { when = { pairs = ["twin"] }, odds = "200", clause = "B.12" },
]

[insurance]
lines = [
  { stage = "four", side = "player", player = [7], banker = [0, 1, 2, 3, 4, 5], odds = "7/2", clause = "C.4" },
  { stage = "third", side = "banker", player = [0], banker = [3, 4], odds = "9", tie_pays = "C.6", clause = "C.5" },
]
cap = { on = "winnings", per = "round", clause = "C.7" }
"""
CLAUSES = [
    *(f"A.{number}" for number in range(1, 7)),
    *(f"B.{number}" for number in range(1, 13)),
    *(f"C.{number}" for number in range(1, 8)),
]
TEXT = "\n".join(
    [
        GAME,
        "[topics]",
        *(f"{topic} = {TOPICS.get(topic, [])}" for topic in Topic),
        "[clauses]",
        *(f"'{clause}' = {{ kind = 'definition', handled_by = 'engine' }}" for clause in CLAUSES),
    ]
)
BOOK = read_book(TEXT, "dragon-gate.toml")

DRAGON = "Ks 2h 2d 3c 4s 2c"  # Player 6, Banker 7 on three cards
BANKER_STANDS_ON_SEVEN = "Ks 3h 2d 4c Kd"  # Player 2, Banker 7 on two cards
PANDA = "Ks 3h 2d 4c 6d"  # Player 8 on three cards, Banker 7
NATURAL_EIGHT = "Ks 3h 8d 4c"  # Player 8 on two cards, Banker 7
TIED_ON_SEVEN = "Ks 2h 2d 3c 5s 2c"  # Player 7, Banker 7, both on three cards
TWIN = "5s 5h 5d 5c 9s 8c"  # Player 9, Banker 8
BOTH = "5s 4h 5d 4c"  # Player 0, Banker a natural 8
BANKER_PAIR = "5s 4h 6d 4c"  # Player 1, Banker a natural 8


@pytest.mark.parametrize(
    ("cards", "bet", "returned", "clause"),
    [
        (DRAGON, "player", 0, "B.1"),
        (DRAGON, "banker", 10_00, "B.4"),
        (DRAGON, "tie", 0, "B.1"),
        (DRAGON, "dragon_seven", 410_00, "B.6"),
        (DRAGON, "panda_eight", 0, "B.7"),
        (DRAGON, "lucky_pair", 0, "B.9"),
        (BANKER_STANDS_ON_SEVEN, "banker", 20_00, "B.2"),
        (BANKER_STANDS_ON_SEVEN, "dragon_seven", 0, "B.5"),
        (PANDA, "player", 20_00, "B.2"),
        (PANDA, "banker", 0, "B.1"),
        (PANDA, "panda_eight", 260_00, "B.8"),
        (NATURAL_EIGHT, "player", 20_00, "B.2"),
        (NATURAL_EIGHT, "panda_eight", 0, "B.7"),
        (TIED_ON_SEVEN, "player", 10_00, "B.3"),
        (TIED_ON_SEVEN, "banker", 10_00, "B.3"),
        (TIED_ON_SEVEN, "tie", 90_00, "B.3"),
        (TIED_ON_SEVEN, "dragon_seven", 0, "B.5"),
        (TWIN, "lucky_pair", 2010_00, "B.12"),
        (BOTH, "lucky_pair", 260_00, "B.11"),
        (BANKER_PAIR, "lucky_pair", 55_00, "B.10"),
    ],
)
def test_a_stake_of_ten_is_settled(cards: str, bet: str, returned: int, clause: str) -> None:
    (settled,) = settle(BOOK, BOOK.coup(cards), [Stake("ann", bet, 10_00)], layout="gate").bets
    assert (settled.returned_minor, settled.clauses) == (returned, (clause,))
    assert settled.commission_minor is None


@pytest.mark.parametrize(
    ("cards", "bet", "result"),
    [
        ("", "dragon_seven", None),
        ("Ks 2h 2d 3c", "dragon_seven", None),
        ("Ks 2h 2d 3c", "lucky_pair", Result.LOSE),
        ("5s 5h 5d ??", "lucky_pair", Result.WIN),
        ("5s ?? 6d 4c", "lucky_pair", None),
        ("Ks 3h 2d 4c", "dragon_seven", Result.LOSE),
        ("Ks 3h 2d 4c", "panda_eight", None),
        ("Ks 3h 2d 4c Kd", "panda_eight", Result.LOSE),
        ("Ks 2h 7d 3c", "panda_eight", Result.LOSE),
        ("Ks 2h 2d 3c 4s", "banker", None),
        (DRAGON, "banker", Result.PUSH),
        (DRAGON, "dragon_seven", Result.WIN),
    ],
)
def test_what_is_certain_of_a_partial_coup(cards: str, bet: str, result: Result | None) -> None:
    assert decided(BOOK.bets[bet], BOOK.coup(cards)) is result


def test_the_drawing_rule_cites_its_clauses() -> None:
    coup = BOOK.coup("Ks 2h 2d 3c 4s")
    assert BOOK.coup().next.clauses == ("A.3",)
    assert (coup.fifth.to, coup.fifth.clauses) == (To.PLAYER, ("A.4",))
    assert (coup.next.to, coup.next.clauses) == (To.BANKER, ("A.6",))


def test_another_drawing_rule_gives_another_coup() -> None:
    """If Player stands on 5, the fifth card is Banker's."""
    draws = '{ points = [0, 1, 2, 3, 4, 5], does = "draws", clause = "A.4" }'
    stands = '{ points = [6, 7], does = "stands", clause = "A.4" }'
    text = changed(TEXT, draws, draws.replace(", 5]", "]"))
    text = changed(text, stands, stands.replace("[6", "[5, 6"))
    bold = read_book(text, "x.toml")
    cards = "Ks 2h 5d 3c 4s 2c"
    assert [str(end) for end in (BOOK.coup(cards).end, bold.coup(cards).end)] == [
        "Player 9 on 3 cards, Banker 7 on 3",
        "Player 5 on 2 cards, Banker 9 on 3",
    ]
    assert bold.law_hash != BOOK.law_hash


def test_a_menu_is_the_layout_s_own() -> None:
    assert BOOK.layout("gate").menu == tuple(BOOK.bets)
    assert (BOOK.layouts["gate"].least_boxes, BOOK.layouts["gate"].most_boxes) == (1, 7)
    with pytest.raises(Refused, match="panda_eight is not on layout salon") as refused:
        settle(BOOK, BOOK.coup(PANDA), [Stake("ann", "panda_eight", 10_00)], layout="salon")
    assert (refused.value.code, refused.value.clauses) == (Code.BET_NOT_ON_LAYOUT, ("A.1", "B.8"))
    with pytest.raises(Refused, match="Name one of gate or salon") as refused:
        settle(BOOK, BOOK.coup(PANDA), [Stake("ann", "player", 10_00)])
    assert refused.value.code is Code.LAYOUT_REQUIRED


@pytest.mark.parametrize(("layout", "box", "decks"), [("gate", 7, 6), ("salon", 14, 8)])
def test_boxes_and_decks_within_the_book_s_range_are_taken(layout: str, box: int, decks: int) -> None:
    stakes = [Stake("ann", "player", 10_00, box=box)]
    (settled,) = settle(BOOK, BOOK.coup(PANDA), stakes, layout=layout, decks=decks).bets
    assert settled.returned_minor == 20_00


@pytest.mark.parametrize(
    ("layout", "box", "decks", "code"),
    [
        ("gate", 8, 6, Code.UNKNOWN_BOX),
        ("salon", 15, 8, Code.UNKNOWN_BOX),
        ("salon", 1, 5, Code.DECKS_OUT_OF_RANGE),
        ("salon", 1, 9, Code.DECKS_OUT_OF_RANGE),
    ],
)
def test_other_boxes_and_decks_are_refused(layout: str, box: int, decks: int, code: Code) -> None:
    with pytest.raises(Refused) as refused:
        settle(BOOK, BOOK.coup(PANDA), [Stake("ann", "player", 10_00, box=box)], layout=layout, decks=decks)
    assert (refused.value.code, refused.value.clauses) == (code, ("A.1",))


@pytest.mark.parametrize(
    ("cards", "side", "stage", "returned", "clauses"),
    [
        ("Ks 2h 7d 3c 4c", Side.PLAYER, Stage.FOUR, 9_00, ("C.4",)),  # 7 against 9: the insured hand loses
        ("Ks 2h 7d 3c 2c", Side.PLAYER, Stage.FOUR, 2_00, ("C.3",)),  # 7 against 7
        ("Ks 2h 7d 3c Kc", Side.PLAYER, Stage.FOUR, 0, ("C.2",)),  # 7 against 5
        ("Ks Kh 5d 3c 5c 7c", Side.BANKER, Stage.THIRD, 20_00, ("C.5", "C.6")),  # 0 against 0: a tie pays
        ("Ks Kh 5d 3c 5c 9c", Side.BANKER, Stage.THIRD, 0, ("C.2",)),  # 0 against 2
    ],
)
def test_insurance_of_two_is_settled(
    cards: str, side: Side, stage: Stage, returned: int, clauses: tuple[str, ...]
) -> None:
    stakes = [Stake("ann", side, 20_00)]
    insured = [InsuranceStake("ann", side, stage, 2_00)]
    (settled,) = settle(BOOK, BOOK.coup(cards), stakes, insured, layout="gate").insurance
    assert (settled.returned_minor, settled.clauses) == (returned, clauses)


def test_the_cap_is_the_book_s() -> None:
    """Insurance at 7 to 2 may win at most 7.00 on an Original Bet of 7.00."""
    coup, stakes = BOOK.coup("Ks 2h 7d 3c 4c"), [Stake("ann", "player", 7_00)]
    most = InsuranceStake("ann", Side.PLAYER, Stage.FOUR, 2_00)
    assert settle(BOOK, coup, stakes, [most], layout="gate").insurance[0].returned_minor == 9_00
    above = InsuranceStake("ann", Side.PLAYER, Stage.FOUR, 2_01)
    with pytest.raises(Refused) as refused:
        settle(BOOK, coup, stakes, [above], layout="gate")
    assert (refused.value.code, refused.value.clauses) == (Code.INSURANCE_ABOVE_CAP, ("C.7",))


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with a sixth book and its sentences in the catalogue."""
    shelf = tmp_path_factory.mktemp("shelf")
    package = shelf / "punto"
    shutil.copytree(Path(punto.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "rules" / "books" / "dragon-gate.toml").write_text(TEXT, encoding="utf-8")
    words = {"book.dragon-gate": "Dragon Gate"} | {f"bet.{bet}": bet.replace("_", " ").title() for bet in BOOK.bets}
    words |= {f"clause.dragon-gate.{clause}": f"A clause on {clause}." for clause in CLAUSES}
    for language in ("en", "zh"):
        with (package / "catalogue" / language / "__init__.py").open("a", encoding="utf-8") as catalogue:
            catalogue.write(f"SENTENCES |= {words}\n")
    return shelf


def run(shelf: Path, *arguments: str, given: str = "") -> str:
    """The output of a command of that copy."""
    return subprocess.run(
        [sys.executable, "-m", "punto", *arguments],
        input=given,
        env={**os.environ, "PYTHONPATH": str(shelf), "PYTHONUTF8": "1"},
        cwd=shelf,
        capture_output=True,
        timeout=DEADLINE_S,
        check=True,
        encoding="utf-8",
    ).stdout


def test_a_file_on_the_shelf_is_a_game_more(shelf: Path) -> None:
    rows = json.loads(run(shelf, "rules", "--json"))
    assert {row["book"] for row in rows} == {*book_ids(), "dragon-gate"}
    of_game = [row for row in rows if row["book"] == "dragon-gate"]
    assert [(row["clause"], row["summary"]) for row in of_game] == [(one, f"A clause on {one}.") for one in CLAUSES]


def test_rounds_of_the_game_on_the_shelf_are_settled(shelf: Path) -> None:
    given = {
        "game": "dragon-gate",
        "layout": "gate",
        "cards": DRAGON.split(),
        "bets": [
            {"who": "ann", "bet": "banker", "stake": "10"},
            {"who": "ann", "bet": "dragon_seven", "stake": "2.50"},
        ],
    }
    settled = json.loads(run(shelf, "settle", given=json.dumps(given)))
    assert settled["round"]["winner"] == "banker"
    assert [(row["result"], row["returned"], row["clauses"]) for row in settled["results"]] == [
        ("push", "10.00", ["B.4"]),
        ("win", "102.50", ["B.6"]),
    ]


def test_a_coup_of_the_game_on_the_shelf_is_explained(shelf: Path) -> None:
    coup = json.loads(run(shelf, "coup", "dragon-gate", *PANDA.split(), "--json"))
    assert coup["bets"]["panda_eight"] == {"result": "win", "clauses": ["B.8"], "odds": "25"}
