"""Hydra: a config composed of groups and of the words of a launch, handed to the function that ``@hydra.main`` decorates.

Sources: hydra-core 1.1 to 1.3 ``main.py``, ``_internal/utils.py`` (flags), ``_internal/defaults_list.py``, ``grammar/OverrideParser.g4``,
``compose.py``, ``utils.py`` (instantiate, get_class, get_original_cwd), ``_internal/instantiate/_instantiate2.py``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence

from budgetlint.program.calling import Call
from budgetlint.program.imports import member
from budgetlint.program.objects import Function, Handler, Native, Object, Package, Partial
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.closing import closed
from budgetlint.program.packages.loaders.composing import STORE, Composer, entry
from budgetlint.program.packages.loaders.hydra_overrides import with_words
from budgetlint.program.packages.loaders.hydra_words import elements_of
from budgetlint.program.packages.loaders.trees import created, plain, rooted
from budgetlint.program.packages.parsers.options import Option, refuse_words, text_of_word
from budgetlint.program.packages.parsers.reading import read_words
from budgetlint.program.places import Place
from budgetlint.program.state import Interpreter, Launched, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import ABSENT, NONE, External, Items, Key, Known, Map, Opaque, Open, Value

_MAIN, _STORED = "hydra.main()", "hydra.core.config_store.ConfigStore"
_SWITCHES = ("--hydra-help", "--resolve", "--run -r", "--multirun -m", "--shell-completion -sc")
_NAMED = ("--cfg -c", "--package -p", "--config-path -cp", "--config-name -cn", "--config-dir -cd", "--experimental-rerun", "--info -i")
"""``_internal/utils.py`` get_args_parser: flags without a value and with one."""
_OWN = ("_target_", "_partial_", "_convert_", "_recursive_", "_args_")


def _main(it: Interpreter, call: Call) -> Value:
    made = Object(_MAIN)
    made.attributes = {"folder": call.get("config_path", 0) or NONE, "name": call.get("config_name", 1) or NONE}
    return made


def _decorate(it: Interpreter, base: Value, call: Call) -> Value:
    """The function, called without arguments: it gets the composed config."""
    function = call.positional[0] if call.positional else None
    if not isinstance(function, Function) or not isinstance(base, Object):
        return Opaque("what @hydra.main decorates")

    def start(it: Interpreter, given: Call) -> Value:
        if given.positional or given.keywords:
            return it.call(function, given)
        place = it.place(given.node, given.frame)
        read = read_words(it, _options(place), it.launched.words or ())
        if not read.open:
            refuse_words(it, read.left, place, [flag for flags in (*_SWITCHES, *_NAMED) for flag in flags.split()])
        folder, name = _flags(it, base, posixpath.dirname(function.names.module.path), read.given)
        words = read.given.get("overrides", NONE)
        others = [word for word in read.left if read.open and not text_of_word(word).startswith("-")]
        config = compose(it, folder, name, [*(words.items if isinstance(words, Items) else ()), *_more(words), *others], place)
        return it.call(function, given._replace(positional=(config,)))

    return Native(function.name, start)


def _more(words: Value) -> list[Value]:
    return [Open("word", "*")] if isinstance(words, Items) and words.more is not None else []


def _options(place: Place) -> list[Option]:
    """The parser of Hydra itself."""
    found = [Option("overrides", (), NONE, place, nargs="*"), Option("", ("--help", "-h"), NONE, place, "help")]
    found.append(Option("", ("--version",), NONE, place, "version"))
    for action, table in (("store_true", _SWITCHES), ("store", _NAMED)):
        for flags in table:
            long = flags.split()[0]
            nargs = "?" if long == "--info" else ""
            found.append(Option(long[2:].replace("-", "_"), tuple(flags.split()), NONE, place, action, nargs))
    return found


def _flags(it: Interpreter, base: Object, home: str, given: Mapping[str, Value]) -> tuple[str | None, str | None]:
    """Where the configs lie and which is the first; None where that is not known."""
    folder, name = text_of(base.attributes["folder"]), text_of(base.attributes["name"])
    folder = "" if folder is None else folder
    found = text_of_word(given.get("config_path", ABSENT)) or text_of_word(given.get("config_dir", ABSENT)) or None
    named = text_of_word(given.get("config_name", ABSENT)) or None
    here = posixpath.normpath(posixpath.join(home, folder)) if folder or home else ""
    if found is not None:
        here = next(
            (one for one in (posixpath.normpath(posixpath.join(home, found)), posixpath.normpath(found)) if _is_config_folder(it, one)),
            found,
        )
    return ("" if here == "." else here), (named or name)


def _is_config_folder(it: Interpreter, folder: str) -> bool:
    return not folder.startswith("..") and it.modules.files.is_folder(folder)


def compose(it: Interpreter, folder: str | None, name: str | None, words: Sequence[Value], place: Place) -> Value:
    """The primary config with its groups, the words over it."""
    made: Value
    if folder is None and name is None:
        return closed(it, rooted(with_words(it, Map(None, Open("field", "")), words, place)))
    composer = Composer(it, [folder] if folder is not None else [], place)
    others = _choices(it, composer, words)
    if name is None:
        made = Map() if composer.folders else Map(None, Open("field", ""))
    else:
        made = composer.compose(name)
    if not isinstance(made, Map):
        return made
    own = made.items.pop("hydra", None)
    return closed(it, rooted(with_words(it, made, others, place, sweeps=own is not None)))


def _choices(it: Interpreter, composer: Composer, words: Sequence[Value]) -> list[Value]:
    """``model=large`` where there is a group ``model``: taken as a choice; the other words are given back."""
    others: list[Value] = []
    for word in words:
        key, equals, value = text_of_word(word).partition("=")
        group = key.lstrip("+~").partition("@")[0]
        if key.startswith(("-", "++")) or not composer.is_group(group) or value.startswith("{"):
            others.append(word)
        else:
            _choose(composer, key, equals, word, value)
    return others


def _choose(composer: Composer, key: str, equals: str, word: Value, value: str) -> None:
    read = (elements_of(value, word.origins) or ()) if isinstance(word, Known) else (Open("word", value),)
    found = entry(key.lstrip("+~"), read[0] if len(read) == 1 else Opaque("one of several choices"))
    names = found.names
    plain = key.lstrip("+~")
    composer.origins[plain] = word.origins
    if key.startswith("~"):
        composer.deleted[plain] = value if equals else ""
    elif key.startswith("+"):
        composer.appended.append(found._replace(names=names, origins=word.origins, appended=True))
    else:
        composer.chosen[plain] = names


# what programs call


def _compose(it: Interpreter, call: Call) -> Value:
    kept = it.outside.names.module.names.bound.get("<hydra>")
    folder = text_of(kept) if kept is not None else None
    given = call.get("overrides", 1)
    words = given.items if isinstance(given, Items) and given.more is None else ()
    return compose(it, folder, text_of(call.get("config_name", 0)), words, it.place(call.node, call.frame))


def _initialize(it: Interpreter, call: Call) -> Value:
    folder = text_of(call.get("config_path", 0))
    home = posixpath.dirname(call.frame.module.path)
    if folder is not None:
        it.outside.names.module.names.bound["<hydra>"] = Known(posixpath.normpath(posixpath.join(home, folder)))
    return Object("a context")


def target(it: Interpreter, dotted: str) -> Value:
    """What a dotted name stands for: of the repository, else of a package."""
    parts = dotted.split(".")
    for end in range(len(parts) - 1, 0, -1):
        path = it.modules.absolute(".".join(parts[:end]))
        module = it.modules.at(path, ".".join(parts[:end])) if path is not None else None
        if module is not None:
            from budgetlint.program.imports import execute

            execute(it, module)
            found: Value = Package(module)
            for part in parts[end:]:
                found = (
                    member(it, found, part) if isinstance(found, Package | External) else it.attribute(found, part, Place(module.path, 0))
                )
            return found
    return External(dotted)


def _instantiate(it: Interpreter, call: Call) -> Value:
    config = call.get("config", 0) or NONE
    return it.each(config, lambda one: _made(it, one, call, 0))


def _made(it: Interpreter, config: Value, call: Call, depth: int) -> Value:
    if isinstance(config, Items):
        return Items([_made(it, one, call, depth + 1) for one in config.items], config.kind, config.more, config.origins)
    if not isinstance(config, Map) or depth > 12:
        return config
    items = plain(it, config)
    assert isinstance(items, Map)
    name = text_of(items.items.get("_target_"))
    keywords: dict[str, Value] = {str(key): _made(it, value, call, depth + 1) for key, value in items.items.items() if key not in _OWN}
    if depth == 0:
        keywords |= {key: value for key, value in call.keywords.items() if key not in ("config", *_OWN)}
    if name is None:
        return made_of(*items.items.values()) if "_target_" in items.items else config
    if truth(items.items.get("_partial_", NONE)) is not False and "_partial_" in items.items:
        return _later(target(it, name), name, keywords, items)
    return it.call(target(it, name), Call((), keywords, items.rest, call.node, call.frame))


def _later(function: Value, name: str, keywords: dict[str, Value], items: Map) -> Value:
    """``_partial_: true``: a `functools.partial` (hydra 1.3 ``_internal/instantiate/_instantiate2.py`` _call_target)."""

    def call(it: Interpreter, later: Call) -> Value:
        return it.call(function, later._replace(keywords={**keywords, **later.keywords}))

    if truth(items.items["_partial_"]) is not True or items.rest is not None:
        return Native(name, call)
    named: dict[Key, Value] = dict(keywords.items())
    return Partial(name, call, {"func": function, "args": Items((), "tuple"), "keywords": Map(named)})


def _class(it: Interpreter, call: Call) -> Value:
    name = text_of(call.get("path", 0))
    return target(it, name) if name is not None else Opaque("a class by name")


def _store(it: Interpreter, base: Value, call: Call) -> Value:
    """``ConfigStore.instance().store(group=..., name=..., node=...)``."""
    kept = it.parts.constants.get(STORE)
    name, group = text_of(call.get("name", 0)), call.get("group", 2)
    node = call.get("node", 1)
    if (
        not isinstance(kept, Object)
        or name is None
        or node is None
        or (group is not None and text_of(group) is None and not _is_none(group))
    ):
        return NONE
    made = Object("a stored config")
    made.attributes = {"node": created(it, node), "package": call.get("package", 3) or NONE}
    path = f"{text_of(group)}/{name}" if text_of(group) else name
    it.heap.write(kept, path.removesuffix(".yaml"), made)
    return NONE


def _is_none(value: Value) -> bool:
    return isinstance(value, Known) and value.value is None


def _instance(it: Interpreter, call: Call) -> Value:
    return Object(_STORED)


def _started(launched: Launched) -> Value:
    return Object(STORE)


def _absolute(it: Interpreter, call: Call) -> Value:
    return call.get("path", 0) or NONE


FUNCTIONS: dict[str, Handler] = {
    "hydra.main": _main,
    "hydra.compose": _compose,
    "hydra.initialize": _initialize,
    "hydra.utils.instantiate": _instantiate,
    "hydra.utils.call": _instantiate,
    "hydra.instantiate": _instantiate,
    "hydra.utils.get_class": _class,
    "hydra.utils.get_method": _class,
    "hydra.utils.get_object": _class,
    "hydra.utils.to_absolute_path": _absolute,
    f"{_STORED}.instance": _instance,
    _STORED: _instance,
    "hydra.utils.get_original_cwd": lambda it, call: Known(""),
}
METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {f"{_MAIN}.__call__": _decorate, f"{_STORED}.store": _store}
MADE: Mapping[str, Callable[[Launched], Value]] = {STORE: _started}
