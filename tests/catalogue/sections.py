"""For each section of the catalogue the names that need a sentence there: these, and no other."""

import ast
from collections.abc import Iterable, Iterator
from inspect import getsource
from types import ModuleType
from typing import get_args, get_type_hints

from punto.board.roads import Colour, Derived
from punto.floor.audit.jobs.job_store import JobState
from punto.floor.chips.tray_record import SlipStep
from punto.floor.house.alarm import AlarmKind, Severity
from punto.floor.house.positions import OFF
from punto.floor.house.projections.proposals import ProposalState
from punto.floor.journal.entry import COMMANDS_BY_TAG, tag_name
from punto.floor.journal.event_base import ExceptionKind, RecordGroup
from punto.floor.journal.house_events import HOUSE_KINDS
from punto.floor.journal.incidents import IncidentWait, OtherKind
from punto.floor.journal.round_marks import ROUND_KINDS
from punto.floor.journal.round_record import WentBack
from punto.floor.journal.token_bounds import TokenWork
from punto.floor.people.approvals.proposed_acts import AnyAct
from punto.floor.people.looks import LookKind
from punto.floor.reports.days.report_tables import Part
from punto.floor.reports.export import What
from punto.floor.reports.rounds.round_filter import AmountOf
from punto.floor.running.scanner import COMMAND_NAME as SCAN
from punto.floor.settings.thresholds import Thresholds
from punto.floor.shoes.shoe_register import MAY_TAKE, ShoeProblem, ShoeStep
from punto.library import book, book_ids, readings
from punto.rules.bets.condition import Fact, Natural
from punto.rules.bets.conditions import PAIR_PATTERNS
from punto.rules.bets.features import WORDS, Group, word_parts
from punto.rules.bets.insurance import Stage, insurance_name
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import RANKS, SUITS
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Action, Side
from punto.rules.rulebook import ClauseKind, HandledBy
from punto.rules.settlement.stakes import Limits
from punto.table.play import raising, voiding
from punto.table.procedure.chip_set import ChipColour
from punto.table.procedure.trouble.tiles import TILES, TileName, no_leads
from punto.table.records.chips import CountPurpose, SlipKind
from punto.table.records.events import InsuranceFlag
from punto.table.records.kinds import BuyInKind, CardUse, CashOutKind, Choice, Effect, Irregularity, Late
from punto.table.records.ledger import HOUSE_ACCOUNTS
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits, BoxEnd, Settings
from punto.table.situation import Then
from punto.table.vocabulary import AnyEvent
from punto.web.api.audit.round_search import OUTCOMES
from punto.web.pages.audit.jobs_page import Remedy
from punto.web.pages.dealer.keys import ALL_KEYS, KeyGroup
from punto.web.pages.guide.moment import StepName
from punto.web.pages.pit.table_screen import PitAct
from punto.web.pages.pit.tile import FELT_SUMS, LIMITED, TileState
from punto.web.pages.reports.endpoint import ACTS, CAUSES
from punto.web.pages.settings import AMOUNT, COUNT, UNITS
from punto.web.words.house_words import VARIANTS
from punto.web.words.proposal_words import FIGURES
from tests.catalogue.calls import SOURCE

EVENT_VARIANTS = (
    "options_given_to_others",
    "options_given_by_hand",
    "options_closed_counted",
    "options_closed_established",
    "payments_marked_back",
    "place_made_free",
    "round_given_back",
    "at_box",
    "shoe_loaded_after_inspection",
    "squeeze_granted_standing",
    "squeeze_refused_standing",
    "insurance_called",
    "card_laid_open",
    "card_not_drawn",
    "offer_corrected",
    "offer_not_made",
    *(f"cards_drawn_{use}" for use in CardUse),
    "later_error_reported",
    "late_withdrawal_refused",
    "betting_opened_short",
    "insurance_offered_late_to",
    "insurance_missed_for",
    "insurance_cut_short",
    "insurance_cut_short_for",
    "insurance_ended_early",
    "limit_flagged_below",
    *(f"insurance_flagged_{why}" for why in InsuranceFlag),
)
"""Other sentences for events whose fields make a difference."""
ASKED_ONE = (
    *("bet", "side", "stage", "chosen", "tried", "effect", "position", "token_work"),
    *("slip_kind", "buy_in_kind", "cash_out_kind"),
)
"""Sections by which a value of a proposal is written."""
NAMED_OTHERWISE = {"what", "command_name(body)", "COMMAND_NAME", "f'{step}_shoe'"}
"""Arguments that hand a name on, name a command or a request, or whose names `acts_of_house` has."""
BOOKS = [book(each) for each in book_ids()]


