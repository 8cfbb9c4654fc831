"""The ``punto`` command itself: version, help, errors, and how little it imports."""

import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import entry_points, version

import click
import pytest
from click.testing import CliRunner

import punto.cli
from punto.floor.house.positions import ASSIGNABLE, OFF
from tests.cli.running import ENVIRONMENT, punto_here
from tests.cli.running import punto as run
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.slow

COMMANDS = sorted(
    module.name
    for module in pkgutil.iter_modules(punto.cli.__path__)
    if hasattr(import_module(f"punto.cli.{module.name}"), "command")
)
"""One file per command; these are all of them."""


def test_the_version_is_semantic_and_the_packages_own() -> None:
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().split() == ["punto,", "version", punto.__version__]
    assert re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?", punto.__version__)
    assert version("punto") == punto.__version__


def test_the_package_installs_the_command() -> None:
    (script,) = entry_points(group="console_scripts", name="punto")
    assert script.load() is punto.cli.main


def test_there_are_the_commands_we_think() -> None:
    assert {"coup", "rules", "settle"} <= set(COMMANDS)


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_lists_every_command_with_what_it_does(option: str) -> None:
    done = run(option)
    assert (done.returncode, done.stderr) == (0, b"")
    listed = done.stdout.decode().partition("Rules and settling:\n")[2].splitlines()
    names = {line.split()[0]: line.split()[1:] for line in listed if line.startswith("  ")}
    assert sorted(names) == COMMANDS
    assert all(names.values())


def test_the_help_of_staff_assign_lists_every_position() -> None:
    page = punto_here("staff", "assign", "--help").stdout.decode()
    assert "punto staff assign [OPTIONS] NAME POSITION\n" in page
    listed = page.partition("Positions:\n")[2].partition("Options:")[0]
    assert re.findall(r"\w+", listed) == [*(position.value for position in ASSIGNABLE), OFF]


def test_without_a_command_the_help_is_shown() -> None:
    done = run()
    assert done.returncode == 2
    assert b"Running a floor:" in done.stdout + done.stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_every_command_helps(command: str, option: str) -> None:
    done = CliRunner().invoke(punto.cli.main, [command, option], prog_name="punto")
    assert (done.exit_code, done.stderr) == (0, "")
    page = done.stdout
    assert f"punto {command} [OPTIONS]" in page
    parameters = import_module(f"punto.cli.{command}").command.params
    for parameter in parameters:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert all(name in page for name in parameter.opts)
        else:
            assert parameter.human_readable_name.strip("[]") in page


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("deal",), "No such command 'deal'"),
        (("Settle",), "No such command 'Settle'"),
        (("--verison",), "No such option"),
        (("settle", "--jsom"), "No such option"),
        (("settle", "-", "more"), "unexpected extra argument"),
        (("coup",), "Missing argument 'GAME'"),
        (("coup", "commission", "--decks", "eight"), "'eight' is not a valid integer"),
        (("coup", "commission", "--decks"), "requires an argument"),
        (("rules", "commission", "3.6", "3.7"), "unexpected extra argument"),
    ],
)
def test_what_is_not_understood_is_said_on_standard_error(arguments: tuple[str, ...], says: str) -> None:
    done = punto_here(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    message = done.stderr.decode()
    assert says in message
    assert "Error: " in message
    assert "Traceback" not in message


_IMPORTS = """
import atexit, sys
from punto.cli import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
main(sys.argv[1:])
"""


def _imported(*arguments: str) -> set[str]:
    """The modules that a run of ``punto`` imports."""
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTS, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=ENVIRONMENT,
        timeout=DEADLINE_S,
        check=True,
    )
    return set(done.stderr.decode().split())


def test_the_version_loads_no_command() -> None:
    imported = _imported("--version")
    assert "punto.cli.main" in imported
    assert not imported & {f"punto.cli.{command}" for command in COMMANDS}
    assert not imported & {"rich", "numpy", "numba", "starlette", "asyncio"}


@pytest.mark.parametrize(("arguments", "loaded"), [(("settle",), "settle"), (("coup", "commission"), "coup")])
def test_a_command_loads_no_other(arguments: tuple[str, ...], loaded: str) -> None:
    imported = _imported(*arguments)
    assert imported & {f"punto.cli.{command}" for command in COMMANDS} == {f"punto.cli.{loaded}"}
