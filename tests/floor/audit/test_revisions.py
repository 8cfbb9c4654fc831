"""Entries name the revision of the engine that decided them, and are chained by the hashes of their contents."""

from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.database.schema import VERSION
from punto.floor.journal.entry import (
    NO_PREVIOUS_HASH,
    CommandRecord,
    Entry,
    EntryContext,
    content_hash,
    context_of,
    digest,
    follow,
    write,
)
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.upkeep.migration import migrate
from punto.table.revision import FIRST_REVISION, REVISION
from tests.floor.audit.forging import entries, retold, rewrite, sign_again, tamper
from tests.floor.audit.test_verify import found, look
from tests.floor.earlier_schemas import make_older
from tests.floor.nights import Night, night, small

RECORD = CommandRecord(1_700_000_000_000_000, "dora", "dealer", "one", "law", "{}")


@pytest.fixture
def url(tmp_path: Path) -> str:
    small(str(tmp_path / "floor.db"))
    return str(tmp_path / "floor.db")


def _lines(*lines: object) -> str:
    return sha256("\n".join(map(str, lines)).encode()).hexdigest()


def test_the_hash_of_an_entry_covers_the_previous_hash_and_the_hash_of_its_content() -> None:
    context = EntryContext(7, "felt 1", "dora", "sue", 1_699_999_999_000_000)
    first, second = follow("t1/1", 0, NO_PREVIOUS_HASH, replace(RECORD, context=context), ["{}", '{"a":1}'])
    text = '{"revision":7,"terminal":"felt 1","proposed_by":"dora","approved_by":"sue"'
    text += ',"happened_at_us":1699999999000000}'
    fields = (RECORD.at_us, "dora", "dealer", "one")
    assert content_hash(first) == _lines("t1/1", 1, *fields, 0, "law", "{}", "{}", text)
    assert content_hash(second) == _lines("t1/1", 2, *fields, 1, "law", "", '{"a":1}', text)
    assert first.hash == digest(NO_PREVIOUS_HASH, first) == _lines(NO_PREVIOUS_HASH, content_hash(first))
    assert second.hash == _lines(first.hash, content_hash(second))
    assert context_of(second) == context


def test_entries_of_earlier_schemas_keep_their_hashes() -> None:
    """0.3.0 wrote this hash for such an entry."""
    old = Entry("t1/1", 1, 1_700_000_000_000_000, "dora", "dealer", "one", 0, "law", "{}", '{"event":"x"}', "", "")
    fields = ("t1/1", 1, 1_700_000_000_000_000, "dora", "dealer", "one", 0, "law", "{}", '{"event":"x"}')
    assert digest(NO_PREVIOUS_HASH, old) == _lines(NO_PREVIOUS_HASH, *fields)
    assert context_of(old) == EntryContext() == EntryContext(FIRST_REVISION)


def test_a_chain_is_proved_without_the_contents_of_others(url: str) -> None:
    chain, mine = entries(url, "t1/1"), 7
    hashes = [content_hash(entry) for entry in chain]
    before = NO_PREVIOUS_HASH
    for at, hashed in enumerate(hashes):
        before = _lines(before, content_hash(chain[mine]) if at == mine else hashed)
    assert before == look(url).heads.streams["t1/1"].hash


