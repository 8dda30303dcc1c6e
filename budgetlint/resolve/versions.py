"""The framework versions of a run, where no budget states them: requirement and lock files beside the configs.

Read are ``requirements*.txt``, ``pyproject.toml`` (dependencies), locks (uv, Poetry, PDM, pixi, conda-lock), conda's ``environment.yml``,
``setup.cfg`` and ``setup.py`` of the config's folder and of every folder above it up to the root; the nearest file that names a package
wins. What the launch installs itself beats them; requirement files of one folder that contradict each other leave a version open, unless
the folder's instructions install one of them. What none of these names is looked for in the project's set-up (`set_ups`), nearest first.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.base.expression import expression
from budgetlint.base.record import record
from budgetlint.base.source import SourceFile, Span
from budgetlint.files.disk import Files
from budgetlint.resolve.environments import of_conda, of_setup_cfg, of_setup_py
from budgetlint.resolve.installs import installs, named_by_instructions
from budgetlint.resolve.pins import exclude, found_in, looked_for, of_texts, required, requirements
from budgetlint.resolve.set_ups import Said, set_up_of
from budgetlint.settings.run import Origin, OriginKind, Release, Stack, release

NAMES = (
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "pixi.lock",
    "conda-lock.yml",
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


@record
class FolderPins:
    """What the files of one folder say: those beside its configs, packages of which they contradict each other, its set-up."""

    beside: tuple[Release, ...]
    doubted: frozenset[str]
    built: Said
    told: Said


def stack_beside(files: Files, path: str, known: dict[str, Stack] | None = None, read: dict[str, FolderPins] | None = None) -> Stack:
    """The stack that holds for a config at ``path``. ``known`` keeps the stacks of folders, ``read`` what was read in each: configs share
    the folders above them."""
    known, read = {} if known is None else known, {} if read is None else read
    folders = list(_upward(path))
    if folders[0] not in known:
        for folder in folders:
            if folder not in read:
                read[folder] = FolderPins(tuple(_releases_in(files, folder)), _contradicted(files, folder), *set_up_of(files, folder))
        known[folders[0]] = _joined([read[folder] for folder in folders])
    return known[folders[0]]


def _joined(pins: list[FolderPins]) -> Stack:
    """Of the folders of a config, the nearest first: its files, then what builds an environment, then what is told to type."""
    doubted = frozenset().union(*(one.doubted for one in pins))
    found: dict[str, Release | None] = {}
    for one in pins:
        for said in one.beside:
            found.setdefault(said.package, said)
    for set_up in (*(one.built for one in pins), *(one.told for one in pins)):
        for package, wanted in set_up.items():
            found.setdefault(package, None if package in doubted else wanted)
    releases = {package: one for package, one in found.items() if one is not None}
    return Stack(releases, doubted=(doubted | found.keys()) - releases.keys())


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
    chosen = [one for path in _chosen(files, folder, doubted) for one in requirements(path)] if doubted else ()
    return [*(one for one in chosen if one.package in (doubted or ())), *found]


def _is_requirements(name: str) -> bool:
    return name.startswith("requirements") and name.endswith(".txt")


def _contradicted(files: Files, folder: str) -> frozenset[str]:
    """Packages of which two requirement files of a folder want what cannot both be."""
    every = _requirement_files(files, folder)
    if len(every) < 2:
        return frozenset()
    by_package: dict[str, list[Release]] = {}
    for source in every:
        for one in requirements(source):
            by_package.setdefault(one.package, []).append(one)
    return frozenset(package for package, told in by_package.items() if any(map(exclude, told, told[1:])))


def _requirement_files(files: Files, folder: str) -> list[SourceFile]:
    pattern = posixpath.join(folder, "requirements*.txt") if folder else "requirements*.txt"
    read = [files.read(path) for path in files.glob(pattern)[:_MOST_FILES]]
    return [one for one in read if isinstance(one, SourceFile)]


_MOST_FILES = 20


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
            found |= {one.package: one for one in requirements(place)}
        elif (one := required(text, Origin(OriginKind.FILE, source, place, key=text))) is not None:
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
    if name in ("pixi.lock", "conda-lock.yml"):
        return _listed(source)
    if name.endswith(".lock"):
        return _locked(source)
    if name.endswith(".toml"):
        return _pyproject(source)
    if name in _TEXTS:
        return of_texts(source, _TEXTS[name](source))
    return requirements(source)


_TEXTS = {
    "setup.py": of_setup_py,
    "setup.cfg": of_setup_cfg,
    **dict.fromkeys(("environment.yml", "environment.yaml", "conda.yml", "conda.yaml"), of_conda),
}


def _pyproject(source: SourceFile) -> Iterator[Release]:
    """``[project]``, else Poetry's own section (1.8 "Dependency specification")."""
    data = _toml(source)
    project, tools = data.get("project"), data.get("tool")
    listed = project.get("dependencies") if isinstance(project, dict) else None
    poetry = tools.get("poetry") if isinstance(tools, dict) else None
    named = poetry.get("dependencies") if isinstance(poetry, dict) else None
    texts = [str(text) for text in listed] if isinstance(listed, list) else []
    texts += [text for name, value in named.items() if (text := _of_poetry(name, value))] if isinstance(named, dict) else []
    for text in texts:
        found = required(text, found_in(source, re.split(r"[=<>~!\s\[]", text, maxsplit=1)[0]))
        if found:
            yield found


_CARET = expression(r"\^\s*(\d+)(?:\.(\d+))?(\S*)")


def _of_poetry(name: str, value: Any) -> str:
    """As pip writes it: ``^4.46`` goes up to 5, ``^0.15.2`` up to 0.16; a bare version is that one."""
    text = value.get("version", "") if isinstance(value, dict) else value
    caret = _CARET.fullmatch(text) if isinstance(text, str) else None
    if caret is not None:
        major, minor = int(caret[1]), int(caret[2] or 0)
        return f"{name}>={text.removeprefix('^').strip()},<{f'0.{minor + 1}' if major == 0 and caret[2] else major + 1}"
    if not isinstance(text, str) or not text:
        return ""
    return f"{name}=={text}" if text[0].isdigit() else f"{name}{text}" if text[0] in "=<>~!" else ""


_ROW = expression(r"^[ \t-]*name:[ \t]*['\"]?([\w.-]{1,60})['\"]?[ \t]*\n[ \t]*version:[ \t]*['\"]?([\w.+]{1,40})", re.MULTILINE)


def _listed(source: SourceFile) -> Iterator[Release]:
    """The rows of a conda-lock (4) or a pixi.lock (6): a name, and its version below. Of several platforms the first."""
    for row in _ROW.finditer(source.text):
        name = {"pytorch": "torch"}.get(row[1].lower(), row[1].lower())
        found = release(name, row[2], Origin(OriginKind.FILE, source, Span(*row.span(1)), key=name)) if name in looked_for() else None
        if found is not None:
            yield found


def _locked(source: SourceFile) -> Iterator[Release]:
    packages = _toml(source).get("package")
    for row in packages if isinstance(packages, list) else ():
        if not isinstance(row, dict):
            continue
        name, version = str(row.get("name", "")).lower(), str(row.get("version", ""))
        found = release(name, version, found_in(source, f'name = "{row["name"]}"')) if name in looked_for() else None
        if found is not None:
            yield found


def _toml(source: SourceFile) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(source.text)
    except (ValueError, RecursionError):  # also of an integer of more than 4,300 digits
        return {}