def _irregularities_in(module: ModuleType) -> set[Irregularity]:
    """The irregularities that a module of the engine names."""
    nodes = ast.walk(ast.parse(getsource(module)))
    names = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    return {kind for kind in Irregularity if f"Irregularity.{kind.name}" in names}


def _keys() -> Iterator[tuple[str, str]]:
    """Section and name. Code that makes a key from a variable has to use one of these sections."""
    yield from (("list", joint) for joint in ("comma", "and", "or", "sentence", "word"))
    yield "odds", "1/2"
    yield from (("moment", precision) for precision in ("day", "minute"))
    yield from (("month", str(month)) for month in range(1, 13))
    yield from (("side", side) for side in Side)
    yield from (("stage", stage) for stage in Stage)
    yield from (("position", position) for position in (*Position, OFF))
    yield from (("topic", command.topic) for command in COMMANDS_BY_TAG.values() if command.topic is not None)
    yield from (("irregularity", kind) for kind in _irregularities_in(raising))
    yield from (("bet_kind", kind) for kind, hint in get_type_hints(Settings).items() if hint is BetLimits)
    yield from (("limit", limit.removesuffix("_minor")) for limit in Limits.__struct_fields__)
    yield "limit", "share"
    yield from (("bet", bet) for rules in BOOKS for bet in rules.bets)
    yield from (("bet", insurance_name(side)) for side in Side)
    yield from (("subject", reading.subject) for reading in readings())
    yield from (("reading", reading.id) for reading in readings())
    yield from (("reading_title", reading.id) for reading in readings())
    yield from (("reading_alternative", reading.id) for reading in readings() if reading.has_alternative)
    yield from (("reading_effect", reading.id) for reading in readings() if reading.has_alternative)
    yield from _of_pages()
    for rules in BOOKS:
        yield "book", rules.id
        for clause in rules.clauses.values():
            yield "clause", f"{rules.id}.{clause.id}"
            if ":" in clause.id:
                yield "definition", clause.id.partition(":")[2]
            if clause.handled_by is HandledBy.PEOPLE:
                yield "offers", f"{rules.id}.{clause.id}"


def _words_with_ranks() -> Iterator[str]:
    yield "K-Q"
    for suited in ("", "suited "):
        for card in ("9", "9d"):
            yield from (f"{suited}{card}x2", f"{suited}{card}x2+")


