"""Sample shoes for the board."""

import random
from collections.abc import Iterable, Iterator

from hypothesis import strategies as st

from punto.board.results import Mark
from punto.rules.coup.space import Winner

MARKS = st.builds(
    Mark, st.sampled_from(Winner), banker_pair=st.booleans(), player_pair=st.booleans(), natural=st.booleans()
)
SHOES = st.lists(MARKS, max_size=90)


def written(marks: Iterable[Mark]) -> str:
    return " ".join(map(str, marks))


def random_shoes(count: int, seed: int) -> Iterator[str]:
    """Results as strings of B, P and T: short and long, with short and long runs, with few and many ties."""
    draw = random.Random(seed)  # noqa: S311 - no money is on these
    for _ in range(count):
        repeats = draw.choice((0.2, 0.5, 0.5, 0.8, 0.95))
        ties = draw.choice((0.0, 0.1, 0.1, 0.5))
        side, results = draw.choice("BP"), []
        for _ in range(draw.randrange(91)):
            if draw.random() < ties:
                results.append("T")
                continue
            if draw.random() > repeats:
                side = "P" if side == "B" else "B"
            results.append(side)
        yield "".join(results)
