"""Correcting a bet after the close: what lay there was not typed, or was typed wrongly."""

from msgspec.structs import replace

from punto.catalogue.values import Money
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.corrections.resettling import Correction, put_back_event
from punto.table.corrections.timing import SUPERVISORS, card_out, check_correctable, check_felt, check_total
from punto.table.decision import Deciders, Decision, check_reason, open_settings, this_round
from punto.table.play.bet_bounds import check_on_layout
from punto.table.play.betting import bets_beyond_limits
from punto.table.play.limits import limit_flags
from punto.table.play.rejudging_stakes import rejudge_stakes
from punto.table.play.seating import check_box, check_comer, check_not_abandoned, place_of_bettor
from punto.table.play.squeezing import lapsed_squeezes
from punto.table.play.stake_correction import on_bet_corrected
from punto.table.play.staking import restake_postings
from punto.table.records.correction_events import BetCorrected
from punto.table.records.corrections import CorrectBet
from punto.table.records.events import Event, PlayerSat
from punto.table.records.findings import OptionsClosed, OptionsGiven
from punto.table.records.kinds import Choice
from punto.table.records.state import BetKey, Phase, Table, bettors
from punto.table.refusals import TableCode, refuse


def correct_bet(book: Rulebook, table: Table, command: CorrectBet) -> Decision:
    """Put the right stake on a bet. Pro rata, insurance and a settlement follow from it again."""
    refusal = check_felt(book, table) or check_correctable(book, table)
    if refusal := refusal or _check_authority(book, table, command) or _check_bet(book, table, command):
        return refusal
    key, now = (command.who, command.box, command.bet), this_round(table)
    before = now.at_close.get(key)
    was_minor = before.stake_minor if before else 0
    if command.stake_minor == was_minor:
        stake = Money(was_minor)
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.CHIPS_POSITION, variant="bet", stake=stake)
    comes = None if before else place_of_bettor(book, table, command.who, command.box)
    if isinstance(comes, Refusal):
        return comes
    clauses = book.topics[Topic.CHIPS_POSITION]
    correction = Correction(book, table, clauses)
    if comes is not None:
        correction.add(comes)
    returned = this_round(correction.table).insurance.returned_uninsured.get(key)
    if returned is not None:  # it is returned again if that still holds
        correction.add(put_back_event(book, key, returned))
    seats = correction.table.seats
    seated = before.seated if before else isinstance(comes, PlayerSat) or seats.get(command.box) == command.who
    correction.add(_corrected(book, correction.table, command, was_minor, seated=seated))
    correction.add(*_consequences(book, table, correction.table, key))
    return correction.finish()


def _check_authority(book: Rulebook, table: Table, command: CorrectBet) -> Refusal | None:
    position = command.position
    if position in SUPERVISORS or (table.phase is Phase.DEALING and not card_out(table)):
        return None
    return refuse(
        book,
        TableCode.NOT_AUTHORISED,
        Topic.CHIPS_POSITION,
        variant="first_card",
        positions=SUPERVISORS,
    )


def _check_bet(book: Rulebook, table: Table, command: CorrectBet) -> Refusal | None:
    """Refuse what names no bet or amount, and a bet that is not on the felt because somebody took it back."""
    refusal = check_reason(book, command.reason) or check_total(book, command.stake_minor)
    refusal = refusal or check_box(book, table, command.box) or check_on_layout(book, table, command.bet)
    if refusal is not None:
        return refusal
    now, key = this_round(table), (command.who, command.box, command.bet)
    if now.irregularities.choices.get(command.who) is Choice.RETURN:
        return refuse(book, TableCode.NO_SUCH_BET, Topic.OPTION_RETURN, variant="taken_back", who=command.who[:40])
    if key not in now.at_close:
        in_round = any(who == command.who for who, _, _ in now.at_close)  # chips left there are their own
        refusal = check_comer(book, table, command.who)
        return refusal or (None if in_round else check_not_abandoned(book, table, command.who))
    if key in now.bets or key in now.insurance.returned_uninsured:
        return None
    return refuse(book, TableCode.NO_SUCH_BET, Topic.RULING, variant="ruled")


def _corrected(book: Rulebook, table: Table, command: CorrectBet, was_minor: int, *, seated: bool) -> BetCorrected:
    event = BetCorrected(
        command.who,
        command.box,
        command.bet,
        command.stake_minor,
        was_minor,
        seated,
        command.by,
        (),
        book.topics[Topic.CHIPS_POSITION],
        command.reason,
        postings=restake_postings(table, command.who, was_minor, command.stake_minor),
    )
    at_close = this_round(on_bet_corrected(table, event)).at_close
    played = tuple(bets_beyond_limits(book, open_settings(table), at_close))
    return replace(event, played=played)


def _consequences(book: Rulebook, before: Table, table: Table, key: BetKey) -> list[Event]:
    """What follows for limits, squeezes, insurance and options."""
    who, box, bet = key
    was, now = this_round(before), this_round(table)
    events: list[Event] = [*limit_flags(book, open_settings(table), was.at_close, now.at_close, box)]
    if not card_out(table):
        events += lapsed_squeezes(book, table, *Side)
    if bet in MAIN_BETS:
        events += rejudge_stakes(book, table, {who})
    return events + _options(book, table, who)


def _options(book: Rulebook, table: Table, who: str) -> list[Event]:
    """While players choose, those who turn out to have a stake choose too, and those who have none do not."""
    now = this_round(table)
    options, staked = now.irregularities.options, who in bettors(now)
    if (
        options is None
        or who in now.away
        or staked is (who in options.waiting_for)
        or who in now.irregularities.choices
    ):
        return []
    waiting = sorted({*options.waiting_for, who} if staked else {*options.waiting_for} - {who})
    clauses = book.topics[Topic.OPTIONS]
    if not waiting:
        return [OptionsClosed((), clauses)]
    return [OptionsGiven(options.kind, tuple(waiting), options.reconstructable, clauses)]


DECIDERS: Deciders = {
    CorrectBet: correct_bet,
}
