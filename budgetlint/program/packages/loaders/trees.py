"""Trees as OmegaConf has them: keys that are attributes, references that are resolved when they are read, one over another.

Sources: OmegaConf 2.1 to 2.3 ``dictconfig.py``, ``base.py`` _resolve_node_interpolation, ``basecontainer.py`` _map_merge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from budgetlint.documents.scalars import Loader
from budgetlint.program.calling import Call
from budgetlint.program.choices import choice, origins_of
from budgetlint.program.objects import Class, Object
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.closing import is_closed
from budgetlint.program.packages.loaders.config import read_stream
from budgetlint.program.packages.loaders.structured import MISSING, Typed, as_shape, shapes_of, typed
from budgetlint.program.packages.parsers.options import refused
from budgetlint.program.packages.variables import environ, unset
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import NOWHERE, Interpreter, text_of
from budgetlint.program.subscripts import of_map
from budgetlint.program.values import ABSENT, Absent, Choice, Items, Key, Known, Map, Opaque, Open, Value, Way

OMEGACONF = "omegaconf"


_REFERENCE = re.compile(r"\$\{(\.*)([\w/@.\[\]-]+)\}")


_VARIABLE = re.compile(r"\$\{oc\.env:\s*([A-Za-z_]\w*)\s*(?:,\s*([^${}'\"\[\]\\]*?)\s*)?\}")


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
    words = it.launched.words
    if text_of(found) == MISSING and found.origins and words is not None and all(isinstance(word, Known) for word in words):
        refused(it, found.origins[0].place, f"{key!s} is missing", found.origins, "MissingMandatoryValue")
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
        made = laid_over(it, made, created(it, one), place, closed=closed and at > 0)
    return rooted(made)


def laid_over(it: Interpreter, below: Value, above: Value, place: Place, *, closed: bool) -> Value:
    if isinstance(above, Choice):
        return choice(Way(way.when, laid_over(it, below, way.value, place, closed=closed)) for way in above.ways)
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
        made.items[key] = laid_over(it, older, value, place, closed=closed)
    elif do_not_merge(older, value):
        refused(it, place, f"{key!s} is no {'list' if isinstance(value, Items) else 'mapping'}", value.origins, "ConfigTypeError", "value")
    elif text_of(value) != MISSING:
        made.items[key] = fitted(it, made, key, value, place)


def do_not_merge(older: Value, value: Value) -> bool:
    """A list over a mapping, or a mapping over a list (``basecontainer.py`` _merge_with)."""
    return (isinstance(older, Items) and isinstance(value, Map)) or (isinstance(older, Map) and isinstance(value, Items))


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
