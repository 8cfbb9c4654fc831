"""The style sheet, the script and the pictures: kept in memory, and by browsers for as long as they like."""

import mimetypes
from importlib.resources import files
from importlib.resources.abc import Traversable

from punto.rules.refusals import Refused
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.http.errors import WebCode

FOR_EVER = "public, max-age=31536000, immutable"
"""An address has a mark of what is in the file."""
_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


class StaticFiles:
    """All files under ``static``, read once."""

    def __init__(self) -> None:
        self._files = dict(_all(files("punto.web.pages").joinpath("static"), ""))

    async def one(self, call: HttpRequest) -> Raw:
        """One of them."""
        name = call.path["path"]
        body = self._files.get(name)
        if body is None:
            raise Refused(WebCode.NOT_FOUND)
        suffix = f".{name.rpartition('.')[2]}"
        kind = _KINDS.get(suffix) or mimetypes.guess_type(name)[0] or "text/plain; charset=utf-8"
        return Raw(body, kind, FOR_EVER)


def endpoint() -> Endpoint:
    """Where they are."""
    return Endpoint("GET", "/static/{path:path}", StaticFiles().one, "A file of the pages", access=Access.OPEN)


def _all(folder: Traversable, under: str) -> list[tuple[str, bytes]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _all(entry, f"{under}{entry.name}/")
        else:
            found.append((f"{under}{entry.name}", entry.read_bytes()))
    return found
