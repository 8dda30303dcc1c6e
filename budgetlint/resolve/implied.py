"""Releases that nobody names and that a pinned one leaves no choice of: what pip would have to install beside it.

TRL asks for transformers and accelerate in its metadata, release by release (`budgetlint/contracts/requires.json`). So a pinned TRL bounds
both from below, and a pinned transformers bounds TRL from above: transformers 4.46 is in no environment with TRL 0.18, which asks for 4.50.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from budgetlint.base.record import record, replace
from budgetlint.settings.run import Release, Stack, version_of

if TYPE_CHECKING:
    from packaging.version import Version

_ASKS, _ASKED = "trl", ("transformers", "accelerate")


@record
class ImpliedRow:
    """What the releases from ``first`` up to the next row ask of a package: ``low <= v < high``."""

    first: Version
    low: Version | None
    high: Version | None


def with_implied(stack: Stack) -> Stack:
    """The stack with what its releases imply. One that is exact, or that a copy in the project replaces, stays what it is."""
    if _ASKS not in stack.releases and "transformers" not in stack.releases:
        return stack
    releases = dict(stack.releases)
    for package in sorted(set(_ASKED) - stack.doubted) if _ASKS in releases else ():
        low, high = _ends([row for row in _rows(package) if _may_hold(row, releases[_ASKS], _rows(package))])
        _narrow(releases, package, low, high, releases[_ASKS])
    if "transformers" in stack.releases and _ASKS not in stack.copied | stack.doubted:
        _narrow(releases, _ASKS, None, _too_new(stack.releases["transformers"]), stack.releases["transformers"])
    return stack if releases == stack.releases else replace(stack, releases=releases)


def _ends(rows: Sequence[ImpliedRow]) -> tuple[Version | None, Version | None]:
    """The least and the most that any of them takes."""
    lows, highs = [row.low for row in rows], [row.high for row in rows]
    low = None if None in lows or not lows else min(one for one in lows if one is not None)
    high = None if None in highs or not highs else max(one for one in highs if one is not None)
    return low, high


def _may_hold(row: ImpliedRow, asking: Release, rows: Sequence[ImpliedRow]) -> bool:
    """May a release of the range be one of this row's?"""
    later = next((one.first for one in rows if one.first > row.first), None)
    if asking.exact:
        return asking.low is not None and row.first <= asking.low and (later is None or asking.low < later)
    below = later is None or asking.low is None or asking.low < later
    return below and (asking.high is None or row.first < asking.high or (asking.closed and row.first == asking.high))


def _too_new(wanted: Release) -> Version | None:
    """The first TRL that asks for a newer transformers than may be here, as all after it do."""
    most = wanted.low if wanted.exact else wanted.high
    found: Version | None = None
    for row in reversed(_rows("transformers")):
        if most is None or row.low is None or not (row.low > most or (row.low == most and not wanted.exact and not wanted.closed)):
            break
        found = row.first
    return found


def _narrow(releases: dict[str, Release], package: str, low: Version | None, high: Version | None, by: Release) -> None:
    known = releases.get(package)
    if (low is None and high is None) or (known is not None and known.exact):
        return
    if known is None:
        releases[package] = Release(package, low, high, by.origin)
        return
    least = max((one for one in (known.low, low) if one is not None), default=None)
    closer = high is not None and (known.high is None or high < known.high)
    most, closed = (high, False) if closer else (known.high, known.closed)
    if least is None or most is None or least < most:  # else nothing can be installed: what is written stays
        releases[package] = replace(known, low=least, high=most, closed=closed)


@cache
def _rows(package: str) -> tuple[ImpliedRow, ...]:
    return tuple(_read(package))


def _read(package: str) -> Iterator[ImpliedRow]:
    import json
    from importlib.resources import files

    from packaging.specifiers import SpecifierSet

    table: Mapping[str, Mapping[str, str]] = json.loads((files("budgetlint.contracts") / "requires.json").read_text("utf-8"))[_ASKS]
    for version, asks in table.items():
        first, low, high = version_of(version), None, None
        for one in SpecifierSet(asks.get(package, "")):
            low, high = (version_of(one.version), high) if one.operator == ">=" else (low, version_of(one.version))
        if first is not None:
            yield ImpliedRow(first, low, high)
