"""Hydra: a config composed of groups and of the words of a launch, handed to the function that ``@hydra.main`` decorates.

Sources: hydra-core 1.1 to 1.3 ``main.py``, ``_internal/utils.py`` (flags), ``_internal/defaults_list.py``, ``grammar/OverrideParser.g4``,
``compose.py``, ``utils.py`` (instantiate, get_class, get_original_cwd), ``_internal/instantiate/_instantiate2.py``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence

from budgetlint.documents.composition import Composition
from budgetlint.documents.load import load
from budgetlint.documents.node import Document, Mapping
from budgetlint.documents.scalars import Loader
from budgetlint.program.imports import member
from budgetlint.program.operators import made_of
from budgetlint.program.packages.loaders.config import tree
from budgetlint.program.packages.loaders.omegaconf import plain, rooted
from budgetlint.program.packages.loaders.words import set_at, split_word
from budgetlint.program.packages.parsers.options import text_of_word
from budgetlint.program.state import Call, Interpreter, text_of
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
    Origin,
    Package,
    Place,
    Value,
)

_MAIN = "hydra.main()"
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
        config = compose(it, folder, name, it.launched.words or ())
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


def compose(it: Interpreter, folder: str | None, name: str | None, words: Sequence[Value]) -> Value:
    """The primary config with its groups, the words over it."""
    if folder is None or name is None:
        return rooted(_with_words(it, Map(None, Open("field", "")), words, {}))
    path = _file(it, folder, name)
    document = _document(it, path) if path is not None else None
    if path is None or document is None:
        return rooted(_with_words(it, Map(None, Open("field", "")), words, {}))
    groups = _groups(it, folder, words)
    task = Composition(lambda one: _document(it, one))
    root = task.whole(document, groups, (path,))
    it.loaders.update(dict.fromkeys((source.path for source in (document.source, *task.sources)), Loader.OMEGACONF.value))
    it.opened.extend((source.path, Origin("config", Place(path, 1))) for source in (document.source, *task.sources))
    made = tree(Document(document.source, "yaml", root), Loader.OMEGACONF) if root is not None else Map()
    if not isinstance(made, Map):
        return made
    made.items.pop("defaults", None)
    if task.absent:
        made.rest = Open("field", "", made.origins)
    return rooted(_with_words(it, made, words, groups))


def _file(it: Interpreter, folder: str, name: str) -> str | None:
    base = posixpath.join(folder, name)
    return next((one for one in (base, f"{base}.yaml", f"{base}.yml") if it.modules.files.is_file(one)), None)


def _document(it: Interpreter, path: str) -> Document | None:
    source = it.modules.files.source(path) if it.modules.files.is_file(path) else None
    documents = load(source) if source is not None else ()
    return next((one for one in documents if isinstance(one.root, Mapping)), None)


def _groups(it: Interpreter, folder: str, words: Sequence[Value]) -> dict[str, str]:
    """``model=large`` where ``model/large.yaml`` is there: the choice of a group."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = text_of_word(word).partition("=")
        name = name.lstrip("+~").partition("@")[0]
        if equals and isinstance(word, Known) and "." not in name and _file(it, posixpath.join(folder, name), value) is not None:
            found[name] = value
    return found


def _with_words(it: Interpreter, made: Map, words: Sequence[Value], groups: dict[str, str]) -> Map:
    for word in words:
        text = text_of_word(word)
        if text.startswith("-") or text.partition("=")[0].lstrip("+~").partition("@")[0] in groups:
            continue
        if text.startswith("~"):
            made.items.pop(text[1:].partition("=")[0], None)
            continue
        found = split_word(word)
        if found is not None:
            set_at(made, found[0].lstrip("+"), found[1])
        elif isinstance(word, Open):
            made.rest = Open("word", word.name, word.origins)
    return made


# what programs call


def _compose(it: Interpreter, call: Call) -> Value:
    kept = it.outside.names.module.names.bound.get("<hydra>")
    folder = text_of(kept) if kept is not None else None
    given = call.get("overrides", 1)
    words = given.items if isinstance(given, Items) and given.more is None else ()
    return compose(it, folder, text_of(call.get("config_name", 0)), words)


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
    "hydra.utils.get_original_cwd": lambda it, call: Known(""),
}
METHODS: dict[str, Callable[[Interpreter, Value, Call], Value]] = {f"{_MAIN}.__call__": _decorate}
