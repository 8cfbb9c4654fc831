"""The digest of the program: at the start, on demand and every day; and what is found if a file has changed."""

import asyncio
import hashlib
from importlib import metadata
from pathlib import Path

import pytest

import punto
from punto.floor.house.alarm import AlarmKind
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.audit_events import ProgramChecked
from punto.floor.journal.house_events import FloorStarted
from punto.floor.running import build, program
from punto.floor.running.build import build_hash, files_at_start, law_hashes, packages, packages_hash
from punto.floor.running.configuration import configuration_digest
from punto.floor.running.program import CHECK_EVERY_S, MAX_CHANGED, Program, ProgramCheck
from punto.floor.settings.floor_settings import FloorSettings, change_settings
from punto.table.records.positions import Position
from tests.floor.alarms.watched import Watched
from tests.floor.clocks import ManualClock
from tests.floor.playing import running
from tests.floor.staff_floor import SetClock, Staffed, run
from tests.waiting import run as run_until
from tests.waiting import until

AUDE = Actor("aude", Position.AUDITOR)
SID = Actor("sid", Position.SHIFT_MANAGER)


def test_the_digest_is_over_the_path_and_the_content_of_every_file() -> None:
    root = Path(punto.__file__).parent
    paths = [path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    lines = sorted(f"{path.relative_to(root)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in paths)
    assert build_hash() == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert "floor/running/build.py" in files_at_start()
    assert "rules/books/commission.toml" in files_at_start()


def test_packages_are_those_that_punto_needs() -> None:
    assert {"python", "msgspec", "click", "starlette", "apsw"} <= packages().keys()
    assert not {"punto", "pytest", "mypy", "playwright"} & packages().keys()
    version, content = packages()["msgspec"].split(" ")
    assert version[0].isdigit()
    assert len(content) == 64


def test_a_start_says_what_starts(tmp_path: Path) -> None:
    async def test(house: Staffed) -> None:
        started = house.floor.started
        assert await house.told(FloorStarted) == [(THE_HOUSE.name, THE_HOUSE.position, started)]
        assert (started.release, started.build, started.laws) == (punto.__version__, build_hash(), law_hashes())
        assert (started.packages, started.process) == (packages_hash(), house.floor.process)
        assert started.settings == await house.floor.configuration()

    run(str(tmp_path / "floor.db"), test)


def test_a_check_is_on_record_and_finds_nothing(database_url: str) -> None:
    async def test(house: Staffed) -> None:
        checks = Program(house.floor)
        assert _last(checks) is None
        checked = await checks.check(AUDE)
        assert (checked.same, checked.build, checked.changed) == (True, build_hash(), ())
        assert checks.last == checked
        event = ProgramChecked(house.floor.process, build_hash(), checked.settings, same=True)
        assert await house.told(ProgramChecked) == [("aude", "auditor", event)]

    run(database_url, test)


def test_the_configuration_has_another_digest_once_a_setting_is_changed(tmp_path: Path) -> None:
    async def test(house: Staffed) -> None:
        before = await house.floor.configuration()
        await change_settings(house.floor.house_log, SID, lambda _: FloorSettings(tray_chips=500))
        after = await house.floor.configuration()
        assert before == house.floor.started.settings != after
        with_port = await house.floor.database.read(lambda tx: configuration_digest(tx, {"port": 8000}))
        assert with_port not in (before, after)

    run(str(tmp_path / "floor.db"), test)


def _last(checks: Program) -> ProgramCheck | None:
    """A function, so that no type checker thinks it stays the same."""
    return checks.last


@pytest.fixture
def changed_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """One file is changed, one is new and many are gone, as this process started from others."""
    now = files_at_start()
    start = {path: content for path, content in now.items() if path != "cli/serve.py"}
    start |= {"library.py": "0" * 64, **{f"gone/{number:03}.py": "1" * 64 for number in range(30)}}
    monkeypatch.setattr(build, "files_at_start", lambda: start)


def test_a_file_that_cannot_be_read_is_a_changed_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that raised would end the server."""
    assert build.changed_files(build.program_files()) == []
    read = Path.read_bytes

    def removed(path: Path) -> bytes:
        if path.name == "house_rules.py":
            raise FileNotFoundError
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", removed)
    assert build.changed_files(build.program_files()) == ["floor/alarms/house_rules.py"]


@pytest.mark.usefixtures("changed_program")
def test_changed_files_are_found_and_ring_once(tmp_path: Path) -> None:
    async def whole() -> None:
        clock = SetClock()
        async with running(str(tmp_path / "floor.db"), clock) as floor:
            watched, checks = Watched(floor, clock), Program(floor)
            checked = await checks.check(AUDE)
            assert not checked.same
            assert checked.changed[:2] == ("cli/serve.py", "gone/000.py")
            assert len(checked.changed) == MAX_CHANGED
            await checks.check(THE_HOUSE)
            (alarm,) = await watched.tick()
            assert (alarm.kind, alarm.severity, alarm.table) == (AlarmKind.PROGRAM_CHANGED, 3, "")
            assert alarm.values["files"] == ("cli/serve.py", "gone/000.py", "gone/001.py")

    run_until(whole())


def test_a_file_of_a_package_that_is_not_as_installed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    read = build._content

    def content(path: Path) -> str:
        return "" if path.match("click/core.py") else read(path)

    monkeypatch.setattr(build, "_content", content)
    monkeypatch.setattr(build, "_needed_packages", lambda: {"click": metadata.distribution("click")})
    assert build.changed_package_files() == ["click: click/core.py"]


def test_other_files_of_packages_ring_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def whole() -> None:
        clock = SetClock()
        async with running(str(tmp_path / "floor.db"), clock) as floor:
            watched, checks = Watched(floor, clock), Program(floor)
            for number, file in (
                (1, "click: click/core.py"),
                (1, "click: click/core.py"),
                (2, "msgspec: msgspec/json.py"),
            ):
                monkeypatch.setattr(program, "changed_package_files", lambda file=file: [file])
                assert (await checks.check(THE_HOUSE)).changed == (file,)
                assert [alarm.kind for alarm in await watched.tick()] == [AlarmKind.PROGRAM_CHANGED] * number

    run_until(whole())


def test_the_house_checks_every_day_and_soon_again_if_the_database_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_compare", lambda: ("build", []))

    async def whole() -> None:
        clock = ManualClock()
        async with running(str(tmp_path / "floor.db"), clock) as floor:
            checks = Program(floor)
            working = asyncio.create_task(checks.run())
            await until(lambda: clock.asleep() == 1)
            clock.passes(CHECK_EVERY_S - 1)
            await asyncio.sleep(0)
            assert _last(checks) is None
            clock.passes(1)
            await until(lambda: _last(checks) is not None and clock.asleep() == 1)
            first = _last(checks)
            assert first is not None
            assert first.by == THE_HOUSE.name
            floor.database.close()
            clock.passes(CHECK_EVERY_S)
            await until(lambda: clock.asleep() == 1)
            assert _last(checks) is first
            working.cancel()

    run_until(whole())
