"""The framework versions of a run, where no budget states them: requirement and lock files beside the configs.

Read are ``requirements*.txt``, ``pyproject.toml`` (dependencies), ``uv.lock``/``poetry.lock``, conda's ``environment.yml``,
``setup.cfg`` and ``setup.py`` of the config's folder and of every folder above it up to the root; the nearest file that names a package
wins. What the launch installs itself beats them; requirement files of one folder that contradict each other leave a version open, unless
the folder's instructions install one of them.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from budgetlint.base.expression import expression
from budgetlint.base.limits import PINS
from budgetlint.base.source import SourceFile, Span
from budgetlint.files.disk import Files
from budgetlint.frameworks import packages
from budgetlint.resolve.environments import of_conda, of_setup_cfg, of_setup_py
from budgetlint.resolve.installs import installs, named_by_instructions
from budgetlint.settings.run import Origin, OriginKind, Release, Stack, release, version_of

if TYPE_CHECKING:  # imported where a file of versions is found: 10 ms
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

_LIBRARIES = ("torch", "bitsandbytes", "torchao", "liger-kernel", "flash-attn", "unsloth")
"""Packages that are no framework, and whose version an estimate or a rule asks for."""
NAMES = (
    "uv.lock",
    "poetry.lock",
    "requirements.txt",
    "requirements-train.txt",
    "requirements-gpu.txt",
    "requirements-dev.txt",
    "pyproject.toml",
    "environment.yml",
    "environment.yaml",
    "conda.yml",
    "conda.yaml",
    "setup.cfg",
    "setup.py",
)


@cache
def _packages() -> frozenset[str]:
    """Packages whose version is looked for."""
    return frozenset((*_LIBRARIES, *(package.name for package in packages() if package.pins)))


def stack_beside(files: Files, path: str, known: dict[str, Stack] | None = None) -> Stack:
    """The stack that holds for a config at ``path``. ``known`` keeps those of folders: configs share the folders above them."""
    known = {} if known is None else known
    found = Stack()
    for folder in reversed(list(_upward(path))):
        if folder not in known:
            nearest: dict[str, Release] = {}
            for release in (*_releases_in(files, folder), *found.releases.values()):
                nearest.setdefault(release.package, release)
            known[folder] = Stack(nearest, aside=found.aside if folder else _aside(files))
        found = known[folder]
    return found


def _releases_in(files: Files, folder: str) -> list[Release]:
    """What the files of one folder say; the first that names a package holds."""
    found: list[Release] = []
    doubted: frozenset[str] | None = None
    for name in NAMES:
        path = posixpath.join(folder, name) if folder else name
        if files.exists(path):
            source = files.read(path)
            if isinstance(source, SourceFile):
                said = list(_releases(name, source))
                if _is_requirements(name) and said:
                    doubted = _contradicted(files, folder) if doubted is None else doubted
                    said = [one for one in said if one.package not in doubted]
                found.extend(said)
    chosen = [one for path in _chosen(files, folder, doubted) for one in _requirements(path)] if doubted else ()
    return [*(one for one in chosen if one.package in (doubted or ())), *found]


_ASIDE = ("docker", "requirements", "env", "envs", "environment", ".devcontainer")


def _aside(files: Files) -> dict[str, Release]:
    """What the requirement files of these folders want, where they do not contradict each other."""
    told: dict[str, Release | None] = {}
    for one in (one for folder in _ASIDE for source in _requirement_files(files, folder) for one in _requirements(source)):
        before = told.setdefault(one.package, one)
        if before is not None and _exclude(before, one):
            told[one.package] = None
    return {package: one for package, one in told.items() if one is not None}


def _is_requirements(name: str) -> bool:
    return name.startswith("requirements") and name.endswith(".txt")


def _contradicted(files: Files, folder: str) -> frozenset[str]:
    """Packages of which two requirement files of a folder want what cannot both be."""
    every = _requirement_files(files, folder)
    if len(every) < 2:
        return frozenset()
    by_package: dict[str, list[Release]] = {}
    for source in every:
        for one in _requirements(source):
            by_package.setdefault(one.package, []).append(one)
    return frozenset(package for package, told in by_package.items() if any(map(_exclude, told, told[1:])))


def _requirement_files(files: Files, folder: str) -> list[SourceFile]:
    pattern = posixpath.join(folder, "requirements*.txt") if folder else "requirements*.txt"
    read = [files.read(path) for path in files.glob(pattern)[:_MOST_FILES]]
    return [one for one in read if isinstance(one, SourceFile)]


_MOST_FILES = 20


def _exclude(one: Release, other: Release) -> bool:
    """No version is in both."""
    ends = ((one, other), (other, one))
    return any(
        upper is not None and low.low is not None and (low.low > upper or (low.low == upper and not high.exact and not high.closed))
        for low, high in ends
        for upper in (high.low if high.exact else high.high,)
    )


def _chosen(files: Files, folder: str, doubted: frozenset[str] | None) -> list[SourceFile]:
    """The one requirement file that the folder's instructions install, of those that contradict each other."""
    named = named_by_instructions(files, folder) if doubted else set()
    asked = [one for one in _requirement_files(files, folder) if one.path in named]
    return asked if len(asked) == 1 else []


