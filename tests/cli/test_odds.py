"""``punto odds``: JSON, tables, and refusals."""

import json
import re
from fractions import Fraction
from typing import Any
from unicodedata import east_asian_width

import pytest
from click.testing import CliRunner

from punto import book
from punto.cli import main
from punto.odds import figures, full_shoe, removal, shoe_of, shoe_without, solve
from punto.odds.shoe import read_known_cards
from punto.rules.coup.cards import RANKS
from punto.rules.rulebook import Rulebook
from tests.marks import BOOKS

ALL = [pytest.param(rules, id=rules.id) for rules in BOOKS]
KEYS = ["game", "decks", "cards", "bets", "insurance", "cards_per_round"]
BET_KEYS = ["edge", "hit", "edge_float", "hit_float", "std"]
CELL_KEYS = [
    *("stage", "side", "player", "banker", "odds", "offered", "win", "push", "lose", "edge", "edge_float"),
]


def _run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["odds", *arguments])
    assert done.exit_code == status, done.output
    return done.stdout


def _json(*arguments: str, status: int = 0) -> Any:
    return json.loads(_run(*arguments, "--json", status=status))


def _rows(*arguments: str) -> list[list[str]]:
    """The lines of the output, each split into cells."""
    return [re.split(r"\s{2,}", line.strip()) for line in _run(*arguments).splitlines() if line.strip()]


@pytest.mark.parametrize("rules", ALL)
def test_the_contract(rules: Rulebook) -> None:
    out = _json(rules.id, "--decks", "8")
    worth = figures(rules, solve(rules, full_shoe(rules, 8)))
    assert list(out) == KEYS
    assert (out["game"], out["decks"], out["cards"]) == (rules.id, 8, 416)
    assert list(out["bets"]) == list(rules.bets)
    for bet, entry in out["bets"].items():
        each = worth.bets[bet]
        assert list(entry) == BET_KEYS
        assert (Fraction(entry["edge"]), Fraction(entry["hit"])) == (each.edge, each.win)
        assert (entry["edge_float"], entry["hit_float"]) == (float(each.edge), float(each.win))
        assert entry["std"] ** 2 == pytest.approx(float(each.variance))
    assert len(out["insurance"]) == len(worth.insurance)
    for entry, cell in zip(out["insurance"], worth.insurance, strict=True):
        assert list(entry) == CELL_KEYS
        assert [Fraction(entry[key]) for key in CELL_KEYS[4:10]] == [
            *(Fraction(cell.odds), cell.offered, cell.win, cell.push, cell.lose, cell.edge),
        ]
        assert Fraction(entry["win"]) + Fraction(entry["push"]) + Fraction(entry["lose"]) == 1
        assert entry["edge_float"] == float(cell.edge)
        assert (entry["stage"], entry["side"]) == (cell.stage, cell.side)
        assert (entry["player"], entry["banker"]) == (cell.player, cell.banker)
    assert list(out["cards_per_round"]) == ["4", "5", "6"]
    assert sum(map(Fraction, out["cards_per_round"].values())) == 1


def test_the_books_most_decks_are_the_default() -> None:
    assert _json("commission")["decks"] == 8
    assert _json("tiger-buffalo") == _json("tiger-buffalo", "--decks", "10")
    assert _json("tiger-buffalo")["cards"] == 520


def test_every_fraction_is_written_in_lowest_terms() -> None:
    out = _json("commission-insurance")
    said = [entry[key] for entry in out["insurance"] for key in CELL_KEYS[4:10]]
    said += [entry[key] for entry in out["bets"].values() for key in ("edge", "hit")]
    assert all(re.fullmatch(r"-?[0-9]+(/[0-9]+)?", text) and str(Fraction(text)) == text for text in said)


def test_without_and_left_say_what_is_in_the_shoe() -> None:
    rules = book("commission")
    out = _json("commission", "--decks", "6", "--without", "As Kd Kd")
    shoe = shoe_without(rules, 6, read_known_cards("As Kd Kd"))
    assert out["cards"] == 309
    assert Fraction(out["bets"]["tie"]["edge"]) == figures(rules, solve(rules, shoe)).bets["tie"].edge
    six = "As Kd 2c 2h 9d 5s"
    out = _json("commission", "--left", six)
    shoe = shoe_of(rules, 8, read_known_cards(six))
    assert out["cards"] == 6
    assert Fraction(out["bets"]["player_pair"]["hit"]) == figures(rules, solve(rules, shoe)).bets["player_pair"].win
    assert "8 decks, 6 of 416 cards" in _run("commission", "--left", six)


