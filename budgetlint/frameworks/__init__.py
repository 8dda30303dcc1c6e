"""What is known of each framework beside how its files are read: one `Manifest` each, those of other packages included.

The manifest of a built-in reader stands in ``budgetlint/readers/<name>/manifest.py``; ``python -m budgetlint.readers`` writes all of
them into `_index`, so that a check imports one module for all tables and no reader that has nothing to read. A package of somebody else
brings its own by the entry-point group ``budgetlint.readers`` (docs/plugins.md). Tables elsewhere that list frameworks are views of these;
what a rule was checked for, and the values that keys take (`budgetlint.catalog.choice_rows`), stand with the rule and in the catalog.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from budgetlint.frameworks._index import MANIFESTS
from budgetlint.frameworks.manifest import Format, Manifest, Package, Patch
from budgetlint.isolation.entry_points import READERS, entry_points_of

if TYPE_CHECKING:
    from budgetlint.frameworks.installed import Brought

__all__ = ["Format", "Manifest", "Package", "every_format", "format_of", "home_of", "manifests", "others", "packages", "patch"]


@cache
def manifests() -> tuple[Manifest, ...]:
    """Every manifest: the built-in ones, then those of others, once per process."""
    brought = others()
    return (*MANIFESTS, *brought.manifests) if brought is not None else MANIFESTS


@cache
def others() -> Brought | None:
    """What other packages bring; None where none brings anything, as in most installations."""
    points = entry_points_of(READERS)
    if not points:
        return None
    from budgetlint.frameworks.installed import brought

    return brought(points, MANIFESTS)


@cache
def _by_format() -> dict[str, tuple[Manifest, Format]]:
    return {format.name: (manifest, format) for manifest in manifests() for format in manifest.formats}


def every_format() -> tuple[Format, ...]:
    return tuple(format for _, format in _by_format().values())


def format_of(name: str) -> Format:
    """What is known of a format; of a name that nobody knows, one of which nothing is said."""
    found = _by_format().get(name)
    return found[1] if found is not None else Format(name, name)


def home_of(name: str) -> Manifest | None:
    """The manifest that a format stands in."""
    found = _by_format().get(name)
    return found[0] if found is not None else None


def packages() -> tuple[Package, ...]:
    """The packages of all frameworks."""
    return tuple(package for manifest in manifests() for package in manifest.packages)


@cache
def patch(by: str, setting: str) -> Patch:
    """What a library makes of a setting in the code that it patches. Who asks names one that a manifest tells."""
    return next(row for manifest in manifests() for row in manifest.patches if (row.by, row.setting) == (by, setting))
