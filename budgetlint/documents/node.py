"""The located tree of a configuration file: every key and every value keeps its span.

A scalar keeps its text; what it *is* depends on who loads it (`budgetlint.documents.scalars`), so the tree stores no guess.
Spans cover exactly the characters of the key or value, quotes included, comments and trailing blanks not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView
from enum import Enum
from typing import Any

from budgetlint.base.numerals import small
from budgetlint.base.record import field, record
from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.documents.scalars import LONG, RESOLVERS, Loader, Value, plain_value, resolve


class Style(Enum):
    PLAIN = "plain"
    QUOTED = "quoted"
    BLOCK = "block"


_PLAIN = Style.PLAIN  # asked for each value of each file


@record
class Scalar:
    """``text`` is the content (unquoted, unescaped); an empty plain scalar is YAML's null. ``tag`` only when written."""

    text: str
    span: Span
    style: Style = Style.PLAIN
    tag: str = ""

    def value(self, loader: Loader) -> Value:
        """The value that this loader gives: ``2e-5`` is a string to PyYAML and a float to OmegaConf."""
        text = self.text
        if self.tag:
            return resolve(text, quoted=self.style is not _PLAIN, tag=self.tag, loader=loader)
        if self.style is not _PLAIN:
            return text
        return RESOLVERS[loader](text) if len(text) <= LONG else plain_value(text, loader)


@record
class Entry:
    key: Scalar
    value: Node


@record
class Mapping:
    """Entries in file order, duplicates kept. YAML merge keys (``<<``) are already expanded into ``merged``, best first.

    The span of a block mapping runs from its first key to the end of its last value. ``tag`` only when written.
    """

    entries: tuple[Entry, ...]
    span: Span
    merged: tuple[Entry, ...] = ()
    tag: str = ""

    _by_key: dict[str, Entry] | None = field(default=None, init=False, repr=False, compare=False)
    """Filled at the first question: each reader asks each mapping for dozens of keys."""

    def by_key(self) -> dict[str, Entry]:
        """The entries a loader would see, in file order: the last of duplicates, then what a merge key brought."""
        if self._by_key is not None:
            return self._by_key
        found = {entry.key.text: entry for entry in self.entries}
        for entry in self.merged:
            found.setdefault(entry.key.text, entry)
        object.__setattr__(self, "_by_key", found)
        return found

    def entry(self, key: str) -> Entry | None:
        """The entry a loader would see."""
        return (self._by_key or self.by_key()).get(key)

    def get(self, key: str) -> Node | None:
        found = (self._by_key or self.by_key()).get(key)
        return found.value if found else None

    def keys(self) -> KeysView[str]:
        return self.by_key().keys()

    def __contains__(self, key: object) -> bool:
        return key in self.by_key()


@record
class Sequence:
    items: tuple[Node, ...]
    span: Span
    tag: str = ""


Node = Scalar | Mapping | Sequence


@record
class Problem:
    """Why a document (or a part of it) could not be read, where, and what to do. ``kind`` is a stable word for rules."""

    kind: str
    message: str
    cure: str
    location: Location


@record
class Document:
    """One parsed document. ``root`` is None when the file could not be parsed; the problems say why.

    A multi-document YAML file gives several documents of one source; ``number`` counts them from 0. ``leniencies`` are what
    a stricter reader of the same format refuses: this JSON has comments, which hjson takes and ``json.load`` does not.
    An empty file has neither a root nor problems. A ``shell`` document holds the flags of one command; ``program`` names what
    reads them: a script's path, a module, or a tool with its subcommand (``swift sft``). ``below`` are the files that took part
    in a composed config; nodes of theirs have spans that name them (`budgetlint.base.source.SpanIn`).
    """

    source: SourceFile
    format: str
    root: Node | None
    problems: tuple[Problem, ...] = ()
    number: int = 0
    anchors: tuple[str, ...] = field(default=(), repr=False)
    leniencies: tuple[Problem, ...] = field(default=(), repr=False)
    program: str = ""
    below: tuple[SourceFile, ...] = field(default=(), repr=False)
    facts: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was worked out of the whole document, by name: recognisers and rules ask the same again and again."""

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def is_command(self) -> bool:
        """Its keys are the flags of one command, not lines of a file."""
        return self.format == "shell"

    def get(self, path: str) -> Node | None:
        """The node at a dotted key path (``zero_optimization.stage``, ``datasets.0.type``)."""
        return _below(self.root, path)

    def entry(self, path: str) -> Entry | None:
        """The entry (key and value with their spans) at a dotted path of keys."""
        if "." not in path:
            return self.root.entry(path) if isinstance(self.root, Mapping) else None
        parent, _, last = path.rpartition(".")
        node = _below(self.root, parent) if parent else self.root
        return (node._by_key or node.by_key()).get(last) if isinstance(node, Mapping) else None

    @property
    def mapping(self) -> Mapping | None:
        return self.root if isinstance(self.root, Mapping) else None

    def locate(self, span: Span) -> Location:
        return self.source.locate(span)


def _below(node: Node | None, path: str) -> Node | None:
    """The node at a dotted path of keys and indices."""
    for part in path.split("."):
        if isinstance(node, Mapping):  # as nearly all are: without a call
            found = (node._by_key or node.by_key()).get(part)
            node = found.value if found is not None else None
        else:
            node = step(node, part)
        if node is None:
            return None
    return node


def step(node: Node | None, key: str) -> Node | None:
    if isinstance(node, Mapping):
        return node.get(key)
    place = small(key) if isinstance(node, Sequence) else None
    if isinstance(node, Sequence) and place is not None and place < len(node.items):
        return node.items[place]
    return None


def walk(node: Node | None, prefix: str = "") -> Iterator[tuple[str, Entry]]:
    """Every entry with its dotted path, depth first, in file order, sequences by index."""
    if isinstance(node, Mapping):
        for entry in node.entries:
            path = f"{prefix}.{entry.key.text}" if prefix else entry.key.text
            yield path, entry
            yield from walk(entry.value, path)
    elif isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            yield from walk(item, f"{prefix}.{index}" if prefix else str(index))


def every_scalar(roots: Iterable[Node | None]) -> Iterator[Scalar]:
    """Every key and value that is a scalar, in no order, what merge keys bring included; a node that aliases share is entered once."""
    stack = [root for root in roots if root is not None]
    entered: set[int] = set()
    while stack:
        node = stack.pop()
        if isinstance(node, Scalar):
            yield node
        elif id(node) not in entered:
            entered.add(id(node))
            stack.extend(_children(node))


def _children(node: Mapping | Sequence) -> Iterator[Node]:
    if isinstance(node, Sequence):
        yield from node.items
        return
    for entry in (*node.entries, *node.merged):
        yield entry.key
        yield entry.value


def plain(node: Node | None, loader: Loader) -> object:
    """The tree as plain Python values, keys too, the way ``loader`` gives them (duplicates: last wins)."""
    if node is None:
        return None
    if isinstance(node, Scalar):
        return node.value(loader)
    if isinstance(node, Sequence):
        return [plain(item, loader) for item in node.items]
    return {entry.key.value(loader): plain(entry.value, loader) for entry in (*reversed(node.merged), *node.entries)}
