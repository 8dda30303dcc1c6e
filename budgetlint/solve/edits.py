"""Changed settings as edits of the user's own files: a value where it stands, a new key in the framework's own words, a statement.

Nothing is returned unless every changed setting has its edit; whether the edits do what they should is for `proof.py` to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from budgetlint.base.finding import Edit
from budgetlint.base.source import Span, SpanIn
from budgetlint.documents import Document, Entry, Scalar
from budgetlint.documents import Mapping as MappingNode
from budgetlint.documents.edit import insert_after, set_value
from budgetlint.documents.render import render, render_key
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import OriginKind, Reading, Role, Setting
from budgetlint.solve.budget_edits import claim_edits, statement_edits
from budgetlint.solve.spellings import UNSAID, as_said, key_of, word_of

_PLACEHOLDER = "budgetlint_value"

WRITTEN = (OriginKind.FILE, OriginKind.FLAG)


def edits_of(context: RunContext, changes: Mapping[str, Any]) -> tuple[Edit, ...]:
    """The edits that make these settings so; none where one of them has no place."""
    said = {name: context.run.settings.get(name) for name in changes}
    in_budget = {name: value for name, value in changes.items() if _by_budget(context, said[name])}
    found: list[Edit] = []
    trainer = context.run.trainer
    for name, value in as_said(trainer.format if trainer else "", changes).items():
        if name not in in_budget:
            edits = _in_files(context, name, value, context.run.settings.get(name))
            if not edits and name not in UNSAID:
                return ()
            found.extend((*edits, *(claim_edits(context, name, value) if edits else ())))
            found.extend(_not_8_bit(context) if name == "quant" else ())
    if in_budget:
        edits = statement_edits(context, in_budget)
        if not edits:
            return ()
        found.extend(edits)
    return _merged(found)


def _by_budget(context: RunContext, setting: Setting | None) -> bool:
    """The budget says it, or nobody does and the run has no file of its own."""
    if setting is not None and setting.origin.kind is OriginKind.BUDGET:
        return True
    return not context.run.readings


def _in_files(context: RunContext, name: str, value: Any, said: Setting | None) -> tuple[Edit, ...]:
    if said is not None and said.origin.kind is OriginKind.COMMAND_LINE:
        return ()
    if said is not None and said.origin.kind in WRITTEN:
        there = _where_it_stands(context, name, value, said)
        if there:
            return there
    for reading in _readings(context, name):
        added = _new_key(context, reading, name, value)
        if added:
            return added
    return ()


ENGINE_FIRST = frozenset({"shard", "offload_optimizer", "offload_params", "zero_bucket", "zero_allgather_bucket", "shard_strategy"})


def _readings(context: RunContext, name: str) -> Iterable[Reading]:
    """The engine's and the launcher's files first for what they decide, the trainer's for the rest."""
    first = name in ENGINE_FIRST
    return sorted(context.run.readings, key=lambda reading: (reading.role is Role.TRAINER) == first)


def _where_it_stands(context: RunContext, name: str, value: Any, said: Setting) -> tuple[Edit, ...]:
    for reading in context.run.readings:
        document = reading.document
        if document.format == "python" or document.source is not said.origin.source:
            continue
        entry = document.entry(said.origin.key)
        word = word_of(said.origin.key, name, value)
        if entry is not None and isinstance(entry.value, Scalar) and entry.value.span == said.origin.span and word is not None:
            return () if isinstance(word, BLOCKS) else set_value(document, entry.value, _flag_word(document, word))
    return ()


def _flag_word(document: Document, word: Any) -> Any:
    return str(word) if document.is_command else word


