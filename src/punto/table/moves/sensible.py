"""The few commands that make sense at a table now, in the order in which people would think of them.

``legal`` lists everything that one person could give. This starts from what the table waits for, and says who may do it
and which facts people have to fill in.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table.engine import decide, decide_for_staff
from punto.table.irregularities.possible_orders import lawful_orders
from punto.table.moves.irregularities import TO_BE_STATED
from punto.table.moves.legal_move import LegalMove, another_shoe
from punto.table.moves.listing import judge
from punto.table.play.opening import check_card_in_shoe
from punto.table.play.raising import RAISED
from punto.table.records import commands, corrections, reports
from punto.table.records.commands import Command
from punto.table.records.events import cited_by
from punto.table.records.kinds import Choice, Effect, Irregularity
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table
from punto.table.situation import Then, needs_card, situation

_Actor = tuple[str, Position]
_NOBODY: _Actor = ("", Position.CASINO_MANAGER)
"""Nobody in particular gives it: nobody at a table has such a name."""


class SensibleMove(Struct, frozen=True):
    move: LegalMove
    """In the lowest position that may give it. The fields in ``missing`` have a value that would be accepted."""
    missing: tuple[str, ...]
    """The fields that people fill in."""
    positions: tuple[Position, ...]
    """Who may give it now, from the lowest to the highest."""
    clauses: tuple[Clause, ...]


_Candidate = tuple[Command, tuple[str, ...]]
"""A command and the names of the fields that are only examples."""


def sensible(book: Rulebook, table: Table) -> tuple[SensibleMove, ...]:
    """What makes sense now, in any position."""
    found = (_judged(book, table, *each) for each in _candidates(book, table, _NOBODY))
    return tuple(each for each in found if each is not None)


def _judged(book: Rulebook, table: Table, command: Command, missing: tuple[str, ...]) -> SensibleMove | None:
    """The command if somebody may give it: staff, or the player whom it names."""
    player = replace(command, by=getattr(command, "who", ""), position=Position.PLAYER)
    _, positions = decide_for_staff(book, table, command)
    move = judge(book, table, LegalMove(player))
    if move is not None:
        positions = (Position.PLAYER, *positions)
    elif positions:
        move = judge(book, table, LegalMove(replace(command, position=positions[0])))
    return None if move is None else SensibleMove(move, missing, positions, _clauses(book, table, move.command))


def _clauses(book: Rulebook, table: Table, command: Command) -> tuple[Clause, ...]:
    """Those of the command's topic, else those that its events cite."""
    if (topic := type(command).topic) is not None:
        return book.topics[topic]
    decision = decide(book, table, command)
    return () if isinstance(decision, Refusal) else cited_by(decision)


def _candidates(book: Rulebook, table: Table, actor: _Actor) -> Iterator[_Candidate]:
    then = situation(book, table).then
    if table.phase is Phase.READY:
        yield commands.VerifyPayouts(*actor), ()
    yield from _OFFERS[then](book, table, actor)
    now = table.round
    if now is not None and now.insurance.missed:
        yield reports.OfferLateInsurance(*actor), ()
        for who, box, bet in now.bets:
            if bet in MAIN_BETS:
                yield reports.ReturnUninsuredBets(*actor, who, box, Side(bet), TO_BE_STATED), ("reason",)


def _report(_: Rulebook, table: Table, actor: _Actor) -> Iterator[_Candidate]:
    """The report of what was raised, with its card; that nothing was wrong; that the card was entered by a slip."""
    assert table.round is not None  # noqa: S101 - something was raised in it
    raised = table.round.irregularities.raised
    assert raised is not None  # noqa: S101 - as above
    if raised.kind is Irregularity.EXCESS_CARD:
        yield reports.ReportExcessCard(*actor, (raised.card,)), ()
    elif raised.kind is Irregularity.WRONG_NUMBER:
        yield reports.ReportWrongNumber(*actor, reason=TO_BE_STATED), ("reason",)
    else:
        yield _BAD_SHOES[RAISED[raised.kind]](*actor), ()
    yield reports.DismissIrregularity(*actor, TO_BE_STATED), ("reason",)
    if table.shoe is not None:
        yield corrections.CorrectCard(*actor, table.shoe.id, table.shoe.drawn, None), ()


