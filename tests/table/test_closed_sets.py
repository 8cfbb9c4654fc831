"""Commands, events and refusals are closed sets with stable tags, and survive encoding."""

from types import ModuleType
from typing import Any, get_args

import msgspec
import pytest

from punto.rules.refusals import Clause
from punto.table import engine, evolution
from punto.table.records.chips import SlipReceived, SlipRequested, SlipSent, SlipVoided, TrayCounted
from punto.table.records.commands import Command
from punto.table.records.correction_events import RoundCancelled
from punto.table.records.events import (
    BetPlaced,
    BetsConfirmed,
    BetWithdrawn,
    BoardStarted,
    CardsBurned,
    CardSqueezed,
    CardTurned,
    ChipsBought,
    ChipsCashed,
    CutCardReached,
    Event,
    InsuranceClosed,
    MoneyEvent,
    OrderRevealed,
    PaymentsMarked,
    PlayerIdentified,
    PlayerLeft,
    PlayerSat,
    PlayerStood,
    SettingsChanged,
    ShoeLoaded,
    ShoeReconciled,
    TableClosed,
    TableOpened,
)
from punto.table.records.findings import (
    CardsDrawnOutOfTurn,
    IrregularityDismissed,
    OrderLost,
    RestartRecorded,
    RoundResumed,
    ShoeExchanged,
    ShoeInspected,
)
from punto.table.records.pit_calls import CallAnswered, PitCalled
from punto.table.records.positions import Position
from punto.table.vocabulary import AnyCommand, AnyEvent
from tests.table.samples import COMMANDS, EVENTS

COMMAND_KINDS: tuple[type[Command], ...] = get_args(AnyCommand)
EVENT_KINDS: tuple[type[Event], ...] = get_args(AnyEvent)


def _all(kind: type[msgspec.Struct]) -> set[type[msgspec.Struct]]:
    """All leaf subclasses."""
    below = kind.__subclasses__()
    return set[type[msgspec.Struct]]().union(*(_all(each) if each.__subclasses__() else {each} for each in below))


def _tag(kind: type[msgspec.Struct]) -> str:
    tag = kind.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def _encoded(sample: Command | Event) -> bytes:
    return msgspec.json.encode(sample, order="deterministic")


def test_every_command_is_in_the_set_and_has_a_decider() -> None:
    assert set(COMMAND_KINDS) == _all(Command)
    assert {type(command) for command in COMMANDS} == set(COMMAND_KINDS)


def test_every_event_is_in_the_set_and_has_an_evolver() -> None:
    assert set(EVENT_KINDS) == _all(Event)
    assert {type(event) for event in EVENTS} == set(EVENT_KINDS)


@pytest.mark.parametrize(("joining", "name"), [(engine, "DECIDERS"), (evolution, "EVOLVERS")])
def test_no_kind_belongs_to_two_subjects(joining: ModuleType, name: str) -> None:
    joined: dict[type, object] = getattr(joining, name)
    subjects = [module for module in vars(joining).values() if isinstance(module, ModuleType) and hasattr(module, name)]
    assert sorted(kind.__name__ for subject in subjects for kind in getattr(subject, name)) == sorted(
        kind.__name__ for kind in joined
    )


@pytest.mark.parametrize("kinds", [COMMAND_KINDS, EVENT_KINDS], ids=["commands", "events"])
def test_tags_are_unique_and_have_a_version(kinds: tuple[type[msgspec.Struct], ...]) -> None:
    tags = [_tag(kind) for kind in kinds]
    assert len(set(tags)) == len(kinds)
    for kind, tag in zip(kinds, tags, strict=True):
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in kind.__name__)
        assert tag == f"{name[1:]}.1"
        assert kind.__doc__
        assert kind.__doc__ != kind.__mro__[1].__doc__


def test_a_command_and_an_event_never_share_a_tag() -> None:
    assert not {_tag(kind) for kind in COMMAND_KINDS} & {_tag(kind) for kind in EVENT_KINDS}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_a_command_is_the_same_after_encoding_and_decoding(command: Command) -> None:
    encoded = _encoded(command)
    decoded = msgspec.json.decode(encoded, type=AnyCommand)
    assert decoded == command
    assert type(decoded) is type(command)
    assert _encoded(decoded) == encoded
    assert msgspec.json.decode(encoded)["command"] == _tag(type(command))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_the_same_after_encoding_and_decoding(event: Event) -> None:
    encoded = _encoded(event)
    decoded = msgspec.json.decode(encoded, type=AnyEvent)
    assert decoded == event
    assert type(decoded) is type(event)
    assert _encoded(decoded) == encoded
    assert msgspec.json.decode(encoded)["event"] == _tag(type(event))


