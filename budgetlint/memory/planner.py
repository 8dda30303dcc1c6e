"""From a run's settings to plans: defaults named, unknowns marked, version-dependent readings spelled out as alternatives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.device import Device
from budgetlint.catalog.families import FUSED_EXPERTS_SINCE
from budgetlint.catalog.ledger import linears
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.catalog.targets import resolve_targets
from budgetlint.memory import roles, rollouts
from budgetlint.memory.attend import MASKED
from budgetlint.memory.estimate import Assumption
from budgetlint.memory.layout import least, model_parallel, sharding, whole_gradients
from budgetlint.memory.notes import Notes
from budgetlint.memory.parallel import ALONE, parallel_of
from budgetlint.memory.plan import HEADLESS, Adapter, Plan, Quant, Recompute
from budgetlint.memory.recipe import precision_of
from budgetlint.memory.shape import shape_of
from budgetlint.memory.versions import by_version
from budgetlint.record import open_record
from budgetlint.run import Origin, OriginKind, Setting, Settings, Stack

BITS = {"nf4": (4, 64), "fp4": (4, 64), "int8": (8, 0), "gptq": (4, 128), "awq": (4, 128), "fp8": (8, 0)}
"""Bits per weight, and the weights that share a scale (bitsandbytes functional.py; AutoGPTQ's and AWQ's usual group)."""


@open_record
class Planned:
    """``plans``: the best reading first, then every other that the known facts allow. ``missing``: settings without which
    one end of the estimate stays open."""

    plans: tuple[Plan, ...]
    missing: tuple[str, ...]
    assumptions: tuple[Assumption, ...]


def plan_run(settings: Settings, stack: Stack, arch: Architecture | None, device: Device | None) -> Planned:
    """Plans of one run on one device, or none when the model is not known."""
    notes = Notes()
    if arch is None:
        return Planned((), ("model",), ())
    stack = _with_code(settings, stack)
    plans = [_plan(read, stack, arch, device, notes) for either in _adapted_or_not(settings) for read in readings(either)]
    variants = [variant for plan in plans for base in least(plan, settings, stack) for variant in by_version(base, stack)]
    first = plans[0]
    if _is_a_cap(settings):
        longest = f"{settings['seq_len'].value:,} tokens"
        notes.assume(f"nothing packs or pads to seq_len: the figures are for a batch whose longest sample has {longest}", "seq_len")
    notes.missing.extend(setting.name for setting in settings.values() if setting.state == "symbolic" and setting.readings)
    for name, value in (("batch", first.batch), ("seq", first.seq)):
        if value is None:
            notes.missing.append({"batch": "micro_batch", "seq": "seq_len"}[name])
    missing = tuple(dict.fromkeys(notes.missing))
    return Planned(_unique(variants), missing, tuple(notes.assumptions))


def _adapted_or_not(settings: Settings) -> Iterator[Settings]:
    """Where a variable or the program decides whether an adapter trains: as if none did, and as if LoRA did."""
    yield settings
    adapter = settings.get("adapter")
    if adapter is not None and not adapter.known and not adapter.readings:
        yield Settings({**settings, "adapter": replace(adapter, value="lora", state="known")}.values())


def _with_code(settings: Settings, stack: Stack) -> Stack:
    """The stack with the code that runs the model: the budget's word, else what the trainer's reader says."""
    named = settings.value("model_code", "transformers")
    return replace(stack, model_code=named) if stack.model_code == "transformers" else stack


def _unique(plans: list[Plan]) -> tuple[Plan, ...]:
    seen: list[Plan] = []
    for plan in plans:
        if all(_differs(plan, other) for other in seen):
            seen.append(plan)
    return tuple(seen)


_READ = (
    "precision", "whole_gradients", "optimizer", "optimizer_impl", "loss", "recompute", "attention", "sharding", "quant", "adapter",
    "seq", "completion", "beside", "rollout",
)  # fmt: skip
"""What two readings of one run can differ in."""


def _differs(one: Plan, other: Plan) -> bool:
    return any(getattr(one, name) != getattr(other, name) for name in _READ)


def readings(settings: Settings) -> Iterator[Settings]:
    """How settings read whose value depends on an unknown framework version: all as the newest version has it, then all as
    the oldest has it. (They change together, so mixtures do not exist.) What a program decides unseen reads at both its ends."""
    unsettled = [setting for setting in settings.values() if not setting.known and setting.readings]
    yield _read_as(settings, unsettled, 0)
    if unsettled:
        yield _read_as(settings, unsettled, -1)


def _read_as(settings: Settings, unsettled: list[Setting], index: int) -> Settings:
    chosen = [replace(setting, value=setting.readings[index], state="known") for setting in unsettled]
    return Settings({**settings, **{setting.name: setting for setting in chosen}}.values())


def _plan(settings: Settings, stack: Stack, arch: Architecture, device: Device | None, notes: Notes) -> Plan:
    if stack.model_code == "litgpt":
        arch = replace(arch, tied=False)  # litgpt/model.py never ties lm_head to wte
    if arch.kind == "decoder" and settings.value("model_head") in HEADLESS:
        arch = replace(arch, tied=True)  # no table of its own at the end
    adapter = _adapter(settings, arch, notes, stack)
    shard = sharding(settings, notes)
    parallel = parallel_of(settings, stack, arch, notes)
    pipelined = parallel is not None and parallel.pipeline > 1 and shard.is_fsdp
    if pipelined and stack.model_code == "torchtitan" and "reshard_after_forward" not in settings:
        shard = replace(shard, reshard=False)  # torchtitan 0.2.2 apply_fsdp: the default policy keeps parameters under a pipeline
    settings = _with_default_precision(settings, arch, notes)
    precision = precision_of(settings, adapter=adapter is not None, shard=shard.kind)
    quant = _quant(settings, notes)
    optimizer = _optimizer(settings, notes)
    if shard.offload_optimizer and precision.master == 0 and shard.is_zero:
        precision = replace(precision, master=0)
    return Plan(
        arch=arch,
        shape=shape_of(arch),
        precision=precision,
        optimizer=optimizer,
        optimizer_impl=settings.value("optimizer_impl", "") or optimizer.impl,
        batch=_times(settings.value("micro_batch"), roles.sequences(settings)),
        seq=settings.value("seq_len"),
        accum=settings.value("grad_accum", 1) or 1,
        recompute=_recompute(settings, stack),
        attention=_kernel(settings, arch, precision.compute, notes),
        loss=_loss(settings),
        sharding=shard,
        whole_gradients=whole_gradients(settings, stack, shard, pipelined=pipelined),
        adapter=adapter,
        quant=quant,
        kernels=_kernels(settings, notes),
        model_code=stack.model_code,
        model_split=model_parallel(settings)[1] if parallel is None else 1,
        parallel=parallel or ALONE,
        cutoff=_cuts(settings),
        lone=roles.sequences(settings) if _is_a_cap(settings) and settings.value("padding_free") else 0,
        optimizer_in_backward=bool(settings.value("optimizer_in_backward", False)),
        wide_embedding=_wide_embedding(settings, optimizer, stack),
        head=settings.value("model_head", ""),
        beside=roles.beside(settings, arch, notes, adapter=adapter is not None, size=precision.weights),
        completion=settings.value("completion_len"),
        rollout=rollouts.rollout_of(settings, notes),
        eval_batch=_evaluated(settings),
        repeat_kv=_repeats_keys(settings, arch, stack),
        expert_loop=bool(arch.experts) and stack.at_least("transformers", FUSED_EXPERTS_SINCE) is False,
        compile=bool(settings.value("compile", False)),
        device=device,
        origins=dict(settings),
    )


def _evaluated(settings: Settings) -> int | None:
    if not settings.value("eval_on") or not settings.value("seq_len"):
        return None
    return _times(settings.value("eval_batch"), roles.sequences(settings))


def _times(count: int | None, factor: int) -> int | None:
    return count if count is None else count * factor


def _cuts(settings: Settings) -> bool:
    """Nobody wrote the length: a framework's default cuts samples there, a batch is as long as its longest sample, and nothing
    packs or pads up to it. A length that is written is the length that the run must be able to take."""
    length = settings.get("seq_len")
    return length is not None and length.origin.kind is OriginKind.DEFAULT and not _filled(settings)


def _is_a_cap(settings: Settings) -> bool:
    """A file or a flag says the length, and shorter samples make shorter batches; a budget's ``seq`` is the workload itself."""
    length = settings.get("seq_len")
    return length is not None and length.known and length.origin.kind is not OriginKind.BUDGET and not _filled(settings)


