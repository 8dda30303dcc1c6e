"""What of a program trains: the module or model whose parameters an optimizer gets, and what it is cast to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from budgetlint.program.choices import alternatives
from budgetlint.program.models import is_module, model_of, module_of
from budgetlint.program.objects import Object
from budgetlint.program.sinks import Sink
from budgetlint.program.values import ABSENT, Choice, External, Items, Known, Map, Opaque, Value

_ROUNDS = 12
"""Containers within containers that are looked through."""
_DEVICES = ("device", "rank", "gpu", "cuda")
"""Words of what a module is moved to."""
_WRAPS = frozenset({"optimizer", "ddp", "dp", "fsdp", "deepspeed"})
"""Kinds of sinks that are given what trains."""
_DTYPES = {"half": "torch.float16", "bfloat16": "torch.bfloat16", "float": "torch.float32"}


def trained_module(sinks: Sequence[Sink]) -> Object | None:
    """The module whose parameters the optimizer gets, or that is wrapped; None where that is not one."""
    found: list[Object] = []
    for one in sinks:
        if one.kind in _WRAPS:
            for value in (*one.arguments.values(), *one.positional):
                found += _modules(value)
    found = found or [
        module for one in sinks if one.kind == "cast" and (module := module_of(one.receiver)) is not None and is_module(module)
    ]
    names = {(id(one.cls), one.kind): one for one in found}
    return next(iter(names.values())) if len(names) == 1 else None


def _modules(value: Value, depth: int = 0) -> Iterator[Object]:
    """Modules that something is made of."""
    if depth > _ROUNDS:
        return
    if isinstance(value, Choice):
        for way in value.ways:
            yield from _modules(way.value, depth + 1)
        return
    found = module_of(value)
    if found is not None and model_of(found) is None:
        yield found
    elif isinstance(value, Items):
        for one in (*value.items, *([value.more] if value.more is not None else [])):
            yield from _modules(one, depth + 1)
    elif isinstance(value, Map):
        for one in value.items.values():
            yield from _modules(one, depth + 1)


def trained_model(sinks: Sequence[Sink]) -> Object | None:
    """The loaded model whose parameters the optimizer gets, or that an engine is given; None where there is not one."""
    found: dict[int, Object] = {}
    for one in sinks:
        if one.kind in _WRAPS:
            for value in (*one.arguments.values(), *one.positional):
                model = model_of(next(iter(_held_by(value)), None))
                if model is not None and model.made is not None:
                    found.setdefault(id(model.made), model)
    return next(iter(found.values())) if len(found) == 1 else None


def _held_by(value: Value, depth: int = 0) -> Iterator[Value]:
    if model_of(value) is not None:
        yield value
    elif depth < _ROUNDS:
        inner = [way.value for way in value.ways] if isinstance(value, Choice) else value.items if isinstance(value, Items) else ()
        inner = [*inner, *(value.items.values() if isinstance(value, Map) else ())]
        inner += [value.more] if isinstance(value, Items) and value.more is not None else []
        for one in inner:
            yield from _held_by(one, depth + 1)


def is_whole(sinks: Sequence[Sink]) -> bool:
    """Does the optimizer get all parameters: a module's own, or groups of them by name?"""
    made = [one.get("params") for one in sinks if one.kind == "optimizer"]
    return all(value is not None and is_all(value) for value in made) if made else _engine_makes_it(sinks)


def _engine_makes_it(sinks: Sequence[Sink]) -> bool:
    """DeepSpeed makes the optimizer of its file for the parameters that it is given, else for all of the model's (0.9 to 0.19
    ``runtime/engine.py`` DeepSpeedEngine.__init__)."""
    made = [one for one in sinks if one.kind == "deepspeed"]
    given = [one.get("model_parameters") for one in made]
    closed = all(one.rest is None and _is_none(one.get("optimizer")) for one in made)
    return bool(made) and closed and all(_is_none(value) or (value is not None and is_all(value)) for value in given)


def _is_none(value: Value | None) -> bool:
    return value is None or (isinstance(value, Known) and value.value is None)


def is_all(value: Value) -> bool:
    """``model.parameters()`` of a whole model; two groups or more (those with weight decay, and those without)."""
    ways = [way.value for way in alternatives(value)]
    if len(ways) > 1:
        return all(map(is_all, ways))
    if isinstance(value, Items):
        return len(value.items) > 1 and all(_is_group(way.value) for one in value.items for way in alternatives(one))
    return isinstance(value, Opaque) and "parameters" in value.why and isinstance(value.of, Object)


def _is_group(value: Value) -> bool:
    return value is ABSENT or (isinstance(value, Map) and "params" in value.items)


def casts_to(one: Sink) -> Value | None:
    """The dtype that a cast casts to; None where it only moves, Opaque where nobody knows."""
    if one.name in _DTYPES:
        return External(_DTYPES[one.name])
    given = one.get("dtype")
    if given is not None:
        return given
    for value in one.positional:
        if any(isinstance(way.value, External) and way.value.name.startswith("torch.") for way in alternatives(value)):
            return value
        if isinstance(value, Opaque) and not any(word in value.why.lower() for word in _DEVICES):
            return value
    return None


def cast_of(done: Sequence[Sink], trainer: Sink | None = None) -> dict[str, Value]:
    """``cast``: the dtype that the whole loaded model is cast to before a trainer is made; Opaque where a part of it is, or perhaps none
    of it."""
    casts = [(one, dtype) for one in done if one.kind == "cast" and not is_output(one) and (dtype := casts_to(one)) is not None]
    if not casts:
        return {}
    one, dtype = casts[-1]
    sure = not one.may_be_skipped_where(trainer)
    whole = isinstance(one.receiver, Object) and sure and all(isinstance(other.receiver, Object) for other, _ in casts)
    return {"cast": dtype if whole and isinstance(dtype, External) else Opaque("a part of it is cast, or perhaps")}


def is_output(one: Sink) -> bool:
    """What a model gives is no part of it: ``logits.float()``."""
    return isinstance(one.receiver, Opaque) and one.receiver.why.startswith(("what __call__ of", "what forward of", "what generate of"))


def is_one(value: Value | None, other: Object) -> bool:
    """Is it a module of that class? The arguments of a sink are copies."""
    return isinstance(value, Object) and (value.cls, value.kind) == (other.cls, other.kind)
