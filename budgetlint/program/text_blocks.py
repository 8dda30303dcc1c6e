"""Blocks that arrive as a text: ``--fsdp_config '{"version": 2}'``.

transformers 4.49 and 5.24 ``training_args.py`` ``_VALID_DICT_FIELDS`` and ``_convert_str_dict``: a text of these fields that begins with
``{`` is loaded as JSON, and texts in it that look like numbers, true or false become those. TRL 1.16 ``trainer/*_config.py`` adds two.
"""

from __future__ import annotations

from budgetlint.base import numerals
from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile, Span, SpanIn
from budgetlint.documents.json import read_json
from budgetlint.documents.node import Entry, Mapping, Node, Scalar, Sequence, Style

FIELDS = frozenset(
    (
        *("accelerator_config", "fsdp_config", "deepspeed", "gradient_checkpointing_kwargs", "activation_checkpointing_kwargs"),
        *("lr_scheduler_kwargs", "model_init_kwargs", "dataset_kwargs"),
    )
)
_LONGEST = 4096


def with_block(name: str, node: Node, home: SourceFile) -> Node:
    """The block that the class makes of a text; each part stands where it is written, or where the text does."""
    if name not in FIELDS or not isinstance(node, Scalar) or not node.text.startswith("{") or len(node.text) > _LONGEST:
        return node
    (document, *_) = read_json(SourceFile("", node.text))
    if not isinstance(document.root, Mapping) or document.problems or document.leniencies:
        return node
    source = node.span.source if isinstance(node.span, SpanIn) else home
    at = source.text.find(node.text, node.span.start, node.span.end)
    return _placed(document.root, node.span, at)


def _placed(node: Node, whole: Span, at: int) -> Node:
    span = whole if at < 0 else replace(whole, start=at + node.span.start, end=at + node.span.end)
    if isinstance(node, Scalar):
        return Scalar(node.text, span, Style.PLAIN if _is_converted(node.text) else node.style)
    if isinstance(node, Sequence):
        return replace(node, items=tuple(_placed(one, whole, at) for one in node.items), span=span)
    entries = tuple(Entry(Scalar(one.key.text, _placed(one.key, whole, at).span), _placed(one.value, whole, at)) for one in node.entries)
    return replace(node, entries=entries, span=span)


def _is_converted(text: str) -> bool:
    return text.lower() in ("true", "false") or numerals.is_digits(text.replace(".", "", 1))
