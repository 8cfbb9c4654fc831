"""The commands a person could give now, with the bounds of their amounts.

Every candidate is passed to ``decide``, so the two cannot disagree.
"""

from collections.abc import Iterator
from functools import reduce

from msgspec.structs import replace

from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import is_recorded, open_settings, this_round
from punto.table.engine import decide, handle
from punto.table.evolution import evolve
from punto.table.law import LawScope, scope_of
from punto.table.moves.corrections import correcting_moves
from punto.table.moves.irregularities import TO_BE_STATED, irregular_moves
from punto.table.moves.legal_move import LegalMove, another_shoe
from punto.table.play.bet_bounds import bet_bounds
from punto.table.play.insurance_stakes import felt_room, insurance_bounds
from punto.table.play.limits import limits_of
from punto.table.play.opening import check_card_in_shoe
from punto.table.play.pending import check_nothing_pending
from punto.table.play.seating import most_buy_in_minor, most_cash_out_minor
from punto.table.records import chips, commands
from punto.table.records.findings import IrregularityRaised
from punto.table.records.identity import Place, player_id
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.pit_calls import AnswerCall, CallPit
from punto.table.records.positions import Position
from punto.table.records.reports import ReportFaceUpCard, ReturnUninsuredBets
from punto.table.records.settings import Automation, BetLimits, Settings, check_machine
from punto.table.records.state import Phase, Table
from punto.table.situation import needs_card

SOME_ID = player_id(10**15 - 1)
"""Stands for the id that a person fills in."""


def legal(book: Rulebook, table: Table, by: str, position: Position) -> tuple[LegalMove, ...]:
    """Every command that ``by`` could give now in this position."""
    scope = scope_of(book, table)
    if scope is LawScope.NOTHING:
        return ()
    moves = _ending_moves(book, table, by, position) if scope is LawScope.RULINGS else _moves(book, table, by, position)
    judged = (judge(book, table, option) for option in moves)
    return tuple(option for option in judged if option is not None)


def judge(book: Rulebook, table: Table, option: LegalMove) -> LegalMove | None:
    """The move if its command is accepted and does not raise an irregularity."""
    decision = decide(book, table, option.command)
    if isinstance(decision, Refusal):
        return None
    if isinstance(option.command, commands.DealCard | commands.TurnCard):
        return None if isinstance(decision[0], IrregularityRaised) else option
    if isinstance(option.command, ReturnUninsuredBets) and not open_settings(table).cards_only:
        after = reduce(evolve, decision, table)
        return replace(option, ends_with_minor=_ends_with_minor(book, after, option.command.who))
    return option


def _ends_with_minor(book: Rulebook, table: Table, who: str) -> int:
    """Everything a player gets back in a finished round, with the uninsured bets returned to them."""
    if table.phase is Phase.DEALING:
        table, _ = handle(book, table, commands.Settle("house", Position.HOUSE))
    now = this_round(table)
    returned = now.insurance.returned_uninsured
    settled = (one for one in now.results if one.who == who and (who, one.box, one.bet) not in returned)
    return sum(one.returned_minor for one in settled) + sum(
        one.placed.stake_minor for key, one in returned.items() if key[0] == who
    )


