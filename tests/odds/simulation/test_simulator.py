"""The simulator agrees with a table, with the exact odds, and with itself for any executor."""

from collections import Counter
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from math import sqrt
from multiprocessing import get_context
from threading import Event

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from punto import Refused, book
from punto.odds import figures, full_shoe, solve
from punto.odds.procedure import Procedure
from punto.odds.simulation.shuffle import RUNS, card_codes, fresh_shoe, shuffled_shoe
from punto.odds.simulation.simulation_kernel import Counts, deal
from punto.odds.simulation.simulator import Amount, Simulated, job_of, simulate, warm_up
from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import PAIRS, run_index
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide
from punto.table.records import commands
from punto.table.records.settings import Settings
from punto.table.refusals import TableCode
from tests.lanes import examples
from tests.marks import BOOKS
from tests.odds import shoes
from tests.table.tables import DEALER, SUPERVISOR, Evening, opened

pytestmark = pytest.mark.sweep

ALL = [pytest.param(rules, id=rules.id) for rules in BOOKS]
COMMISSION = book("commission")


def _order(rules: Rulebook, decks: int, seed: int, shoe: int) -> list[Card]:
    return shoes.cards_of(shuffled_shoe(fresh_shoe(card_codes(rules.table_of_play), decks), seed, shoe).tobytes())


def _kind(coup: Coup) -> tuple[int, int]:
    return PAIRS.index(coup.outcome.pairs), run_index(coup.partial)


def _counted(kinds: Counts) -> Counter[tuple[int, int]]:
    return Counter({(int(at[0]), int(at[1])): int(kinds[tuple(at)]) for at in np.argwhere(kinds)})


def _dealt_at_a_table(rules: Rulebook, order: list[Card], cut_card: int, rounds_after: int) -> list[Coup]:
    """The rounds that a table deals from a shoe in this order, until it needs a new shoe."""
    evening = opened(rules, burn=True, cut_card=cut_card, rounds_after_cut_card=rounds_after)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", len(order) // 52))
    evening.do(commands.BurnCards(*DEALER, order[0]))
    coups: list[Coup] = []
    while True:
        opening = decide(rules, evening.table, commands.OpenBetting(*DEALER))
        if isinstance(opening, Refusal):
            assert opening.code is TableCode.SHOE_ENDED
            return coups
        assert evening.table.shoe is not None
        at = evening.table.shoe.drawn
        coup = Coup.of(rules.space, tuple(order[at : at + 6]))
        _play(evening, order[at : at + 6])
        coups.append(coup)


def _play(evening: Evening, ahead: list[Card]) -> None:
    """Play a round without bets."""
    evening.open_betting().close_betting()
    for card in ahead:
        if not isinstance(decide(evening.rules, evening.table, commands.Settle(*DEALER)), Refusal):
            break
        evening.deal(card)
    evening.settle()


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize(("decks", "cut_card", "rounds_after"), [(4, 14, 1), (8, 14, 1), (5, 5, 0), (4, 40, 3)])
def test_shoes_end_after_the_round_after_which_a_table_ends_them(
    rules: Rulebook, decks: int, cut_card: int, rounds_after: int
) -> None:
    procedure = Procedure(cut_card=cut_card, rounds_after=rounds_after)
    job = job_of(rules, decks, 11, procedure)
    at_the_table: Counter[tuple[int, int]] = Counter()
    number = 3
    for shoe in range(number):
        coups = _dealt_at_a_table(rules, _order(rules, decks, 11, shoe), cut_card, rounds_after)
        at_the_table.update(map(_kind, coups))
    dealt = deal(job, 0, number)
    assert _counted(dealt.kinds) == at_the_table
    assert (dealt.rounds, dealt.shoes) == (at_the_table.total(), number)


