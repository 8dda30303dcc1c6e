"""Builds of a framework that are somebody's own, by the local part of their version (``transformers==4.57.1+acme``): what its release fills
in is not known to be what such a build does.

Public builds have local parts too: PyTorch's ``+cu124``, ``+cpu``, ``+rocm6.2``, ``+xpu``, NVIDIA's ``+nv24.10``, those of clusters, and
the ``+g1a2b3c4`` of setuptools-scm, which names a commit.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.readers.base import ENDS, hidden
from budgetlint.settings.run import Release, Setting, Settings, Stack

_PUBLIC = expression(r"(?:cu\d+|cpu|rocm|xpu|hpu|nv\d|git|g[0-9a-f]{6}|computecanada|unknown|fb|pt\d|torch\d).*")


def own_builds(stack: Stack) -> list[Release]:
    """The releases of a stack that nobody published."""
    exact = (one for one in stack.releases.values() if one.exact and one.low is not None and one.low.local)
    return [one for one in exact if one.low is not None and _PUBLIC.fullmatch(str(one.low.local)) is None]


def with_own_builds(settings: Settings, stack: Stack) -> Settings:
    """What such a build fills in is unresolved."""
    builds = own_builds(stack)
    if not builds:
        return settings
    return Settings(_doubted(setting, builds) for setting in settings.values())


def _doubted(setting: Setting, builds: list[Release]) -> Setting:
    ends = ENDS.get(setting.name)
    note = setting.origin.note.lower() if setting.is_default else ""
    build = next((one for one in builds if one.package in note.split()), None)
    return setting if ends is None or build is None else hidden(setting.name, ends, _says(build))


def _says(build: Release) -> str:
    return f"{build.package} {build.said} is a build of somebody's own: what it fills in is not known"


def says(stack: Stack) -> Iterator[str]:
    """What is said of a run that has one."""
    for one in own_builds(stack):
        at = one.origin.location
        yield f"{_says(one)}{f' ({at.file}:{at.line})' if at is not None else ''}"
