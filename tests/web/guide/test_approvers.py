"""Irregularity cases over HTTP: previewed, proposed by a dealer, refused to whoever may not approve, approved.

Each book with each report of the case files, approved by each position in turn, ends to the cent as the file says.
"""

from collections.abc import Iterator, Mapping

import httpx2
import pytest
from _pytest.mark import ParameterSet

from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.money import write_amount
from punto.table.records import reports
from punto.table.records.commands import Command, Leave
from punto.table.records.positions import STAFF, Position
from punto.table.records.state import Table
from tests.cases.irregularity_files import Filed, all_irregularities
from tests.cases.playing import STAFF as NAMED
from tests.cases.playing import opening, steps
from tests.floor.people.test_authority import body_of
from tests.floor.playing import MANAGER
from tests.golden.script import lines_of
from tests.golden.words import read_command
from tests.web.serving import Server, server

pytestmark = pytest.mark.sweep

WHO_ASKS = ("not_authorised", "not_your_own")
"""Refusals of who asks, not of what is asked: a preview says who may instead."""
Approvers = dict[tuple[str, str], set[Position]]
"""Who has approved which command of which book."""
Clients = Mapping[Position, httpx2.Client]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("approvers") / "floor.db")) as running:
        yield running


@pytest.fixture(scope="module")
def staff(floor: Server) -> Clients:
    return {position: floor.by(position) for position in STAFF}


def read(line: str) -> tuple[Command, str]:
    """A line of a case, and the code that it is refused with."""
    words, _, expected = line.partition(" -- ")
    return read_command(words, NAMED), "" if expected.startswith("raises") else expected


def is_told(command: Command) -> bool:
    """Whether it is for the guide."""
    return type(command).__module__ == reports.__name__ or isinstance(command, Leave)


def reported(filed: Filed) -> set[object]:
    """The kinds of reports of a case, by book and by whether the round is void at its end."""
    case = filed.case
    told = (command for line in lines_of("\n".join(steps(case))) for command, code in [read(line)] if not code)
    return {(filed.book, type(each), case.void) for each in told if is_told(each)}


def parameters() -> Iterator[ParameterSet]:
    """Cases whose reports other cases have too show the same once more, at night alone."""
    seen = set[object]()
    for filed in all_irregularities():
        if about := reported(filed):
            is_new = not about <= seen and filed.case.left is None  # it takes long to play a shoe down
            marks = [] if is_new else [pytest.mark.nightly]
            seen |= about if is_new else set()
            yield pytest.param(filed, id=f"{filed.book}/{filed.path.stem}::{filed.case.name}", marks=marks)


class AtTable:
    """A table of its own, where a case is played."""

    def __init__(self, floor: Server, staff: Clients, filed: Filed, approvers: Approvers) -> None:
        self.floor, self.staff, self.filed, self.approvers = floor, staff, filed, approvers
        self.name = f"case {floor.next_id()}"
        floor.run(floor.floor.create_table(MANAGER, TableSetup(self.name, filed.book, ShoeKind.MANUAL)))

    @property
    def state(self) -> Table:
        return self.floor.floor.table(self.name).state

    def give(self, command: Command, code: str = "") -> None:
        """A command of the case as it stands there."""
        live = self.floor.floor.table(self.name)
        answer = self.floor.run(self.floor.floor.give(live, f"case {self.floor.next_id()}", command))
        assert (answer.refusal.code if answer.refusal else "") == code, command

    def tell(self, command: Command, code: str) -> None:
        """Look at what would follow; then the dealer does it, or proposes it and somebody approves."""
        body = body_of(command)
        preview = self._post(Position.DEALER, "preview", {"command": body})
        if code:
            assert preview.json()["error"]["code"] == code, (command, preview.text)
            return
        assert preview.status_code == 200, (command, preview.text)
        told = preview.json()["consequences"]
        may = [Position(each) for each in told["positions"]]
        if Position.DEALER in may:
            self._accepted(self._post(Position.DEALER, "commands", {"id": self.floor.next_id(), "command": body}))
        else:
            self._propose(body, may)
        for balance in told["balances"]:
            assert self.state.chips_minor(balance["who"]) == balance["after_minor"], command

    def _propose(self, body: dict[str, object], may: list[Position]) -> None:
        proposal = self._accepted(
            self._post(Position.DEALER, "proposals", {"id": self.floor.next_id(), "command": body})
        )
        approve = f"proposals/{proposal['id']}/approve"
        before = self.state
        for position in STAFF:
            if position not in may:
                assert self._post(position, approve, {}).status_code in (403, 409), position
        assert self.state == before
        used = self.approvers.setdefault((self.filed.book, str(body["command"])), set())
        by = next((each for each in may if each not in used), may[0])
        self._accepted(self._post(by, approve, {}))
        used.add(by)

    def _post(self, position: Position, path: str, body: dict[str, object]) -> httpx2.Response:
        return self.staff[position].post(f"/api/tables/{self.name}/{path}", json=body)

    def _accepted(self, answer: httpx2.Response) -> dict[str, object]:
        assert answer.status_code in (200, 201), answer.text
        return dict(answer.json())


@pytest.fixture(scope="module")
def approvers() -> Approvers:
    return {}


@pytest.mark.parametrize("filed", list(parameters()))
def test_a_case_ends_as_its_file_says(floor: Server, staff: Clients, approvers: Approvers, filed: Filed) -> None:
    table = AtTable(floor, staff, filed, approvers)
    for line in lines_of("\n".join(opening(filed))):
        table.give(*read(line))
    start = table.state
    for line in lines_of("\n".join(steps(filed.case))):
        command, code = read(line)
        if is_told(command) and code not in WHO_ASKS:
            table.tell(command, code)
        else:
            table.give(command, code)
    end = table.state
    assert end.round is not None
    brought = end.round.brought
    for who, expected in filed.case.ends.items():
        minor = end.chips_minor(who) - start.chips_minor(who) - brought.get(who, 0)
        assert f"{'+' if minor > 0 else ''}{write_amount(minor)}" == expected, who
