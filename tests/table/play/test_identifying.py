"""A place or a plain name becomes a registered player's id, wherever the table names it."""

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import evolve
from punto.table.records import commands, reports
from punto.table.records.commands import BuyIn, CashOut, IdentifyPlayer, Leave, Sit, StandBehind
from punto.table.records.events import Difference, Payout, PlayerIdentified, SettledBet
from punto.table.records.identity import Place
from punto.table.records.kinds import Choice, Effect, Irregularity, Late
from punto.table.records.ledger import FELT, Posting, chips, transfer
from punto.table.records.positions import Position
from punto.table.records.state import (
    MadeOffer,
    MissedOffer,
    Options,
    Phase,
    PlacedBet,
    ReturnedBet,
    Round,
    RoundInsurance,
    RoundIrregularities,
    Squeeze,
    Table,
    TakenBack,
    TakenInsurance,
)
from punto.table.refusals import TableCode
from tests.marks import BOOKS, books
from tests.table.tables import (
    CHIPS_MINOR,
    DEALER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    in_phase,
    ready,
)

RULES = book("commission-insurance")
ID = "P000123"
OTHER = "P000007"


def _identify(who: str, player_id: str = ID) -> IdentifyPlayer:
    return IdentifyPlayer(*DEALER, who, player_id)


def _here(rules: Rulebook, *people: str) -> Evening:
    """A table with these people, who have chips but no place."""
    evening = ready(rules)
    for who in people:
        evening.do(BuyIn(*DEALER, who, CHIPS_MINOR))
    return evening


def _seated(evening: Evening, who: str, box: int) -> None:
    evening.do(BuyIn(*DEALER, who, CHIPS_MINOR))
    evening.do(Sit(*DEALER, who, box))


# ---- everything that names a person

NAMED = {
    "Table.balances",
    "Table.seats",
    "Table.behind",
    "Table.people",
    "Table.abandoned",
    "Round.bets",
    "Round.at_close",
    "Round.brought",
    "Round.mispaid",
    "Round.owed",
    "Round.back_since_reversal",
    "Squeeze.who",
    "Round.away",
    "Round.left",
    "Round.paid",
    "Round.results",
    "Posting.account",
    "PlacedBet.who",
    "TakenInsurance.who",
    "SettledBet.who",
    "Difference.who",
    "Payout.who",
    "Options.waiting_for",
    "RoundInsurance.returned_uninsured",
    "RoundInsurance.passed",
    "RoundInsurance.forgone",
    "RoundInsurance.forgone_third",
    "RoundInsurance.returned_by_hand",
    "RoundInsurance.offer_to",
    "MadeOffer.taken_by",
    "MadeOffer.not_for",
    "MadeOffer.left_before",
    "MadeOffer.left",
    "MadeOffer.late_for",
    "MissedOffer.forgone",
    "MissedOffer.players",
    "RoundIrregularities.choices",
    "RoundIrregularities.correctable",
    "RoundIrregularities.taken_back",
    "TakenBack.bets",
}
"""Fields of a table that name the people at it."""
NOT_NAMED = {
    "Table.gone": "a name in it is not identified",
    "RoundBefore.gone": "forgotten when anybody is identified",
    "RoundBefore.abandoned": "the same",
    "Table.book": "a book",
    "Table.law_hash": "a hash",
    "PlacedBet.placed_by": "says who placed the bet then",
    "TakenInsurance.placed_by": "says who placed it then",
    "PlacedBet.bet": "a bet",
    "SettledBet.bet": "a bet",
    "Difference.bet": "a bet",
    "Payout.bet": "a bet",
    "SettledBet.odds": "odds",
    "TakenInsurance.odds": "odds",
    "PlacedBet.because": "clauses",
    "SettledBet.clauses": "clauses",
    "RaisedIrregularity.report": "a command",
    "CarriedCard.shoe": "a shoe",
    "Table.last_entered": "a shoe",
    "ReturnedBet.reason": "a reason",
    "ReturnedBet.found_by": "the manager who found it",
    "PitCall.called_by": "the employee who called",
    "PitCall.answered_by": "the employee who answered",
    "Shoe.id": "a shoe",
    "Table.taken_off": "shoes",
    "Round.shoes": "shoes",
    "Settings.layout": "a layout",
    "Settings.box_labels": "what is printed in the boxes",
    "Settings.currency": "a currency",
}
"""Fields with texts that are not the names of players, and what they are."""


