"""OmegaConf: trees whose keys are attributes and whose ``${a.b}`` are resolved when they are read.

Sources: OmegaConf 2.1 to 2.3 ``omegaconf.py`` (load, create, merge, from_cli, from_dotlist, structured, to_container, select),
``dictconfig.py``,
``base.py`` _resolve_node_interpolation; ``basecontainer.py`` _map_merge: mappings key by key, all else replaced, ``???`` leaves what is
below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from budgetlint.documents.scalars import Loader
from budgetlint.program.calling import Call
from budgetlint.program.choices import choice
from budgetlint.program.objects import Handler, Object
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.closing import STRUCT
from budgetlint.program.packages.loaders.config import read_stream
from budgetlint.program.packages.loaders.structured import MISSING, Typed
from budgetlint.program.packages.loaders.trees import copied, created, laid_over, merge, node, plain, rooted
from budgetlint.program.packages.loaders.words import dotted_words
from budgetlint.program.packages.parsers.options import refused
from budgetlint.program.places import Place
from budgetlint.program.state import Interpreter, Launched, text_of
from budgetlint.program.subscripts import of_map
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, NONE, Absent, Choice, Items, Known, Map, Opaque, Open, Value, Way

# making trees


def over(it: Interpreter, below: Value, above: Value, place: Place) -> Value:
    """One tree over another that is open."""
    return laid_over(it, below, above, place, closed=False)


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
    return rooted(dotted_words(it, words if words is not None else (), it.place(call.node, call.frame)))


def _from_dotlist(it: Interpreter, call: Call) -> Value:
    given = call.get("dotlist", 0)
    if not isinstance(given, Items) or given.more is not None:
        return rooted(Map(None, Open("word", "*")))
    return rooted(dotted_words(it, given.items, it.place(call.node, call.frame)))


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
    given, flag, kept = call.get("conf", 0), call.get("value", 1), it.parts.constants.get(STRUCT)
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
    return Object(STRUCT)


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
MADE: Mapping[str, Callable[[Launched], Value]] = {STRUCT: _started}
CONSTANTS: dict[str, Value] = {"omegaconf.MISSING": Known(MISSING)}
