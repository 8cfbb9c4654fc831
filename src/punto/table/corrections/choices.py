"""Correcting the choice of a player after a dealing error, until something follows it."""

from msgspec.structs import replace

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, open_settings, staff_clauses, this_round
from punto.table.play.options import take_back_postings
from punto.table.play.seating import check_chips, check_not_away, check_person
from punto.table.play.staking import stake_postings
from punto.table.records.correction_events import OptionCorrected
from punto.table.records.corrections import CorrectOption
from punto.table.records.events import Event
from punto.table.records.findings import OptionsClosed
from punto.table.records.kinds import Choice
from punto.table.records.ledger import Posting
from punto.table.records.state import Phase, Round, Table
from punto.table.refusals import TableCode, refuse


def correct_option(book: Rulebook, table: Table, command: CorrectOption) -> Decision:
    """The other choice, while nothing has followed the one on record."""
    who, choice, now = command.who, command.choice, table.round
    chosen = None if now is None or not (table.phase is Phase.DEALING or now.settled) else _choice_of(now, who)
    if now is None or chosen is None:
        return refuse(book, TableCode.NO_OPTIONS, Topic.OPTIONS, variant="to_correct", who=who[:40])
    if chosen is choice:
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.OPTIONS, variant="option", who=who)
    if refusal := check_not_away(book, table, who):
        return refusal
    if table.phase is not Phase.DEALING or who not in now.irregularities.correctable:
        too_late = refuse(book, TableCode.TOO_LATE, Topic.OPTIONS, variant="option")
        return replace(too_late, clauses=too_late.clauses + book.topics[Topic.RULING])
    clauses = book.topics[Topic.OPTION_RETURN if choice is Choice.RETURN else Topic.OPTIONS]
    postings = take_back_postings(now, who) if choice is Choice.RETURN else _stakes_again(book, table, who)
    if isinstance(postings, Refusal):
        return postings
    clauses += staff_clauses(book, table, command.by, who)
    return (OptionCorrected(who, choice, command.by, clauses, postings=postings),)


def _choice_of(now: Round, who: str) -> Choice | None:
    """What a player has chosen; None while they still have to, or had no choice."""
    return None if now.irregularities.must_choose(who) else now.irregularities.choices.get(who)


def _stakes_again(book: Rulebook, table: Table, who: str) -> tuple[Posting, ...] | Refusal:
    """Put everything back on the felt. Except at a felt table, the player must still have the chips."""
    taken = this_round(table).irregularities.taken_back[who]
    stake_minor = sum(placed.stake_minor for placed in taken.bets.values())
    stake_minor += sum(covered.stake_minor for covered in taken.cover)
    if not open_settings(table).felt and (
        refusal := check_person(book, table, who) or check_chips(book, table, who, stake_minor)
    ):
        return refusal
    return stake_postings(table, who, stake_minor)


def options_undone(book: Rulebook, table: Table, by: str, *, established: bool) -> tuple[Event, ...]:
    """What was taken back is on the felt again, and nobody has to choose.

    There was no error to choose after, or an outcome was ``established``. A choice that something has followed stands,
    and except at a felt table that of a player who has spent the chips.
    """
    irregularities, clauses = this_round(table).irregularities, book.topics[Topic.DISPLAY]
    events: list[Event] = []
    for who in filter(irregularities.correctable.__contains__, irregularities.taken_back):
        postings = _stakes_again(book, table, who)
        if not isinstance(postings, Refusal):
            events.append(OptionCorrected(who, Choice.CONTINUE, by, clauses, postings=postings))
    options = irregularities.options
    if options is not None or irregularities.correctable:
        waiting_for = options.waiting_for if options is not None else ()
        events.append(OptionsClosed(waiting_for, clauses, final=True, established=established))
    return tuple(events)


DECIDERS: Deciders = {
    CorrectOption: correct_option,
}
