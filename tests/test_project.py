"""The project itself: what is installed, what is locked, what the docs say."""

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import click
import msgspec
import pytest

import punto
from punto.cli._shared.games_page import games_page
from punto.cli._shared.readings_page import readings_page
from punto.cli.serve import command as serve
from punto.library import readings
from tests.marks import BOOKS
from tests.showing import COLLECTED, shown_by

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


def _run(*command: str | Path, cwd: Path = ROOT, stdin: str | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` folder of an empty environment with the built wheel installed."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    _run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    (wheel,) = folder.glob("punto-*.whl")
    venv.create(folder / "empty", with_pip=False)
    programs = folder / "empty" / ("Scripts" if sys.platform == "win32" else "bin")
    _run(*pip, "--python", programs / "python", "install", wheel)
    return programs


def test_the_wheel_settles_a_round_from_an_empty_environment(installed: Path, tmp_path: Path) -> None:
    bets = [{"who": "ann", "bet": "wu_dalang", "stake": "2"}]
    line = {"game": "tiger-buffalo", "layout": "C", "cards": ["Ks", "2d", "Ah", "Qc", "Tc", "8s"], "bets": bets}
    stdin = msgspec.json.encode(line).decode()
    out = msgspec.json.decode(_run(installed / "punto", "settle", cwd=tmp_path, stdin=stdin))
    assert out["results"][0]["returned"] == "302.00"
    assert out["results"][0]["clauses"] == ["4.1.7"]


def test_the_wheel_brings_all_books_readings_and_the_register(installed: Path, tmp_path: Path) -> None:
    rows = msgspec.json.decode(_run(installed / "punto", "rules", "--json", cwd=tmp_path))
    assert len(rows) == sum(len(rules.clauses) for rules in BOOKS)
    assert any(row["tests"] for row in rows)
    assert _run(installed / "punto", "--version", cwd=tmp_path) == f"punto, version {punto.__version__}\n"


def test_the_core_needs_msgspec_and_click_alone() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert sorted(re.split(r"[<>=]", need)[0] for need in project["dependencies"]) == ["click", "msgspec"]
    assert set(project["optional-dependencies"]) == {"odds", "serve", "client", "postgres", "cluster", "parquet"}


def _locked(name: str) -> dict[str, str]:
    """Each package of a lock with its version; every one must have hashes and none an address."""
    lock = (ROOT / name).read_text()
    assert "://" not in lock
    entries = re.findall(r"^([a-z0-9][a-z0-9._-]*)(.*?)(?=^[a-z0-9]|\Z)", lock, re.MULTILINE | re.DOTALL)
    for package, rest in entries:
        assert rest.startswith("=="), package
        assert "--hash=sha256:" in rest, package
    return {package: rest.split()[0] for package, rest in entries}


def test_the_locks_pin_everything_with_hashes_and_name_no_address() -> None:
    everything, serving = _locked("requirements.lock"), _locked("requirements-serve.lock")
    assert {"msgspec", "click", "hatchling", "pytest", "mypy", "ruff"} <= set(everything)
    assert serving.items() <= everything.items(), "run `make lock`"
    assert "pytest" not in serving


def test_make_run_installs_what_serving_needs_and_nothing_else() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needs = [*project["dependencies"], *project["optional-dependencies"]["serve"]]
    wanted = {re.split(r"[<>=;]", need)[0] for need in needs}
    blocks = re.split(r"^(?=[a-z0-9])", (ROOT / "requirements-serve.lock").read_text(), flags=re.MULTILINE)[1:]
    direct = {block.partition("==")[0] for block in blocks if "punto (pyproject.toml)" in block}
    assert direct == wanted, "run `make lock`"
    assert all("    # via" in block for block in blocks)  # every other package is needed by one of these


def test_the_version_is_semantic_and_heads_the_changelog() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", punto.__version__)
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == punto.__version__


def test_what_is_made_from_books_and_tests_is_up_to_date(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    made = _shown_by(request.config.stash[COLLECTED], tmp_path / "shown_by.jsonl")
    assert made == (ROOT / "src/punto/rules/shown_by.jsonl").read_bytes(), "run `make register`"
    assert games_page(BOOKS) == (ROOT / "docs/games.md").read_text(), "run `make register`"
    assert readings_page(readings(), BOOKS) == (ROOT / "docs/readings.md").read_text(), "run `make register`"


def _shown_by(items: list[pytest.Item], path: Path) -> bytes:
    """Collects the whole suite if this run does not."""
    if {item.path for item in items} >= {*(ROOT / "tests").rglob("test_*.py")}:
        return shown_by(items)
    _run(sys.executable, "-m", "pytest", "--collect-only", "--quiet", f"--shown-by={path}")
    return path.read_bytes()


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ('clause("commission", "9.9")', "no such clause"),
        ('clause("comission", "3.5")', "no such clause"),
        ('clause("commission")', "no such clause"),
        ('reading("nonesuch")', "no such reading"),
    ],
)
def test_a_marker_that_names_nothing_stops_the_run(marker: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    (tmp_path / "test_it.py").write_text(f"import pytest\n\n@pytest.mark.{marker}\ndef test_it(): pass\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", "/dev/null", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert said in done.stdout + done.stderr


def test_a_flag_of_the_server_is_explained_in_the_words_of_its_page() -> None:
    page = (ROOT / "docs/floor.md").read_text()
    rows = dict(re.findall(r"^\| `[a-z_]+` \| [^|]+ \| (`--[^|]+`) \| ([^|]+) \|$", page, re.MULTILINE))
    options = {
        ", ".join(f"`{flag}`" for flag in (*option.opts, *option.secondary_opts)): option.help or ""
        for option in serve.params
        if isinstance(option, click.Option)
    }
    assert set(options) - set(rows) == {"`--config`"}
    for flags, words in rows.items():
        said = words.replace("`", "")
        assert options[flags].casefold().removesuffix(".") == said.casefold().removesuffix("."), flags


def test_the_order_of_rooms_in_the_docs_is_the_one_that_is_checked() -> None:
    page = (ROOT / "docs/architecture.md").read_text().replace("\\|", "|")
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    orders = [" > ".join(contract["layers"]) for contract in contracts if contract["type"] == "layers"]
    assert len(orders) > 5
    assert [order for order in orders if order not in page] == []


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
OF_THE_READER = {"punto.toml", "first.toml"}
"""Files that the docs tell the reader to write, beside those that a block with a title shows."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_the_docs_name_is_there(page: Path) -> None:
    """From the root, the package or the page itself; a name without a folder may be anywhere in the package."""
    files = {path.name for path in (ROOT / "src/punto").rglob("*")}
    text = page.read_text()
    named = set(re.findall(r"(?<![\w./-])[\w./-]+\.(?:py|toml)\b", text))
    for name in named - OF_THE_READER - set(re.findall(r'^```\w+ title="(.+)"$', text, re.MULTILINE)):
        somewhere = "/" not in name and name in files
        assert somewhere or any((folder / name).is_file() for folder in (ROOT, ROOT / "src/punto", page.parent)), name
