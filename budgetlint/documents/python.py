"""Python training scripts as located documents: what they write into the calls that decide a run. Nothing is executed.

The root has one section for each class or function that is called, ``TrainingArguments`` or ``get_peft_model``, and under it the
keyword arguments; positional ones are ``0``, ``1``. ``AutoModelForCausalLM.from_pretrained(...)`` is the section
``AutoModelForCausalLM``. The tag of a section is the qualified name, with ``?`` where a condition may skip the call. What is no
literal, and no name that is bound to one once and for all, is the plain text ``<source>``: symbolic to every reader. ``**`` as a
key says that there may be more arguments than are seen.

Source: CPython 3.11 to 3.14 ``ast`` (``col_offset`` counts UTF-8 bytes), ``Parser/tokenizer.c`` translate_newlines.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator

from budgetlint.base import limits
from budgetlint.base.record import replace, state
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence, Style
from budgetlint.documents.python_builders import MARK, SETTINGS_MARK, read_builders, read_settings
from budgetlint.documents.python_marks import CAST, MORE, is_open
from budgetlint.documents.python_names import AttributeStore, Bindings, chain_of, names_of
from budgetlint.documents.python_places import Places

MAX_CHARACTERS = limits.PYTHON_CHARACTERS.most
"""A longer file is no training script; its tree would take more memory than a check may."""
_MAX_DEPTH = 12
_MAX_NODES = limits.PYTHON_NODES.most
"""Names that stand for each other could otherwise grow without bound."""

_PACKAGES = frozenset(("transformers", "trl", "peft", "unsloth"))
_ENDINGS = ("TrainingArguments", "Config", "Trainer")
_FUNCTIONS = frozenset(("get_peft_model", "prepare_model_for_kbit_training", "prepare_model_for_int8_training"))
_METHODS = frozenset(("gradient_checkpointing_enable", "requires_grad_", "half", "bfloat16"))
_CASTS = frozenset(("torch.float16", "torch.bfloat16", "torch.half"))
_NO_MODELS = ("Tokenizer", "TokenizerFast", "Processor", "Config", "FeatureExtractor")
_DEFINITIONS = frozenset(("compute_loss", "training_step", "create_optimizer", "create_scheduler", "create_optimizer_and_scheduler"))


def read_python(source: SourceFile) -> tuple[Document, ...]:
    """One document; without a root where the file is no Python of this interpreter, or makes none of these calls. A file whose
    functions build configurations has a document for each (`budgetlint.documents.python_builders`)."""
    tree = parsed(source.text)
    if tree is None:
        return (Document(source, "python", None),)
    if MARK in source.text and (built := read_builders(source, tree)):
        return built
    if SETTINGS_MARK in source.text and (settings := read_settings(source, tree)):
        return settings
    try:
        reading = _Reading(source.text, names_of(tree))
        root = reading.root()
        if reading.stopped is not None:
            source.stop(limits.PYTHON_NODES, reading.stopped)
    except RecursionError:  # a chain of operators is parsed deeper than it can be walked
        root = None
    return (Document(source, "python", root),)


def parsed(text: str) -> ast.Module | None:
    """The tree of a script; None for what is no Python of this interpreter, or too long."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in other people's strings
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):  # ValueError: NUL, lone surrogates, huge integers
        return None


@state
class _Left:
    nodes: int = _MAX_NODES


