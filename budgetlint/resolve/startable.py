"""The versions under which a program gets past its own calls: a release that does not take an argument which it surely gives stops there,
so that no reading is of that release. Only where nobody states the version, and the verdict hangs on something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from budgetlint.base.record import replace
from budgetlint.resolve.axes import unstated
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Origin, OriginKind, Release, Stack

if TYPE_CHECKING:
    from budgetlint.contracts.signature import Signature
    from budgetlint.settings.program import FollowedProgram


def startable(context: RunContext) -> Stack | None:
    """The stack with the releases that are left; None where the verdict hangs on no version, or no call leaves out any. Unsloth puts
    classes that take more in TRL's place (2024.8 to 2026.10 ``models/rl.py``)."""
    forks = context.estimate.forks if context.estimate is not None else ()
    hangs = {one.name for fork in forks for one in fork.settings}
    if context.program is None or not hangs & _READ or _is_patched(context):
        return None
    found = _releases(context.program, context.run.stack)
    if not hangs & found.keys():
        return None
    return replace(context.run.stack, releases={**context.run.stack.releases, **found})


_READ = frozenset({"trl", "transformers", "peft"})
"""Packages whose classes were read (`contracts/signatures`)."""


def _is_patched(context: RunContext) -> bool:
    trainer = context.run.trainer
    return trainer is not None and "unsloth" in trainer.document.source.text.lower()


def _releases(program: FollowedProgram, stack: Stack) -> dict[str, Release]:
    from budgetlint.contracts.signature import find  # few runs hang on a version

    found: dict[str, Release] = {}
    for call in program.calls:
        signature = find(call.called)
        for name, _ in call.names if signature is not None else ():
            left = _taking(signature, name, found, stack) if signature is not None else None
            if left is not None:
                found[left.package] = left
    return found


def _taking(signature: Signature, name: str, found: Mapping[str, Release], stack: Stack) -> Release | None:
    """The releases that take an argument, of those that may run; None where all do, or it is not known which."""
    owner = signature.owner(name)
    first, gone = signature.history(name)
    if not first or signature.takes(name, stack) is not None:
        return None
    since = first if owner == signature.package and first != signature.releases[0] else ""
    known = found.get(owner) or stack.releases.get(owner) or unstated(owner)
    return _left(known, since, gone, f"{signature.name} takes {name}")


def _left(known: Release, since: str, gone: str, why: str) -> Release | None:
    """The part of a range from ``since`` up to ``gone``; None where it is no smaller, or nothing is left."""
    from packaging.version import Version  # most runs state their versions

    if known.exact:
        return None
    low = max((one for one in (known.low, Version(since) if since else None) if one is not None), default=None)
    high = min((one for one in (known.high, Version(gone) if gone else None) if one is not None), default=None)
    if (low, high) == (known.low, known.high) or (low is not None and high is not None and low >= high):
        return None
    return Release(known.package, low, high, Origin(OriginKind.READ, note=why), closed=known.closed and high == known.high)