def test_a_layout_has_its_own_bets() -> None:
    assert list(_json("tiger-buffalo", "--layout", "C")["bets"]) == list(book("tiger-buffalo").layouts["C"].menu)


def test_lines_say_every_way_a_bet_can_come_out() -> None:
    out = _json("tiger-buffalo", "--lines")
    for entry in out["bets"].values():
        assert list(entry) == [*BET_KEYS, "push", "lose", "variance", "lines"]
        assert sum(Fraction(line["chance"]) for line in entry["lines"]) == 1
        for result, key in (("win", "hit"), ("push", "push"), ("lose", "lose")):
            chances = [Fraction(line["chance"]) for line in entry["lines"] if line["result"] == result]
            assert sum(chances) == Fraction(entry[key])
        assert float(Fraction(entry["variance"])) == pytest.approx(entry["std"] ** 2)
    char_siu = out["bets"]["player_char_siu"]["lines"]
    assert [line.get("odds") for line in char_siu] == ["10", "15", "50", None]
    banker = out["bets"]["banker"]["lines"][0]
    assert (banker["odds"], banker["commission"], banker["clauses"]) == ("1", "1/20", ["4.1.2", "4.1.1"])
    rows = _rows("tiger-buffalo", "--lines", "--layout", "A")
    assert any(row[:3] == ["Banker 庄", "win", "1 to 1 less 1/20"] for row in rows)


def test_the_page_marks_the_twelve_cells_that_favour_the_bettor() -> None:
    rows = _rows("commission-insurance")
    marked = [row for row in rows if row[-1] == "favours the bettor"]
    assert len(marked) == 12
    assert all(row[-2].startswith("-") for row in marked)
    assert ["Banker", "0", "6", "3 to 1"] in [row[:4] for row in marked]
    assert rows[-1] == ["0 of 5 bets and 12 of 73 insurance cells favour the bettor."]
    assert ["Player 闲", "1.2351%", "44.6247%", "9.5156%", "45.8597%", "0.9512"] in rows
    assert ["Cards in a round: 4 in 37.8868%, 5 in 30.3444%, 6 in 31.7687% of rounds."] in rows


def test_a_bet_that_favours_the_bettor_is_marked_too() -> None:
    rows = _rows("commission", "--left", "As Ah Ad 2c 2h 2s Kc")
    pair = next(row for row in rows if row[0] == "Player Pair")
    assert pair[-1] == "favours the bettor"
    assert next(row for row in rows if row[0] == "Banker 庄")[-1] != "favours the bettor"


def test_a_marked_line_is_coloured_where_someone_looks() -> None:
    page = CliRunner().invoke(main, ["odds", "commission-insurance"], color=True).stdout
    assert page.count("\x1b[32m\x1b[1mfavours the bettor") == 12


def test_a_cell_that_never_comes_has_no_figures() -> None:
    cells = _json("commission-insurance", "--left", "8s 8h 8d 8c 8s 8h")["insurance"]
    assert cells == []  # both hands have 16, so 6 points, and both stand
    assert len(_json("commission-insurance")["insurance"]) == 73


def test_games_side_by_side() -> None:
    out = _json("commission", "--compare", "games")
    assert [entry["game"] for entry in out] == [rules.id for rules in BOOKS]
    assert out[1] == _json("commission-insurance")
    assert {entry["decks"] for entry in out} == {8}
    rows = _rows("commission", "--compare", "games")
    assert rows[0] == ["The house's edge, 8 decks; * favours the bettor"]
    assert rows[1:3] == [
        ["commission-", "da-hu-ying-", "super-six-", "tiger-"],
        ["commission", "insurance", "xiong", "plus", "buffalo"],
    ]
    assert ["Banker 庄", "1.0579%", "1.0579%", "1.4581%", "1.0579%", "1.0579%"] in rows
    assert ["Tiger Tie", "-", "-", "30.7354%", "-", "-"] in rows
    assert ["four:0-6 Banker", "-", "-2.4389%*", "9.9986%", "-", "9.9986%"] in rows
    assert rows[-2] == ["marked *", "-", "12", "0", "-", "0"]
    assert rows[-1] == ["four: on four cards, third: on Player's third card; Player's points first."]


