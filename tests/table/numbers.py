"""The clauses that these tests speak of, by their number in each book; read off the books, not off the engine."""

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
    "house": ("1:house", "1.8", "1.8", "1.9", "1.11"),
    "pit_employee": ("", "1.12", "1.11", "1.14", "1.15"),
    "player": ("", "1.13", "1.12", "1.15", "1.16"),
    "round": ("", "1.17", "1.16", "1.18", "1.21"),
    "seated": ("", "1.18", "1.17", "1.19", "1.22"),
    "standing": ("", "1.19", "1.18", "1.21", "1.25"),
    # equipment
    "layouts": ("2.1.1", "2.1.1", "2.1.1", "2.1.1", "2.1.1"),
    "boxes": ("2.1.2", "2.1.1(a)", "2.1.1(a)", "2.1.1(a)", "2.1.1(a)"),
    "decks": ("2.2.1", "2.2.1", "2.2.1", "2.2.1", "2.2.1"),
    # play
    "bets_open": ("3.1", "3.3", "3.3", "3.3", "3.3"),
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
    "late_withdrawal": ("5.3", "5.6 5.14", "5.6 5.13", "5.6 5.14", "5.6 5.14"),
    "not_offered": ("", "5.13", "", "5.13.1 5.13.2", "5.13.1 5.13.2"),
    "chips_position": ("", "5.14", "5.13", "5.14", "5.14"),
    "staff_bets": ("", "5.17", "5.16", "5.17", "5.17"),
    "face_up": ("", "5.9", "5.9", "5.9", "5.9"),
    "shoe_run_out": ("5.1.3", "5.5.4", "5.5.4", "5.5.4", "5.5.4"),
}


def cited(rules: Rulebook, rule: str) -> tuple[Clause, ...]:
    """The clauses of a book on a rule; none where it has none."""
    return tuple(map(Clause, _NUMBERS[rule][_ORDER.index(rules.id)].split()))


def having(*rules: str, among: Iterable[Rulebook] = BOOKS) -> list[ParameterSet]:
    """A parameter for each book with the first of these rules, marked with its clauses on all of them."""
    parameters = []
    for one in among:
        clauses = [number for rule in rules for number in cited(one, rule)]
        if rules and not cited(one, rules[0]):
            continue
        marks = [clause(one.id, *clauses)] if clauses else []
        parameters.append(pytest.param(one, id=one.id, marks=marks))
    return parameters
