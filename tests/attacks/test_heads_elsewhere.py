"""Somebody with the disk cuts off or rewrites the journal. The copies of its heads elsewhere tell."""

import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from punto.cli.main import main
from punto.floor.audit.kept_heads import KeptHeads, read_heads_in
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorRefused
from punto.table.records.positions import Position
from punto.web.config import read_config
from tests.floor.audit.forging import sign_again
from tests.floor.nights import opened as database_at
from tests.floor.playing import DEALER, At, betting_table
from tests.web.serving import Server, server


def copied(served: Server) -> dict[str, Any]:
    """How the copies of the heads stand, after the first."""
    assert served.service.head_copies is not None
    copies = served.service.head_copies
    served.until(lambda: bool(copies.copied_us or copies.fault))
    auditor = served.client(served.token(Position.AUDITOR, f"aude {secrets.token_hex(4)}"))
    view: dict[str, Any] = auditor.get("/api/heads").json()
    return view


def copy_now(served: Server) -> None:
    assert served.service.head_copies is not None
    served.run(served.service.head_copies.copy())


def gauge(served: Server, name: str) -> float:
    text = served.client().get("/metrics").text
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} "))


def cut_off(url: str) -> None:
    """Remove the last entry of the table, and the record of the end."""

    def work(transaction: Transaction) -> int:
        transaction.change(
            "DELETE FROM entries WHERE stream = (SELECT id FROM streams WHERE name = 't1/1')"
            " AND version = (SELECT version FROM streams WHERE name = 't1/1')"
        )
        return transaction.change(
            "UPDATE streams SET version = version - 1, hash = (SELECT e.hash FROM entries AS e"
            " WHERE e.stream = streams.id AND e.version = streams.version - 1) WHERE name = 't1/1'"
        )

    with database_at(url) as database:
        assert database.writing(work).result() == 1


def test_the_server_copies_the_heads_and_finds_what_was_cut_off(tmp_path: Path) -> None:
    url, elsewhere = str(tmp_path / "floor.db"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    with server(url, heads_to=str(elsewhere)) as served:
        served.run(betting_table(served.floor))
        assert served.run(At(served.floor, "t1", "bet").do(DEALER, "close_betting")).entries
        copied(served)
        copy_now(served)
        view = copied(served)
        assert (view["copies"]["place"], view["copies"]["fault"]) == (str(elsewhere), "")
        assert view["copies"]["copied_us"] > 0
        assert gauge(served, "punto_heads_copied_timestamp_seconds") > 0
        (kept,) = read_heads_in(elsewhere)
        live = served.floor.table("t1")
        assert live.head is not None
        assert (kept.streams["t1/1"].version, kept.streams["t1/1"].hash) == (live.head.version, live.head.hash)
    verified = CliRunner().invoke(main, ["verify", "--db", url, "--head", str(elsewhere)])
    assert verified.exit_code == 0, verified.output
    cut_off(url)
    sign_again(url)
    assert CliRunner().invoke(main, ["verify", "--db", url]).exit_code == 0  # the key's owner can do that
    verified = CliRunner().invoke(main, ["verify", "--db", url, "--head", str(elsewhere)])
    assert (verified.exit_code, "tail_cut" in verified.output) == (1, True)
    with server(url, heads_to=str(elsewhere)) as served:
        assert copied(served)["copies"]["contradicted"] == ["t1/1"]
        assert gauge(served, "punto_heads_contradicted") == 1
        copy_now(served)  # a later copy does not hide it
        assert copied(served)["copies"]["contradicted"] == ["t1/1"]
    assert len(read_heads_in(elsewhere)) == 2
    verified = CliRunner().invoke(main, ["verify", "--db", url, "--head", str(elsewhere)])
    assert verified.exit_code == 1


def test_a_place_that_fails_is_told_and_tried_again(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with server(str(tmp_path / "floor.db"), heads_to=str(elsewhere)) as served:
        copied(served)
        (file,) = elsewhere.iterdir()
        file.unlink()
        elsewhere.rmdir()
        copy_now(served)
        assert str(elsewhere) in copied(served)["copies"]["fault"]
        assert gauge(served, "punto_heads_failures") == 1
        elsewhere.mkdir()
        copy_now(served)
        assert copied(served)["copies"]["fault"] == ""
        assert len(read_heads_in(elsewhere)) == 1


@contextmanager
def receiver(status: int) -> Iterator[tuple[str, list[bytes]]]:
    """An HTTP server that keeps what is posted to it."""
    received: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    listening = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}/secret/path", received
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


@pytest.mark.parametrize("status", [204, 500])
def test_they_can_be_posted_to_an_address(tmp_path: Path, status: int) -> None:
    with receiver(status) as (address, received), server(str(tmp_path / "floor.db"), heads_to=address) as served:
        copies = copied(served)["copies"]
        assert address.startswith(copies["place"])
        assert "secret" not in copies["place"]
        assert bool(copies["fault"]) is (status == 500)
        heads = json.loads(received[0])
        assert (heads["punto"], "house" in heads["streams"]) == ("heads.1", True)


def test_a_server_without_a_place_makes_no_copies_but_tells_the_heads(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        view = served.by(Position.AUDITOR).get("/api/heads").json()
        assert view["copies"] is None
        assert view["heads"]["streams"]["house"]["version"] > 0
        assert KeptHeads.__struct_fields__ == tuple(view["heads"])


@pytest.mark.parametrize("place", ["no such directory", "ftp://example.com/heads", "http://", "file:///etc"])
def test_a_place_that_cannot_be_one_is_refused_at_the_start(tmp_path: Path, place: str) -> None:
    file = tmp_path / "punto.toml"
    file.write_text(f"heads_to = {json.dumps(place)}\n")
    with pytest.raises(FloorRefused) as refused:
        read_config({}, {}, file)
    assert refused.value.code == "bad_config"
