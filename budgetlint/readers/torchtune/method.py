"""What several keys of a torchtune recipe decide: adapter, task, loss, selective checkpointing, optimizer, distribution.

Sources: torchtune 0.6.1 ``modules/peft/lora.py``, ``modules/low_precision/nf4_linear.py`` (torchao NF4: blocks of 64, scales
quantised in blocks of 256), ``recipes/full_finetune_distributed.py`` (``ac_mode`` counts only without
``enable_activation_checkpointing``), ``modules/loss/*.py``, ``rlhf/loss/*.py``; ``recipes/dev`` of main.
"""

from __future__ import annotations

from budgetlint.base import numerals
from budgetlint.readers.base import Misread, default, raw_at
from budgetlint.readers.optimizer_names import decoupled, read_optimizer
from budgetlint.readers.torchtune.models import built_by, component_of, component_path
from budgetlint.readers.view import View
from budgetlint.settings.run import Setting

_ROLES = {"output_proj": "o_proj"}
_MLP = ("gate_proj", "up_proj", "down_proj")
_TASKS = (
    ("DPO", "dpo"), ("RSO", "dpo"), ("IPO", "dpo"), ("SimPO", "orpo"), ("ORPO", "orpo"), ("PPO", "ppo"), ("GRPO", "grpo"),
    ("KL", "other"),
)  # fmt: skip
"""torchtune's own losses (0.2.1 ``modules/loss/dpo.py``; 0.3 to 0.6.1 ``rlhf/loss/``, SimPO until 0.5), and ORPO, which only projects' own
recipes have: chosen and rejected rows in one batch without a reference model, as SimPO."""
_DISTRIBUTED = ("fsdp_cpu_offload", "custom_sharded_layers", "fsdp_reshard_after_forward", "data_parallel_shard_dim", "tensor_parallel_dim")
"""Keys that only the distributed recipes read."""


def adapter_settings(view: View) -> list[Setting]:
    """The builder's name decides. ``quantize_base`` makes any LoRA builder a QLoRA one."""
    path = component_path(view, "model")
    built = built_by(component_of(view, "model"))
    if not built.lora:
        return [view.setting("adapter", "none", path)] if built.model else []
    quantised = path if built.quantised else view.first_on("model.quantize_base")
    packed = [view.setting("quant", "nf4", quantised), view.setting("quant_double", True, quantised)] if quantised else []
    return [view.setting("adapter", "lora", path), *_targets(view), *packed]


def _targets(view: View) -> list[Setting]:
    path = "model.lora_attn_modules"
    if not view.has(path):
        return []
    words = [_ROLES.get(word, word) for word in view.words(path)]
    words += _MLP if view.on("model.apply_lora_to_mlp") else ()
    words += ("lm_head",) if view.on("model.apply_lora_to_output") else ()
    return [view.setting("lora_targets", tuple(words), path, ", ".join(words))]


def task_settings(view: View, home: str) -> list[Setting]:
    """The loss tells what is optimised; plain text without a template is pretraining."""
    path = component_path(view, f"{home}loss")
    name = component_of(view, f"{home}loss").rpartition(".")[2]
    task = next((task for mark, task in _TASKS if mark in name), "")
    if task:
        return [view.setting("task", task, path)]
    data = component_path(view, "dataset")
    return [view.setting("task", "pretrain", data)] if "text_completion" in component_of(view, "dataset") else []


def loss_settings(view: View, home: str) -> list[Setting]:
    """``Linear…`` losses take hidden states and project them by chunks; ``…Chunked…`` losses take logits by chunks."""
    path = component_path(view, f"{home}loss")
    name = component_of(view, f"{home}loss").rpartition(".")[2]
    if not name:
        return []
    return [view.setting("loss", "chunked" if name.startswith("Linear") or "Chunked" in name else "full", path)]


def selective_settings(view: View, home: str) -> list[Setting]:
    """``ac_mode: selective`` with ``ac_option: 2`` checkpoints every second layer; beside ``enable_activation_checkpointing``
    neither takes effect (full_finetune_distributed.py)."""
    mode, option = f"{home}ac_mode", f"{home}ac_option"
    if not view.word(mode):
        return []
    if view.on(f"{home}enable_activation_checkpointing"):
        return [view.either("recompute", mode, ("none", "full"), "none (full_finetune_distributed) or full (recipes without ac_mode)")]
    every = view.value(option)
    if view.word(mode) == "full" or isinstance(every, int):
        steps = [view.setting("recompute_every", every, option)] if isinstance(every, int) and view.word(mode) != "full" else []
        return [view.setting("recompute", "full", mode), *steps]
    return [view.setting("recompute", "selective", mode)]


def optimizer_settings(view: View, home: str, misreads: list[Misread]) -> list[Setting]:
    """The class that is named, built with the rest of the block as arguments."""
    path = component_path(view, f"{home}optimizer")
    raw = raw_at(view.document, view.loader, path) if path else None
    spelling = decoupled(raw.text, view.on(f"{home}optimizer.decoupled_weight_decay")) if raw else ""
    named = read_optimizer(raw, "torchtune", misreads, spelling) if raw else []
    found = [setting for setting in named if setting.name == "optimizer"]
    return [*found, *_implementation(view, home), *_betas(view, f"{home}optimizer.betas")]


def _implementation(view: View, home: str) -> list[Setting]:
    """torch.optim: ``fused`` or ``foreach`` as said; where neither is, foreach on CUDA (``_default_to_fused_or_foreach``, torch 2.13
    ``optim/adam.py``: asked only where both are None, so that ``fused: false`` alone is the loop)."""
    for word in ("fused", "foreach"):
        path = f"{home}optimizer.{word}"
        if view.on(path):
            return [view.setting("optimizer_impl", word, path)]
    for word in ("foreach", "fused"):
        path = f"{home}optimizer.{word}"
        if view.word(path) == "false":
            return [view.setting("optimizer_impl", "for-loop", path)]
    return []


def _betas(view: View, path: str) -> list[Setting]:
    numbers = [numerals.real(word) for word in view.words(path)]
    pairs = zip(("adam_beta1", "adam_beta2"), numbers, strict=False)
    return [] if None in numbers else [view.setting(name, number, path, str(number)) for name, number in pairs]


def shard_settings(view: View) -> list[Setting]:
    """Distributed recipes use FSDP2 and nothing else (0.6.1 ``recipes/*_distributed.py``: ``training.shard_model``). Without one of their
    keys the recipe's name in the launch command decides."""
    path = view.first(*_DISTRIBUTED)
    if path:
        return [view.setting("shard", "fsdp2", path, "a key of the distributed recipes"), *_hybrid(view)]
    recipe = view.document.program.removesuffix(".py")
    return [default("shard", "fsdp2", f"torchtune {recipe}: training.shard_model")] if "_distributed" in recipe else []


def _hybrid(view: View) -> list[Setting]:
    path = "data_parallel_replicate_dim"
    size = view.value(path)
    if not isinstance(size, int) or size < 2:
        return []
    return [view.setting("shard_strategy", "hybrid", path), view.setting("shard_replicas", size, path)]
