"""The pages of every round of golden evenings agree with ledger and journal, entry by entry, whoever looks."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import msgspec
import pytest

from punto.catalogue.values import Odds, write_money
from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, EntryContext
from punto.floor.journal.round_index import index_rounds
from punto.floor.journal.stream_name import StreamName
from punto.floor.reports.rounds.round_steps import RoundStep, RoundSteps
from punto.floor.reports.rounds.step_reasons import offer_reason
from punto.floor.running.table_setup import TableSetup
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.ledger import chips, player_of
from punto.table.records.positions import Position
from punto.table.revision import REVISION
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.parts.words import card_name
from punto.web.pages.rounds.shown_steps import show_steps
from punto.web.views.round_names import round_address
from punto.web.views.round_view import account_name
from punto.web.views.viewer import Viewer
from punto.web.views.visibility import Sight
from punto.web.words.event_words import Writer
from tests.floor.goldens import TABLE
from tests.floor.journals import START_US, all_entries
from tests.floor.nights import SUE, Night, night, opened
from tests.floor.round_steps import each_round, golden_entries
from tests.golden.recordings import ALL, NEWEST
from tests.marks import rest_at_night
from tests.web.page_tree import Element, read_page
from tests.web.serving import server
from tests.web.views.test_round_view import people, view

pytestmark = pytest.mark.sweep

EN = TRANSLATORS["en"]
IN_TEST = NEWEST[6::13]

TITLE = "left of the dealer"
HAPPENED_US = START_US - 3_600_000_000
CONTEXTS = (
    EntryContext(REVISION),
    EntryContext(REVISION, terminal="terminal-1"),
    EntryContext(REVISION, proposed_by="pru", happened_at_us=HAPPENED_US),
    EntryContext(REVISION, terminal="terminal-1", alone=True, incident=9),
    EntryContext(REVISION, terminal="terminal-8"),
)
FOR_STAFF = ("pru", TITLE, "terminal", "alone", "Incident", "Entered later")

Row = tuple[str, int, int, int]
"""An account, its balance before, the change, and its balance after."""
Moved = dict[tuple[str, int], list[Row]]
"""By stream and version."""


def put_golden(url: str, name: str) -> None:
    """A floor with a golden journal, its commands included."""
    entries = golden_entries(name, CONTEXTS)
    game = next(msgspec.json.decode(entry.event)["book"] for entry in entries)

    async def play(floor: Night) -> None:
        await floor.floor.create_table(SUE, TableSetup(TABLE, game, ShoeKind.MANUAL))

    def append(transaction: Transaction) -> None:
        for stream, part in groupby(entries, key=lambda entry: entry.stream):
            new, head = list(part), streams.create(transaction, stream)
            index_rounds(transaction, streams.append(transaction, head, new), new)

    night(url, play)
    with opened(url) as database:
        database.writing(append).result()


def ledger(entries: Sequence[Entry]) -> Moved:
    """What each entry moved, from the recorded postings alone."""
    found, balances = Moved(), Counter[tuple[str, str]]()
    for entry in entries:
        rows = found[entry.stream, entry.version] = []
        for account, change_minor in msgspec.json.decode(entry.event).get("postings", ()):
            before_minor = balances[entry.stream, account]
            balances[entry.stream, account] += change_minor
            rows.append((account, before_minor, change_minor, before_minor + change_minor))
    return found


def written(rows: Sequence[Row], writer: Writer) -> list[list[str]]:
    return [
        [
            account_name(account, writer),
            write_money(before_minor),
            f"{'+' if change_minor > 0 else ''}{write_money(change_minor)}",
            write_money(after_minor),
        ]
        for account, before_minor, change_minor, after_minor in rows
    ]


def money_on(step: Element) -> list[list[str]]:
    return [
        [cell.words for cell in row.children if isinstance(cell, Element)]
        for table in step.all("table", "postings")
        for row in table.one("tbody").all("tr")
    ]


def felts_on(page: Element) -> Iterator[Element]:
    """The felt at each step: a step that does not change it has none of its own."""
    last = Element("", {})
    for step in page.all("li", "round-step"):
        for last in step.all("figure"):  # noqa: B007 - the only one, kept for the steps after it
            pass
        yield last


def given_by(step: RoundStep) -> Iterator[str]:
    """When, by whom, in which position, from where: in the journal's words."""
    entry, context = step.entry, step.context
    given = f"{entry.actor}, {EN(f'position.{entry.position}')}"
    parts = [when(entry.at_us), f"Proposed by pru; approved by {given}" if context.proposed_by else given]
    if context.terminal:
        parts.append(f"at {TITLE} (terminal-1)" if context.terminal == "terminal-1" else "at terminal-8")
    if context.alone:
        parts += ["Done alone", "Incident 9"]
    yield " · ".join([*parts, f"Entry {entry.version}"])
    if context.happened_at_us:
        yield f"Entered later: it happened at {when(HAPPENED_US)}"


