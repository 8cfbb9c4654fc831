"""``python -m tests.golden.write commission/evening-2`` plays the script of that name and records it."""

import sys

from tests.golden.evening import FOLDER, read_evening
from tests.golden.recordings import add_recording
from tests.golden.script import annotated, play


def main(name: str) -> None:
    """Record a script, and write its figures into it; never record anything twice."""
    path = FOLDER / f"{name}.script"
    if not path.exists():
        raise SystemExit(f"there is no {path}")
    script = path.read_text(encoding="utf-8")
    try:
        text = play(script)
        add_recording(FOLDER, name, text)
    except ValueError as error:
        raise SystemExit(f"{path.name}: {error}") from error
    path.write_text(annotated(script, read_evening(text)), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("expected the name of a script, such as commission/evening-2")
    main(sys.argv[1])
