"""Who offers rules, readers and policies: the entry points of the groups ``budgetlint.rules``, ``budgetlint.readers`` and
``budgetlint.policies`` of everything that is installed.

Only the site folders of the interpreter are looked at, never the rest of ``sys.path``: a checkout on ``PYTHONPATH`` that holds an
``.egg-info`` folder is not installed. The names are read from the ``entry_points.txt`` of each distribution (Entry points
specification, packaging.python.org). `importlib.metadata` reads the same, from everywhere, and costs 22 of the 200 ms that a check of
one file takes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

from budgetlint.base.record import record
from budgetlint.isolation import search_path
from budgetlint.isolation.checkout import is_below

RULES, READERS, POLICIES = GROUPS = ("budgetlint.rules", "budgetlint.readers", "budgetlint.policies")
_OURS = "budgetlint."
FOLDERS = (".dist-info", ".egg-info")
OWN = "budgetlint"


@record
class EntryPoint:
    """One entry point: ``value`` is ``module:attribute``, ``owner`` the distribution, ``group`` one of `GROUPS`."""

    name: str
    value: str
    owner: str
    group: str = RULES

    @property
    def module(self) -> str:
        return self.value.partition(":")[0].strip()

    def load(self) -> Any:
        """What is offered; raises whatever the import raises."""
        found: Any = import_module(self.module)
        for attribute in filter(None, self.value.partition(":")[2].partition("[")[0].strip().split(".")):
            found = getattr(found, attribute)
        return found

    def places(self) -> tuple[str, ...]:
        """Where its package lies, found without importing it; empty where it is not found. It may lie where nothing is imported from."""
        from importlib.machinery import PathFinder
        from importlib.util import find_spec

        name = self.module.partition(".")[0]
        try:
            spec = find_spec(name) or PathFinder.find_spec(name, search_path.left)
        except (ImportError, ValueError):
            return ()
        if spec is None:
            return ()
        return tuple(spec.submodule_search_locations or ([spec.origin] if spec.origin else []))

    def checked_place(self) -> str | None:
        """A place of its package that is part of what is checked: an editable install of the checkout. None for what is installed as a
        copy, wherever its environment lies, and for budgetlint's own checkout."""
        trusted = (*search_path.site_folders(), search_path.home())
        places = (place for place in self.places() if not any(is_below(place, top) for top in trusted))
        return next((os.path.realpath(place) for place in places if search_path.is_checked(place)), None)


def entry_points_of(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group."""
    return tuple(offer for offer in every_entry_point() if offer.group == group)


def every_entry_point() -> tuple[EntryPoint, ...]:
    """Those of all groups. The site folders are read once."""
    return _installed_in(search_path.site_folders(), search_path.home())


@cache
def _installed_in(site: tuple[str, ...], home: str) -> tuple[EntryPoint, ...]:
    """Each distribution once, the first that has its name. Of the folder where budgetlint itself lies only budgetlint: it may be a
    checkout."""
    seen: set[str] = set()
    found: list[EntryPoint] = []
    for place in dict.fromkeys((*site, home)):
        for folder, name in _distributions(place):
            if name not in seen and (place in site or name == OWN):
                seen.add(name)
                found.extend(_entry_points_in(os.path.join(folder, "entry_points.txt"), name))  # noqa: PTH118
    return tuple(found)


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


def _entry_points_in(path: str, owner: str) -> Iterator[EntryPoint]:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return
    section = ""
    for line in text.splitlines() if _OURS in text else ():
        stripped = line.strip()
        if stripped.startswith("["):
            section = stripped.strip("[]")
        elif section in GROUPS and "=" in stripped and not stripped.startswith(("#", ";")):
            name, _, value = stripped.partition("=")
            yield EntryPoint(name.strip(), value.strip(), owner, section)
