"""What an approver reads of a shoe that is to be put on a table: what the register would put on record."""

from typing import Any

from punto.table.records.positions import Position
from tests.floor.playing import SUPERVISOR, At, manual_table
from tests.web.page_tree import read_html
from tests.web.serving import Server


def register(served: Server, shoe: str, *steps: str) -> None:
    pit = served.by(Position.PIT_SUPERVISOR)
    made = pit.post("/api/shoes", json={"shoe": shoe, "decks": 8, "maker": "Angel", "batch": "7"})
    assert made.status_code == 201, made.text
    take(served, shoe, *steps)


def take(served: Server, shoe: str, *steps: str) -> None:
    for step in steps:
        taken = served.by(Position.PIT_SUPERVISOR).post("/api/shoes/steps", json={"shoe": shoe, "step": step})
        assert taken.status_code == 201, taken.text


def said_of(served: Server, table: str, shoe: str) -> str:
    """What the approver of a proposal to load it reads of the register."""
    proposal = f"{table}-{shoe}"
    command = {"command": "load_shoe.1", "shoe": shoe, "decks": 8}
    made = served.by(Position.DEALER).post(f"/api/tables/{table}/proposals", json={"id": proposal, "command": command})
    assert made.status_code == 201, made.text
    page = served.by(Position.PIT_MANAGER).get(f"/tables/{table}/deal/approval", params={"proposal": proposal}).text
    (words,) = [each for each in read_html(page).all("div") if each.attributes.get("data-asked") == "registered"]
    return words.one("dd").words


def at_table(served: Server, name: str, **changes: Any) -> At:
    return served.run(manual_table(served.floor, name, "commission-insurance", **changes))


def test_a_shoe_that_nobody_shuffled_is_fit_for_a_shuffler_alone(served: Server) -> None:
    at_table(served, "felt", observing=True)
    at_table(served, "machine", observing=True, continuous={})
    register(served, "one", "inspected")
    register(served, "two")
    assert said_of(served, "felt", "one") == "not fit for use: nobody has shuffled it since its inspection"
    assert said_of(served, "machine", "one") == "fit for use"
    assert said_of(served, "machine", "two").startswith("not fit for use")


def test_a_shoe_that_another_table_has_in_use_is_not_fit(served: Server) -> None:
    felt = at_table(served, "felt", observing=True)
    at_table(served, "baize", observing=True)
    register(served, "one", "inspected", "shuffled")
    served.run(felt.do(SUPERVISOR, "load_shoe", shoe="one", decks=8))
    take(served, "one", "inspected", "shuffled")
    assert "another table" in said_of(served, "baize", "one")
