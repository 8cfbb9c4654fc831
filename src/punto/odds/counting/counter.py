"""Simulate a card counter: what they gain with one bet. Needs the extra ``odds``.

Before each round the counter knows every card shown so far: the first card of the shoe, which tells how many are
burned, and all cards of earlier rounds, but not the burned cards. The expectation of the next round is computed exactly
from the unseen cards, so the only chance in the result is the order of the shoes, not the outcome of the bets. The
counter stakes one unit where a gain is predicted, and sits out otherwise.

At a machine that takes cards back, the counter knows the cards that are out. They are few: with ``back_after`` 1 there
are none, and the expectation is the same before every round. Rounds are dealt in independent stretches, and judged once
as many rounds are out as there will always be.
"""

from collections.abc import Callable, Iterator
from functools import partial
from threading import Event
from typing import Any, Final, NamedTuple

import numpy as np

from punto.catalogue.sentence import phrase
from punto.odds.counting.advantage import Advantage, Counted
from punto.odds.counting.count_tags import Count, Tags
from punto.odds.exact.batch import Floats, Integers, returned_by, solve_many
from punto.odds.exact.card_bets import count_lines
from punto.odds.figures import edge_over, require_bet
from punto.odds.procedure import LARGEST_ROUND, procedure_of
from punto.odds.simulation.card_bets import numbered_shoe, suited_codes
from punto.odds.simulation.machine import deal_stretches, fill, machines
from punto.odds.simulation.shuffle import CardBytes, rounds_at, shuffled_shoe
from punto.odds.simulation.simulation_kernel import Job, felt
from punto.odds.simulation.simulator import MAX_DEALT, job_of, require_number
from punto.rules.bets.automaton import Automaton
from punto.rules.bets.pay_lines import BetRule
from punto.rules.coup.cards import RANKS, Card
from punto.rules.coup.space import PAIRS
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

_CARDS: Final = len(Card)
_BATCH_SHOES: Final = 16  # solved at once: a few megabytes of counts


class ShoeRounds(NamedTuple):
    """The rounds of one shoe, or of one stretch of a machine."""

    places: Integers
    """The position in the shoe at which each round starts; in a stretch, the number of the round."""
    unseen: Integers
    """Unseen cards before each round, by round and rank."""
    kinds: Integers
    """For each round its run, plus 10,000 times its pair pattern."""
    cards: CardBytes
    """For each round its six cards, by their numbers among the 52. No columns if no bet of the book looks at cards."""
    unseen_cards: Integers
    """Unseen cards before each round, by round and number; as above."""

    def first(self, rounds: int) -> "ShoeRounds":
        """The first rounds of these."""
        return ShoeRounds(
            self.places[:rounds],
            self.unseen[:rounds],
            self.kinds[:rounds],
            self.cards[:rounds],
            self.unseen_cards[:rounds],
        )


def count_shoes(  # noqa: PLR0913 - all of them are options
    book: Rulebook,
    bet: str,
    count: Count,
    *,
    decks: int | None = None,
    cut_card: int | None = None,
    shoes: int = 1000,
    back_after: int | None = None,
    rounds: int = 100_000,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
    stop: Event | None = None,
) -> Counted:
    """Deal shoes and follow a counter of one bet. ``simulate`` deals the same shoes for the same seed.

    With ``back_after`` the cards are in a machine that takes them back after that many rounds; then ``rounds`` is the
    number to deal, and ``cut_card`` is refused. ``progress`` is called with the shoes and rounds dealt so far. Setting
    ``stop`` ends the run with those.
    """
    rule = require_bet(book, bet)
    if shoes < 1:
        raise Refused(Code.OUT_OF_RANGE, variant="shoes_from_1", shoes=shoes)
    require_number(phrase("phrase.count_of_rounds"), rounds, 1, MAX_DEALT)
    job = job_of(book, decks, seed, procedure_of(cut_card, back_after))
    fresh = felt(job).fresh
    judge = _judge(book, rule)
    counts = [count.best, *count.levels.values()] if count.best else []
    sums = [_Sums() for _ in range(1 + len(counts))]
    for dealt in _batches(job, shoes) if back_after is None else _batches_of_stretches(job, rounds):
        unseen = np.concatenate([each.unseen for each in dealt])
        exact, won = judge(dealt, unseen)
        estimates = [exact, *(_estimate(tags, unseen, float(-count.effects.edge), len(fresh)) for tags in counts)]
        bounds = np.cumsum([0, *(len(each.kinds) for each in dealt)])
        for each, estimate in zip(sums, estimates, strict=True):
            each.add(estimate, exact, won, bounds)
        if progress is not None:
            progress(sums[0].shoes, sums[0].all_rounds)
        if stop is not None and stop.is_set():
            break
    advantages = [each.advantage(has_shoes=back_after is None) for each in sums]
    return Counted(
        shoes=sums[0].shoes if back_after is None else 0,
        rounds=sums[0].all_rounds,
        exact=advantages[0],
        best=advantages[1] if counts else None,
        levels=dict(zip(count.levels, advantages[2:], strict=True)),
        least_edge=-sums[0].highest,
        most_edge=-sums[0].lowest,
    )


