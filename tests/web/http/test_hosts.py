"""The host names a server answers to. Another site can point its own name at this server."""

import logging
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from punto.rules.refusals import Refused
from punto.table.records.positions import Position
from punto.web.config import Config
from punto.web.http.auth import Hosts
from punto.web.server.run import warn_if_exposed
from tests.web.serving import Server, server
from tests.web.watching import line
from tests.web.wire import problem, send

OURS = ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8000", "localhost.:80"]
NOT_OURS = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1@evil.example",
    "evil.example:8000:80",
    "10.0.0.1",
    "[fe80::1]",
    "",
    ":8000",
    "*",
]


def goes_by(name: str, **settings: Any) -> bool:
    try:
        Hosts(Config(**settings)).require({"host": name})
    except Refused:
        return False
    return True


def test_a_server_goes_by_the_names_of_its_machine_and_those_it_was_given() -> None:
    assert [host for host in OURS if not goes_by(host)] == []
    assert [host for host in NOT_OURS if goes_by(host)] == []
    Hosts(Config()).require({})  # who names none is no browser
    assert goes_by("Punto.Example:443", hosts=("punto.example",))
    assert goes_by("punto.example", origins=("https://punto.example:8443",))
    assert not goes_by("x.punto.example", hosts=("punto.example",))
    assert goes_by("10.1.2.3:8000", host="10.1.2.3")
    assert not goes_by("10.1.2.4:8000", host="10.1.2.3")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 - as a user may well say
def test_one_that_listens_everywhere_goes_by_every_address_and_by_no_further_name(host: str) -> None:
    assert [name for name in (*OURS, "10.0.0.1:80", "[2001:db8::1]:80") if not goes_by(name, host=host)] == []
    assert not goes_by("evil.example", host=host)


@pytest.mark.parametrize(
    "path",
    ["/", "/api/tables", "/api/tables/t1", "/healthz", "/metrics", "/nothing", "/static/punto.css", "/rules/none"],
)
def test_whatever_is_sent_to_another_name_is_not_answered(standing: Server, path: str) -> None:
    answer = standing.client().get(path, headers={"host": "evil.example"})
    assert answer.status_code == 421, path
    assert b"evil.example" in answer.content
    if path.startswith("/api"):
        problem(answer, 421, "wrong_host")


def test_nothing_is_changed_by_way_of_another_name(standing: Server) -> None:
    """Like a page whose host name leads here: for a browser it has the same origin."""
    own = {"host": "evil.example", "origin": "http://evil.example", "sec-fetch-site": "same-origin"}
    problem(standing.client().post("/api/visit", json={"name": "eve"}, headers=own), 421, "wrong_host")
    with pytest.raises(InvalidStatus) as trouble, line(standing, headers=own):
        pass
    assert trouble.value.response.status_code == 421


def test_a_request_that_names_no_host_is_a_programs(standing: Server) -> None:
    assert send(standing, b"GET /healthz HTTP/1.0\r\n\r\n").status == 200


# ---- https alone


def test_where_all_is_https_a_plain_page_is_another_sites(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), secure=True) as served:
        served.visitor("ann")
        client = served.client()
        for number, (scheme, status) in enumerate((("http", 403), ("https", 200))):
            own = {"origin": served.url.replace("http", scheme)}
            assert client.post("/api/visit", json={"name": f"n{number}"}, headers=own).status_code == status
        for path in ("/", "/api/tables", "/nothing", "/static/punto.css"):
            assert client.get(path).headers["strict-transport-security"] == "max-age=31536000", path


def test_where_it_is_not_browsers_are_not_told_so(standing: Server) -> None:
    for path in ("/", "/api/tables", "/static/punto.css"):
        assert "strict-transport-security" not in standing.client().get(path).headers


@pytest.mark.parametrize(
    ("host", "secure", "warns"),
    [
        ("127.0.0.1", False, False),
        ("::1", False, False),
        ("localhost", False, False),
        ("0.0.0.0", False, True),  # noqa: S104 - as a user may well say
        ("10.1.2.3", False, True),
        ("0.0.0.0", True, False),  # noqa: S104
    ],
)
def test_a_server_open_to_others_without_https_logs_a_warning(
    caplog: pytest.LogCaptureFixture,
    host: str,
    secure: bool,  # noqa: FBT001 - pytest's
    warns: bool,  # noqa: FBT001
) -> None:
    with caplog.at_level(logging.WARNING, "punto.web"):
        warn_if_exposed(Config(host=host, secure=secure))
    assert ("secure" in caplog.text) is warns


def test_a_server_that_others_can_reach_says_so_when_it_starts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.WARNING, "punto.web"),
        server(str(tmp_path / "floor.db"), host="0.0.0.0"),  # noqa: S104
    ):
        assert "other machines can reach this server" in caplog.text


# ---- whose word counts


def test_only_a_bearers_token_counts_over_a_cookie(standing: Server) -> None:
    dora, vera = standing.token(Position.DEALER), standing.token(Position.PLAYER)
    client = standing.client(cookies={"punto": dora})

    def name(authorization: str) -> str:
        answer = client.get("/api/session", headers={"authorization": authorization})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["name"])

    assert name("Basic ZG9yYTp4") == "dora"
    assert name("Digest x") == "dora"
    assert name("") == "dora"
    assert name(f"Bearer {vera}") == "vera"
    assert name(f"bearer {vera}") == "vera"
    problem(client.get("/api/session", headers={"authorization": "Bearer"}), 401, "not_signed_in")
