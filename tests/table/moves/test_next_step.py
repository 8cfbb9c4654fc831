"""What a table does by itself: without automations, with each one alone, with all."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card, read_card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table import next_step
from punto.table.records import commands
from punto.table.records.commands import GrantSqueeze, Leave, RequestSqueeze, SqueezeCard, WaiveThirdCardInsurance
from punto.table.records.events import BettingOpened, CardTurned, InsuranceOffered, RoundSettled
from punto.table.records.positions import Position
from punto.table.records.reports import ReportDealingError
from punto.table.records.settings import Automation
from punto.table.records.state import Table
from punto.table.situation import AutomaticStep
from tests.marks import BOOKS, INSURED
from tests.table.tables import (
    ALL_AUTOMATIONS,
    BANKER_ON_FIVE,
    DEALER,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    opened,
    ready,
)

RULES = book("commission-insurance")
WITHOUT_CLOCK = tuple(each for each in Automation if each is not Automation.SQUEEZE)


def _steps(evening: Evening, cards: str, until: int = 1) -> list[Automation]:
    """Do what a floor does: take every automatic step and supply the cards."""
    shoe = list(map(read_card, cards.split()))
    taken: list[Automation] = []
    while len(evening.happened(RoundSettled)) < until and (step := next_step(evening.rules, evening.table)):
        evening.do(step.command(shoe.pop(0) if step.needs_card else None))
        taken.append(step.automation)
    assert not shoe
    return taken


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@pytest.mark.parametrize("face_down", [False, True], ids=["up", "down"])
def test_automations_can_play_a_whole_round(rules: Rulebook, face_down: bool) -> None:  # noqa: FBT001
    evening = ready(rules, face_down=face_down, burn=True, automations=ALL_AUTOMATIONS)
    assert next_step(rules, evening.table) == AutomaticStep(Automation.BURN, needs_card=True)
    taken = _steps(evening, "2c As Kh Ad Ac 4s 5d")
    cards = [Automation.DEAL] * 4
    third = [Automation.DEAL]
    if face_down:
        cards += [Automation.TURN] * 4
        third += [Automation.TURN]
    begin = [Automation.BURN, Automation.OPEN_BETTING, Automation.CLOSE_BETTING]
    assert taken == [*begin, *cards, *third, *third, Automation.SETTLE]
    assert evening.happened(RoundSettled)[0].banker == 6
    assert next_step(rules, evening.table) == AutomaticStep(Automation.NEXT_ROUND)


@pytest.mark.parametrize("rules", INSURED, ids=lambda rules: rules.id)
def test_insurance_is_offered_and_closed_by_itself(rules: Rulebook) -> None:
    evening = dealing(rules, automations=ALL_AUTOMATIONS)
    taken = _steps(evening, f"{BANKER_ON_FIVE} 4c 2h")
    deal = Automation.DEAL
    insurance = [Automation.OPEN_INSURANCE, Automation.CLOSE_INSURANCE]
    assert taken == [deal] * 4 + insurance + [deal, deal, Automation.SETTLE]
    assert len(evening.happened(InsuranceOffered)) == 1


def _moments() -> list[tuple[Automation, Evening]]:
    """For each automation, a table where it is the next step."""
    return [
        (Automation.BURN, ready(RULES, burn=True)),
        (Automation.OPEN_BETTING, ready(RULES)),
        (Automation.NEXT_ROUND, dealing(RULES).deal("9s 2d Kh 3c").settle()),
        (Automation.CLOSE_BETTING, betting(RULES)),
        (Automation.DEAL, dealing(RULES)),
        (Automation.TURN, dealing(RULES, face_down=True).deal_unseen(4)),
        (Automation.SQUEEZE, _squeezed()),
        (Automation.OPEN_INSURANCE, dealing(RULES).deal(BANKER_ON_FIVE)),
        (Automation.CLOSE_INSURANCE, _offered()),
        (Automation.SETTLE, dealing(RULES).deal("9s 2d Kh 3c")),
        (Automation.CALL_TIME, _asked()),
    ]


def _squeezed() -> Evening:
    evening = dealing(RULES, ("ann", "banker", 100_00), face_down=True, squeeze_granted=True)
    for side in Side:
        evening.do(RequestSqueeze("ann", Position.PLAYER, "ann", side))
    return evening.deal_unseen(4)


def _asked() -> Evening:
    evening = dealing(RULES)
    evening.do(ReportDealingError(*SUPERVISOR, "it fell"))
    return evening


def _offered() -> Evening:
    evening = dealing(RULES).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    return evening


def _with(table: Table, *automations: Automation) -> Table:
    """The same table with other automations."""
    assert table.settings is not None
    return replace(table, settings=replace(table.settings, automations=automations))


def test_each_automation_takes_its_own_step_and_no_other() -> None:
    moments = _moments()
    assert {automation for automation, _ in moments} == set(Automation)
    for due, evening in moments:
        assert next_step(RULES, evening.table) is None  # without automations a dealer gives every command
        for automation in Automation:
            step = next_step(RULES, _with(evening.table, automation))
            assert (step.automation if step else None) == (due if automation is due else None)
        step = next_step(RULES, _with(evening.table, *Automation))
        assert step is not None
        assert step.automation is due
        command = step.command(Card("5h") if step.needs_card else None)
        assert (command.by, command.position) == ("house", Position.HOUSE)
        evening.do(command)


def test_a_table_that_waits_for_people_has_no_next_step() -> None:
    assert next_step(RULES, Table()) is None
    evening = opened(RULES, automations=ALL_AUTOMATIONS)
    assert next_step(RULES, evening.table) is None  # a shoe
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 8))
    assert next_step(RULES, evening.table) == AutomaticStep(Automation.OPEN_BETTING)


def test_after_the_last_round_of_a_shoe_the_table_waits_for_another() -> None:
    evening = opened(RULES, cut_card=51, rounds_after_cut_card=1, automations=ALL_AUTOMATIONS)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 4))
    cards = [f"{rank}{suit}" for rank in "9AK28T3Q4J567" for suit in "shdc" for _ in range(4)]
    shoe = iter(map(read_card, cards))
    while step := next_step(RULES, evening.table):
        evening.do(step.command(next(shoe) if step.needs_card else None))
    assert [event.last for event in evening.happened(BettingOpened)][-2:] == [False, True]
    assert evening.table.shoe is not None
    assert evening.table.shoe.cut_card_out
    assert len(evening.happened(RoundSettled)) == len(evening.happened(BettingOpened))
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 4))
    assert next_step(RULES, evening.table) == AutomaticStep(Automation.NEXT_ROUND)


def test_an_accepted_hand_waits_for_who_squeezes_it() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), face_down=True, automations=WITHOUT_CLOCK)
    evening.do(RequestSqueeze("ann", Position.PLAYER, "ann", Side.PLAYER))
    evening.do(GrantSqueeze(*SUPERVISOR, Side.PLAYER))
    assert _steps(evening, "Ks Ac") == [Automation.DEAL] * 4 + [Automation.TURN] * 2
    assert [event.place for event in evening.happened(CardTurned)] == [2, 4]  # Banker's is nobody's
    assert next_step(RULES, evening.table) is None
    evening.do(SqueezeCard("ann", Position.PLAYER, 3))
    assert next_step(RULES, evening.table) == AutomaticStep(Automation.TURN, needs_card=True, place=3)
    assert _steps(evening, "Kh") == [Automation.TURN]
    evening.do(SqueezeCard("ann", Position.PLAYER, 1))
    assert _steps(evening, "2s") == [Automation.TURN, Automation.DEAL]
    assert next_step(RULES, evening.table) is None  # Player's third card is hers
    evening.do(SqueezeCard("ann", Position.PLAYER, 5))
    assert _steps(evening, "2d 5c") == [Automation.TURN, Automation.DEAL, Automation.TURN, Automation.SETTLE]


def test_with_a_clock_a_card_is_turned_once_its_player_lays_it_open_or_the_time_is_over() -> None:
    evening = _squeezed()
    evening.table = _with(evening.table, *Automation)
    clock = AutomaticStep(Automation.SQUEEZE, needs_card=True, place=1)
    assert next_step(RULES, evening.table) == clock
    evening.do(SqueezeCard("ann", Position.PLAYER, 3))
    assert next_step(RULES, evening.table) == clock  # ann looks at it
    evening.do(SqueezeCard("ann", Position.PLAYER, 3, laid_open=True))
    turn = AutomaticStep(Automation.TURN, needs_card=True, place=3)
    assert next_step(RULES, evening.table) == turn
    evening.do(turn.command(read_card("Kh")))
    evening.do(SqueezeCard("ann", Position.PLAYER, 4, laid_open=True))  # at once
    evening.do(AutomaticStep(Automation.TURN, needs_card=True, place=4).command(read_card("Ac")))
    assert next_step(RULES, evening.table) == clock
    evening.do(clock.command(read_card("9s")))
    assert evening.happened(CardTurned)[-1] == CardTurned(1, Card.NINE_SPADES)
    assert next_step(RULES, evening.table) == AutomaticStep(Automation.SQUEEZE, needs_card=True, place=2)


def test_cards_dealt_before_the_squeeze_was_asked_for_wait_for_nobody() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), face_down=True).deal_unseen(1)
    evening.do(RequestSqueeze("ann", Position.PLAYER, "ann", Side.PLAYER))
    evening.do(GrantSqueeze(*SUPERVISOR, Side.PLAYER))
    assert evening.table.settings is not None
    automatic = replace(evening.table.settings, automations=WITHOUT_CLOCK)
    evening.table = replace(evening.table, settings=automatic)
    assert _steps(evening, "2s Ks Ac") == [Automation.DEAL] * 3 + [Automation.TURN] * 3
    assert [event.place for event in evening.happened(CardTurned)] == [1, 2, 4]
    assert next_step(RULES, evening.table) is None  # the third card is hers


def test_the_hand_of_who_walks_away_waits_for_nobody() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), face_down=True, automations=WITHOUT_CLOCK)
    for side in Side:
        evening.do(RequestSqueeze("ann", Position.PLAYER, "ann", side))
        evening.do(GrantSqueeze(*SUPERVISOR, side))
    assert _steps(evening, "") == [Automation.DEAL] * 4
    evening.do(Leave("ann", Position.PLAYER, "ann"))
    assert next_step(RULES, evening.table) == AutomaticStep(Automation.TURN, needs_card=True, place=1)
    assert _steps(evening, "9s 2d Kh 3c") == [Automation.TURN] * 4 + [Automation.SETTLE]


def test_after_the_waiver_bankers_third_card_is_turned_first() -> None:
    evening = dealing(RULES, ("ann", "player", 100_00), face_down=True)
    evening.deal("As Kh Ad Ac")
    evening.do(WaiveThirdCardInsurance(*SUPERVISOR, "ann"))
    evening.table = _with(evening.table, *Automation)
    assert _steps(evening, "5d 6s") == [Automation.DEAL] * 2 + [Automation.TURN] * 2 + [Automation.SETTLE]
    assert [event.place for event in evening.happened(CardTurned)[-2:]] == [6, 5]


def test_without_it_players_comes_first() -> None:
    evening = dealing(RULES, ("ann", "tie", 1_00), face_down=True, automations=ALL_AUTOMATIONS)
    _steps(evening, "As Kh Ad Ac 6s 5d")
    assert [event.place for event in evening.happened(CardTurned)] == [1, 2, 3, 4, 5, 6]