@pytest.mark.parametrize("decks", [4, 7, 10])
def test_eight_at_a_time_or_one_by_one_the_same_rounds_are_dealt(decks: int) -> None:
    rules = book("da-hu-ying-xiong")
    job = job_of(rules, decks, 3, Procedure())
    slowly: Counter[tuple[int, int]] = Counter()
    for shoe in range(20, 43):
        slowly.update(map(_kind, shoes.coups_of(rules, _order(rules, decks, 3, shoe))))
    together = deal(job, 20, 23)
    apart = [deal(job, shoe, 1).kinds for shoe in range(20, 43)]
    assert _counted(together.kinds) == slowly
    assert (np.sum(apart, axis=0) == together.kinds).all()


def test_the_procedure_is_that_of_a_table_where_nothing_is_said() -> None:
    table = Settings(layout="A", boxes=1)
    assert Procedure() == Procedure(table.burn, table.cut_card, table.rounds_after_cut_card)


def test_without_a_burn_the_first_card_is_dealt() -> None:
    job = job_of(COMMISSION, 4, 1, Procedure(burn=False))
    order = _order(COMMISSION, 4, 1, 0)
    first = deal(job, 0, 1, most_rounds=1)
    assert _counted(first.kinds) == Counter([_kind(Coup.of(COMMISSION.space, tuple(order[:6])))])


@settings(max_examples=examples(40))
@given(
    rounds=st.integers(1, 3000),
    chunk_shoes=st.integers(1, 9),
    workers=st.integers(1, 3),
    seed=st.integers(0, 2**64 - 1),
)
def test_exactly_so_many_rounds_are_dealt_however_they_are_shared_out(
    rounds: int, chunk_shoes: int, workers: int, seed: int
) -> None:
    found = simulate(COMMISSION, Amount(rounds=rounds), decks=4, seed=seed, workers=workers, chunk_shoes=chunk_shoes)
    whole = deal(job_of(COMMISSION, 4, seed, Procedure()), 0, rounds, most_rounds=rounds)
    assert (found.rounds, found.shoes, found.complete) == (rounds, whole.shoes, True)
    assert found.distribution.pairs == tuple(whole.kinds.sum(axis=1))
    assert sum(found.distribution.ends) == rounds
    again = simulate(COMMISSION, Amount(rounds=rounds), decks=4, seed=seed)
    assert again.distribution == found.distribution


def _dealt_by(executor: Executor | None, workers: int, amount: Amount) -> Simulated:
    return simulate(book("tiger-buffalo"), amount, seed=5, workers=workers, executor=executor, chunk_shoes=50)


@pytest.mark.parametrize("amount", [Amount(shoes=299), Amount(rounds=17_777)], ids=["shoes", "rounds"])
def test_the_same_seed_gives_the_same_tally_for_any_workers_and_any_executor(amount: Amount) -> None:
    alone = _dealt_by(None, 1, amount)
    job = job_of(book("tiger-buffalo"), None, 5, Procedure())
    found = [_dealt_by(None, workers, amount) for workers in (2, 3)]
    with ThreadPoolExecutor(2) as threads:
        found.append(_dealt_by(threads, 2, amount))
        found.append(_dealt_by(threads, 5, amount))  # not shut down: it is used again
    with ProcessPoolExecutor(2, get_context("spawn"), warm_up, (job,)) as processes:
        found.append(_dealt_by(processes, 2, amount))
    for each in found:
        assert (each.rounds, each.shoes, each.distribution) == (alone.rounds, alone.shoes, alone.distribution)
    assert simulate(book("tiger-buffalo"), amount, seed=6).distribution != alone.distribution


