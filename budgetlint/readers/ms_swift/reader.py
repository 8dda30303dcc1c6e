"""ms-swift: ``swift sft|pt|rlhf`` and ``megatron sft|pt|rlhf`` with flags, or with a YAML or JSON file of the same names.

Source: ms_swift 4.6.0 ``swift/cli/main.py`` ``parse_yaml_args`` (``yaml.safe_load``, values become flags), ``swift/arguments``; what it
fills in also 3.6.0 ``swift/llm/argument``, ``swift/trainers/arguments.py`` (3.5 split the data for evaluation by itself).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from budgetlint.base.record import replace
from budgetlint.documents import Document, Loader, Scalar
from budgetlint.readers.base import Raw, Reader, default, hidden, loader_of, names, read_keys, too_old
from budgetlint.readers.deepspeed.auto import engine_over_trainer
from budgetlint.readers.deepspeed.defaults import deepspeed_defaults
from budgetlint.readers.derived import derived
from budgetlint.readers.hf.checkpointing import read_checkpointing
from budgetlint.readers.hf.defaults import by_version, optimizer
from budgetlint.readers.hf.kernels import read_kernels
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.ms_swift.keys import OWN
from budgetlint.readers.ms_swift.megatron import is_megatron, megatron_defaults, read_megatron
from budgetlint.readers.ms_swift.parts import critic, evaluation, logits, precision, quant, reference, rlhf, second_length, settle, tuner
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.readers.presets import preset
from budgetlint.settings.run import Misread, Reading, Reference, Role, Setting, Settings, Stack

FORMAT = "ms_swift"
_TUNERS = names("tuner_type train_type sft_type")
_OWN = names(
    """attn_impl target_modules split_dataset_ratio dataset_num_proc rlhf_type quant_bits quant_method model_author vllm_mode
    lora_target_modules model_id_or_path use_flash_attn model custom_dataset template_type dataset_test_ratio max_length"""
)
_FOREIGN = names("base_model finetuning_type distributed_type policy actor_rollout_ref trainer exp_manager _wandb training_args")
_PROGRAMS = ("swift sft", "swift pt", "swift rlhf", "megatron sft", "megatron pt", "megatron rlhf")


def recognise(document: Document) -> float:
    """The command's word; in a file, how the tuner is named beside what only ms-swift takes."""
    mapping = document.mapping
    if mapping is None:
        return 0.0
    if document.is_command:
        return 1.0 if document.program in _PROGRAMS else 0.0
    keys = frozenset(mapping.keys())
    if document.format == "toml" or keys & _FOREIGN:
        return 0.0
    own = len(keys & _OWN)
    return 0.95 if keys & _TUNERS and own >= 2 and "dataset" in keys else 0.9 if "rlhf_type" in keys and own >= 3 else 0.0


def read(document: Document) -> Reading:
    loader = loader_of(document, Loader.OMEGACONF if document.is_command else Loader.PYYAML)
    keys = frozenset(document.mapping.keys()) if document.mapping is not None else frozenset()
    if is_megatron(keys) or document.program.startswith("megatron"):
        settings, misreads = read_megatron(document, loader)
        return Reading(FORMAT, Role.TRAINER, document, settings, (), tuple(misreads))
    found, misreads = read_keys(document, loader, OWN)
    look = Lookup(document, loader, "", misreads)
    together = [
        *tuner(look), *precision(look), *quant(look), *read_checkpointing(look), *read_kernels(look), *evaluation(look),
        *rlhf(look), *second_length(look),
        *_optimizer(look, misreads), *_pretraining(document),
    ]  # fmt: skip
    whole = engine_over_trainer(Settings((*found, *together)), _presets(look))
    return Reading(FORMAT, Role.TRAINER, document, whole, _references(look), tuple(misreads))


def _optimizer(look: Lookup, misreads: list[Misread]) -> list[Setting]:
    own, raw = look.raw("optimizer"), look.raw("optim")
    switch = look.switch("use_galore")
    if switch is not None and switch.value is True:
        return [replace(switch, name="optimizer", value="galore_adamw")]
    if own is not None and own.text in ("galore", "muon", "muonclip"):
        return read_optimizer(own, "hf", misreads, {"galore": "galore_adamw"}.get(own.text, "muon"))
    return read_optimizer(raw, "hf", misreads) if raw else []


