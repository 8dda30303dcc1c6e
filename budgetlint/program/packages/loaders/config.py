"""A file of the repository, or a text, as located values under the loader that the call means. Each reading makes new containers."""

from __future__ import annotations

from collections.abc import Callable

from budgetlint.base.source import SourceFile
from budgetlint.documents.json import read_json
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence
from budgetlint.documents.scalars import Loader
from budgetlint.documents.toml import read_toml
from budgetlint.documents.yaml import read_yaml
from budgetlint.program.packages.files import Handle, handle_of, source_of
from budgetlint.program.packages.loaders.sought import sought
from budgetlint.program.packages.paths import path_text
from budgetlint.program.packages.plain import unknown
from budgetlint.program.packages.roots import marked
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Items, Known, Map, Opaque, Value

_LONGEST = 500_000
"""Characters; a longer file is data, not a config."""
MOST_VALUES = 10_000
_READERS: dict[Loader, Callable[[SourceFile], tuple[Document, ...]]] = {
    Loader.PYYAML: read_yaml, Loader.OMEGACONF: read_yaml, Loader.YAML12: read_yaml, Loader.JSON: read_json, Loader.HJSON: read_json,
    Loader.TOML: read_toml,
}  # fmt: skip
_STANDARD = frozenset({"", "!", *(f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq"))})
Doubtful = Callable[[Scalar, object], bool]
"""Whether a scalar may be something else to the program than to the loader: text of the file, value."""


def read_config(it: Interpreter, path: Value, loader: Loader, doubtful: Doubtful | None = None) -> Value:
    """What the file at ``path`` holds, opaque where it is not here or cannot be read; all ways of a choice of paths are read."""
    return it.each(path, lambda one: _one_file(it, one, loader, doubtful))


def _one_file(it: Interpreter, path: Value, loader: Loader, doubtful: Doubtful | None) -> Value:
    source = source_of(it, path)
    it.sought += sought(path, loader.value, it.flags)
    if source is None:
        it.may_fail()
        text = path_text(path)
        return (
            Opaque(f"{text} is not here", path, "", path.origins)
            if text is not None and not marked(text)
            else unknown("a file", [path], "")
        )
    it.loaders[source.path] = loader.value
    return of_source(source, loader, doubtful, path)


def of_source(source: SourceFile, loader: Loader, doubtful: Doubtful | None, about: Value) -> Value:
    """The one document of a file."""
    documents = documents_of(source, loader)
    if len(documents) != 1 or documents[0].problems or len(source.text) > _LONGEST or (loader is Loader.JSON and documents[0].leniencies):
        return Opaque(f"{source.path} cannot be read", about, "", about.origins)
    return tree(documents[0], loader, doubtful)


def documents_of(source: SourceFile, loader: Loader) -> tuple[Document, ...]:
    """The documents of a file, parsed once."""
    if len(source.text) > _LONGEST:
        return ()
    reader = _READERS[loader]
    key = ("program", reader.__name__)
    if key not in source.facts:
        source.facts[key] = reader(source)
    found: tuple[Document, ...] = source.facts[key]
    return found


def tree(document: Document, loader: Loader, doubtful: Doubtful | None = None) -> Value:
    """The values of a document."""
    if document.root is None:
        return Known(None, (Origin("config", Place(document.path, 1, source=document.source)),))
    return _Tree(document, loader, doubtful).value(document.root, "")


class _Tree:
    """One reading of a document. What aliases share is one object, as it is to Python."""

    def __init__(self, document: Document, loader: Loader, doubtful: Doubtful | None) -> None:
        self.source, self.loader, self.doubtful = document.source, loader, doubtful
        self.made: dict[int, Value] = {}
        self.left = MOST_VALUES

    def value(self, node: Node, path: str) -> Value:
        self.left -= 1
        if self.left < 0:
            return Opaque(f"{self.source.path} has more values than are followed")
        if isinstance(node, Scalar):
            return self.scalar(node, path)
        if id(node) not in self.made:
            self.made[id(node)] = self.mapping(node, path) if isinstance(node, Mapping) else self.sequence(node, path)
        return self.made[id(node)]

    def origin(self, node: Node, path: str) -> tuple[Origin, ...]:
        line, _ = self.source.position(node.span.start)
        return (Origin("config", Place(self.source.path, line, source=self.source, span=node.span), path),)

    def scalar(self, node: Scalar, path: str) -> Value:
        origins = self.origin(node, path)
        if node.tag not in _STANDARD:
            return Opaque(f"{path}: tag {node.tag}", origins=origins)
        found = node.value(self.loader)
        if not (found is None or isinstance(found, str | int | float)):
            return Opaque(f"{path}: a date", origins=origins)
        if self.doubtful is not None and self.doubtful(node, found):
            return Opaque(f"{path}: {node.text[:40]} is read in the program's own way", origins=origins)
        return Known(found, origins)

    def mapping(self, node: Mapping, path: str) -> Value:
        origins = self.origin(node, path)
        if node.tag not in _STANDARD:
            return Opaque(f"{path}: tag {node.tag}", origins=origins)
        made = Map({}, None, origins)
        made.loader, made.path = self.loader.value, path
        for entry in (*reversed(node.merged), *node.entries):
            self.entry(made, entry, path)
        return made

    def entry(self, made: Map, entry: Entry, path: str) -> None:
        key = self.scalar(entry.key, path)
        inner = f"{path}.{entry.key.text}" if path else entry.key.text
        value = self.value(entry.value, inner)
        if isinstance(key, Known) and (key.value is None or isinstance(key.value, str | int | float)):
            made.items[key.value] = value
        else:
            made.rest = Opaque(f"{inner}: a key that is not known", value)

    def sequence(self, node: Sequence, path: str) -> Value:
        origins = self.origin(node, path)
        if node.tag not in _STANDARD:
            return Opaque(f"{path}: tag {node.tag}", origins=origins)
        return Items([self.value(one, f"{path}.{at}" if path else str(at)) for at, one in enumerate(node.items)], "list", None, origins)


def read_stream(it: Interpreter, stream: Value, loader: Loader, doubtful: Doubtful | None = None) -> Value:
    """What an open file, or a text, holds."""

    def one(value: Value) -> Value:
        handle = handle_of(value)
        if handle is not None:
            return _of_handle(it, value, handle, loader, doubtful)
        if isinstance(value, Known) and isinstance(value.value, str) and not marked(value.value):
            return _of_text(it, value, value.value, loader, doubtful)
        return unknown("a text that is read", [value], "")

    return it.each(stream, one)


def _of_handle(it: Interpreter, value: Value, handle: Handle, loader: Loader, doubtful: Doubtful | None) -> Value:
    used = "<used>" in getattr(value, "attributes", {})
    it.heap.write(value, "<used>", Known(True))  # type: ignore[arg-type]
    if used or set(handle.mode) & set("wax+?"):
        return unknown("a file that is read from where it stands", [value], "")
    return read_config(it, handle.path, loader, doubtful)


def _of_text(it: Interpreter, value: Known, text: str, loader: Loader, doubtful: Doubtful | None) -> Value:
    """A text of the program, or the whole of a file: then its values stand in that file."""
    place = next((one.place for one in value.origins if one.kind == "config" and one.place.source is not None), None)
    if place is not None and place.source is not None and place.source.text == text and len(value.origins) == 1:
        it.loaders[place.source.path] = loader.value
        return of_source(place.source, loader, doubtful, value)
    return _placed(of_source(SourceFile("<text>", text), loader, doubtful, value), value)


def _placed(made: Value, text: Value) -> Value:
    """Values of a text stand where the text does."""
    if isinstance(made, Items):
        for one in made.items:
            _placed(one, text)
    elif isinstance(made, Map):
        for one in made.items.values():
            _placed(one, text)
    made.origins = text.origins
    return made
