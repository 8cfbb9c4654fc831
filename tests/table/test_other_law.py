"""A table open under another law of its book finishes its round and closes; it starts nothing new."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from msgspec.structs import replace

from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.earlier_laws import EARLIER_HASHES
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import RULE_SWITCHES, Topic
from punto.table import decide, legal, next_step
from punto.table.authority import check_authority, named_by
from punto.table.law import LawScope, scope_of
from punto.table.play.claims import claimed_sides
from punto.table.play.raising import RAISED
from punto.table.records import commands, reports
from punto.table.records.chips import CountTray, ReceiveSlip, RequestSlip, SendSlip, VoidSlip
from punto.table.records.commands import Command
from punto.table.records.events import RoundSettled
from punto.table.records.kinds import TOPICS, Effect, Irregularity
from punto.table.records.pit_calls import AnswerCall, CallPit
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, RaisedIrregularity, with_irregularities
from punto.table.refusals import TableCode
from tests.marks import BOOKS
from tests.table.open_rounds import (
    AUTOMATIC,
    BETS,
    Reach,
    bets_placed,
    dealt,
    insurance_missed,
    insurance_offered,
    insurance_taken,
    irregularity_raised,
    options_open,
    order_lost,
    settled,
    squeezing,
)
from tests.table.samples import commands_by
from tests.table.tables import (
    DEALER,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    ready,
    settings,
)

OTHER_LAW = "f" * 64
STARTS = (commands.OpenBetting, commands.ChangeSettings, commands.LoadShoe)
TRAY = (RequestSlip, SendSlip, ReceiveSlip, VoidSlip, CountTray)
GO_HOME = (commands.Leave, commands.CashOut, commands.CloseTable, commands.IdentifyPlayer)
CALLS = (CallPit, AnswerCall)
VOID = reports.Rule(*SHIFT, "other rules", Effect.VOID)
CONTINUE = reports.Rule(*SHIFT, "other rules", Effect.CONTINUE)
EVERYBODY = (*((position.value, position) for position in Position), ("ann", Position.PLAYER))


REACHED: dict[str, tuple[Reach, Topic | None]] = {
    "ready": (lambda rules: ready(rules, **AUTOMATIC), None),
    "betting": (bets_placed, None),
    **{f"{cards} cards": (dealt(cards), None) for cards in range(7)},
    **{f"{cards} cards face down": (dealt(cards, face_down=True), None) for cards in range(1, 5)},
    "insurance open": (insurance_offered, Topic.INSURANCE),
    "insurance taken": (insurance_taken, Topic.INSURANCE),
    "insurance missed": (insurance_missed, Topic.INSURANCE),
    "options open": (options_open, Topic.OPTIONS),
    "irregularity raised": (irregularity_raised, None),
    "order lost": (order_lost, Topic.SIMULTANEOUS_CARDS),
    "squeezing": (squeezing, Topic.SQUEEZE),
    "settled": (settled, None),
}
"""How to reach a state, and the rule that a book needs for it."""


def _every_state() -> Iterator[ParameterSet]:
    for rules in BOOKS:
        at_night = () if rules.id in ("commission", "tiger-buffalo") else (pytest.mark.nightly,)
        for name, (reach, topic) in REACHED.items():
            if topic is None or rules.has(topic):
                yield pytest.param(rules, reach, id=f"{rules.id}-{name}", marks=at_night)


# ---- the book can judge what is on the table


def _under_another_law(evening: Evening) -> Evening:
    evening.table = replace(evening.table, law_hash=OTHER_LAW)
    return evening


def _without_authority(evening: Evening, command: Command) -> Refusal | None:
    """Authority is looked at first."""
    named = (type(command), command.by, command.position, named_by(command))
    return check_authority(evening.rules, evening.table, *named)


def _check_nothing_starts(evening: Evening) -> None:
    """Everybody can do what they could under the table's own law, but nothing that starts something."""
    rules, table = evening.rules, evening.table
    own = replace(table, law_hash=rules.law_hash)
    for by, position in EVERYBODY:
        kept = [move for move in legal(rules, own, by, position) if not isinstance(move.command, STARTS)]
        assert list(legal(rules, table, by, position)) == kept
        assert all(not isinstance(decide(rules, table, move.command), Refusal) for move in kept)
        for command in commands_by(rules, by, position, "ann"):
            decision = decide(rules, table, command)
            if isinstance(command, STARTS):
                assert isinstance(decision, Refusal)
                assert decision.key == "wrong_book.this_round" or decision == _without_authority(evening, command)
            else:
                assert decision == decide(rules, own, command)


