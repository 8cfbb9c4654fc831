"""Puts each fault into a copy of the source and runs the tests: prints who found it, and fails if many were not found.

Faults that the tests of their own folder do not find are tried with all quick tests of the engine.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.mutants.faults import ROOT, SOURCE, Fault, faults

ENGINE = ("tests/rules", "tests/table", "tests/cases", "tests/golden", "tests/model")
MAY_LIVE = 2


def found_by(fault: Fault, copy: Path, *rooms: str) -> str:
    """The first test that fails with this fault, or nothing."""
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no", "-m", "not nightly"]
    told = subprocess.run([*command, *rooms], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    failed = [line for line in told.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if told.returncode not in (0, 1, 2):
        raise RuntimeError(f"{fault.path}: {told.stdout}{told.stderr}")
    return failed[0].split(" ")[1] if failed else "" if told.returncode == 0 else "the collection of tests"


def main() -> None:
    """Try the faults, all of them or those in files with a word in their path."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word", nargs="?", default="", help="only faults in files whose path has this")
    wanted = [fault for fault in faults() if parser.parse_args().word in fault.path]
    alive = []
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory)
        shutil.copytree(SOURCE, copy / "punto", ignore=shutil.ignore_patterns("__pycache__"))
        for number, fault in enumerate(wanted, 1):
            file, right = copy / "punto" / fault.path, (SOURCE / fault.path).read_text(encoding="utf-8")
            file.write_text(fault.put_into(right), encoding="utf-8")
            found = found_by(fault, copy, f"tests/{fault.found_in}") or found_by(fault, copy, *ENGINE)
            file.write_text(right, encoding="utf-8")
            print(f"{number:2} {found or 'NOT FOUND':90.90} {fault.path}: {fault.wrong}", flush=True)
            alive += [] if found else [fault]
    print(f"{len(wanted) - len(alive)} of {len(wanted)} faults are found.")
    sys.exit(len(alive) > MAY_LIVE)


if __name__ == "__main__":
    main()
