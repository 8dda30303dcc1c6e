"""``yaml`` (PyYAML 6.0) and ``ruamel.yaml`` (0.18). A program may teach a loader more: then what that could hit is not known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from budgetlint.documents.node import Scalar
from budgetlint.documents.scalars import Loader
from budgetlint.program.calling import Call
from budgetlint.program.choices import alternatives
from budgetlint.program.objects import Handler, Object
from budgetlint.program.packages.files import handle_of, source_of
from budgetlint.program.packages.iterators import lazy, not_gone_over
from budgetlint.program.packages.loaders.config import documents_of, read_config, read_stream, tree
from budgetlint.program.packages.plain import Method, unknown
from budgetlint.program.state import Interpreter, Launched, text_of
from budgetlint.program.values import NONE, TRUE, External, Items, Known, Opaque, Value

_TAUGHT = "yaml.<taught>"
_LOADERS = frozenset({"SafeLoader", "FullLoader", "Loader", "UnsafeLoader", "CSafeLoader", "CFullLoader", "CLoader", "CUnsafeLoader"})
_NUMBER = re.compile(r"[-+.0-9]")


def _load(name: str, *, takes_loader: bool) -> Handler:
    def handler(it: Interpreter, call: Call) -> Value:
        stream = call.get("stream", 0)
        kind = call.get("Loader", 1) if takes_loader else None
        if stream is None or call.rest is not None or not _known_loader(kind) or _taught(it, "constructor"):
            return unknown(name, call.given(), "yaml")
        return read_stream(it, stream, Loader.PYYAML, _own_numbers if _taught(it, "resolver") else None)

    return handler


def _known_loader(kind: Value | None) -> bool:
    """One of PyYAML's own that resolve scalars alike; `BaseLoader` leaves all as text, and a class of the program may do anything."""
    ways = [] if kind is None else [way.value for way in alternatives(kind)]
    return all(isinstance(one, External) and one.name.startswith("yaml.") and one.name.rpartition(".")[2] in _LOADERS for one in ways)


def _own_numbers(node: Scalar, found: object) -> bool:
    """A text that a resolver of the program could make a number of: most teach PyYAML that 1e-5 is one."""
    return isinstance(found, str) and not node.tag and bool(_NUMBER.match(node.text))


def _taught(it: Interpreter, what: str) -> bool:
    kept = it.parts.constants.get(_TAUGHT)
    return isinstance(kept, Object) and what in kept.attributes


def _teach(what: str) -> Handler:
    """``add_implicit_resolver`` and ``add_constructor``. A constructor of a tag of its own hits what is opaque anyway."""

    def handler(it: Interpreter, call: Call) -> Value:
        kept, tag = it.parts.constants.get(_TAUGHT), text_of(call.get("tag", 0))
        if isinstance(kept, Object) and not (what == "constructor" and tag is not None and tag.startswith("!")):
            it.heap.write(kept, what, TRUE)
        return NONE

    return handler


def _all(it: Interpreter, call: Call) -> Value:
    """``safe_load_all``: every document of a file."""
    handle = handle_of(call.positional[0]) if len(call.positional) == 1 and call.rest is None else None
    source = source_of(it, handle.path) if handle is not None else None
    documents = documents_of(source, Loader.PYYAML) if source is not None else ()
    if not documents or any(one.problems for one in documents) or _taught(it, "constructor") or _taught(it, "resolver"):
        return not_gone_over("yaml.load_all", call.given())
    found = Items([tree(one, Loader.PYYAML) for one in documents])
    return lazy(lambda it, again: found, ())


def _dump(it: Interpreter, call: Call) -> Value:
    return NONE if call.get("stream", 1) is not None else Opaque("a YAML text", package="yaml")


def _ruamel(it: Interpreter, call: Call) -> Value:
    made = Object("ruamel.yaml.YAML")
    made.data = text_of(call.get("typ")) or ("rt" if not call.given() else "?")
    return made


def _ruamel_load(it: Interpreter, base: Value, call: Call) -> Value:
    stream = call.get("stream", 0)
    if (
        not isinstance(base, Object)
        or base.data not in ("safe", "rt", "pure")
        or stream is None
        or call.rest is not None
        or "version" in base.attributes
    ):
        return unknown("ruamel.yaml", call.given(), "ruamel")
    if isinstance(stream, Known) and not isinstance(stream.value, str):
        return read_config(it, stream, Loader.YAML12, _either_version)
    return read_stream(it, stream, Loader.YAML12, _either_version)


def _either_version(node: Scalar, found: object) -> bool:
    """A text that ruamel.yaml reads as something which is no plain YAML 1.2: digits with ``_``, dates."""
    return isinstance(found, str) and bool(_NUMBER.match(node.text)) and not isinstance(node.value(Loader.PYYAML), str)


def _started(launched: Launched) -> Value:
    return Object("yaml.<taught>")


FUNCTIONS: dict[str, Handler] = {
    **{f"yaml.{name}": _load(f"yaml.{name}", takes_loader=False) for name in ("safe_load", "full_load", "unsafe_load")},
    "yaml.load": _load("yaml.load", takes_loader=True), "yaml.safe_load_all": _all, "yaml.full_load_all": _all,
    **{f"yaml.{name}": _dump for name in ("dump", "safe_dump", "dump_all")},
    **{f"yaml.{owner}add_{what}": _teach(what.rpartition("_")[2]) for owner in ("", *(f"{one}." for one in sorted(_LOADERS)))
       for what in ("implicit_resolver", "constructor", "multi_constructor", "path_resolver")},
    **{f"yaml.{owner}add_{what}": _dump for owner in ("", "Dumper.", "SafeDumper.") for what in ("representer", "multi_representer")},
    "ruamel.yaml.YAML": _ruamel,
}  # fmt: skip
METHODS: dict[str, Method] = {"ruamel.yaml.YAML.load": _ruamel_load, "ruamel.yaml.YAML.dump": lambda it, base, call: NONE}
MADE: Mapping[str, Callable[[Launched], Value]] = {_TAUGHT: _started}
