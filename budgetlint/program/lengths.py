"""How long the rows of a training are: what tokenizers are told, and fields of the program that are called so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from budgetlint.program.sinks import Sink
from budgetlint.program.values import Known, Origin, Value

_TARGETS = ("target", "tgt", "summary", "answer", "label", "output")
_FIELDS = (
    "max_seq_length",
    "max_seq_len",
    "max_length",
    "seq_length",
    "sequence_length",
    "seq_len",
    "model_max_length",
    "block_size",
    "cutoff_len",
    "context_length",
    "max_len",
    "max_source_length",
)
"""What programs call the longest row; the first that is asked for holds."""
_MOST = 2_000_000


def lengths_of(sinks: Sequence[Sink], read: Sequence[tuple[str, Value]]) -> Mapping[str, Value]:
    """``max_length`` and ``max_target_length`` of the calls of a tokenizer, ``padding`` where every row has it; else ``field``, one that the
    program calls so."""
    calls = [one for one in sinks if one.kind == "tokenize" and _cuts(one) is not None]
    targets = [one for one in calls if _is_target(one)]
    sources = [one for one in calls if one not in targets]
    found: dict[str, Value] = {}
    for name, ones in (("max_length", sources), ("max_target_length", targets)):
        value = _agreed(_cuts(one) for one in ones)
        if value is not None:
            found[name] = value
    if "max_length" in found and all(_pads(one) for one in sources):
        found["padding"] = Known("max_length")
    if not calls:
        field = field_of(read, _FIELDS)
        found |= {"field": field} if field is not None else {}
    return found


def _cuts(call: Sink) -> Value | None:
    """The length that a call of a tokenizer keeps to."""
    given = call.get("max_length")
    truncates = call.get("truncation")
    off = truncates is None or (isinstance(truncates, Known) and truncates.value in (False, None, "do_not_truncate"))
    return given if given is not None and not off and not (isinstance(given, Known) and given.value is None) else None


def _pads(call: Sink) -> bool:
    given = call.get("padding")
    return isinstance(given, Known) and given.value == "max_length"


def _is_target(call: Sink) -> bool:
    if "text_target" in call.arguments:
        return True
    given = call.get("max_length")
    keys = [origin.key.lower() for origin in given.origins] if given is not None else []
    return any(word in key for word in _TARGETS for key in keys)


def _agreed(values: Iterable[Value | None]) -> Value | None:
    """The one length of several calls; None where they differ, or one is not known."""
    given = [one for one in values if one is not None]
    numbers = {one.value if isinstance(one, Known) else None for one in given}
    return given[0] if len(numbers) == 1 else None


def field_of(read: Sequence[tuple[str, Value]], names: Sequence[str]) -> Value | None:
    """The value of the program's field of one of these names, where a user can give it and all that were asked for agree."""
    for name in names:
        values = [
            value for key, value in read if key == name and isinstance(value, Known) and _is_count(value) and _is_given(value.origins)
        ]
        if values and len({value.value for value in values}) == 1:
            return values[0]
    return None


def _is_count(value: Known) -> bool:
    return isinstance(value.value, int) and not isinstance(value.value, bool) and 0 < value.value < _MOST


def _is_given(origins: tuple[Origin, ...]) -> bool:
    return any(one.kind in {"flag", "config", "option"} for one in origins)
