"""The budget says one thing about the run, the config another.

The config is what will run, so it decides the arithmetic; the budget is what was agreed. They are compared by meaning:
`adamw8bit` is `adamw_bnb_8bit`; a plain `precision bf16` is compared with a config only by its compute dtype. A default that
the framework fills in counts like a written value. A run that the budget has `declared` is what the budget says: what is
written in the files that it names is compared, and a difference is a warning.

## What it costs

The run that was approved is not the run that starts. Full fine-tuning of Qwen2.5-1.5B with `adamw_torch` instead of an 8-bit
optimizer takes 8.6 GiB more.

## Failing

```yaml train.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
gradient_accumulation_steps: 8
optimizer: adamw_torch
datasets:
  - path: data.jsonl
    type: alpaca
```

```budget
device a100-80gb; optimizer adamw8bit
```

## Passing

```yaml train.yaml
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 1
gradient_accumulation_steps: 8
optimizer: adamw_bnb_8bit
datasets:
  - path: data.jsonl
    type: alpaca
```

```budget
device a100-80gb; optimizer adamw8bit
```

## Sources

- transformers 5.24.0 `training_args.py` `OptimizerNames`: `adamw_8bit` is "just an alias" of `adamw_bnb_8bit`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from budgetlint.memory.plan import Plan
from budgetlint.memory.planner import plan_run
from budgetlint.memory.static import states_of, trainable
from budgetlint.rule import (
    Architecture,
    Confidence,
    Finding,
    Optimizer,
    OriginKind,
    Rule,
    RunContext,
    Setting,
    Settings,
    Severity,
    find_model,
    find_optimizer,
    gib,
)

JUDGED_BY_BUDGET = frozenset({"device", "devices_per_node"})
"""What a budget says about the machine is no claim about the config."""

COUNTS = frozenset({"devices", "nodes"})
"""What the budget offers: a job may ask for less of it."""

COMPUTE = {"bf16": "bf16", "fp16": "fp16", "fp32": "none"}
RECIPES = {"bf16-autocast": ("fp32", "bf16"), "fp16-autocast": ("fp32", "fp16"), "bf16-pure": ("bf16", None), "fp16-pure": ("fp16", None)}


def check(run: RunContext) -> Iterator[Finding]:
    if run.budget_run is not None and run.budget_run.declared is not None:
        said = Settings(one for one in run.named.values() if not one.is_default)
        yield from (_contradicted(run, claim, setting) for claim, setting in _differing(run.budget_run.settings, said))
    elif run.budget_run is not None and run.run.readings:
        found = _differing(run.budget_run.settings, run.run.settings)
        yield from (_finding(run, claim, setting) for claim, setting in found if not _says_what_it_is(run, claim, setting))


def _says_what_it_is(run: RunContext, claim: Setting, setting: Setting) -> bool:
    """A path is no model's name: the budget may say which model lies there, and is right where the run has that shape."""
    if claim.name != "model" or run.architecture is None or _shape(setting.value) is not None:
        return False
    if any(step.kind == "budget" for step in run.model_steps):
        return True
    said, has = find_model(str(claim.value)), run.architecture
    return isinstance(said, Architecture) and all(getattr(said, one) == getattr(has, one) for one in _SIZES)


_SIZES = ("kind", "hidden", "layers", "heads", "kv_heads", "intermediate")
"""What training leaves as it is; a vocabulary may grow."""


def _differing(claims: Settings, settings: Settings) -> Iterator[tuple[Setting, Setting]]:
    """What the budget claims, with the setting that says another thing."""
    for name, claim in claims.items():
        if name in JUDGED_BY_BUDGET or not claim.known:
            continue
        if name == "precision":
            yield from ((claim, setting) for setting in _precision(settings, claim))
            continue
        setting = settings.get(name)
        if setting is None or setting.origin.kind is OriginKind.BUDGET:
            continue
        meant = _meant(setting)
        if name in COUNTS and all(_asks_for_no_more(claim.value, value) for value in meant):
            continue
        if meant and not any(SAME.get(name, _equal)(claim.value, value) for value in meant):
            yield claim, setting


def _meant(setting: Setting) -> tuple[object, ...]:
    """What a setting can be: of one that a file states and releases read in several ways, each. Nothing where it is open otherwise."""
    if setting.known:
        return (setting.value,)
    named = setting.state == "auto" and not setting.is_default and all(isinstance(one, str) for one in setting.readings)
    return setting.readings if named else ()


def _asks_for_no_more(offered: object, asked: object) -> bool:
    return isinstance(offered, int) and isinstance(asked, int) and asked <= offered