def _fields(kind: type[Struct], seen: set[type[Struct]]) -> Iterator[tuple[str, set[type[Any]]]]:
    """Every field of a record and of the records in it, with the types it is made of."""
    seen.add(kind)
    for field in msgspec.structs.fields(kind):
        parts = set(_parts(field.type))
        yield f"{kind.__name__}.{field.name}", parts
        for part in parts:
            if isinstance(part, type) and issubclass(part, Struct) and part not in seen:
                yield from _fields(part, seen)


def _parts(kind: Any) -> Iterator[Any]:
    inner = get_args(getattr(kind, "__value__", kind))
    if not inner:
        yield getattr(kind, "__supertype__", kind)  # of a new type
    for part in inner:
        yield from _parts(part)


def test_every_text_in_a_table_is_known_to_name_a_person_or_not() -> None:
    """A new field with a text is listed above, and in the state below if it can name a person."""
    with_text = {name for name, parts in _fields(Table, set()) if str in parts}
    holders = {"Round.paid", "Round.results"}  # records with names
    assert with_text == (NAMED - holders) | set(NOT_NAMED)
    assert all(NOT_NAMED.values())


def _named_everywhere(who: str) -> Table:
    """A table, not a possible one, that names a person in every field of ``NAMED``."""
    key = (who, 3, "banker")
    now = Round(
        1,
        bets={key: PlacedBet(who, "banker", 100, 3, seated=True, placed_by="dora", order=1)},
        at_close={key: PlacedBet(who, "banker", 100, 3, seated=True, placed_by="dora", order=1)},
        brought={who: 50},
        mispaid={key: 20},
        owed={who: 30},
        back_since_reversal={((who, 3, "banker_insurance"), Stage.FOUR): 5},
        squeezes=(Squeeze(who, Side.PLAYER, 1),),
        away=frozenset({who}),
        left={who: 4},
        paid=transfer(FELT, chips(who), 195),
        results=(SettledBet(who, 3, "banker", 100, Result.WIN, 195, ()),),
        reversed_results=(SettledBet(who, 3, "banker", 100, Result.LOSE, 0, ()),),
        differences=(Difference(who, 3, "banker", 195),),
        verified=frozenset({Payout(who, 3, "banker", 95)}),
        insurance=RoundInsurance(
            cover=(TakenInsurance(who, Side.BANKER, Stage.FOUR, 2, 5, 10, 3, "dora"),),
            missed=(MissedOffer(Stage.THIRD, Side.PLAYER, 6, 4, frozenset({who}), frozenset({who})),),
            returned_uninsured={
                (who, 3, "player"): ReturnedBet(
                    PlacedBet(who, "player", 100, 3, seated=True, placed_by="dora", order=2), "meant to insure", "max"
                )
            },
            passed=frozenset({(who, 3)}),
            forgone=frozenset({who}),
            forgone_third=frozenset({who}),
            returned_by_hand=frozenset({key}),
            offer_to=frozenset({who}),
            offers={
                Stage.FOUR: MadeOffer(
                    frozenset({who}), frozenset({who}), frozenset({who}), frozenset({who}), late_for=frozenset({who})
                )
            },
            returned_forgone=(TakenInsurance(who, Side.BANKER, Stage.THIRD, 2, 5, 10, 3, "dora"),),
        ),
        irregularities=RoundIrregularities(
            options=Options(Irregularity.DEALING_ERROR, reconstructable=True, waiting_for=(who,)),
            choices={who: Choice.CONTINUE},
            correctable=frozenset({who}),
            taken_back={
                who: TakenBack(
                    {(who, 3, "tie"): PlacedBet(who, "tie", 100, 3, seated=True, placed_by="dora", order=3)},
                    (TakenInsurance(who, Side.BANKER, Stage.FOUR, 2, 5, 10, 3, "dora"),),
                    (Squeeze(who, Side.PLAYER, 1),),
                )
            },
        ),
    )
    return Table(
        phase=Phase.DEALING,
        balances={chips(who): 500, "float": -500},
        seats={3: who},
        behind={who: frozenset({4})},
        people=frozenset({who}),
        abandoned=frozenset({who}) if Place.find(who) else frozenset(),
        round=now,
    )