class _Reading:
    """From the tree's calls to sections."""

    def __init__(self, text: str, names: Bindings) -> None:
        self._text, self._names, self._places, self._left = text, names, Places(text), _Left()
        self.stopped: int | None = None
        """Where the first value stands that is not read for their number."""
        self._called = {id(value): name for name, values in names.bindings.items() for value in values if isinstance(value, ast.Call)}

    def root(self) -> Mapping | None:
        sections: dict[str, list[Mapping]] = {}
        keys: dict[str, Scalar] = {}
        for name, place, block in (*self._sections(), *self._model_config(), *self._definitions()):
            sections.setdefault(name, []).append(block)
            keys.setdefault(name, Scalar(name, place))
        entries = tuple(Entry(keys[name], agreed(blocks)) for name, blocks in sections.items())
        return Mapping(entries, Span(0, len(self._text))) if entries else None

    def _sections(self) -> Iterator[tuple[str, Span, Mapping]]:
        for call in self._names.calls:
            name = self._section(call)
            if name:
                yield name, self._places.span(call.func), self._call(call, 0)

    def _section(self, call: ast.Call) -> str:
        """The section of a call; empty for one that decides nothing here."""
        if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
            return CAST if call.func.attr == "bfloat16" else call.func.attr
        if chain_of(call.func)[-1:] in (("to",), ("set_default_dtype",)) and self._casts(call):
            return CAST
        head, *parts = self._names.qualified(call.func).split(".")
        if head not in _PACKAGES or not parts:
            return ""
        last = parts[-1]
        if last == "from_pretrained":
            return parts[-2] if len(parts) > 1 and not parts[-2].endswith(_NO_MODELS) else ""
        return last if last in _FUNCTIONS or last.endswith(_ENDINGS) else ""

    def _casts(self, call: ast.Call) -> bool:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        return any(self._names.qualified(argument) in _CASTS for argument in given)

    def _model_config(self) -> Iterator[tuple[str, Span, Mapping]]:
        """``model.config.use_cache = False``, and ``parameter.requires_grad = False``."""
        for store in self._names.stores:
            *before, name = store.chain
            if before[-1:] == ["config"]:
                span = self._places.span(store.at)
                yield "model_config", span, Mapping((self._stored(store),), span)
            elif name == "requires_grad":
                span = self._places.span(store.at)
                yield name, span, Mapping((), span)

    def _definitions(self) -> Iterator[tuple[str, Span, Mapping]]:
        """Methods that replace what the trainer does."""
        for function in self._names.functions:
            if function.name in _DEFINITIONS:
                span = self._places.span(function)
                yield function.name, span, Mapping((), span)

    def _call(self, call: ast.Call, depth: int) -> Mapping:
        qualified = self._names.qualified(call.func) or ".".join(chain_of(call.func)) or "?"
        tag = f"{qualified}?" if id(call) in self._names.maybe else qualified
        entries = [*self._positional(call, depth), *self._keywords(call, depth)]
        return Mapping(tuple(self._stored_over(call, entries)), self._places.span(call), tag=tag)

    def _positional(self, call: ast.Call, depth: int) -> Iterator[Entry]:
        for number, argument in enumerate(call.args):
            place = self._places.span(argument)
            if isinstance(argument, ast.Starred):
                yield self._more(place)
                return
            yield Entry(Scalar(str(number), place), self._node(argument, depth + 1))

    def _keywords(self, call: ast.Call, depth: int) -> Iterator[Entry]:
        opened = False
        for keyword in call.keywords:
            place = self._places.span(keyword)
            if keyword.arg is not None:
                yield Entry(Scalar(keyword.arg, Span(place.start, place.start + len(keyword.arg))), self._node(keyword.value, depth + 1))
                continue
            for entry in self._unpacked(keyword.value, depth):
                if entry.key.text != MORE or not opened:
                    yield entry
                opened = opened or entry.key.text == MORE

    def _unpacked(self, value: ast.expr, depth: int) -> tuple[Entry, ...]:
        """``**options``: its entries where it is a dictionary that is known."""
        node = self._node(value, depth + 1)
        return node.entries if isinstance(node, Mapping) and not node.tag else (self._more(self._places.span(value)),)

    def _more(self, place: Span) -> Entry:
        return Entry(Scalar(MORE, place), self._symbolic(place))

    def _stored_over(self, call: ast.Call, entries: list[Entry]) -> list[Entry]:
        """``arguments.bf16 = ...`` after the call: when it runs is not known, so neither is the value."""
        name = self._called.get(id(call))
        if name is None or not self._names.qualified(call.func).endswith(_ENDINGS[:2]):
            return entries
        later = {store.chain[1]: store for store in self._names.stores if store.chain[0] == name and len(store.chain) == 2}
        kept = [entry for entry in entries if entry.key.text not in later]
        changed = [self._unknown(self._stored(store)) for store in later.values()]
        return [*kept, *changed, *([self._more(self._places.span(call))] if name in self._names.changed else [])]

    def _stored(self, store: AttributeStore) -> Entry:
        place = self._places.span(store.at)
        key = Scalar(store.chain[-1], Span(place.end - len(store.chain[-1]), place.end))
        return Entry(key, self._node(store.value, 1) if store.value is not None else self._symbolic(place))

    def _unknown(self, entry: Entry) -> Entry:
        return replace(entry, value=self._symbolic(entry.value.span))

    # -- expressions

    def _node(self, node: ast.expr, depth: int) -> Node:
        self._left.nodes -= 1
        if self._left.nodes <= 0 and self.stopped is None:
            self.stopped = self._places.span(node).start
        if depth <= _MAX_DEPTH and self._left.nodes > 0:
            found = self._literal(node) or self._block(node, depth)
            if found is not None:
                return found
        return self._symbolic(self._places.span(node))

    def _literal(self, node: ast.expr) -> Scalar | None:
        number = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)) else node
        if isinstance(number, ast.Constant):
            return self._constant(node, number.value)
        qualified = self._names.qualified(node) if isinstance(node, ast.Attribute) else ""
        return Scalar(qualified, self._places.span(node)) if qualified.startswith("torch.") else None

    def _constant(self, node: ast.expr, value: object) -> Scalar | None:
        span = self._places.span(node)
        if isinstance(value, str) and isinstance(node, ast.Constant):
            return Scalar(value, span, Style.QUOTED)
        if value is None or (isinstance(value, bool) and isinstance(node, ast.Constant)):
            return Scalar(str(value), span) if isinstance(node, ast.Constant) else None
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return Scalar("".join(self._text[span.start : span.end].split()), span)
        return None

    def _block(self, node: ast.expr, depth: int) -> Node | None:
        if isinstance(node, ast.Name):
            return self._named(node, depth)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            items = tuple(self._node(item, depth + 1) for item in node.elts)
            return None if any(map(is_open, items)) else Sequence(items, self._places.span(node))
        if isinstance(node, ast.Dict):
            later = {entry.key.text: entry for entry in self._pairs(node, depth)}
            return Mapping(tuple(later.values()), self._places.span(node))
        if not isinstance(node, ast.Call):
            return None
        if chain_of(node.func) == ("dict",) and not node.args and "dict" not in self._names.bindings:
            return Mapping(tuple(self._keywords(node, depth)), self._places.span(node))
        return self._call(node, depth) if self._section(node) else None

    def _named(self, node: ast.Name, depth: int) -> Node | None:
        value = self._names.value(node.id)
        if value is None or (node.id in self._names.changed and not isinstance(value, ast.Call)):
            return None
        found = self._node(value, depth + 1)
        return None if is_open(found) or (isinstance(found, Mapping) and not found.tag and node.id in self._names.changed) else found

    def _pairs(self, node: ast.Dict, depth: int) -> Iterator[Entry]:
        """With repetitions: ``{**common, "bf16": True}`` means its last."""
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield Entry(Scalar(key.value, self._places.span(key), Style.QUOTED), self._node(value, depth + 1))
                continue
            yield from self._unpacked(value, depth) if key is None else (self._more(self._places.span(value)),)

    def _symbolic(self, span: Span) -> Scalar:
        return Scalar(f"<{' '.join(self._text[span.start : min(span.end, span.start + 60)].split())}>", span)


