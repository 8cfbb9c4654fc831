"""``punto count``: the best count for a bet, and its gain."""

import json
import re
import signal
from fractions import Fraction
from typing import Any

import pytest
from click.testing import CliRunner

from punto.cli import main
from punto.rules.coup.cards import RANKS
from tests.cli.running import punto
from tests.cli.watched import Watched

pytestmark = pytest.mark.slow

SIMULATED = {
    *("bets", "frequency", "gain_per_bet", "gain_per_shoe", "gain_per_shoe_error", "won_per_shoe"),
    *("betting_correlation", "gain_per_round", "gain_per_round_error"),
}


def _run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["count", *arguments])
    assert done.exit_code == status, done.output
    return done.stdout


def _json(*arguments: str, status: int = 0) -> Any:
    return json.loads(_run(*arguments, "--json", status=status))


def test_a_count_for_programs() -> None:
    out = _json("tiger-buffalo", "small_tiger", "--decks", "8", "--shoes", "30", "--cut-card", "20", "--seed", "4")
    assert (out["game"], out["bet"], out["decks"]) == ("tiger-buffalo", "small_tiger", 8)
    assert (out["cut"], out["shoes"], out["seed"]) == (20, 30, 4)
    assert out["rounds"] > 30 * 70
    assert round(out["edge_float"] * 100, 4) == 14.3325
    assert list(out["effects"]) == list(RANKS)
    assert sum(map(Fraction, out["effects"].values())) == 0
    assert list(out["levels"]) == ["1", "2", "3"]
    for tags in (out["best"], *out["levels"].values()):
        assert list(tags["tags"]) == list(RANKS)
        assert sum(map(Fraction, tags["tags"].values())) == 0
        assert set(tags["simulated"]) == SIMULATED
        assert tags["turns_at"] > 0
    assert out["levels"]["1"]["tags"] == {**dict.fromkeys(RANKS, "0"), "6": "-1", "7": "1"}
    assert set(out["exact"]) == SIMULATED
    assert out["exact"]["gain_per_shoe"] >= out["best"]["simulated"]["gain_per_shoe"]
    assert out["least_edge"] < out["edge_float"] < out["most_edge"]
    assert "continuous" not in out


def test_a_count_for_people() -> None:
    page = _run("tiger-buffalo", "small_tiger", "--decks", "8", "--shoes", "20")
    rows = [re.split(r"\s{2,}", line.strip()) for line in page.splitlines() if line.strip()]
    assert ["Small Tiger: the house's edge is 14.3325% on a full shoe"] in rows
    assert ["card", "effect in 1/100 %", "best tags", "level 1", "level 2", "level 3"] in rows
    tags = {row[0]: row for row in rows if len(row) == 6}
    assert [tags[rank][3] for rank in RANKS[:9]] == ["0", "0", "0", "0", "0", "-1", "+1", "0", "0"]
    assert [row[0] for row in rows if re.fullmatch("[TJQK](-.)?", row[0])] == ["T-K"]
    assert next(row for row in rows if row[0] == "correlation")[2] == "0.8644"
    assert next(row for row in rows if row[0] == "turns at")[2] == "+3.54"
    assert any(row[0].startswith("Dealt: 20 shoes") and "14 from the end" in row[0] for row in rows)
    (exact,) = [row for row in rows if row[0] == "exact odds"]
    assert exact[1].endswith("%")
    assert exact[-1] == "1.0000"
    assert page == _run("tiger-buffalo", "small_tiger", "--decks", "8", "--shoes", "20")
    assert [line for line in page.splitlines() if line != line.rstrip()] == []


def test_cards_that_are_tagged_apart_stand_apart() -> None:
    rows = [line.split() for line in _run("commission", "tie", "--shoes", "0").splitlines()]
    assert [row[-1] for row in rows if row and row[0] in {"T-Q", "K"}] == ["+2", "+1"]


@pytest.mark.parametrize(
    ("game", "bet"), [("tiger-buffalo", "tie"), ("commission-insurance", "four:0-6"), ("commission", "banker_pair")]
)
def test_the_page_fits_100_columns(game: str, bet: str) -> None:
    assert max(map(len, _run(game, bet, "--shoes", "16").splitlines())) <= 100


