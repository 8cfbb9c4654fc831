"""The choice players have after a dealing error: play on, or take their bets back."""

from msgspec.structs import replace

from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, open_settings, staff_clauses, this_round
from punto.table.records.correction_events import BettingReopened, OptionCorrected
from punto.table.records.events import (
    CardDealt,
    CardSqueezed,
    CardTurned,
    Event,
    InsuranceTaken,
    PlayerLeft,
    RoundSettled,
)
from punto.table.records.findings import (
    CardOrderRuled,
    CardsDrawnOutOfTurn,
    IrregularityRaised,
    IrregularityReported,
    OptionChosen,
    OptionsClosed,
    OptionsGiven,
    ShoeExchanged,
)
from punto.table.records.kinds import Choice, Irregularity, SqueezeState
from punto.table.records.ledger import FELT, Posting, chips, transfer
from punto.table.records.reports import CallTime, ChooseOption
from punto.table.records.state import (
    Options,
    Round,
    Table,
    TakenBack,
    bettors,
    stakes,
    with_insurance,
    with_irregularities,
)
from punto.table.refusals import TableCode, refuse

SPARED = {
    Irregularity.EXCESS_CARD: Topic.EXCESS_OPTIONS,
    Irregularity.WRONG_NUMBER: Topic.EXCESS_OPTIONS,
    Irregularity.WRONG_SIDE: Topic.WRONG_SIDE,
    Irregularity.FACE_UP_CARD: Topic.FACE_UP,
}
"""The errors that give no options if an outcome is established, and the topic of those they give if none is."""


def options_events(
    book: Rulebook, table: Table, kind: Irregularity, clauses: tuple[Clause, ...], *, reconstructable: bool
) -> tuple[Event, ...]:
    """Give everybody with a stake in the round their options. Players who left play on; empty if nobody chooses.

    Where only cards are recorded, somebody may have a bet, so everybody is asked.
    """
    now, by_hand = this_round(table), open_settings(table).cards_only
    everybody = bettors(now)
    players, away = tuple(sorted(everybody - now.away)), tuple(sorted(everybody & now.away))
    if not (players or by_hand) or not book.has(Topic.OPTIONS):
        return ()
    cited = tuple(dict.fromkeys(clauses + book.topics[Topic.OPTIONS]))
    return (OptionsGiven(kind, players, reconstructable, cited, away, by_hand),)


def on_options_given(table: Table, event: OptionsGiven) -> Table:
    """The round waits until everybody has chosen. A further error ends the choices before it."""
    now = this_round(table)
    before = now.irregularities
    options = Options(event.kind, event.reconstructable, event.players, event.by_hand)
    choices = {**before.choices, **dict.fromkeys(event.away, Choice.CONTINUE)}
    correctable = before.correctable if before.options is not None else frozenset()  # the same choice, for others too
    changes = {"options": options, "choices": choices, "correctable": correctable, "asked": options, "spared": False}
    return replace(table, round=with_irregularities(now, **changes))


_FOLLOWS = (
    CardDealt,
    CardTurned,
    CardSqueezed,
    CardsDrawnOutOfTurn,
    ShoeExchanged,
    CardOrderRuled,
    RoundSettled,
    BettingReopened,
    IrregularityRaised,
)
"""What ends every choice. A corrected entry does not: nothing happened at the table."""
NO_FURTHER_ERROR = (Irregularity.INTERRUPTION, Irregularity.LATER_ERROR)


def end_choices(table: Table, event: Event) -> Table:
    """The table after an event that may follow the players' choices.

    Insurance that a player stakes and walking away end their own choice: both mean that they play on.
    """
    now = this_round(table)
    correctable = now.irregularities.correctable
    if isinstance(event, _FOLLOWS) or _is_further_error(event) or _is_time_called(event):
        correctable = frozenset()
    elif isinstance(event, InsuranceTaken | PlayerLeft):
        correctable -= {event.who}
    if correctable == now.irregularities.correctable:
        return table
    return replace(table, round=with_irregularities(now, correctable=correctable))


def _is_further_error(event: Event) -> bool:
    """Also one that gives no options. An interruption is no error, and one of an earlier round changes nothing."""
    return isinstance(event, IrregularityReported) and event.kind not in NO_FURTHER_ERROR


def _is_time_called(event: Event) -> bool:
    return isinstance(event, OptionsClosed) and (event.final or bool(event.silent))


def _continue_clauses(book: Rulebook, options: Options) -> tuple[Clause, ...]:
    return book.topics[Topic.OPTION_RECONSTRUCTED if options.reconstructable else Topic.OPTION_HAND]


def choose_option(book: Rulebook, table: Table, command: ChooseOption) -> Decision:
    """A player chooses once, for all their bets of the round."""
    now = table.round
    if now is not None and now.irregularities.options is not None and now.irregularities.options.by_hand:
        return refuse(book, TableCode.CARDS_ONLY, Topic.OPTIONS, variant="options")
    if now is None or not now.irregularities.must_choose(command.who):
        return refuse(book, TableCode.NO_OPTIONS, Topic.OPTIONS, variant="who", who=command.who[:40])
    return choice_events(book, table, command.who, command.choice, command.by)


