"""What follows from a command according to the readings, judged by the slow books alone."""

from punto.rules.bets.pay_lines import Result, decided
from punto.rules.coup.table_of_play import Side
from punto.rules.topics import Topic
from punto.table.records import commands, events, findings, reports
from punto.table.records.commands import Command
from punto.table.records.events import Event
from punto.table.records.identity import is_plain_name
from punto.table.records.kinds import Irregularity
from punto.table.records.ledger import chips
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table
from tests.model.slow_books import SlowBooks

CARDS_AND_SETTLEMENT = (
    commands.BurnCards,
    commands.DealCard,
    commands.SqueezeCard,
    commands.TurnCard,
    commands.Settle,
)


def established(books: SlowBooks) -> bool:
    """Some bet of the menu is certain to win or lose, whatever the number of cards."""
    settings = books.settings
    assert settings is not None
    menu = set(books.rules.layouts[settings.layout].menu)
    if settings.established_by_staked_bets:
        menu &= {bet for _, _, bet in books.stakes}
    coup = books.cards.as_if_dealt
    return any(decided(books.rules.bets[bet], coup) in (Result.WIN, Result.LOSE) for bet in menu)


def check(books: SlowBooks, before: Table, command: Command, decision: tuple[Event, ...]) -> None:
    """Judge an accepted command before the books record its events."""
    if isinstance(decision[0], findings.IrregularityRaised):
        return
    void = [event for event in decision if isinstance(event, findings.RoundVoided)]
    assert before.restart is None or not isinstance(command, CARDS_AND_SETTLEMENT), "they wait for the dealer"
    match command:
        case reports.ReportInterruption():
            assert bool(void) == (before.phase is Phase.BETTING or not established(books))
        case reports.ReportWrongNumber(reconstructable=False):
            assert [event.ground for event in void] == [Irregularity.WRONG_NUMBER]
        case reports.ReportExcessCard(reconstructable=False, to=Side()):
            _check_excess(decision)
        case reports.ReportWrongSide():
            assert not command.to_person or books.squeezes.accepted or books.cards.squeezed, "somebody held a card"
        case reports.ReportSimultaneousCards():
            _check_simultaneous(books, command, decision)
        case commands.PlaceBet() | commands.TakeInsurance():
            _check_on_behalf(books, command, decision)
        case commands.OpenBetting() | commands.CloseTable() | commands.VerifyPayouts():
            _check_payouts(books, command, decision)
        case commands.MarkPaid():
            _check_marked(books, command, decision)
        case commands.BuyIn(position=Position.DEALER) | commands.CashOut(position=Position.DEALER):
            _check_threshold(books, command)
        case commands.DealCard():
            assert not ((command.not_offered or command.before_close) and command.by == "house")


def _check_threshold(books: SlowBooks, command: commands.BuyIn | commands.CashOut) -> None:
    assert books.settings is not None
    buys = isinstance(command, commands.BuyIn)
    settings = books.settings
    threshold_minor = settings.buy_in_supervised_minor if buys else settings.cash_out_supervised_minor
    assert threshold_minor is None or command.amount_minor <= threshold_minor


def _check_payouts(books: SlowBooks, command: Command, decision: tuple[Event, ...]) -> None:
    """Each payout over the threshold is verified once, or on record as not verified."""
    kind = events.PayoutsVerified if isinstance(command, commands.VerifyPayouts) else findings.PayoutsNotVerified
    on_record = [payout for event in decision if isinstance(event, kind) for payout in event.payouts]
    settings = books.played_under or books.settings
    threshold_minor = settings.payout_supervised_minor if settings else None
    results = [*books.settled.values(), *books.settled_insurance] if books.paid is not None else []
    payouts = {
        events.Payout(each.who, each.box, each.bet, each.returned_minor - each.stake_minor, each.stage)
        for each in results
        if threshold_minor is not None and each.returned_minor > each.stake_minor + threshold_minor
    }
    assert set(on_record) == payouts - books.corrections.verified


def _check_marked(books: SlowBooks, command: commands.MarkPaid, decision: tuple[Event, ...]) -> None:
    """Each line is a result of the last round with what it moved, and is marked once before it is taken back.

    Of a bet that moved nothing something can be kept back, if its player owed it.
    """
    lines = [line for event in decision if isinstance(event, events.PaymentsMarked) for line in event.lines]
    keys = {(line.who, line.box, line.bet, line.stage) for line in lines}
    if command.taken_back:
        assert lines
        assert keys <= books.corrections.marked
        return
    results = [*books.settled.values(), *books.settled_insurance] if books.paid is not None else []
    moved = [
        events.Payout(each.who, each.box, each.bet, each.returned_minor - each.stake_minor, each.stage)
        for each in results
    ]
    assert lines
    assert all(moved.count(line) == 1 and (line.amount_minor or books.owed[chips(line.who)]) for line in lines)
    assert not keys & books.corrections.marked


def _check_excess(decision: tuple[Event, ...]) -> None:
    """With a hand the round is void."""
    void = [event.ground for event in decision if isinstance(event, findings.RoundVoided)]
    lost = [event.places for event in decision if isinstance(event, findings.OrderLost)]
    assert (void, lost) == ([Irregularity.WRONG_NUMBER], [])


def _check_simultaneous(
    books: SlowBooks, command: reports.ReportSimultaneousCards, decision: tuple[Event, ...]
) -> None:
    """The last cards dealt, as many as were entered already, and the others that came with them."""
    dealt, carried = len(books.cards.lying), len(books.cards.carried)
    assert 0 <= command.entered <= dealt
    assert command.entered + len(command.cards) >= 2
    assert not command.entered or not command.cards or not carried, "they lie next to each other"
    first = dealt + carried + 1
    places = (*range(dealt - command.entered + 1, dealt + 1), *range(first, first + len(command.cards)))
    (lost,) = (event for event in decision if isinstance(event, findings.OrderLost))
    assert (lost.places, lost.simultaneous) == (places, True)


def _check_on_behalf(
    books: SlowBooks, command: commands.PlaceBet | commands.TakeInsurance, decision: tuple[Event, ...]
) -> None:
    """The clause on bets by staff is cited where staff bet at a player's request, not where they record a bet."""
    assert books.settings is not None
    by_staff = command.by != command.who
    assert by_staff or not command.on_behalf
    at_a_screen = not books.felt and is_plain_name(command.who)
    clauses = books.rules.topics[Topic.STAFF_BETS]
    if isinstance(decision[0], events.InsuranceFlagged):
        return
    (placed,) = (event for event in decision if isinstance(event, events.BetPlaced | events.InsuranceTaken))
    line = books.offers.on_the_felt() if isinstance(placed, events.InsuranceTaken) else None
    own = (line.clause,) if line else ()
    assert placed.clauses == own + (clauses if by_staff and (command.on_behalf or at_a_screen) else ())