def test_what_an_earlier_schema_wrote_is_sound_goes_on_and_is_replayed_only(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    small(url)
    make_older(url, 3)
    assert migrate(url) == (3, VERSION)
    seen = look(url)
    assert (seen.sound, seen.judged_again, seen.earlier_revision) == (True, 0, seen.commands)

    async def play(floor: Night) -> None:
        await floor.rounds("t1", 2)
        await floor.close("t1")

    night(url, play)
    later = look(url)
    assert later.faults == []
    assert later.earlier_revision == seen.commands
    assert later.judged_again == later.commands - later.earlier_revision > 0


def _opens(entry: Entry) -> bool:
    return "betting_opened" in entry.event


def test_the_same_change_is_found_where_this_revision_decided_it(url: str) -> None:
    rewrite(url, "t1/2", lambda told: [retold(entry, clauses=["9.9"]) if _opens(entry) else entry for entry in told])
    assert FaultCode.JUDGED_OTHERWISE in [code for _, _, code in found(url)]


def test_a_field_that_a_record_lacks_has_its_default(url: str) -> None:
    """As an earlier release of the same revision, without these fields, would have written it."""

    def lacking(entry: Entry) -> Entry:
        event = msgspec.json.decode(entry.event)
        if "table_opened" in event["event"]:
            event["settings"].pop("established_by_staked_bets")
            event["settings"].pop("cut_card", None)
        event.pop("carried", None)
        event.pop("again", None)
        return replace(entry, event=msgspec.json.encode(event).decode())

    rewrite(url, "t1/2", lambda told: [lacking(entry) for entry in told])
    sign_again(url)
    seen = look(url)
    assert seen.faults == []
    assert seen.judged_again == seen.commands


@pytest.mark.parametrize("context", ["", write(EntryContext()), write(EntryContext(REVISION + 1))])
def test_no_entry_escapes_being_judged_again_by_naming_another_revision(url: str, context: str) -> None:
    """Every hash matches, and so does the head."""
    rewrite(url, "t1/2", lambda told: [replace(entry, context=context) for entry in told])
    assert found(url) == [("t1/2", 1, FaultCode.REVISION_DIFFERS)]


@pytest.mark.parametrize("context", ["{}", write(EntryContext(REVISION + 1))])
def test_nor_on_a_floor_where_an_earlier_revision_ran(url: str, context: str) -> None:
    make_older(url, 3)
    migrate(url)

    async def play(floor: Night) -> None:
        await floor.table("t2")
        await floor.rounds("t2", 1)

    night(url, play)
    assert found(url) == []
    rewrite(url, "t2/1", lambda told: [replace(entry, context=context) for entry in told])
    assert found(url) == [("t2/1", 1, FaultCode.REVISION_DIFFERS)]


def _paid(told: list[Entry]) -> list[Entry]:
    """With a clause that nobody cited: every hash matches."""
    return [retold(entry, clauses=["9.9"]) if _opens(entry) else entry for entry in told]


def test_a_takeover_pins_what_came_before_it(url: str) -> None:
    """Also what an earlier revision decided, which is replayed only."""
    make_older(url, 3)
    migrate(url)
    rewrite(url, "t1/2", _paid)
    assert found(url) == []  # nobody can judge it again, and nothing was recorded about it

    async def play(floor: Night) -> None:
        await floor.rounds("t1", 1)

    night(url, play)
    version = len(entries(url, "t1/2"))
    rewrite(url, "t1/2", lambda told: [*_paid(told[:5]), *told[5:]])
    assert found(url) == []
    rewrite(url, "t1/2", lambda told: [replace(told[0], at_us=told[0].at_us + 1), *told[1:]])
    ((stream, at, code),) = found(url)
    assert (stream, code) == ("t1/2", FaultCode.HEAD_NOT_IN_STREAM)
    assert at is not None
    assert at < version


def test_the_order_of_rows_does_not_make_an_entry_older(url: str) -> None:
    """Rows can be moved: their keys are not hashed. Openings and takeovers in the house's stream are."""
    make_older(url, 3)
    migrate(url)

    async def play(floor: Night) -> None:
        await floor.table("t2", shoes=ShoeKind.MANUAL, automations=[])

    night(url, play)
    rewrite(url, "t2/1", lambda told: [replace(entry, context="") for entry in told])
    tamper(url, ("UPDATE entries SET id = id + 1000000 WHERE context <> ''", ()))
    assert found(url) == [("t2/1", 1, FaultCode.REVISION_DIFFERS)]


def test_a_revision_that_this_release_does_not_have_is_for_another_release(url: str) -> None:
    later = write(EntryContext(REVISION + 1))
    for stream in ("house", "t1/1", "t1/2", "m1/1"):
        rewrite(url, stream, lambda told: [replace(entry, context=later) for entry in told])
    sign_again(url)
    assert {code for _, _, code in found(url)} == {FaultCode.REVISION_DIFFERS}


def test_no_entry_in_the_old_form_comes_after_one_in_the_new_form(url: str) -> None:
    rewrite(url, "t1/2", lambda told: [*told[:-1], replace(told[-1], context="")])
    assert found(url) == [("t1/2", len(entries(url, "t1/2")), FaultCode.NOT_AN_ENTRY)]


@pytest.mark.parametrize("context", ["{", "[]", '{"revision":"2"}', '{"revision":2,"colour":1}'])
def test_a_context_that_cannot_be_read_is_found(url: str, context: str) -> None:
    rewrite(url, "t1/2", lambda told: [replace(entry, context=context) for entry in told])
    assert found(url) == [("t1/2", 1, FaultCode.NOT_AN_ENTRY)]


def test_all_entries_of_a_command_have_the_same_context(url: str) -> None:
    at = next(version for version, entry in enumerate(entries(url, "t1/2"), 1) if entry.part == 1)
    context = write(EntryContext(REVISION, "felt 1"))
    rewrite(url, "t1/2", lambda told: [*told[: at - 1], replace(told[at - 1], context=context), *told[at:]])
    assert found(url) == [("t1/2", at, FaultCode.NOT_AN_ENTRY)]
