"""Run ``punto`` as a real process, or in this one."""

import os
import subprocess
import sys

from click.testing import CliRunner

from punto.cli import main
from tests.waiting import DEADLINE_S

# without bytecode, every process would compile all of Punto again
_STRAY = {"NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING", "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in _STRAY} | {"PYTHONUTF8": "1"}


def punto(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run ``python -m punto``, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "punto", *arguments],
        input=stdin,
        capture_output=True,
        env=ENVIRONMENT,
        timeout=DEADLINE_S,
        check=False,
    )


def punto_here(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the same command in this process, which spares the start of another."""
    done = CliRunner().invoke(main, arguments, input=stdin, prog_name="punto", catch_exceptions=False)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout_bytes, done.stderr_bytes)
