"""``punto referee``: rulings as text and as JSON, in both languages, and what is refused."""

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from punto.cli import main

QUESTION = {
    "book": "commission-insurance",
    "bets": [{"box": 1, "bet": "banker", "stake": "100"}, {"box": 2, "bet": "player", "stake": "50"}],
    "happened": [
        "9 2 K 3",
        {"command": "report_wrong_side.1", "as_dealt": ["banker", "player", "banker", "player"]},
    ],
}
REFUSED = {**QUESTION, "happened": ["9 2 K 3", {"command": "call_time.1"}]}


def asked(question: object, *options: str) -> Result:
    text = question if isinstance(question, str) else json.dumps(question)
    return CliRunner().invoke(main, ["referee", *options], input=text)


def test_a_ruling_says_what_follows_who_may_and_what_everybody_ends_with() -> None:
    done = asked(QUESTION)
    assert done.exit_code == 0, done.output
    lines = [line.strip() for line in done.stdout.splitlines() if line]
    assert lines[0] == "Commission Baccarat with Insurance"
    assert "As dealt: Player 2 3; Banker 9 K." in lines
    assert "By the order drawn: Player 9 K; Banker 2 3." in lines
    assert "Who may: pit supervisor or above." in lines
    ends = lines.index("What everybody ends with")
    assert lines[ends + 1 : ends + 4] == ["Player wins 9 to 5.", "Box 1  \N{MINUS SIGN}100", "Box 2  +50"]


PARTLY = {
    "book": "commission-insurance",
    "table": {"differential_minor": 100_000},
    "bets": [
        {"box": 1, "bet": "banker", "stake": "1000", "who": "ann"},
        {"box": 1, "bet": "banker", "stake": "500", "who": "dan"},
        {"box": 1, "bet": "player", "stake": "200", "who": "ann"},
    ],
    "happened": ["9 2 K 3"],
}
TIED = {
    "book": "da-hu-ying-xiong",
    "bets": [{"box": 1, "bet": "banker", "stake": "100"}],
    "happened": [
        "5s 2d Kh 3c 5d",
        {"command": "take_insurance.1", "who": "box 1", "box": 1, "stake_minor": 1000},
        "5h",
    ],
}


def test_it_says_which_part_of_a_bet_plays_and_why() -> None:
    notes = json.loads(asked(PARTLY, "--json").stdout)["outcomes"][0]["notes"]
    why = "Banker 1,500 - Player 200 is 300 over the limit of 1,000, shared by all on Banker (5.1.1)."
    assert notes == [
        f"ann, box 1, Banker: Placed 1,000; 800 plays, 200 goes back: {why}",
        f"dan, box 1, Banker: Placed 500; 400 plays, 100 goes back: {why}",
    ]
    assert all(note in asked(PARTLY).stdout for note in notes)
    open_still = {**PARTLY, "happened": ["9 2"]}
    assert json.loads(asked(open_still, "--json").stdout)["outcomes"][0]["notes"] == notes


def test_it_says_by_which_clause_a_tie_pays_insurance() -> None:
    ruling = json.loads(asked(TIED, "--json").stdout)
    assert ruling["outcomes"][0]["notes"] == [
        "Box 1, Banker Insurance: The hands tie, and this insurance pays on a tie (4.2.1(b))."
    ]


def test_it_speaks_chinese() -> None:
    done = asked(QUESTION, "--language", "zh")
    assert done.exit_code == 0
    assert "每位玩家的结果" in done.stdout
    assert "What everybody" not in done.stdout


def test_as_json_it_has_figures_and_words() -> None:
    ruling: dict[str, Any] = json.loads(asked(QUESTION, "--json").stdout)
    assert ruling["book"] == "commission-insurance"
    assert [step["clauses"][0] for step in ruling["steps"]] == ["5.8"]
    assert ruling["steps"][0]["positions"][0] == "pit_supervisor"
    (outcome,) = ruling["outcomes"]
    assert [(end["who"], end["change_minor"], end["back_minor"]) for end in outcome["ends"]] == [
        ("box 1", -10000, None),
        ("box 2", 5000, None),
    ]
    assert ruling["link"].startswith("/referee?q=1")


def test_a_step_that_cannot_be_is_said_with_its_clause() -> None:
    done = asked(REFUSED)
    assert done.exit_code == 1
    assert "This cannot be" in done.stdout
    ruling: dict[str, Any] = json.loads(asked(REFUSED, "--json").stdout)
    assert (ruling["refused"]["step"], ruling["refused"]["code"]) == (1, "no_options")
    assert ruling["outcomes"] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("five of spades", "malformed_json"),
        ("{}", "wrong_type"),
        ('{"book": "poker"}', "unknown_book"),
        ('{"book": "commission", "happened": ["9 Z"]}', "not_a_card"),
    ],
)
def test_what_is_no_question_is_refused(text: str, code: str) -> None:
    done = asked(text)
    assert done.exit_code == 2
    assert f"Refused ({code})" in done.stderr
    assert json.loads(asked(text, "--json").stdout)["error"]["code"] == code


def test_a_file_is_read(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("referee") / "question.json"
    file.write_text(json.dumps(QUESTION), encoding="utf-8")
    assert CliRunner().invoke(main, ["referee", str(file)]).stdout == asked(QUESTION).stdout
