"""Requirements as pip writes them, as releases: ``transformers>=4.40,<5`` with where it stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from budgetlint.base.expression import expression
from budgetlint.base.limits import PINS
from budgetlint.base.source import SourceFile, Span
from budgetlint.frameworks import packages
from budgetlint.settings.run import Origin, OriginKind, Release, release, version_of

if TYPE_CHECKING:  # imported where a file of versions is found: 10 ms
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

_LIBRARIES = ("torch", "bitsandbytes", "torchao", "liger-kernel", "flash-attn", "unsloth")
"""Packages that are no framework, and whose version an estimate or a rule asks for."""


@cache
def looked_for() -> frozenset[str]:
    """Packages whose version is looked for."""
    return frozenset((*_LIBRARIES, *(package.name for package in packages() if package.pins)))


def of_texts(source: SourceFile, texts: Iterable[str]) -> Iterator[Release]:
    for text in texts:
        release = required(text, found_in(source, re.split(r"[=<>~!\s\[]", text, maxsplit=1)[0]))
        if release:
            yield release


def requirements(source: SourceFile) -> Iterator[Release]:
    """The first line of each package that says something about its version."""
    at, asked = 0, Counter[str]()
    for line in source.text.splitlines(keepends=True):
        package = _package_of(line)
        if package not in looked_for() or asked[package] >= PINS.most:
            at += len(line)
            continue
        asked[package] += 1
        text = re.split(r"\s#|^#|\s--", line, maxsplit=1)[0].strip().rstrip("\\").strip()
        start = at + line.find(text) if text else at
        at += len(line)
        release = required(text, Origin(OriginKind.FILE, source, Span(start, start + len(text)), key=text)) if text else None
        if release:
            asked[package] = PINS.most
            yield release


def _package_of(line: str) -> str:
    """The name that a requirement begins with, as PyPI spells it: most lines are about packages that nothing hangs on."""
    found = _NAME.match(line)
    return found[1].lower().replace("_", "-") if found else ""


_NAME = expression(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


_TAG = expression(r"git\+https://github\.com/[\w.-]+/([\w-]+?)(?:\.git)?@v?(\d+\.\d+(?:\.\d+)?)(?=$|[\s#\"'])")
"""A tag of a repository is the release of that name."""


def required(text: str, origin: Origin) -> Release | None:
    tagged = _TAG.search(text)
    if tagged is not None and tagged[1].lower() in looked_for():
        return release(tagged[1].lower(), tagged[2], origin)
    if text.startswith(("-", "git+", "http")):
        return None
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None
    package = requirement.name.lower().replace("_", "-")
    if package not in looked_for() or not requirement.specifier:
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


def exclude(one: Release, other: Release) -> bool:
    """No version is in both."""
    ends = ((one, other), (other, one))
    return any(
        upper is not None and low.low is not None and (low.low > upper or (low.low == upper and not high.exact and not high.closed))
        for low, high in ends
        for upper in (high.low if high.exact else high.high,)
    )


def found_in(source: SourceFile, text: str) -> Origin:
    start = max(source.text.find(text), 0)
    return Origin(OriginKind.FILE, source, Span(start, start + len(text)), key=text)