def _holds(record: Struct, text: str) -> Iterator[str]:
    """The fields of a record, and of the records in it, that hold the text."""
    for field in msgspec.structs.fields(record):
        value = getattr(record, field.name)
        if text in msgspec.json.encode(value, enc_hook=str).decode():
            yield f"{type(record).__name__}.{field.name}"
        for part in _records(value):
            yield from _holds(part, text)


def _records(value: Any) -> Iterator[Struct]:
    if isinstance(value, Struct):
        yield value
    elif isinstance(value, dict | tuple | frozenset):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _records(part)


@pytest.mark.parametrize("who", ["box 3", "behind box 3/2", "ann"])
def test_the_id_takes_the_place_of_the_name_everywhere(who: str) -> None:
    before = _named_everywhere(who)
    assert set(_holds(before, who)) >= (NAMED if Place.find(who) else NAMED - {"Table.abandoned"})
    after = evolve(before, PlayerIdentified(who, ID, postings=transfer(chips(who), chips(ID), 500)))
    assert list(_holds(after, who)) == []
    assert after == _named_everywhere(ID)


# ---- the command


@pytest.mark.parametrize("rules", books())
@pytest.mark.parametrize("phase", [Phase.READY, Phase.BETTING, Phase.DEALING])
def test_a_player_is_identified_in_every_phase(rules: Rulebook, phase: Phase) -> None:
    evening = in_phase(rules, phase)
    had = evening.table.chips_minor("ann")
    event = PlayerIdentified("ann", ID, postings=transfer(chips("ann"), chips(ID), had))
    assert evening.do(_identify("ann")) == (event,)
    assert evening.chips[ID] == had
    assert "ann" not in evening.table.people
    assert evening.table.seats[1] == ID
    evening.refuse(_identify("ann"), TableCode.UNKNOWN_PERSON)
    evening.refuse(_identify(ID, OTHER), TableCode.ALREADY_IDENTIFIED)


@pytest.mark.parametrize("text", ["", "ann", "P123", "P0000123", "P000000", "p000123", "box 5", "x" * 5000])
def test_only_a_players_id_identifies(text: str) -> None:
    assert len(ready(RULES).refuse(_identify("ann", text), TableCode.NOT_A_PLAYER_ID).message) < 200


def test_a_person_without_chips_is_identified_without_postings() -> None:
    evening = betting(RULES)
    evening.bet("ann", "banker", CHIPS_MINOR)
    assert evening.do(_identify("ann")) == (PlayerIdentified("ann", ID, postings=()),)
    evening.close_betting().deal(NATURAL).settle()
    assert ID in evening.table.people


def test_a_settlement_pays_the_id_and_its_reversal_takes_from_it() -> None:
    evening = betting(RULES)
    evening.bet("ann", "player", 100_00)
    evening.do(_identify("ann"))
    evening.play(NATURAL)
    assert evening.chips[ID] == CHIPS_MINOR + 100_00
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, reason="a card between the hands"))
    assert evening.chips[ID] == CHIPS_MINOR


def test_the_round_that_was_just_settled_is_corrected_for_the_id() -> None:
    evening = betting(RULES)
    evening.bet("ann", "player", 100_00)
    evening.play(NATURAL)
    evening.do(_identify("ann"))
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, reason="a card between the hands"))
    assert evening.chips[ID] == CHIPS_MINOR
    assert chips("ann") not in evening.table.balances


def test_a_debt_moves_too() -> None:
    evening = betting(RULES)
    evening.bet("ann", "player", 100_00)
    evening.play(NATURAL)
    evening.do(Leave(*DEALER, "ann"))
    evening.do(CashOut(*DEALER, "ann", CHIPS_MINOR + 100_00))
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, reason="a card between the hands"))
    assert evening.chips["ann"] == -100_00
    evening.refuse(_identify("ann"), TableCode.BOTH_IN_ROUND)  # they had gone
    evening.open_betting()
    evening.do(_identify("ann"))
    assert evening.chips[ID] == -100_00


# ---- the player is already at the table


def test_chips_and_places_add_up() -> None:
    evening = ready(RULES)
    _seated(evening, "box 4", 4)
    _seated(evening, ID, 5)
    evening.do(StandBehind(*DEALER, ID, 4))
    evening.do(StandBehind(*DEALER, ID, 1))
    evening.do(_identify("box 4"))
    assert evening.chips[ID] == 2 * CHIPS_MINOR
    assert (evening.table.seats[4], evening.table.seats[5]) == (ID, ID)
    assert evening.table.behind[ID] == frozenset({1})  # nobody stands behind their own box
    evening.open_betting()
    for box in (4, 5):
        evening.do(commands.PlaceBet(ID, Position.PLAYER, ID, box, "banker", 50_00))


