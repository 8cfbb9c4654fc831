"""Simulated sessions: gains as the rules settle them, results compared with a slow simulation, and the statistics."""

from fractions import Fraction
from itertools import islice, pairwise
from math import sqrt
from threading import Event
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from msgspec.structs import replace

from punto import Refused, book
from punto.odds import full_shoe, solve
from punto.odds.figures import bet_figures, insurance_figures
from punto.odds.procedure import Procedure, continuous
from punto.odds.sessions.picture import sessions_svg
from punto.odds.sessions.session_simulator import (
    BANDS,
    MAX_SESSIONS,
    QUANTILES,
    SimulatedSessions,
    _SessionRunner,
    round_width,
    simulate_sessions,
)
from punto.odds.sessions.wagers import Gains, Insure, every_run, gains
from punto.odds.simulation.estimates import LEVEL
from punto.odds.simulation.machine import STRETCH
from punto.odds.simulation.shuffle import card_codes, fresh_shoe, shuffled_shoe
from punto.odds.simulation.simulator import job_of
from punto.rules.bets.insurance import Stage
from punto.rules.coup.space import PAIRS, run_index
from punto.rules.refusals import Code
from tests.odds import shoes

pytestmark = pytest.mark.sweep

INSURED = book("commission-insurance")
PLUS = book("da-hu-ying-xiong")
STAKES = {"banker": 100_00, "tie": 10_00, "player_pair": 5_00}


def _run(player: int, banker: int, fifth: int, sixth: int) -> int:
    return run_index((player, banker, fifth, sixth))


def test_every_run_is_dealt_once_and_in_order() -> None:
    assert [run_index(coup.partial) for coup in every_run(PLUS)] == list(range(10_000))


def test_a_round_brings_what_the_pay_tables_say() -> None:
    found = gains(INSURED, STAKES)
    natural, tie, banker = _run(9, 2, 0, 0), _run(7, 7, 0, 0), _run(2, 9, 0, 0)
    assert [found.runs_minor[run] for run in (natural, tie, banker)] == [-110_00, 80_00, 95_00 - 10_00]
    assert found.pairs_minor == (-5_00, 55_00, -5_00, 55_00, 55_00)
    assert (found.stake_minor, found.most_insurance_minor) == (115_00, 0)


def test_payouts_round_down_to_the_smallest_unit() -> None:
    assert gains(INSURED, {"banker": 1_10}).runs_minor[_run(2, 9, 0, 0)] == 1_04  # of 1.045


def test_insurance_is_taken_for_all_that_the_cap_leaves() -> None:
    always = gains(INSURED, {"banker": 1000_00}, Insure.ALWAYS)
    # Player 0, Banker 6 on four cards: 3 to 1, so 333.33 wins no more than the bet. Player draws a five: 5 to 6.
    assert always.runs_minor[_run(0, 6, 5, 0)] == 950_00 - 333_33
    # Player draws a seven and stands ahead, 7 to 6; Banker draws a king
    lost = always.runs_minor[_run(0, 6, 7, 0)]
    assert lost == -1000_00 + 3 * 333_33
    assert always.most_insurance_minor == 666_66  # at 3 to 2


def test_in_the_plus_games_insurance_may_cost_the_bet_at_each_offer() -> None:
    assert gains(PLUS, {"banker": 100_00, "player": 50_00}, Insure.ALWAYS).most_insurance_minor == 200_00


def test_favourable_insurance_is_that_which_the_exact_odds_favour() -> None:
    stake = 300_00
    never = gains(INSURED, {"banker": stake}).runs_minor
    chosen = gains(INSURED, {"banker": stake}, Insure.FAVOURABLE).runs_minor
    good = {
        (cell.player, cell.banker)
        for cell in insurance_figures(INSURED, solve(INSURED, full_shoe(INSURED)))
        if cell.favours_bettor and cell.side == "banker" and cell.stage is Stage.FOUR
    }
    taken = {
        (player, banker)
        for player in range(10)
        for banker in range(10)
        if any(never[run] != chosen[run] for run in range(_run(player, banker, 0, 0), _run(player, banker, 9, 9) + 1))
    }
    assert taken == good
    assert (0, 6) in good