def _pretraining(document: Document) -> list[Setting]:
    if document.program not in ("swift pt", "megatron pt"):
        return []
    return [default("task", "pretrain", document.program)]


def _engine(look: Lookup) -> Raw | None:
    raw = look.raw("deepspeed", "fsdp")
    return raw if raw is not None and isinstance(raw.node, Scalar) and isinstance(raw.value, str) else None


def _presets(look: Lookup) -> Settings:
    """``zero2``, ``zero3_offload``, ``fsdp2``: files that ms-swift brings (sft_args.py ``_init_deepspeed``, ``_init_fsdp``)."""
    raw = _engine(look)
    return (preset(FORMAT, raw.text, raw.origin) if raw is not None else None) or Settings()


def _references(look: Lookup) -> tuple[Reference, ...]:
    raw = _engine(look)
    if raw is None or not raw.text.strip():
        return ()
    from budgetlint.catalog.presets import find_preset  # the catalog is read only where a preset may be named

    if find_preset(FORMAT, raw.text) is not None:
        return ()
    return (Reference(Role.ENGINE, raw.text, raw.origin),)


_ARGUMENTS = "ms-swift "
_FIXED = (
    ("task", "sft", "swift sft"),
    ("adapter", "lora", "arguments/base_args/base_args.py tuner_type"),
    ("quant", "none", "arguments/base_args/quant_args.py quant_method"),
    ("train_vision", False, "arguments/tuner_args.py freeze_vit: true (from 3.0)"),
    ("train_projector", False, "arguments/tuner_args.py freeze_aligner: true (from 3.0)"),
    ("micro_batch", 1, "trainers/arguments.py per_device_train_batch_size"),
    ("eval_batch", 1, "trainers/arguments.py per_device_eval_batch_size"),
    ("recompute", "full", "trainers/arguments.py gradient_checkpointing: true"),
    ("weight_decay", 0.1, "trainers/arguments.py weight_decay"),
    ("adam_beta1", 0.9, "transformers TrainingArguments.adam_beta1"),
    ("adam_beta2", 0.95, "trainers/arguments.py adam_beta2"),
    ("max_grad_norm", 1.0, "transformers TrainingArguments.max_grad_norm"),
    ("lr_scheduler", "cosine", "trainers/arguments.py lr_scheduler_type"),
    ("max_steps", -1, "transformers TrainingArguments.max_steps"),
    ("num_epochs", 3.0, "transformers TrainingArguments.num_train_epochs"),
    ("packing", False, "arguments/base_args/data_args.py packing"),
    ("padding_free", False, "arguments/base_args/template_args.py padding_free"),
    ("weights_dtype", "auto", "arguments/base_args/model_args.py torch_dtype: the checkpoint's"),
    ("attention", "sdpa", "attn_impl: transformers picks sdpa"),
    ("kernels", (), "trainers/arguments.py use_liger_kernel: false"),
    ("loss", "full", "trainers/arguments.py use_liger_kernel: false"),
    ("prediction_loss_only", True, "metrics/acc.py keeps the argmax only"),
    ("compile", False, "transformers TrainingArguments.torch_compile"),
)
_LORA = (
    ("lora_r", 8, "arguments/tuner_args.py lora_rank"),
    ("lora_alpha", 32.0, "arguments/tuner_args.py lora_alpha"),
    ("lora_dropout", 0.05, "arguments/tuner_args.py lora_dropout"),
    ("lora_targets", ("all-linear",), "arguments/tuner_args.py target_modules"),
    ("adapter_dtype", "fp32", "peft autocast_adapter_dtype"),
)


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    if settings.value("model_code") == "megatron":
        yield from _megatron(settings, stack)
        return
    yield from logits(settings, stack)
    yield from (default(name, value, _ARGUMENTS + note) for name, value, note in _FIXED)
    split = stack.at_least("ms-swift", "3.6.0")
    yield by_version("eval_on", split, (False, True), _ARGUMENTS + "data_args.py split_dataset_ratio: 0 from 3.6.0, 0.01 before")
    adapter = settings.value("adapter", "lora" if "adapter" not in settings else None)
    if adapter == "lora":
        yield from (default(name, value, _ARGUMENTS + note) for name, value, note in _LORA)
    yield optimizer(stack)
    yield default("learning_rate", 1e-5 if adapter == "none" else 1e-4, _ARGUMENTS + "sft_args.py: 1e-5 for full tuning, else 1e-4")
    yield from _precision(settings, stack)
    yield from _accumulation(settings)
    yield from reference(settings)
    yield from critic(settings)
    yield from _rollouts(settings, stack)
    if str(settings.value("shard", "")).startswith("zero"):
        yield from deepspeed_defaults(settings, stack)