def installed_by(files: Files, path: str) -> dict[str, Release]:
    """The versions that a script installs before it starts anything."""
    found: dict[str, Release] = {}
    for text, place, source in installs(files, path):
        if isinstance(place, SourceFile):
            found |= {one.package: one for one in _requirements(place)}
        elif (one := _required(text, Origin(OriginKind.FILE, source, place, key=text))) is not None:
            found[one.package] = one
    return found


def _upward(path: str) -> Iterator[str]:
    folder = posixpath.dirname(path)
    while True:
        yield folder
        if not folder or folder in ("/", ".", "..") or folder.startswith("../"):
            return
        folder = posixpath.dirname(folder)


def _releases(name: str, source: SourceFile) -> Iterable[Release]:
    if name.endswith(".lock"):
        return _locked(source)
    if name.endswith(".toml"):
        return _pyproject(source)
    if name in _TEXTS:
        return _texts(source, _TEXTS[name](source))
    return _requirements(source)


_TEXTS = {
    "setup.py": of_setup_py,
    "setup.cfg": of_setup_cfg,
    **dict.fromkeys(("environment.yml", "environment.yaml", "conda.yml", "conda.yaml"), of_conda),
}


def _texts(source: SourceFile, texts: Iterable[str]) -> Iterator[Release]:
    for text in texts:
        release = _required(text, _found(source, re.split(r"[=<>~!\s\[]", text, maxsplit=1)[0]))
        if release:
            yield release


def _requirements(source: SourceFile) -> Iterator[Release]:
    """The first line of each package that says something about its version."""
    at, asked = 0, Counter[str]()
    for line in source.text.splitlines(keepends=True):
        package = _package_of(line)
        if package not in _packages() or asked[package] >= PINS.most:
            at += len(line)
            continue
        asked[package] += 1
        text = re.split(r"\s#|^#|\s--", line, maxsplit=1)[0].strip().rstrip("\\").strip()
        start = at + line.find(text) if text else at
        at += len(line)
        release = _required(text, Origin(OriginKind.FILE, source, Span(start, start + len(text)), key=text)) if text else None
        if release:
            asked[package] = PINS.most
            yield release


def _package_of(line: str) -> str:
    """The name that a requirement begins with, as PyPI spells it: most lines are about packages that nothing hangs on."""
    found = _NAME.match(line)
    return found[1].lower().replace("_", "-") if found else ""


_NAME = expression(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


def _required(text: str, origin: Origin) -> Release | None:
    if text.startswith(("-", "git+", "http")):
        return None
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None
    package = requirement.name.lower().replace("_", "-")
    if package not in _packages() or not requirement.specifier:
        return None
    return _range(package, requirement.specifier, origin)


def _range(package: str, specifiers: SpecifierSet, origin: Origin) -> Release | None:
    from packaging.version import Version

    low: Version | None = None
    high: Version | None = None
    closed = False
    for specifier in specifiers:
        version = version_of(specifier.version.removesuffix(".*"))
        if version is None:
            continue
        if specifier.operator in ("==", "==="):
            return Release(package, version, None, origin, exact=True)
        if specifier.operator in (">=", ">", "~="):
            low = version if low is None else max(low, version)
        if specifier.operator in ("<", "<=") and (high is None or version < high):
            high, closed = version, specifier.operator == "<="
        if specifier.operator == "~=":
            release = version.release
            high = Version(".".join(map(str, (*release[:-2], release[-2] + 1)))) if len(release) > 1 else high
    return Release(package, low, high, origin, closed=closed) if low or high else None


def _pyproject(source: SourceFile) -> Iterator[Release]:
    data = _toml(source)
    project = data.get("project")
    listed = project.get("dependencies") if isinstance(project, dict) else None
    for text in listed if isinstance(listed, list) else ():
        release = _required(str(text), _found(source, str(text)))
        if release:
            yield release


def _locked(source: SourceFile) -> Iterator[Release]:
    packages = _toml(source).get("package")
    for row in packages if isinstance(packages, list) else ():
        if not isinstance(row, dict):
            continue
        name, version = str(row.get("name", "")).lower(), str(row.get("version", ""))
        found = release(name, version, _found(source, f'name = "{row["name"]}"')) if name in _packages() else None
        if found is not None:
            yield found


def _toml(source: SourceFile) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(source.text)
    except (ValueError, RecursionError):  # also of an integer of more than 4,300 digits
        return {}


def _found(source: SourceFile, text: str) -> Origin:
    start = max(source.text.find(text), 0)
    return Origin(OriginKind.FILE, source, Span(start, start + len(text)), key=text)