@pytest.mark.parametrize(("said", "decks"), [("4-8", range(4, 9)), ("decks", range(4, 11)), ("6-6", range(6, 7))])
def test_decks_side_by_side(said: str, decks: range) -> None:
    out = _json("tiger-buffalo", "--compare", said, "--layout", "A")
    assert [entry["decks"] for entry in out] == list(decks)
    assert out[0] == _json("tiger-buffalo", "--decks", str(decks[0]), "--layout", "A")
    assert _rows("tiger-buffalo", "--compare", said)[1] == [f"{count} decks" for count in decks]


def test_the_mark_is_explained_where_it_stands() -> None:
    assert _rows("super-six-plus", "--compare", "decks")[0] == [
        "The house's edge, Commission Baccarat with Super Six Plus"
    ]
    page = _run("commission", "--left", "As Ah Ad 2c 2h 2s Kc", "--compare", "games")
    assert page.startswith("The house's edge, 8 decks; * favours the bettor\n")
    assert page.count("%*") > 1


def test_where_no_cell_favours_the_bettor_none_is_compared() -> None:
    assert "nsurance" not in _run("commission", "--compare", "decks")
    assert "\nInsurance" not in _run("tiger-buffalo", "--compare", "decks")
    assert "\nInsurance" in _run("commission-insurance", "--compare", "decks")


def test_figures_end_where_their_heads_end() -> None:
    head, banker = (_run("commission", "--compare", "games").splitlines()[at] for at in (2, 4))
    ends = [found.end() for found in re.finditer(r"\S+", head)]
    wide = banker.replace("庄", "庄_")  # a wide character takes two columns
    assert [found.end() for found in re.finditer(r"[0-9.]+%", wide)] == ends


def _widths(page: str) -> list[int]:
    return [sum(2 if east_asian_width(char) in "WF" else 1 for char in line) for line in page.splitlines()]


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--lines",),
        ("--removal",),
        ("--compare", "games"),
        ("--compare", "decks"),
        ("--without", "Ts Jh Jd Qd Qs Qh"),
        ("--without", "Ts Jh Jd Qd Qs Qh", "--removal"),
        ("--left", "As Ah Ad 2c 2h 2s Kc"),
        ("--left", "As Ah Ad 2c 2h 2s Kc", "--removal"),
        ("--left", "As Ah Ad 2c 2h 2s Kc", "--compare", "games"),
    ],
)
def test_pages_fit_120_columns_and_tables_of_bets_100(rules: Rulebook, options: tuple[str, ...]) -> None:
    page = _run(rules.id, *options)
    assert max(_widths(page)) <= 120
    if "--without" not in options and "--lines" not in options:
        assert max(_widths(page.partition("\nInsurance")[0])) <= 100


@pytest.mark.sweep
@pytest.mark.parametrize("rules", ALL)
def test_removal_as_exact_fractions(rules: Rulebook) -> None:
    out = _json(rules.id, "--decks", "4", "--removal")
    assert list(out) == [*KEYS, "removal"]
    changes = removal(rules, full_shoe(rules, 4))
    assert list(out["removal"]["bets"]) == list(rules.bets)
    for bet, entry in out["removal"]["bets"].items():
        exact = changes.bets[bet].by_rank
        assert {rank: Fraction(effect) for rank, effect in entry["effects"].items()} == exact
        assert entry["effects_float"] == {rank: float(effect) for rank, effect in exact.items()}
        assert list(entry["effects"]) == list(RANKS)
    cells = {(cell.stage, cell.side, cell.player, cell.banker): each for cell, each in changes.insurance.items()}
    assert len(out["removal"]["insurance"]) == len(cells) == len(out["insurance"])
    for entry in out["removal"]["insurance"]:
        each = cells[entry["stage"], entry["side"], entry["player"], entry["banker"]]
        assert {rank: Fraction(effect) for rank, effect in entry["effects"].items()} == each.by_rank


def test_removal_for_people() -> None:
    rows = _rows("commission-insurance", "--decks", "8", "--removal")
    head = next(row for row in rows if row[0] == "Bets")
    assert head[1:] == [*"A23456789", "T-K"]
    banker = next(row for row in rows if row[0] == "Banker 庄")
    effects = removal(book("commission-insurance"), full_shoe(book("commission-insurance"), 8)).bets["banker"].by_rank
    assert banker[1:] == [f"{float(effects[rank]) * 1e4:+.2f}" for rank in RANKS[:10]]
    assert next(row for row in rows if row[0] == "Player Pair")[1:] == ["0"] * 10
    assert sum(re.match(r"(four|third):[0-9]-[0-9] (Player|Banker)$", row[0]) is not None for row in rows) == 73
    assert ["+ is better for the bettor, - is worse."] in rows


