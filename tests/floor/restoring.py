"""Restores a backup where it does not matter who does."""

from pathlib import Path

from punto.floor.upkeep.backup import restore
from punto.floor.upkeep.restorers import Restorers

ALONE = Restorers(alone="the disk failed")


def restored(backup: Path, url: str) -> None:
    restore(backup, url, ALONE)
