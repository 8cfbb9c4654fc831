"""Writes floors of earlier releases with their own code, for the upgrade tests.

    python -m tests.floor.upgrades.write_old_floors

For each release it takes the source from git, runs :mod:`tests.floor.upgrades.old_release` with it for each book, kills
that process while rounds are open, and has the old ``punto backup`` make a backup. ``floors/`` gets one archive for
each schema and book. It never replaces an archive. Schema 2 was never released alone: the tests derive it from
schema 3.
"""

import io
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.floor.upgrades.old_floors import BOOKS, FOLDER, archive_of

ROOT = Path(__file__).parents[3]
RELEASES = {1: "013fc13", 3: "db5e4d1"}
"""A commit for each schema. That of schema 3 is release 0.3.0."""


def write(schema: int, book: str, source: Path) -> None:
    """Write the archive of one floor: the database as the killed process left it, a backup, and the manifest."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(source / "src"), str(ROOT)))}
    with tempfile.TemporaryDirectory() as folder:
        floor, backup, manifest = (Path(folder) / name for name in ("floor.db", "backup.db", "manifest.json"))
        running = subprocess.Popen(
            [sys.executable, "-m", "tests.floor.upgrades.old_release", str(floor), book],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
        )
        assert running.stdout is not None
        manifest.write_bytes(running.stdout.readline())
        running.kill()
        running.wait()
        if not manifest.stat().st_size:
            raise SystemExit(f"{book}: the floor of schema {schema} could not be written")
        made = [sys.executable, "-m", "punto", "backup", "--db", str(floor), str(backup)]
        subprocess.run(made, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        log = sqlite3.connect(floor)
        log.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # as the next process to open it would; the archive is smaller
        log.close()
        with tarfile.open(archive_of(schema, book), "x:xz", preset=9) as archive:
            for file in (floor, backup, manifest):
                archive.add(file, file.name)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for schema, commit in RELEASES.items():
        with tempfile.TemporaryDirectory() as source:
            packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, check=True, stdout=subprocess.PIPE)  # noqa: S607
            with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
                archive.extractall(source, filter="data")
            for book in BOOKS[schema]:
                if not archive_of(schema, book).exists():
                    write(schema, book, Path(source))


if __name__ == "__main__":
    main()