def _new_key(context: RunContext, reading: Reading, name: str, value: Any) -> tuple[Edit, ...]:
    document = reading.document
    if reading.format == "torchtune" and name == "quant":
        return _other_builder(document)
    path = key_of(reading.format, name, value, context.run.stack)
    if path is None or document.format == "python" or document.below:
        return ()
    word = word_of(path, name, value)
    if word is None:
        return ()
    above, _, last = path.rpartition(".")
    home = document.get(above) if above else document.root
    if home is None and "." not in above and not document.is_command:
        home, last, word = document.root, above, {last: word}  # the block is not there yet
    if not isinstance(home, MappingNode) or isinstance(home.span, SpanIn):
        return ()
    there = home.entry(last)
    if there is not None:
        same = isinstance(there.value, Scalar) and not isinstance(word, BLOCKS) and not isinstance(there.value.span, SpanIn)
        return set_value(document, there.value, _flag_word(document, word)) if same and isinstance(there.value, Scalar) else ()
    anchor = _anchor(context, document, home)
    return () if anchor is None else _inserted(document, anchor, last, word)


def _not_8_bit(context: RunContext) -> tuple[Edit, ...]:
    """``load_in_8bit: true`` beside ``load_in_4bit: true`` is refused (transformers utils/quantization_config.py BitsAndBytesConfig)."""
    for reading in context.run.readings:
        entry = reading.document.entry("load_in_8bit")
        if entry is not None and isinstance(entry.value, Scalar) and entry.value.text.lower() == "true":
            return set_value(reading.document, entry.value, _flag_word(reading.document, False))
    return ()


def _other_builder(document: Document) -> tuple[Edit, ...]:
    """torchtune models/*/_model_builders.py: ``qlora_…`` is ``lora_…`` on a 4-bit base."""
    entry = document.entry("model._component_")
    if entry is None or not isinstance(entry.value, Scalar) or ".lora_" not in entry.value.text:
        return ()
    return set_value(document, entry.value, entry.value.text.replace(".lora_", ".qlora_"))


NEAR = ("micro_batch", "grad_accum", "seq_len", "optimizer", "learning_rate", "shard")
"""A new key is written beside these, where one of them stands in the same block."""


def _anchor(context: RunContext, document: Document, home: MappingNode) -> Entry | None:
    keys = {said.origin.key.rpartition(".")[2] for name in NEAR if (said := context.run.settings.get(name)) and said.origin.key}
    near = [entry for entry in home.entries if entry.key.text in keys]
    every = [entry for entry in home.entries if not document.is_command or not isinstance(entry.value, MappingNode)]
    return near[0] if near else every[-1] if every else None


BLOCKS = (dict, tuple)


def _block(format: str, word: Any) -> str:
    if isinstance(word, tuple):
        return f"[{', '.join(render(one, format) for one in word)}]"
    return "{" + ", ".join(f"{render_key(key, format)}{EQUALS[format]}{render(one, format)}" for key, one in word.items()) + "}"


EQUALS = {"yaml": ": ", "json": ": ", "toml": " = "}


def _inserted(document: Document, anchor: Entry, name: str, word: Any) -> tuple[Edit, ...]:
    """A block is written in braces, a list in brackets, which YAML reads like JSON."""
    if not isinstance(word, BLOCKS):
        return insert_after(document, anchor, name, _flag_word(document, word))
    edits = insert_after(document, anchor, name, _PLACEHOLDER)
    block = _block(document.format, word)
    return tuple(Edit(edit.file, edit.span, edit.text.replace(f'"{_PLACEHOLDER}"', block).replace(_PLACEHOLDER, block)) for edit in edits)


def _merged(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """What is inserted at one place becomes one edit; the same edit twice is one; none at all where two edits meet otherwise."""
    by_place: dict[tuple[str, Span], Edit] = {}
    for edit in dict.fromkeys(edits):
        place = (edit.file, edit.span)
        before = by_place.get(place)
        if before is not None and edit.span.start != edit.span.end:
            return ()
        by_place[place] = edit if before is None else Edit(edit.file, edit.span, before.text + edit.text)
    found = sorted(by_place.values(), key=lambda edit: (edit.file, edit.span.start, edit.span.end))
    return () if any(_meet(left, right) for left, right in pairwise(found)) else tuple(found)


def _meet(left: Edit, right: Edit) -> bool:
    return left.file == right.file and right.span.start < left.span.end