def test_removal_where_a_rank_is_gone() -> None:
    rows = _rows("commission", "--left", "As Ah Ad 2c 2h 2s Kc", "--removal")
    head = next(row for row in rows if row[0] == "Bets")
    assert head[1:] == ["A", "2", "3-Q", "K"]
    assert next(row for row in rows if row[0] == "Player Pair")[3] == "-"
    effects = _json("commission", "--left", "As Ah Ad 2c 2h 2s Kc", "--removal")["removal"]["bets"]["tie"]["effects"]
    assert list(effects) == ["A", "2", "K"]


@pytest.mark.parametrize(
    ("arguments", "code", "cited", "says"),
    [
        (("nosuch",), "unknown_book", [], "Use one of these: commission"),
        (("commission", "--decks", "3"), "decks_out_of_range", ["2.2.1"], "4 to 8 decks, not 3"),
        (("commission", "--decks", "9"), "decks_out_of_range", ["2.2.1"], "4 to 8 decks, not 9"),
        (("tiger-buffalo", "--decks", "11"), "decks_out_of_range", ["2.2.1"], "4 to 10 decks"),
        (("commission", "--without", "As " * 9), "too_many_copies", ["2.2.1"], "8 decks have only 8 of it"),
        (("commission", "--without", "As ??"), "not_a_card", [], "'??' is not a card"),
        (("commission", "--without", "Ax"), "not_a_card", [], "'Ax' is not a card"),
        (("commission", "--left", "As Ks 2d 2h 9c"), "too_few_cards", ["5.1.3"], "only 5 left"),
        (("commission", "--left", ""), "too_few_cards", ["5.1.3"], "only 0 left"),
        (("tiger-buffalo", "--left", "As"), "too_few_cards", ["5.5.4"], "only 1 left"),
        (("commission", "--left", "2s 2d 2c 2h 9c 9s", "--removal"), "too_few_cards", ["5.1.3"], "none can be removed"),
        (("commission", "--left", "As", "--without", "As"), "options_contradict", [], "Leave one out"),
        (("commission", "--layout", "Z"), "unknown_layout", ["2.1.1"], "no layout 'Z'"),
        (("commission", "--compare", "colours"), "wrong_type", [], "games, decks or a range of decks"),
        (("commission", "--compare", "8-4"), "wrong_type", [], "games, decks or a range of decks"),
        (("commission", "--compare", "3-8"), "decks_out_of_range", ["2.2.1"], "not 3"),
        (("commission", "--compare", "4-10"), "decks_out_of_range", ["2.2.1"], "not 10"),
        (("tiger-buffalo", "--compare", "games", "--decks", "10"), "decks_out_of_range", ["2.2.1"], "not 10"),
        (("commission", "--compare", "games", "--layout", "A"), "options_contradict", [], "belongs to one game"),
        (("commission", "--compare", "4-8", "--decks", "6"), "options_contradict", [], "how many decks"),
        (("commission", "--compare", "4-8", "--removal"), "options_contradict", [], "`--removal` shows one shoe"),
        (("commission", "--compare", "games", "--lines"), "options_contradict", [], "`--lines` shows one shoe"),
        (
            ("commission", "--compare", "decks", "--left", "As"),
            "options_contradict",
            [],
            "the same for any number",
        ),
        (
            ("commission", "--compare", "4-8", "--left", "As"),
            "options_contradict",
            [],
            "the same for any number",
        ),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], code: str, cited: list[str], says: str) -> None:
    error = _json(*arguments, status=2)["error"]
    assert (error["code"], error["clauses"]) == (code, cited)
    assert says in error["message"]
    done = CliRunner().invoke(main, ["odds", *arguments])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"Refused ({code}): ")
    assert says in done.stderr


def test_no_blanks_at_the_end_of_a_line() -> None:
    for more in ((), ("--lines",), ("--removal",), ("--compare", "games")):
        assert [line for line in _run("commission-insurance", *more).splitlines() if line != line.rstrip()] == []
