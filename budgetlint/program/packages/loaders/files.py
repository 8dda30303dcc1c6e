"""A config file of the project as abstract values, each with its place and its dotted key."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from budgetlint.documents import Loader, Mapping, Node, Scalar, Sequence, load
from budgetlint.base.source import SourceFile, SpanIn
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Items, Known, Map, Opaque, Open, Origin, Place, Value

LOADERS = {"yaml": Loader.PYYAML, "omegaconf": Loader.OMEGACONF, "json": Loader.JSON, "toml": Loader.TOML}
_DEEPEST = 60


def find(it: Interpreter, text: str) -> str | None:
    """The file of the project that a path of a program leads to: from where it is started, from the root, from its folder and those above."""
    if not text or text.startswith(("/", "~")):
        return None
    for folder in _places(it):
        path = posixpath.normpath(posixpath.join(folder, text))
        if not path.startswith("..") and it.modules.files.is_file(path):
            return path
    return None


def _places(it: Interpreter) -> Iterator[str]:
    yield it.launched.folder
    yield ""
    folder = posixpath.dirname(it.modules.entry)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)


def read_config(it: Interpreter, path: Value, loader: str) -> Value:
    """The content of a file; opaque where it is not of the project, or cannot be read. ``loader`` is one of `LOADERS`."""
    if not isinstance(path, Known):
        return Open(path.kind, path.name, path.origins) if isinstance(path, Open) else Opaque("a file whose name is not known", origins=path.origins)
    found = find(it, str(path.value))
    if found is None:
        return Opaque(f"{path.value} is not here", origins=path.origins)
    it.opened.append((found, path.origins[0] if path.origins else Origin("source", Place(it.modules.entry, 0))))
    source = it.modules.files.source(found)
    documents = load(source) if source is not None else ()
    if source is None or not documents or documents[0].root is None:
        return Opaque(f"{found} cannot be read", origins=path.origins)
    return node_value(documents[0].root, source, loader)


def node_value(node: Node, source: SourceFile, loader: str, path: str = "", depth: int = 0) -> Value:
    """A node of a located tree as a value; fresh containers each time, so that a program may change them."""
    home = node.span.source if isinstance(node.span, SpanIn) else source
    origin = Origin("config", Place(home.path, home.position(node.span.start)[0], None, home, node.span), path)
    if depth > _DEEPEST:
        return Opaque("nested too deep", origins=(origin,))
    if isinstance(node, Scalar):
        return Known(node.value(LOADERS[loader]), (origin,))
    if isinstance(node, Sequence):
        items = [node_value(one, source, loader, f"{path}[{at}]", depth + 1) for at, one in enumerate(node.items)]
        return Items(items, "list", None, (origin,))
    made = Map(None, None, (origin,))
    made.loader, made.path = loader, path
    _fill(made, node, source, loader, path, depth)
    return made


def _fill(made: Map, node: Mapping, source: SourceFile, loader: str, path: str, depth: int) -> None:
    for entry in (*reversed(node.merged), *node.entries):
        name = entry.key.value(LOADERS[loader]) if loader == "yaml" else entry.key.text
        made.items[name] = node_value(entry.value, source, loader, f"{path}.{entry.key.text}" if path else entry.key.text, depth + 1)
