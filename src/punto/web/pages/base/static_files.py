"""Style sheets, scripts and pictures. They are read before the server listens; browsers cache them for good."""

import hashlib
import mimetypes
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath

from msgspec import Struct

from punto.rules.refusals import Refused
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.http.errors import WebCode

CACHE_CONTROL = "public, max-age=31536000, immutable"
_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


class StaticFile(Struct, frozen=True):
    """The address contains a hash of the content, so browsers can cache it for good."""

    address: str
    answer: Raw


@cache
def static_files() -> dict[str, StaticFile]:
    """All files in ``static``, by name."""
    bodies = dict(_all(files("punto.web.pages").joinpath("static"), ""))
    made: dict[str, StaticFile] = {}

    def make(name: str) -> StaticFile:
        """A script names the scripts it imports by their addresses with hashes. Imports form no circle."""
        if name not in made:
            body = bodies[name]
            if name.endswith(".js"):
                body = _IMPORT.sub(lambda found: found[1] + _address(make, name, found[2]), body)
            made[name] = _file(name, body)
        return made[name]

    return {name: make(name) for name in bodies}


_IMPORT = re.compile(rb'^(import (?:[^"]+ from )?")(\.{1,2}/[^"]+)', re.MULTILINE)


def _address(make: Callable[[str], StaticFile], importer: str, imported: bytes) -> bytes:
    return make(normpath(join(dirname(importer), imported.decode()))).address.encode()


def static(name: str) -> str:
    return static_files()[name].address


async def one(call: HttpRequest) -> Raw:
    file = static_files().get(call.path["path"])
    if file is None:
        raise Refused(WebCode.NOT_FOUND)
    return file.answer


ENDPOINT = Endpoint("GET", "/static/{path:path}", one, "A static file", access=Access.OPEN)


def _file(name: str, body: bytes) -> StaticFile:
    kind = _KINDS.get(f".{name.rpartition('.')[2]}") or mimetypes.guess_type(name)[0] or "text/plain; charset=utf-8"
    digest = hashlib.sha256(body).hexdigest()[:12]
    return StaticFile(f"/static/{name}?{digest}", Raw(body, kind, CACHE_CONTROL))


def _all(folder: Traversable, under: str) -> list[tuple[str, bytes]]:
    entries = []
    for entry in folder.iterdir():
        if entry.is_dir():
            entries += _all(entry, f"{under}{entry.name}/")
        else:
            entries.append((f"{under}{entry.name}", entry.read_bytes()))
    return entries