def _moves(book: Rulebook, table: Table, by: str, position: Position) -> Iterator[LegalMove]:
    if table.phase is Phase.CLOSED:
        layout = next(iter(book.layouts.values()))
        settings = Settings(
            layout=layout.id,
            boxes=layout.least_boxes or 1,
            main=BetLimits(min_minor=1),
            differential_minor=MAX_AMOUNT_MINOR if book.has(Topic.DIFFERENTIAL) else None,
        )
        yield LegalMove(commands.OpenTable(by, position, settings))
        return
    settings = open_settings(table)
    yield LegalMove(commands.ChangeSettings(by, position, settings))
    yield LegalMove(commands.CloseTable(by, position))
    yield from _shoe_moves(book, table, by, position)
    for kind in (commands.OpenBetting, commands.CloseBetting, commands.OpenInsurance, commands.CloseInsurance):
        yield LegalMove(kind(by, position))
    yield LegalMove(commands.Settle(by, position))
    yield LegalMove(commands.VerifyPayouts(by, position))
    yield LegalMove(commands.MarkPaid(by, position))
    places = (str(Place(box)) for box in range(1, settings.boxes + 1))
    newcomer = next((place for place in places if place not in table.abandoned), SOME_ID)
    yield LegalMove(commands.BuyIn(by, position, newcomer, 1), most_buy_in_minor(settings, position))
    for who in _people(table, by, position):
        yield from _person_moves(book, table, by, position, who)
    for box in range(1, settings.boxes + 1):
        yield LegalMove(commands.RejectExcess(by, position, box))
        if is_recorded(table, position) and str(Place(box)) not in table.people:
            yield from _bet_moves(book, table, by, position, str(Place(box)), box)
    for box, bet in dict.fromkeys(key[1:] for key in (table.round.bets if table.round else ())):
        yield LegalMove(commands.RejectExcess(by, position, box, bet))
    yield LegalMove(commands.ConfirmBets(by, position))
    for side in Side:
        yield LegalMove(commands.GrantSqueeze(by, position, side))
        yield LegalMove(commands.GrantSqueeze(by, position, side, standing=True))
        yield LegalMove(commands.RefuseSqueeze(by, position, side))
        yield LegalMove(commands.RefuseSqueeze(by, position, side, standing=True))
    yield from irregular_moves(book, table, by, position)
    yield from correcting_moves(book, table, by, position)
    yield from _call_moves(by, position)
    yield from _tray_moves(table, by, position)


def _ending_moves(book: Rulebook, table: Table, by: str, position: Position) -> Iterator[LegalMove]:
    """What ends a round that the book cannot judge, and takes people home."""
    yield LegalMove(commands.CloseTable(by, position))
    for who in _people(table, by, position):
        yield from _leaving_moves(table, by, position, who)
    yield from irregular_moves(book, table, by, position)
    yield from _call_moves(by, position)
    yield from _tray_moves(table, by, position)


def _call_moves(by: str, position: Position) -> Iterator[LegalMove]:
    yield LegalMove(CallPit(by, position))
    yield LegalMove(AnswerCall(by, position))


def _tray_moves(table: Table, by: str, position: Position) -> Iterator[LegalMove]:
    some = (chips.ChipPile(1, 1),)  # people fill in the chips
    for slip_kind in chips.SlipKind:
        yield LegalMove(chips.RequestSlip(by, position, slip_kind, some))
    for number in table.slips:
        yield LegalMove(chips.SendSlip(by, position, number))
        yield LegalMove(chips.ReceiveSlip(by, position, number))
        yield LegalMove(chips.VoidSlip(by, position, number, TO_BE_STATED))
    for purpose in chips.CountPurpose:
        yield LegalMove(chips.CountTray(by, position, purpose, some))


def _people(table: Table, by: str, position: Position) -> list[str]:
    """The people a command could name."""
    return [by] if position is Position.PLAYER else sorted(table.people | table.abandoned)


def _leaving_moves(table: Table, by: str, position: Position, who: str) -> Iterator[LegalMove]:
    settings = open_settings(table)
    most = min(MAX_AMOUNT_MINOR if settings.felt else table.chips_minor(who), most_cash_out_minor(settings, position))
    yield LegalMove(commands.CashOut(by, position, who, 1), most)
    yield LegalMove(commands.Leave(by, position, who))
    yield LegalMove(commands.IdentifyPlayer(by, position, who, SOME_ID))


def _shoe_moves(book: Rulebook, table: Table, by: str, position: Position) -> Iterator[LegalMove]:
    decks, settings = range(book.decks.least, book.decks.most + 1), open_settings(table)
    least = next((each for each in decks if check_machine(book, settings, each) is None), book.decks.most)
    yield LegalMove(commands.LoadShoe(by, position, another_shoe(table), least), book.decks.most)
    yield from _card_moves(book, table, by, position)
    yield LegalMove(commands.CutCardOut(by, position))
    yield LegalMove(commands.EndShoe(by, position))
    yield LegalMove(commands.StartBoard(by, position))


