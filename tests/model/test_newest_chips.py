"""Several people at one box bet, raise and withdraw, and the slow books say whose chips go back."""

import pytest
from msgspec.structs import replace

from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records import commands
from punto.table.records.events import BetPlaced, BetRejected
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits
from tests.lanes import examples
from tests.marks import books
from tests.model import walk
from tests.model.choices import PEOPLE, Choices, Seeded
from tests.model.evening import Evening
from tests.model.walk import DEALER, SUPERVISOR

pytestmark = pytest.mark.sweep


@pytest.mark.parametrize("observing", [False, True])
@pytest.mark.parametrize("rules", books(Topic.DIFFERENTIAL))
def test_the_newest_chips_go_back_first(rules: Rulebook, observing: bool) -> None:  # noqa: FBT001 - a case
    raised_and_rejected = 0
    for seed in range(examples(20)):
        evening, some = Evening(rules), Choices(rules, Seeded(seed))
        _gather(evening, some, observing=observing)
        for _ in range(6):
            walk.people_change_their_bets(evening, some)
        raised = [(each.who, each.bet) for each in evening.events if isinstance(each, BetPlaced)]
        back = {(each.who, each.bet) for each in evening.events if isinstance(each, BetRejected)}
        raised_and_rejected += sum(raised.count(each) > 1 for each in back)
        evening.check_replay()
    assert raised_and_rejected > examples(20) // 4, "or this shows nothing"


def _gather(evening: Evening, some: Choices, *, observing: bool) -> None:
    """A table with low limits and everybody at box 1, one of them seated."""
    settings = replace(
        some.settings(),
        main=BetLimits(some.pick((1, 20, 50)), some.pick((None, 400))),
        differential_minor=some.pick((100, 200)),
        observing=observing,
        cards_only=False,
        no_insurance=False,
        burn=False,
        payout_supervised_minor=None,
    )
    evening.do(commands.OpenTable(*SUPERVISOR, settings, 10**6))
    evening.do(commands.LoadShoe(*SUPERVISOR, some.shoe(), evening.rules.decks.least))
    for at, who in enumerate(PEOPLE):
        evening.do(commands.BuyIn(*SUPERVISOR, who, 20_000))
        evening.do((commands.StandBehind if at else commands.Sit)(who, Position.PLAYER, who, 1))
    evening.do(commands.OpenBetting(*DEALER))
    evening.check()
