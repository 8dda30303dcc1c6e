"""verl: Hydra configs and overrides of its PPO and SFT trainers.

Sources: verl 0.9.1 ``trainer/config``, ``trainer/main_ppo.py``, ``trainer/sft_trainer.py``; the wheels from 0.2 to 0.6.1 for what differs
before; 0.1 by its wheel's ``trainer/config`` and, as that holds no ``workers/``, by copies of 0.1 in public repositories. The actor's
update is the run; rollout engine, reference, critic and reward model are named beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from budgetlint.base.record import replace
from budgetlint.documents import Document, Loader, Mapping, Scalar, walk
from budgetlint.documents.interpolate import interpolated
from budgetlint.readers.base import Reader, default, read_keys, unsettled
from budgetlint.readers.hf.defaults import by_version
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.megatron.engine import engine_defaults
from budgetlint.readers.verl.keys import PPO, SFT
from budgetlint.readers.verl.parts import adapter, algorithm, is_megatron, kernels, length, micro_batch, optimizer, scoring, shard
from budgetlint.settings.run import Reading, Role, Setting, Settings, Stack

FORMAT = "verl"
_FLASH, _HEAD = "flash-attn", "cross_entropy"
_LOADER = Loader.OMEGACONF
_ACTOR = "actor_rollout_ref"
_FOR_FSDP = ("model.enable_gradient_checkpointing", "model.enable_activation_offload")
"""Megatron has ``override_transformer_config`` for this."""
_SFT_KEYS = ("optim", "engine", "checkpoint", "ulysses_sequence_parallel_size", "use_remove_padding")


def recognise(document: Document) -> float:
    """``actor_rollout_ref`` (a block, or the start of overrides); fragments by objects of ``verl.``; its SFT trainer."""
    mapping = document.mapping
    if mapping is None or document.format not in ("yaml", "shell"):
        return 0.0
    if document.is_command and document.program.startswith("verl."):
        return 1.0
    keys = tuple(mapping.keys())
    if _ACTOR in keys:
        return 1.0
    if document.is_command or "exp_manager" in keys:
        return 0.0
    return 0.95 if _is_sft(mapping) else 0.9 if _has_objects(document) or _is_generation(mapping) else 0.0


def _is_sft(mapping: Mapping) -> bool:
    data = mapping.get("data")
    tells = isinstance(data, Mapping) and any(key in data for key in ("micro_batch_size_per_gpu", "max_token_len_per_gpu"))
    return tells and isinstance(mapping.get("trainer"), Mapping) and any(key in mapping for key in _SFT_KEYS)


def _has_objects(document: Document) -> bool:
    return document.source.mentions("verl.") and any(
        path.rpartition(".")[2] == "_target_" and isinstance(entry.value, Scalar) and entry.value.text.startswith("verl.")
        for path, entry in walk(document.root)
    )


def _is_generation(mapping: Mapping) -> bool:
    """``generation.yaml``: data, model and rollout, nothing that trains."""
    rollout, trainer = mapping.get("rollout"), mapping.get("trainer")
    return isinstance(rollout, Mapping) and "response_length" in rollout and isinstance(trainer, Mapping) and "n_gpus_per_node" in trainer


def read(document: Document) -> Reading:
    known = interpolated(document)
    mapping = known.mapping
    if mapping is not None and isinstance(mapping.get(_ACTOR), Mapping):
        return _reading(document, known, PPO, _ACTOR)
    if mapping is not None and (_is_sft(mapping) or document.program.endswith("sft_trainer")):
        return _reading(document, known, SFT, "")
    return Reading(FORMAT, Role.INFERENCE, document, Settings())


def _reading(document: Document, known: Document, keys: Any, home: str) -> Reading:
    settings, misreads = read_keys(known, _LOADER, keys)
    look = Lookup(known, _LOADER, "", misreads)
    model = f"{home}.model" if home else "model"
    strategy, engine, optim = _paths(look, home)
    megatron = is_megatron(look, strategy)
    if megatron:
        settings = [setting for setting in settings if not setting.origin.key.endswith(_FOR_FSDP)]
    together = [
        *adapter(look, model),
        *shard(look, strategy, engine),
        *kernels(look, model),
        *optimizer(look, optim, megatron, look.misreads),
        *((*micro_batch(look), *length(look), *scoring(look), *algorithm(look)) if home else ()),
    ]
    task = [] if home else _sft_task(look)
    return Reading(FORMAT, Role.TRAINER, document, Settings((*settings, *task, *together)), (), tuple(look.misreads))


def _paths(look: Lookup, home: str) -> tuple[str, str, str]:
    """Where strategy, engine and optimizer stand. Older files name the strategy below ``model``."""
    if not home:
        return ("engine.strategy" if look.has("engine.strategy") else "model.strategy"), "engine", "optim"
    return f"{home}.actor.strategy", f"{home}.actor.fsdp_config", f"{home}.actor.optim"


def _sft_task(look: Lookup) -> list[Setting]:
    raw = look.raw("data.max_length", "data.micro_batch_size_per_gpu", "data.train_files", "optim.lr", "trainer.project_name")
    return [Setting("task", "sft", raw.origin, raw.path)] if raw is not None else []


_CONFIG = "verl trainer/config/"
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("adapter", "none", _CONFIG + "model/hf_model.yaml lora_rank: 0"),
    ("quant", "none", "no quantised base"),
    ("attention", "flash", "verl fsdp engine: attn_implementation flash_attention_2"),
    ("nodes", 1, _CONFIG + "ppo_trainer.yaml trainer.nnodes"),
    ("devices_per_node", 8, _CONFIG + "ppo_trainer.yaml trainer.n_gpus_per_node"),
    ("weight_decay", 0.01, _CONFIG + "optim/fsdp.yaml weight_decay"),
    ("max_grad_norm", 1.0, _CONFIG + "actor/dp_actor.yaml grad_clip"),
)
_FSDP: tuple[tuple[str, Any, str], ...] = (
    ("shard", "fsdp", _CONFIG + "engine/fsdp.yaml strategy"),
    ("weights_dtype", "fp32", _CONFIG + "engine/fsdp.yaml model_dtype"),
    ("reduce_dtype", "fp32", "verl 0.5.0 workers/fsdp_workers.py: mixed_precision.reduce_dtype"),
    ("autocast", "bf16", _CONFIG + "engine/fsdp.yaml dtype"),
    ("wrap", "layer", "verl utils/fsdp_utils.py get_fsdp_wrap_policy"),
    ("shard_strategy", "full", _CONFIG + "engine/fsdp.yaml fsdp_size: -1"),
    ("offload_params", "none", _CONFIG + "engine/fsdp.yaml offload_policy: false"),
    ("offload_optimizer", "none", _CONFIG + "engine/fsdp.yaml offload_policy: false"),
    ("optimizer", "adamw", _CONFIG + "optim/fsdp.yaml optimizer: AdamW"),
)


_ROLLOUT: tuple[tuple[str, Any, str], ...] = (
    ("rollout_on", "same", _CONFIG + "ppo_trainer.yaml actor_rollout_ref.hybrid_engine: true"),
    ("rollout_memory", 0.5, _CONFIG + "rollout/rollout.yaml gpu_memory_utilization"),
    ("rollout_sleeps", True, _CONFIG + "rollout/rollout.yaml free_cache_engine: true"),
)


def _by_release(settings: Settings, stack: Stack) -> Iterable[Setting]:
    """What differs between releases. 0.1 checkpointed only on demand, with torch's own kind, and kept the models beside the actor on the
    device unless ``param_offload`` said otherwise; that counts only where the release is said: commands for a later one name keys that
    0.1 refuses. SFT (``sft_trainer.yaml``) checkpoints from 0.4 on."""
    first = stack.at_least("verl", "0.2") is False
    if settings.value("task") == "sft":
        note = _CONFIG + "sft_trainer.yaml enable_gradient_checkpointing: true from 0.4 on"
        yield by_version("recompute", stack.at_least("verl", "0.4"), ("full", "none"), note)
    yield default("recompute", "none" if first else "full", _CONFIG + "ppo_trainer.yaml enable_gradient_checkpointing: true from 0.2 on")
    yield default("recompute_reentrant", first, "verl workers/fsdp_workers.py: use_reentrant False from 0.2 on")
    if settings.value("model_code") != "megatron":
        home, note = "none" if first else "cpu", "verl workers/fsdp_workers.py: CPUOffload for every role but the actor, from 0.2 on"
        yield default("reference_offload", home, note)
        yield from _reward_offload(settings, stack, home, note)


def _reward_offload(settings: Settings, stack: Stack, home: str, note: str) -> Iterable[Setting]:
    """From 0.7.1 on no worker of the trainer holds the reward model: it has a server (0.7.0 ``workers/fsdp_workers.py`` is the last with a
    ``RewardModelWorker``), whose place is not followed."""
    if stack.at_least("verl", "0.7.1") is False:
        yield default("reward_offload", home, note)
    elif "reward_model" in settings:
        yield unsettled("reward_offload", ("cpu", "none"), f"{note}, up to 0.7.0; a server of its own since")


def _kernels(stack: Stack) -> Setting:
    """flash-attn is none of verl's requirements, and tried by an import."""
    note = "verl utils/torch_functional.py logprobs_from_logits: flash-attn's cross entropy, in place, where it is installed"
    if _FLASH in stack.releases:
        return default("kernels", (_HEAD,), note)
    return unsettled("kernels", ((_HEAD,), ()), note)