_BAD_SHOES: dict[str, Callable[[str, Position], Command]] = {
    "report_card_count": reports.ReportCardCount,
    "report_foreign_card": reports.ReportForeignCard,
}


def _resume(_: Rulebook, __: Table, actor: _Actor) -> Iterator[_Candidate]:
    yield reports.ResumeRound(*actor), ()
    yield reports.ReportInterruption(*actor), ()


def _choose(_: Rulebook, table: Table, actor: _Actor) -> Iterator[_Candidate]:
    options = table.round.irregularities.options if table.round else None
    for who in options.waiting_for if options else ():
        yield from ((reports.ChooseOption(*actor, who, choice), ()) for choice in Choice)
    yield reports.CallTime(*actor), ()


def _rule_order(book: Rulebook, table: Table, actor: _Actor) -> Iterator[_Candidate]:
    lost = table.round.irregularities.order_lost if table.round else ()
    if (order := next(lawful_orders(book, table, lost), None)) is not None:
        yield reports.RuleCardOrder(*actor, order), ("order",)
    yield reports.ReplaceShoe(*actor, another_shoe(table), table.shoe.decks if table.shoe else 0), ("shoe",)


def _load_shoe(book: Rulebook, table: Table, actor: _Actor) -> Iterator[_Candidate]:
    if table.shoe is not None:
        yield commands.EndShoe(*actor), ()
    yield commands.LoadShoe(*actor, another_shoe(table), book.decks.most), ("shoe",)
    for shoe in table.taken_off:
        yield reports.InspectShoe(*actor, shoe, TO_BE_STATED), ("reason",)


def _burn(book: Rulebook, table: Table, actor: _Actor) -> Iterator[_Candidate]:
    if (card := _some_card(book, table)) is not None:
        yield commands.BurnCards(*actor, card), ("card",)


def _bet(_: Rulebook, table: Table, actor: _Actor) -> Iterator[_Candidate]:
    yield (commands.OpenBetting(*actor) if table.phase is Phase.READY else commands.CloseBetting(*actor)), ()


def _deal(book: Rulebook, table: Table, actor: _Actor) -> Iterator[_Candidate]:
    if not needs_card(table):
        yield commands.DealCard(*actor), ()
    elif (card := _some_card(book, table)) is not None:
        yield commands.DealCard(*actor, card), ("card",)
    if table.shoe is not None and not table.shoe.left:
        yield reports.ReportShoeRunOut(*actor), ()


def _turn(book: Rulebook, table: Table, actor: _Actor) -> Iterator[_Candidate]:
    """Each card that may be turned now: the order matters only where somebody squeezes."""
    card = _some_card(book, table)
    for place, face in enumerate(table.round.cards if table.round else (), 1):
        if face is None and card is not None:
            yield commands.TurnCard(*actor, place, card), ("card",)


def _insure(_: Rulebook, __: Table, actor: _Actor) -> Iterator[_Candidate]:
    yield commands.OpenInsurance(*actor), ()
    yield commands.CloseInsurance(*actor), ()


def _settle(_: Rulebook, __: Table, actor: _Actor) -> Iterator[_Candidate]:
    yield commands.Settle(*actor), ()


def _nothing(_: Rulebook, table: Table, actor: _Actor) -> Iterator[_Candidate]:
    """A round that the book cannot judge any more is ended by a ruling."""
    if table.phase is not Phase.CLOSED:
        yield reports.Rule(*actor, TO_BE_STATED, Effect.VOID), ("reason",)


def _some_card(book: Rulebook, table: Table) -> Card | None:
    return next((card for card in Card if not check_card_in_shoe(book, table, card)), None)


_OFFERS: dict[Then, Callable[[Rulebook, Table, _Actor], Iterator[_Candidate]]] = {
    Then.REPORT: _report,
    Then.RESUME: _resume,
    Then.CHOOSE: _choose,
    Then.ASK: _choose,
    Then.RULE_ORDER: _rule_order,
    Then.LOAD_SHOE: _load_shoe,
    Then.BURN: _burn,
    Then.BET: _bet,
    Then.DEAL: _deal,
    Then.TURN: _turn,
    Then.INSURE: _insure,
    Then.CLOSE_INSURANCE: _insure,
    Then.UNINSURED: _settle,
    Then.SETTLE: _settle,
    Then.NOTHING: _nothing,
}
