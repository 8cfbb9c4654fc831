"""Server and clients tell each other their releases, and a mismatch is counted and logged."""

import logging
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import punto
from punto.web.messages.releases import CLIENT_HEADER, NEWER, OLDER, RELEASE_HEADER, UNREADABLE, compare_releases
from tests.web.serving import Server
from tests.web.wire import problem


@pytest.mark.parametrize(
    ("client", "difference"),
    [
        ("0.10.0", ""),
        ("0.10.99", ""),
        ("0.9.9", OLDER),
        ("0.2.11", OLDER),
        ("0.11.0", NEWER),
        ("1.0.0", NEWER),
        ("0.10", UNREADABLE),
        ("0.10.0\n", UNREADABLE),
        ("\u0660.\u0661\u0660.\u0660", UNREADABLE),
        ("99999.1.1", UNREADABLE),
        ("curl", UNREADABLE),
    ],
)
def test_minor_versions_are_compared_as_numbers(client: str, difference: str) -> None:
    assert compare_releases(client, "0.10.3") == difference


@given(st.text(max_size=30))
def test_any_text_can_be_compared(text: str) -> None:
    assert compare_releases(text, punto.__version__) in ("", OLDER, NEWER, UNREADABLE)


@pytest.mark.parametrize("path", ["/api/tables", "/", "/complaints", "/nowhere", "/api/nowhere", "/readyz"])
def test_every_answer_has_the_release_of_the_server(served: Server, path: str) -> None:
    assert served.client().get(path).headers[RELEASE_HEADER] == punto.__version__


def counted(served: Server, difference: str) -> float:
    samples = (sample for metric in served.service.metrics.clients.collect() for sample in metric.samples)
    return sum(
        float(each.value) for each in samples if each.name.endswith("_total") and each.labels["client"] == difference
    )


def test_clients_of_another_release_are_counted_and_logged_once(
    served: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "punto.web")
    before = [counted(served, each) for each in (OLDER, NEWER, UNREADABLE)]
    for release in ("0.1.0", "0.1.0", "0.1.1", "99.0.0", "<script>", "x" * 500, punto.__version__, ""):
        answer = served.client().get("/api/books", headers={CLIENT_HEADER: release})
        assert answer.status_code == 200
    after = [counted(served, each) for each in (OLDER, NEWER, UNREADABLE)]
    assert [late - early for late, early in zip(after, before, strict=True)] == [3, 1, 2]
    logged = [record.fields["client"] for record in caplog.records if "another release" in record.message]  # type: ignore[attr-defined]
    assert logged == ["0.1.0", "0.1.1", "99.0.0"]


def test_a_refused_request_has_it_too(served: Server) -> None:
    answer = served.client().post("/api/session", json={"name": "nobody"})
    problem(answer, 400, "bad_request")
    assert answer.headers[RELEASE_HEADER] == punto.__version__


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_say_their_release(served: Server, language: str) -> None:
    for path in ("/", "/complaints", "/enter"):
        page = served.client().get(path, params={"lang": language}).text
        assert f'data-release="{punto.__version__}"' in page
        assert re.search(rf"<footer.*Punto {re.escape(punto.__version__)}.*</footer>", page)
