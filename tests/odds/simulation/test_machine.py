"""A machine that takes cards back: its rounds are those of a slow one, and have exactly the odds of the whole set."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from math import sqrt

import pytest

from punto import Refused, book
from punto.odds import Amount, Procedure, continuous, figures, full_shoe, simulate, solve
from punto.odds.simulation.machine import STRETCH
from punto.odds.simulation.shuffle import RUNS
from punto.odds.simulation.simulation_kernel import KINDS, deal
from punto.odds.simulation.simulator import job_of
from punto.rules.coup.cards import RANKS
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import PAIRS, run_index
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from tests.marks import BOOKS
from tests.odds import shoes

pytestmark = pytest.mark.sweep

SUPER_SIX = book("super-six-plus")


def _kind(coup: Coup) -> int:
    return PAIRS.index(coup.outcome.pairs) * RUNS + run_index(coup.partial)


@pytest.mark.parametrize(("decks", "back_after"), [(8, 1), (8, 2), (4, 5), (6, 52), (4, 34)])
def test_its_rounds_are_those_of_a_slow_machine(decks: int, back_after: int) -> None:
    job = job_of(SUPER_SIX, decks, 7, continuous(back_after))
    slowly: Counter[int] = Counter()
    for stretch in range(3, 14):  # more than are dealt side by side
        rounds = shoes.rounds_of_machine(SUPER_SIX, decks, 7, [stretch], back_after, STRETCH)
        slowly.update(_kind(coup) for _, coup in rounds)
    dealt = deal(job, 3, 11)
    assert (dealt.rounds, dealt.shoes) == (11 * STRETCH, 11)
    assert dealt.kinds.reshape(KINDS).tolist() == [slowly[kind] for kind in range(KINDS)]
    few = deal(job, 3, 11, most_rounds=STRETCH + 5)
    assert (few.rounds, few.shoes, few.kinds.sum()) == (STRETCH + 5, 2, STRETCH + 5)


@pytest.mark.parametrize("back_after", [1, 2, 4])
def test_the_cards_of_the_rounds_before_are_out_and_no_others(back_after: int) -> None:
    """The slow machine keeps to the definition."""
    whole, used = Counter(dict.fromkeys(RANKS, 32)), list[Counter[str]]()
    for inside, coup in shoes.rounds_of_machine(SUPER_SIX, 8, 1, [0], back_after, STRETCH):
        out = used[-(back_after - 1) :] if back_after > 1 else []
        assert inside == whole - sum(out, Counter())
        used.append(Counter(card.rank for card in coup.cards[: coup.used] if card is not None))


@pytest.mark.parametrize("rules", [pytest.param(rules, id=rules.id) for rules in BOOKS if rules.has_shuffler])
@pytest.mark.parametrize(("decks", "back_after"), [(4, 1), (8, 1), (8, 3), (4, 20)])
def test_every_round_has_exactly_the_odds_of_the_whole_set(rules: Rulebook, decks: int, back_after: int) -> None:
    """Every bet and cell is within four and a half standard deviations, and together they are as far off as chance."""
    found = simulate(rules, Amount(rounds=3_000_000), decks=decks, seed=5, procedure=continuous(back_after))
    assert (found.rounds, found.shoes, found.complete) == (3_000_000, 0, True)
    exact, dealt = figures(rules, solve(rules, full_shoe(rules, decks))), figures(rules, found.distribution)
    off = [
        float(dealt.bets[bet].edge - each.edge) / sqrt(each.variance / found.rounds) for bet, each in exact.bets.items()
    ]
    for ours, theirs in zip(dealt.insurance, exact.insurance, strict=True):
        off.append(float(ours.offered - theirs.offered) / sqrt(theirs.offered * (1 - theirs.offered) / found.rounds))
        off.append(
            float(ours.win - theirs.win) / sqrt(theirs.win * (1 - theirs.win) / (found.rounds * float(theirs.offered)))
        )
    assert max(map(abs, off)) < 4.5
    if rules.insurance:
        assert 0.5 < sum(each * each for each in off) / len(off) < 2


def test_the_same_seed_gives_the_same_tally_for_any_workers() -> None:
    amount, procedure = Amount(rounds=77_777), continuous(3)
    alone = simulate(SUPER_SIX, amount, seed=5, procedure=procedure)
    with ThreadPoolExecutor(2) as pool:
        others = [
            simulate(SUPER_SIX, amount, seed=5, procedure=procedure, workers=3, chunk_shoes=7),
            simulate(SUPER_SIX, amount, seed=5, procedure=procedure, workers=2, executor=pool, chunk_shoes=50),
        ]
    for each in others:
        assert (each.rounds, each.shoes, each.distribution) == (77_777, 0, alone.distribution)
    assert simulate(SUPER_SIX, amount, seed=6, procedure=procedure).distribution != alone.distribution


@pytest.mark.parametrize(
    ("amount", "procedure", "code", "said"),
    [
        (Amount(shoes=1), continuous(), Code.OPTIONS_CONTRADICT, "has no shoes"),
        (Amount(rounds=1), Procedure(back_after=1), Code.OPTIONS_CONTRADICT, "burns no cards"),
        (Amount(rounds=1), Procedure(burn=False, back_after=1), Code.OPTIONS_CONTRADICT, "no cut card"),
        (Amount(rounds=1), Procedure(False, 0, 1, None, 1), Code.OPTIONS_CONTRADICT, "no cut card"),  # noqa: FBT003
        (Amount(rounds=1), Procedure(False, 0, 0, 60, 1), Code.OPTIONS_CONTRADICT, "has no shoes"),  # noqa: FBT003
        (Amount(rounds=1), continuous(0), Code.OUT_OF_RANGE, "1 to 34 rounds, not 0"),
        (Amount(rounds=1), continuous(35), Code.OUT_OF_RANGE, "1 to 34 rounds, not 35"),
    ],
)
def test_what_means_nothing_at_a_machine_is_refused(
    amount: Amount, procedure: Procedure, code: Code, said: str
) -> None:
    with pytest.raises(Refused, match=said) as refused:
        simulate(SUPER_SIX, amount, decks=4, procedure=procedure)
    assert refused.value.code is code