_SINCE, _MEGATRON_SINCE, _MODES_SINCE = "3.3", "3.5", "3.5"
"""Releases that were read: the arguments of 3.3.0, 3.4.0 and 3.4.1 fill in what 3.5.0 does (3.2.0 leaves ``adam_beta2`` and the
accumulation to transformers); Megatron's of 3.4 differ; ``vllm_mode`` is of 3.5, before it ``num_infer_workers`` decided."""


def _megatron(settings: Settings, stack: Stack) -> Iterable[Setting]:
    release = stack.releases.get("ms-swift")
    if release is not None and release.at_least(_MEGATRON_SINCE) is False:
        return too_old(megatron_defaults(settings), "ms-swift", release.said, _MEGATRON_SINCE)
    return megatron_defaults(settings)


def _precision(settings: Settings, stack: Stack) -> Iterable[Setting]:
    """A bf16 checkpoint computes under bf16, an fp16 or fp32 one under fp16; which one it is hangs on the checkpoint."""
    yield by_version("autocast", None, ("bf16", "fp16"), _ARGUMENTS + "model_args.py: bf16 for a bf16 checkpoint, else fp16")
    apart = settings.value("shard", "ddp") == "ddp" and (settings.value("devices") or 1) > 1
    since = stack.at_least("ms-swift", "3.6.0") if apart else None
    either = _ARGUMENTS + "trainers/mixin.py: false under DDP only, from 3.6.0 (before trainers/arguments.py: true)"
    yield by_version("recompute_reentrant", since, (False, True), either) if apart else default("recompute_reentrant", True, either)
    if settings.value("quant") in ("nf4", "fp4"):
        compute = {"bf16": "bf16", "fp16": "fp32", "fp32": "fp32"}.get(settings.value("weights_dtype", "bf16"), "bf16")
        yield default("quant_double", True, _ARGUMENTS + "quant_args.py bnb_4bit_use_double_quant")
        yield default("quant_compute_dtype", compute, _ARGUMENTS + "quant_args.py: bf16, else fp32")


def _accumulation(settings: Settings) -> Iterable[Setting]:
    """As many micro batches as make 16 sequences per step (trainers/arguments.py)."""
    micro, devices = settings.value("micro_batch", 1), settings.value("devices") or settings.value("devices_per_node")
    if devices:
        steps = max(1, ceil(16 / micro / devices))
        yield derived("grad_accum", steps, _ARGUMENTS + "trainers/arguments.py: 16 sequences per step", settings.get("micro_batch"))


def _rollouts(settings: Settings, stack: Stack) -> Iterable[Setting]:
    """GRPO has a KL term unless ``beta`` is 0, its reference the adapter-less model where an adapter trains."""
    if settings.value("task") != "grpo":
        return
    yield default("completion_len", 512, _ARGUMENTS + "rlhf_trainers/arguments.py max_completion_length")
    yield default("rollout_engine", "hf", _ARGUMENTS + "rlhf_trainers/args_mixin.py use_vllm: false")
    if stack.at_least("ms-swift", _MODES_SINCE) is False:
        yield hidden("rollout_on", ("same", "other"), _ARGUMENTS + "3.4 rlhf_args.py: num_infer_workers decides")
    else:
        yield default("rollout_on", "same", _ARGUMENTS + "rlhf_trainers/args_mixin.py vllm_mode: colocate")
    yield default("rollout_memory", 0.9, _ARGUMENTS + "rlhf_trainers/args_mixin.py vllm_gpu_memory_utilization")
    yield default("rollout_sleeps", False, _ARGUMENTS + "rlhf_trainers/args_mixin.py sleep_level: 0")


READER = Reader(FORMAT, Role.TRAINER, Loader.PYYAML, recognise, read, defaults, package="ms-swift", since=_SINCE, settle=settle)