_Judge = Callable[[list[ShoeRounds], Integers], tuple[Floats, Floats]]
"""From the rounds dealt and the unseen cards before each: the exact expectation of each, and what it won."""


def _judge(book: Rulebook, rule: BetRule) -> _Judge:
    if rule.automaton is not None:
        return partial(_judge_cards, rule, rule.automaton)
    ends = np.array([end.index for end in book.space.ends])
    won_by_kind = np.concatenate([returned_by(rule)[ends * len(PAIRS) + pairs] - 1 for pairs in range(len(PAIRS))])

    def judge(dealt: list[ShoeRounds], unseen: Integers) -> tuple[Floats, Floats]:
        return -solve_many(book, unseen).edges(rule), won_by_kind[np.concatenate([each.kinds for each in dealt])]

    return judge


def _judge_cards(
    rule: BetRule, automaton: Automaton, dealt: list[ShoeRounds], unseen: Integers
) -> tuple[Floats, Floats]:
    """For a bet on single cards: each round is counted by itself, which takes far longer than for the other bets."""
    del unseen
    cards = tuple(Card)
    exact, won = [], []
    for each in dealt:
        for left, drawn in zip(each.unseen_cards.tolist(), each.cards.tolist(), strict=True):
            lines = count_lines(automaton, dict(zip(cards, left, strict=True)))
            exact.append(-float(edge_over(rule, lines, sum(lines))))
            line = automaton.line([cards[number] for number in drawn])
            verdict = rule.of_cells[len(rule.pays) if line is None else line]
            won.append(verdict.numerator / verdict.denominator - 1)
    return np.array(exact), np.array(won)


def _batches(job: Job, shoes: int) -> Iterator[list[ShoeRounds]]:
    fresh = felt(job).fresh
    for first in range(0, shoes, _BATCH_SHOES):
        numbers = range(first, min(first + _BATCH_SHOES, shoes))
        yield [
            deal_shoe(
                job,
                shuffled_shoe(fresh, job.seed, number),
                shuffled_shoe(numbered_shoe(job.decks), job.seed, number) if job.card_bets else None,
            )
            for number in numbers
        ]


def _batches_of_stretches(job: Job, rounds: int) -> Iterator[list[ShoeRounds]]:
    """Stretches until there are that many rounds. The last one is cut short."""
    number, batch = 0, list[ShoeRounds]()
    while rounds > 0:
        stretch = deal_stretch(job, number)
        batch.append(stretch.first(rounds))
        number, rounds = number + 1, rounds - len(stretch.kinds)
        if rounds <= 0 or len(batch) == _BATCH_SHOES:
            yield batch
            batch = []


def _estimate(tags: Tags, unseen: Integers, start: float, cards: int) -> Floats:
    """The expectation of each round as predicted by the count.

    See the expectation as the mean of a contribution per unseen card. Of N cards, removing one changes that mean by
    the card's effect, so its contribution is (N - 1) times the effect below the mean.
    """
    effects = np.array([float(tag * tags.effect) for tag in tags.tags])
    gone = cards // len(RANKS) - unseen
    estimate: Floats = start + (cards - 1) * (gone @ effects) / unseen.sum(axis=1)
    return estimate


def deal_shoe(job: Job, cards: CardBytes, numbered: CardBytes | None = None) -> ShoeRounds:
    """The rounds of one shoe, as the simulator deals them, and the cards unseen before each.

    ``numbered`` has the numbers of the same cards among the 52, where a bet of the book looks at them.
    """
    table = felt(job)
    kinds, hands = np.zeros(len(cards), np.uint16), np.zeros(len(cards), np.uint16)
    rounds_at(kinds, hands, cards)
    used = table.used[kinds].tolist()
    start, after = int(table.starts[cards[0]]), job.rounds_after
    at, places = start, []
    while at < table.stop or after:
        after -= at >= table.stop
        places.append(at)
        at += used[at]
    unseen = _unseen(cards >> 4, len(RANKS), start, places)
    starts, of_rounds = np.array(places), kinds[places].astype(np.int64)
    if numbered is None:
        return ShoeRounds(starts, unseen, of_rounds, *_no_cards(len(places)))
    drawn = numbered[starts[:, np.newaxis] + np.arange(LARGEST_ROUND)]
    return ShoeRounds(starts, unseen, of_rounds, drawn, _unseen(numbered, _CARDS, start, places))


