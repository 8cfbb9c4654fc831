"""The configuration of a floor as one digest, and who started the process that uses it."""

import getpass
import platform
from collections.abc import Mapping

import msgspec

from punto.floor.database.base import Transaction
from punto.floor.house.projections.settings import ADOPTED_KEY, CHIP_SET_KEY, FLOOR_RULES_KEY, FLOOR_SETTINGS_KEY
from punto.floor.running.build import digest_of

MAX_SYSTEM_NAME = 80
_KEYS = (FLOOR_SETTINGS_KEY, FLOOR_RULES_KEY, CHIP_SET_KEY, ADOPTED_KEY)


def configuration_digest(transaction: Transaction, server_settings: Mapping[str, object]) -> str:
    """Over the floor's settings, its rules, chip set and adopted readings, all as stored, and the server's settings."""
    rows = transaction.rows("SELECT name, value FROM meta WHERE name IN (?, ?, ?, ?)", _KEYS)
    server = {f"server.{name}": msgspec.json.encode(value).decode() for name, value in server_settings.items()}
    return digest_of({**{str(name): str(value) for name, value in rows}, **server})


def os_user() -> str:
    """The user of the operating system; empty if it has no name."""
    try:
        return getpass.getuser()[:MAX_SYSTEM_NAME]
    except (OSError, KeyError):
        return ""


def host_name() -> str:
    return platform.node()[:MAX_SYSTEM_NAME]