def _next(evening: Evening, cards: list[Card]) -> commands.Command | None:
    """The automatic step, or what people have to do first."""
    step = next_step(evening.rules, evening.table)
    if step is not None:
        assert step.automation not in (Automation.OPEN_BETTING, Automation.NEXT_ROUND)
        return step.command(cards.pop() if step.needs_card else None)
    now = evening.table.round
    if now is None or now.over:
        return None
    if now.irregularities.raised is not None:
        return reports.DismissIrregularity(*SUPERVISOR, "it stayed in the shoe")
    if now.irregularities.order_lost:
        return reports.RuleCardOrder(*SUPERVISOR, now.irregularities.order_lost)
    if claimed_sides(evening.rules, evening.table):
        return commands.Settle("max", Position.PIT_MANAGER)
    squeezed = next(place for place in (2, 4) if now.cards[place - 1] is None)
    return commands.TurnCard(*DEALER, squeezed, cards.pop())


def _finish(evening: Evening) -> None:
    cards = [Card(f"{rank}{suit}") for suit in "shdc" for rank in "9876"]
    while (command := _next(evening, cards)) is not None:
        evening.do(command)


def _go_home_and_close(evening: Evening) -> None:
    for who in sorted(evening.table.people):
        if who in {*evening.table.seats.values(), *evening.table.behind}:
            evening.do(commands.Leave(*DEALER, who))
        if evening.table.chips_minor(who):
            evening.do(commands.CashOut(*DEALER, who, evening.table.chips_minor(who)))
    evening.do(commands.CloseTable(*SUPERVISOR))
    assert evening.table.phase is Phase.CLOSED


@pytest.mark.sweep
@pytest.mark.parametrize(("rules", "reach"), list(_every_state()))
def test_the_round_is_finished_and_the_table_closes(rules: Rulebook, reach: Reach) -> None:
    evening = _under_another_law(reach(rules))
    assert scope_of(rules, evening.table) is LawScope.THIS_ROUND
    in_round = evening.table.phase is not Phase.READY
    _check_nothing_starts(evening)
    _finish(evening)
    assert evening.table.phase is Phase.READY
    assert bool(evening.happened(RoundSettled)) or not in_round
    assert next_step(rules, evening.table) is None
    _check_nothing_starts(evening)
    _go_home_and_close(evening)
    evening.do(commands.OpenTable(*SUPERVISOR, settings(rules)))
    assert evening.table.law_hash == rules.law_hash


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_round_can_be_voided_and_bets_placed_and_withdrawn(rules: Rulebook) -> None:
    evening = _under_another_law(bets_placed(rules))
    evening.bet("ann", "banker", 5_00)
    evening.do(evening.withdrawing("ann", "banker", 105_00))
    evening.do(VOID)
    _go_home_and_close(evening)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_table_that_an_earlier_release_opened_under_this_law_plays_on(rules: Rulebook) -> None:
    for before in _earlier(rules):
        evening = settled(rules)
        evening.table = replace(evening.table, law_hash=before)
        assert scope_of(rules, evening.table) is LawScope.EVERYTHING
        step = next_step(rules, evening.table)
        assert step is not None
        assert step.automation is Automation.NEXT_ROUND
        evening.open_betting().play(NATURAL)
        assert evening.table.law_hash == before
        own = replace(evening.table, law_hash=rules.law_hash)
        for by, position in EVERYBODY:
            assert legal(rules, evening.table, by, position) == legal(rules, own, by, position)


def _earlier(rules: Rulebook) -> list[str]:
    earlier = sorted(EARLIER_HASHES[rules.law_hash])
    assert earlier
    return earlier


# ---- the book cannot judge it


def _changed(rules: Rulebook, **changes: Any) -> Rulebook:
    return replace(rules, law_hash=OTHER_LAW, **changes)


def _without_topics(*topics: Topic) -> Callable[[Rulebook], Rulebook]:
    return lambda rules: _changed(rules, topics={**rules.topics, **dict.fromkeys(topics, ())})


def _without_layout(rules: Rulebook) -> Rulebook:
    first, *others = rules.layouts
    return _changed(rules, layouts={each: rules.layouts[each] for each in others} or {"Z": rules.layouts[first]})


