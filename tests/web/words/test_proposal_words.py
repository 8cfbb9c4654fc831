"""An approver sees each value of every kind of proposal. The kinds are those of the types, none is left out."""

import re
from typing import Any, get_args

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.sentence import Language
from punto.floor.journal.entry import COMMANDS_BY_TAG
from punto.floor.people.approvals.proposed_acts import Act, AnyAct
from punto.floor.people.floor_rules import FloorRules
from punto.table.preview import SHOW_CARDS
from punto.table.records.chips import ChipPile, CountTray, Slip, SlipKind
from punto.table.records.commands import RESERVED_FIELDS, Command, DealCard
from punto.table.records.positions import STAFF
from punto.table.records.settings import BetLimits, Settings
from punto.web.words.event_words import Writer
from punto.web.words.house_words import HouseNames
from punto.web.words.proposal_words import (
    FIGURES,
    NOT_FIGURES,
    figures,
    opening_words,
    rules_words,
    settings_words,
    slip_words,
)
from punto.web.words.translator import TRANSLATORS

PROPOSABLE = tuple(
    kind
    for kind in COMMANDS_BY_TAG.values()
    if kind.may & {*STAFF} and kind is not CountTray and (kind is DealCard or not issubclass(kind, SHOW_CARDS))
)
"""All commands of staff that have a preview. Dealing has one where the shoe is empty."""
ACTS: tuple[type[Act], ...] = get_args(AnyAct)
LANGUAGES: tuple[Language, ...] = ("en", "zh")
SAMPLES: dict[str, Any] = {
    **dict.fromkeys(("who", "player_id"), "box 3"),
    **dict.fromkeys(("amount_minor", "float_minor", "paid_minor", "recovered_minor", "stake_minor"), 1_234_50),
    **dict.fromkeys(("box", "decks", "left", "slip", "place", "draw", "took_back", "entered", "days", "stop"), 7),
    "order": [2, 1],
    "in_doubt": [2, 1],
    **dict.fromkeys(("side", "to"), "banker"),
    "card": "7s",
    "cards": ["7s", None],
    "as_dealt": ["player", "banker"],
    "bet": "tie",
    "bets": [{"who": "box 3", "box": 3, "bet": "tie"}],
    "lines": [{"who": "box 3", "box": 3, "bet": "tie", "amount_minor": 80_00}],
    "amounts": {"box 3": -500_00},
    "piles": [{"value_minor": 25_00, "count": 20}],
    "stage": "third",
    "choice": "return",
    "tried": "withdrawn",
    "effect": "adjust",
    "position": "dealer",
    "work": "cards",
    "table": "felt 1",
}
KINDS = {"request_slip.1": "credit", "buy_in.1": "voucher", "cash_out.1": "voucher"}
TIMES, NONE = "\N{MULTIPLICATION SIGN}", "\N{EN DASH}"
ID = re.compile("[a-z]_[a-z]|[a-z]\\.[a-z]")


def house(language: Language) -> HouseNames:
    return HouseNames(TRANSLATORS[language], {}, {"felt 1": "High limit"})


def writer(language: Language) -> Writer:
    return Writer(TRANSLATORS[language], {}, ("1", "2", "5"))


def fields_of(kind: type[Command | Act]) -> list[str]:
    left_out = RESERVED_FIELDS if issubclass(kind, Command) else frozenset()
    return [name for name in kind.__struct_fields__ if name not in NOT_FIGURES | left_out]


def sample(kind: type[Struct], name: str) -> Any:
    if name == "kind":
        return KINDS[kind.__struct_config__.tag]  # type: ignore[index]
    hint = next(field.type for field in msgspec.structs.fields(kind) if field.name == name)
    return True if hint is bool or bool in get_args(hint) else SAMPLES.get(name, "as it was written")


def test_there_are_commands_and_acts_to_propose() -> None:
    assert len(PROPOSABLE) > 60
    assert len(ACTS) == 9


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", [*PROPOSABLE, *ACTS], ids=lambda kind: kind.__struct_config__.tag)
def test_every_value_of_every_kind_of_proposal_is_shown(kind: type[Command | Act], language: Language) -> None:
    values = {name: sample(kind, name) for name in fields_of(kind)}
    shown = [*figures({"command": "x", "round": 3, **values}, writer(language), house(language))]
    assert [each.name for each in shown] == list(values)
    for each in shown:
        assert each.words, each.name
        assert each.after, each.name
        assert not ID.search(each.after + each.words), (each.name, each.after, each.words)


def test_nothing_is_written_that_no_proposal_has() -> None:
    assert {*FIGURES} == {name for kinds in (PROPOSABLE, ACTS) for kind in kinds for name in fields_of(kind)}


def test_amounts_boxes_and_chips_are_written_as_people_say_them() -> None:
    fields = {"who": "box 3", "stake_minor": 1_234_50, "box": 3, "piles": [{"value_minor": 25_00, "count": 20}]}
    shown = {each.name: each.after for each in figures(fields, writer("en"), house("en"))}
    assert shown == {"who": "Box 5", "stake_minor": "1,234.50", "box": "5", "piles": f"20 {TIMES} 25 = 500"}


def test_a_card_is_counted_from_one() -> None:
    (shown,) = figures({"draw": 0}, writer("en"), house("en"))
    assert (shown.words, shown.after) == ("Card of the shoe, counted from 1", "1")


def test_no_is_said_where_it_decides() -> None:
    fields = {"reconstructable": False, "offered": False, "on_behalf": False, "reason": ""}
    shown = {each.name: each.after for each in figures(fields, writer("en"), house("en"))}
    assert shown == {"reconstructable": "no", "offered": "no"}


def test_a_slip_is_shown_with_its_chips() -> None:
    slip = Slip(4, SlipKind.FILL, (ChipPile(100_00, 40), ChipPile(25_00, 2)))
    shown = slip_words(slip, writer("en"))
    assert (shown.words, shown.after) == ("Chips of the fill", f"40 {TIMES} 100, 2 {TIMES} 25 = 4,050")


USUAL = Settings(layout="A", boxes=7, main=BetLimits(25_00, 5_000_00), buy_in_supervised_minor=10_000_00)


def test_an_opening_shows_limits_and_thresholds_also_where_there_is_none() -> None:
    shown = {each.name: each.after for each in opening_words(USUAL, house("en"))}
    assert shown["main.min_minor"] == "25"
    assert shown["main.max_minor"] == "5,000"
    assert shown["side.max_minor"] == NONE
    assert shown["buy_in_supervised_minor"] == "10,000"
    assert shown["payout_supervised_minor"] == NONE
    assert "cut_card" not in shown
    assert [*opening_words(replace(USUAL, cut_card=20), house("en"))][-1].after == "20 cards from the end"


def test_a_change_shows_what_was_and_what_becomes() -> None:
    after = replace(USUAL, main=BetLimits(50_00, 5_000_00), tray_par_minor=100_000_00)
    shown = [(each.words, each.before, each.after) for each in settings_words(USUAL, after, house("en"))]
    assert shown == [
        ("Minimum, Player and Banker", "25", "50"),
        ("What should lie in the tray", NONE, "100,000"),
    ]


def test_rules_of_the_floor_show_what_was_and_what_becomes() -> None:
    before, after = (msgspec.to_builtins(FloorRules(four_eyes=each)) for each in (True, False))
    (shown,) = rules_words(before, after, house("en"))
    assert (shown.words, shown.before, shown.after) == ("Important acts need two people", "yes", "no")
