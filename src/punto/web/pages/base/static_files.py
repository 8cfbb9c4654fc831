"""The style sheets, scripts and pictures: read once before the server listens, and kept by browsers for ever."""

import hashlib
import mimetypes
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from msgspec import Struct

from punto.rules.refusals import Refused
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.http.errors import WebCode

FOR_EVER = "public, max-age=31536000, immutable"
_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


class StaticFile(Struct, frozen=True):
    """A file with its address, which has a hash of the content, so that browsers may keep it for ever."""

    address: str
    answer: Raw


@cache
def static_files() -> dict[str, StaticFile]:
    """All files under ``static`` by their names."""
    return {name: _file(name, body) for name, body in _all(files("punto.web.pages").joinpath("static"), "")}


def static(name: str) -> str:
    """The address of a static file."""
    return static_files()[name].address


async def one(call: HttpRequest) -> Raw:
    """One of them."""
    found = static_files().get(call.path["path"])
    if found is None:
        raise Refused(WebCode.NOT_FOUND)
    return found.answer


ENDPOINT = Endpoint("GET", "/static/{path:path}", one, "A file of the pages", access=Access.OPEN)


def _file(name: str, body: bytes) -> StaticFile:
    kind = _KINDS.get(f".{name.rpartition('.')[2]}") or mimetypes.guess_type(name)[0] or "text/plain; charset=utf-8"
    mark = hashlib.sha256(body).hexdigest()[:12]
    return StaticFile(f"/static/{name}?{mark}", Raw(body, kind, FOR_EVER))


def _all(folder: Traversable, under: str) -> list[tuple[str, bytes]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _all(entry, f"{under}{entry.name}/")
        else:
            found.append((f"{under}{entry.name}", entry.read_bytes()))
    return found