@pytest.mark.nightly
def test_the_shoes_are_those_of_a_simulation_where_nothing_is_said() -> None:
    simulated = json.loads(punto("simulate", "commission", "--shoes", "40", "--json").stdout)
    counted = _json("commission", "tie", "--shoes", "40")
    assert (counted["seed"], counted["cut"], counted["rounds"]) == (1, 14, simulated["rounds"])
    assert _json("commission", "tie", "--shoes", "40", "--seed", "0")["rounds"] != simulated["rounds"]
    assert counted == _json("commission", "tie", "--shoes", "40", "--cut", "14")  # the short name


def test_a_pair_bet_cannot_be_counted_by_tags() -> None:
    page = _run("commission", "player_pair", "--shoes", "0")
    assert "so there is nothing to count" in page
    out = _json("commission", "player_pair", "--shoes", "10")
    assert (out["best"], out["levels"]) == (None, {})
    assert out["exact"]["bets"] >= 0
    assert "  exact odds  " in _run("commission", "player_pair", "--shoes", "10")


def test_an_insurance_cell_has_a_count() -> None:
    out = _json("commission-insurance", "four:0-6")
    assert round(-out["edge_float"], 6) == 0.024389
    assert "exact" not in out
    assert out["levels"]["3"]["correlation"] > 0.99
    assert "Banker insured on four cards, 0-6" in _run("commission-insurance", "four:0-6")


