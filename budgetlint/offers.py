"""Who offers rules: the entry points of the group ``budgetlint.rules`` of everything that is installed.

The names are read from the ``entry_points.txt`` of each distribution (Entry points specification, packaging.python.org), as
``importlib.metadata`` does; that module is asked itself where something is on the path that only it understands (a zip file, a finder
of somebody's own). It costs 22 of the 200 ms that a check of one file takes, for ``email`` and ``zipfile`` more than for the answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from budgetlint.record import record

GROUP = "budgetlint.rules"
FOLDERS = (".dist-info", ".egg-info")
_STANDARD = frozenset({"BuiltinImporter", "FrozenImporter", "PathFinder"})


@record
class Offer:
    """One entry point: ``value`` is ``module:attribute``, ``owner`` the distribution."""

    name: str
    value: str
    owner: str

    @property
    def module(self) -> str:
        return self.value.partition(":")[0].strip()

    def load(self) -> Any:
        """What is offered; raises whatever the import raises."""
        found: Any = import_module(self.module)
        for attribute in filter(None, self.value.partition(":")[2].partition("[")[0].strip().split(".")):
            found = getattr(found, attribute)
        return found


def offers() -> tuple[Offer, ...]:
    """Each distribution once, the first on the path that has its name."""
    return tuple(_asked() if _unusual() else _read())


def _unusual() -> bool:
    others = (finder for finder in sys.meta_path if getattr(finder, "__name__", "") not in _STANDARD)
    return any(hasattr(finder, "find_distributions") for finder in others) or any(os.path.isfile(place) for place in sys.path)  # noqa: PTH113


def _asked() -> Iterator[Offer]:
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        yield Offer(point.name, point.value, point.dist.name if point.dist else "")


def _read() -> Iterator[Offer]:
    seen: set[str] = set()
    for place in sys.path:
        for folder, name in _distributions(place or "."):
            if name not in seen:
                seen.add(name)
                yield from _offers_in(os.path.join(folder, "entry_points.txt"), name)  # noqa: PTH118


def _distributions(place: str) -> Iterable[tuple[str, str]]:
    """Folders with the names of their distributions, as PyPI compares them."""
    try:
        with os.scandir(place) as entries:
            found = sorted((entry.name, entry.path) for entry in entries if entry.name.endswith(FOLDERS))
    except OSError:
        return ()
    return [(path, _normal(name)) for name, path in found]


def _normal(folder: str) -> str:
    name = folder.removesuffix(".dist-info").removesuffix(".egg-info").partition("-")[0]
    return name.lower().replace("_", "-").replace(".", "-")


def _offers_in(path: str, owner: str) -> Iterator[Offer]:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return
    section = ""
    for line in text.splitlines() if GROUP in text else ():
        stripped = line.strip()
        if stripped.startswith("["):
            section = stripped.strip("[]")
        elif section == GROUP and "=" in stripped and not stripped.startswith(("#", ";")):
            name, _, value = stripped.partition("=")
            yield Offer(name.strip(), value.strip(), owner)
