"""A checked statement as settings of a run. Most values are settings as they stand; the few others have a function here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from budgetlint.base.record import record, replace
from budgetlint.frameworks import patch
from budgetlint.language.catalog_names import check_model, check_optimizer
from budgetlint.language.check import Checked, Given
from budgetlint.language.custom_model import check_custom
from budgetlint.language.problems import Problems
from budgetlint.language.statements import setting_owners
from budgetlint.settings.run import Origin, OriginKind, Setting
from budgetlint.settings.vocabulary import SETTINGS

ROLES = {
    "all": ("all-linear",),
    "all-linear": ("all-linear",),
    "attention": ("q_proj", "k_proj", "v_proj", "o_proj"),
    "mlp": ("gate_proj", "up_proj", "down_proj"),
}

KERNEL_SETS = {"liger": "liger-kernel", "unsloth": "unsloth"}
"""Words for all kernels of a library, as its newest release has them."""


@record
class Emitter:
    """Turns one statement into settings. ``problems`` takes what the catalog does not know."""

    checked: Checked
    problems: Problems

    def setting(self, name: str, given: Given, value: Any, option: str = "", text: str | None = None) -> Setting:
        key = f"{self.checked.keyword}.{option}" if option else self.checked.keyword
        key_span = given.key_span or self.checked.statement.keyword_span
        origin = Origin(OriginKind.BUDGET, self.checked.source, given.span, key, key_span=key_span)
        return Setting(name, value, origin, given.text if text is None else text)

    def said(self, name: str, value: Any, text: str) -> Setting:
        """A setting that the keyword itself says (``lora``)."""
        span = self.checked.statement.keyword_span
        return Setting(name, value, Origin(OriginKind.BUDGET, self.checked.source, span, self.checked.keyword, key_span=span), text)

    def plain(self, skip: tuple[str, ...] = ()) -> Iterator[Setting]:
        """Every value and option whose slot names a setting."""
        for given in self.checked.values:
            if given.slot.setting and given.slot.setting not in skip:
                yield self.setting(given.slot.setting, given, given.value)
        for name, given in self.checked.options.items():
            if given.slot.setting and given.slot.setting not in skip:
                yield self.setting(given.slot.setting, given, given.value, name)


def settings_of(checked: Checked, problems: Problems) -> list[Setting]:
    emitter = Emitter(checked, problems)
    special = _SPECIAL.get(checked.keyword)
    return list(special(emitter) if special else emitter.plain())


def as_said(where: Checked, key: str, item: Given, problems: Problems) -> list[Setting]:
    """The settings that the statement ``key item`` would give, said at another place (a matrix). ``key`` is a name of
    `budgetlint.language.statements.setting_owners`."""
    spec, option = setting_owners()[key]
    slot = spec.option(option) if option else spec.values[0]
    assert slot is not None
    given = replace(item, value=(item.value,), items=(item,)) if slot.many and not item.items else item
    statement = replace(where, spec=spec, values=() if option else (given,), options={option: given} if option else {}, free={})
    settings = settings_of(statement, problems)
    return [setting for setting in settings if not option or setting.name != "adapter"]


def _precision(emit: Emitter) -> Iterator[Setting]:
    yield from emit.plain(skip=("autocast",))
    given = emit.checked.options.get("autocast")
    if given is None:
        return
    recipe = emit.checked.first.value if emit.checked.first else ""
    dtype = {"off": "none", "on": "fp16" if str(recipe).startswith("fp16") else "bf16"}.get(given.value, given.value)
    yield emit.setting("autocast", given, dtype, "autocast")


def _model(emit: Emitter) -> Iterator[Setting]:
    given = emit.checked.first
    if given is None:
        yield from emit.plain()
    elif given.value == "custom":
        numbers = check_custom(emit.checked, emit.problems)
        if numbers is not None:
            yield from emit.plain()
            yield emit.setting("model_custom", given, numbers)
    elif check_model(given.value, emit.checked.source, given.span, emit.problems, "model"):
        _only_custom(emit)
        yield from emit.plain()


def _only_custom(emit: Emitter) -> None:
    for name, given in emit.checked.options.items():
        if name != "head":
            message = f"'{name}=' describes a custom model; this one is named"
            help = f"write model custom {name}={given.text} and the other numbers, or leave it out"
            emit.problems.add("BL004", emit.checked.source, given.key_span or given.span, message, help)


def _optimizer(emit: Emitter) -> Iterator[Setting]:
    given = emit.checked.first
    if given is None:
        yield from emit.plain()
        return
    found = check_optimizer(given.value, emit.checked.source, given.span, emit.problems, "optimizer")
    if found is None:
        return
    yield emit.setting("optimizer", given, found.name)
    if found.impl in SETTINGS["optimizer_impl"].choices and "impl" not in emit.checked.options:
        yield emit.setting("optimizer_impl", given, found.impl)
    yield from emit.plain(skip=("optimizer",))


def _lora(emit: Emitter) -> Iterator[Setting]:
    yield emit.said("adapter", "lora", "lora")
    yield from emit.plain()
    targets = emit.checked.options.get("targets")
    if targets is not None:
        names = tuple(name for target in targets.value for name in ROLES.get(target, (target,)))
        yield emit.setting("lora_targets", targets, tuple(dict.fromkeys(names)), "targets")


def _adapter(emit: Emitter) -> Iterator[Setting]:
    given = emit.checked.first
    if given is None:
        return
    yield emit.setting("adapter", given, "none" if given.value == "none" else "other")
    yield from emit.plain()


def _kernels(emit: Emitter) -> Iterator[Setting]:
    given = emit.checked.first
    if given is not None:
        names = tuple(kernel for name in given.value for kernel in _kernels_of(name))
        yield emit.setting("kernels", given, tuple(dict.fromkeys(names)))


def _compile(emit: Emitter) -> Iterator[Setting]:
    """``on`` and ``off`` stand alone; parts say that layers or the model are compiled, and what else is."""
    given = emit.checked.first
    if given is None:
        return
    parts = tuple(dict.fromkeys(given.value))
    lone = next((part for part in parts if part in ("on", "off", "step")), "")
    message = f"'{lone}' stands alone" if lone and len(parts) > 1 else ""
    message = "'layers' and 'model' exclude each other" if {"layers", "model"} <= {*parts} else message
    if message:
        help = "write compile on, off, step, or any of layers or model, and loss"
        emit.problems.add("BL003", emit.checked.source, given.span, message, help, key="compile")
        return
    yield emit.setting("compile", given, parts != ("off",) and parts != ("loss",))
    if lone not in ("on", "off"):
        yield emit.setting("compile_parts", given, parts)


def _kernels_of(name: str) -> tuple[str, ...]:
    if name == "none":
        return ()
    whole: tuple[str, ...] = patch(KERNEL_SETS[name], "kernels").value if name in KERNEL_SETS else (name,)
    return whole


def _shard(emit: Emitter) -> Iterator[Setting]:
    given = emit.checked.first
    hybrid = given is not None and given.value == "hsdp"
    if given is not None:
        yield emit.setting("shard", given, "fsdp" if hybrid else given.value)
    strategy = emit.checked.values[1] if len(emit.checked.values) > 1 else None
    if strategy is not None and given is not None and "sdp" not in given.value:
        message = f"'{strategy.value}' says what FSDP shards; this is {given.value}"
        emit.problems.add(
            "BL003", emit.checked.source, strategy.span, message, f"write shard {given.value}, or shard fsdp {strategy.value}"
        )
    elif strategy is not None:
        yield emit.setting("shard_strategy", strategy, _HYBRID[strategy.value] if hybrid else strategy.value)
    elif hybrid and given is not None:
        yield emit.setting("shard_strategy", given, "hybrid")
    yield from _offload(emit)
    yield from emit.plain(skip=("shard", "shard_strategy"))


_HYBRID = {"full": "hybrid", "grad-op": "hybrid-grad-op"}


def _offload(emit: Emitter) -> Iterator[Setting]:
    given = emit.checked.options.get("offload")
    for item in given.items if given else ():
        for name, setting in (("optimizer", "offload_optimizer"), ("params", "offload_params")):
            if item.value in (name, "none"):
                yield emit.setting(setting, item, "none" if item.value == "none" else "cpu", "offload")


def _also(emit: Emitter) -> Iterator[Setting]:
    """A further model by its role. ``precision`` is its own dtype, ``offload`` leaves it in host memory."""
    given, role = emit.checked.first, emit.checked.option("role")
    if given is None or role is None:
        return
    yield emit.setting(f"{role}_model", given, given.value)
    precision, offload = emit.checked.options.get("precision"), emit.checked.options.get("offload")
    if precision is not None:
        yield emit.setting(f"{role}_dtype", precision, precision.value, "precision")
    if offload is not None:
        yield emit.setting(f"{role}_offload", offload, "cpu" if offload.value else "none", "offload")


def _rollout(emit: Emitter) -> Iterator[Setting]:
    given, share, on = emit.checked.first, emit.checked.options.get("share"), emit.checked.options.get("on")
    if given is None:
        return
    yield emit.setting("rollout_engine", given, given.value)
    if share is not None:
        yield emit.setting("rollout_memory", share, share.value / 1_000_000, "share")
    if on is not None:
        yield emit.setting("rollout_on", on, on.value, "on")


_SPECIAL: Mapping[str, Callable[[Emitter], Iterator[Setting]]] = {
    "precision": _precision,
    "model": _model,
    "optimizer": _optimizer,
    "lora": _lora,
    "adapter": _adapter,
    "kernels": _kernels,
    "compile": _compile,
    "shard": _shard,
    "also": _also,
    "rollout": _rollout,
}
