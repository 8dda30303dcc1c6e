"""What follows from something else that is said: a default from another setting (an evaluation batch from the micro batch, an alpha from
the rank), what a library that is taken puts in the place of others' code, which the manifests tell
(`budgetlint.frameworks.manifest.Patch`), and what a place to fill in leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.base.record import replace
from budgetlint.documents import Document, Loader
from budgetlint.frameworks import patch
from budgetlint.frameworks.manifest import Patch
from budgetlint.readers.base import default, hidden, is_symbolic, raw_at
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings, Stack


def derived(name: str, value: Any, note: str, follows: Setting | None) -> Setting:
    """``value``, or as unknown as the setting it follows from."""
    origin = Origin(OriginKind.DERIVED, note=note)
    if follows is not None and not follows.known:
        return Setting(name, None, origin, follows.text, state=follows.state)
    return Setting(name, value, origin, str(value))


AT_LEAST = "no fewer are meant: "
"""How the note of a number begins that a file only puts a lower bound on: whoever says more is right."""


def left_open(document: Document, loader: Loader, decides: Iterable[tuple[str, str, tuple[Any, ...]]]) -> Iterator[Setting]:
    """What a key decides together with others, where something else fills in its value: rows of a path, a setting, and what that can then
    be (nothing: whatever it can be at all)."""
    for path, name, values in decides:
        raw = raw_at(document, loader, path)
        if raw is not None and isinstance(raw.value, str) and is_symbolic(raw.value):
            yield Setting(name, None, raw.origin, raw.text, "symbolic", readings=values)


ADAMS = ("adamw", "adam")
"""What ``Adam(decoupled_weight_decay=…)`` may be."""


def loss_by_kernels(settings: Settings, fused: str, full: str) -> Setting:
    """The loss where only Liger's kernel fuses it with the head: ``fused`` and ``full`` say where that is decided."""
    kernels = settings.get("kernels")
    if kernels is not None and not kernels.known:
        return hidden("loss", ("fused", "full"), fused)
    fuses = kernels is not None and "linear_cross_entropy" in kernels.value
    return default("loss", "fused" if fuses else "full", fused if fuses else full)


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