def _unseen(shown: Any, sorts: int, start: int, places: list[int]) -> Integers:
    """The cards unseen before each round, by sort: all but the first one and those of earlier rounds."""
    drawn = np.zeros((len(shown) + 1, sorts), np.int64)
    drawn[np.arange(1, len(shown) + 1), shown] = 1
    drawn = drawn.cumsum(axis=0)
    unseen: Integers = drawn[-1] - drawn[1] - (drawn[places] - drawn[start])
    return unseen


def _no_cards(rounds: int) -> tuple[CardBytes, Integers]:
    return np.zeros((rounds, 0), np.uint8), np.zeros((rounds, 0), np.int64)


def deal_stretch(job: Job, number: int) -> ShoeRounds:
    """The rounds of one stretch of a machine, and the cards in it before each.

    The first rounds are left out, before which fewer cards were out than later.
    """
    table, back_after = felt(job), job.back_after or 1
    fresh = suited_codes(table.fresh, numbered_shoe(job.decks)) if job.card_bets else table.fresh
    machine = machines(1, fresh, back_after)
    kinds = np.zeros((1, job.most_rounds), np.uint16)
    drawn: Any = np.zeros((job.most_rounds, LARGEST_ROUND), fresh.dtype)
    fill(machine, fresh)
    deal_stretches(kinds, drawn, machine, table.used, np.uint64(job.seed), np.uint64(number))
    used = np.arange(LARGEST_ROUND) < table.used[kinds[0]][:, np.newaxis]
    places = np.arange(back_after - 1, job.most_rounds)
    unseen = _in_machine((drawn >> 4) & 15, len(RANKS), used, places, back_after, len(fresh))
    of_rounds = kinds[0, places].astype(np.int64)
    if not job.card_bets:
        return ShoeRounds(places, unseen, of_rounds, *_no_cards(len(places)))
    numbers = (drawn >> 8).astype(np.uint8)
    unseen_cards = _in_machine(numbers, _CARDS, used, places, back_after, len(fresh))
    return ShoeRounds(places, unseen, of_rounds, numbers[places], unseen_cards)


def _in_machine(drawn: CardBytes, sorts: int, used: Any, places: Integers, back_after: int, cards: int) -> Integers:
    """The cards in the machine before each round, by sort: all but those of the rounds that are out."""
    by_sort = (drawn[:, :, np.newaxis] == np.arange(sorts)) & used[:, :, np.newaxis]
    so_far = np.zeros((len(drawn) + 1, sorts), np.int64)
    so_far[1:] = by_sort.sum(axis=1).cumsum(axis=0)
    unseen: Integers = cards // sorts - (so_far[places] - so_far[places - (back_after - 1)])
    return unseen


class _Sums:
    """Sums over all rounds, for one way to predict them."""

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self.bets = 0
        self.lowest, self.highest = np.inf, -np.inf
        self.gains: list[float] = []
        self.won: list[float] = []
        self.moments = np.zeros(5)

    def add(self, estimate: Floats, exact: Floats, won: Floats, bounds: Integers) -> None:
        """Add the rounds of several shoes, which start at ``bounds``."""
        bets = estimate > 0
        self.rounds += np.diff(bounds).tolist()
        self.lowest = min(self.lowest, float(exact.min()))
        self.highest = max(self.highest, float(exact.max()))
        self.bets += int(bets.sum())
        self.gains += np.add.reduceat(np.where(bets, exact, 0.0), bounds[:-1]).tolist()
        self.won += np.add.reduceat(np.where(bets, won, 0.0), bounds[:-1]).tolist()
        self.moments += [estimate.sum(), exact.sum(), estimate @ estimate, exact @ exact, estimate @ exact]

    @property
    def shoes(self) -> int:
        return len(self.rounds)

    @property
    def all_rounds(self) -> int:
        return sum(self.rounds)

    def advantage(self, *, has_shoes: bool) -> Advantage:
        shoes, gain = self.shoes, sum(self.gains)
        error = float(np.std(self.gains, ddof=1) / np.sqrt(shoes)) if shoes > 1 else None
        off = np.array(self.gains) - gain / self.all_rounds * np.array(self.rounds)  # as for a ratio of two sums
        return Advantage(
            bets=self.bets,
            frequency=self.bets / self.all_rounds,
            gain_per_bet=gain / self.bets if self.bets else 0.0,
            gain_per_shoe=gain / shoes if has_shoes else None,
            gain_per_shoe_error=error if has_shoes else None,
            won_per_shoe=sum(self.won) / shoes if has_shoes else None,
            correlation=self._correlation(),
            gain_per_round=gain / self.all_rounds,
            gain_per_round_error=float(np.sqrt(off @ off * shoes / (shoes - 1)) / self.all_rounds)
            if shoes > 1
            else None,
        )

    def _correlation(self) -> float | None:
        x, y, xx, yy, xy = self.moments / self.all_rounds
        spread, other = xx - x * x, yy - y * y
        if spread <= 1e-12 * xx or other <= 1e-12 * yy:  # constant except for rounding
            return None
        return float((xy - x * y) / np.sqrt(spread * other))
