"""Style sheets, scripts and pictures. They are read before the server listens; browsers cache them for good."""

import hashlib
import mimetypes
import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath

from markupsafe import Markup
from msgspec import Struct

from punto.rules.coup.cards import RANKS, SUITS
from punto.rules.refusals import Refused
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.http.errors import WebCode
from punto.web.http.handler import Handler

CACHE_CONTROL = "public, max-age=31536000, immutable"
_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


class StaticFile(Struct, frozen=True):
    """The address contains a hash of the content, so browsers can cache it for good."""

    address: str
    answer: Raw
    imports: tuple[str, ...] = ()
    """The addresses of all scripts that this one imports, by way of others too."""


@cache
def static_files() -> dict[str, StaticFile]:
    """All files in ``static``, by name."""
    bodies = dict(_all(files("punto.web.pages").joinpath("static"), ""))
    made: dict[str, StaticFile] = {}

    def make(name: str) -> StaticFile:
        """A script names the scripts it imports by their addresses with hashes. Imports form no circle."""
        if name not in made:
            body, imports = bodies[name], dict[str, None]()
            if name.endswith(".js"):

                def address(found: re.Match[bytes]) -> bytes:
                    imported = make(normpath(join(dirname(name), found[2].decode())))
                    imports.update(dict.fromkeys((*imported.imports, imported.address)))
                    return found[1] + imported.address.encode()

                body = _IMPORT.sub(address, body)
            made[name] = _file(name, body, tuple(imports))
        return made[name]

    return {name: make(name) for name in bodies}


_IMPORT = re.compile(rb'^(import (?:[^"]+ from )?")(\.{1,2}/[^"]+)', re.MULTILINE)


def static(name: str) -> str:
    return static_files()[name].address


def module(name: str) -> Markup:
    """A script of a page. What it imports is fetched at once, and not when the browser has read so far."""
    script = static_files()[name]
    preloads = [Markup('<link rel="modulepreload" href="{}">').format(each) for each in script.imports]
    return Markup("").join([*preloads, Markup('<script src="{}" type="module"></script>').format(script.address)])


def card_faces() -> str:
    """The addresses of all card faces, for scripts that fetch them beforehand."""
    return " ".join(file.address for name, file in sorted(static_files().items()) if name in _FACES)


_FACES = frozenset(f"cards/{rank}{suit}.svg" for rank in RANKS for suit in SUITS)


async def one(call: HttpRequest) -> Raw:
    file = static_files().get(call.path["path"])
    if file is None:
        raise Refused(WebCode.NOT_FOUND)
    return file.answer


ENDPOINT = Endpoint("GET", "/static/{path:path}", one, "A static file", access=Access.OPEN)


class StaticHandler(Handler):
    compresses = True


def _file(name: str, body: bytes, imports: tuple[str, ...]) -> StaticFile:
    kind = _KINDS.get(f".{name.rpartition('.')[2]}") or mimetypes.guess_type(name)[0] or "text/plain; charset=utf-8"
    digest = hashlib.sha256(body).hexdigest()[:12]
    return StaticFile(f"/static/{name}?{digest}", Raw(body, kind, CACHE_CONTROL), imports)


def _all(folder: Traversable, under: str) -> list[tuple[str, bytes]]:
    entries = []
    for entry in folder.iterdir():
        if entry.is_dir():
            entries += _all(entry, f"{under}{entry.name}/")
        else:
            entries.append((f"{under}{entry.name}", entry.read_bytes()))
    return entries