def settle(settings: Settings, stack: Stack) -> Settings:
    """Liger's kernels with flash-attn's cross entropy, where that is known to be installed."""
    written = settings.get("kernels")
    if written is None or len(written.readings) != 2 or _FLASH not in stack.releases:
        return settings
    chosen = replace(written, value=written.readings[0], state="known", readings=())
    return Settings(chosen if setting is written else setting for setting in settings.values())


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    if settings.value("task") != "sft":
        yield from (default(name, value, note) for name, value, note in _ROLLOUT)
        yield default("task", "ppo", _CONFIG + "ppo_trainer.yaml algorithm.adv_estimator: gae")
    if settings.value("model_code") == "megatron":
        yield default("recompute", "none", _CONFIG + "engine/megatron.yaml override_transformer_config.recompute_granularity: null")
        yield default("sequence_parallel", True, _CONFIG + "engine/megatron.yaml sequence_parallel: True")
        yield default("optimizer", "megatron_adam", _CONFIG + "optim/megatron.yaml optimizer: adam")
        yield from engine_defaults(settings)
    else:
        yield from (default(name, value, note) for name, value, note in _FSDP)
    yield from (default(name, value, note) for name, value, note in _FIXED)
    yield from _by_release(settings, stack)
    yield _kernels(stack)
    note = "verl utils/torch_functional.py: 16-bit logits and their gradient in place, no fp32 copy"
    yield unsettled("loss", ("in-place", "chunked"), note)


READER = Reader(FORMAT, Role.TRAINER, _LOADER, recognise, read, defaults, package="verl", since="0.1", settle=settle)