def test_different_bets_of_both_are_one_persons_bets() -> None:
    evening = ready(RULES)
    _seated(evening, "box 4", 4)
    evening.do(BuyIn(*DEALER, ID, CHIPS_MINOR))
    evening.do(StandBehind(*DEALER, ID, 4))
    evening.open_betting()
    for who, bet in (("box 4", "banker"), (ID, "tie")):
        evening.do(commands.PlaceBet(*DEALER, who, 4, bet, 50_00))
    evening.do(_identify("box 4"))
    now = evening.table.round
    assert now is not None
    assert {key: placed.seated for key, placed in now.bets.items()} == {(ID, 4, "banker"): True, (ID, 4, "tie"): True}
    evening.play(NATURAL)
    assert evening.chips[ID] == 2 * CHIPS_MINOR - 100_00


@pytest.mark.parametrize("over", [False, True])
def test_the_same_bet_of_both_has_to_wait_for_the_next_round(over: bool) -> None:  # noqa: FBT001 - pytest
    """Also after the settlement: the round can still be corrected, bet by bet."""
    evening = ready(RULES)
    _seated(evening, "box 4", 4)
    evening.do(BuyIn(*DEALER, ID, CHIPS_MINOR))
    evening.do(StandBehind(*DEALER, ID, 4))
    evening.open_betting()
    for who in ("box 4", ID):
        evening.do(commands.PlaceBet(*DEALER, who, 4, "banker", 50_00))
    if over:
        evening.play(NATURAL)
    assert evening.refuse(_identify("box 4"), TableCode.BOTH_IN_ROUND).variant == "same_bet"
    evening.do(_identify("box 4", OTHER))


def test_also_if_a_ruling_returned_one_of_them() -> None:
    """It lay there at the close, so it still counts for the limits of the box."""
    evening = ready(RULES, observing=True).open_betting()
    for who in ("box 4", ID):
        evening.do(commands.PlaceBet(*DEALER, who, 4, "banker", 100_00))
    evening.close_betting()
    evening.do(reports.Rule(*SHIFT, "not theirs", Effect.RETURN, (reports.RuledBet("box 4", 4, "banker"),)))
    assert evening.refuse(_identify("box 4"), TableCode.BOTH_IN_ROUND).variant == "same_bet"


def test_two_who_choose_are_not_one_person() -> None:
    evening = ready(RULES)
    for who, box in (("box 4", 4), (ID, 5)):
        _seated(evening, who, box)
    evening.open_betting()
    for who, box in (("box 4", 4), (ID, 5)):
        evening.do(commands.PlaceBet(*DEALER, who, box, "banker", 50_00))
    evening.close_betting()
    evening.do(reports.ReportDealingError(*SUPERVISOR, reason="it fell"))
    assert evening.refuse(_identify("box 4"), TableCode.BOTH_IN_ROUND).variant == "choices"
    evening.do(reports.ChooseOption(*DEALER, "box 4", Choice.RETURN))
    evening.refuse(_identify("box 4"), TableCode.BOTH_IN_ROUND)
    evening.do(reports.ChooseOption(*DEALER, ID, Choice.CONTINUE))
    evening.refuse(_identify("box 4"), TableCode.BOTH_IN_ROUND)
    evening.deal(NATURAL).settle()
    evening.do(_identify("box 4"))


def test_one_who_left_and_one_who_is_here_are_not_one_person() -> None:
    evening = dealing(RULES)
    evening.do(BuyIn(*DEALER, ID, CHIPS_MINOR))
    evening.do(Leave(*DEALER, "ann"))
    assert evening.refuse(_identify("ann"), TableCode.BOTH_IN_ROUND).variant == "away"
    evening.do(_identify("ann", OTHER))
    evening.deal(NATURAL).settle()
    assert 1 not in evening.table.seats


# ---- a place that somebody else has taken