def _slowly(rules_gains: Gains, sessions: list[int], rounds: int, bankroll_minor: int | None, seed: int) -> list[int]:
    """Play the sessions card by card and return their results."""
    fresh = fresh_shoe(card_codes(INSURED.table_of_play), 4)
    need = rules_gains.stake_minor + rules_gains.most_insurance_minor
    results = []
    for session in sessions:
        shoes_each = rounds // ((208 - 14 - 11) // 6) + 1
        shoe, won, left = session * shoes_each, 0, rounds
        while left:
            cards = shoes.cards_of(shuffled_shoe(fresh, seed, shoe).tobytes())
            for coup in shoes.coups_of(INSURED, cards):
                pattern = PAIRS.index(coup.outcome.pairs)
                won += rules_gains.runs_minor[run_index(coup.partial)] + rules_gains.pairs_minor[pattern]
                left -= 1
                if bankroll_minor is not None and bankroll_minor + won < need:
                    left = 0
                if not left:
                    break
            shoe += 1
        results.append(won)
    return results


@pytest.mark.parametrize("bankroll_minor", [None, 600_00])
def test_sessions_are_those_of_a_slow_player(bankroll_minor: int | None) -> None:
    gain = gains(INSURED, STAKES, Insure.ALWAYS)
    results = sorted(_slowly(gain, list(range(60)), 100, bankroll_minor, 3))
    found = simulate_sessions(INSURED, gain, rounds=100, sessions=60, decks=4, seed=3, bankroll_minor=bankroll_minor)
    assert found.mean_minor.value == pytest.approx(sum(results) / 60)
    assert (found.least_minor, found.most_minor) == (results[0], results[-1])
    assert found.quantiles_minor == {each: results[-(-each * 60 // 100) - 1] for each in QUANTILES}
    assert found.ahead.value == sum(result > 0 for result in results) / 60
    if bankroll_minor is None:
        assert found.ruin is None
    else:
        assert found.ruin is not None
        ruined = sum(bankroll_minor + result < 115_00 + gain.most_insurance_minor for result in results)
        assert found.ruin.value == ruined / 60
        assert 0 < ruined < 60


def test_the_same_seed_plays_the_same_sessions_for_any_number_of_workers() -> None:
    gain = gains(INSURED, STAKES)
    found = [
        simulate_sessions(INSURED, gain, rounds=50, sessions=5000, workers=workers, bankroll_minor=2000_00)
        for workers in (1, 2, 5)
    ]
    assert found[0] == found[1] == found[2]
    assert simulate_sessions(INSURED, gain, rounds=50, sessions=5000, seed=2) != found[0]


def test_the_mean_of_sessions_is_that_of_the_exact_odds() -> None:
    """Without a bankroll, and in few enough rounds that the cut card has no influence, the mean is exact."""
    exact = solve(INSURED, full_shoe(INSURED))
    worth = sum(-bet_figures(INSURED.bets[bet], exact).edge * stake for bet, stake in STAKES.items())
    found = simulate_sessions(INSURED, gains(INSURED, STAKES), rounds=60, sessions=50_000)
    assert found.std_minor is not None
    assert abs(found.mean_minor.value - float(60 * worth)) < 4.5 * found.std_minor / sqrt(50_000)
    assert found.mean_minor.low is not None
    assert found.mean_minor.high is not None
    assert found.mean_minor.low < found.mean_minor.value < found.mean_minor.high


@pytest.mark.parametrize("sessions", [2, *(pytest.param(few, marks=pytest.mark.nightly) for few in (3, 5)), 12])
def test_the_interval_of_a_few_sessions_holds_the_exact_mean_as_often_as_it_should(sessions: int) -> None:
    worth = -float(bet_figures(INSURED.bets["banker"], solve(INSURED, full_shoe(INSURED))).edge) * 100_00 * 40
    gain, tries, held = gains(INSURED, {"banker": 100_00}), 600, 0
    for seed in range(tries):
        mean = simulate_sessions(INSURED, gain, rounds=40, sessions=sessions, seed=seed).mean_minor
        held += mean.low is None or mean.high is None or mean.low <= worth <= mean.high  # None: all results are equal
    assert abs(held / tries - LEVEL) < 4.5 * sqrt(LEVEL * (1 - LEVEL) / tries)


def test_one_session_or_equal_results_have_no_interval() -> None:
    gain = gains(INSURED, {"tie": 100_00})
    one = simulate_sessions(INSURED, gain, rounds=10, sessions=1)
    assert (one.mean_minor.low, one.mean_minor.high, one.std_minor) == (None, None, None)
    alike = simulate_sessions(INSURED, gain, rounds=1, sessions=3)
    assert alike.least_minor == alike.most_minor
    assert (alike.mean_minor.low, alike.mean_minor.high, alike.std_minor) == (None, None, 0)


def test_a_stopped_simulation_has_the_first_sessions_without_gaps() -> None:
    gain, stop, calls = gains(INSURED, STAKES), Event(), []

    def progress(sessions: int, rounds: int) -> None:
        calls.append((sessions, rounds))
        if len(calls) == 3:
            stop.set()

    found = simulate_sessions(INSURED, gain, rounds=50, sessions=10**6, workers=2, progress=progress, stop=stop)
    assert not found.complete
    assert len(calls) == 3
    assert calls[-1] == (found.sessions, 50 * found.sessions)
    assert 0 < found.sessions < 10**6
    whole = simulate_sessions(INSURED, gain, rounds=50, sessions=found.sessions)
    assert whole.complete
    assert replace(found, complete=True) == whole


def test_paths_are_those_of_the_first_sessions_and_end_as_all_do(monkeypatch: pytest.MonkeyPatch) -> None:
    gain = gains(INSURED, STAKES)
    few = simulate_sessions(INSURED, gain, rounds=50, sessions=700)
    monkeypatch.setattr("punto.odds.sessions.session_simulator.MAX_PATHS", 700)
    many = simulate_sessions(INSURED, gain, rounds=50, sessions=9000)
    assert many.paths[:-1] == few.paths[:-1]
    assert many.paths[-1].quantiles_minor == {band: many.quantiles_minor[band] for band in BANDS}


@pytest.mark.parametrize("back_after", [1, 6])
def test_a_session_at_a_machine_is_won_round_by_round(back_after: int) -> None:
    """Sessions longer than a stretch go on with the cards as they are."""
    gain, rounds, number = gains(INSURED, STAKES), 300, 5
    found = simulate_sessions(
        INSURED, gain, rounds=rounds, sessions=number, decks=6, seed=4, procedure=continuous(back_after)
    )
    results = []
    for session in range(number):
        dealt = shoes.rounds_of_machine(INSURED, 6, 4, [2 * session, 2 * session + 1], back_after, STRETCH)
        results.append(
            sum(
                gain.runs_minor[run_index(coup.partial)] + gain.pairs_minor[PAIRS.index(coup.outcome.pairs)]
                for _, coup in islice(dealt, rounds)
            )
        )
    assert (found.least_minor, found.most_minor) == (min(results), max(results))
    assert found.mean_minor.value == pytest.approx(sum(results) / number)


def test_the_largest_simulation_fits_in_128_mib() -> None:
    job = job_of(INSURED, 8, 1, Procedure())
    runner = _SessionRunner(job, gains(INSURED, {"banker": 1}), np.arange(41), 0, MAX_SESSIONS)
    assert len(runner.results) == MAX_SESSIONS
    assert runner.results.nbytes + runner.ruined.nbytes + runner.tracks.nbytes < 2**27


@pytest.fixture(scope="module")
def results() -> SimulatedSessions:
    """Sessions with large and rare wins."""
    gain = gains(book("tiger-buffalo"), {"wu_dalang": 5_00, "player": 10_00}, layout="C")
    return simulate_sessions(book("tiger-buffalo"), gain, rounds=120, sessions=20_000, bankroll_minor=500_00)


def test_the_histogram_holds_every_session_once(results: SimulatedSessions) -> None:
    bins = results.histogram
    assert sum(each.sessions for each in bins) == results.sessions
    assert all(one.to_minor == other.from_minor for one, other in pairwise(bins))
    assert bins[0].from_minor <= results.least_minor
    assert results.most_minor < bins[-1].to_minor
    assert len({each.to_minor - each.from_minor for each in bins[1:-1]}) == 1
    assert 10 < len(bins) < 60
    below = sum(each.sessions for each in bins if each.to_minor <= 0)
    assert below == round(results.behind.value * results.sessions)


def test_the_chances_and_quantiles_of_sessions_fit_together(results: SimulatedSessions) -> None:
    assert results.ahead.value + results.even.value + results.behind.value == pytest.approx(1)
    amounts = list(results.quantiles_minor.values())
    assert amounts == sorted(amounts)
    assert results.least_minor >= -500_00
    assert results.paths[0].quantiles_minor == dict.fromkeys(BANDS, 0)
    assert results.paths[-1].rounds == 120
    last = results.paths[-1].quantiles_minor
    assert all(last[band] == results.quantiles_minor[band] for band in BANDS)


@pytest.mark.parametrize("one_session", [False, True])
def test_the_picture_is_an_svg_with_title_description_axes_and_a_bar_for_each_bin(
    results: SimulatedSessions, *, one_session: bool
) -> None:
    if one_session:  # no spread: the chart must not divide by zero
        gain = gains(INSURED, {"banker": 1})
        results = simulate_sessions(INSURED, gain, rounds=1, sessions=1)
    text = sessions_svg(results, "A <game> & more", "10 on Player")
    svg = ET.fromstring(text)  # noqa: S314 - our own
    space = "{http://www.w3.org/2000/svg}"
    assert svg.get("role") == "img"
    title, desc = svg.find(f"{space}title"), svg.find(f"{space}desc")
    assert title is not None
    assert title.text == "Sessions of A <game> & more: 10 on Player"
    assert desc is not None
    counted = "1 session of 1 round." if one_session else f"{results.sessions:,} sessions of "
    assert (desc.text or "").startswith(counted)
    assert svg.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    texts = [each.text for each in svg.iter(f"{space}text")]
    for words in ("won or lost in a session", "share of sessions", "won or lost so far", "median"):
        assert words in texts, words
    bars = list(svg.iter(f"{space}rect"))
    assert len(bars) == len(results.histogram)
    assert all(bar.find(f"{space}title") is not None for bar in bars)
    for number in (
        value for each in svg.iter() for key, value in each.items() if key in {"x", "y", "x1", "y2", "height"}
    ):
        assert -1 <= float(number) <= 800
    assert "style" not in text
    assert "script" not in text


@pytest.mark.parametrize(
    ("bets", "insure", "options", "code"),
    [
        ({}, Insure.NEVER, {}, Code.STAKE_NOT_POSITIVE),
        ({"big_tiger": 1}, Insure.NEVER, {}, Code.UNKNOWN_BET),
        ({"tie": 1}, Insure.ALWAYS, {}, Code.NO_ORIGINAL_BET),
        ({"tie": 0}, Insure.NEVER, {}, Code.STAKE_NOT_POSITIVE),
        ({"tie": 1}, Insure.NEVER, {"layout": "Z"}, Code.UNKNOWN_LAYOUT),
    ],
)
def test_bets_that_cannot_be_placed_are_refused(
    bets: dict[str, int], insure: Insure, options: dict[str, str], code: Code
) -> None:
    with pytest.raises(Refused) as refused:
        gains(INSURED, bets, insure, layout=options.get("layout"))
    assert refused.value.code is code


def test_where_a_book_has_no_insurance_none_can_be_chosen() -> None:
    with pytest.raises(Refused, match="no insurance"):
        gains(book("commission"), {"banker": 1}, Insure.ALWAYS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rounds": 0}, "rounds"),
        ({"rounds": 10**6}, "rounds"),
        ({"sessions": 0}, "sessions"),
        ({"workers": 0}, "workers"),
        ({"bankroll_minor": 99}, "at least 1."),
        ({"procedure": Procedure(cut_card=3)}, "cut card"),
        ({"procedure": continuous(70)}, "1 to 69 rounds"),
    ],
)
def test_sessions_that_cannot_be_played_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        simulate_sessions(INSURED, gains(INSURED, {"banker": 100}), **{"rounds": 1, "sessions": 1, **options})  # type: ignore[arg-type]
    assert refused.value.code is Code.OUT_OF_RANGE


def test_stakes_too_large_to_add_up_are_refused() -> None:
    with pytest.raises(Refused) as refused:
        simulate_sessions(INSURED, gains(INSURED, {"tie": 10**15}), rounds=100_000, sessions=1)
    assert refused.value.code is Code.AMOUNT_TOO_LARGE


def test_a_round_width_is_one_two_or_five() -> None:
    for least in range(1, 2000):
        width = round_width(least)
        assert width >= least
        assert Fraction(width, 10 ** (len(str(width)) - 1)) in (1, 2, 5)
        assert width < 2.5 * least or width == 1
