"""Values of a run that are one of several, as far as each of them means a setting."""

from __future__ import annotations

from budgetlint.program.objects import Object
from budgetlint.program.values import Choice, Copied, External, Items, Known, Value
from budgetlint.program.wiring import Wiring


def is_of_plain(value: Choice) -> bool:
    """A choice of scalars, dtypes or lists of scalars: each of them means a setting."""
    return all(_is_plain(way.value) for way in value.ways)


def _is_plain(value: Value) -> bool:
    if isinstance(value, Items):
        return value.more is None and all(isinstance(one, Known) for one in value.items)
    return isinstance(value, Known | Copied) or (isinstance(value, External) and value.name.startswith("torch."))


def most_ways(wiring: Wiring) -> int:
    """The most values that one of the run's arguments may have; 1 where none is chosen."""
    told = [*(wiring.arguments.attributes.values() if wiring.arguments is not None else ()), *wiring.facts.values()]
    sinks = [*wiring.models, *wiring.done, *([wiring.trainer] if wiring.trainer is not None else [])]
    held = [value for one in sinks for value in (*one.arguments.values(), *one.positional)]
    inner = [value for one in held if isinstance(one, Object) for value in one.attributes.values()]
    return max((len(one.ways) for one in (*told, *held, *inner) if isinstance(one, Choice) and is_of_plain(one)), default=1)
