"""The secret key of the floors that tests run. A floor on PostgreSQL does not start without one."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from punto.floor.secret_key import VARIABLE, SecretKey

SECRET = bytes(range(32))
TEST_KEY = SecretKey(SECRET)


def write_key(path: Path) -> Path:
    """Write the key to a file that its owner alone can read."""
    path.touch(0o600)
    path.write_text(SECRET.hex())
    return path


def name_key_file() -> None:
    """Name a file with the key in the environment, for this process and those that it starts."""
    if VARIABLE in os.environ:
        return
    folder = tempfile.mkdtemp(prefix="punto-key-")
    os.environ[VARIABLE] = str(write_key(Path(folder) / "punto.key"))
    atexit.register(shutil.rmtree, folder)
