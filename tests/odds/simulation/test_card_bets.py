"""Bets on single cards are simulated and counted on the same shoes as all others."""

from pathlib import Path
from threading import Event

import numpy as np
import pytest

from punto import book, library
from punto.odds.counting.count_tags import best_count
from punto.odds.counting.counter import count_shoes, deal_shoe, deal_stretch
from punto.odds.exact.removal import removal
from punto.odds.exact.solver import solve
from punto.odds.figures import edge_of
from punto.odds.procedure import Procedure, continuous
from punto.odds.sessions.wagers import gains
from punto.odds.shoe import Composition, full_shoe
from punto.odds.simulation.card_bets import numbered_shoe
from punto.odds.simulation.shuffle import shuffled_shoe
from punto.odds.simulation.simulation_kernel import deal, felt
from punto.odds.simulation.simulator import Amount, job_of, simulate
from punto.rules.coup.cards import RANKS, Card
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from tests.rules.side_bets_plainly import hands, pays

pytestmark = pytest.mark.sweep

BOOKS = Path(__file__).parents[3] / "examples" / "books"
RULES = library.read_file(BOOKS / "perfect-pair.toml")
SHUFFLED = "commission-insurance"
"""A book that knows shufflers."""
CARDS = tuple(Card)


def test_a_shoe_of_numbers_is_in_the_order_of_the_shoe_of_ranks() -> None:
    job = job_of(RULES, 8, 7, Procedure())
    codes, numbers = shuffled_shoe(felt(job).fresh, 7, 3), shuffled_shoe(numbered_shoe(8), 7, 3)
    assert [RANKS[code >> 4] for code in codes] == [CARDS[number].rank for number in numbers]
    assert np.bincount(numbers).tolist() == [8] * 52


def test_each_round_of_a_simulation_counts_the_line_that_comes_first() -> None:
    simulated = simulate(RULES, Amount(shoes=5), decks=8, seed=7)
    expected = {bet: [0] * (len(RULES.bets[bet].pays) + 1) for bet in ("perfect_pair", "all_red")}
    job = job_of(RULES, 8, 7, Procedure())
    rounds = 0
    for shoe in range(5):
        numbers = shuffled_shoe(numbered_shoe(8), 7, shoe)
        dealt = deal_shoe(job, shuffled_shoe(felt(job).fresh, 7, shoe), numbers)
        for drawn in dealt.cards.tolist():
            rounds += 1
            player, banker = hands([str(CARDS[number]) for number in drawn])
            for bet, second, lines in (
                ("perfect_pair", "n44_", {"200": 0, "25": 1}),
                ("all_red", "n55_red", {"22": 0}),
            ):
                odds = pays(second, player, banker)
                line = lines.get(odds, len(expected[bet]) - 1)
                if odds == "25" and player[0] != player[1]:
                    line = 2
                expected[bet][line] += 1
    assert simulated.rounds == rounds
    assert {bet: list(lines) for bet, lines in simulated.distribution.lines.items()} == expected


def with_card_bets(folder: Path) -> Rulebook:
    """The bets of the example in a book that knows shufflers."""
    text = (BOOKS / "perfect-pair.toml").read_text(encoding="utf-8")
    file = folder / "shuffled.toml"
    file.write_text(text.replace('extends = "commission"', f'extends = "{SHUFFLED}"'), encoding="utf-8")
    return library.read_file(file)


def test_other_bets_come_out_as_in_a_book_without_card_bets(tmp_path: Path) -> None:
    plain = simulate(book("commission"), Amount(rounds=2_000), decks=8, seed=3).distribution
    beside = simulate(RULES, Amount(rounds=2_000), decks=8, seed=3).distribution
    assert (beside.ends, beside.pairs) == (plain.ends, plain.pairs)
    machine = [
        simulate(each, Amount(rounds=600), decks=6, procedure=continuous(2)).distribution
        for each in (book(SHUFFLED), with_card_bets(tmp_path))
    ]
    assert machine[0].ends == machine[1].ends
    assert sum(machine[1].lines["all_red"]) == 600


def test_a_chunk_of_shoes_says_the_lines_of_its_rounds() -> None:
    dealt = deal(job_of(RULES, 8, 7, Procedure()), 0, 2, 9)
    assert dealt.rounds == 9
    assert dealt.lines.sum() == 2 * 9  # two bets look at cards


def test_a_counter_knows_the_suits_of_the_unseen_cards() -> None:
    bet = "perfect_pair"
    count = best_count(removal(RULES, full_shoe(RULES, 8), [bet]).bets[bet])
    stop = Event()
    stop.set()
    counted = count_shoes(RULES, bet, count, decks=8, shoes=1, seed=5, stop=stop)
    job = job_of(RULES, 8, 5, Procedure())
    dealt = deal_shoe(job, shuffled_shoe(felt(job).fresh, 5, 0), shuffled_shoe(numbered_shoe(8), 5, 0))
    left = dealt.unseen_cards[-1].tolist()
    ranks = tuple(sum(left[suit * 13 + rank] for suit in range(4)) for rank in range(13))
    assert ranks == tuple(dealt.unseen[-1])
    edge = edge_of(RULES.bets[bet], solve(RULES, Composition(ranks, tuple(left)), [bet]))
    assert counted.least_edge <= float(edge) <= counted.most_edge
    assert counted.rounds == len(dealt.kinds)


def test_a_counter_at_a_machine_knows_the_cards_that_are_out(tmp_path: Path) -> None:
    dealt = deal_stretch(job_of(with_card_bets(tmp_path), 6, 5, continuous(3)), 0)
    assert (dealt.unseen_cards.sum(axis=1) == dealt.unseen.sum(axis=1)).all()
    assert 6 * 52 - 12 <= dealt.unseen_cards.sum(axis=1).min() < 6 * 52


def test_a_session_refuses_a_bet_on_single_cards() -> None:
    with pytest.raises(Refused) as refused:
        gains(RULES, {"all_red": 1})
    assert refused.value.code is Code.BET_LOOKS_AT_CARDS
