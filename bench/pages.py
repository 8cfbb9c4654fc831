"""The pages: time from start to the first page, and the size of a page and of its updates.

The server is `punto serve` as `make run` starts it, a separate process on a new file with its five tables. A browser
loads the style sheets, the script and the card faces only once: their addresses contain their version.
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
TABLE = "Dahlia"  # has the longest menu


@contextmanager
def served(directory: str) -> Iterator[tuple[httpx2.Client, float]]:
    """Start a server and load its first page. Yields a client, and the seconds this took."""
    started_s = time.perf_counter()
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
        address = next(match[0] for line in process.stdout or () if (match := re.findall(r"http://\S+", line)))
        with httpx2.Client(base_url=address, trust_env=False) as client:
            client.get("/").raise_for_status()
            yield client, time.perf_counter() - started_s
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def measure_starts(starts: int) -> None:
    """Time from the start of the process to the last byte of the lobby, on a new and on an existing floor."""
    took_s = {"new floor": list[float](), "existing floor": list[float]()}
    for _ in range(starts):
        with tempfile.TemporaryDirectory() as directory:
            for times_s in took_s.values():
                with served(directory) as (_, seconds):
                    times_s.append(seconds)
    for name, times_s in took_s.items():
        median_s, max_s = statistics.median(times_s), max(times_s)
        print(f"first page, {name:17} {median_s:5.2f} s, at most {max_s:.2f} s (aim: {AIM_S})", flush=True)


def measure_bytes(watched_s: float) -> None:
    """Size of each page, of the files it loads, and of its updates over the socket."""
    with tempfile.TemporaryDirectory() as directory, served(directory) as (client, _):
        for path in ("/", f"/tables/{TABLE}", f"/tables/{TABLE}/board"):
            page = client.get(path).raise_for_status()
            assets = sorted(set(re.findall(r'(?:href|src)="(/static/[^"?]+(?:css|js|svg)\?[^"]+)"', page.text)))
            more = sum(len(client.get(asset).raise_for_status().content) for asset in assets)
            print(f"{path:24} {len(page.content):7,} bytes, and once {more:7,} in {len(assets)} files", flush=True)
        for path in ("/live/", f"/live/tables/{TABLE}"):
            sizes = updates(client, path, watched_s)
            rest = sizes[1:] or [0]
            median, largest = statistics.median(rest), max(rest)
            print(
                f"{path:24} first {sizes[0]:,} bytes, then {len(rest)} updates: median {median:,.0f}, most {largest:,}",
                flush=True,
            )


def updates(client: httpx2.Client, path: str, seconds: float) -> list[int]:
    """Sizes of the messages that a page's socket receives in this time."""
    address, sizes, until_s = urlsplit(str(client.base_url)), list[int](), time.monotonic() + seconds
    with websockets.sync.client.connect(f"ws://{address.netloc}{path}") as socket:
        while (left_s := until_s - time.monotonic()) > 0:
            try:
                sizes.append(len(str(socket.recv(timeout=left_s)).encode()))
            except TimeoutError:
                break
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=STARTS, help="number of starts")
    parser.add_argument("--watched", type=float, default=WATCHED_S, help="seconds to watch each page")
    arguments = parser.parse_args()
    os.chdir(Path(__file__).parents[1])
    measure_starts(arguments.starts)
    measure_bytes(arguments.watched)


if __name__ == "__main__":
    main()