def _filled(settings: Settings) -> bool:
    return bool(settings.value("packing") or settings.value("pad_to_seq_len") or settings.value("task") == "pretrain")


def _with_default_precision(settings: Settings, arch: Architecture, notes: Notes) -> Settings:
    loaded = settings.value("weights_dtype")
    if loaded == "auto":
        kept = arch.checkpoint_dtype or "bf16"
        notes.assume(f"the checkpoint of {arch.name} is stored in {kept}", "weights_dtype")
        return settings.under(Settings([replace(settings["weights_dtype"], value=kept)]))
    stated = any(name in settings for name in ("precision", "weights_dtype", "autocast", "engine_dtype"))
    if not stated:
        notes.assume("no precision is stated: bf16 with an fp32 master copy", "precision")
        return settings.filled([Setting("precision", "bf16", Origin(OriginKind.DEFAULT, note="budgetlint default"), "bf16")])
    return settings


# -- parts -------------------------------------------------------------------------------------------------------------


def _adapter(settings: Settings, arch: Architecture, notes: Notes, stack: Stack) -> Adapter | None:
    kind = settings.value("adapter", "lora" if "lora_r" in settings else "none")
    if kind == "none" and "adapter" in settings and not settings["adapter"].known:
        notes.assume("the program decides whether an adapter trains: the high end is the whole model, the low end LoRA", "adapter")
    if kind == "none":
        return None
    if kind != "lora":
        notes.missing.append("adapter")
    targets = settings.value("lora_targets")
    if targets is None:
        notes.assume("LoRA targets are not stated: all linear layers", "lora_targets")
        targets = ("all-linear",)
    roles = _target_roles(arch, tuple(targets), stack)
    if "lora_r" not in settings:
        notes.assume("LoRA rank is not stated: 8, the default of peft", "lora_r")
    dtype = 2 if settings.value("adapter_dtype") in ("bf16", "fp16") else 4
    return Adapter(
        r=settings.value("lora_r", 8),
        dropout=settings.value("lora_dropout", 0.0) or 0.0,
        dtype=dtype,
        targets=roles,
        dora=bool(settings.value("lora_dora", False)),
        saved_modules=_saved_modules(settings, arch),
    )


