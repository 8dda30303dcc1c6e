"""From the model that a trainer is given back to the call that loaded it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from budgetlint.program.around import Around, around
from budgetlint.program.choices import alternatives, choice, same
from budgetlint.program.models import is_module, model_of
from budgetlint.program.objects import Object
from budgetlint.program.packages.paths import path_text
from budgetlint.program.places import LISTED
from budgetlint.program.sinks import MODELS, Sink
from budgetlint.program.values import ABSENT, Choice, Known, Opaque, Open, Value, Way

_MOST_STEPS = 24
_LOADS = frozenset({"load", "unsloth_load", "own_model"})
_NAMES = ("pretrained_model_name_or_path", "model_name")


class Chain(NamedTuple):
    """``sinks``: those that the model went through, the outermost first, the load last. ``closed``: nothing that is not followed had it in
    its hands. ``every``: those of all ways, where one of several models is chosen: then the last of ``sinks`` is made of all loads.
    ``anew``: what would load a checkpoint of an earlier run of the program; the others are those of a run that starts anew.
    ``own``: what modules of the repository put around it."""

    sinks: tuple[Sink, ...] = ()
    closed: bool = False
    every: tuple[Sink, ...] = ()
    anew: tuple[Sink, ...] = ()
    own: tuple[Around, ...] = ()


def chain_of(model: Value | None, output: Value | None = None) -> Chain:
    """``output``: the folder that the run writes its checkpoints to, where that is seen."""
    return _of(model, output, _MOST_STEPS)


def _of(value: Value | None, output: Value | None, left: int) -> Chain:
    if value is None or left == 0:
        return Chain()
    ways = alternatives(value)
    mine = [way for way in ways if not _is_resumed(way.value, output, left)] or list(ways)
    anew = tuple(one for way in ways if way not in mine for one in _of_one(way.value, None, left).sinks[-1:])
    models = [way for way in mine if not _is_nothing(way.value)]
    chains = [_of_one(way.value, output, left) for way in models]
    found = chains[0] if len(chains) == 1 else _joined(models, chains)
    return found._replace(closed=found.closed and len(models) == len(mine), anew=(*found.anew, *anew))


def _is_nothing(value: Value) -> bool:
    return value is ABSENT or (isinstance(value, Known) and value.value is None)


def _of_one(value: Value, output: Value | None, left: int) -> Chain:
    if isinstance(value, Opaque):
        return _of(value.of, output, left - 1)._replace(closed=False)
    if not isinstance(value, Object) or (value.made is None and value.cls is None):
        return Chain()
    if value.made is None:  # a module of the repository around a model, whose parameters are all its own
        held = held_by(value)
        found = _of(held, output, left - 1)
        own = (around(value, held),) if held is not None else ()
        return found._replace(closed=found.closed and is_module(value) and held is not None, own=(*own, *found.own))
    if value.made.kind in _LOADS:
        load = _loaded_anew(value.made, output)
        return Chain((load,), True, (value.made,), () if load is value.made else (load,), _of_its_class(value, value.made))
    found = _of(value.data if isinstance(value.data, Value) else value.made.get("model"), output, left - 1)
    if value.made.kind not in MODELS or value.made in found.sinks:
        return found
    return found._replace(sinks=(value.made, *found.sinks), every=(value.made, *found.every))


def held_by(module: Object, left: int = 4) -> Object | None:
    """The one model that a module of the repository holds, itself or in a module of its own."""
    found: dict[int, Object] = {}
    for value in module.attributes.values():
        one = model_of(value)
        if one is None and left and isinstance(value, Object) and value.cls is not None and is_module(value):
            one = held_by(value, left - 1)
        if one is not None:
            found.setdefault(id(one.made), one)  # arguments of a sink are copies, of the same load
    if not found and isinstance(module.data, Value):
        return model_of(module.data)
    return next(iter(found.values())) if len(found) == 1 else None


_DECIDES = frozenset({"__init__", "forward", "__call__", "tie_weights"})
"""Methods by which a class that is built on a package's model is another one."""


def _of_its_class(value: Object, load: Sink) -> tuple[Around, ...]:
    """A class of the repository that loads as the package's does, and is more than that."""
    of_its_own = [name for name in load.overrides if name in _DECIDES] if value.cls is not None else []
    return (Around(doubt=f"class {load.base} has {of_its_own[0]} of its own"),) if of_its_own else ()


# one of several models


