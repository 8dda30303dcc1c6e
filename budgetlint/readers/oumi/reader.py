"""oumi training files, loaded by OmegaConf into dataclasses (``core/configs/training_config.py``); most become TRL arguments.

Sources: oumi 0.9 ``core/configs/params/training_params.py`` to_hf, ``builders/models.py`` (``prepare_model_for_kbit_training`` for
QLoRA), ``core/distributed.py`` (FSDP by accelerate's environment variables).
"""

from __future__ import annotations

from budgetlint.documents import Document, Loader, Mapping
from budgetlint.documents.interpolate import interpolated
from budgetlint.readers.base import Misread, Reader, names, raw_at, read_keys, to_count
from budgetlint.readers.hf.length import read_length
from budgetlint.readers.hf.rollouts import at_most, read_rollouts
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.readers.oumi.defaults import defaults
from budgetlint.readers.oumi.keys import BNB, DEEPSPEED, FSDP, KEYS, LORA
from budgetlint.readers.view import View
from budgetlint.settings.run import Reading, Role, Setting, Settings

_LOADER = Loader.OMEGACONF
_TRAINING = names("""trainer_type enable_gradient_checkpointing use_peft per_device_train_batch_size gradient_accumulation_steps optimizer
    learning_rate output_dir save_steps max_steps num_train_epochs include_performance_metrics log_model_summary enable_wandb""")
_OWN = names("trainer_type enable_gradient_checkpointing include_performance_metrics log_model_summary enable_wandb save_final_model")
_FOREIGN = names("exp_manager actor_rollout_ref train_loader policy base_model")


def recognise(document: Document) -> float:
    """``model.model_name`` beside a ``training`` section with oumi's own words."""
    mapping = document.mapping
    if mapping is None or document.format == "toml" or frozenset(mapping.keys()) & _FOREIGN:
        return 0.0
    model, training = mapping.get("model"), mapping.get("training")
    if not isinstance(model, Mapping) or not isinstance(training, Mapping) or "model_name" not in model:
        return 0.0
    keys = frozenset(training.keys())
    return 0.95 if keys & _OWN and len(keys & _TRAINING) >= 3 else 0.0


def read(document: Document) -> Reading:
    view = View(interpolated(document), _LOADER)
    lora, quantised = view.on("training.use_peft"), view.on("peft.q_lora")
    fsdp, zero = view.on("fsdp.enable_fsdp"), view.on("deepspeed.enable_deepspeed")
    sections = ((lora, LORA), (lora and quantised, BNB), (fsdp, FSDP), (zero, DEEPSPEED))
    keys = (*KEYS, *(key for used, rows in sections if used for key in rows))
    settings, misreads = read_keys(view.document, _LOADER, keys)
    together: list[Setting] = [*_adapter(view), *(_quant(view) if lora and quantised else ()), *_shard(view, fsdp, zero)]
    if view.word("training.trainer_type") == "trl_grpo":
        settings = [*settings, *_grpo(view, misreads)]
    references = view.reference(Role.ENGINE, "deepspeed.deepspeed_config_path") if zero else ()
    every = Settings((*together, *settings, *_optimizer(view, misreads)))
    return Reading("oumi", Role.TRAINER, document, every, references, tuple(misreads))


def _adapter(view: View) -> list[Setting]:
    path = "training.use_peft"
    return [view.setting("adapter", "lora" if view.on(path) else "none", path)] if view.first(path) else []


def _grpo(view: View, misreads: list[Misread]) -> list[Setting]:
    """``training.grpo`` becomes TRL's ``GRPOConfig`` (oumi ``grpo_params.py`` ``to_hf_trainer_kwargs``); nothing else bounds a prompt."""
    look = Lookup(view.document, _LOADER, "training.grpo", misreads)
    more = Lookup(view.document, _LOADER, "training.trainer_kwargs", misreads)
    found = [*read_rollouts(look), *read_rollouts(more), *read_length(look)]
    longest = Lookup(view.document, _LOADER, "", misreads).setting("seq_len", to_count, "model.model_max_length")
    if longest is None or any(setting.name == "seq_len" for setting in found):
        return found
    return [*found, at_most(longest, next((one.value for one in found if one.name == "completion_len" and one.known), None))]


def _quant(view: View) -> list[Setting]:
    """Four bits of type fp4 unless said otherwise; every unquantised parameter is cast to fp32."""
    upcast = view.setting("quant_upcast", "all", "peft.q_lora", "prepare_model_for_kbit_training")
    if view.word("peft.q_lora_bits") == "8":
        return [view.setting("quant", "int8", "peft.q_lora_bits"), upcast]
    kind = view.word("peft.bnb_4bit_quant_type")
    return [view.setting("quant", kind if kind == "nf4" else "fp4", "peft.bnb_4bit_quant_type" if kind else "peft.q_lora"), upcast]


def _shard(view: View, fsdp: bool, zero: bool) -> list[Setting]:
    if fsdp:
        return [view.setting("shard", "fsdp", "fsdp.enable_fsdp")]
    if not zero:
        return []
    path = "deepspeed.zero_stage"
    stage = view.word(path)[-1:] if view.first(path) else "0"
    line = path if view.first(path) else "deepspeed.enable_deepspeed"
    return [view.setting("shard", f"zero{stage}" if stage in ("1", "2", "3") else "ddp", line)]


def _optimizer(view: View, misreads: list[Misread]) -> list[Setting]:
    raw = raw_at(view.document, _LOADER, "training.optimizer")
    return read_optimizer(raw, "oumi", misreads) if raw else []


READER = Reader("oumi", Role.TRAINER, _LOADER, recognise, read, defaults, package="oumi")