def choice_events(book: Rulebook, table: Table, who: str, choice: Choice, by: str) -> tuple[Event, ...]:
    """The event of a choice, and the end of the options if it was the last one."""
    now = this_round(table)
    options = now.irregularities.options
    assert options is not None  # noqa: S101 - the caller checked
    returned = choice is Choice.RETURN
    clauses = book.topics[Topic.OPTION_RETURN] if returned else _continue_clauses(book, options)
    postings = take_back_postings(now, who) if returned else ()
    event = OptionChosen(who, choice, by, clauses + staff_clauses(book, table, by, who), postings=postings)
    return (event,) if options.waiting_for != (who,) else (event, OptionsClosed((), book.topics[Topic.OPTIONS]))


def take_back_postings(now: Round, who: str) -> tuple[Posting, ...]:
    back_minor = sum(stake for owner, stake in stakes(now) if owner == who)
    return transfer(FELT, chips(who), back_minor) if back_minor else ()


def on_option_chosen(table: Table, event: OptionChosen) -> Table:
    """A player whose bets were returned is out of the round."""
    now, who = this_round(table), event.who
    options = now.irregularities.options
    if options is not None:
        options = replace(options, waiting_for=tuple(other for other in options.waiting_for if other != who))
    choices, correctable = {**now.irregularities.choices, who: event.choice}, now.irregularities.correctable | {who}
    now = with_irregularities(now, options=options, choices=choices, correctable=correctable)
    return replace(table, round=take_back(now, who) if event.choice is Choice.RETURN else now)


def take_back(now: Round, who: str) -> Round:
    """The round without the player's bets and insurance. It remembers them, for a correction."""
    taken = TakenBack(
        bets={key: placed for key, placed in now.bets.items() if key[0] == who},
        cover=tuple(covered for covered in now.insurance.cover if covered.who == who),
        squeezes=tuple(squeeze for squeeze in now.squeezes if squeeze.who == who),
    )
    now = replace(
        with_insurance(now, cover=tuple(covered for covered in now.insurance.cover if covered.who != who)),
        bets={key: placed for key, placed in now.bets.items() if key[0] != who},
        squeezes=tuple(squeeze for squeeze in now.squeezes if squeeze.who != who),
    )
    return with_irregularities(now, taken_back={**now.irregularities.taken_back, who: taken})


def give_back(now: Round, who: str) -> Round:
    """The round with the bets and insurance on the felt again that the player had taken back.

    A hand that somebody else has asked to squeeze since is theirs.
    """
    taken_back = {**now.irregularities.taken_back}
    taken = taken_back.pop(who)
    sides = {squeeze.side for squeeze in now.squeezes if squeeze.state is not SqueezeState.LAPSED}
    now = replace(
        with_insurance(now, cover=(*now.insurance.cover, *taken.cover)),
        bets={**now.bets, **taken.bets},
        squeezes=(*now.squeezes, *(squeeze for squeeze in taken.squeezes if squeeze.side not in sides)),
    )
    return with_irregularities(now, taken_back=taken_back)


def on_option_corrected(table: Table, event: OptionCorrected) -> Table:
    now, who = this_round(table), event.who
    now = with_irregularities(now, choices={**now.irregularities.choices, who: event.choice})
    after = replace(table, round=(take_back if event.choice is Choice.RETURN else give_back)(now, who))
    return after if who in after.people else replace(after, people=after.people | {who})


def call_time(book: Rulebook, table: Table, command: CallTime) -> Decision:
    """Players who have not chosen play on. Where only cards are recorded, the players who did not may be counted."""
    options = table.round.irregularities.options if table.round else None
    if options is None:
        return refuse(book, TableCode.NO_OPTIONS, Topic.OPTIONS)
    if command.took_back is not None and not options.by_hand:
        return refuse(book, TableCode.NO_OPTIONS, Topic.OPTIONS, variant="counted")
    clauses = book.topics[Topic.OPTIONS] + _continue_clauses(book, options)
    if command.took_back:
        clauses += book.topics[Topic.OPTION_RETURN]
    return (OptionsClosed(options.waiting_for, clauses, final=True, took_back=command.took_back),)


def on_options_closed(table: Table, event: OptionsClosed) -> Table:
    """The round continues for those who stayed."""
    now = this_round(table)
    choices = {**now.irregularities.choices, **dict.fromkeys(event.silent, Choice.CONTINUE)}
    spared = event.established or now.irregularities.spared
    return replace(table, round=with_irregularities(now, options=None, choices=choices, spared=spared))


DECIDERS: Deciders = {
    ChooseOption: choose_option,
    CallTime: call_time,
}

EVOLVERS: Evolvers = {
    OptionsGiven: on_options_given,
    OptionChosen: on_option_chosen,
    OptionsClosed: on_options_closed,
    OptionCorrected: on_option_corrected,
}
