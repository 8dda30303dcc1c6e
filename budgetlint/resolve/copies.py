"""A copy of a framework in the project: where it lies, and the version that it says of itself. Nothing of it is run.

Where frameworks keep their version: TRL 0.9.6 ``__init__.py``, TRL 1.1 and axolotl 0.15 ``VERSION`` and OpenRLHF 0.5 ``version.txt`` beside
the package; ms-swift 3.5 and XTuner 0.2.0 ``version.py``; llm-foundry 0.22 ``_version.py``; LitGPT 0.5.11 ``pyproject.toml``.
Other places, and names of modules that are not PyPI's, stand in their manifests.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache

from budgetlint.base.expression import expression
from budgetlint.base.record import record, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.files.disk import Files
from budgetlint.frameworks import packages
from budgetlint.settings.run import Origin, OriginKind, Release, Stack, release, version_of

_LAYOUTS = ("", "src")
_DEEPER = ("*", "*/src", "*/*", "*/*/src")
"""Checkouts inside the project: ``LLaMA-Factory/src/llamafactory``, ``third_party/verl/verl``."""

_ASSIGNED = expression(r"""^(?:__version__|VERSION)\s*(?::\s*str\s*)?=\s*["']([^"'\n]{1,100})["']""", re.MULTILINE)
_TEXT = expression(r"\A\s*(\d[^\s]{0,99})\s*\Z")
_ARGUMENT = expression(r"""(?:^|[(,])[ \t]*version\s*=\s*["']([^"'\n]{1,100})["']""", re.MULTILINE)
_NAME = expression(r"""(?:^|[(,])[ \t]*name\s*=\s*["']([\w.-]{1,100})["']""", re.MULTILINE)

_SUBMODULE = expression(r"^[ \t]*(?:path|url)[ \t]*=[ \t]*(\S{1,300})", re.MULTILINE)

_RETURNED = expression(r"""^[ \t]+return[ \t][^#\n]{0,100}["']([\w.-]{1,100})["'][ \t]*$""", re.MULTILINE)
"""OpenRLHF's ``setup.py`` names itself in a function: ``return "openrlhf-nightly" if … else "openrlhf"``."""

_INSIDE = (
    ("__init__.py", _ASSIGNED),
    ("version.py", _ASSIGNED),
    ("_version.py", _ASSIGNED),
    ("VERSION", _TEXT),
)
_BESIDE = (
    ("VERSION", _TEXT),
    ("version.txt", _TEXT),
    ("pyproject.toml", _ARGUMENT),
    ("setup.py", _ARGUMENT),
    ("setup.py", _ASSIGNED),
    ("setup.cfg", expression(r"^version\s*=\s*(\d[^\s]{0,99})", re.MULTILINE)),
)
"""Only where a file beside them gives the project the package's name: else they are about something else."""

_SAID = {"assigned": _ASSIGNED, "text": _TEXT}


@cache
def _places_inside() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Where a version stands in a package: the usual places, and those of the manifests."""
    return (*_INSIDE, *((path, _SAID[how]) for package in packages() for path, how in package.version_files.items()))


@cache
def versioned() -> frozenset[str]:
    """Files that a version may stand in, where somebody asks them."""
    return frozenset(posixpath.basename(name) for name, _ in (*_places_inside(), *_BESIDE))


@record
class Copy:
    """``folder`` is the package's own, ``top`` the one that its modules are imported from; ``module`` the name."""

    package: str
    module: str
    top: str

    @property
    def folder(self) -> str:
        return posixpath.join(self.top, self.module)


def copy_above(files: Files, package: str, path: str) -> Copy | None:
    """The copy of a package in a folder on the way up from a file at ``path``."""
    tops = (posixpath.join(folder, layout) for folder in _upward(path) for layout in _LAYOUTS)
    copies = (Copy(package, module, top) for top in tops for module in _modules(package))
    return next((copy for copy in copies if files.exists(posixpath.join(copy.folder, "__init__.py"))), None)


def only_copy(files: Files, package: str) -> Copy | None:
    """The copy of a package deeper in the project, where there is only one: who keeps a checkout of a framework installs that."""
    patterns = (f"{layout}/{module}/__init__.py" for layout in _DEEPER for module in _modules(package))
    found = {Copy(package, module, top) for pattern in patterns for top, module in map(_parted, files.glob(pattern))}
    return found.pop() if len(found) == 1 else None


def is_submodule(files: Files, package: str) -> bool:
    """Does git bring a checkout of the package into the project, which is not here?"""
    source = _read(files, ".gitmodules")
    found = _SUBMODULE.findall(source.text) if source is not None else []
    wanted = {_folded(name) for name in (package, *_modules(package))}
    return any(_folded(posixpath.basename(place.rstrip("/")).removesuffix(".git")) in wanted for place in found)


def imports_from_elsewhere(files: Files, path: str) -> bool:
    """Does a ``PYTHONPATH`` name a folder of the project that is not here, as one that is cloned into it first (``./external/fork:.``)? Its
    modules come before those that are installed."""
    folders = (posixpath.normpath(one) for one in path.split(":") if one and one[0] not in "/~$`")
    return any(folder != "." and not folder.startswith("..") and not _holds(files, folder) for folder in folders)


def _holds(files: Files, folder: str) -> bool:
    return any(files.glob(f"{folder}/{pattern}") for pattern in ("*.py", "*/*.py"))


def _folded(name: str) -> str:
    """``LLaMA-Factory`` is ``llamafactory``."""
    return name.lower().replace("-", "").replace("_", "")


def is_in_copy(files: Files, path: str) -> bool:
    """Does a file belong to a copy of a framework: do the folders that it is in hold a package of such a name?"""
    parts = posixpath.dirname(path).split("/")
    known = (at for at, part in enumerate(parts, 1) if part in _every_module())
    return any(files.exists("/".join((*parts[:at], "__init__.py"))) for at in known)


@cache
def _every_module() -> frozenset[str]:
    return frozenset(module for package in packages() for module in _modules(package.name))


def _modules(package: str) -> tuple[str, ...]:
    return next((one.modules for one in packages() if one.name == package and one.modules is not None), (package,))


def _parted(path: str) -> tuple[str, str]:
    """``top`` and ``module`` of the path of a package's ``__init__.py``."""
    top, _, module = posixpath.dirname(path).rpartition("/")
    return top, module


def _upward(path: str) -> Iterator[str]:
    folder = posixpath.dirname(path)
    while folder and folder not in ("/", "..") and not folder.startswith("../"):
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def version_of_copy(files: Files, copy: Copy) -> Release | None:
    """The version that stands literally in the copy. One under development may hold anything up to its release."""
    for source, found in _written(files, copy):
        at = Origin(OriginKind.FILE, source, Span(found.start(1), found.end(1)), key=copy.package)
        known = release(copy.package, found[1], at)
        version = version_of(found[1])
        if known is None or version is None or version.local == "unknown":
            continue
        if not version.is_devrelease:
            return known
        return replace(known, exact=False, high=version_of(version.base_version), closed=True)
    return None


def _written(files: Files, copy: Copy) -> Iterator[tuple[SourceFile, re.Match[str]]]:
    yield from _matches(files, copy.folder, _places_inside())
    beside = (copy.top, posixpath.dirname(copy.top)) if posixpath.basename(copy.top) == "src" else (copy.top,)
    for folder in beside:
        if _is_called(files, folder, copy.package):
            yield from _matches(files, folder, _BESIDE)


def _matches(files: Files, folder: str, places: tuple[tuple[str, re.Pattern[str]], ...]) -> Iterator[tuple[SourceFile, re.Match[str]]]:
    for name, pattern in places:
        source = _read(files, posixpath.join(folder, name))
        found = pattern.search(source.text) if source is not None else None
        if source is not None and found is not None:
            yield source, found


def _is_called(files: Files, folder: str, package: str) -> bool:
    sources = (_read(files, posixpath.join(folder, name)) for name in ("pyproject.toml", "setup.py"))
    said = (found[1] for one in sources if one for pattern in (_NAME, _RETURNED) for found in pattern.finditer(one.text))
    return any(name.lower().replace("_", "-") == package for name in said)


def _read(files: Files, path: str) -> SourceFile | None:
    source = files.read(path) if files.exists(path) else None
    return source if isinstance(source, SourceFile) else None


def with_copy(files: Files, stack: Stack, copy: Copy, program: str) -> Stack:
    """The stack with the copy, and its version. A pin of the package says that another is installed: it loses to a copy whose modules are
    started by name, from the folder that the copy lies in (``python -m``, sys.path[0])."""
    stack = replace(stack, copied=stack.copied | {copy.package})
    pinned = stack.releases.get(copy.package)
    if pinned is not None and pinned.exact and not program.startswith(f"{copy.module}."):
        return stack
    found = version_of_copy(files, copy)
    return stack if found is None else replace(stack, releases={**stack.releases, copy.package: found})
