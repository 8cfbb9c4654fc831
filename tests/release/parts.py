"""The parts of a release: packages of the locks, and files of other projects that come with ours."""

import hashlib
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

from msgspec import Struct

import punto

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "punto"
_PACKAGE = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^\s;\\]+)(.*?)(?=^[a-z0-9]|\Z)", re.MULTILINE | re.DOTALL)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


class Package(Struct, frozen=True):
    name: str
    version: str
    hashes: tuple[str, ...]
    """SHA-256 of every file that may be installed: one for each platform."""
    serving: bool
    """Whether `make run` installs it; else only developers do."""

    @property
    def url(self) -> str:
        """Its name among all packages, which is no address."""
        return f"pkg:pypi/{self.name}@{self.version}"


class Vendored(Struct, frozen=True):
    """A file of another project."""

    name: str
    path: Path
    version: str
    licence: str
    origin: str
    sha256: str
    licence_text: str


def packages() -> list[Package]:
    """Those of the locks."""
    serving = {name for name, _, _ in _PACKAGE.findall((ROOT / "requirements-serve.lock").read_text())}
    found = _PACKAGE.findall((ROOT / "requirements.lock").read_text())
    return [Package(name, version, tuple(_HASH.findall(rest)), name in serving) for name, version, rest in found]


def vendored() -> list[Vendored]:
    """Those that a ``vendored.toml`` lists, which stands beside them with their licence."""
    return [
        Vendored(
            name,
            (list_.parent / each["file"]),
            each["version"],
            each["licence"],
            each["origin"],
            each["sha256"],
            each.get("licence_text") or (list_.parent / each["licence_file"]).read_text(encoding="utf-8"),
        )
        for list_ in sorted(SOURCES.rglob("vendored.toml"))
        for name, each in tomllib.loads(list_.read_text(encoding="utf-8")).items()
    ]


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sbom(wheel: Path | None = None) -> dict[str, Any]:
    """The list of parts as CycloneDX 1.6. The same sources and the same wheel give the same list."""
    own: dict[str, Any] = {
        "type": "application",
        "bom-ref": f"punto@{punto.__version__}",
        "name": "punto",
        "version": punto.__version__,
        "licenses": [{"license": {"id": "MIT"}}],
    }
    if wheel is not None:
        own["hashes"] = [_hash(sha256_of(wheel))]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": [*map(_package, packages()), *map(_file, vendored())],
    }


def _hash(content: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": content}


def _package(package: Package) -> dict[str, Any]:
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": package.url,
        "name": package.name,
        "version": package.version,
        "purl": package.url,
        "scope": "required" if package.serving else "optional",
        "hashes": [*map(_hash, package.hashes)],
    }
    if licence := _licence_of(package.name):
        component["licenses"] = [{"license": {"name": licence}}]
    return component


def _licence_of(name: str) -> str:
    """As the package says, if it is installed here."""
    try:
        found = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ""
    said = str(found.json.get("license_expression") or found.json.get("license") or "")
    return said.strip().partition("\n")[0][:100]


def _file(file: Vendored) -> dict[str, Any]:
    return {
        "type": "file",
        "bom-ref": f"file:{file.path.relative_to(SOURCES).as_posix()}",
        "name": file.path.relative_to(SOURCES).as_posix(),
        "version": file.version,
        "description": file.origin,
        "scope": "required",
        "hashes": [_hash(file.sha256)],
        "licenses": [{"license": {"name": file.licence, "text": {"content": file.licence_text.strip()}}}],
    }
