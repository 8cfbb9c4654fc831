"""``python -m tests.golden.write commission/evening-2`` plays the script of that name and writes its golden file."""

import sys

from tests.golden.evening import FOLDER
from tests.golden.script import play


def main(name: str) -> None:
    """Write a golden file beside its script; never overwrite one."""
    script, golden = FOLDER / f"{name}.script", FOLDER / f"{name}.golden"
    if golden.exists():
        raise SystemExit(f"{golden} already exists: a golden session is never edited, write another one")
    if not script.exists():
        raise SystemExit(f"there is no {script}")
    try:
        text = play(script.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SystemExit(f"{script.name}: {error}") from error
    with golden.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("expected the name of a script, such as commission/evening-2")
    main(sys.argv[1])
