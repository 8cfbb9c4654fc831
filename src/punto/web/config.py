"""What a server is run with: flags over the environment over ``punto.toml`` over what is built in."""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from punto.floor.demo.betting_habits import MAX_HOUSE_PLAYERS
from punto.floor.errors import FloorCode, FloorRefused

FILE = "punto.toml"
PREFIX = "PUNTO_"
METRICS = ("off", "here", "all")


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a server. Each has the same name in the file, in the environment and as a flag."""

    db: str = "punto.db"
    """The floor's database: the path of an SQLite file, or postgresql://..."""
    host: str = "127.0.0.1"
    """Where to listen: on this machine alone unless told."""
    port: int = 8000
    origins: tuple[str, ...] = ()
    """Further origins that pages may come from, as https://punto.example; its own is always one."""
    hosts: tuple[str, ...] = ()
    """Further names that the server goes by, as punto.example; those of this machine and of origins are known."""
    secure: bool = False
    """The server is reached by https alone: cookies are sent over nothing else."""
    proxies: tuple[str, ...] = ()
    """Addresses of proxies that are believed when they say who asks."""
    log: str = "info"
    """debug, info, warning or error."""
    log_file: str = ""
    """Where the log goes; empty: to standard error."""
    commands_per_s: int = 50
    """So many commands a second from one person, on the average of a few seconds."""
    asks_per_s: int = 200
    """So many requests a second from one address."""
    sign_ins_per_min: int = 30
    """So many attempts to sign in or to enter a minute from one address."""
    sockets: int = 2_000
    """So many sockets at once."""
    sockets_each: int = 20
    """So many of them of one person, and of one address for all there who are nobody in particular."""
    lines_each: int = 200
    """So many connections from one address, and so many sockets; the staff's sockets are not counted."""
    odds: bool = True
    """Pages show exact odds."""
    metrics: str = "here"
    """Who is told the figures of /metrics: here, who asks from this machine; all, anybody; off, nobody."""
    empty: bool = False
    """A floor that this start makes has no tables; else it has one of each game."""
    house_players: int = 3
    """So many house players at each table that runs by itself and is played for play money; 0: none."""


class Setting(Struct, frozen=True):
    """A setting in force, and where it comes from."""

    name: str
    value: Any
    source: str


def read_config(
    flags: Mapping[str, Any], environment: Mapping[str, str] | None = None, file: Path | None = None
) -> tuple[Config, list[Setting]]:
    """The settings in force; a flag that was not given is None."""
    environment = os.environ if environment is None else environment
    named = file or (Path(environment[f"{PREFIX}CONFIG"]) if f"{PREFIX}CONFIG" in environment else None)
    path = named or Path(FILE)
    written = _read_file(path, must=named is not None)
    values: dict[str, Any] = {}
    settings: list[Setting] = []
    for field in fields(Config):
        name, variable = field.name, f"{PREFIX}{field.name.upper()}"
        if flags.get(name) not in (None, ()):
            value, source = flags[name], "flag"
        elif variable in environment:
            value, source = _from_text(field.type, environment[variable]), variable
        elif name in written:
            value, source = written[name], str(path)
        else:
            value, source = field.default, "built in"
        values[name] = _convert(name, value, field.type, source)
        settings.append(Setting(name, values[name], source))
    config = Config(**values)
    _check(config)
    return config, settings


def shown(setting: Setting) -> Any:
    """A value as it may be printed: without the password of a database."""
    return without_password(setting.value) if setting.name == "db" else setting.value


def without_password(db: str) -> str:
    """The address of a database as it may be printed."""
    if "://" not in db:
        return db
    return _IN_QUERY.sub(r"\1***", _PASSWORD.sub(r"\1***@", db))


_PASSWORD = re.compile("(://[^:/@]*:).*@")
"""Up to the last sign that can end it: one that stands in the password itself must not show what follows."""
_IN_QUERY = re.compile("([?&][^=&]*password=)[^&]*", re.IGNORECASE)


def _read_file(path: Path, *, must: bool) -> dict[str, Any]:
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        if must:
            raise FloorRefused(FloorCode.BAD_CONFIG, variant="no_file", path=path) from error
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="toml", path=path, reason=str(error)) from error
    known = set(Config.__struct_fields__)
    if unknown := sorted(written.keys() - known):
        raise FloorRefused(
            FloorCode.BAD_CONFIG, variant="unknown", path=path, unknown=tuple(unknown), known=tuple(sorted(known))
        )
    return written


_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")


def _from_text(kind: Any, text: str) -> Any:
    """A value from the environment, where everything is text."""
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


def _check(config: Config) -> None:
    if not config.db:
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="db")
    if not 0 <= config.port < 65_536:
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="port", port=config.port)
    if config.log not in ("debug", "info", "warning", "error"):
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="log", log=config.log)
    if config.metrics not in METRICS:
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="metrics", text=config.metrics[:40], choices=METRICS)
    for name in ("commands_per_s", "asks_per_s", "sign_ins_per_min", "sockets", "sockets_each", "lines_each"):
        if getattr(config, name) < 1:
            raise FloorRefused(FloorCode.BAD_CONFIG, variant="not_positive", name=name, value=getattr(config, name))
    if not 0 <= config.house_players <= MAX_HOUSE_PLAYERS:
        raise FloorRefused(
            FloorCode.BAD_CONFIG, variant="house_players", count=config.house_players, most=MAX_HOUSE_PLAYERS
        )
    for origin in config.origins:
        scheme, _, host = origin.partition("://")
        if scheme not in ("http", "https") or not host or "/" in host:
            raise FloorRefused(FloorCode.BAD_CONFIG, variant="origin", origin=origin)
        if config.secure and scheme != "https":
            raise FloorRefused(FloorCode.BAD_CONFIG, variant="origin_not_secure", origin=origin)
    for name in config.hosts:
        if not name or not name.isprintable() or set(name) & set("/:[] *@"):
            raise FloorRefused(FloorCode.BAD_CONFIG, variant="host", name=name)
