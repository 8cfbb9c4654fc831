"""What somebody with write access to the database can do to a journal."""

from collections.abc import Callable, Sequence
from typing import Any

import apsw
import msgspec
import psycopg

from punto.floor.database.signatures import INSERT_LINKS, Appended, Signer
from punto.floor.journal import streams
from punto.floor.journal.entry import ENTRY_COLUMNS, NO_PREVIOUS_HASH, Entry, digest
from punto.floor.secret_key import find_key
from punto.floor.upkeep.rebuild import rebuild
from tests.floor.nights import opened
from tests.waiting import DEADLINE_S


def tamper(url: str, *statements: tuple[str, Sequence[object]]) -> None:
    """Run statements directly on the database, in one transaction, without foreign keys."""
    if url.startswith("postgresql"):
        with psycopg.connect(url) as server:
            for sql, values in statements:
                server.execute(sql.replace("?", "%s").encode(), values)
        return
    file = apsw.Connection(url)
    file.set_busy_timeout(int(DEADLINE_S * 1_000))  # a server may be writing
    try:
        file.execute("PRAGMA foreign_keys = OFF")
        with file:
            for sql, values in statements:
                file.execute(sql, tuple(values))
    finally:
        file.close()


def entries(url: str, stream: str) -> list[Entry]:
    with opened(url) as database:
        head = database.reading(streams.heads).result()[stream]
        return list(streams.read_all(database, head))


def rewrite(url: str, stream: str, forge: Callable[[list[Entry]], list[Entry]]) -> None:
    """Replace the entries of a stream, with new hashes, a matching head and matching caches."""
    forged, before = [], NO_PREVIOUS_HASH
    for version, entry in enumerate(forge(entries(url, stream)), 1):
        named = msgspec.structs.replace(entry, version=version)
        before = digest(before, named)
        forged.append(msgspec.structs.replace(named, hash=before))
    with opened(url) as database:
        key = database.reading(lambda transaction: streams.head(transaction, stream)).result().key
        rows = database.reading(
            lambda tx: tx.rows("SELECT id FROM entries WHERE stream = ? ORDER BY version", (key,))
        ).result()
        last = database.reading(lambda tx: tx.rows("SELECT max(id) FROM entries")).result()[0][0]
    ids = [row[0] for row in rows] + [last + more for more in range(1, len(forged) + 1)]
    columns = ("id", "stream", *ENTRY_COLUMNS)
    insert = f"INSERT INTO entries ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608
    written = [(insert, (at, key, *msgspec.structs.astuple(entry)[1:])) for at, entry in zip(ids, forged, strict=False)]
    head = ("UPDATE streams SET version = ?, hash = ? WHERE id = ?", (len(forged), before, key))
    tamper(url, ("DELETE FROM entries WHERE stream = ?", (key,)), *written, head)
    rebuild(url)


def sign_again(url: str) -> None:
    """Sign the journal as it is now, as somebody who has the floor's key could."""
    with opened(url) as database:
        key = find_key(database)
        assert key is not None
        heads = database.reading(streams.heads).result().values()
    links = Signer(key).links({head.key: Appended(1, head.version, head.hash) for head in heads})
    tamper(url, ("DELETE FROM signatures", ()), *((INSERT_LINKS, msgspec.structs.astuple(link)) for link in links))


def retold(entry: Entry, **changes: Any) -> Entry:
    """The entry with a changed event."""
    return msgspec.structs.replace(
        entry, event=msgspec.json.encode({**msgspec.json.decode(entry.event), **changes}).decode()
    )


def reasked(entry: Entry, **changes: Any) -> Entry:
    """The entry with a changed command."""
    told = {**msgspec.json.decode(entry.command or "{}"), **changes}
    return msgspec.structs.replace(entry, command=msgspec.json.encode(told).decode())


def is_a(entry: Entry, tag: str) -> bool:
    """Whether its event is of this kind."""
    return bool(msgspec.json.decode(entry.event)["event"] == tag)


def forget_laws(url: str) -> None:
    """Leave out the laws of openings in the house's stream, as releases before 0.6.0 did."""
    rewrite(url, "house", lambda told: [retold(one, law="") if is_a(one, "stream_opened.1") else one for one in told])
    sign_again(url)
