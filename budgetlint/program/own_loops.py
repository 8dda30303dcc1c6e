"""Loops of a program's own: what trains, with which optimizer, on how many rows a step, as far as the calls on the way tell it.

There is no Trainer whose arguments say so, so each fact is what all calls of its kind agree on. What they do not agree on, and what a
condition decides, is `Opaque` with the reason; a fact that nothing speaks of is claimed only where nothing that is not followed could.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from budgetlint.program.attributes import MODELS, is_module, model_of, module_of
from budgetlint.program.lengths import field_of, lengths_of
from budgetlint.program.sink_kinds import OPTIMIZER_PACKAGES
from budgetlint.program.sinks import Sink
from budgetlint.program.state import Doubt
from budgetlint.program.values import Choice, External, Items, Known, Map, Object, Opaque, Origin, Value, Way, alternatives, choice

_BATCHES = ("per_device_train_batch_size", "per_gpu_train_batch_size", "train_micro_batch_size_per_gpu", "micro_batch_size")
"""What programs call the rows of one device; ``batch_size`` is as often that of all."""
_PLAIN_NAMES = frozenset({"AdamW", "Adam", "SGD", "Adafactor", "Lion", "RMSprop", "Optimizer"})
"""Own classes of these names may do anything (GaLore's is called AdamW)."""
_SHUFFLED = ("RandomSampler", "DistributedSampler")
_LOOP = " has items"
"""The condition of a loop's body: a training that takes no step needs no memory."""
_ROUNDS = 12


def is_loop(sinks: Sequence[Sink]) -> bool:
    kinds = {one.kind for one in sinks}
    return bool(kinds & {"backward", "foreign_trainer"}) or "deepspeed" in kinds


def may_be_skipped(one: Sink) -> bool:
    """Does a condition decide whether a call is made, beside that a loop has something to go over?"""
    return any(part and not part.endswith(_LOOP) for whole in one.conditions for part in whole.split(" and "))


def loop_of(sinks: Sequence[Sink], doubts: Sequence[Doubt], read: Sequence[tuple[str, Value]], *, checkpoints: bool) -> Mapping[str, Value]:
    """The facts of the one loop, by what they are called in the document. ``checkpoints``: a module names activation checkpointing."""
    found = {
        "optimizer": _optimizer(sinks),
        "batch_size": _batch(sinks, read),
        **_engine(sinks),
        **_accelerator(sinks),
        "whole": Known(True) if _is_whole(sinks) else None,
        **lengths_of(sinks, read),
    }
    own = not any(one.kind in MODELS for one in sinks)
    if own:
        found |= _own_model(sinks, doubts)
        found.pop("field", None)
    if not any(one.kind in {"checkpointing", "kbit", "unsloth_load"} for one in sinks) and not (
        own and (checkpoints or _trained(sinks) is None)
    ):
        found["checkpoints"] = Known(False)
    return {name: value for name, value in found.items() if value is not None}


def _one(values: Iterable[Value], why: str) -> Value | None:
    """The value that all agree on; a choice of a few; None where there is none."""
    ways = [Way("", value) for value in values]
    return choice(ways) if ways else None


# the optimizer


def _optimizer(sinks: Sequence[Sink]) -> Value | None:
    """The class of the one that is made; of several, one of them. A loop may also step by itself, or its engine by a file."""
    made = [one for one in sinks if one.kind == "optimizer"]
    named = {_name(one): one for one in made}
    if not named:
        return None
    if len(named) == 1 and not all(map(may_be_skipped, made)):
        name = next(iter(named))
        return Known(name, (Origin("source", made[0].place),)) if name else Opaque(f"own class {made[0].base}")
    return Opaque(f"one of {', '.join(sorted(named))}" if len(named) > 1 else f"{made[0].name} if {' and '.join(made[0].conditions)}")


def _name(one: Sink) -> str:
    """The class as its package calls it, also where the repository holds a copy of the package; empty for a class of the repository's own."""
    own = one.result.cls if one.result is not None else None
    if own is None:
        return one.name
    folders = own.names.module.path.split("/")[:-1]
    package = next((folder for folder in reversed(folders) if folder in OPTIMIZER_PACKAGES), "")
    return f"{package}.{own.name}" if package and own.name not in _PLAIN_NAMES else ""


# rows


def _batch(sinks: Sequence[Sink], read: Sequence[tuple[str, Value]]) -> Value | None:
    """Rows of one device and step: those of the loader that shuffles, as the others are of an evaluation."""
    if any(one.kind == "dp" for one in sinks):
        return Opaque("torch.nn.DataParallel shares the rows out between all devices", package="torch")
    loaders = [one for one in sinks if one.kind == "dataloader" and _rows(one) is not None]
    training = [one for one in loaders if _is_shuffled(one)] or loaders[:1]
    if not loaders:
        return field_of(read, _BATCHES)
    return _one((value for one in training if (value := _rows(one)) is not None), "batch_size")


def _rows(loader: Sink) -> Value | None:
    given = loader.get("batch_size")
    if given is not None and not (isinstance(given, Known) and given.value is None):
        return given
    data = loader.get("dataset")
    if given is not None and isinstance(data, Object):  # None: the data set gives whole batches itself
        return data.attributes.get("batch_size")
    return None


def _is_shuffled(loader: Sink) -> bool:
    shuffle, sampler = loader.get("shuffle"), loader.get("sampler")
    if isinstance(shuffle, Known) and shuffle.value is True:
        return True
    ways = [way.value for way in alternatives(sampler)] if sampler is not None else []
    return any(isinstance(one, Object) and one.kind.endswith(_SHUFFLED) for one in ways)


# what is around


def _engine(sinks: Sequence[Sink]) -> dict[str, Value]:
    made = [one for one in sinks if one.kind == "deepspeed"]
    config = _one((value for one in made if (value := one.get("config", "config_params")) is not None), "config")
    if config is not None:
        return {"deepspeed": config}
    return {"deepspeed": Opaque("the words of its launch name its file")} if made else {}


def _accelerator(sinks: Sequence[Sink]) -> dict[str, Value]:
    made = [one for one in sinks if one.kind in {"accelerator", "foreign_trainer"}]
    if len(made) != 1:
        return {}
    if made[0].kind == "foreign_trainer":
        given = {"precision": made[0].get("precision"), "gradient_accumulation_steps": made[0].get("accumulate_grad_batches")}
        return {name: value for name, value in given.items() if value is not None}
    given = {name: made[0].get(name) for name in ("mixed_precision", "gradient_accumulation_steps")}
    return {name: value for name, value in given.items() if value is not None}


# a model of the repository's own


def _own_model(sinks: Sequence[Sink], doubts: Sequence[Doubt]) -> dict[str, Value]:
    """Torch makes parameters in float32, and nothing is quantised or adapted where nothing else happens to the module."""
    trained = _trained(sinks)
    name = "" if trained is None else f"own class {trained.cls.name}" if trained.cls is not None else trained.kind
    found: dict[str, Value] = {"model": Opaque(name or "made by the program")}
    if trained is None:
        return found
    casts = [one for one in sinks if one.kind == "cast" and is_module(one.receiver) and casts_to(one) is not None]
    if any("set_default_dtype" in one.why for one in doubts):
        found["weights_dtype"] = Opaque("torch.set_default_dtype")
    elif not casts:
        found["weights_dtype"] = Known("fp32")
    elif len(casts) == 1 and not may_be_skipped(casts[0]) and _is_one(casts[0].receiver, trained):
        found["weights_dtype"] = casts_to(casts[0]) or Opaque("a dtype")
    changed = [one for one in doubts if one.kind == "replaced"]
    if not changed and not any(one.kind in {"quantisation", "adapter", "adapter_config"} for one in sinks):
        found["quant"] = Known("none")
        if not any(one.kind == "freeze" for one in sinks) and _is_whole(sinks):
            found["adapter"] = Known("none")
    return found


def casts_to(one: Sink) -> Value | None:
    """The dtype that a cast casts to; None where it only moves, Opaque where nobody knows."""
    if one.name in {"half", "bfloat16", "float"}:
        return External({"half": "torch.float16", "bfloat16": "torch.bfloat16", "float": "torch.float32"}[one.name])
    given = one.get("dtype")
    if given is not None:
        return given
    for value in one.positional:
        if isinstance(value, External) and value.name.startswith("torch."):
            return value
    return None


def _is_one(value: Value | None, other: Object) -> bool:
    """Is it a module of that class? The arguments of a sink are copies."""
    return isinstance(value, Object) and (value.cls, value.kind) == (other.cls, other.kind)


def _trained(sinks: Sequence[Sink]) -> Object | None:
    """The module whose parameters the optimizer gets, or that is wrapped; None where that is not one."""
    found: list[Object] = []
    for one in sinks:
        if one.kind in {"optimizer", "ddp", "dp", "fsdp", "deepspeed"}:
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


def _is_whole(sinks: Sequence[Sink]) -> bool:
    """Does the optimizer get all parameters: a module's own, or groups of them by name?"""
    made = [one.get("params") for one in sinks if one.kind == "optimizer"]
    return bool(made) and all(value is not None and is_all(value) for value in made)


def is_all(value: Value) -> bool:
    """``model.parameters()``; two groups or more (those with weight decay, and those without)."""
    ways = [way.value for way in alternatives(value)]
    if len(ways) > 1:
        return all(map(is_all, ways))
    if isinstance(value, Items):
        return len(value.items) > 1 and all(isinstance(one, Map) and "params" in one.items for one in value.items)
    return isinstance(value, Opaque) and ("parameters" in value.why)


def trained_model(sinks: Sequence[Sink]) -> Object | None:
    """The loaded model whose parameters the optimizer gets, or that an engine is given; None where there is not one."""
    found: dict[int, Object] = {}
    for one in sinks:
        if one.kind in {"optimizer", "deepspeed", "ddp", "dp", "fsdp"}:
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


__all__ = ["casts_to", "is_loop", "loop_of", "may_be_skipped", "trained_model"]