def _joined(ways: Sequence[Way], chains: Sequence[Chain]) -> Chain:
    """What is known of all of them. It is closed where they are loaded alike, and nothing is done to any."""
    first = next((one for one in chains if one.sinks), Chain())
    every = tuple({id(sink): sink for one in chains for sink in one.every}.values())
    anew = tuple(sink for one in chains for sink in one.anew)
    own = tuple(part for one in chains for part in one.own)
    loads = [one.sinks[-1] if one.sinks and one.sinks[-1].kind in _LOADS else None for one in chains]
    if not first.sinks or all(one is loads[0] for one in loads):
        return Chain(first.sinks, closed=False, every=every, anew=anew, own=own)
    alike = {(one.kind, one.name) if one is not None else ("", "") for one in loads}
    closed = len(alike) == 1 and all(one.closed and len(one.sinks) == 1 and one.sinks[0].kind == "load" for one in chains)
    whens = [way.when for way in ways]
    return Chain((*first.sinks[:-1], _merged(first.sinks[-1], loads, whens, alike=len(alike) == 1)), closed, every, anew, own)


def _merged(first: Sink, loads: Sequence[Sink | None], whens: Sequence[str], *, alike: bool) -> Sink:
    """One load of several: an argument that they do not agree on is a choice."""
    made = first.copy()
    known = [one for one in loads if one is not None]
    whole = alike and len(known) == len(loads) and len({len(one.positional) for one in known}) == 1
    for name in {key: None for one in known for key in one.arguments}:
        values = [one.arguments.get(name, ABSENT) if one is not None else Opaque("another model") for one in loads]
        made.arguments[name] = _either(values, whens)
    made.positional = tuple(_either([one.positional[at] for one in known], whens) for at in range(len(first.positional))) if whole else ()
    if not whole:
        name = next((one for one in _NAMES if one in made.arguments), _NAMES[0])
        named = [one.get(*_NAMES, at=0) if one is not None else None for one in loads]
        agreed = named[0] if named[0] is not None and all(one is not None and same(named[0], one) for one in named) else None
        made.arguments[name] = agreed or Opaque("one of several models")
    made.rest = next((one.rest for one in known if one.rest is not None), None if whole else Opaque("another load"))
    made.conditions = ()
    return made


def _either(values: Sequence[Value], whens: Sequence[str]) -> Value:
    return choice(Way(when, value) for when, value in zip(whens, values, strict=True))


# a checkpoint of an earlier run


def _is_resumed(value: Value, output: Value | None, left: int) -> bool:
    """Is it loaded from where the run itself writes to?"""
    if output is None or left == 0 or not isinstance(value, Object):
        return False
    if value.made is None:
        held = held_by(value) if value.cls is not None else None
        return held is not None and _is_resumed(held, output, left - 1)
    if value.made.kind not in MODELS:
        return False
    if any(_is_below(one, output) for one in _paths(value.made)):
        return True
    inner = value.data if isinstance(value.data, Value) else value.made.get("model")
    return value.made.kind not in _LOADS and inner is not None and _is_resumed(inner, output, left - 1)


def _loaded_anew(load: Sink, output: Value | None) -> Sink:
    """The load of one of several names, without those of checkpoints that the run itself writes."""
    name = next((one for one in _NAMES if one in load.arguments), "")
    ways = alternatives(load.arguments[name]) if name else ()
    kept = [way for way in ways if output is None or not (_is_nothing(way.value) or _is_below(way.value, output))]
    if not kept or len(kept) == len(ways):
        return load
    made = load.copy()
    made.arguments[name] = choice(kept)
    return made


def _paths(load: Sink) -> Iterator[Value]:
    named = load.get(*_NAMES, at=0) if load.kind in _LOADS else load.get("model_id", at=1)
    if named is not None:
        yield named


def _is_below(path: Value, output: Value) -> bool:
    """Does a file or folder lie in the folder of the checkpoints? Of one that was found there, where it was looked for. No model is called
    None."""
    if isinstance(path, Choice):
        named = [way.value for way in path.ways if not _is_nothing(way.value)]
        return bool(named) and all(_is_below(one, output) for one in named)
    folder, text = _text(output), _text(path)
    if text is not None:
        return folder is not None and _leads_into(text, folder)
    listed = [one.key for one in path.origins if one.kind == LISTED]
    if folder is not None:
        return bool(listed) and all(_leads_into(one, folder) for one in listed)
    return isinstance(output, Open) and bool(listed) and bool(output.origins) and set(output.origins) <= set(path.origins)


def _text(value: Value) -> str | None:
    return path_text(value) if isinstance(value, Known) else None


def _leads_into(path: str, folder: str) -> bool:
    whole, start = posixpath.normpath(path), posixpath.normpath(folder)
    return start not in ("", ".", "/") and (whole == start or whole.startswith(f"{start}/") or path.startswith(f"{folder}/"))