def agreed(blocks: Iterable[Mapping]) -> Mapping:
    """Several calls as one: what all of them say the same stays known, the rest is not."""
    first, *others = blocks
    if not others:
        return first
    found = {entry.key.text: entry for block in (first, *others) for entry in reversed(block.entries)}
    entries = tuple(_agreed(entry, (first, *others)) for entry in found.values())
    tags = {block.tag.removesuffix("?") for block in (first, *others)}
    maybe = "?" if all(block.tag.endswith("?") for block in (first, *others)) else ""
    return Mapping(entries, first.span, tag=f"{tags.pop()}{maybe}" if len(tags) == 1 else "")


def _agreed(entry: Entry, blocks: tuple[Mapping, ...]) -> Entry:
    same = all(_same(entry.value, block.get(entry.key.text)) for block in blocks)
    return entry if same else replace(entry, value=Scalar("<differs>", entry.value.span))


def _same(one: Node, other: Node | None) -> bool:
    if isinstance(one, Scalar):
        return isinstance(other, Scalar) and (one.text, one.style) == (other.text, other.style)
    if isinstance(one, Sequence):
        return isinstance(other, Sequence) and len(one.items) == len(other.items) and all(map(_same, one.items, other.items))
    ours = {entry.key.text: entry.value for entry in one.entries}
    return isinstance(other, Mapping) and list(ours) == list(other.keys()) and all(_same(v, other.get(k)) for k, v in ours.items())