@pytest.mark.parametrize("sample", [*COMMANDS, *EVENTS], ids=lambda sample: type(sample).__name__)
def test_an_unknown_field_and_an_unknown_tag_are_refused(sample: Command | Event) -> None:
    kinds: Any = AnyCommand if isinstance(sample, Command) else AnyEvent
    raw = msgspec.json.decode(msgspec.json.encode(sample))
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert({**raw, "surplus": 1}, type=kinds)
    tag = "command" if isinstance(sample, Command) else "event"
    with pytest.raises(msgspec.ValidationError, match="Invalid value"):
        msgspec.convert({**raw, tag: raw[tag].replace(".1", ".2")}, type=kinds)


@pytest.mark.parametrize(
    "wrong",
    [{"stake_minor": "500"}, {"stake_minor": 500.5}, {"stake_minor": True}, {"position": "king"}, {"box": None}],
    ids=str,
)
def test_a_command_of_the_wrong_type_is_refused(wrong: dict[str, object]) -> None:
    (placing,) = [command for command in COMMANDS if _tag(type(command)) == "place_bet.1"]
    raw = msgspec.json.decode(msgspec.json.encode(placing))
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**raw, **wrong}, type=AnyCommand)


def test_an_event_moves_money_exactly_if_it_has_postings() -> None:
    moving = {kind for kind in EVENT_KINDS if "postings" in kind.__struct_fields__}
    assert moving == {kind for kind in EVENT_KINDS if issubclass(kind, MoneyEvent)}
    for event in EVENTS:
        if isinstance(event, MoneyEvent):
            assert sum(posting.amount_minor for posting in event.postings) == 0


def test_records_are_frozen() -> None:
    for sample in (*COMMANDS, *EVENTS):
        name = next(iter(sample.__struct_fields__), None)
        if name is not None:
            with pytest.raises(AttributeError):
                setattr(sample, name, None)


def test_every_position_may_do_something_but_the_auditor_and_the_administrator() -> None:
    may = set[Position]().union(*(kind.may for kind in COMMAND_KINDS))
    assert set(Position) - may == {Position.AUDITOR, Position.ADMINISTRATOR}


WITHOUT_CLAUSES: dict[type[Event], str] = {
    TableClosed: "a table is closed when the house wishes",
    ShoeLoaded: "which shoe is the house's choice; the book bounds its decks, which a refusal cites",
    CardsBurned: "no book has a rule on burning",
    CutCardReached: "no book has a rule on the cut card",
    OrderRevealed: "no clause asks for a proof",
    BoardStarted: "no book has a rule on the board",
    ChipsBought: "chips are sold by no clause",
    ChipsCashed: "nor are they bought back by one",
    PlayerSat: "a free box is free to all; a taken one is refused by the clause",
    PlayerStood: "so is the place behind it",
    PlayerIdentified: "who somebody is, no clause says",
    BetsConfirmed: "a bet lies where it lies",
    PaymentsMarked: "the settlement before it has the clauses",
    CardTurned: "a card is what it is",
    IrregularityDismissed: "what was none needs no clause",
    CardsDrawnOutOfTurn: "the clause stands in the report before it",
    OrderLost: "so it does here",
    ShoeInspected: "what the house finds in a shoe, no clause says",
    RoundResumed: "nothing was interrupted",
    ShoeExchanged: "that a floor is restored from a backup, no book knows",
    RoundCancelled: "nothing happened in it",
    PitCalled: "who comes to a table, no clause says",
    CallAnswered: "nor who has come",
    SlipRequested: "what lies in the tray, no clause says",
    SlipSent: "nor what goes there",
    SlipReceived: "nor what comes from there",
    SlipVoided: "nor what does neither",
    TrayCounted: "nor how it is counted",
}
"""Events that no clause decides."""


def test_an_event_that_a_clause_decides_carries_it() -> None:
    without = {kind for kind in EVENT_KINDS if "clauses" not in kind.__struct_fields__}
    assert without == set(WITHOUT_CLAUSES)
    assert all(WITHOUT_CLAUSES.values())
    for kind in set(EVENT_KINDS) - without:
        (field,) = [one for one in msgspec.structs.fields(kind) if one.name == "clauses"]
        assert field.type == tuple[Clause, ...]
        assert field.default in (msgspec.NODEFAULT, ())


ONLY_AT_TIMES: set[type[Event]] = {
    RestartRecorded,  # after 5 seconds or more
    TableOpened,  # without insurance
    SettingsChanged,  # to no insurance
    PlayerLeft,  # with stakes in play
    BetPlaced,  # by the staff
    BetWithdrawn,  # by the staff
    InsuranceClosed,  # with a player who forgoes
    CardSqueezed,  # without permission
    ShoeReconciled,  # with cards missing or too many
}
"""Events that cite a clause only under a condition."""


def test_where_a_clause_always_decides_it_has_to_be_given() -> None:
    with_default = {
        kind
        for kind in EVENT_KINDS
        for field in msgspec.structs.fields(kind)
        if field.name == "clauses" and field.default is not msgspec.NODEFAULT
    }
    assert with_default == ONLY_AT_TIMES
    for event in EVENTS:
        if type(event) not in with_default and type(event) not in WITHOUT_CLAUSES:
            assert event.clauses, event  # type: ignore[attr-defined]
