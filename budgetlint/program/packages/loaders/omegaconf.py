"""OmegaConf: trees whose keys are attributes and whose ``${a.b}`` are resolved when they are read.

Sources: OmegaConf 2.1 to 2.3 ``omegaconf.py`` (load, create, merge, from_cli, from_dotlist, structured, to_container, select),
``dictconfig.py``,
``base.py`` _resolve_node_interpolation; ``basecontainer.py`` _map_merge: mappings key by key, all else replaced, ``???`` leaves what is
below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from budgetlint.documents.scalars import Loader
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.config import read_stream
from budgetlint.program.packages.loaders.structured import MISSING, Typed, as_shape, shapes_of, typed
from budgetlint.program.packages.loaders.words import dotted_words
from budgetlint.program.packages.parsers.options import refused
from budgetlint.program.packages.variables import environ, unset
from budgetlint.program.state import NOWHERE, Call, Interpreter, Launched, text_of
from budgetlint.program.subscripts import of_map
from budgetlint.program.truth import truth
from budgetlint.program.values import (
    ABSENT,
    FALSE,
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
    Origin,
    Place,
    Value,
    Way,
    choice,
    origins_of,
)

OMEGACONF = "omegaconf"
_REFERENCE = re.compile(r"\$\{(\.*)([\w/@.\[\]-]+)\}")
_VARIABLE = re.compile(r"\$\{oc\.env:\s*([A-Za-z_]\w*)\s*(?:,\s*([^${}'\"\[\]\\]*?)\s*)?\}")
_STRUCT = "omegaconf.<struct>"
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
    return _as_field(base, key, found, resolved(it, found, base, 0))


def _as_field(home: Map, key: Key, written: Value, value: Value) -> Value:
    """What a reference names, as the field of a structure has it."""
    if value is written or not isinstance(home, Typed):
        return value
    made = as_shape(home.shapes.get(str(key)), value)
    return made if made is not None else Opaque("a reference to what the field refuses", value)


def resolved(it: Interpreter, value: Value, home: Map, depth: int) -> Value:
    """References replaced by what they name; those that only the program resolves are opaque."""
    if isinstance(value, Choice):
        return choice(Way(way.when, resolved(it, way.value, home, depth)) for way in value.ways)
    if isinstance(value, Items):
        return _list(it, value, home, depth)
    text = text_of(value)
    if text == MISSING:
        return Open("field", home.path or MISSING, value.origins)
    if text is None or "${" not in text:
        return value
    variable = _VARIABLE.fullmatch(text)
    if variable is not None:
        return _variable(it, variable, value)
    whole = _REFERENCE.fullmatch(text)
    if whole is not None and depth < _DEEPEST:
        return _named(it, whole, home, value, depth)
    return _filled(it, text, home, value, depth)


def _list(it: Interpreter, value: Items, home: Map, depth: int) -> Value:
    """A list with the references in it resolved; the list itself where there are none."""
    if depth >= _DEEPEST or not any("${" in (text_of(one) or "") or isinstance(one, Items) for one in value.items):
        return value
    made = [resolved(it, one, home, depth + 1) for one in value.items]
    return (
        value
        if all(one is other for one, other in zip(made, value.items, strict=True))
        else Items(made, value.kind, value.more, value.origins)
    )


def _variable(it: Interpreter, found: re.Match[str], value: Value) -> Value:
    """``${oc.env:NAME,default}``: a text, the default too."""
    home = environ(it)
    default = None if found[2] is None else Known(None if found[2] == "null" else found[2], value.origins)
    if home is None:
        return Open("environment", found[1], value.origins)
    return unset(it, home, Known(found[1]), default, Call((), {}, None, NOWHERE, it.outside))


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
    return rooted(copied(it, given))


def copied(it: Interpreter, value: Value) -> Value:
    if isinstance(value, Map):
        made = _like(value, {key: copied(it, one) for key, one in value.items.items()}, value.rest, value.origins)
        made.path, made.loader = value.path, value.loader
        return made
    if isinstance(value, Items):
        return Items([copied(it, one) for one in value.items], "list", value.more, value.origins)
    if isinstance(value, Class):
        made = typed(it, value)
        made.items = {key: copied(it, one) for key, one in made.items.items()}
        return made
    if isinstance(value, Object) and value.cls is not None:
        return Typed({key: copied(it, one) for key, one in value.attributes.items()}, value.cls, shapes_of(it, value.cls), value.rest)
    return value


def _like(value: Map, items: dict[Key, Value], rest: Value | None, origins: tuple[Origin, ...]) -> Map:
    """A mapping of the same dataclass, where it is of one."""
    return Typed(items, value.cls, value.shapes, rest, origins) if isinstance(value, Typed) else Map(items, rest, origins)


def merge(it: Interpreter, trees: Sequence[Value], place: Place) -> Value:
    """One tree over another, the last wins; into a structure, or a tree that is closed, no key comes that it has not."""
    made: Value = Map()
    closed = bool(trees) and is_closed(it, trees[0])
    for at, one in enumerate(trees):
        made = _over(it, made, created(it, one), place, closed=closed and at > 0)
    return rooted(made)


def is_closed(it: Interpreter, value: Value) -> bool:
    """Whether ``set_struct`` closed the tree."""
    kept = it.parts.constants.get(_STRUCT)
    return isinstance(kept, Object) and isinstance(value, Map) and truth(kept.attributes.get(value.root or value, FALSE)) is True


def over(it: Interpreter, below: Value, above: Value, place: Place) -> Value:
    """One tree over another that is open."""
    return _over(it, below, above, place, closed=False)


def _over(it: Interpreter, below: Value, above: Value, place: Place, *, closed: bool) -> Value:
    if isinstance(above, Choice):
        return choice(Way(way.when, _over(it, below, way.value, place, closed=closed)) for way in above.ways)
    if not isinstance(above, Map):
        return below if text_of(above) == MISSING else above
    if not isinstance(below, Map):
        return above if not isinstance(below, Open | Opaque) else Map(above.items, made_of(below), above.origins)
    if not below.items and below.rest is None and not isinstance(below, Typed) and not closed:
        return above
    made = _like(below, dict(below.items), below.rest if above.rest is None else above.rest, origins_of([above, below]))
    made.path = below.path or above.path
    for key, value in above.items.items():
        _lay(it, made, key, value, place, closed=closed)
    if above.rest is not None:
        made.items = {
            key: value if key in above.items else choice([Way("", value), Way("", above.rest)]) for key, value in made.items.items()
        }
    return made


def _lay(it: Interpreter, made: Map, key: Key, value: Value, place: Place, *, closed: bool) -> None:
    """One key over what stands there."""
    older = made.items.get(key, ABSENT)
    if older is ABSENT and made.rest is None and (closed or isinstance(made, Typed)):
        refused(it, place, f"{key!s} is no key of the config", value.origins, "ConfigKeyError")
    if isinstance(older, Map) and isinstance(value, Map | Choice):
        made.items[key] = _over(it, older, value, place, closed=closed)
    elif text_of(value) != MISSING:
        made.items[key] = fitted(it, made, key, value, place)


def fitted(it: Interpreter, home: Map, key: Key, value: Value, place: Place) -> Value:
    """A value as the structure has it."""
    if not isinstance(home, Typed):
        return value
    if isinstance(value, Choice):
        return choice(Way(way.when, fitted(it, home, key, way.value, place)) for way in value.ways)
    found = as_shape(home.shapes.get(str(key)), value)
    if found is None:
        refused(it, place, f"{key!s} does not take {value!r}", value.origins, "ValidationError", "value")
        return Open("field", str(key), value.origins)
    return found


def plain(it: Interpreter, value: Value, home: Map | None = None) -> Value:
    """The tree as dicts and lists, references resolved."""
    if isinstance(value, Map):
        items = {key: plain(it, _as_field(value, key, one, resolved(it, one, value, 0)), value) for key, one in value.items.items()}
        made = Map(items, value.rest, value.origins)
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
    return rooted(copied(it, call.get("obj", 0) or NONE))


def _merge(it: Interpreter, call: Call) -> Value:
    return merge(it, call.positional, it.place(call.node, call.frame)) if call.rest is None else Opaque("merged configs")


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
    asked = call.get("resolve")
    if asked is not None and truth(asked) is True:
        return plain(it, call.get("cfg", 0) or NONE)
    return _as_written(call.get("cfg", 0) or NONE, certain=asked is None or truth(asked) is False)


def _as_written(value: Value, *, certain: bool) -> Value:
    """The tree as dicts and lists, references as they are written."""
    if isinstance(value, Map):
        made = Map({key: _as_written(one, certain=certain) for key, one in value.items.items()}, value.rest, value.origins)
        made.path, made.loader = value.path, "yaml"
        return made
    if isinstance(value, Items):
        return Items([_as_written(one, certain=certain) for one in value.items], "list", value.more, value.origins)
    if isinstance(value, Choice):
        return choice(Way(way.when, _as_written(way.value, certain=certain)) for way in value.ways)
    return value if certain or "${" not in (text_of(value) or "") else Opaque("a reference that may be resolved", origins=value.origins)


def _to_object(it: Interpreter, call: Call) -> Value:
    """The dataclasses of a structure; a field that has to be given and is not ends the program."""
    given = call.get("cfg", 0) or NONE
    told = it.launched.words is not None and all(isinstance(word, Known) for word in it.launched.words)
    for name, value in _missing(given, ""):
        if told:
            refused(it, it.place(call.node, call.frame), f"{name} is missing", value.origins, "MissingMandatoryValue")
    return _instances(it, given, plain(it, given), call)


def _instances(it: Interpreter, tree: Value, made: Value, call: Call) -> Value:
    """The same values, objects of dataclasses where the tree is of them."""
    if not isinstance(tree, Map) or not isinstance(made, Map):
        return made
    items = {key: _instances(it, one, made.items.get(key, ABSENT), call) for key, one in tree.items.items()}
    if isinstance(tree, Typed):
        named = {str(key): value for key, value in items.items()}
        return it.call(tree.cls, Call((), named, made.rest, call.node, call.frame))
    made.items.update(items)
    return made


def _missing(value: Value, path: str) -> Iterator[tuple[str, Value]]:
    if isinstance(value, Map) and value.rest is None:
        for key, one in value.items.items():
            name = f"{path}.{key!s}" if path else str(key)
            if text_of(one) == MISSING:
                yield name, one
            else:
                yield from _missing(one, name)


def _set_struct(it: Interpreter, call: Call) -> Value:
    given, flag, kept = call.get("conf", 0), call.get("value", 1), it.parts.constants.get(_STRUCT)
    if isinstance(given, Map) and isinstance(kept, Object) and given.root in (given, None):
        it.heap.write(kept, given, Known(flag is not None and truth(flag) is True))
    return NONE


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


def _started(launched: Launched) -> Value:
    return Object(_STRUCT)


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
    "load": _load, "create": _create, "structured": _structured, "merge": _merge, "unsafe_merge": _merge, "from_cli": _from_cli,
    "from_dotlist": _from_dotlist,
    "to_container": _container, "to_object": _to_object, "select": _select, "update": _update, "set_struct": _set_struct,
    "set_readonly": _nothing,
    "resolve": _nothing, "register_new_resolver": _nothing, "save": _nothing, "is_config": _is_config, "is_dict": _is_config,
    "is_missing": _is_missing,
}  # fmt: skip
FUNCTIONS: dict[str, Handler] = {
    **{f"omegaconf.OmegaConf.{name}": handler for name, handler in _OMEGACONF.items()},
    "omegaconf.DictConfig": _create,
    "omegaconf.ListConfig": _create,
    "omegaconf.open_dict": lambda it, call: Object("a context"),
    "omegaconf.read_write": lambda it, call: Object("a context"),
}
MADE: Mapping[str, Callable[[Launched], Value]] = {_STRUCT: _started}
CONSTANTS: dict[str, Value] = {"omegaconf.MISSING": Known(MISSING)}