def _equal(claim: object, value: object) -> bool:
    return claim == value


def _same_optimizer(claim: object, value: object) -> bool:
    """By what they do to memory and decay: fused and foreach AdamW are one optimizer to a budget that says ``adamw``."""
    one, other = find_optimizer(str(claim)), find_optimizer(str(value))
    if isinstance(one, Optimizer) and isinstance(other, Optimizer):
        return (one.states, one.decay) == (other.states, other.decay)
    return str(claim) == str(value)


def _same_model(claim: object, value: object) -> bool:
    one, other = _shape(claim), _shape(value)
    return one == other if one and other else str(claim).rpartition("/")[2].lower() == str(value).rpartition("/")[2].lower()


def _shape(value: object) -> str | None:
    if isinstance(value, Architecture):
        return value.name
    found = find_model(str(value))
    return found.name if isinstance(found, Architecture) else None


def _same_targets(claim: object, value: object) -> bool:
    return set(claim) == set(value) if isinstance(claim, tuple) and isinstance(value, tuple) else claim == value


def _same_shard(claim: object, value: object) -> bool:
    return str(claim).removesuffix("2") == str(value).removesuffix("2") if str(claim).startswith("fsdp") else claim == value


SAME: dict[str, Callable[[object, object], bool]] = {
    "optimizer": _same_optimizer,
    "model": _same_model,
    "lora_targets": _same_targets,
    "shard": _same_shard,
}


def _precision(settings: Settings, claim: Setting) -> Iterator[Setting]:
    """``bf16`` is compared by compute dtype only; a recipe that is named also by the dtype of the weights."""
    autocast, loaded, engine = settings.get("autocast"), settings.get("weights_dtype"), settings.get("engine_dtype")
    recipe = RECIPES.get(str(claim.value))
    wanted = recipe[1] if recipe else COMPUTE.get(str(claim.value))
    computes = engine if engine is not None and engine.known and engine.value != "fp32" else autocast
    if wanted is not None and computes is not None and computes.known and computes.value != wanted and not _pure(computes, loaded, wanted):
        yield computes
    elif recipe and loaded is not None and loaded.known and loaded.value not in (recipe[0], "auto"):
        yield loaded


def _pure(computes: Setting, loaded: Setting | None, wanted: str) -> bool:
    """Weights loaded in 16 bit compute in it without autocast."""
    return computes.value == "none" and loaded is not None and loaded.value in (wanted, "auto")


def _finding(run: RunContext, claim: Setting, setting: Setting) -> Finding:
    difference = _difference(run, claim)
    more = f": {gib(abs(difference))} {'more' if difference > 0 else 'less'} than the budget counts on" if difference else ""
    where = "the framework's default" if setting.is_default else str(setting.origin)
    return run.finding(
        claim,
        f"the budget says {claim.origin.key or claim.name} {claim.shown}, {run.label} runs with "
        f"{setting.origin.key or setting.name}: {_value(setting)} ({where}){more}",
        help="make them agree: the config decides what runs, the budget what was meant",
        related=[(setting, f"the run has {_value(setting)}")],
        because=[setting],
        numbers={"difference_bytes": difference} if difference else {},
    )


def _contradicted(run: RunContext, claim: Setting, setting: Setting) -> Finding:
    """A declared run: what it says is judged, and a file that it names says another thing."""
    return run.finding(
        claim,
        f"the budget declares {claim.origin.key or claim.name} {claim.shown}, {setting.origin} says "
        f"{setting.origin.key or setting.name}: {_value(setting)}",
        help="make them agree: the budget is judged, the file is what somebody reads",
        related=[(setting, f"the file has {_value(setting)}")],
        severity=Severity.WARNING,
    )


def _value(setting: Setting) -> str:
    value = setting.text or setting.value
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _difference(run: RunContext, claim: Setting) -> int:
    """Static bytes of the run as it is, less those of the run as the budget says it."""
    if run.plan is None or claim.name not in ("optimizer", "precision", "lora_r", "quant", "model"):
        return 0
    claimed = plan_run(run.run.settings.under(Settings([claim])), run.run.stack, run.plan.arch, run.plan.device)
    if not claimed.plans:
        return 0
    return _state_bytes(run.plan) - _state_bytes(claimed.plans[0])


def _state_bytes(plan: Plan) -> int:
    return states_of(plan, trainable(plan)) // plan.sharding.states_over


RULE = Rule(
    code="BL104",
    name="budget-config-mismatch",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    scope="run",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    needs=("budget",),
    harm=9.0,
)