def when(at_us: int) -> str:
    return GamingDay().local(at_us).strftime("%Y-%m-%d %H:%M:%S")


def check_staff(page: Element, steps: RoundSteps, moved: Moved) -> None:
    """Every entry with who, in which position, when, its number, its money, and the felt after it."""
    writer, shown = Writer(EN, {}, steps.box_labels), list(page.all("li", "round-step"))
    assert [each.attributes["id"] for each in shown] == [f"step-{step.entry.version}" for step in steps.steps]
    for step, told, felt in zip(steps.steps, shown, felts_on(page), strict=True):
        entry = step.entry
        assert [line.words for line in told.all("p", "given")] == list(given_by(step))
        check_offer(told, step)
        assert money_on(told) == written(moved[entry.stream, entry.version], writer)
        cards = Counter(
            EN("card.face_down") if card is None else card_name(card, EN)
            for card in (*step.felt.cards, *step.felt.drawn_early)
        )
        assert Counter(image.attributes["alt"] for image in felt.all("img")) == cards
        stakes = Counter(write_money(stake.stake_minor) for stake in step.felt.stakes)
        assert Counter(stake.words for stake in felt.all("b", "num")) == stakes


def check_offer(told: Element, step: RoundStep) -> None:
    """Insurance with its odds, whether it was missed or late, and the bets it covers."""
    offer, shown = offer_reason(step), list(told.all("div", "offered"))
    assert len(shown) == (offer is not None)
    if offer is None:
        return
    words = shown[0].words
    assert EN.write(Odds(offer.odds)) in words
    assert ("due, and not offered" in words, "offered late" in words) == (offer.missed, offer.late)
    rows = [[cell.words for cell in row.all("td")] for table in shown[0].all("tbody") for row in table.all("tr")]
    assert rows == [[write_money(bet.stake_minor), write_money(bet.most_minor)] for bet in offer.to or ()]


def check_funds(page: Element, steps: RoundSteps, moved: Moved) -> None:
    """Everybody whose chips moved, with the ledger's balances before and after the round."""
    first, last = steps.steps[0].entry, steps.steps[-1].entry
    writer, wanted = Writer(EN, {}, steps.box_labels), dict[str, tuple[str, str]]()
    for account in {row[0] for step in steps.steps for row in moved[step.entry.stream, step.entry.version]}:
        if (who := player_of(account)) is not None:
            balances = (balance(moved, first.stream, version, account) for version in (first.version - 1, last.version))
            before, after = map(write_money, balances)
            wanted[writer.person(who)] = before, after
    rows = [row for table in page.all("section", "funds") for row in table.one("tbody").all("tr")]
    shown = {row.one("th").words: [cell.words for cell in row.all("td")] for row in rows}
    assert {who: (shown[who][0], shown[who][-1]) for who in wanted} == wanted


def balance(moved: Moved, stream: str, version: int, account: str) -> int:
    """Of an account after an entry."""
    return sum(row[2] for at in range(1, version + 1) for row in moved[stream, at] if row[0] == account)


def check_players(steps: RoundSteps, moved: Moved) -> None:
    """Each player sees exactly the postings to their own chips."""
    for name in steps.players:
        own = view(steps, Viewer(Sight.PLAYER, name))
        told = show_steps(book(own.book), own, GamingDay(), EN, {})
        seen = {
            each.version: [
                (row.account, row.before_minor, row.change_minor, row.after_minor)
                for row in each.moved
                if row.change_minor
            ]
            for each in told
        }
        for step in steps.steps:
            rows = moved[step.entry.stream, step.entry.version]
            assert seen.get(step.entry.version, []) == [row for row in rows if row[0] == chips(name) and row[2]]


def check_public(page: Element, steps: RoundSteps) -> None:
    for css in ("boxes", "moved", "funds"):
        assert list(page.all("", css)) == []
    assert not any(words in page.words for words in FOR_STAFF)
    names = {*people(steps), *(step.entry.actor for step in steps.steps)}
    assert not (names - {Position.HOUSE.value}) & set(re.findall(r"\w+", page.words))


@pytest.mark.parametrize("name", rest_at_night(ALL, IN_TEST))
def test_every_page_agrees_with_ledger_and_journal(name: str, tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    put_golden(url, name)
    with server(url) as served:
        served.taken_over()
        enrolled = served.by(Position.PIT_MANAGER).post("/api/terminals", json={"table": TABLE, "title": TITLE})
        assert enrolled.status_code == 201, enrolled.text
        entries = all_entries(served.floor.database)
        auditor, nobody, moved = served.by(Position.AUDITOR), served.client(), ledger(entries)
        assert any(moved.values())
        for steps in each_round(entries):
            address = round_address(TABLE, StreamName.parse(steps.record.stream).opening, steps.record.number)
            page = read_page(auditor, address).one("main")
            check_staff(page, steps, moved)
            check_funds(page, steps, moved)
            check_players(steps, moved)
            check_public(read_page(nobody, address).one("main"), steps)
