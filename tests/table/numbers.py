"""The clause numbers that these tests use, per book; taken from the books, not from the engine."""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet

from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from tests.marks import BOOKS, clause

_ORDER = ("commission", "commission-insurance", "super-six-plus", "da-hu-ying-xiong", "tiger-buffalo")
_NUMBERS = {
    # definitions
    "dealer": ("", "1.4", "1.4", "1.5", "1.7"),
    "card_shoe": ("", "1.3", "1.3", "1.4", "1.6"),
    "shuffler": ("", "1.6", "1.6", "1.7", "1.9"),
    "house": ("1:house", "1.8", "1.8", "1.9", "1.11"),
    "pit_employee": ("", "1.12", "1.11", "1.14", "1.15"),
    "player": ("", "1.13", "1.12", "1.15", "1.16"),
    "reconstruction": ("5.1.2", "1.16 5.7", "1.15 5.7", "1.17 5.7", "1.20 5.7"),
    "round": ("", "1.17", "1.16", "1.18", "1.21"),
    "seated": ("", "1.18", "1.17", "1.19", "1.22"),
    "standing": ("", "1.19", "1.18", "1.21", "1.25"),
    "void_means": ("", "1.21", "1.21", "1.26", "1.28"),
    # equipment
    "layouts": ("2.1.1", "2.1.1", "2.1.1", "2.1.1", "2.1.1"),
    "boxes": ("2.1.2", "2.1.1(a)", "2.1.1(a)", "2.1.1(a)", "2.1.1(a)"),
    "decks": ("2.2.1", "2.2.1", "2.2.1", "2.2.1", "2.2.1"),
    # play
    "bets_open": ("3.1", "3.3", "3.3", "3.3", "3.3"),
    "limits_displayed": ("", "3.4", "3.4", "3.4", "3.4"),
    "limits": ("", "3.5", "3.5", "3.5", "3.5"),
    "balance": ("", "3.6", "3.6", "3.6", "3.6"),
    "bets_offered": ("3.3", "3.7", "3.7", "3.7", "3.7"),
    "bets_closed": ("3.2 5.2", "3.8 5.6", "3.8 5.6", "3.8 5.6", "3.8 5.6"),
    "squeeze": ("", "3.9", "3.9", "3.9", "3.9"),
    "first_four": ("3.4", "3.10", "3.10", "3.10", "3.10"),
    "table_of_play": ("3.6", "3.15", "3.12", "3.15", "3.15"),
    "insured_bet": ("", "3.11", "", "3.11", "3.11"),
    "insurance": ("", "3.12 3.12.1", "", "3.12 3.12.1", "3.12 3.12.1"),
    "insurance_cap": ("", "3.12.2", "", "3.12.2", "3.12.2"),
    "waiver": ("", "3.14", "", "3.14", "3.14"),
    "winner": ("3.7", "3.16", "3.13", "3.16", "3.16"),
    "tie": ("3.8", "3.17", "3.14", "3.17", "3.17"),
    "no_insurance": ("", "4.2.2", "", "4.2.2", "4.2.2"),
    # irregularities
    "differential": ("", "5.1", "5.1", "5.1", "5.1"),
    "pro_rata": ("", "5.1.1", "5.1.1", "5.1.1", "5.1.1"),
    "not_pro_rated": ("", "5.1.2", "5.1.2", "5.1.2", "5.1.2"),
    "below_minimum": ("", "5.2", "5.2", "5.2", "5.2"),
    "below_minimum_plays": ("", "5.2.1", "5.2.1", "5.2.1", "5.2.1"),
    "forgone": ("", "5.3", "", "5.3", "5.3"),
    "walks_away": ("", "5.3 5.3.1", "5.3", "5.3 5.3.1", "5.3 5.3.1"),
    "settled_for_who_left": ("", "5.3.1", "5.3", "5.3.1", "5.3.1"),
    "late_withdrawal": ("5.3", "5.6 5.14", "5.6 5.13", "5.6 5.14", "5.6 5.14"),
    "not_offered": ("", "5.13", "", "5.13.1 5.13.2", "5.13.1 5.13.2"),
    "chips_position": ("", "5.14", "5.13", "5.14", "5.14"),
    "staff_bets": ("", "5.17", "5.16", "5.17", "5.17"),
    "interruption": ("", "5.4", "5.4", "5.4", "5.4"),
    "goes_on": ("", "5.4.1", "5.4.1", "5.4.1", "5.4.1"),
    "interruption_voids": ("", "5.4.2", "5.4.2", "5.4.2", "5.4.2"),
    "void": ("5.1", "5.5", "5.5", "5.5", "5.5"),
    "foreign_card": ("5.1.1", "5.5.1", "5.5.1", "5.5.1", "5.5.1"),
    "card_count": ("", "5.5.2", "5.5.2", "5.5.2", "5.5.2"),
    "wrong_number": ("5.1.2", "5.5.3", "5.5.3", "5.5.3", "5.5.3"),
    "shoe_run_out": ("5.1.3", "5.5.4", "5.5.4", "5.5.4", "5.5.4"),
    "not_shuffled": ("", "5.5.5", "5.5.5", "5.5.5", "5.5.5"),
    "void_returns": ("", "5.16", "5.15", "5.16", "5.16"),
    "excess": ("", "5.7", "5.7", "5.7", "5.7"),
    "excess_options": ("", "5.7.1", "5.7.1", "5.7.1", "5.7.1"),
    "wrong_side": ("", "5.8", "5.8", "5.8", "5.8"),
    "wrong_area": ("", "5.8.1", "5.8.1", "5.8.1", "5.8.1"),
    "wrong_person": ("", "5.8.2", "5.8.2", "5.8.2", "5.8.2"),
    "face_up": ("", "5.9", "5.9", "5.9", "5.9"),
    "at_once": ("", "5.10", "5.10", "5.10", "5.10"),
    "at_once_options": ("", "5.10.1", "5.10.1", "5.10.1", "5.10.1"),
    "replace_shoe": ("", "5.10.2", "5.10.2", "5.10.2", "5.10.2"),
    "later_error": ("", "5.11", "5.11", "5.11", "5.11"),
    "options": ("", "5.12", "5.12", "5.12", "5.12"),
    "goes_on_as_it_is": ("", "5.12.1", "5.12.1", "5.12.1", "5.12.1"),
    "goes_on_reconstructed": ("", "5.12.2", "5.12.2", "5.12.2", "5.12.2"),
    "takes_back": ("", "5.12.3", "5.12.3", "5.12.3", "5.12.3"),
    "insurance_neglected": ("", "5.13", "", "5.13", "5.13"),
    "late_insurance": ("", "", "", "5.13.1", "5.13.1"),
    "uninsured_bet": ("", "5.13", "", "5.13.2", "5.13.2"),
    "display": ("", "5.15", "5.14", "5.15", "5.15"),
    "ruling": ("", "5.18", "5.17", "5.18", "5.18"),
}


def cited(rules: Rulebook, rule: str) -> tuple[Clause, ...]:
    """The clauses of a book on a rule; empty if it has none."""
    return tuple(map(Clause, _NUMBERS[rule][_ORDER.index(rules.id)].split()))


def having(*rules: str, where: str = "", among: Iterable[Rulebook] = BOOKS) -> list[ParameterSet]:
    """A parameter for each book that has ``where``, by default the first of these rules.

    It is marked with the book's clauses on ``rules``: those that the test shows, not those that it only needs.
    """
    parameters = []
    needed = where or (rules[0] if rules else "")
    for one in among:
        clauses = [number for rule in rules for number in cited(one, rule)]
        if needed and not cited(one, needed):
            continue
        marks = [clause(one.id, *clauses)] if clauses else []
        parameters.append(pytest.param(one, id=one.id, marks=marks))
    return parameters
