"""Values that do not fit together, and what was likely meant: looked at before the values are counted and typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from budgetlint.base.units import UNITS
from budgetlint.language.rows_training import SHARDS
from budgetlint.language.slots import StatementSpec
from budgetlint.language.tree import ListValue, Value
from budgetlint.language.values import Wrong

Values = Sequence[Value | ListValue]
Hint = tuple[Wrong, int, int] | None
"""What is wrong, and the first and last value that it spans."""


def misfit(spec: StatementSpec, values: Values) -> Hint:
    """The statement's own hint, then the one for an amount in two words."""
    own = _HINTS.get(spec.keyword)
    return (own(values) if own else None) or _split_amount(spec, values)


def _texts(values: Values) -> list[str]:
    return [value.content if isinstance(value, Value) else "[]" for value in values]


def _split_amount(spec: StatementSpec, values: Values) -> Hint:
    """``32 GiB``."""
    for at, (number, unit) in enumerate(pairwise(values)):
        if isinstance(number, Value) and isinstance(unit, Value) and number.kind == "number" and unit.text in UNITS:
            joined = f"{number.text}{unit.text}"
            return Wrong("BL005", f"an amount is one word ({spec.keyword})", f"write {joined}", joined), at, at + 1
    return None


def _shard(values: Values) -> Hint:
    """``zero 3``, ``zero-3``."""
    words = _texts(values)
    stage = re.fullmatch(r"(?:ds|deepspeed|zero|stage)[-_ ]?([123])", " ".join(words[:2]).lower())
    if stage is None or words[0] in SHARDS:
        return None
    return Wrong("BL003", f"'{' '.join(words[:2])}' is no strategy", f"write zero{stage[1]}", f"zero{stage[1]}"), 0, min(1, len(words) - 1)


def _stack(values: Values) -> Hint:
    """``transformers 5.24``."""
    for at, (name, version) in enumerate(pairwise(values)):
        if not isinstance(name, Value) or not isinstance(version, Value):
            continue
        if version.kind == "number" or re.fullmatch(r"[0-9][\w.]*", version.text):
            joined = f"{name.text}@{version.text}"
            return (
                Wrong("BL006", f"a package and its version are one word: '{name.text} {version.text}'", f"write {joined}", joined),
                at,
                at + 1,
            )
    return None


def _batch(values: Values) -> Hint:
    """``batch 2x8``, ``batch 2 8``."""
    first = values[0] if values else None
    if not isinstance(first, Value):
        return None
    pair = re.fullmatch(r"([0-9]+)[xX*]([0-9]+)", " ".join(_texts(values[:1])))
    if pair is None:
        return None
    likely = f"{pair[1]} accum={pair[2]}"
    return Wrong("BL003", f"'{first.text}' is two figures", f"write batch {likely}: sequences per device, then accumulation", likely), 0, 0


def _seq(values: Values) -> Hint:
    first = values[0] if values else None
    if not isinstance(first, Value) or not re.fullmatch(r"[0-9]{1,9}[kK]", first.text):
        return None
    number = int(first.text[:-1])
    return Wrong("BL003", f"'{first.text}' has two readings (seq)", f"write {number * 1024} or {number * 1000}"), 0, 0


def _adapter(values: Values) -> Hint:
    """``adapter lora``, ``adapter qlora``."""
    first = values[0] if values else None
    if not isinstance(first, Value) or first.content.lower() not in ("lora", "qlora", "dora"):
        return None
    return Wrong("BL003", f"'{first.content}' has a statement of its own", "write lora r=16; with quant nf4 it is QLoRA"), 0, 0


def _measured(values: Values) -> Hint:
    """``measured 11GiB``."""
    first = values[0] if values else None
    if not isinstance(first, Value) or not re.fullmatch(r"[0-9][0-9_]*(\.[0-9]+)?[A-Za-z]+", first.text):
        return None
    return Wrong("BL006", f"'{first.text}' has no name (measured)", f"write peak={first.text}, and metric= for what printed it"), 0, 0


_HINTS: Mapping[str, Callable[[Values], Hint]] = {
    "shard": _shard,
    "stack": _stack,
    "batch": _batch,
    "seq": _seq,
    "adapter": _adapter,
    "measured": _measured,
}
