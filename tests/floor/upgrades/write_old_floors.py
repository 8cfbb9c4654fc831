"""Writes floors of earlier releases with their own code, for the upgrade tests.

    python -m tests.floor.upgrades.write_old_floors

For each release it takes the source from git, runs the release's writer with it for each book, kills that process while
rounds are open, and has the old ``punto backup`` make a backup. ``floors/`` gets one archive for each release and book.
It never replaces an archive. To add a release, add it to ``RELEASES`` before its code changes.
"""

import io
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.floor.upgrades.old_floors import FOLDER, RELEASES, archive_of
from tests.keys import name_key_file

ROOT = Path(__file__).parents[3]


def write(release: str, book: str, source: Path) -> None:
    """Write the archive of one floor: the database as the killed process left it, a backup, and the manifest."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(source / "src"), str(ROOT)))}
    with tempfile.TemporaryDirectory() as folder:
        floor, backup, manifest = (Path(folder) / name for name in ("floor.db", "backup.db", "manifest.json"))
        running = subprocess.Popen(
            [sys.executable, "-m", f"tests.floor.upgrades.{RELEASES[release].writer}", str(floor), book],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
        )
        assert running.stdout is not None
        manifest.write_bytes(running.stdout.readline())
        running.kill()
        running.wait()
        if not manifest.stat().st_size:
            raise SystemExit(f"{book}: the floor of release {release} could not be written")
        made = [sys.executable, "-m", "punto", "backup", "--db", str(floor), str(backup)]
        subprocess.run(made, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        log = sqlite3.connect(floor)
        log.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # as the next process to open it would; the archive is smaller
        log.close()
        with tarfile.open(archive_of(release, book), "x:xz", preset=9) as archive:
            for file in (floor, backup, manifest):
                archive.add(file, file.name)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    name_key_file()
    for name, release in RELEASES.items():
        missing = [book for book in release.books if not archive_of(name, book).exists()]
        if not missing:
            continue
        with tempfile.TemporaryDirectory() as source:
            packed = subprocess.run(
                ["git", "archive", release.commit, "src"],  # noqa: S607
                cwd=ROOT,
                check=True,
                stdout=subprocess.PIPE,
            )
            with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
                archive.extractall(source, filter="data")
            for book in missing:
                write(name, book, Path(source))


if __name__ == "__main__":
    main()
