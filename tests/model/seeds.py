"""The same walk from several seeds."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.lanes import examples, same_each_time
from tests.model import walk
from tests.model.choices import Choices, Seeded
from tests.model.evening import Evening

AnEvening = TypeVar("AnEvening", bound=Evening)
Move = Callable[[Evening, Choices], object]


def for_some_seeds(play: Callable[[int], object]) -> None:
    @settings(
        max_examples=examples(3),
        derandomize=same_each_time(),
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(seed=st.integers(0, 10**6))
    def check(seed: int) -> None:
        play(seed)

    check()


def play_moves(evening: AnEvening, seed: int, moves: Sequence[Move], count: int = 40) -> AnEvening:
    """A table with people, and this many moves."""
    some = Choices(evening.rules, Seeded(seed))
    walk.open_with_people(evening, some)
    for _ in range(count):
        some.pick(moves)(evening, some)
    return evening
