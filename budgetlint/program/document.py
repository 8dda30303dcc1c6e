"""A followed program as a located document, as if it had been written in one place: what readers read.

The root has a section for each sink of a run, by the name of its class or function (``TrainingArguments``, ``AutoModelForCausalLM``),
under it the arguments as they arrive. The tag of a section is the qualified name, with ``?`` where a condition may skip the call. A value
keeps the place where it was decided: a line of the program, a key of a config, a word of the launch. What is not known is the plain text
``<why>``, symbolic to every reader; ``**`` as a key says that there may be more arguments than are seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from budgetlint.base.record import open_state, replace
from budgetlint.base.source import SourceFile, Span, SpanIn
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence, Style
from budgetlint.documents.python_marks import (
    AROUND,
    CAST,
    EVALUATES,
    FACTS,
    KEEPS_OUTPUTS,
    LOOP,
    MORE,
    OF_WHICH_THE_END,
    PERHAPS,
    REPLACED,
    UNPATCHED,
)
from budgetlint.documents.python_places import Places
from budgetlint.program.around import Around, summed
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.modules import Files
from budgetlint.program.noted import UNKNOWN, Doubt
from budgetlint.program.objects import Function, Object
from budgetlint.program.packages.roots import unmarked
from budgetlint.program.path_ends import end_of
from budgetlint.program.places import Origin, Place
from budgetlint.program.sink_kinds import is_arguments
from budgetlint.program.sinks import Sink
from budgetlint.program.text_blocks import with_block
from budgetlint.program.trained import casts_to, is_output
from budgetlint.program.truth import DTYPES
from budgetlint.program.values import ABSENT, Absent, Choice, Copied, External, Items, Key, Known, Map, Opaque, Open, Plain, Value
from budgetlint.program.ways import is_of_plain
from budgetlint.program.wiring import Wiring

_DEEPEST = 8
_LONGEST_NUMBER = 40
_MOST_BITS = 4_096
"""Python itself refuses to write a number of more than 4,300 digits."""
_WHY = 78
"""Characters of a reason that are told."""
_DTYPES_OF_ALL = ("torch.set_default_dtype",)
"""What decides the dtype of a load that names none."""
_OWN_METHODS = (
    *("compute_loss", "training_step", "create_optimizer", "create_scheduler", "create_optimizer_and_scheduler"),
    *dict.fromkeys((*EVALUATES, *KEEPS_OUTPUTS)),
)
_BEST = ("config", "flag", "environment", "declared", "option", "class", "source")
"""Which of several origins is told: that which a user would change."""


_THINGS = frozenset({"data_collator"})
"""Arguments of a trainer of which it counts that one is given."""
Told = dict[int, tuple[Value, Place]]
"""By the identity of a node, its value and where it is given."""


def document_of(wiring: Wiring, source: SourceFile, files: Files, way: int | None = None, told: Told | None = None) -> Document:
    """One run of a program. ``source`` is its entry file. ``way``: which of several known values is written, where one is chosen by what
    nobody here decides; None: none of them. ``told`` is filled with what each node was made of."""
    writer = _Writer(source, files, way, {} if told is None else told)
    sections: dict[str, Mapping] = {}
    keys: dict[str, Scalar] = {}
    for name, place, block in writer.sections(wiring):
        if name not in sections:
            sections[name], keys[name] = block, Scalar(name, writer.span(place))
    entries = tuple(Entry(keys[name], block) for name, block in sections.items())
    return Document(source, "python", Mapping(entries, Span(0, len(source.text))) if entries else None)


@open_state
class _Writer:
    source: SourceFile
    files: Files
    way: int | None
    told: Told

    def sections(self, wiring: Wiring) -> Iterator[tuple[str, Place, Mapping]]:
        trainer, arguments = wiring.trainer, wiring.arguments
        if arguments is not None:
            place = arguments.made.place if arguments.made is not None else trainer.place if trainer is not None else Place("", 0)
            sure = wiring.has_one_arguments
            yield _last(arguments.kind), place, self.object(arguments, place, _defaults_of(wiring), sure=sure)
        elif trainer is not None:
            name = arguments_of(trainer)
            given = trainer.get("args", "training_args")
            is_own = given is None or (isinstance(given, Known) and given.value is None and trainer.rest is None)
            rest = _defaults_of(wiring) if is_own and trainer.rest is None else Opaque("arguments that are not followed")
            yield _last(name), trainer.place, self._block([], rest, trainer.place, name)
        for one in wiring.models:
            yield _section(one), one.place, self.sink(one, perhaps=not wiring.is_made(one))
        if wiring.own and wiring.models:
            yield AROUND, wiring.models[-1].place, self._around(summed(wiring.own), wiring.models[-1].place)
        if trainer is not None:
            yield (
                _last(trainer.name),
                trainer.place,
                self.sink(trainer, but=("args",), perhaps=False),
            )
            for method in _OWN_METHODS:
                if method in trainer.overrides:
                    place = trainer.overrides[method]
                    yield method, place, Mapping((), self.span(place))
        yield from self._done(wiring)
        yield from self._doubted(wiring)
        if wiring.facts:
            yield self._facts(wiring)

    def _facts(self, wiring: Wiring) -> tuple[str, Place, Mapping]:
        """What the calls beside them tell. A loop has no other section that says so."""
        name = FACTS if wiring.trainer is not None else LOOP
        place = wiring.trainer.place if wiring.trainer is not None else Place(self.source.path, 1)
        entries = [self._entry(key, value, place) for key, value in wiring.facts.items()]
        return name, place, self._block([one for one in entries if one is not None], None, place, name)

    def _around(self, found: Around, place: Place) -> Mapping:
        """``why``: what is not known of it; else how many parameters, and layers of a size that is not known."""
        facts: dict[str, Value] = (
            {"why": Opaque(found.doubt)} if found.doubt else {"parameters": Items([Known(one) for one in found.parameters])}
        )
        if found.unsized and not found.doubt:
            facts["unsized"] = Known(found.unsized)
        entries = [self._entry(name, value, place) for name, value in facts.items()]
        return self._block([one for one in entries if one is not None], None, place, AROUND)

    def _done(self, wiring: Wiring) -> Iterator[tuple[str, Place, Mapping]]:
        for one in wiring.done:
            name = {"cast": CAST, "freeze": "requires_grad_", "attention": "attention"}.get(one.kind, one.name)
            if one.kind == "cast" and (casts_to(one) is None or is_output(one)):
                continue
            if one.kind in {"cast", "freeze", "checkpointing"}:
                yield name, one.place, self.sink(one, perhaps=bool(one.beside(wiring.trainer)))

    def _doubted(self, wiring: Wiring) -> Iterator[tuple[str, Place, Mapping]]:
        """What was not followed: it may have trained less, cast, replaced modules, or exchanged what the trainer does."""
        for one in wiring.doubts:
            for name in _changed_by(one):
                yield name, one.place, Mapping((), self.span(one.place))
        if wiring.unpatched and wiring.trainer is not None:
            yield UNPATCHED, wiring.trainer.place, Mapping((), self.span(wiring.trainer.place))
        if not wiring.closed and wiring.name is None and wiring.models:
            place = wiring.models[0].place
            for name in ("requires_grad", CAST, REPLACED):
                yield name, place, Mapping((), self.span(place))

    # nodes

    def sink(self, one: Sink, but: Iterable[str] = (), *, perhaps: bool) -> Mapping:
        tag = one.name + ("?" if perhaps else "")
        entries = [self._entry(name, value, one.place) for name, value in one.arguments.items() if name not in but]
        entries += [self._entry(str(at + 1), value, one.place) for at, value in enumerate(one.positional)]
        return self._block([one for one in entries if one is not None], one.rest, one.place, tag)

    def object(self, one: Object, place: Place, others: Value | None, *, sure: bool) -> Mapping:
        """``others``: why arguments that are not given may be other than the class's defaults."""
        entries = [self._entry(str(name), value, place) for name, value in one.attributes.items()]
        if is_arguments(one.kind):
            entries = [replace(found, value=with_block(found.key.text, found.value, self.source)) if found else None for found in entries]
        tag = one.kind + ("?" if one.made is not None and one.made.conditions and not sure else "")
        unknown = Opaque(f"a class of its own, {one.kind}") if not is_arguments(one.kind) else None
        return self._block([one for one in entries if one is not None], one.rest or unknown or others, place, tag)

    def _block(self, entries: list[Entry], rest: Value | None, place: Place, tag: str) -> Mapping:
        more = [Entry(Scalar(MORE, self.span(place)), self._open("more", place))] if rest is not None else []
        return Mapping((*entries, *more), self.span(place), tag=tag)

    def _entry(self, name: str, value: Value, place: Place) -> Entry | None:
        if value is ABSENT:
            return None
        node = self.node(value, place, 0)
        if name in _THINGS and isinstance(value, Object | Function):  # whatever it is, it is one
            node = Mapping((), node.span, tag=value.kind if isinstance(value, Object) else value.name)
        return Entry(Scalar(name, node.span), node)

    def node(self, value: Value, place: Place, depth: int) -> Node:
        made = self._node(value, place, depth)
        self.told[id(made)] = (value, place)
        return made

    def _node(self, value: Value, place: Place, depth: int) -> Node:
        origin = best(value.origins)
        at = origin.place if origin is not None else place
        if isinstance(value, Known | Copied):
            return self._scalar(value if isinstance(value, Known) else value.name, at)
        if self.way is not None and isinstance(value, Choice) and is_of_plain(value):
            return self.node(value.ways[min(self.way, len(value.ways) - 1)].value, at, depth)
        if depth < _DEEPEST:
            found = self._container(value, at, depth)
            if found is not None:
                return found
        end = end_of(value)
        if end:
            return Scalar(f"<{reason(value)[:_WHY]}{OF_WHICH_THE_END}{end}>", self.span(at))
        return self._open(reason(value), at, PERHAPS if perhaps_absent(value) else "<")

    def _container(self, value: Value, place: Place, depth: int) -> Node | None:
        match value:
            case External() if value.name.rpartition(".")[2] in DTYPES and value.name.startswith("torch."):
                return Scalar(value.name, self.span(place))
            case Items() if value.more is None and all(isinstance(one, Known | Items | Map | Object) for one in value.items):
                return Sequence(tuple(self.node(one, place, depth + 1) for one in value.items), self.span(place))
            case Map():
                return self._block(self._pairs(value.items, place, depth), value.rest, place, "")
            case Object() if value.made is not None and value.made.kind in {"adapter_config", "quantisation", "arguments"}:
                return self._block(self._pairs(value.attributes, place, depth), value.rest, value.made.place, value.kind)
            case Object() if value.made is not None and value.made.kind == "config" and value.cls is None:
                rest = value.rest or (Opaque("by position") if value.made.positional else None)
                return self._block(self._pairs(value.attributes, place, depth), rest, value.made.place, value.made.name)
        return None

    def _pairs(self, items: dict[Key, Value], place: Place, depth: int) -> list[Entry]:
        found = [(str(key), self.node(one, place, depth + 1)) for key, one in items.items() if one is not ABSENT]
        return [Entry(Scalar(name, node.span), node) for name, node in found]

    def _scalar(self, value: Known, place: Place) -> Scalar:
        plain = value.value
        if isinstance(plain, str | PurePosixPath):
            return Scalar(unmarked(str(plain)), self.span(place), Style.QUOTED)
        span = self.span(place)
        return Scalar(self._as_written(plain, span), span)

    def _as_written(self, plain: Plain, span: Span) -> str:
        """A number as its file has it: ``2e-5``, not ``2e-05``."""
        if isinstance(plain, int) and plain.bit_length() > _MOST_BITS:
            return f"<a number of {plain.bit_length():,} bits>"
        source = span.source if isinstance(span, SpanIn) else self.source
        text = source.text[span.start : span.end] if isinstance(plain, int | float) and not isinstance(plain, bool) else ""
        try:
            return "".join(text.split()) if text and len(text) < _LONGEST_NUMBER and float(text) == plain else repr(plain)
        except ValueError:
            return repr(plain)

    def _open(self, why: str, place: Place, begins: str = "<") -> Scalar:
        return Scalar(f"{begins}{why[:_WHY]}>", self.span(place))

    # places

    def span(self, place: Place) -> Span:
        if place.source is not None and place.span is not None:
            return _in(place.source, place.span, self.source)
        source = self.source if place.path == self.source.path else self.files.source(place.path)
        if source is None:
            return Span(0, 0)
        node = place.node
        if isinstance(node, ast.expr | ast.stmt | ast.keyword):
            return _in(source, places(source).span(node), self.source)
        return _in(source, source.line_span(place.line) if 0 < place.line <= source.line_count else Span(0, 0), self.source)


