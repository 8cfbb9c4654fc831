"""Play-money tables with people from before, as on floors of earlier releases."""

import pytest

from punto.floor.people import floor_rules
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.sessions.visitors import Visitors


async def set_rules(visitors: Visitors, rules: FloorRules) -> None:
    """Change the rules although tables that change their kind have people: most tables of the tests come with some."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(floor_rules, "people_in_journal", lambda *_: frozenset())
        await visitors.change_rules(THE_CONSOLE, rules)