def test_stopped_it_has_the_first_shoes_and_says_that_they_are_not_all() -> None:
    stop, told = Event(), []

    def progress(rounds: int, begun: int) -> None:
        told.append((rounds, begun))
        if begun >= 300:
            stop.set()

    found = simulate(COMMISSION, Amount(shoes=10**9), seed=2, chunk_shoes=100, progress=progress, stop=stop)
    assert not found.complete
    assert [begun for _, begun in told] == [100, 200, 300]
    assert (found.rounds, found.shoes) == told[-1]
    assert found.distribution == simulate(COMMISSION, Amount(shoes=300), seed=2).distribution
    assert found.seconds > 0


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("decks", [4, 8])
def test_what_is_dealt_agrees_with_what_is_exact(rules: Rulebook, decks: int) -> None:
    """With a fixed number of rounds per shoe, every bet and cell is within four and a half standard deviations."""
    found = simulate(rules, Amount(rounds=3_000_000), decks=decks, seed=8, procedure=Procedure(shoe_rounds=32))
    exact, dealt = figures(rules, solve(rules, full_shoe(rules, decks))), figures(rules, found.distribution)
    assert len(dealt.insurance) == len(exact.insurance)
    off = [
        float(dealt.bets[bet].edge - each.edge) / sqrt(each.variance / found.rounds) for bet, each in exact.bets.items()
    ]
    for ours, theirs in zip(dealt.insurance, exact.insurance, strict=True):
        chance = theirs.offered
        off.append(float(ours.offered - chance) / sqrt(chance * (1 - chance) / found.rounds))
        for one, other in ((ours.win, theirs.win), (ours.lose, theirs.lose)):
            off.append(float(one - other) / sqrt(other * (1 - other) / (found.rounds * float(chance))))
    assert max(map(abs, off)) < 4.5
    if rules.insurance:  # together, the hundreds of figures are neither too far off nor too close
        assert 0.5 < sum(each * each for each in off) / len(off) < 2


def test_every_run_that_can_come_comes() -> None:
    kinds = deal(job_of(COMMISSION, 8, 1, Procedure()), 0, 10_000).kinds
    assert (kinds.sum(axis=0) > 0).sum() == RUNS


@pytest.mark.parametrize(
    ("amount", "options", "said"),
    [
        (Amount(), {}, "--rounds or --shoes"),
        (Amount(rounds=1, shoes=1), {}, "--rounds or --shoes"),
        (Amount(rounds=0), {}, "1 to"),
        (Amount(shoes=-1), {}, "1 to"),
        (Amount(rounds=10**16), {}, "1 to"),
        (Amount(rounds=1), {"workers": 0}, "workers"),
        (Amount(rounds=1), {"seed": -1}, "seed"),
        (Amount(rounds=1), {"seed": 2**64}, "seed"),
        (Amount(rounds=1), {"chunk_shoes": 0}, "chunk"),
        (Amount(rounds=1), {"procedure": Procedure(cut_card=10)}, "can be 11 to"),
        (Amount(rounds=1), {"procedure": Procedure(cut_card=400)}, "can be 11 to 399"),
        (Amount(rounds=1), {"procedure": Procedure(rounds_after=2)}, "can be 17 to"),
        (Amount(rounds=1), {"procedure": Procedure(rounds_after=-1)}, "0 to 99"),
        (Amount(rounds=1), {"procedure": Procedure(shoe_rounds=0)}, "1 to 67"),
        (Amount(rounds=1), {"procedure": Procedure(shoe_rounds=68)}, "1 to 67"),
    ],
)
def test_what_cannot_be_dealt_is_refused(amount: Amount, options: dict[str, int], said: str) -> None:
    with pytest.raises(Refused, match=said) as refused:
        simulate(COMMISSION, amount, **options)  # type: ignore[arg-type]
    assert refused.value.code is Code.OUT_OF_RANGE


def test_decks_that_the_book_does_not_know_are_refused() -> None:
    with pytest.raises(Refused, match="4 to 8 decks") as refused:
        simulate(COMMISSION, Amount(rounds=1), decks=9)
    assert refused.value.clauses


@pytest.mark.parametrize(("cut_card", "rounds_after"), [(11, 1), (5, 0), (17, 2)])
def test_no_shoe_runs_out_at_the_deepest_cut_card(cut_card: int, rounds_after: int) -> None:
    procedure = Procedure(cut_card=cut_card, rounds_after=rounds_after)
    job = job_of(COMMISSION, 4, 1, procedure)
    for shoe in range(200):
        coups = list(shoes.coups_of(COMMISSION, _order(COMMISSION, 4, 1, shoe), cut_card, rounds_after))
        assert deal(job, shoe, 1).rounds == len(coups)
