"""Static files: as strict as every other answer, and cached for good."""

from pathlib import Path

import httpx2
import pytest

from punto.table.records.positions import Position
from punto.web.pages import registry
from punto.web.pages.base.static_files import static
from tests.web.serving import Server
from tests.web.wire import problem

FILES = ("punto.css", "punto.js", "favicon.svg")


@pytest.fixture(scope="module")
def client(standing: Server) -> httpx2.Client:
    """A browser with a session."""
    return standing.client(cookies={"punto": standing.token(Position.DEALER)})


@pytest.mark.parametrize("name", FILES)
def test_a_file_comes_under_a_policy_and_is_kept(client: httpx2.Client, name: str) -> None:
    answer = client.get(static(name))
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"].partition(";")[0] in ("text/css", "text/javascript", "image/svg+xml")
    head = client.head(static(name))
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == answer.headers["content-length"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_a_file_is_only_read(client: httpx2.Client, method: str) -> None:
    answer = client.request(method, "/static/punto.css")
    problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD"


def test_the_file_asked_for_below_is_beside_the_folder() -> None:
    assert (Path(registry.__file__).parent / "static" / "../registry.py").is_file()


@pytest.mark.parametrize("name", ["none.css", "", "../registry.py", "..%2fregistry.py", "cards", "cards/"])
def test_there_is_nothing_else_there(client: httpx2.Client, name: str) -> None:
    answer = client.get(f"/static/{name}")
    problem(answer, 404, "not_found")
    assert answer.headers["cache-control"] == "no-store"
