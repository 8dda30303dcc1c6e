"""How long the rows of a training are: what tokenizers are told, and fields of the program that are called so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from budgetlint.program.choices import alternatives
from budgetlint.program.evaluating import training
from budgetlint.program.places import Origin
from budgetlint.program.sinks import Sink
from budgetlint.program.values import NONE, Known, Opaque, Value

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
)
"""What programs call the longest row; the first that is asked for holds."""
_BLOCKS = ("block_size",)
"""Of a length that all texts are cut to: a batch has no other (nanoGPT ``train.py`` get_batch, transformers ``run_clm.py`` group_texts)."""
_MOST = 2_000_000


def lengths_of(sinks: Sequence[Sink], read: Sequence[tuple[str, Value]]) -> Mapping[str, Value]:
    """``max_length`` and ``max_target_length`` of the calls of a tokenizer, ``padding`` where every row is as long; else ``field``, one
    that the program calls so. What only evaluates has lengths of its own."""
    calls, others = training(sinks, "tokenize")
    cuts = [(call, way.value) for call in calls for way in alternatives(_cuts(call))]
    whole = any(value is NONE and _is_of_data(call) for call, value in cuts)
    cuts = [(call, value) for call, value in cuts if value is not NONE and not (whole and call.may_be_skipped)]
    targets = [(call, value) for call, value in cuts if "text_target" in call.arguments or _is_target(value)]
    sources = [one for one in cuts if one not in targets]
    found: dict[str, Value] = {}
    for name, ones in (("max_length", sources), ("max_target_length", targets)):
        value = _agreed([one for _, one in ones])
        if value is not None:
            found[name] = value
    if "max_length" in found and all(_pads(call) for call, _ in sources):
        found["padding"] = Known("max_length")
    if not cuts and not others:
        field = field_of(read, _FIELDS)
        found |= {"field": field} if field is not None else {}
        if field is not None and field is field_of(read, _BLOCKS):
            found["padding"] = Known("max_length")
    return found


def _cuts(call: Sink) -> Value:
    """The length that a call of a tokenizer keeps to; None of Python where it does not cut."""
    given, truncates = call.get("max_length"), call.get("truncation")
    off = truncates is None or (isinstance(truncates, Known) and truncates.value in (False, None, "do_not_truncate"))
    return NONE if given is None or off or (isinstance(given, Known) and given.value is None) else given


def _is_of_data(call: Sink) -> bool:
    """Rows are texts that nobody knows; a single token is a word of the tokenizer's own. A template that gives text cuts nothing."""
    given, as_text = call.get("text", at=0), call.get("tokenize")
    own = isinstance(given, Known) or (isinstance(given, Opaque) and "token of" in given.why)
    return given is not None and not own and not (isinstance(as_text, Known) and as_text.value is False)


def _pads(call: Sink) -> bool:
    given = call.get("padding")
    return isinstance(given, Known) and given.value == "max_length"


def _is_target(value: Value) -> bool:
    """Does the program call it the length of a target?"""
    return any(word in origin.key.lower() for word in _TARGETS for origin in value.origins)


def _agreed(values: Sequence[Value]) -> Value | None:
    """The one length of several calls; None where they differ, or one is not known."""
    numbers = {one.value if isinstance(one, Known) else None for one in values}
    return values[0] if len(numbers) == 1 else None


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
