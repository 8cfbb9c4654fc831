"""The list of parts names everything that is installed or comes with us, and the look-up says what it knows."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zipfile import ZipFile

import msgspec
import pytest

import punto
from tests.release.__main__ import build
from tests.release.parts import ROOT, SOURCES, Vendored, packages, sbom, sha256_of, vendored
from tests.release.vulnerabilities import VARIABLE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    wheel, parts, sums = build(tmp_path_factory.mktemp("release"))
    return wheel, parts, sums


@pytest.mark.parametrize("file", vendored(), ids=lambda file: file.name)
def test_what_is_vendored_is_as_released_with_its_licence_beside_it(
    file: Vendored, release: tuple[Path, Path, Path]
) -> None:
    assert sha256_of(file.path) == file.sha256
    assert len(file.licence_text) > 400
    with ZipFile(release[0]) as wheel:
        names = wheel.namelist()
    inside = file.path.relative_to(SOURCES.parent)
    assert inside.as_posix() in names
    assert any(each.startswith(inside.parent.as_posix()) and each.endswith("vendored.toml") for each in names) or any(
        (parent / "vendored.toml").as_posix() in names for parent in inside.parents
    )


def test_the_list_of_parts_has_every_locked_package_and_every_file_of_others(
    release: tuple[Path, Path, Path],
) -> None:
    wheel, parts, sums = release
    listed = msgspec.json.decode(parts.read_bytes())
    assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.6")
    own = listed["metadata"]["component"]
    assert (own["name"], own["version"]) == ("punto", punto.__version__)
    assert own["hashes"] == [{"alg": "SHA-256", "content": sha256_of(wheel)}]
    assert len(packages()) > 50
    urls = {each.get("purl") for each in listed["components"]}
    assert urls >= {package.url for package in packages()}
    assert all(package.hashes for package in packages())
    references = [each["bom-ref"] for each in listed["components"]]
    assert len(references) == len(set(references))
    serving = {each["name"] for each in listed["components"] if each["scope"] == "required" and "purl" in each}
    assert {"msgspec", "starlette", "cryptography"} <= serving
    assert "pytest" not in serving
    files = {each["name"]: each for each in listed["components"] if each["type"] == "file"}
    assert len(files) == len(vendored()) >= 3
    assert all(each["licenses"][0]["license"]["text"]["content"] for each in files.values())
    assert "://" not in msgspec.json.encode({**listed, "components": [*_without_texts(listed)]}).decode()
    assert sums.read_text() == "".join(f"{sha256_of(path)}  {path.name}\n" for path in (wheel, parts))
    assert sbom(wheel) == listed


def _without_texts(listed: dict[str, list[dict[str, object]]]) -> Iterator[dict[str, object]]:
    """Licences may name the address of their author."""
    return ({name: value for name, value in each.items() if name != "licenses"} for each in listed["components"])


def test_a_wheel_built_again_is_the_same(release: tuple[Path, Path, Path], tmp_path: Path) -> None:
    assert sha256_of(build(tmp_path)[0]) == sha256_of(release[0])


# ---- known vulnerabilities


@contextmanager
def database(answer: Callable[[int], bytes]) -> Iterator[str]:
    """A database; ``answer`` is told how many packages it is asked about."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = msgspec.json.decode(self.rfile.read(int(self.headers["content-length"])))
            body = answer(len(asked["queries"]))
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the name of http.server
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running = threading.Thread(target=server.serve_forever)
    running.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/querybatch"
    finally:
        server.shutdown()
        running.join()
        server.server_close()


def look(address: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.release.vulnerabilities"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / "src"), VARIABLE: address, "no_proxy": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_known_vulnerability_fails_the_check() -> None:
    def answer(count: int) -> bytes:
        return msgspec.json.encode({"results": [{"vulns": [{"id": "X-2026-1"}]}, *[{} for _ in range(count - 1)]]})

    with database(answer) as address:
        status, told = look(address)
    assert status == 1
    assert f"{packages()[0].url}: X-2026-1" in told


def test_none_known_and_no_database_pass_and_say_so() -> None:
    with database(lambda count: msgspec.json.encode({"results": [{} for _ in range(count)]})) as address:
        assert look(address) == (0, f"{len(packages())} packages looked up, 0 with known vulnerabilities.\n")
    for away in (address, "", "nonsense"):
        status, told = look(away)
        assert status == 0
        assert told.startswith("Known vulnerabilities were not looked up: ")
    with database(lambda _: b"<html>sign in to this network</html>") as portal:
        assert look(portal)[1].startswith("Known vulnerabilities were not looked up: ")
