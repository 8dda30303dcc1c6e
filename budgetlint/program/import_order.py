"""Which of two packages comes first, where one exchanges classes of the other when it is imported: a name that was bound before keeps the
old class (unsloth 2025.2.6 ``models/llama.py`` ends in ``PatchFastRL``, which writes its own trainers and configs into ``trl``).

Modules that only define things are followed late, so the order is that of their text: what the entry file imports at its top, with all
that these import, in order. Imports in functions come after, as they are met.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.program.modules import Modules

_PATCHES, _PATCHED = "unsloth", "trl"
_MOST_MODULES = 300


def may_be_unpatched(modules: Modules) -> bool:
    """Whether TRL's classes may have been taken before Unsloth exchanged them."""
    first = next(_at_the_top(modules, modules.entry), "") or next(iter(modules.order), "")
    return first == _PATCHED


def note_import(modules: Modules, dotted: str) -> None:
    root = dotted.partition(".")[0]
    if root in (_PATCHES, _PATCHED):
        modules.order.append(root)


def _at_the_top(modules: Modules, entry: str) -> Iterator[str]:
    """Unsloth and TRL as they are imported when the entry file's own imports run."""
    seen, waiting = {entry}, [iter(modules.trees.effects(entry).imports)]
    places = [entry]
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
            places.pop()
            continue
        dotted, level = found
        root = dotted.partition(".")[0]
        if not level and root in (_PATCHES, _PATCHED):
            yield root
            continue
        path = modules.named(places[-1], dotted, level)
        if path is not None and path not in seen and len(seen) < _MOST_MODULES:
            seen.add(path)
            waiting.append(iter(modules.trees.effects(path).imports))
            places.append(path)
