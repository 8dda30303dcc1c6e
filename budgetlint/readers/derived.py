"""What follows from something else that is said: a default from another setting (an evaluation batch from the micro batch, an alpha from
the rank), and what a library that is taken puts in the place of others' code, which the manifests tell
(`budgetlint.frameworks.manifest.Patch`)."""

from __future__ import annotations

from typing import Any

from budgetlint.base.record import replace
from budgetlint.frameworks import patch
from budgetlint.frameworks.manifest import Patch
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings, Stack


def derived(name: str, value: Any, note: str, follows: Setting | None) -> Setting:
    """``value``, or as unknown as the setting it follows from."""
    origin = Origin(OriginKind.DERIVED, note=note)
    if follows is not None and not follows.known:
        return Setting(name, None, origin, follows.text, state=follows.state)
    return Setting(name, value, origin, str(value))


def liger_kernels(*, head: bool = True) -> tuple[str, ...]:
    """What Liger's one switch turns on; without ``head`` a caller turned off that head and loss are one."""
    kernels: tuple[str, ...] = patch("liger-kernel", "kernels").value
    return kernels if head else tuple(kernel for kernel in kernels if kernel != "linear_cross_entropy")


def patched(settings: Settings, stack: Stack, row: Patch) -> Settings:
    """With the setting of a patch decided, where it is open between the patch's two readings and the version is known."""
    found = settings.get(row.setting)
    if found is None or found.known or found.readings != row.readings:
        return settings
    newer = stack.at_least(row.by, row.since)
    if newer is None:
        return settings
    chosen = replace(found, value=row.readings[0 if newer else 1], state="known", readings=())
    return Settings(chosen if one is found else one for one in settings.values())