def test_bets_of_the_person_before_are_not_moved() -> None:
    """The last round is somebody else's until the next call for bets."""
    evening = ready(RULES)
    _seated(evening, "box 4", 4)
    evening.open_betting()
    evening.do(commands.PlaceBet(*DEALER, "box 4", 4, "player", 50_00))
    evening.play(NATURAL)
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, reason="a card between the hands"))
    evening.do(Leave(*DEALER, "box 4"))
    evening.do(CashOut(*DEALER, "box 4", evening.chips["box 4"]))
    _seated(evening, "box 4", 4)  # nobody can correct a void round
    assert "Somebody else" in evening.refuse(_identify("box 4"), TableCode.BOTH_IN_ROUND).message
    evening.open_betting()
    evening.do(_identify("box 4"))
    assert evening.chips[ID] == CHIPS_MINOR


# ---- places


def test_a_place_is_a_box_of_the_table() -> None:
    evening = ready(RULES)
    boxes = evening.table.settings.boxes if evening.table.settings else 0
    clauses = RULES.topics[Topic.BOXES]
    evening.refuse(BuyIn(*DEALER, f"box {boxes + 1}", 1), Code.UNKNOWN_BOX, *clauses)
    evening.refuse(BuyIn(*DEALER, f"behind box {boxes + 1}/2", 1), Code.UNKNOWN_BOX, *clauses)
    evening.refuse(_adjusting(f"box {boxes + 1}"), Code.UNKNOWN_BOX, *clauses)
    evening.do(BuyIn(*DEALER, f"box {boxes}", 1))


@pytest.mark.parametrize(
    ("who", "command"),
    [
        ("box 4", Sit(*DEALER, "box 4", 5)),
        ("box 4", StandBehind(*DEALER, "box 4", 4)),
        ("behind box 4", Sit(*DEALER, "behind box 4", 4)),
        ("behind box 4/2", StandBehind(*DEALER, "behind box 4/2", 5)),
    ],
)
def test_a_person_named_by_a_place_is_there(who: str, command: Sit | StandBehind) -> None:
    evening = _here(RULES, who)
    evening.refuse(command, TableCode.WRONG_PLACE)
    there = StandBehind if who.startswith("behind") else Sit
    evening.do(there(*DEALER, who, 4))


# ---- staff are never players


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_nobody_on_the_staff_gives_themselves_chips_or_bets(rules: Rulebook) -> None:
    clauses = rules.topics[Topic.STAFF_BETS]
    evening = betting(rules)
    evening.do(BuyIn(*DEALER, SHIFT[0], 1_00))  # a player of the same name
    for command in (
        BuyIn(*DEALER, DEALER[0], 1_00),
        Sit(*SUPERVISOR, SUPERVISOR[0], 5),
        CashOut(*SHIFT, SHIFT[0], 1_00),
        reports.Rule(*SHIFT, "mine", Effect.ADJUST, amounts={"ann": 5, SHIFT[0]: 5}),
        reports.Rule(*SHIFT, "mine", Effect.RETURN, (reports.RuledBet(SHIFT[0], 1, "banker"),)),
    ):
        refusal = evening.refuse(command, TableCode.NOT_AUTHORISED, *clauses)
        assert refusal.message == f"'{command.by}' is staff. Staff cannot play."


# ---- rulings know whom they pay


def _adjusting(who: str, amount_minor: int = 5) -> reports.Rule:
    return reports.Rule(*SHIFT, "as the film shows", Effect.ADJUST, amounts={who: amount_minor})


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_ruling_pays_nobody_unknown(rules: Rulebook) -> None:
    evening = ready(rules)
    evening.refuse(_adjusting("nobody"), TableCode.UNKNOWN_PERSON)
    for who in (ID, "box 4", "behind box 4/2", "ann"):
        evening.do(_adjusting(who))
    assert evening.table.balances[chips(ID)] == 5


def test_a_late_bet_is_somebodys() -> None:
    evening = dealing(RULES)
    late = reports.ReportLateBet(*DEALER, "nobody", 1, "tie", Late.PLACED, 5)
    evening.refuse(late, TableCode.UNKNOWN_PERSON)
    for who in (ID, "box 4", "ben"):
        evening.do(replace(late, who=who))


def test_postings_of_a_merged_settlement_are_merged() -> None:
    """Both had a part in the settlement; the id has one posting."""
    paid = (Posting(chips("box 3"), 5), Posting(chips(ID), 7), Posting(FELT, -12))
    before = Table(phase=Phase.READY, round=Round(1, paid=paid), people=frozenset({"box 3", ID}))
    after = evolve(before, PlayerIdentified("box 3", ID, postings=())).round
    assert after is not None
    assert after.paid == (Posting(chips(ID), 12), Posting(FELT, -12))