def _card_moves(book: Rulebook, table: Table, by: str, position: Position) -> Iterator[LegalMove]:
    if not needs_card(table):
        yield LegalMove(commands.DealCard(by, position))
        yield LegalMove(commands.DealCard(by, position, not_offered=True))
    card = next((card for card in Card if not check_card_in_shoe(book, table, card)), None)
    if card is None:
        return
    yield LegalMove(commands.BurnCards(by, position, card))
    yield LegalMove(commands.DealCard(by, position, card))
    yield LegalMove(commands.DealCard(by, position, card, not_offered=True))
    for place in range(1, len(table.round.cards if table.round else ()) + 1):
        yield LegalMove(commands.TurnCard(by, position, place, card))
        yield LegalMove(ReportFaceUpCard(by, position, place, card))


def boxes_of(book: Rulebook, table: Table, who: str) -> list[int]:
    """The boxes a player is at; all in a book without seated and standing players."""
    if not book.has(Topic.STANDING_PLAYER):
        return list(range(1, open_settings(table).boxes + 1))
    return sorted({*table.behind.get(who, ()), *(box for box, seat in table.seats.items() if seat == who)})


def _bet_moves(book: Rulebook, table: Table, by: str, position: Position, who: str, box: int) -> Iterator[LegalMove]:
    recorded = is_recorded(table, position)
    for bet in book.layouts[open_settings(table).layout].menu:
        bounds = bet_bounds(book, table, who, box, bet, recorded=recorded)
        if not isinstance(bounds, Refusal):
            command = commands.PlaceBet(by, position, who, box, bet, bounds.least_minor)
            yield LegalMove(command, bounds.most_minor)


def _most_insurance(book: Rulebook, table: Table, position: Position, who: str, box: int) -> int:
    """The largest stake that plays whole."""
    if not is_recorded(table, position):
        bounds = insurance_bounds(book, table, who, box)
        return 0 if isinstance(bounds, Refusal) else min(bounds[1], table.chips_minor(who))
    if table.phase is not Phase.DEALING or check_nothing_pending(book, table):
        return 0
    return felt_room(book, table, who, box).largest_minor


def _person_moves(book: Rulebook, table: Table, by: str, position: Position, who: str) -> Iterator[LegalMove]:
    settings = open_settings(table)
    yield LegalMove(commands.BuyIn(by, position, who, 1), most_buy_in_minor(settings, position))
    yield from _leaving_moves(table, by, position, who)
    yield LegalMove(commands.WaiveThirdCardInsurance(by, position, who))
    for side in Side:
        yield LegalMove(commands.RequestSqueeze(by, position, who, side))
    opened = table.round.squeezed if table.round and Automation.SQUEEZE in settings.automations else frozenset()
    for place in range(1, len(table.round.cards if table.round else ()) + 1):
        opened_by = None if position is Position.PLAYER else who
        yield LegalMove(commands.SqueezeCard(by, position, place, opened_by, place in opened))
    for box in range(1, settings.boxes + 1):
        yield LegalMove(commands.Sit(by, position, who, box))
        yield LegalMove(commands.StandBehind(by, position, who, box))
    named = Place.find(who) if is_recorded(table, position) else None
    for box in sorted({*boxes_of(book, table, who), *([named.box] if named else ())}):
        yield from _bet_moves(book, table, by, position, who, box)
        if most := _most_insurance(book, table, position, who, box):
            yield LegalMove(commands.TakeInsurance(by, position, who, box, 1), most)
            yield LegalMove(commands.CallInsurance(by, position, who, box, 1), most)
            yield LegalMove(commands.PassInsurance(by, position, who, box))
    for key, placed in (table.round.bets if table.round else {}).items():
        if key[0] == who:
            least = 1 if settings.felt else limits_of(settings, placed.bet).min_minor or 1
            if placed.stake_minor > least:
                yield LegalMove(commands.WithdrawBet(by, position, *key, 1), placed.stake_minor - least)
            whole = placed.stake_minor
            yield LegalMove(commands.WithdrawBet(by, position, *key, whole), whole)
            yield LegalMove(commands.AdviseMinimum(by, position, *key))
