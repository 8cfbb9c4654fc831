"""The pages: how soon the first one is served after a start, and how many bytes a page and an update of it are.

The server is `punto serve` as `make run` starts it, on a new file with its five tables, a process of its own. What a
browser loads beside a page it loads once: the style sheets, the script and the card faces say so in their addresses.
"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import websockets.sync.client

STARTS = 5
WATCHED_S = 60.0
AIM_S = 2.0
TABLE = "Dahlia"
"""The table with the longest menu."""


@contextmanager
def served(directory: str) -> Iterator[tuple[httpx2.Client, float]]:
    """A server that has served its first page, and how many seconds after its start."""
    began_s = time.perf_counter()
    command = [
        sys.executable,
        "-m",
        "punto",
        "serve",
        "--port",
        "0",
        "--log",
        "warning",
        "--db",
        f"{directory}/floor.db",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = next(found[0] for line in process.stdout or () if (found := re.findall(r"http://\S+", line)))
        with httpx2.Client(base_url=address, trust_env=False) as client:
            client.get("/").raise_for_status()
            yield client, time.perf_counter() - began_s
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def measure_starts(starts: int) -> None:
    """From the start of the process to the last byte of the lobby, on a new floor and on one that was there."""
    took = {"new floor": list[float](), "same floor again": list[float]()}
    for _ in range(starts):
        with tempfile.TemporaryDirectory() as directory:
            for kind in took.values():
                with served(directory) as (_, seconds):
                    kind.append(seconds)
    for name, kind in took.items():
        print(
            f"first page, {name:17} {statistics.median(kind):5.2f} s, most {max(kind):.2f} s (aim: {AIM_S})", flush=True
        )


def measure_bytes(watched_s: float) -> None:
    """Of each page, of what it loads beside it, and of its updates over the socket."""
    with tempfile.TemporaryDirectory() as directory, served(directory) as (client, _):
        for path in ("/", f"/tables/{TABLE}", f"/tables/{TABLE}/board"):
            page = client.get(path).raise_for_status()
            beside = sorted(set(re.findall(r'(?:href|src)="(/static/[^"?]+(?:css|js|svg)\?[^"]+)"', page.text)))
            more = sum(len(client.get(each).raise_for_status().content) for each in beside)
            print(
                f"{path:24} {len(page.content):7,} bytes, once beside it {more:7,} in {len(beside)} files", flush=True
            )
        for path in ("/live/", f"/live/tables/{TABLE}"):
            sizes = updates(client, path, watched_s)
            rest = sizes[1:] or [0]
            usual, most = statistics.median(rest), max(rest)
            print(
                f"{path:24} first {sizes[0]:,} bytes, then {len(rest)} updates: median {usual:,.0f}, most {most:,}",
                flush=True,
            )


def updates(client: httpx2.Client, path: str, seconds: float) -> list[int]:
    """The sizes of what comes over the socket of a page for so long."""
    address, sizes, until_s = urlsplit(str(client.base_url)), list[int](), time.monotonic() + seconds
    with websockets.sync.client.connect(f"ws://{address.netloc}{path}") as socket:
        while (left_s := until_s - time.monotonic()) > 0:
            try:
                sizes.append(len(str(socket.recv(timeout=left_s)).encode()))
            except TimeoutError:
                break
    return sizes


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=STARTS)
    parser.add_argument("--watched", type=float, default=WATCHED_S, help="seconds of watching each page")
    asked = parser.parse_args()
    os.chdir(Path(__file__).parents[1])
    measure_starts(asked.starts)
    measure_bytes(asked.watched)


if __name__ == "__main__":
    main()
