"""Correcting insurance: what lay there at an offer, and whether the offer was made."""

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.values import Money
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.corrections.resettling import Correction
from punto.table.corrections.timing import SUPERVISORS, check_correctable, check_felt, check_total, next_card_out
from punto.table.decision import Deciders, Decision, check_reason, coup_of, open_settings, this_round
from punto.table.play.insuring import (
    due_offer,
    insurance_room,
    line_at,
    no_offer_due,
    offer_event,
    playing_stake,
    points_at,
)
from punto.table.play.rejudging_stakes import rejudge_stakes
from punto.table.play.seating import check_box, check_comer
from punto.table.play.staking import restake_postings
from punto.table.records.correction_events import InsuranceCorrected
from punto.table.records.corrections import CorrectInsurance
from punto.table.records.events import InsuranceFlag, InsuranceFlagged
from punto.table.records.kinds import Choice
from punto.table.records.state import Phase, Table, bettors, with_insurance
from punto.table.refusals import TableCode, refuse


def correct_insurance(book: Rulebook, table: Table, command: CorrectInsurance) -> Decision:
    """Put the right stake on an offer, or the offer itself on or off the record. A settlement is made again."""
    refusal = check_felt(book, table) or check_correctable(book, table)
    refusal = refusal or _check_authority(book, table, command) or _check_stated(book, table, command)
    if refusal is not None:
        return refusal
    line = line_at(book, table, command.stage)
    if line is None:
        if open_settings(table).no_insurance:
            return no_offer_due(book, table)
        return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.INSURANCE, variant="at_stage", stage=command.stage)
    if (flagged := _only_flagged(book, table, command, line)) is not None:
        return flagged
    correction = Correction(book, table, book.topics[Topic.CHIPS_POSITION])
    people = _correct_offer(book, table, command, line, correction)
    if not isinstance(people, Refusal) and command.stake_minor is not None:
        people = _correct_stake(book, table, command, line, correction) or {*people, command.who}
    if isinstance(people, Refusal):
        return people
    not_offered = line.stage if command.offered is False else None
    correction.add(*rejudge_stakes(book, correction.table, people, not_offered))
    return correction.finish()


def _check_authority(book: Rulebook, table: Table, command: CorrectInsurance) -> Refusal | None:
    position = command.position
    if position in SUPERVISORS or (table.phase is Phase.DEALING and not next_card_out(table, command.stage)):
        return None
    return refuse(book, TableCode.NOT_AUTHORISED, Topic.INSURANCE, variant="next_card", positions=SUPERVISORS)


def _check_stated(book: Rulebook, table: Table, command: CorrectInsurance) -> Refusal | None:
    """Refuse a command that states nothing, or a stake without its player, or at an offer that was not made."""
    if refusal := check_reason(book, command.reason):
        return refusal
    if command.stake_minor is None:
        nothing = command.offered is None or command.who or command.box
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.INSURANCE, variant="nothing") if nothing else None
    if open_settings(table).cards_only:
        return refuse(book, TableCode.CARDS_ONLY)
    if command.offered is False:
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.INSURANCE, variant="stake_shows_offer")
    refusal = check_total(book, command.stake_minor) or check_box(book, table, command.box)
    now = this_round(table)
    if refusal is None and now.irregularities.choices.get(command.who) is Choice.RETURN:
        return refuse(book, TableCode.NO_SUCH_BET, Topic.OPTION_RETURN, variant="taken_back", who=command.who[:40])
    return refusal or (None if command.who in bettors(now) else check_comer(book, table, command.who))


class _Stake(Struct, frozen=True):
    """A stake that lay there: what is on record, how much of it plays, and why no more."""

    was_minor: int
    plays_minor: int
    why: InsuranceFlag
    clauses: tuple[Clause, ...]


