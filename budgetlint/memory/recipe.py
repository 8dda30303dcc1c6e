"""Precision recipes: what dtype and engine settings mean for weights, gradients, master copy and states.

Sources: DeepSpeed 0.19.6 runtime/bf16_optimizer.py and zero/stage_1_and_2.py (16-bit weights and gradients, fp32 master);
accelerate 1.15 accelerator.py (FSDP with mixed precision upcasts trainable parameters to fp32); torch autocast;
Micikevicius et al. 2018 (arXiv 1710.03740) for the textbook recipe.
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.memory.plan import DTYPE_BYTES, Precision
from budgetlint.settings.run import Settings

RECIPES: dict[str, Precision] = {
    "fp32": Precision(4, 4, 0, 4, 4, False, "fp32"),
    "bf16": Precision(2, 2, 4, 4, 2, False, "bf16"),
    "fp16": Precision(2, 2, 4, 4, 2, False, "fp16"),
    "bf16-autocast": Precision(4, 4, 0, 4, 2, True, "bf16-autocast"),
    "fp16-autocast": Precision(4, 4, 0, 4, 2, True, "fp16-autocast"),
    "bf16-pure": Precision(2, 2, 0, 2, 2, False, "bf16-pure"),
    "fp16-pure": Precision(2, 2, 0, 2, 2, False, "fp16-pure"),
}


def precision_of(settings: Settings, *, adapter: bool, shard: str) -> Precision:
    """The recipe a run's settings amount to. A named recipe wins; else dtype, autocast and engine decide.

    FSDP's mixed precision hands 16-bit parameters to the layers: nothing is left for autocast to cast.
    """
    named = settings.value("precision")
    base = _named(named, adapter) if named in RECIPES else _derived(settings, adapter=adapter, shard=shard)
    precision = _overridden(base, settings)
    return replace(precision, autocast=False) if shard.startswith("fsdp") and not adapter else precision


def beside_quantised(precision: Precision, settings: Settings, compute: int) -> Precision:
    """A named recipe says nothing of what a quantised base leaves as it is: without a dtype that it is loaded in, that of the
    arithmetic."""
    is_named = settings.value("precision") in RECIPES and "weights_dtype" not in settings
    return replace(precision, weights=compute) if is_named else precision


def _named(name: str, adapter: bool) -> Precision:
    """The textbook recipes keep a frozen base in 16 bit under autocast when an adapter trains: there is nothing to master."""
    if adapter and name in ("bf16", "fp16"):
        return Precision(2, 4, 0, 4, 2, True, name)
    return RECIPES[name]


def _derived(settings: Settings, *, adapter: bool, shard: str) -> Precision:
    engine = settings.value("engine_dtype")
    if shard.startswith("zero") or engine in ("bf16", "fp16"):
        return _engine(engine or "fp32", settings, adapter)
    autocast = settings.value("autocast", "none")
    loaded = settings.value("weights_dtype", "fp32")
    weights = DTYPE_BYTES.get(loaded, 2)
    on = autocast in ("bf16", "fp16", "fp8")
    if shard in ("fsdp", "fsdp2") and on and not adapter:
        return Precision(4, 4, 0, 4, 2, True, f"FSDP fp32 shards, {autocast} compute")
    if on:
        recipe = f"{autocast} autocast over {loaded} weights"
        return Precision(weights, weights, 0, weights, 2, True, recipe)
    return Precision(weights, weights, 0, weights, weights, False, f"pure {loaded}")


def _engine(dtype: str, settings: Settings, adapter: bool) -> Precision:
    if dtype == "fp32":
        autocast = settings.value("autocast", "none")
        return Precision(4, 4, 0, 4, 2 if autocast in ("bf16", "fp16") else 4, autocast in ("bf16", "fp16"), "DeepSpeed fp32")
    return Precision(2, 2, 0 if adapter else 4, 4, 2, False, f"DeepSpeed {dtype}")


def _overridden(base: Precision, settings: Settings) -> Precision:
    named = settings.value("precision") in RECIPES
    size = {name: DTYPE_BYTES[value] for name in ("weights_dtype", "grads_dtype") if (value := settings.value(name)) in DTYPE_BYTES}
    master = settings.value("master_dtype")
    state = settings.value("optimizer_state")
    return Precision(
        size.get("weights_dtype", base.weights) if named else base.weights,
        size.get("grads_dtype", base.grads),
        base.master if master is None else DTYPE_BYTES.get(master, 0),
        DTYPE_BYTES.get(state, base.state) if state in ("fp32", "bf16", "fp16") else (4 if master == "fp32" else base.state),
        base.compute,
        (settings.value("autocast") not in (None, "none")) if named and "autocast" in settings else base.autocast,
        base.recipe,
    )