@pytest.mark.parametrize(
    ("arguments", "code", "cited", "says"),
    [
        (("nosuch", "banker"), "unknown_book", [], "no book"),
        (("commission", "tiger"), "unknown_bet", ["3.3"], "no bet 'tiger'. Use one of these: player, banker"),
        (("commission-insurance", "banker_insurance"), "unknown_bet", ["3.7"], "no bet 'banker_insurance'"),
        (("commission-insurance", "four:9-9"), "insurance_not_offered", ["3.12", "3.12.1"], "never offers"),
        (("commission", "four:0-6"), "insurance_not_offered", [], "Commission Baccarat has no insurance"),
        (("commission", "banker", "--decks", "9"), "decks_out_of_range", ["2.2.1"], "4 to 8"),
        (("commission", "banker", "--cut-card", "-1"), "out_of_range", [], "cut card"),
        (("commission", "banker", "--cut-card", "400"), "out_of_range", [], "11 to 399"),
        (("commission", "banker", "--shoes", "-1"), "out_of_range", [], "0 or more"),
        (("commission-insurance", "four:0-6", "--shoes", "-4"), "out_of_range", [], "0 or more"),
        (("commission", "banker", "--seed", "-1"), "out_of_range", [], "The seed must be 0 to"),
        (("commission", "banker", "--back-after", "2"), "options_contradict", [], "goes with `--continuous`"),
        (("commission", "banker", "--rounds", "9"), "options_contradict", [], "`--rounds` goes with `--continuous`"),
        (("commission", "banker", "--continuous", "--cut", "14"), "options_contradict", [], "no cut card"),
        (("commission", "banker", "--continuous", "--shoes", "9"), "options_contradict", [], "no shoes that end"),
        (("commission", "banker", "--continuous", "--rounds", "-1"), "out_of_range", [], "The number of rounds"),
        (("commission", "banker", "--continuous"), "options_contradict", [], "the book has no shuffler"),
        (("super-six-plus", "banker", "--continuous", "--back-after", "0"), "out_of_range", [], "1 to 69"),
        (("commission-insurance", "four:0-6", "--continuous", "--back-after", "70"), "out_of_range", [], "1 to 69"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], code: str, cited: list[str], says: str) -> None:
    error = _json(*arguments, status=2)["error"]
    assert (error["code"], error["clauses"]) == (code, cited)
    assert says in error["message"]
    assert f"Refused ({code}): " in CliRunner().invoke(main, ["count", *arguments]).stderr


def test_help_names_what_can_be_counted() -> None:
    assert b"four:0-6" in punto("count", "--help").stdout


def test_where_cards_go_back_after_each_round_counting_is_worth_exactly_nothing() -> None:
    page = _run("super-six-plus", "tie", "--continuous")
    assert "Cards go back after each round: counting is worth exactly nothing." in page
    assert "Every round starts from the whole set, and the house's edge before it is always 14.3596%." in page
    assert "Dealt" not in page
    assert "level 1" not in page
    out = _json("super-six-plus", "tie", "--continuous", "--back-after", "1")
    assert (out["continuous"], out["back_after"], "exact" in out, "rounds" in out) == (True, 1, False, False)
    assert out["least_edge"] == out["most_edge"] == out["edge_float"]
    assert "always -2.4389%" in _run("commission-insurance", "four:0-6", "--continuous")


def test_with_some_rounds_out_it_says_what_their_cards_are_worth() -> None:
    asked = ("tiger-buffalo", "small_tiger", "--decks", "4", "--continuous", "--back-after")
    page = _run(*asked, "30", "--rounds", "3000")
    assert max(map(len, page.splitlines())) <= 100
    assert "Dealt: 3,000 rounds; cards go back after 30 rounds" in page
    assert "Only the cards of the last 29 rounds can be counted. The house's edge was -" in page
    assert re.search(r"At best, counting gains 0\.\d{5} ± 0\.\d{5} units in 100 rounds", page)
    out = _json(*asked, "30", "--rounds", "3000")
    assert (out["continuous"], out["back_after"], out["rounds"], out["shoes"], out["seed"]) == (True, 30, 3000, 0, 1)
    assert "cut" not in out
    assert set(out["exact"]) == SIMULATED
    assert out["exact"]["gain_per_round"] > 0 < out["exact"]["gain_per_round_error"]
    assert out["exact"]["gain_per_shoe"] is None
    gain = 100 * out["exact"]["gain_per_round"]
    assert f"{gain:.5f}" in page


def test_with_one_round_out_no_bet_turns_and_it_says_how_sure_that_is() -> None:
    page = _run("super-six-plus", "tie", "--continuous", "--back-after", "2", "--rounds", "3000")
    assert max(map(len, page.splitlines())) <= 100
    assert "Only the cards of the last round can be counted. The house's edge was 14." in page
    assert "in none of 3,000 rounds: counting gained nothing.\nWith 95% confidence" in page
    assert "fewer than 0.1000% of rounds." in page
    more = _run("super-six-plus", "tie", "--continuous", "--back-after", "3", "--rounds", "3000")
    assert "fewer than 0.2000% of rounds." in more  # of rounds two apart, which have no card in common
    alone = _run("super-six-plus", "tie", "--continuous", "--back-after", "2", "--rounds", "0")
    assert alone.endswith("Cards go back after 2 rounds: only those of the last round can be counted.\n")


def test_ctrl_c_stops_the_counting_with_the_shoes_that_are_dealt() -> None:
    watched = Watched("count", "commission", "tie", "--shoes", "10000000", "--json")
    watched.read_until("left")
    watched.process.send_signal(signal.SIGINT)
    status, out = watched.end()
    assert status == 130
    assert re.search(r"Counting +\[#*-*\]", watched.shown)
    assert "Traceback" not in watched.shown
    counted = json.loads(out)
    assert 0 < counted["shoes"] < 10_000_000
    assert f"Stopped after {counted['shoes']:,} of 10,000,000 shoes" in watched.shown
    whole = _json("commission", "tie", "--shoes", str(counted["shoes"]))
    assert counted == whole | {"interrupted": True}  # the first shoes, without gaps


def test_ctrl_c_stops_the_counting_of_rounds_too() -> None:
    asked = ("super-six-plus", "tie", "--continuous", "--back-after", "2", "--rounds")
    watched = Watched("count", *asked, "900000000", "--json")
    watched.read_until("left")
    watched.process.send_signal(signal.SIGINT)
    status, out = watched.end()
    assert status == 130
    counted = json.loads(out)
    assert f"Stopped after {counted['rounds']:,} of 900,000,000 rounds" in watched.shown
    assert counted == _json(*asked, str(counted["rounds"])) | {"interrupted": True}
