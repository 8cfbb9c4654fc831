"""Correcting the choice of a player after a dealing error."""

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, open_settings, staff_clauses, this_round
from punto.table.play.options import cards_out, take_back_postings
from punto.table.play.seating import check_chips, check_not_away, check_person
from punto.table.play.staking import stake_postings
from punto.table.records.correction_events import OptionCorrected
from punto.table.records.corrections import CorrectOption
from punto.table.records.events import Event
from punto.table.records.findings import OptionsClosed
from punto.table.records.kinds import Choice
from punto.table.records.ledger import Posting
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode, refuse


def correct_option(book: Rulebook, table: Table, command: CorrectOption) -> Decision:
    """The other choice, while no card has been dealt or turned since the player had it."""
    who, choice, now = command.who, command.choice, table.round
    chosen = None if now is None or table.phase is not Phase.DEALING else now.irregularities.choices.get(who)
    if now is None or chosen is None or now.irregularities.must_choose(who):
        return refuse(book, TableCode.NO_OPTIONS, Topic.OPTIONS, variant="to_correct", who=who[:40])
    if chosen is choice:
        return refuse(book, TableCode.NOTHING_TO_CORRECT, Topic.OPTIONS, variant="option", who=who)
    if now.irregularities.options_at.get(who) != cards_out(table):
        return refuse(book, TableCode.TOO_LATE, Topic.OPTIONS, variant="option")
    if refusal := check_not_away(book, table, who):
        return refusal
    clauses = book.topics[Topic.OPTION_RETURN if choice is Choice.RETURN else Topic.OPTIONS]
    postings = take_back_postings(now, who) if choice is Choice.RETURN else _stakes_again(book, table, who)
    if isinstance(postings, Refusal):
        return postings
    clauses += staff_clauses(book, table, command.by, who)
    return (OptionCorrected(who, choice, command.by, clauses, postings=postings),)


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


def options_undone(book: Rulebook, table: Table, by: str) -> tuple[Event, ...]:
    """There was no error to choose after: what was taken back is on the felt again, and nobody has to choose.

    Except at a felt table, a player who has spent the chips keeps their choice.
    """
    irregularities, clauses = this_round(table).irregularities, book.topics[Topic.DISPLAY]
    events: list[Event] = []
    for who in irregularities.taken_back:
        postings = _stakes_again(book, table, who)
        if not isinstance(postings, Refusal):
            events.append(OptionCorrected(who, Choice.CONTINUE, by, clauses, postings=postings))
    if irregularities.options is not None:
        events.append(OptionsClosed(irregularities.options.waiting_for, clauses))
    return tuple(events)


DECIDERS: Deciders = {
    CorrectOption: correct_option,
}