def _target_roles(arch: Architecture, targets: tuple[str, ...], stack: Stack) -> frozenset[str]:
    """The roles that are adapted. transformers 5 keeps experts and routers as parameters, which PEFT's linears do not reach;
    Megatron's are grouped linears; LitGPT packs q, k and v into one weight and adapts parts of it (litgpt/lora.py ``LoRAQKVLinear``)."""
    fused = stack.model_code != "megatron" and stack.at_least("transformers", FUSED_EXPERTS_SINCE) is not False
    matched, _ = resolve_targets(arch, targets, fused_experts=fused)
    roles = {item.role for item in matched}
    if stack.model_code == "litgpt":
        parts = {"q_proj", "k_proj", "v_proj"} & (set(targets) | roles)
        packed = any(linear.role == "qkv_proj" for linear in linears(arch))
        roles |= parts | ({"qkv_proj"} if parts and packed else set())
    return frozenset(roles)


def _saved_modules(settings: Settings, arch: Architecture) -> int:
    names = settings.value("lora_modules_to_save", ()) or ()
    tables = {"embed_tokens", "lm_head", "wte", "embed_in", "embed_out", "word_embeddings"}
    return sum(arch.vocab * arch.hidden for name in names if name in tables)


def _quant(settings: Settings, notes: Notes) -> Quant | None:
    kind = settings.value("quant", "none")
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


def _optimizer(settings: Settings, notes: Notes) -> Optimizer:
    name = settings.value("optimizer")
    if name is None:
        notes.assume("no optimizer is stated: AdamW", "optimizer")
        name = "adamw"
    found = find_optimizer(name)
    if not isinstance(found, Optimizer):
        notes.missing.append("optimizer")
        found = find_optimizer("adamw")
        assert isinstance(found, Optimizer)
    return found


