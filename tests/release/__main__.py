"""Builds a release into a folder: the wheel, its list of parts, and the hashes of both. ``make release`` runs it."""

import subprocess
import sys
from pathlib import Path

import msgspec

import punto
from tests.release.parts import ROOT, sbom, sha256_of


def build(folder: Path) -> list[Path]:
    """The files of the release. Nothing is downloaded."""
    folder.mkdir(parents=True, exist_ok=True)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel", "--no-index", "--no-deps")
    subprocess.run([*pip, "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)], check=True)
    wheel = folder / f"punto-{punto.__version__}-py3-none-any.whl"
    parts = folder / f"punto-{punto.__version__}.cdx.json"
    parts.write_bytes(msgspec.json.format(msgspec.json.encode(sbom(wheel)), indent=2) + b"\n")
    sums = folder / "SHA256SUMS"
    sums.write_text("".join(f"{sha256_of(path)}  {path.name}\n" for path in (wheel, parts)))
    return [wheel, parts, sums]


if __name__ == "__main__":
    for made in build(Path(sys.argv[1] if len(sys.argv) > 1 else "dist")):
        print(f"{sha256_of(made)}  {made}")
