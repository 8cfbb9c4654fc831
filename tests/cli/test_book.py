"""``punto book``, and books by their paths or from a folder."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from punto import library
from tests.cli.running import ENVIRONMENT, punto, punto_here
from tests.rules.test_side_bets import FILE as SIDE_BETS

EXAMPLES = SIDE_BETS.parent


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(library, "_OWN", {})
    monkeypatch.setenv(library.BOOKS_FOLDER, "")  # what a command sets there is forgotten after the test


def run(*arguments: str, status: int = 0) -> str:
    done = punto_here(*arguments)
    assert done.returncode == status, (arguments, done.stdout, done.stderr)
    return (done.stdout or done.stderr).decode()


def test_a_new_book_can_be_checked_and_played_at_once() -> None:
    run("book", "new", "night.toml", "--name", "Night Baccarat")
    checked = json.loads(run("book", "check", "night.toml", "--json"))
    assert checked["game"] == "night"
    dragon = checked["bets"]["dragon_7"]
    assert [line["odds"] for line in dragon["lines"]] == ["40", None]
    assert sum(line["chance"] for line in dragon["lines"]) == pytest.approx(1)
    assert (
        json.loads(run("coup", "night.toml", "2s", "Ad", "Kh", "3c", "3d", "3h", "--json"))["bets"]["dragon_7"]["odds"]
        == "40"
    )
    assert "Night Baccarat" in run("odds", "night.toml")


def test_a_new_book_never_overwrites_a_file() -> None:
    run("book", "new", "night.toml")
    assert "not_writable" in run("book", "new", "night.toml", status=2)


def test_a_new_book_that_could_not_be_read_is_not_left_behind(tmp_path: Path) -> None:
    assert "no shipped book" in run("book", "new", "night.toml", "--extends", "nothing", status=2)
    assert list(tmp_path.iterdir()) == []


def test_a_gap_is_seen_in_the_outcomes(tmp_path: Path) -> None:
    """Banker's Dragon Bonus without its naturals, a mistake that is easily made."""
    text = (EXAMPLES / "dragon-bonus.toml").read_text()
    natural = '  { when = { winner = "banker", natural = "banker" }, odds = "1" },\n'
    assert natural in text
    (tmp_path / "gap.toml").write_text(text.replace(natural, ""))
    checked = {
        name: {
            each["outcome"]: each["results"]
            for each in json.loads(run("book", "check", name, "--json"))["bets"]["banker_bonus"]["outcomes"]
        }
        for name in ("gap.toml", str(EXAMPLES / "dragon-bonus.toml"))
    }
    wrong, right = checked.values()
    assert "loses" in wrong["Banker wins, a natural"]
    assert right["Banker wins, a natural"] == ["1 to 1"]


def test_a_fault_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(
        'id = "bad"\nextends = "commission"\n\n[bets.x]\npays = [\n  { when = { winner = "tie" }, odds = 8 },\n]\n'
    )
    said = run("book", "check", "bad.toml", status=2)
    assert said.startswith("bad.toml, line 6:\nRefused (bad_book): ")


def test_two_books_are_compared() -> None:
    found = {
        each["what"]: (each["one"], each["other"])
        for each in json.loads(run("book", "diff", "commission", str(EXAMPLES / "macau.toml"), "--json"))
    }
    assert found["decks"] == ("4 to 8", "8 to 8")
    assert "1 to 2 when Banker wins on 6" in found["bet banker"][1]
    assert found["bet big_six"][0] is None
    assert run("book", "diff", "commission", "commission") == "No difference in the law.\n"


def test_the_schema_is_json() -> None:
    assert json.loads(run("book", "schema"))["required"] == ["id"]


def test_a_folder_of_books_is_on_the_shelf() -> None:
    said = json.loads(run("--books", str(EXAMPLES), "odds", "seven-returned", "--decks", "8", "--json"))
    assert f"{said['bets']['banker']['edge_float']:.6f}" == "0.010183"


@pytest.mark.slow
def test_the_environment_names_a_folder_of_books(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENVIRONMENT, library.BOOKS_FOLDER, str(EXAMPLES))
    done = punto("coup", "perfect-pair", "7h", "2d", "7h", "5d", "6h", "--json")
    assert json.loads(done.stdout)["bets"]["perfect_pair"]["odds"] == "25"


@pytest.mark.slow
def test_every_bet_of_the_catalogue_has_an_exact_edge() -> None:
    said = json.loads(run("odds", str(SIDE_BETS), "--decks", "8", "--json"))
    assert len([bet for bet in said["bets"] if bet.startswith("n")]) == 119
    assert Fraction(said["bets"]["n45_player"]["edge"]) == 1 - Fraction(7, 415) * Fraction(297, 10)


@pytest.mark.slow
def test_the_page_of_side_bets_is_up_to_date_and_explains_every_figure_that_is_not_ours() -> None:
    published = EXAMPLES.parent / "published" / "side-bets.toml"
    page = run("book", "page", str(SIDE_BETS), "--decks", "8", "--published", str(published))
    assert page == (EXAMPLES.parents[1] / "docs" / "side-bets.md").read_text(), "run the command of docs/books.md"
    assert "Not explained" not in page
    assert page.count("| **≠** ") == len([row for row in page.splitlines() if "≠" in row]) - 1


@pytest.mark.parametrize("text", ["[x]\nedge = 3\nsource = 'a'\n", "[x]\nother = 'a'\n", "nothing"])
def test_published_figures_that_are_none_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "published.toml").write_text(text)
    assert "unreadable_book" in run("book", "page", "commission", "--published", "published.toml", status=2)
