"""``key.inner=value`` words of a command line, as OmegaConf and Hydra take them.

Sources: OmegaConf 2.3 ``basecontainer.py`` merge_with_dotlist, ``_utils.py`` yaml loading of each value; hydra-core 1.3
``grammar/OverrideParser.g4`` (``+`` adds, ``++`` adds or changes, ``~`` takes away, lists and quoted texts).
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.source import SourceFile
from budgetlint.documents.scalars import Loader
from budgetlint.documents.yaml import read_yaml
from budgetlint.program.packages.loaders.trees import do_not_merge, laid_over
from budgetlint.program.packages.parsers.options import refused, text_of_word
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Items, Known, Map, Opaque, Open, Value

_LONGEST = 4_000


def value_of_text(text: str, origins: tuple[Origin, ...]) -> Value | None:
    """A value as YAML reads it in one line: a scalar, a list or a mapping; None where YAML refuses it."""
    from budgetlint.program.packages.loaders.config import tree

    if len(text) > _LONGEST or "${" in text:
        return Known(text, origins) if "${" in text else Opaque("a word that is too long", origins=origins)
    documents = read_yaml(SourceFile("<word>", text))
    if any(document.problems for document in documents):
        return None
    if len(documents) != 1 or documents[0].root is None:
        return Known(None, origins) if not text.strip() else Opaque("a word that YAML reads otherwise", origins=origins)
    return placed(tree(documents[0], Loader.OMEGACONF), origins)


def placed(value: Value, origins: tuple[Origin, ...]) -> Value:
    """The same value, all of it at the word that it stands in."""
    if isinstance(value, Items):
        return Items([placed(one, origins) for one in value.items], value.kind, value.more, origins)
    if isinstance(value, Map):
        return Map({key: placed(one, origins) for key, one in value.items.items()}, value.rest, origins)
    return Known(value.value, origins) if isinstance(value, Known) else value


def key_and_text(word: Value) -> tuple[str, str, tuple[Origin, ...]] | None:
    """Key and text of ``key=value``, and where it stands; None for a word that is none."""
    name, equals, given = text_of_word(word).partition("=")
    if not equals or not name:
        return None
    place = word.origins[0].place if word.origins else Place("", 0)
    return name, given, (Origin("flag", place, name.lstrip("+~-")),)


def set_at(tree: Map, dotted: str, value: Value) -> None:
    """Sets a key of a tree that nobody has seen yet; mappings on the way are made."""
    *parts, last = dotted.split(".")
    at = tree
    for part in parts:
        inner = at.items.get(part)
        if not isinstance(inner, Map):
            inner = at.items[part] = Map(None, None, value.origins)
            inner.path = f"{at.path}.{part}" if at.path else part
        at = inner
    at.items[last] = value


def _update(it: Interpreter, tree: Map, dotted: str, value: Value, place: Place) -> None:
    """A key of the tree; a mapping goes into the one that is there."""
    at: Value | None = tree
    for part in dotted.split("."):
        at = at.items.get(part) if isinstance(at, Map) else None
    if isinstance(at, Map) and isinstance(value, Map):
        value = laid_over(it, at, value, place, closed=False)
    elif at is not None and do_not_merge(at, value):
        refused(it, place, f"{dotted} is no {'list' if isinstance(value, Items) else 'mapping'}", value.origins, "ConfigTypeError", "value")
    set_at(tree, dotted, value)


def dotted_words(it: Interpreter, words: Iterable[Value], place: Place) -> Map:
    """A tree of such words; a word that is not known may set anything."""
    made = Map()
    for word in words:
        found = key_and_text(word)
        if found is not None:
            name, given, origins = found
            value = value_of_text(given, origins) if isinstance(word, Known) else Open("word", given, origins)
            if value is None:
                refused(it, place, f"{text_of_word(word)} is no YAML", word.origins, "ParserError")
            _update(it, made, name, value if value is not None else Open("word", given, origins), place)
        elif isinstance(word, Open):
            made.rest = Open("word", word.name, word.origins)
        elif isinstance(word, Known):
            set_at(made, str(word.value), Known(None, word.origins))
    return made
