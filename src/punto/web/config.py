"""A server's settings. Flags override the environment, which overrides ``punto.toml``, which overrides the defaults."""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, fields

from punto.floor.demo.betting_habits import MAX_HOUSE_PLAYERS
from punto.floor.errors import FloorCode, FloorRefused

FILE = "punto.toml"
PREFIX = "PUNTO_"
METRICS = ("off", "staff", "here", "all")
MIN_HEADS_S, MAX_HEADS_S = 1, 86_400
POSITIVE_COUNTS = (
    *("commands_per_s", "accepted_per_min", "accepted_per_min_from", "asks_per_s", "sign_ins_per_min"),
    *("sockets", "sockets_each", "lines", "lines_each", "replay_kb_per_s"),
)
"""Settings that must be positive."""
MAX_COUNT = 1_000_000
"""Highest value of a setting that counts something, by the second or in all."""


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a server. Each has the same name in the file, in the environment and as a flag."""

    db: str = "punto.db"
    """The floor's database: the path of an SQLite file, or postgresql://..."""
    key_file: str = ""
    """The file with the floor's secret key. Empty: `punto.key` beside an SQLite database; PostgreSQL needs a file, with
    the same key for every server."""
    host: str = "127.0.0.1"
    """The address to listen on. By default only this machine can connect."""
    port: int = 8000
    origins: tuple[str, ...] = ()
    """More origins to accept requests from, such as https://punto.example. Its own is always accepted."""
    hosts: tuple[str, ...] = ()
    """More host names to accept, such as punto.example. This machine's and those in ``origins`` are always accepted."""
    secure: bool = False
    """The server is only reached by https; browsers send its cookies over nothing else."""
    proxies: tuple[str, ...] = ()
    """Addresses of proxies whose ``X-Forwarded-For`` header is trusted."""
    log: str = "info"
    """debug, info, warning or error."""
    log_file: str = ""
    """The file to log to; empty: standard error."""
    commands_per_s: int = 50
    """Commands a second from one person, averaged over a few seconds."""
    accepted_per_min: int = 120
    """Accepted commands a minute from one player; ten times as many from an employee or a machine."""
    accepted_per_min_from: int = 1_200
    """Accepted commands a minute from all players at one address."""
    asks_per_s: int = 200
    """Requests a second from one address."""
    sign_ins_per_min: int = 30
    """Attempts a minute from one address to sign in or to enter as a visitor."""
    sockets: int = 2_000
    """Open WebSockets, in total."""
    sockets_each: int = 20
    """Open WebSockets of one person; those who have not signed in share this limit by address."""
    lines: int = 4_000
    """Open connections, in total. WebSockets are not among them."""
    lines_each: int = 200
    """Connections from one address, and separately WebSockets from one address (those of staff are not counted)."""
    heads_to: str = ""
    """A directory to copy the heads of all streams to, or an http:// or https:// address to post them to; best on
    another machine. Empty: no copies."""
    heads_every_s: int = 5
    """Seconds between two copies."""
    verify_daily: bool = True
    """Verify the whole journal once in each gaming day, in a process of its own."""
    replay_kb_per_s: int = 512
    """Kilobytes of history a second that WebSockets send to one address, or to one employee; the rest waits."""
    odds: bool = True
    """Pages show exact odds."""
    metrics: str = "staff"
    """Who may read /metrics. ``staff``: staff and machines, with their session; ``here``: also clients on this machine,
    unless the settings say that the server is behind a proxy; ``all``: anybody; ``off``: nobody."""
    empty: bool = False
    """A new floor starts without tables. Otherwise it gets one for each game."""
    training: bool = False
    """Tables may deal from seeded shoes, whose cards follow from a seed that staff know. For training and tests."""
    house_players: int = 3
    """House players at each automatic play-money table; 0: none."""


class Setting(Struct, frozen=True):
    """A setting in force, and where it comes from."""

    name: str
    value: Any
    source: str


def read_config(
    flags: Mapping[str, Any], environment: Mapping[str, str] | None = None, file: Path | None = None
) -> tuple[Config, list[Setting]]:
    """The settings in force, and where each comes from. A flag that was not given is None."""
    environment = os.environ if environment is None else environment
    named = file or (Path(environment[f"{PREFIX}CONFIG"]) if f"{PREFIX}CONFIG" in environment else None)
    path = named or Path(FILE)
    file_values = _read_file(path, required=named is not None)
    values: dict[str, Any] = {}
    settings: list[Setting] = []
    for field in fields(Config):
        name, variable = field.name, f"{PREFIX}{field.name.upper()}"
        if flags.get(name) not in (None, ()):
            value, source = flags[name], "flag"
        elif variable in environment:
            value, source = _from_text(field.type, environment[variable]), variable
        elif name in file_values:
            value, source = file_values[name], str(path)
        else:
            value, source = field.default, "default"
        values[name] = _convert(name, value, field.type, source)
        settings.append(Setting(name, values[name], source))
    config = Config(**values)
    _check(config)
    return config, settings


