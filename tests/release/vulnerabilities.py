"""Looks for known vulnerabilities of the locked packages, where a database of them can be reached.

The database speaks the protocol of OSV (``POST /v1/querybatch``). ``PUNTO_VULNERABILITIES`` names another than the
public one, such as a mirror in the house; empty: none. Without an answer within seconds it says so, and does not fail:
a check must work without the internet.
"""

import os
import sys
from threading import Thread
from urllib.request import Request, urlopen

import msgspec

from tests.release.parts import Package, packages

VARIABLE = "PUNTO_VULNERABILITIES"
DATABASE = "https://api.osv.dev/v1/querybatch"
PATIENCE_S = 4.0


class _Found(msgspec.Struct):
    id: str


class _Result(msgspec.Struct):
    vulns: list[_Found] = []


class _Answer(msgspec.Struct):
    results: list[_Result]


class NotReached(Exception):
    """No database answered in time."""


def look_up(database: str, wanted: list[Package]) -> dict[str, list[str]]:
    """The known vulnerabilities by package, those that have any. Raises :class:`NotReached`."""
    queries = [{"package": {"purl": package.url}} for package in wanted]
    body = msgspec.json.encode({"queries": queries})
    answers: list[bytes | Exception] = []

    def ask() -> None:
        try:
            request = Request(database, body, {"content-type": "application/json"})  # noqa: S310 - the developer's
            with urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310 - as above
                answers.append(answer.read())
        except (OSError, ValueError) as error:
            answers.append(error)

    asking = Thread(target=ask, daemon=True)  # looking up a name can take longer than any time-out of ours
    asking.start()
    asking.join(PATIENCE_S)
    if not answers or isinstance(answers[0], Exception):
        raise NotReached(str(answers[0]) if answers else f"no answer in {PATIENCE_S:g} s")
    try:
        results = msgspec.json.decode(answers[0], type=_Answer).results
    except msgspec.MsgspecError as error:
        raise NotReached(f"the answer cannot be read: {error}") from error
    if len(results) != len(wanted):
        raise NotReached("the answer is not about all packages")
    return {
        package.url: [each.id for each in result.vulns]
        for package, result in zip(wanted, results, strict=True)
        if result.vulns
    }


def main() -> int:
    """The exit status: 1 if a vulnerability is known."""
    database, wanted = os.environ.get(VARIABLE, DATABASE), packages()
    if not database:
        print(f"Known vulnerabilities were not looked up: {VARIABLE} is empty.")
        return 0
    try:
        found = look_up(database, wanted)
    except NotReached as reason:
        print(f"Known vulnerabilities were not looked up: no database can be reached ({reason}).")
        return 0
    for package, ids in found.items():
        print(f"{package}: {', '.join(ids)}")
    print(f"{len(wanted)} packages looked up, {len(found)} with known vulnerabilities.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