def _without_tie(rules: Rulebook) -> Rulebook:
    def without(menu: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(bet for bet in menu if bet != "tie")

    layouts = {name: replace(layout, menu=without(layout.menu)) for name, layout in rules.layouts.items()}
    return _changed(rules, layouts=layouts, bets={name: rules.bets[name] for name in rules.bets if name != "tie"})


def _with_two_boxes(rules: Rulebook) -> Rulebook:
    few = {name: replace(layout, least_boxes=2, most_boxes=2) for name, layout in rules.layouts.items()}
    return _changed(rules, layouts=few)


def _without_insurance(rules: Rulebook) -> Rulebook:
    return _changed(rules, insurance=None)


def _without_lines(rules: Rulebook) -> Rulebook:
    assert rules.insurance is not None
    return _changed(rules, insurance=replace(rules.insurance, lines=()))


def _on_the_other_side(rules: Rulebook) -> Rulebook:
    assert rules.insurance is not None
    lines = tuple(replace(line, side=Side.PLAYER) for line in rules.insurance.lines)
    return _changed(rules, insurance=replace(rules.insurance, lines=lines))


def _at_other_odds(rules: Rulebook) -> Rulebook:
    assert rules.insurance is not None
    lines = tuple(replace(line, odds=line.odds + 1) for line in rules.insurance.lines)
    return _changed(rules, insurance=replace(rules.insurance, lines=lines))


def _of_one_deck(rules: Rulebook) -> Rulebook:
    return _changed(rules, decks=replace(rules.decks, least=1, most=1))


def _twins(rules: Rulebook) -> Evening:
    return dealing(rules, *BETS, **AUTOMATIC).deal("As As")


def _differential(rules: Rulebook) -> Evening:
    evening = betting(rules, differential_minor=500_00, observing=True, **AUTOMATIC)
    evening.bet("ann", "banker", 600_00)
    return evening


CANNOT_JUDGE: dict[str, tuple[Reach, Callable[[Rulebook], Rulebook], Topic | None]] = {
    "layout": (bets_placed, _without_layout, None),
    "layout, dealing": (dealt(4), _without_layout, None),
    "layout, ready": (lambda rules: ready(rules, **AUTOMATIC), _without_layout, None),
    "bet": (bets_placed, _without_tie, None),
    "bet, coup finished": (dealt(6), _without_tie, None),
    "boxes": (dealt(6), _with_two_boxes, None),
    "copies of a card": (_twins, _of_one_deck, None),
    "no close of betting": (bets_placed, _without_topics(Topic.BETTING_CLOSED), None),
    "no differential limit": (_differential, _without_topics(Topic.DIFFERENTIAL), Topic.DIFFERENTIAL),
    "no squeeze": (squeezing, _without_topics(Topic.SQUEEZE), Topic.SQUEEZE),
    "no options": (options_open, _without_topics(Topic.OPTIONS), Topic.OPTIONS),
    "no order": (order_lost, _without_topics(Topic.SIMULTANEOUS_CARDS), Topic.SIMULTANEOUS_CARDS),
    "no excess cards": (irregularity_raised, _without_topics(Topic.EXCESS_CARDS, Topic.WRONG_NUMBER_OF_CARDS), None),
    "insurance taken": (insurance_taken, _without_insurance, Topic.INSURANCE),
    "insurance line taken": (insurance_taken, _without_lines, Topic.INSURANCE),
    "insurance line of the other side": (insurance_taken, _on_the_other_side, Topic.INSURANCE),
    "insurance taken at other odds": (insurance_taken, _at_other_odds, Topic.INSURANCE),
    "insurance open": (insurance_offered, _without_insurance, Topic.INSURANCE),
    "insurance line open": (insurance_offered, _without_lines, Topic.INSURANCE),
    "insurance open on the other side": (insurance_offered, _on_the_other_side, Topic.INSURANCE),
    "insurance missed": (insurance_missed, _without_insurance, Topic.INSURANCE),
}
"""A state, the change of the book that it does not fit, and the rule that the first book needs."""


def _every_misfit() -> Iterator[ParameterSet]:
    for rules in BOOKS:
        for name, (reach, change, topic) in CANNOT_JUDGE.items():
            if topic is None or rules.has(topic):
                yield pytest.param(rules, reach, change, id=f"{rules.id}-{name}")


def _check_only_rulings(evening: Evening) -> None:
    rules, table = evening.rules, evening.table
    assert scope_of(rules, table) is LawScope.RULINGS
    assert next_step(rules, table) is None
    for by, position in EVERYBODY:
        for move in legal(rules, table, by, position):
            assert not isinstance(decide(rules, table, move.command), Refusal)
        for command in (*commands_by(rules, by, position, "ann"), replace(CONTINUE, by=by, position=position)):
            ruling = isinstance(command, reports.Rule) and command.effect is not Effect.CONTINUE
            if ruling or isinstance(command, (*GO_HOME, *CALLS, *TRAY, reports.ReportRestart)):
                continue
            decision = decide(rules, table, command)
            assert isinstance(decision, Refusal)
            assert decision.key == "wrong_book.rulings" or decision == _without_authority(evening, command)


@pytest.mark.parametrize(("rules", "reach", "change"), list(_every_misfit()))
def test_a_ruling_ends_a_round_that_the_book_cannot_judge(
    rules: Rulebook, reach: Reach, change: Callable[[Rulebook], Rulebook]
) -> None:
    evening = reach(rules)
    evening.rules = change(rules)
    _check_only_rulings(evening)
    offered = {type(move.command) for move in legal(evening.rules, evening.table, *SHIFT)}
    if evening.table.phase is Phase.READY:
        assert offered == {reports.Rule, *GO_HOME, CallPit, RequestSlip, CountTray}
    else:
        assert offered == {reports.Rule, *GO_HOME, CallPit, RequestSlip, CountTray} - {commands.CloseTable}
        stakes = sum(evening.stakes.values())
        evening.do(VOID)
        assert stakes
    assert evening.table.balances.get("felt", 0) == 0
    _go_home_and_close(evening)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_once_the_unknown_bet_is_returned_the_round_is_finished(rules: Rulebook) -> None:
    evening = bets_placed(rules)
    evening.rules = _without_tie(rules)
    _check_only_rulings(evening)
    evening.do(reports.Rule(*SHIFT, "no such bet", Effect.RETURN, (reports.RuledBet("cat", 3, "tie"),)))
    assert scope_of(evening.rules, evening.table) is LawScope.THIS_ROUND
    _finish(evening)
    assert {(each.who, each.bet) for each in evening.happened(RoundSettled)[0].results} == {
        ("ann", "banker"),
        ("ben", "player"),
    }
    _go_home_and_close(evening)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_amounts_can_be_paid_while_the_book_cannot_judge(rules: Rulebook) -> None:
    evening = dealt(6)(rules)
    evening.rules = _without_layout(rules)
    evening.do(reports.Rule(*SHIFT, "a gift", Effect.ADJUST, amounts={"ann": 7}))
    assert evening.table.chips_minor("ann") % 100 == 7
    for actor in (DEALER, SUPERVISOR, MANAGER):
        evening.refuse(reports.Rule(*actor, "mine", Effect.VOID), TableCode.NOT_AUTHORISED, *rules.topics[Topic.RULING])


def test_the_refusal_says_what_to_do() -> None:
    rules = BOOKS[0]
    evening = _under_another_law(settled(rules))
    refusal = evening.refuse(commands.OpenBetting(*DEALER), TableCode.WRONG_BOOK)
    assert rules.title in refusal.message
    assert refusal.message.endswith("Finish the round, close the table and open it again.")
    evening.rules = _without_layout(rules)
    evening.table = replace(evening.table, law_hash=rules.law_hash)
    refusal = evening.refuse(commands.OpenBetting(*DEALER), TableCode.WRONG_BOOK)
    assert "shift manager" in refusal.message
    assert refusal.message.endswith("Then close the table and open it again.")


# ---- irregularities that the table raised


def test_every_kind_that_a_table_raises_switches_a_rule() -> None:
    assert {TOPICS[kind] for kind in RAISED} <= RULE_SWITCHES


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@pytest.mark.parametrize("kind", Irregularity)
def test_any_kind_can_be_asked_for_under_another_law(rules: Rulebook, kind: Irregularity) -> None:
    """A later release may raise kinds that this one does not: a ruling ends such a round."""
    evening = _under_another_law(dealing(rules))
    now = evening.table.round
    assert now is not None
    raised = RaisedIrregularity(kind, "report_it")
    table = replace(evening.table, round=with_irregularities(now, raised=raised))
    judged = kind in RAISED and rules.has(TOPICS[kind])
    assert scope_of(rules, table) is (LawScope.THIS_ROUND if judged else LawScope.RULINGS)
