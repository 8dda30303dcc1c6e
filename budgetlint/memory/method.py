"""What trains and what it is stored in: the adapter, the quantised base, the optimizer, from a run's settings."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.catalog.peft_targets import BY_TYPE, peft_targets
from budgetlint.catalog.targets import resolve_targets
from budgetlint.memory.code import pick
from budgetlint.memory.notes import Notes
from budgetlint.memory.plan import Adapter, Quant
from budgetlint.settings.run import SAID, OriginKind, Settings, Stack

BITS = {"nf4": (4, 64), "fp4": (4, 64), "int8": (8, 0), "gptq": (4, 128), "awq": (4, 128), "fp8": (8, 0)}
"""Bits per weight, and the weights that share a scale (bitsandbytes functional.py; AutoGPTQ's and AWQ's usual group)."""


def adapter_of(settings: Settings, arch: Architecture, notes: Notes, stack: Stack) -> Adapter | None:
    kind = settings.value("adapter", "lora" if "lora_r" in settings else "none")
    if kind == "none" and "adapter" in settings and not settings["adapter"].known:
        notes.assume("the program decides whether an adapter trains: the high end is the whole model, the low end LoRA", "adapter")
    if kind == "none":
        return None
    if kind != "lora":
        notes.missing.append("adapter")
    targets = settings.value("lora_targets")
    if targets is None and "lora_targets" in settings and settings["lora_targets"].origin.key.endswith("target_parameters"):
        notes.missing.append("lora_targets")
        notes.assume("adapters on parameters are not counted: the figures are for all linear layers", "lora_targets")
        targets = ("all-linear",)
    elif targets is None:
        notes.assume("LoRA targets are not stated: all linear layers", "lora_targets")
        targets = ("all-linear",)
    roles = _target_roles(arch, targets_of(arch, targets), stack)
    _note_rank(settings, notes)
    dtype = 2 if settings.value("adapter_dtype") in ("bf16", "fp16") else 4
    return Adapter(
        r=settings.value("lora_r", 8),
        dropout=settings.value("lora_dropout", 0.0) or 0.0,
        dtype=dtype,
        targets=roles,
        dora=bool(settings.value("lora_dora", False)),
        saved_modules=_saved_modules(settings, arch),
    )


def targets_of(arch: Architecture, targets: Sequence[str]) -> tuple[str, ...]:
    """The names that are adapted; where PEFT picks them and knows none for this model, it stops: all linears, the most that it could be."""
    return (peft_targets(arch.family) or ("all-linear",)) if BY_TYPE in targets else tuple(targets)


def _note_rank(settings: Settings, notes: Notes) -> None:
    """The rank that the figures are for, where nobody says it or something else fills it in."""
    if "lora_r" not in settings:
        notes.assume("LoRA rank is not stated: 8, the default of peft", "lora_r")
    elif not settings["lora_r"].known and not settings["lora_r"].readings:
        notes.missing.append("lora_r")
        notes.assume(f"the LoRA rank is not known ({settings['lora_r'].text}): the figures are for 8", "lora_r")


def _target_roles(arch: Architecture, targets: tuple[str, ...], stack: Stack) -> frozenset[str]:
    """The roles that are adapted, in the modules of the code that runs."""
    code = pick(stack)
    matched, _ = resolve_targets(arch, targets, fused_experts=code.stacks_experts(stack))
    roles = {item.role for item in matched if item.where not in ("vision", "projector")}  # towers: sight.py
    return frozenset(code.lora_roles(arch, targets, roles))


def _saved_modules(settings: Settings, arch: Architecture) -> int:
    names = settings.value("lora_modules_to_save", ()) or ()
    tables = {"embed_tokens", "lm_head", "wte", "embed_in", "embed_out", "word_embeddings"}
    return sum(arch.vocab * arch.hidden for name in names if name in tables)


def quant_of(settings: Settings, notes: Notes) -> Quant | None:
    kind = settings.value("quant", "none")
    stated = settings.get("quant")
    if stated is not None and not stated.known and not stated.readings:
        notes.missing.append("quant")
        notes.assume(f"how the base is stored is not known ({stated.origin.note or stated.text}): billed in 16 bit", "quant")
    if kind == "none":
        return None
    if settings["quant"].origin.kind is OriginKind.DERIVED:
        notes.assume(f"the base is stored as {kind}: {settings['quant'].origin.note}", "quant")
    bits, block = BITS[kind]
    double = settings.value("quant_double")
    if kind in ("nf4", "fp4") and double is None:
        notes.assume("double quantisation is not stated: off", "quant_double")
    group = settings.value("quant_group", block)
    num, den = _grouped_bytes(group) if kind in ("gptq", "awq") else _packed_bytes(bits, block, bool(double))
    upcast = settings.value("quant_upcast", "none")
    compute = 4 if settings.value("quant_compute_dtype") == "fp32" else 2
    return Quant(kind, num, den, upcast, compute, per_input=4 if kind == "gptq" else 0)


def _grouped_bytes(group: int) -> tuple[int, int]:
    """AutoGPTQ qlinear: 4-bit weights, per group and output one fp16 scale and one 4-bit zero; no groups: one per output."""
    return (4 * group + 16 + 4, 8 * group) if group > 0 else (1, 2)


def _packed_bytes(bits: int, block: int, double: bool) -> tuple[int, int]:
    """Bytes per weight as a fraction: bitsandbytes functional.py 0.50: one fp32 absmax per block of 64; double quantisation
    stores it in 8 bits and one fp32 per 256 of those."""
    if not block:
        return bits, 8
    if not double:
        return bits * block + 32, 8 * block
    return bits * block * 256 + 8 * 256 + 32, 8 * block * 256


def optimizer_of(settings: Settings, notes: Notes) -> Optimizer:
    name = settings.value("optimizer")
    if name is None:
        notes.assume("no optimizer is stated: AdamW", "optimizer")
        name = "adamw"
    found = find_optimizer(name)
    if not isinstance(found, Optimizer):
        notes.missing.append("optimizer")
        notes.assume(f"the optimizer {name} is not modelled: the figures are AdamW's, the low end is without any state", "optimizer")
        found = find_optimizer("adamw")
        assert isinstance(found, Optimizer)
    return found


def wide_embedding(settings: Settings, optimizer: Optimizer, stack: Stack) -> bool:
    """bitsandbytes' 8-bit optimizers keep the embedding's states in 32 bit where the trainer registers it. A budget's word counts as not:
    any loop may stand behind it."""
    eight = optimizer.library == "bitsandbytes" and any(state.block for state in optimizer.states)
    by_trainer = "optimizer" in settings and settings["optimizer"].origin.kind not in SAID
    return eight and by_trainer and pick(stack).widens_embedding(stack)
