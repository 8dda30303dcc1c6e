"""Loops of a program's own: what trains, with which optimizer, on how many rows a step, as far as the calls on the way tell it.

There is no Trainer whose arguments say so, so each fact is what all calls of its kind agree on. What they do not agree on, and what a
condition decides, is `Opaque` with the reason; a fact that nothing speaks of is claimed only where nothing that is not followed could.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from budgetlint.program.by_hand import sharded
from budgetlint.program.choices import alternatives, choice
from budgetlint.program.evaluating import training
from budgetlint.program.lengths import field_of, lengths_of
from budgetlint.program.models import is_module, module_of, ready_of
from budgetlint.program.noted import Doubt
from budgetlint.program.objects import Object
from budgetlint.program.places import Origin
from budgetlint.program.sink_kinds import OPTIMIZER_PACKAGES
from budgetlint.program.sinks import MODELS, Sink
from budgetlint.program.trained import casts_to, is_one, is_whole, trained_module
from budgetlint.program.values import External, Known, Opaque, Value, Way

_BATCHES = ("per_device_train_batch_size", "per_gpu_train_batch_size", "train_micro_batch_size_per_gpu", "micro_batch_size")
"""What programs call the rows of one device; ``batch_size`` is as often that of all."""
_PLAIN_NAMES = frozenset({"AdamW", "Adam", "SGD", "Adafactor", "Lion", "RMSprop", "Optimizer"})
"""Own classes of these names may do anything (GaLore's is called AdamW)."""
_SHUFFLED = ("RandomSampler", "DistributedSampler")


def is_loop(sinks: Sequence[Sink]) -> bool:
    kinds = {one.kind for one in sinks}
    return bool(kinds & {"backward", "foreign_trainer"}) or "deepspeed" in kinds


def loop_of(
    sinks: Sequence[Sink], doubts: Sequence[Doubt], read: Sequence[tuple[str, Value]], *, checkpoints: bool, typed: bool
) -> Mapping[str, Value]:
    """The facts of the one loop, by what they are called in the document. ``checkpoints``: a module names activation checkpointing;
    ``typed``: it gives layers a dtype."""
    found = {
        "optimizer": _optimizer(sinks),
        "weight_decay": _weight_decay(sinks),
        "batch_size": _batch(sinks, read),
        **_engine(sinks),
        **_accelerator(sinks),
        **_autocast(sinks),
        **sharded(sinks),
        "whole": Known(True) if is_whole(sinks) else None,
        "loads": Known(loads) if (loads := sum(one.kind in {"load", "unsloth_load"} for one in sinks)) > 1 else None,
        **lengths_of(sinks, read),
        **_length_of_windows(sinks),
    }
    own = not any(one.kind in MODELS for one in sinks)
    if own:
        found |= _own_model(sinks, doubts, typed=typed)
        found.pop("field", None)
    if not any(one.kind in {"checkpointing", "kbit", "unsloth_load"} for one in sinks) and not (
        own and _may_checkpoint(trained_module(sinks), checkpoints)
    ):
        found["checkpoints"] = Known(False)
    if any(one.kind == "touched" and module_of(one.about) is not None for one in doubts):
        found |= {name: None for name in ("autocast", "checkpoints") if name in found and isinstance(found[name], Known)}
    found |= by_config(sinks)
    return {name: value for name, value in found.items() if value is not None}


def _one(values: Iterable[Value], why: str) -> Value | None:
    """The value that all agree on; a choice of a few; None where there is none."""
    ways = [Way("", value) for value in values]
    return choice(ways) if ways else None


# the optimizer


def _optimizer(sinks: Sequence[Sink]) -> Value | None:
    """The class of the one that is made; of several, one of them. A loop may also step by itself, or its engine by a file."""
    made, others = training(sinks, "optimizer")
    named = {_name(one): one for one in made}
    if not named:
        return Opaque("made elsewhere: the one that is seen is of an evaluation") if others else None
    if len(named) == 1 and not all(one.may_be_skipped for one in made):
        name = next(iter(named))
        return Known(name, (Origin("source", made[0].place),)) if name else Opaque(f"own class {made[0].base}")
    return Opaque(f"one of {', '.join(sorted(named))}" if len(named) > 1 else f"{made[0].name} if {' and '.join(made[0].conditions)}")


def _weight_decay(sinks: Sequence[Sink]) -> Value | None:
    """That of the one optimizer, for all that it is handed: parameters in groups may each have their own."""
    made, _ = training(sinks, "optimizer")
    if len(made) != 1 or made[0].may_be_skipped or not _takes_parameters(made[0].place.node):
        return None
    found = made[0].get("weight_decay")
    return found if isinstance(found, Known) else None


def _takes_parameters(call: ast.AST | None) -> bool:
    """``Adam(model.parameters())``, also filtered: no groups."""
    if not isinstance(call, ast.Call):
        return False
    first = next((one for one in (*call.args, *(word.value for word in call.keywords if word.arg == "params"))), None)
    parts = list(ast.walk(first)) if first is not None else []
    return any(isinstance(one, ast.Attribute) and one.attr == "parameters" for one in parts) and not any(
        isinstance(one, ast.Dict | ast.List) for one in parts
    )


def _name(one: Sink) -> str:
    """The class as its package calls it, also where the repository holds a copy of the package; empty for a class of its own."""
    own = one.result.cls if one.result is not None else None
    if own is None:
        return one.name
    folders = own.names.module.path.split("/")[:-1]
    package = next((folder for folder in reversed(folders) if folder in OPTIMIZER_PACKAGES), "")
    return f"{package}.{own.name}" if package and own.name not in _PLAIN_NAMES else ""


# rows


def _batch(sinks: Sequence[Sink], read: Sequence[tuple[str, Value]]) -> Value | None:
    """Rows of one device and step: those of the loader that shuffles, as the others are of an evaluation."""
    if any(one.kind == "accelerator" and one.get("split_batches", "dataloader_config") is not None for one in sinks):
        return Opaque("accelerate may share the rows out between its processes", package="accelerate")
    if any(one.kind == "dp" for one in sinks):
        return Opaque("torch.nn.DataParallel shares the rows out between all devices", package="torch")
    found, others = training(sinks, "dataloader")
    loaders = [one for one in found if _rows(one) is not None]
    if not loaders and others:
        return Opaque("made elsewhere: the loader that is seen is of an evaluation")
    drawn = _windows(sinks, "rows")
    if not found and drawn is not None:
        return drawn
    shuffled = [one for one in loaders if _is_shuffled(one)] or loaders[:1]
    if not loaders:
        return field_of(read, _BATCHES)
    return _one((value for one in shuffled if (value := _rows(one)) is not None), "batch_size")


def _rows(loader: Sink) -> Value | None:
    given = loader.get("batch_size")
    if given is not None and not (isinstance(given, Known) and given.value is None):
        return given
    data = loader.get("dataset")
    if given is not None and isinstance(data, Object):  # None: the data set gives whole batches itself
        return data.attributes.get("batch_size")
    return None


def _windows(sinks: Sequence[Sink], name: str) -> Value | None:
    """What all rows agree on that the loop cuts out of an array (`packages.windows`); None where there are none."""
    made, _ = training(sinks, "window")
    found = [one.arguments[name] for one in made]
    same = {one.value if isinstance(one, Known) else None for one in found}
    return (
        found[0]
        if len(same) == 1 and not all(one.may_be_skipped for one in made)
        else Opaque(f"{name} of several kinds")
        if found
        else None
    )


def _length_of_windows(sinks: Sequence[Sink]) -> Mapping[str, Value]:
    """Each row has the whole length."""
    found = None if any(one.kind in {"dataloader", "tokenize"} for one in sinks) else _windows(sinks, "length")
    return {"max_length": found, "padding": Known("max_length")} if isinstance(found, Known) else {}


def _is_shuffled(loader: Sink) -> bool:
    shuffle, sampler = loader.get("shuffle"), loader.get("sampler")
    if isinstance(shuffle, Known) and shuffle.value is True:
        return True
    ways = [way.value for way in alternatives(sampler)] if sampler is not None else []
    return any(isinstance(one, Object) and one.kind.endswith(_SHUFFLED) for one in ways)


def _may_checkpoint(trained: Object | None, named: bool) -> bool:
    """A module of one's own may checkpoint in its code; one that is built on transformers' does where a method switches it on."""
    line = trained.cls.line if trained is not None and trained.cls is not None else ()
    switched = any(isinstance(one, External) and one.name.endswith("PreTrainedModel") for one in line)
    return trained is None or (named and not switched)


def by_config(sinks: Sequence[Sink]) -> dict[str, Value]:
    """``config.gradient_checkpointing``, which a load obeys.

    Source: transformers 4.2 to 4.57 ``modeling_utils.py`` _backward_compatibility_gradient_checkpointing."""
    configs = [value for one in sinks if one.kind == "load" and isinstance(value := one.get("config"), Object)]
    given = [value for one in configs if (value := one.attributes.get("gradient_checkpointing")) is not None]
    given += [value for one in sinks if one.kind == "load" and (value := one.get("gradient_checkpointing")) is not None]
    found = _one(given, "gradient_checkpointing")
    return {"checkpoints": found} if found is not None else {}


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


def _autocast(sinks: Sequence[Sink]) -> dict[str, Value]:
    """The dtype of ``torch.autocast``: float16 on a card unless another is given. ``none`` where nothing casts."""
    made = [one for one in sinks if one.kind == "autocast" and not _is_off(one)]
    if not made:
        around = {"accelerator", "foreign_trainer", "deepspeed", "fsdp"} & {one.kind for one in sinks}
        return {} if around else {"autocast": Known("none")}
    found = _one((one.get("dtype", at=1) or External("torch.float16") for one in made), "autocast")
    return {"autocast": found} if found is not None else {}


def _is_off(one: Sink) -> bool:
    enabled = one.get("enabled", at=2)
    return isinstance(enabled, Known) and not enabled.value


# a model of the repository's own


def ready(trained: Value | None) -> dict[str, Value]:
    """A model that a package has ready (timm, torchvision), itself or held by a module of the repository."""
    held = [trained, *(trained.attributes.values() if isinstance(trained, Object) and trained.cls is not None else ())]
    names = {name: one for one in held if (name := ready_of(one)) and isinstance(one, Object)}
    if len(names) != 1:
        return {}
    ((name, one),) = names.items()
    given = one.made.get("name", "model_name", "model_name_or_path", at=0) if one.made is not None else None
    told = f"({given.value})" if isinstance(given, Known) and isinstance(given.value, str) else ""
    return {"unmodelled": Known(name), "model": Known(f"{one.kind}{told}", given.origins if given is not None else ())}


def _own_model(sinks: Sequence[Sink], doubts: Sequence[Doubt], *, typed: bool) -> dict[str, Value]:
    """Torch makes parameters in float32, and nothing is quantised or adapted where nothing else happens to the module."""
    trained = trained_module(sinks)
    name = "" if trained is None else f"own class {trained.cls.name}" if trained.cls is not None else trained.kind
    found: dict[str, Value] = {"model": Opaque(name or "made by the program")}
    found |= ready(trained)
    if trained is None:
        return found
    casts = [one for one in sinks if one.kind == "cast" and is_module(one.receiver) and casts_to(one) is not None]
    if typed or any("set_default_dtype" in one.why for one in doubts):
        found["weights_dtype"] = Opaque("its layers are given a dtype")
    elif not casts:
        found["weights_dtype"] = Known("fp32")
    elif len(casts) == 1 and not casts[0].may_be_skipped and is_one(casts[0].receiver, trained):
        found["weights_dtype"] = casts_to(casts[0]) or Opaque("a dtype")
    changed = [one for one in doubts if one.kind == "replaced"]
    if not changed and not any(one.kind in {"quantisation", "adapter", "adapter_config"} for one in sinks):
        found["quant"] = Known("none")
        stepped = is_whole(sinks) or not any(one.kind in {"optimizer", "deepspeed"} for one in sinks)
        if not any(one.kind == "freeze" for one in sinks) and stepped:
            found["adapter"] = Known("none")
    return found
