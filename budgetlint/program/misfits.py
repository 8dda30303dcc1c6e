"""Keys of configs and flags that do not fit the code they reach: one that is read and not there, one that a call does not take.

Python ends the program at either. It is said and read on, as the run that was meant, only where nothing could keep the program from it: no
condition and no `try` is around, and the key is somebody's outside of the program. A key that the program itself has wrong ends the way as
any other error does.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from budgetlint.base.suggest import near_names
from budgetlint.catalog.vocabulary import misspelt
from budgetlint.program.calling import Call
from budgetlint.program.choices import origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Class
from budgetlint.program.packages.loaders.closing import is_closed
from budgetlint.program.packages.parsers.fields import named_fields
from budgetlint.program.packages.parsers.options import refused
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter
from budgetlint.program.subscripts import of_map
from budgetlint.program.values import ABSENT, Known, Map, Open, Value

LACKS, UNEXPECTED = "lacks", "unexpected"
OUTSIDE = frozenset({"config", "flag"})
_SHORTEST = 4
_METHODS = frozenset({"merge_with", "unsafe_merge_with", "is_empty", "pretty"})
"""OmegaConf 2.0 to 2.3 ``dictconfig.py``, ``basecontainer.py``: beside those of `dict`."""


def lacks_key(it: Interpreter, base: Map, key: Known) -> bool:
    """``base[key]``: a dict ends the program, and so does a tree that is closed; an open one of OmegaConf before 2.1 gives None."""
    return isinstance(key.value, str) and of_map(base, key.value) is ABSENT and (base.root is None or is_closed(it, base))


def lacks_attribute(it: Interpreter, base: Map, name: str) -> bool:
    """``base.name`` of a tree that is closed, as Hydra closes its own."""
    if base.root is None or name.startswith("_") or name in _METHODS or hasattr(dict, name):
        return False
    return of_map(base, name) is ABSENT and is_closed(it, base)


def lacking(it: Interpreter, base: Map, key: str, place: Place, error: str) -> Value:
    """What a key is that surely is not there: the program ends, if ``base`` is a mapping of a config."""
    home = next((one for one in base.origins if one.kind == "config"), None)
    if home is None or not is_sure(it, error):
        raise Dead(error)
    dotted = f"{base.path}.{key}" if base.path else key
    near = _near(key, base)
    at = origin_of(base.items[near]) if near else None
    names = (near,) if near and at is not None else ()
    refused(it, place, dotted, (at or home,), error, LACKS, names)
    return Open("field", dotted, (home,))


def without(it: Interpreter, call: Call, names: Iterable[str], called: str, takes: Collection[str]) -> Call:
    """The call without keywords that what is called does not take; what they were meant for is open. Ends the way where it is not said."""
    given = {name: call.keywords[name] for name in names}
    if not is_sure(it, "TypeError") or not all(origin_of(value) for value in given.values()):
        raise Dead("TypeError")
    for name, value in given.items():
        unexpected(it, name, value, called, takes, it.place(call.node, call.frame))
    kept = {name: value for name, value in call.keywords.items() if name not in given}
    return call._replace(keywords=kept, rest=call.rest or Open("field", "", origins_of(list(given.values()))))


def strangers(call: Call, takes: Collection[str]) -> list[str]:
    """The keywords of a call that are none of these, and are surely given."""
    return [name for name, value in call.keywords.items() if name not in takes and not perhaps_absent(value)]


def unexpected(it: Interpreter, name: str, value: Value, called: str, takes: Iterable[str], place: Place) -> None:
    origin = origin_of(value)
    if origin is None:
        raise Dead("TypeError")
    near = near_names(name, takes, alike=0.75)
    refused(it, place, f"{called}.{name}", (origin,), "TypeError", UNEXPECTED, near)


def misspelt_fields(it: Interpreter, kind: str, call: Call, own: Class | None) -> None:
    """Keywords of a package's class that no release of it has, a letter or two from one that they have: TypeError. What is further off may
    come with a release that nobody has read."""
    fields = named_fields(kind) if call.keywords and is_sure(it, "TypeError") else None
    if fields is None:
        return
    for name in strangers(call, fields):
        meant = misspelt(name, fields)
        if meant and meant not in call.keywords and not (own is not None and _is_own(own, name)):
            value = call.keywords[name]
            origin = origin_of(value)
            origins = (origin,) if origin is not None else value.origins[:1]
            refused(it, it.place(call.node, call.frame), f"{kind.rpartition('.')[2]}.{name}", origins, "TypeError", UNEXPECTED, (meant,))


def _is_own(cls: Class, name: str) -> bool:
    """Whether a class of the repository, built on the package's, has the name: as a field, or anywhere in its body."""
    nodes = (node for one in cls.line if isinstance(one, Class) for node in ast.walk(one.node))
    return any(name == getattr(node, "id", None) or name == getattr(node, "arg", None) for node in nodes)


def is_sure(it: Interpreter, error: str) -> bool:
    """Does the program come to this however it goes, and does no handler around take such an error?"""
    return not it.conditions and not it.may_be_caught(error)


def origin_of(value: Value) -> Origin | None:
    """Where somebody outside of the program wrote a value; None for one of the program's own."""
    return next((one for one in value.origins if one.kind in OUTSIDE), None)


def _near(key: str, base: Map) -> str:
    """The key that was most likely meant: nearly the same letters, or a part of the name."""
    names = [name for name in base.items if isinstance(name, str)]
    found = list(near_names(key, names, alike=0.75))
    found = found or [one for one in names if min(len(one), len(key)) >= _SHORTEST and (_ends(key, one) or _ends(one, key))]
    return found[0] if len(found) == 1 else ""


def _ends(long: str, short: str) -> bool:
    return long.endswith(f"_{short}") or long.startswith(f"{short}_")
