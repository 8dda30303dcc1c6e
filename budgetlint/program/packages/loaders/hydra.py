"""Hydra: a config composed of groups and of the words of a launch, handed to the function that ``@hydra.main`` decorates.

Sources: hydra-core 1.1 to 1.3 ``main.py``, ``_internal/utils.py`` (flags), ``_internal/defaults_list.py``, ``grammar/OverrideParser.g4``,
``compose.py``, ``utils.py`` (instantiate, get_class, get_original_cwd), ``_internal/instantiate/_instantiate2.py``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence

from budgetlint.program.calling import Call
from budgetlint.program.imports import member
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.closing import closed
from budgetlint.program.packages.loaders.composing import STORE, Composer, entry
from budgetlint.program.packages.loaders.omegaconf import over
from budgetlint.program.packages.loaders.trees import created, fitted, plain, rooted
from budgetlint.program.packages.loaders.words import set_at, split_word, value_of_text
from budgetlint.program.packages.parsers.options import refused, text_of_word
from budgetlint.program.places import Place
from budgetlint.program.state import Interpreter, Launched, text_of
from budgetlint.program.truth import truth
from budgetlint.program.values import (
    NONE,
    External,
    Function,
    Handler,
    Items,
    Known,
    Map,
    Native,
    Object,
    Opaque,
    Open,
    Package,
    Value,
    Way,
    choice,
)

_MAIN, _STORED = "hydra.main()", "hydra.core.config_store.ConfigStore"
_SWEEP = re.compile(r"[,(]")
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
        folder, name = _flags(it, base, posixpath.dirname(function.names.module.path))
        config = compose(it, folder, name, it.launched.words or (), it.place(given.node, given.frame))
        return it.call(function, given._replace(positional=(config,)))

    return Native(function.name, start)


def _flags(it: Interpreter, base: Object, home: str) -> tuple[str | None, str | None]:
    """Where the configs lie and which is the first; None where that is not known."""
    folder, name = text_of(base.attributes["folder"]), text_of(base.attributes["name"])
    folder = "" if folder is None else folder
    found = _value_of(it, ("--config-path", "-cp", "--config-dir", "-cd"))
    named = _value_of(it, ("--config-name", "-cn"))
    here = posixpath.normpath(posixpath.join(home, folder)) if folder or home else ""
    if found is not None:
        here = next(
            (one for one in (posixpath.normpath(posixpath.join(home, found)), posixpath.normpath(found)) if _is_config_folder(it, one)),
            found,
        )
    return ("" if here == "." else here), (named or name)


def _is_config_folder(it: Interpreter, folder: str) -> bool:
    return not folder.startswith("..") and it.modules.files.is_folder(folder)


def _value_of(it: Interpreter, flags: Sequence[str]) -> str | None:
    words = [text_of_word(word) for word in it.launched.words or ()]
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in flags:
            return value if equals else words[at + 1] if at + 1 < len(words) else None
    return None


def compose(it: Interpreter, folder: str | None, name: str | None, words: Sequence[Value], place: Place) -> Value:
    """The primary config with its groups, the words over it."""
    made: Value
    if folder is None and name is None:
        return closed(it, rooted(_with_words(it, Map(None, Open("field", "")), words, place)))
    composer = Composer(it, [folder] if folder is not None else [], place)
    others = _choices(it, composer, words)
    if name is None:
        made = Map() if composer.folders else Map(None, Open("field", ""))
    else:
        made = composer.compose(name)
    if not isinstance(made, Map):
        return made
    made.items.pop("hydra", None)
    return closed(it, rooted(_with_words(it, made, others, place)))


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
    given = value_of_text(value, word.origins) if isinstance(word, Known) else Open("word", value)
    found = entry(key.lstrip("+~"), given)
    names = None if isinstance(given, Known) and _SWEEP.search(str(given.value)) else found.names
    plain = key.lstrip("+~")
    composer.origins[plain] = word.origins
    if key.startswith("~"):
        composer.deleted[plain] = value if equals else ""
    elif key.startswith("+"):
        composer.appended.append(found._replace(names=names, origins=word.origins, appended=True))
    else:
        composer.chosen[plain] = names


def _with_words(it: Interpreter, made: Map, words: Sequence[Value], place: Place) -> Map:
    """Words over the tree: one without ``+`` changes what is there."""
    for word in words:
        text = text_of_word(word)
        if isinstance(word, Open) and "=" not in text:
            made.rest = Open("word", word.name, word.origins)
        elif text.startswith("~"):
            _take_away(it, made, text[1:].partition("=")[0], word, place)
        elif not text.startswith("-") and not text.lstrip("+").startswith("hydra."):
            _lay_word(it, made, word, place)
    return made


def _take_away(it: Interpreter, made: Map, dotted: str, word: Value, place: Place) -> None:
    *parts, last = dotted.split(".")
    home = _home(made, parts)
    if home is None or last not in home.items:
        if made.rest is None and (home is None or home.rest is None):
            refused(it, place, f"{dotted} is not there to be taken away", word.origins, "ConfigCompositionException")
        return
    home.items.pop(last)


def _home(made: Map, parts: Sequence[str]) -> Map | None:
    at: Value | None = made
    for part in parts:
        at = at.items.get(part) if isinstance(at, Map) else None
    return at if isinstance(at, Map) else None


def _lay_word(it: Interpreter, made: Map, word: Value, place: Place) -> None:
    found = split_word(word)
    if found is None:
        if isinstance(word, Known):
            refused(it, place, f"{word.value!s} is no override", word.origins, "SystemExit")
        return
    key, value = found
    dotted = key.lstrip("+")
    if isinstance(word, Known) and _SWEEP.search(text_of_word(word).partition("=")[2]):
        value = _swept(it, text_of_word(word).partition("=")[2], value)
    *parts, last = dotted.split(".")
    home = _home(made, parts)
    there = home is not None and last in home.items
    if not there and not key.startswith("+") and _is_told(made, parts):
        refused(it, place, f"{dotted} is not in the config: + adds it", word.origins, "ConfigCompositionException")
    if home is None:
        set_at(made, dotted, value)
        return
    older = home.items.get(last)
    home.items[last] = (
        over(it, older, value, place) if isinstance(older, Map) and isinstance(value, Map) else fitted(it, home, last, value, place)
    )


def _is_told(made: Map, parts: Sequence[str]) -> bool:
    """Whether all keys on the way are known."""
    at: Value | None = made
    for part in (*parts, ""):
        if not isinstance(at, Map) or at.rest is not None:
            return at is None or isinstance(at, Known)
        at = at.items.get(part)
    return True


def _swept(it: Interpreter, text: str, value: Value) -> Value:
    """``a,b`` of a multirun is one of them; functions of the grammar are not followed."""
    words = [text_of_word(word) for word in it.launched.words or ()]
    if not ({"-m", "--multirun"} & set(words)) or "(" in text or "[" in text or "{" in text or "'" in text:
        return Opaque("an override that the grammar reads", value, origins=value.origins)
    return choice(Way("", value_of_text(one.strip(), value.origins)) for one in text.split(","))


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
        function = target(it, name)
        return Native(name, lambda it, later: it.call(function, later._replace(keywords={**keywords, **later.keywords})))
    return it.call(target(it, name), Call((), keywords, items.rest, call.node, call.frame))


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
