"""``verify`` finds every change to a journal and names the first bad entry."""

# ruff: noqa: S608 - fixed statements that forge entries

import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import Verified, verify
from punto.floor.database import open_database
from punto.floor.journal.entry import ENTRY_COLUMNS, Entry
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.replay import take_snapshot
from punto.floor.journal.streams import Head
from punto.floor.running.floor import Floor
from punto.floor.shoes.sealed import SELECT_SHOES, StoredShoe, commitment
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card
from punto.table.records.ledger import FLOAT
from punto.table.records.state import Table
from tests.floor.audit.forging import entries, forget_laws, is_a, reasked, retold, rewrite, sign_again, tamper
from tests.floor.nights import Night, night, opened, small
from tests.keys import TEST_KEY
from tests.lanes import examples, same_each_time

pytestmark = pytest.mark.sweep

COLUMNS = ("stream", *ENTRY_COLUMNS)


def look(url: str, **options: object) -> Verified:
    """Verify a floor that is not running."""
    with opened(url) as database:
        return verify(database, **options)  # type: ignore[arg-type]


def found(url: str) -> list[tuple[str, int | None, FaultCode]]:
    return [(fault.stream, fault.version, fault.code) for fault in look(url).faults]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small journal with a bit of everything."""
    path = tmp_path_factory.mktemp("journal") / "floor.db"
    small(str(path))
    return path


@pytest.fixture
def url(made: Path, tmp_path: Path) -> str:
    """A copy that the test may change."""
    return str(shutil.copyfile(made, tmp_path / "floor.db"))


def commands_at_tables(url: str) -> int:
    """Commands in the journal, without those of the house."""
    database = open_database(url, create=False)
    sql = "SELECT COUNT(*) FROM entries AS e JOIN streams AS s ON s.id = e.stream WHERE e.part = 0 AND s.name <> ?"
    count: int = database.reading(lambda transaction: transaction.rows(sql, (HOUSE,))[0][0]).result()
    database.close()
    return count


def test_a_journal_as_it_was_written_is_sound(database_url: str) -> None:
    small(database_url)
    seen = look(database_url)
    assert seen.faults == []
    assert seen.sound
    assert (seen.streams, seen.shoes, seen.seeded) == (4, 3, 0)
    assert seen.judged_again == seen.commands == commands_at_tables(database_url)
    assert seen.entries == sum(head.version for head in seen.heads.streams.values())


def test_it_says_as_it_reads_how_far_it_is(url: str) -> None:
    told: list[int] = []
    seen = look(url, progress=told.append)
    assert sum(told) == seen.entries


def test_an_empty_floor_is_sound(database_url: str) -> None:
    async def play(_: Night) -> None:
        pass

    night(database_url, play)
    assert look(database_url).sound


def test_it_says_how_many_shoes_were_from_a_seed(tmp_path: Path) -> None:
    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.SEEDED, seed="x")
        await floor.rounds("t1", 1)

    night(str(tmp_path / "floor.db"), play)
    assert (look(str(tmp_path / "floor.db")).seeded, look(str(tmp_path / "floor.db")).sound) == (1, True)


def test_it_runs_while_the_floor_does(database_url: str) -> None:
    async def play(floor: Night) -> None:
        await floor.table("t1")
        for _ in range(3):
            await floor.rounds("t1", 1)
            assert verify(floor.floor.database).faults == []

    night(database_url, play)


# ---- any single byte


def _altered(value: object, at: int, mask: int) -> object:
    """The value with one byte changed."""
    if isinstance(value, int):
        return value ^ mask
    kept = bytearray(str(value or "").encode())
    kept[at % len(kept)] ^= mask
    return bytes(kept)


def _flip(file: apsw.Connection, row: int, column: str, at: int, mask: int) -> object | None:
    """Change one byte of a column. Return the old value, or None if the database refuses the change."""
    kept: object
    ((kept,),) = file.execute(f"SELECT {column} FROM entries WHERE id = ?", (row,))
    if kept in ("", None):
        return None
    value = _altered(kept, at, mask)
    how = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
    try:
        file.execute(f"UPDATE entries SET {column} = {how} WHERE id = ?", (value, row))
    except apsw.ConstraintError:
        return None
    return kept


def _places(file: apsw.Connection) -> list[tuple[int, str, int]]:
    return list(file.execute("SELECT e.id, s.name, e.version FROM entries AS e JOIN streams AS s ON s.id = e.stream"))


def test_any_single_byte_of_any_column_of_a_journal_is_found(tmp_path: Path) -> None:
    """Tries every byte of a journal of a few entries at night; otherwise one in five, in turn over rows and columns."""
    path = str(tmp_path / "floor.db")

    async def play(floor: Night) -> None:
        await Floor.start(floor.floor.database)
        await floor.table("t1")
        await floor.close("t1")

    night(path, play)
    file, tried, every = apsw.Connection(path), 0, 5 if same_each_time() else 1
    file.execute("PRAGMA foreign_keys = OFF")
    file.execute("PRAGMA synchronous = OFF")
    with opened(path) as database:
        for row, stream, version in _places(file):
            for column in COLUMNS:
                ((size,),) = file.execute(f"SELECT length({column}) FROM entries WHERE id = ?", (row,))
                for at in range(tried % every, size or 0, every):
                    kept = _flip(file, row, column, at, 1)
                    if kept is None:
                        continue
                    faults = verify(database).faults
                    assert (stream, version) in [(one.stream, one.version) for one in faults], (row, column, at, faults)
                    file.execute(f"UPDATE entries SET {column} = ? WHERE id = ?", (kept, row))
                    tried += 1
        assert verify(database).sound
    file.close()
    assert tried > 2_000 // every


@settings(max_examples=examples(50))
@given(st.integers(0, 10**6), st.sampled_from(COLUMNS), st.integers(0, 10**6), st.integers(1, 255))
def test_any_single_byte_of_a_longer_journal_is_found(made: Path, row: int, column: str, at: int, mask: int) -> None:
    file = apsw.Connection(str(made))
    file.execute("PRAGMA foreign_keys = OFF")
    try:
        places = _places(file)
        key, stream, version = places[row % len(places)]
        kept = _flip(file, key, column, at, mask)
        if kept is None:
            return
        try:
            faults = look(str(made)).faults
        finally:
            file.execute(f"UPDATE entries SET {column} = ? WHERE id = ?", (kept, key))
        assert (stream, version) in [(one.stream, one.version) for one in faults]
    finally:
        file.close()


@pytest.mark.parametrize(("before", "after"), [("command IS NULL", "''"), ("command = ''", "NULL")])
def test_nothing_is_not_the_same_as_an_empty_command(url: str, before: str, after: str) -> None:
    tamper(url, (f"UPDATE entries SET command = {after} WHERE id = (SELECT min(id) FROM entries WHERE {before})", ()))
    assert [code for _, _, code in found(url)] == [FaultCode.NOT_AN_ENTRY]


def test_a_byte_that_is_no_text_is_found_in_the_middle_of_many_entries(url: str) -> None:
    tamper(url, ("UPDATE entries SET actor = CAST(? AS TEXT) WHERE version = 40", (b"\xff\xfe",)))
    assert found(url) == [("t1/1", 40, FaultCode.NOT_AN_ENTRY)]


@pytest.mark.parametrize(
    ("column", "value"), [("version", 1.5), ("at_us", "soon"), ("actor", b"ann"), ("part", b"0"), ("event", 7.5)]
)
def test_a_column_with_another_kind_of_value_is_found(url: str, column: str, value: object) -> None:
    tamper(url, (f"UPDATE entries SET {column} = ? WHERE id = 20", (value,)))
    assert found(url)[0][0] == "t1/1"


# ---- entries and streams lost, moved or added


@pytest.mark.parametrize("stream", ["house", "t1/1", "t1/2", "m1/1"])
def test_a_cut_tail_is_found(url: str, stream: str) -> None:
    last = entries(url, stream)[-1].version
    sql = "DELETE FROM entries WHERE stream = (SELECT id FROM streams WHERE name = ?) AND version = ?"
    tamper(url, (sql, (stream, last)))
    assert (stream, last, FaultCode.ENTRY_MISSING) in found(url)


def test_a_cut_tail_with_the_head_to_match_is_found_where_the_table_was_closed(url: str) -> None:
    rewrite(url, "t1/1", lambda told: told[:-1])
    assert ("t1/1", len(entries(url, "t1/1")), FaultCode.CLOSING_DIFFERS) in found(url)


@pytest.mark.parametrize("stream", ["house", "t1/2"])
def test_a_cut_tail_with_the_head_to_match_is_found_by_a_head_kept_elsewhere(url: str, stream: str) -> None:
    kept = look(url).heads
    rewrite(url, stream, lambda told: told[:-1])
    seen = look(url, kept_heads=kept)
    assert (stream, kept.streams[stream].version, FaultCode.TAIL_CUT) in [
        (f.stream, f.version, f.code) for f in seen.faults
    ]


def test_an_open_tail_cut_with_the_head_to_match_is_found_by_its_signature(url: str) -> None:
    rewrite(url, "t1/2", lambda told: told[:-1])
    assert found(url) == [("t1/2", len(entries(url, "t1/2")) + 1, FaultCode.TAIL_CUT)]


def test_what_the_owner_of_the_key_cuts_off_is_found_by_heads_kept_elsewhere_alone(url: str) -> None:
    kept = look(url).heads
    rewrite(url, "t1/2", lambda told: told[:-1])
    sign_again(url)
    assert look(url).sound
    assert [fault.code for fault in look(url, kept_heads=kept).faults] == [FaultCode.TAIL_CUT]


def test_a_stream_written_anew_is_found_by_a_head_kept_elsewhere(url: str) -> None:
    kept = look(url).heads
    rewrite(url, "m1/1", lambda told: [replace(entry, at_us=entry.at_us + 1) for entry in told])
    assert found(url) == [("m1/1", 1, FaultCode.NOT_AS_SIGNED)]
    sign_again(url)
    assert look(url).sound
    assert [fault.code for fault in look(url, kept_heads=kept).faults] == [FaultCode.HEAD_NOT_IN_STREAM]


def test_a_journal_that_went_on_since_its_heads_were_kept_is_sound(database_url: str) -> None:
    async def first(floor: Night) -> None:
        await floor.table("t1")
        await floor.rounds("t1", 1)

    night(database_url, first)
    kept = look(database_url).heads
    night(database_url, lambda floor: floor.rounds("t1", 1))
    assert look(database_url, kept_heads=kept).sound


@pytest.mark.parametrize("stream", ["t1/1", "t1/2", "m1/1"])
def test_a_lost_stream_is_found(url: str, stream: str) -> None:
    tamper(
        url,
        ("DELETE FROM entries WHERE stream = (SELECT id FROM streams WHERE name = ?)", (stream,)),
        ("DELETE FROM streams WHERE name = ?", (stream,)),
    )
    assert ("house", FaultCode.STREAM_LOST) in [(where, code) for where, _, code in found(url)]


def test_a_lost_house_is_found(url: str) -> None:
    tamper(
        url,
        ("DELETE FROM entries WHERE stream = (SELECT id FROM streams WHERE name = 'house')", ()),
        ("DELETE FROM streams WHERE name = 'house'", ()),
    )
    assert found(url) == [("house", None, FaultCode.STREAM_LOST), ("signatures", None, FaultCode.SIGNATURE_LOST)]


def test_all_of_it_lost_is_found_by_heads_kept_elsewhere(url: str) -> None:
    kept = look(url).heads
    caches = ("rounds", "round_marks", "round_blocks", "seals")
    lost = ("entries", "snapshots", "streams", "tables", "shoes", *caches)
    tamper(url, *((f"DELETE FROM {table}", ()) for table in lost))
    assert [code for _, _, code in found(url)] == [FaultCode.SIGNATURE_LOST]
    tamper(url, ("DELETE FROM signatures", ()))
    assert look(url).sound
    assert {fault.code for fault in look(url, kept_heads=kept).faults} == {FaultCode.STREAM_LOST}


def test_a_stream_that_nobody_opened_is_found(url: str) -> None:
    tamper(url, ("INSERT INTO streams (name, version, hash) VALUES ('t9/1', 0, ?)", ("0" * 64,)))
    assert ("t9/1", None, FaultCode.STREAM_UNKNOWN) in found(url)


def test_two_entries_that_changed_places_are_found(url: str) -> None:
    stream = "(SELECT id FROM streams WHERE name = 't1/1')"
    tamper(
        url,
        (f"UPDATE entries SET version = 1000 WHERE stream = {stream} AND version = 10", ()),
        (f"UPDATE entries SET version = 10 WHERE stream = {stream} AND version = 11", ()),
        (f"UPDATE entries SET version = 11 WHERE stream = {stream} AND version = 1000", ()),
    )
    assert found(url)[0][:2] == ("t1/1", 10)


def test_an_entry_beyond_the_head_is_found(url: str) -> None:
    names = ", ".join(COLUMNS)
    copied = names.replace("version", "version + 1").replace("command_id", "'new'")
    stream, last = "(SELECT id FROM streams WHERE name = 'm1/1')", entries(url, "m1/1")[-1].version
    tamper(
        url,
        (
            f"INSERT INTO entries ({names}) SELECT {copied} FROM entries WHERE stream = {stream} AND version = ?",
            (last,),
        ),
    )
    assert [code for _, _, code in found(url)] == [FaultCode.ENTRY_BEYOND_HEAD]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("version = version + 1", FaultCode.ENTRY_MISSING),
        ("version = version - 1", FaultCode.HEAD_DIFFERS),
        (f"hash = '{'0' * 64}'", FaultCode.HEAD_DIFFERS),
        ("name = 't1/3'", FaultCode.ENTRY_ALTERED),
        ("version = 'many'", FaultCode.NOT_AN_ENTRY),
    ],
)
def test_an_altered_head_is_found(url: str, change: str, code: FaultCode) -> None:
    tamper(url, (f"UPDATE streams SET {change} WHERE name = 't1/2'", ()))
    assert code in [found_code for _, _, found_code in found(url)]


# ---- forgeries with matching hashes


Forge = Callable[[list[Entry]], list[Entry]]


def _each(told: list[Entry], tag: str, change: Callable[[Entry], Entry]) -> list[Entry]:
    """Change the first entry of a kind."""
    at = next(at for at, entry in enumerate(told) if is_a(entry, tag))
    return [*told[:at], change(told[at]), *told[at + 1 :]]


def _version_of(url: str, stream: str, tag: str) -> int:
    return next(entry.version for entry in entries(url, stream) if is_a(entry, tag))


def _other_than(settled: Entry) -> str:
    """A different winner."""
    return "player" if '"winner":"tie"' in settled.event else "tie"


FORGERIES: dict[str, tuple[str, Forge]] = {
    "another stake": ("bet_placed.1", lambda told: _each(told, "bet_placed.1", lambda e: retold(e, stake_minor=1))),
    "another winner": (
        "round_settled.1",
        lambda told: _each(told, "round_settled.1", lambda e: retold(e, winner=_other_than(e))),
    ),
    "a command never given": (
        "betting_opened.1",
        lambda told: _each(told, "betting_opened.1", lambda e: reasked(e, command="settle.1")),
    ),
    "somebody else": ("bet_placed.1", lambda told: _each(told, "bet_placed.1", lambda e: replace(e, actor="ben"))),
    "an event left out": (
        "betting_closed.1",
        lambda told: [entry for entry in told if not is_a(entry, "betting_closed.1")],
    ),
    "no event": ("bet_placed.1", lambda told: _each(told, "bet_placed.1", lambda e: retold(e, event="bet_lost.1"))),
    "no command": ("bet_placed.1", lambda told: _each(told, "bet_placed.1", lambda e: replace(e, command="{}"))),
    "another law": ("bet_placed.1", lambda told: _each(told, "bet_placed.1", lambda e: replace(e, law="0" * 64))),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_with_every_hash_to_match_is_found_by_judging_again(url: str, name: str) -> None:
    tag, forge = FORGERIES[name]
    version = _version_of(url, "t1/2", tag)
    rewrite(url, "t1/2", forge)
    faults = found(url)
    assert faults[0][:2] == ("t1/2", version)
    assert faults[0][2] in (
        FaultCode.JUDGED_OTHERWISE,
        FaultCode.DOES_NOT_REPLAY,
        FaultCode.LAW_DIFFERS,
        FaultCode.POSTINGS_UNBALANCED,
    )


def _under_another_law(told: list[Entry]) -> list[Entry]:
    law = "f" * 64
    return [retold(replace(told[0], law=law), law_hash=law), *(replace(entry, law=law) for entry in told[1:])]


def test_a_table_opened_under_another_law_than_the_house_recorded_is_found(url: str) -> None:
    """Otherwise its commands would only be replayed, not judged again."""
    rewrite(url, "t1/2", _under_another_law)
    assert found(url) == [("t1/2", 1, FaultCode.LAW_DIFFERS)]


def test_what_was_decided_under_a_law_that_is_not_on_the_shelf_is_replayed_only(url: str) -> None:
    commands = look(url).commands
    forget_laws(url)
    rewrite(url, "t1/2", _under_another_law)
    sign_again(url)
    seen = look(url)
    assert seen.sound
    assert seen.commands == commands > seen.judged_again


def test_postings_that_make_money_are_found_even_where_nobody_can_judge_again(url: str) -> None:
    def forge(told: list[Entry]) -> list[Entry]:
        told = _under_another_law(told)
        return _each(told, "bet_placed.1", lambda e: retold(e, postings=[["chips:ann", -1], ["felt", 2]]))

    version = _version_of(url, "t1/2", "bet_placed.1")
    forget_laws(url)
    rewrite(url, "t1/2", forge)
    assert found(url) == [("t1/2", version, FaultCode.POSTINGS_UNBALANCED)]


def test_an_event_that_cannot_follow_is_found_even_where_nobody_can_judge_again(url: str) -> None:
    def forge(told: list[Entry]) -> list[Entry]:
        told = _under_another_law(told)
        return _each(told, "card_turned.1", lambda e: retold(e, place=99))

    version = _version_of(url, "t1/2", "card_turned.1")
    forget_laws(url)
    rewrite(url, "t1/2", forge)
    assert found(url)[0] == ("t1/2", version, FaultCode.DOES_NOT_REPLAY)


@pytest.mark.parametrize("stream", ["t1/1", "t1/2"])
def test_a_card_that_the_shoe_has_not_there_is_found(url: str, stream: str) -> None:
    """For a revealed shoe and for one in play."""
    at = _version_of(url, stream, "cards_burned.1")

    def forge(told: list[Entry]) -> list[Entry]:
        held = msgspec.json.decode(told[at - 1].event)["card"]
        other = next(card for card in Card if card.rank == held[0] and card != held)
        return _each(told, "cards_burned.1", lambda e: reasked(retold(e, card=other), card=other))

    rewrite(url, stream, forge)
    assert found(url)[0] == (stream, at, FaultCode.CARD_DIFFERS)


def test_a_command_accepted_twice_is_found(url: str) -> None:
    tamper(url, ("DROP INDEX accepted", ()))
    told = entries(url, "t1/2")
    sits = [entry for entry in told if is_a(entry, "player_sat.1")]
    rewrite(url, "t1/2", lambda told: [replace(e, command_id=sits[0].command_id) if e == sits[1] else e for e in told])
    assert ("t1/2", sits[1].version, FaultCode.COMMAND_DOUBLED) in found(url)


# ---- shoes


@pytest.mark.parametrize("change", ["nonce = 'ab'", "cards = '9s'", "sealed = X'00'", "sealed = NULL"])
def test_a_sealed_order_that_was_exchanged_is_found(url: str, change: str) -> None:
    for shoe in ("second", "t1 2-5"):
        tamper(url, (f"UPDATE shoes SET {change} WHERE id = ?", (shoe,)))
    assert {code for _, _, code in found(url)} >= {FaultCode.COMMITMENT_DIFFERS}


def test_a_sealed_order_that_is_gone_is_found(url: str) -> None:
    tamper(url, ("DELETE FROM shoes WHERE id = 'second'", ()))
    assert [code for _, _, code in found(url)] == [FaultCode.SHOE_LOST]


def test_a_sealed_order_that_nobody_committed_to_is_found(url: str) -> None:
    tamper(url, ("INSERT INTO shoes (id, kind, cards, nonce) VALUES ('mine', 'virtual', 'As', '0')", ()))
    assert [code for _, _, code in found(url)] == [FaultCode.SHOE_NOT_SEALED]


def test_a_shoe_revealed_as_another_than_it_was_committed_to_is_found(url: str) -> None:
    version = _version_of(url, "house", "shoe_revealed.1")
    rewrite(url, "house", lambda told: _each(told, "shoe_revealed.1", lambda e: retold(e, nonce="0" * 64)))
    assert found(url)[0] == ("house", version, FaultCode.COMMITMENT_DIFFERS)


def test_a_shoe_that_does_not_hold_whole_decks_is_found_though_it_was_committed_to(url: str) -> None:
    cards = " ".join(["9s"] * 416)

    def forge(told: list[Entry]) -> list[Entry]:
        told = _each(told, "shoe_sealed.1", lambda e: retold(e, commitment=commitment("n", cards)))
        return _each(told, "shoe_revealed.1", lambda e: retold(e, nonce="n", cards=cards))

    rewrite(url, "house", forge)
    assert found(url)[0][2] is FaultCode.COMMITMENT_DIFFERS


def test_a_shoe_that_is_over_and_was_not_revealed_is_found(url: str) -> None:
    rewrite(url, "house", lambda told: [entry for entry in told if not is_a(entry, "shoe_revealed.1")])
    assert {code for _, _, code in found(url)} == {FaultCode.SHOE_NOT_REVEALED}


def test_a_shoe_revealed_while_it_is_in_play_is_found(url: str) -> None:
    with opened(url) as database:
        sql = f"{SELECT_SHOES} WHERE id LIKE 't1 2-%'"
        (row,) = database.reading(lambda transaction: transaction.rows(sql)).result()
    shoe, (nonce, cards) = row[0], StoredShoe.of(row).opened(TEST_KEY) or ("", "")

    def forge(told: list[Entry]) -> list[Entry]:
        shown = next(entry for entry in told if is_a(entry, "shoe_revealed.1"))
        new = replace(shown, command_id="house:new", part=0, command="")
        return [*told, retold(new, shoe=shoe, nonce=nonce, cards=cards)]

    rewrite(url, "house", forge)
    assert [code for _, _, code in found(url)] == [FaultCode.SHOE_REVEALED_EARLY]


def test_a_shoe_whose_commitment_came_after_its_first_card_is_found(url: str) -> None:
    """Row keys keep the order of writing across all streams."""
    house = "stream = (SELECT id FROM streams WHERE name = 'house')"
    tamper(url, (f"UPDATE entries SET id = id + 100000 WHERE version > 1 AND {house}", ()))
    assert {code for _, _, code in found(url)} == {FaultCode.SHOE_NOT_SEALED}


def test_a_table_whose_shoes_are_of_another_kind_than_it_was_created_with_is_found(url: str) -> None:
    """Otherwise a virtual table could be turned into one where people enter the cards."""
    with opened(url) as database:
        ((setup,),) = database.reading(lambda tx: tx.rows("SELECT setup FROM tables WHERE name = 't1'")).result()
    forged = setup.replace('"virtual"', '"manual"')
    tamper(url, ("UPDATE tables SET setup = ? WHERE name = 't1'", (forged,)))
    assert found(url) == [("house", None, FaultCode.TABLE_DIFFERS)]


# ---- tables other than the entries


def test_a_snapshot_that_the_entries_do_not_come_to_is_found(url: str) -> None:
    """Its hash can be forged, so the state is compared."""
    told = entries(url, "t1/2")
    forged = take_snapshot(Table(balances={"chips:ann": 1, FLOAT: -1}), Head("t1/2", 0, 5, told[4].hash))
    row = (forged.version, forged.form, forged.state, forged.hash)
    sql = "INSERT INTO snapshots (stream, version, form, state, hash) SELECT id, ?, ?, ?, ? FROM streams"
    sql += " WHERE name = 't1/2'"
    tamper(url, (sql, row))
    assert found(url) == [("t1/2", 5, FaultCode.SNAPSHOT_DIFFERS)]


def test_the_first_fault_of_each_stream_is_named_and_the_rest_follow_from_it(url: str) -> None:
    stream = "(SELECT id FROM streams WHERE name = 't1/2')"
    tamper(url, (f"UPDATE entries SET actor = 'eve' WHERE stream = {stream} AND version >= 7", ()))
    assert found(url) == [("t1/2", 7, FaultCode.ENTRY_ALTERED)]


def test_an_alteration_on_postgresql_is_found_too(postgres_url: str) -> None:
    small(postgres_url)
    tamper(postgres_url, ("UPDATE entries SET at_us = at_us + 1 WHERE version = 9 AND part = 0", ()))
    assert {(version, code) for _, version, code in found(postgres_url)} == {(9, FaultCode.ENTRY_ALTERED)}


def test_a_refusal_for_lack_of_authority_is_part_of_the_chain(url: str) -> None:
    version = _version_of(url, "house", "authority_refused.1")
    sql = "DELETE FROM entries WHERE version = ? AND stream = (SELECT id FROM streams WHERE name = 'house')"
    tamper(url, (sql, (version,)))
    assert found(url)[0] == ("house", version, FaultCode.ENTRY_MISSING)


def test_every_kind_of_fault_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs/audit.md").read_text(encoding="utf-8")
    assert [code for code in FaultCode if f"`{code}`" not in page] == []