def arguments_of(trainer: Sink) -> str:
    """The class of arguments that a trainer makes for itself where it is given none (transformers 4.40 to 5.24 ``trainer.py``; trl 0.9 to
    0.26 ``trainer/sft_trainer.py``, from 0.20 on those of its other trainers)."""
    last = _last(trainer.name)
    if trainer.name.startswith("trl."):
        return f"trl.{last.removesuffix('Trainer')}Config"
    return f"transformers.{'Seq2Seq' if last.startswith('Seq2Seq') else ''}TrainingArguments"


def _in(source: SourceFile, span: Span, home: SourceFile) -> Span:
    return span if source is home else SpanIn(span.start, span.end, source)


def places(source: SourceFile) -> Places:
    if "places" not in source.facts:
        source.facts["places"] = Places(source.text)
    found: Places = source.facts["places"]
    return found


def best(origins: tuple[Origin, ...]) -> Origin | None:
    """The origin that a user would change."""
    return min(origins, key=lambda one: _BEST.index(one.kind) if one.kind in _BEST else len(_BEST), default=None)


def reason(value: Value) -> str:
    """Why a value is not known, in a few words."""
    match value:
        case Open():
            return f"{value.kind} {value.name}"
        case Opaque():
            return value.why or "not followed"
        case Choice():
            return _either(value)
    return f"{value!r}".strip("<>")


