"""How a client and a server tell each other their releases."""

import re

CLIENT_HEADER = "punto-client"
"""Of a request: the release of the client. Browsers cannot set it on a WebSocket, so pages add it to the address."""
RELEASE_HEADER = "punto-release"
"""Of every answer: the release of the server."""
OLDER, NEWER, UNREADABLE = "older", "newer", "unreadable"
_RELEASE = re.compile(r"(\d{1,4})\.(\d{1,4})\.\d{1,4}", re.ASCII)


def compare_releases(client: str, server: str) -> str:
    """How the client's minor version differs from the server's; empty if it does not."""
    found = _RELEASE.fullmatch(client), _RELEASE.fullmatch(server)
    if found[0] is None or found[1] is None:
        return UNREADABLE
    of_client, of_server = (tuple(map(int, each.groups())) for each in found if each is not None)
    return OLDER if of_client < of_server else NEWER if of_client > of_server else ""
