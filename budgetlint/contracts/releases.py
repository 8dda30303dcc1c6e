"""Which of the releases that were read tell what a run's own release does."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.settings.run import Stack


def possible(package: str, releases: Sequence[str], stack: Stack) -> tuple[int, ...]:
    """Numbers of the releases (oldest first): the newest that is not newer than the run's, and the next where it lies between two, so
    that only what both agree on is told. All of them where the stack does not tell; none where it is older than all."""
    below, above = -1, len(releases)
    for number, release in enumerate(releases):
        answer = stack.at_least(package, release)
        if answer is True:
            below = number
        elif answer is False:
            above = number
            break
    last = len(releases) - 1
    if above == 0:
        return ()
    first = max(below, 0)
    exact = 0 <= below < last and above == below + 1 and _is(package, releases[below], stack)
    return tuple(range(first, (first if exact else min(above, last)) + 1))


def _is(package: str, release: str, stack: Stack) -> bool:
    found = stack.releases.get(package)
    return found is not None and found.exact and str(found.said) == release
