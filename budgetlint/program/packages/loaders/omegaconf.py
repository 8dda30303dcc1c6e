"""OmegaConf: trees whose keys are attributes and whose ``${a.b}`` are resolved when they are read.

Sources: OmegaConf 2.1 to 2.3 ``omegaconf.py`` (load, create, merge, from_cli, from_dotlist, structured, to_container, select), ``dictconfig.py``,
``base.py`` _resolve_node_interpolation; ``basecontainer.py`` _map_merge: mappings key by key, all else replaced, ``???`` leaves what is below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from budgetlint.documents.scalars import Loader
from budgetlint.program.dataclass import default_of, fields_of
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.config import read_stream
from budgetlint.program.packages.loaders.words import dotted_words
from budgetlint.program.state import Call, Interpreter, text_of
from budgetlint.program.subscripts import of_map
from budgetlint.program.values import (
    ABSENT,
    NONE,
    Absent,
    Choice,
    Class,
    Handler,
    Items,
    Key,
    Known,
    Map,
    Object,
    Opaque,
    Open,
    Value,
    Way,
    choice,
    origins_of,
)

OMEGACONF = "omegaconf"
MISSING = "???"
_REFERENCE = re.compile(r"\$\{(\.*)([\w/@.\[\]-]+)\}")
_DEEPEST = 8


def rooted(value: Value, root: Map | None = None) -> Value:
    """The same tree, each mapping of it knowing the whole."""
    if isinstance(value, Map):
        whole = root if root is not None else value
        value.root, value.loader = whole, OMEGACONF
        for one in value.items.values():
            rooted(one, whole)
    elif isinstance(value, Items):
        for one in value.items:
            rooted(one, root)
    elif isinstance(value, Choice):
        for way in value.ways:
            rooted(way.value, root)
    return value


def node(it: Interpreter, base: Map, key: Key) -> Value:
    """The value of a key: in a tree of OmegaConf with its references resolved, open where it is ``???``."""
    found = of_map(base, key)
    if base.root is None:
        return found
    return resolved(it, found, base, 0)


def resolved(it: Interpreter, value: Value, home: Map, depth: int) -> Value:
    """References replaced by what they name; those that only the program resolves are opaque."""
    if isinstance(value, Choice):
        return choice(Way(way.when, resolved(it, way.value, home, depth)) for way in value.ways)
    text = text_of(value)
    if text == MISSING:
        return Open("field", home.path or MISSING, value.origins)
    if text is None or "${" not in text:
        return value
    whole = _REFERENCE.fullmatch(text)
    if whole is not None and depth < _DEEPEST:
        return _named(it, whole, home, value, depth)
    return _filled(it, text, home, value, depth)


def _named(it: Interpreter, found: re.Match[str], home: Map, value: Value, depth: int) -> Value:
    if found[1] or home.root is None:
        return Opaque(f"reference {found[0]}", origins=value.origins)
    at: Value = home.root
    parent = home.root
    for part in found[2].replace("[", ".").replace("]", "").split("."):
        if isinstance(at, Map):
            parent = at
            at = of_map(at, part)
        elif isinstance(at, Items) and part.isdigit() and int(part) < len(at.items):
            at = at.items[int(part)]
        else:
            return made_of(at) if isinstance(at, Open | Opaque) else Opaque(f"reference {found[0]}", origins=value.origins)
    return resolved(it, at, parent, depth + 1) if not isinstance(at, Absent) else Opaque(f"reference {found[0]}", origins=value.origins)


def _filled(it: Interpreter, text: str, home: Map, value: Value, depth: int) -> Value:
    parts: list[Value] = [_named(it, one, home, value, depth + 1) for one in _REFERENCE.finditer(text)]
    if not parts or depth >= _DEEPEST or any(not isinstance(one, Known) for one in parts):
        return Opaque(f"{text[:60]} is resolved by the program", origins=origins_of([value, *parts]))
    known = iter([str(one.value) for one in parts if isinstance(one, Known)])
    made = _REFERENCE.sub(lambda _: next(known), text)
    return (
        Known(made, origins_of([value, *parts]))
        if "${" not in made
        else Opaque(f"{text[:60]} is resolved by the program", origins=value.origins)
    )


# making trees


def created(it: Interpreter, given: Value) -> Value:
    """A tree of a dict, a list, a dataclass or a text of YAML."""
    if isinstance(given, Choice):
        return choice(Way(way.when, created(it, way.value)) for way in given.ways)
    if isinstance(given, Known) and isinstance(given.value, str):
        return rooted(read_stream(it, given, Loader.OMEGACONF))
    if isinstance(given, Known) and given.value is None:
        return rooted(Map())
    return rooted(_copy(it, given))


def _copy(it: Interpreter, value: Value) -> Value:
    if isinstance(value, Map):
        made = Map({key: _copy(it, one) for key, one in value.items.items()}, value.rest, value.origins)
        made.path, made.loader = value.path, value.loader
        return made
    if isinstance(value, Items):
        return Items([_copy(it, one) for one in value.items], "list", value.more, value.origins)
    if isinstance(value, Class):
        return Map(
            {
                field.name: _copy(it, default) if (default := default_of(it, field)) is not ABSENT else Known(MISSING)
                for field in fields_of(value)
            }
        )
    if isinstance(value, Object) and value.cls is not None:
        return Map({key: _copy(it, one) for key, one in value.attributes.items()}, value.rest)
    return value


def merge(it: Interpreter, trees: Iterable[Value]) -> Value:
    """One tree over another, the last wins."""
    made: Value = Map()
    for one in trees:
        made = _over(made, created(it, one))
    return rooted(made)


def _over(below: Value, above: Value) -> Value:
    if isinstance(above, Choice):
        return choice(Way(way.when, _over(below, way.value)) for way in above.ways)
    if not isinstance(above, Map):
        return below if text_of(above) == MISSING else above
    if not isinstance(below, Map):
        return above if not isinstance(below, Open | Opaque) else Map(above.items, made_of(below), above.origins)
    made = Map(dict(below.items), below.rest if above.rest is None else above.rest, origins_of([above, below]))
    made.path = below.path or above.path
    for key, value in above.items.items():
        older = made.items.get(key, ABSENT)
        made.items[key] = (
            _over(older, value)
            if isinstance(older, Map) and isinstance(value, Map | Choice)
            else value
            if text_of(value) != MISSING
            else older
        )
    if above.rest is not None:
        made.items = {
            key: value if key in above.items else choice([Way("", value), Way("", above.rest)]) for key, value in made.items.items()
        }
    return made


def plain(it: Interpreter, value: Value, home: Map | None = None) -> Value:
    """The tree as dicts and lists, references resolved."""
    if isinstance(value, Map):
        made = Map({key: plain(it, resolved(it, one, value, 0), value) for key, one in value.items.items()}, value.rest, value.origins)
        made.path, made.loader = value.path, "yaml"
        return made
    if isinstance(value, Items):
        return Items(
            [plain(it, resolved(it, one, home, 0) if home is not None else one, home) for one in value.items],
            "list",
            value.more,
            value.origins,
        )
    if isinstance(value, Choice):
        return choice(Way(way.when, plain(it, way.value, home)) for way in value.ways)
    return value


# what programs call


def _load(it: Interpreter, call: Call) -> Value:
    return it.each(call.get("file_", 0) or NONE, lambda one: rooted(_file(it, one)))


def _file(it: Interpreter, one: Value) -> Value:
    from budgetlint.program.packages.loaders.config import read_config

    return read_config(it, one, Loader.OMEGACONF) if isinstance(one, Known) else read_stream(it, one, Loader.OMEGACONF)


def _create(it: Interpreter, call: Call) -> Value:
    return created(it, call.get("obj", 0) or NONE)


def _structured(it: Interpreter, call: Call) -> Value:
    return rooted(_copy(it, call.get("obj", 0) or NONE))


def _merge(it: Interpreter, call: Call) -> Value:
    return merge(it, call.positional) if call.rest is None else Opaque("merged configs")


def _from_cli(it: Interpreter, call: Call) -> Value:
    given = call.get("args_list", 0)
    words = (
        given.items if isinstance(given, Items) and given.more is None else it.launched.words if given is None or given is NONE else None
    )
    return rooted(dotted_words(it, words if words is not None else ()))


def _from_dotlist(it: Interpreter, call: Call) -> Value:
    given = call.get("dotlist", 0)
    return (
        rooted(dotted_words(it, given.items)) if isinstance(given, Items) and given.more is None else rooted(Map(None, Open("word", "*")))
    )


def _container(it: Interpreter, call: Call) -> Value:
    return plain(it, call.get("cfg", 0) or NONE)


def _select(it: Interpreter, call: Call) -> Value:
    at, key, otherwise = call.get("cfg", 0) or NONE, text_of(call.get("key", 1)), call.get("default", 2)
    if key is None:
        return made_of(at)
    for part in key.split("."):
        at = node(it, at, part) if isinstance(at, Map) else ABSENT if isinstance(at, Known) else made_of(at)
        if isinstance(at, Absent):
            return otherwise if otherwise is not None else NONE
    return at


def _update(it: Interpreter, call: Call) -> Value:
    at, key, value = call.get("cfg", 0), text_of(call.get("key", 1)), call.get("value", 2)
    if not isinstance(at, Map) or key is None or value is None:
        if at is not None:
            it.disturb(at, "OmegaConf.update", it.place(call.node, call.frame))
        return NONE
    *parts, last = key.split(".")
    for part in parts:
        inner = at.items.get(part, ABSENT)
        if not isinstance(inner, Map):
            inner = rooted(Map(), at.root)
            it.heap.write(at, part, inner)
        assert isinstance(inner, Map)
        at = inner
    it.heap.write(at, last, rooted(value, at.root))
    return NONE


def _nothing(it: Interpreter, call: Call) -> Value:
    return NONE


def _is_config(it: Interpreter, call: Call) -> Value:
    given = call.get("obj", 0)
    return Known(given.root is not None) if isinstance(given, Map) else made_of(given or NONE)


def _is_missing(it: Interpreter, call: Call) -> Value:
    at, key = call.get("cfg", 0), text_of(call.get("key", 1))
    found = of_map(at, key) if isinstance(at, Map) and key is not None else None
    return Known(text_of(found) == MISSING) if isinstance(found, Known) else Opaque("whether a key is missing")


_OMEGACONF: dict[str, Callable[[Interpreter, Call], Value]] = {
    "load": _load, "create": _create, "structured": _structured, "merge": _merge, "unsafe_merge": _merge, "from_cli": _from_cli, "from_dotlist": _from_dotlist,
    "to_container": _container, "to_object": _container, "select": _select, "update": _update, "set_struct": _nothing, "set_readonly": _nothing,
    "resolve": _nothing, "register_new_resolver": _nothing, "save": _nothing, "is_config": _is_config, "is_dict": _is_config, "is_missing": _is_missing,
}  # fmt: skip
FUNCTIONS: dict[str, Handler] = {
    **{f"omegaconf.OmegaConf.{name}": handler for name, handler in _OMEGACONF.items()},
    "omegaconf.DictConfig": _create,
    "omegaconf.ListConfig": _create,
    "omegaconf.open_dict": lambda it, call: Object("a context"),
    "omegaconf.read_write": lambda it, call: Object("a context"),
}