def _either(value: Choice) -> str:
    """What it may be, with the conditions; where a way is not followed, only what it may be, each once and that last."""
    ways = [one.value for one in value.ways]
    if not any(isinstance(one, Opaque) for one in ways):
        return repr(value)
    known = dict.fromkeys(repr(one) for one in ways if not isinstance(one, Opaque | Absent | Open))
    absent = ["not given"] if any(isinstance(one, Absent) for one in ways) else []
    return " or ".join([*known, *dict.fromkeys(reason(one) for one in ways if isinstance(one, Open)), *absent, "what is not followed"])


def _defaults_of(wiring: Wiring) -> Value | None:
    """Code that nobody knows may have changed what a class has for an argument that is not given."""
    return next((Opaque(one.why) for one in wiring.doubts if one.kind == UNKNOWN), None)


def _changed_by(doubt: Doubt) -> tuple[str, ...]:
    """The sections of what may be other than it stands there."""
    if doubt.kind == UNKNOWN:
        return ("requires_grad", REPLACED, "compute_loss")
    if doubt.kind != "patch":
        return ("requires_grad", CAST, REPLACED)
    return (CAST,) if doubt.why in _DTYPES_OF_ALL else ("compute_loss",)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _section(one: Sink) -> str:
    """``AutoModelForCausalLM`` of ``transformers.AutoModelForCausalLM.from_pretrained``."""
    owner, _, last = one.name.rpartition(".")
    if one.kind == "adapter":
        return "get_peft_model"  # which makes a ``PeftModel`` of the same two arguments
    return _last(owner) if last in {"from_pretrained", "from_config"} else last