def _wide_embedding(settings: Settings, optimizer: Optimizer, stack: Stack) -> bool:
    """The Trainer registers every ``nn.Embedding`` for 32-bit states under bitsandbytes' 8-bit optimizers (transformers 4.53.0 to 5.24.0
    trainer.py ``create_optimizer``; 4.50.0 looks for a class that it never makes). An unknown version counts as not, and so does a
    budget's word: any loop may stand behind it."""
    eight = optimizer.library == "bitsandbytes" and any(state.block for state in optimizer.states)
    by_trainer = "optimizer" in settings and settings["optimizer"].origin.kind is not OriginKind.BUDGET
    return eight and by_trainer and stack.model_code == "transformers" and bool(stack.at_least("transformers", "4.53.0"))


def _recompute(settings: Settings, stack: Stack) -> Recompute:
    """``use_reentrant`` unsaid: True before transformers 5.0, False since (modeling_utils.py gradient_checkpointing_enable)."""
    reentrant = settings.value("recompute_reentrant")
    if reentrant is None:
        reentrant = stack.at_least("transformers", "5.0") is False
    kind, every = settings.value("recompute", "none"), settings.value("recompute_every", 1) or 1
    megatron = stack.model_code == "megatron"
    return Recompute(
        kind="core" if megatron and kind == "selective" else kind,
        every=1 if megatron else every,
        chunk=every if megatron else 1,
        first=settings.value("recompute_layers"),
        reentrant=bool(reentrant),
        offload=bool(settings.value("recompute_offload", False)),
    )


def _kernel(settings: Settings, arch: Architecture, compute: int, notes: Notes) -> str:
    """Which attention kernel runs: aten/native/transformers/cuda/sdp_utils.cpp (torch 2.13): flash takes 16-bit types
    without a mask, memory-efficient needs as many key as query heads, math takes the rest."""
    wanted: str = settings.value("attention", "")
    if not wanted:
        notes.assume("attention is not stated: sdpa, the default of transformers", "attention")
        wanted = "sdpa"
    if wanted == "eager" or (wanted == "sdpa" and arch.family in WITHOUT_SDPA):
        return "eager"
    if wanted in ("flash", "flex"):
        return "flash"
    if arch.family in MASKED:
        return "math" if arch.kv_heads == 1 else "efficient"
    if compute == 2:
        return "flash"
    return "efficient" if arch.kv_heads == arch.heads else "math"


WITHOUT_SDPA = frozenset({"gemma2", "bloom", "gpt_oss"})
"""transformers 5.24.0: ``_supports_sdpa = False`` (Bloom, gpt-oss), or eager by its configuration (Gemma 2)."""


REPEATED_FOR_FLASH = frozenset({"mistral", "mixtral", "phi3", "qwen2", "qwen2_moe", "starcoder2"})
"""transformers 4.47.1: families whose FlashAttention2 class calls repeat_kv (Llama's and Granite's do not)."""


def _repeats_keys(settings: Settings, arch: Architecture, stack: Stack) -> bool:
    """Grouped keys copied to every query head before a fused kernel: for sdpa until transformers 4.54 or torch 2.5
    (integrations/sdpa_attention.py ``use_gqa_in_sdpa``), for flash in some families until 4.48. Unsloth has its own forward."""
    if stack.model_code != "transformers" or "lora" in (settings.value("kernels", ()) or ()):
        return False
    if settings.value("attention", "") in ("flash", "flex"):
        return arch.family in REPEATED_FOR_FLASH and stack.at_least("transformers", "4.48") is False
    return stack.at_least("transformers", "4.54") is False or stack.at_least("torch", "2.5") is False


FUSED_BY_COMPILE = ("rms_norm", "rope", "swiglu")


def _kernels(settings: Settings, notes: Notes) -> frozenset[str]:
    """Fused kernels. torch.compile makes element-wise chains again in the backward instead of keeping their intermediates
    (torch 2.13 _functorch/partitioners.py), which comes to fused norms, rotary embeddings and gated activations."""
    named = frozenset(settings.value("kernels", ()) or ())
    if not settings.value("compile", False):
        return named
    notes.assume("torch.compile keeps about what fused norms, rotary embeddings and activations keep; the range is wide", "compile")
    return named | frozenset(FUSED_BY_COMPILE)


def _loss(settings: Settings) -> str:
    kernels = settings.value("kernels", ()) or ()
    stated: str = settings.value("loss", "")
    if stated in ("fused", "chunked", "in-place"):
        return stated
    if "completion_len" in settings:
        return "logps"
    if "linear_cross_entropy" in kernels:
        return "fused"
    return "full"