def printable_value(setting: Setting) -> Any:
    """The value without the password of a database."""
    return without_password(setting.value) if setting.name == "db" else setting.value


def without_password(db: str) -> str:
    if "://" not in db:
        return db
    return _IN_QUERY.sub(r"\1***", _PASSWORD.sub(r"\1***@", db))


def settings_without_secrets(config: Config) -> dict[str, object]:
    """All settings, by name. Of an address for heads only the host: its path may be a secret."""
    heads = urlsplit(config.heads_to).hostname if _is_address(config.heads_to) else config.heads_to
    return {**asdict(config), "db": without_password(config.db), "heads_to": heads}


_PASSWORD = re.compile("(://[^:/@]*:).*@")
"""Greedy: a password may itself contain an ``@``, and what follows that must not be printed."""
_IN_QUERY = re.compile("([?&][^=&]*password=)[^&]*", re.IGNORECASE)


def _read_file(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        if required:
            raise FloorRefused(FloorCode.BAD_CONFIG, variant="no_file", path=path) from error
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="toml", path=path, reason=str(error)) from error
    known = set(Config.__struct_fields__)
    if unknown := sorted(values.keys() - known):
        raise FloorRefused(
            FloorCode.BAD_CONFIG, variant="unknown", path=path, unknown=tuple(unknown), known=tuple(sorted(known))
        )
    return values


_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")


def _from_text(kind: Any, text: str) -> Any:
    """A value from the environment. Text that does not fit the type is returned as it is, and refused later."""
    if kind is bool:
        return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}.get(text.lower(), text)
    if kind == tuple[str, ...]:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if kind is int and _WHOLE_NUMBER.fullmatch(text.strip()):
        return int(text)
    return text


def _convert(name: str, value: Any, kind: Any, source: str) -> Any:
    try:
        return msgspec.convert(value, type=kind)
    except msgspec.ValidationError as error:
        raise FloorRefused(
            FloorCode.BAD_CONFIG, variant="setting", name=name, source=source, reason=str(error)
        ) from error


def _is_address(place: str) -> bool:
    address = urlsplit(place) if "://" in place else None
    return address is not None and address.scheme in ("http", "https") and bool(address.hostname)


def _check(config: Config) -> None:
    if not config.db:
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="db")
    if not 0 <= config.port < 65_536:
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="port", port=config.port)
    if config.log not in ("debug", "info", "warning", "error"):
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="log", log=config.log)
    if config.metrics not in METRICS:
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="metrics", text=config.metrics[:40], choices=METRICS)
    _check_numbers(config)
    if config.heads_to and not (_is_address(config.heads_to) or Path(config.heads_to).is_dir()):
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="heads_to", place=config.heads_to)
    for origin in config.origins:
        scheme, _, host = origin.partition("://")
        if scheme not in ("http", "https") or not host or "/" in host:
            raise FloorRefused(FloorCode.BAD_CONFIG, variant="origin", origin=origin)
        if config.secure and scheme != "https":
            raise FloorRefused(FloorCode.BAD_CONFIG, variant="origin_not_secure", origin=origin)
    for name in config.hosts:
        if not name or not name.isprintable() or set(name) & set("/:[] *@"):
            raise FloorRefused(FloorCode.BAD_CONFIG, variant="host", name=name)


def _check_numbers(config: Config) -> None:
    for name in POSITIVE_COUNTS:
        if not 1 <= getattr(config, name) <= MAX_COUNT:
            raise FloorRefused(
                FloorCode.BAD_CONFIG, variant="count", name=name, value=str(getattr(config, name))[:40], most=MAX_COUNT
            )
    if not MIN_HEADS_S <= config.heads_every_s <= MAX_HEADS_S:
        raise FloorRefused(
            FloorCode.BAD_CONFIG,
            variant="heads_every_s",
            value=str(config.heads_every_s)[:40],
            least=MIN_HEADS_S,
            most=MAX_HEADS_S,
        )
    if not 0 <= config.house_players <= MAX_HOUSE_PLAYERS:
        raise FloorRefused(
            FloorCode.BAD_CONFIG, variant="house_players", count=config.house_players, most=MAX_HOUSE_PLAYERS
        )