def _of_pages() -> Iterator[tuple[str, str]]:
    names: dict[str, Iterable[str]] = {
        "account": HOUSE_ACCOUNTS,
        "bet_flag": ("low", "over", "odd"),
        "choice_made": Choice,
        "resolve_choice": Choice,
        "resolve_step": StepName,
        "number": map(str, range(11)),
        "rank": RANKS,
        "suit": SUITS,
        "outcome": Winner,
        "play_action": Action,
        "play_letter": Action,
        "ground": _irregularities_in(voiding),
        "result": Result,
        "went_back": WentBack,
        "back": WentBack,
        "happened": Irregularity,
        "pairs": PAIR_PATTERNS.values(),
        "fact": Fact,
        "natural": Natural,
        "group": Group,
        "feature": WORDS,
        "ranked": {word_parts(word)[0] for word in _words_with_ranks()},
        "insurance_at": Stage,
        "insurance_taken": Stage,
        "key_group": KeyGroup,
        "key_list": (each.name for each in ALL_KEYS),
        "pit_state": TileState,
        "threshold": Thresholds.__struct_fields__,
        "threshold_unit": ({*UNITS.values(), COUNT} - {AMOUNT}),
        "pit_felt": FELT_SUMS,
        "pit_limits": LIMITED,
        "pit_act": PitAct,
        "seat": ("mine", "taken", "free"),
        "seat_take": ("sit", "stand", "choose", "show"),
        "step_of_visit": ("place", "bet", "cards"),
        "hint": ("bet", "placed", "cards"),
        "clause_kind": ClauseKind,
        "carried": ("player_first", "banker_first", "player_second", "banker_second", "later"),
        "reading_value": [
            f"{each.setting.name}.{str(value).lower()}"
            for each in readings()
            if each.setting is not None and each.setting.name != "house"
            for value in each.setting.values
        ],
        "handled_by": HandledBy,
        "road": ("bead_plate", "big_road", *Derived),
        "colour": Colour,
        "ask": Side,
        "command": (tag_name(kind) for kind in COMMANDS_BY_TAG.values()),
        "event": (*({*map(tag_name, get_args(AnyEvent))} - {"insurance_flagged"}), *EVENT_VARIANTS),
        "act": (tag_name(kind) for kind in get_args(AnyAct)),
        "buy_in_kind": BuyInKind,
        "cash_out_kind": CashOutKind,
        "tried": Late,
        "asked": (*FIGURES, "piles_fill", "piles_credit", "closer", "tray_count"),
        "asked_one": ASKED_ONE,
        "token_work": (work for work in TokenWork if work),
        "slip_kind": SlipKind,
        "count_purpose": CountPurpose,
        "slip_state": SlipStep,
        "report_act": ACTS,
        "exception_kind": ExceptionKind,
        "house_event": {*map(tag_name, HOUSE_KINDS), "settings_changed", *VARIANTS} - {"gaming_stopped"},
        "house_act": acts_of_house() - {"change_floor_rules", "count_tray"},
        "record_group": RecordGroup,
        "box_end": BoxEnd,
        "chip_colour": ChipColour,
        "look": LookKind,
        "job_state": JobState,
        "export": What,
        "remedy": Remedy,
        "report_cause": CAUSES,
        "report_missing": (CountPurpose.OPENER, CountPurpose.CLOSER),
        "report_part": Part,
        "chosen": Choice,
        "effect": Effect,
        "then": Then,
        "incident": (*Irregularity, *OtherKind),
        "alarm": ({*AlarmKind} - {AlarmKind.LARGE_CASH, AlarmKind.CLOCK_DIFFERS}) | ALARM_VARIANTS,
        "severity": map(str, map(int, Severity)),
        "shoe_problem": ShoeProblem,
        "shoe_step": ShoeStep,
        "incident_wait": IncidentWait,
        "round_kind": {*ROUND_KINDS} - {*Irregularity, *OtherKind},
        "search_amount": AmountOf,
        "search_outcome": OUTCOMES,
        "proposal_state": (*ProposalState, "lapsed"),
        "tile": TileName,
        "guide_what": _guide_acts(),
    }
    yield from ((section, name) for section, each in names.items() for name in each)


def acts_of_house() -> set[str]:
    """The names under which the source refuses acts of the house, and those that are proposed."""
    names = {*map(tag_name, get_args(AnyAct)), SCAN, *(f"{step}_shoe" for step in MAY_TAKE)}
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not any(f".{method}(" in text for method in ("require_person", "require", "refuse")):
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            method, of_log = node.func.attr, ast.unparse(node.func.value).endswith("log")
            if method == "require_person" or (of_log and method in ("require", "refuse")):
                what = node.args[1 if method == "refuse" else 2]
                if isinstance(what, ast.Constant):
                    names.add(str(what.value))
                else:
                    assert ast.unparse(what) in NAMED_OTHERWISE, (
                        f"{path}:{node.lineno}: an act that cannot be read here"
                    )
    return names


def _guide_acts() -> Iterator[str]:
    """The acts that somebody chooses between."""
    for kind in TILES.values():
        if len(kind.acts) > 1 or kind.leads is not no_leads:
            yield from (act.name for act in kind.acts)


ALARM_VARIANTS = {
    *("large_cash_in", "large_cash_out", "opposite_bets_in_box", "player_while_stopped", "restart_void"),
    "wrong_pins_everywhere",
    "clock_differs_record_behind",
    *(f"clock_differs_{against}_{way}" for against in ("database", "process") for way in ("ahead", "behind")),
}
OPTIONAL = {"book_kind"}
"""Sections in which a name may have a sentence or not."""
SECTIONS: dict[str, set[str]] = {}
for _section, _name in _keys():
    SECTIONS.setdefault(_section, set()).add(f"{_section}.{_name}")