def _room(book: Rulebook, table: Table, command: CorrectInsurance, line: InsuranceLine) -> _Stake:
    now, key = this_round(table), (command.who, command.box, line.side.value)
    cover, wanted_minor = now.insurance.cover, command.stake_minor or 0
    was = sum(each.stake_minor for each in cover if each.insured == key and each.stage is line.stage)
    placed = now.at_close.get(key)
    if placed is None:
        return _Stake(was, 0, InsuranceFlag.NO_ORIGINAL_BET, book.topics[Topic.INSURED_BET])
    if command.who in now.insurance.left_before(line.stage, now.left_by(line.stage)):
        return _Stake(was, 0, InsuranceFlag.FORGONE, book.topics[Topic.WALKING_AWAY])
    if command.who in now.insurance.forgone_before(line.stage):
        return _Stake(was, 0, InsuranceFlag.FORGONE, book.topics[Topic.INSURANCE_FORGONE])
    earlier = tuple(each for each in cover if each.stage.cards < line.stage.cards)
    there = [each.late for each in cover if each.insured == key and each.stage is line.stage]
    late = any(there) if there else now.insurance.is_late(line.stage, command.who)
    room = insurance_room(book, replace(table, round=with_insurance(now, cover=earlier)), line, placed, late=late)
    cap = Topic.LATE_INSURANCE if late else Topic.INSURANCE_CAP
    return _Stake(was, playing_stake(table, wanted_minor, room), InsuranceFlag.ABOVE_CAP, book.topics[cap])


def _only_flagged(
    book: Rulebook, table: Table, command: CorrectInsurance, line: InsuranceLine
) -> tuple[InsuranceFlagged, ...] | None:
    """The flag on more chips than may play, if all that may play is on record and nothing else is corrected."""
    if command.stake_minor is None or (command.offered and line.stage not in this_round(table).insurance.offered):
        return None
    stake = _room(book, table, command, line)
    if stake.was_minor != stake.plays_minor or stake.plays_minor == command.stake_minor:
        return None
    return (_flag(command, line, stake),)


def _flag(command: CorrectInsurance, line: InsuranceLine, stake: _Stake) -> InsuranceFlagged:
    back_minor = (command.stake_minor or 0) - stake.plays_minor
    return InsuranceFlagged(command.who, command.box, line.stage, back_minor, stake.why, stake.clauses)


def _corrected(book: Rulebook, table: Table, command: CorrectInsurance, line: InsuranceLine) -> InsuranceCorrected:
    points, clauses = points_at(line.stage, coup_of(book, table)), book.topics[Topic.CHIPS_POSITION]
    return InsuranceCorrected(
        line.stage, line.side, *points, line.odds_text, command.by, clauses, reason=command.reason, postings=()
    )


def _correct_offer(
    book: Rulebook, table: Table, command: CorrectInsurance, line: InsuranceLine, correction: Correction
) -> set[str] | Refusal:
    """Put the offer on or off the record, and return the people it concerns. A stake that plays shows it was made."""
    made, becomes = line.stage in this_round(table).insurance.offered, command.offered
    if command.stake_minor is not None and _room(book, table, command, line).plays_minor:
        becomes = True
    if becomes in (None, made):
        if command.stake_minor is not None:
            return set()
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.INSURANCE, variant="offered" if made else "not_offered")
    if becomes and table.phase is Phase.DEALING and not next_card_out(table, line.stage):
        if due_offer(book, table, coup_of(book, table)) is None:
            return no_offer_due(book, table)
        correction.add(offer_event(line))
    else:
        correction.add(replace(_corrected(book, table, command, line), offered=becomes))
    return bettors(this_round(table))


def _correct_stake(
    book: Rulebook, table: Table, command: CorrectInsurance, line: InsuranceLine, correction: Correction
) -> Refusal | None:
    """Put what may play on record. The rest is flagged."""
    stake, who, box = _room(book, table, command, line), command.who, command.box
    was, plays, lay = stake.was_minor, stake.plays_minor, command.stake_minor or 0
    if was == lay:
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.CHIPS_POSITION, variant="insurance", stake=Money(was))
    if was != plays:
        postings = restake_postings(correction.table, who, was, plays)
        corrected = _corrected(book, table, command, line)
        correction.add(replace(corrected, who=who, box=box, stake_minor=plays, was_minor=was, postings=postings))
    if plays < lay:
        correction.add(_flag(command, line, stake))
    return None


DECIDERS: Deciders = {
    CorrectInsurance: correct_insurance,
}
