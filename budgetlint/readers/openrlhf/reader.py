"""OpenRLHF: flags of ``python -m openrlhf.cli.train_*``; DeepSpeed runs everything.

Sources: openrlhf 0.11.2 ``openrlhf/cli``, ``utils/deepspeed/deepspeed_utils.py`` ``get_train_ds_config`` (bf16 engine, ``adam_offload``,
sizes ``auto``), ``models/actor.py``; 0.5.0 the same files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.base.record import replace
from budgetlint.documents import Document, Loader
from budgetlint.readers.base import Reader, default, names, read_keys, to_dtype, to_float, to_int, to_text, unsettled
from budgetlint.readers.deepspeed.defaults import deepspeed_defaults
from budgetlint.readers.derived import liger_kernels
from budgetlint.readers.hf.defaults import by_version
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.readers.openrlhf.keys import KEYS
from budgetlint.settings.run import Reading, Role, Setting, Settings, Stack

FORMAT = "openrlhf"
_LOADER = Loader.OMEGACONF
_TASKS = {
    "train_sft": "sft", "train_dpo": "dpo", "train_kto": "kto", "train_rm": "reward", "train_prm": "reward", "train_ppo": "ppo",
    "train_ppo_ray": "ppo", "train_kd": "other", "train_grpo": "grpo",
}  # fmt: skip
_OLD = names("micro_train_batch_size zero_stage pretrain train_batch_size max_len adam_offload micro_rollout_batch_size reward_pretrain")


def recognise(document: Document) -> float:
    """The module, or (for a copy of a script) the flags that only OpenRLHF has together."""
    mapping = document.mapping
    if mapping is None or not document.is_command:
        return 0.0
    if "openrlhf" in document.program:
        return 1.0 if program_task(document) else 0.0
    keys = frozenset(mapping.keys())
    dotted = {"ds", "train", "data"} <= keys and bool({"model", "actor"} & keys) and document.entry("ds.zero_stage") is not None
    return 0.9 if dotted or ("micro_train_batch_size" in keys and len(keys & _OLD) >= 3) else 0.0


def program_task(document: Document) -> str:
    """The task by the script's name; ``advantage_estimator`` tells GRPO and its like from PPO."""
    leaf = document.program.removesuffix(".py").replace("/", ".").rpartition(".")[2]
    return _TASKS.get(leaf, "")


def read(document: Document) -> Reading:
    settings, misreads = read_keys(document, _LOADER, KEYS)
    look = Lookup(document, _LOADER, "", misreads)
    together = [
        *_task(document, look),
        *_length(look),
        *_precision(look),
        *_adapter(look),
        *_kernels(look),
        *_roles(look),
        *_optimizer(look),
    ]
    return Reading(FORMAT, Role.TRAINER, document, Settings((*settings, *together)), (), tuple(misreads))


def _task(document: Document, look: Lookup) -> Iterator[Setting]:
    estimator = look.setting("task", to_text, "advantage_estimator", "algo.advantage.estimator")
    if estimator is not None and estimator.known:
        yield renamed(estimator, "task", "ppo" if estimator.value == "gae" else "grpo")
    elif task := program_task(document):
        yield default("task", task, document.program)


_BOUNDS = (("prompt_max_len", "data.prompt_max_len"), ("generate_max_len", "rollout.max_new_tokens", "rollout.generate_max_len"))


def _length(look: Lookup) -> Iterator[Setting]:
    """Prompt and answer have bounds of their own, 1024 each unless said. A dynamic batch packs up to ``max_tokens_per_gpu`` tokens
    (16192 unless said); how many hangs on the rollouts."""
    prompt, answer = (look.setting("seq_len", to_int, *names) for names in _BOUNDS)
    if (prompt or answer) is not None and not look.has("max_len", "data.max_len"):
        stated = [part for part in (prompt, answer) if part is not None]
        whole = sum(part.value for part in stated if part.known) + 1024 * (2 - len(stated))
        known = all(part.known for part in stated)
        text = " + ".join(part.text for part in stated)
        yield Setting("seq_len", whole if known else None, stated[-1].origin, text, "known" if known else "symbolic")
    dynamic = look.switch("train.dynamic_batch_enable") or look.switch("use_dynamic_batch")
    if dynamic is not None and dynamic.value:
        tokens = look.setting("", to_int, "train.max_tokens_per_gpu", "train_max_tokens_per_gpu")
        most = tokens.value if tokens is not None and tokens.known else 16192
        yield replace(renamed(tokens or dynamic, "seq_len", None), state="auto", readings=(most, 1))
        yield renamed(dynamic, "micro_batch", 1)
        yield renamed(dynamic, "packing", True)


def _precision(look: Lookup) -> Iterator[Setting]:
    """One dtype for weights and engine; the old ``--bf16`` left fp16 and fp32 out."""
    stated = look.setting("engine_dtype", to_dtype, "ds.param_dtype", "param_dtype")
    bf16 = look.switch("bf16")
    if stated is None and bf16 is not None and bf16.value:
        stated = renamed(bf16, "engine_dtype", "bf16")
    if stated is not None:
        yield stated
        yield renamed(stated, "weights_dtype", stated.value)


def _adapter(look: Lookup) -> Iterator[Setting]:
    """Rank 0 trains the model itself."""
    rank = look.setting("lora_r", to_int, "ds.lora.rank", "lora_rank")
    if rank is not None:
        yield renamed(rank, "adapter", "lora" if rank.value else "none")
        yield from (rank,) if rank.value or not rank.known else ()
    four = look.switch("ds.load_in_4bit") or look.switch("load_in_4bit")
    if four is not None and four.value:
        yield renamed(four, "quant", "nf4")


def _kernels(look: Lookup) -> Iterator[Setting]:
    liger = look.switch("ds.use_liger_kernel") or look.switch("use_liger_kernel")
    if liger is not None:
        yield renamed(liger, "kernels", liger_kernels() if liger.value else ())


def _roles(look: Lookup) -> Iterator[Setting]:
    """Ray groups of their own, unless ``colocate_`` flags put them on the actor's devices (0.9.0 ``cli/train_ppo_ray.py``). ``sleep``
    flags make room for the other side; ``ref_reward_offload`` leaves reference and reward model in host memory."""
    together = look.switch("train.colocate_all", "colocate_all_models")
    shared = together is not None and together.value
    yield from _reference(look)
    if is_one_process(look.document):
        yield from _in_one_process(look)
        return
    engines = look.setting("", to_int, "vllm.num_engines", "vllm_num_engines")
    if engines is not None and engines.value:
        yield renamed(engines, "rollout_engine", "vllm")
        apart = look.switch("train.async_enable", "async_train")  # then only DeepSpeed's models share the devices
        beside = together if shared and not (apart is not None and apart.value) else None
        yield from (renamed(beside, "rollout_on", "same"),) if beside is not None else ()
        slept = look.switch("vllm.enable_sleep", "vllm_enable_sleep")
        yield from (renamed(slept, "rollout_sleeps", slept.value),) if slept is not None else ()
    asleep = look.switch("ds.enable_sleep", "deepspeed_enable_sleep")
    if asleep is not None and asleep.value and shared:
        yield renamed(asleep, "rollout_frees", ("params", "optimizer"))
        yield renamed(asleep, "critic_offload", "cpu")
    yield from _on_the_actors(look, together if shared else None)


def _reference(look: Lookup) -> Iterator[Setting]:
    """Without a KL term the Ray trainer makes no reference from 0.6.0 on (0.6.0 ``cli/train_ppo_ray.py`` ``if args.init_kl_coef == 0:
    ref_model = None``, 0.11.2 ``algo.kl.init_coef``; 0.5.9 makes it all the same)."""
    kl = look.setting("reference_model", to_float, "init_kl_coef", "algo.kl.init_coef")
    if kl is not None and not is_one_process(look.document) and not (kl.known and kl.value > 0):
        yield replace(kl, value=None, state="auto", readings=("none", "policy")) if kl.known else kl


def settle(settings: Settings, stack: Stack) -> Settings:
    """What a KL coefficient of zero means, by version."""
    written, newer = settings.get("reference_model"), stack.at_least("openrlhf", "0.6.0")
    if written is None or newer is None or written.readings != ("none", "policy"):
        return settings
    chosen = replace(written, value=written.readings[0 if newer else 1], state="known", readings=())
    return Settings(chosen if setting is written else setting for setting in settings.values())


def is_one_process(document: Document) -> bool:
    """``train_ppo`` (until 0.6) has no Ray groups: each process makes all models and generates by itself."""
    return document.program.removesuffix(".py").replace("/", ".").rpartition(".")[2] == "train_ppo"


def _in_one_process(look: Lookup) -> Iterator[Setting]:
    """0.4.5 ``cli/train_ppo.py``: actor, critic, reward model (unless ``remote_rm_url``) and reference on each device, the frozen two
    whole below ZeRO-3 (``get_ds_eval_config``); the critic starts as the reward model, or as the policy."""
    rows = {"rollout_engine": "hf", "rollout_on": "same", "reference_model": "policy"}
    rows |= {f"{role}_offload": "none" for role in ("reference", "reward", "critic")}
    yield from (default(name, value, "openrlhf 0.4.5 cli/train_ppo.py") for name, value in rows.items())
    remote = look.setting("reward_model", to_text, "remote_rm_url")
    if remote is not None:
        yield renamed(remote, "reward_model", "none")
    if not look.has("critic_pretrain"):
        scorer = look.setting("critic_model", to_text, "reward_pretrain") if remote is None else None
        start = scorer or look.setting("critic_model", to_text, "pretrain")
        yield from (start,) if start is not None else ()


def _on_the_actors(look: Lookup, together: Setting | None) -> Iterator[Setting]:
    offload = look.switch("ref.offload", "ref_reward_offload")
    beside = look.switch("train.colocate_actor_ref", "colocate_actor_ref")
    host = renamed(offload, "", "cpu") if offload is not None and offload.value else None
    for role, switch in (("reference", together or beside), ("reward", together), ("critic", together)):
        if switch is not None and switch.value:
            away = host if role != "critic" else None
            yield replace(away or switch, name=f"{role}_offload", value="cpu" if away is not None else "none")


def _optimizer(look: Lookup) -> Iterator[Setting]:
    """DeepSpeed builds ``Adam`` (decoupled), on the host where it is offloaded (``actor.py``, ``get_train_ds_config``)."""
    stated = look.setting("optimizer", to_text, "optim", "actor.optim")
    if stated is not None and stated.known:
        yield renamed(stated, "optimizer", "muon" if stated.value == "muon" else "fused_adam")


_CLI = "openrlhf cli/train_*.py "
_FIXED: tuple[tuple[str, Any, str], ...] = (
    ("adapter", "none", "ds.lora.rank: 0"),
    ("quant", "none", "ds.load_in_4bit"),
    ("global_batch", 128, "train.batch_size"),
    ("recompute", "none", "gradient_checkpointing_enable"),
    ("recompute_reentrant", False, "gradient_checkpointing_reentrant"),
    ("shard", "zero2", "ds.zero_stage: 2"),
    ("engine_dtype", "bf16", "ds.param_dtype: bf16"),
    ("weights_dtype", "bf16", "ds.param_dtype: bf16"),
    ("autocast", "none", "the engine's dtype only"),
    ("kernels", (), "ds.use_liger_kernel"),
    ("loss", "full", "ds.use_liger_kernel"),
    ("packing", False, "ds.packing_samples"),
    ("weight_decay", 0.0, "adam.weight_decay"),
    ("adam_beta1", 0.9, "adam.betas"),
    ("adam_beta2", 0.95, "adam.betas"),
    ("max_grad_norm", 1.0, "max_norm"),
    ("lr_scheduler", "cosine_with_min_lr", "lr_scheduler"),
    ("offload_optimizer", "none", "ds.adam_offload"),
    ("offload_params", "none", "train_* builds its engine with offload=False"),
)
_LORA: tuple[tuple[str, Any, str], ...] = (
    ("lora_alpha", 16.0, "ds.lora.alpha"),
    ("lora_dropout", 0.0, "ds.lora.dropout"),
    ("lora_targets", ("all-linear",), "ds.lora.target_modules"),
)
_BY_TASK = {"sft": (8, 2048), "dpo": (8, 512), "reward": (1, 512), "ppo": (1, 2048), "grpo": (1, 2048)}
"""``train.micro_batch_size`` and ``data.max_len`` of each trainer."""
_RL: tuple[tuple[str, Any, str], ...] = (
    ("rollout_on", "other", "colocate_all_models: false"),
    ("rollout_sleeps", False, "vllm_enable_sleep: false"),
    *((f"{role}_offload", "elsewhere", "colocate flags: false") for role in ("reference", "reward", "critic")),
)
_WITH_REFERENCE = ("dpo", "kto", "ppo", "grpo")


def _attention(settings: Settings, stack: Stack) -> Setting:
    """``--flash_attn`` was a switch that is off by default (0.5.0 to 0.8.9 ``models/actor.py``: eager without it); packing turns it on
    in each release (``cli/train_sft.py``)."""
    packing = settings.get("packing")
    if packing is not None and packing.value is True:
        return default("attention", "flash", _CLI + "packing_samples: flash attention is turned on")
    if packing is not None and not packing.known:
        return unsettled("attention", ("flash", "eager"), _CLI + "flash_attn: on beside packing")
    note = _CLI + "attn_implementation: flash_attention_2 from 0.8.10, eager without --flash_attn before"
    return by_version("attention", stack.at_least("openrlhf", "0.8.10"), ("flash", "eager"), note)


def defaults(settings: Settings, stack: Stack) -> Iterable[Setting]:
    task = settings.value("task", "")
    yield from (default(name, value, _CLI + note) for name, value, note in _FIXED)
    if settings.value("adapter") == "lora":
        yield from (default(name, value, _CLI + note) for name, value, note in _LORA)
    yield _attention(settings, stack)
    if task in _BY_TASK:
        micro, length = _BY_TASK[task]
        yield default("micro_batch", micro, _CLI + "train.micro_batch_size")
        yield default("seq_len", length, _CLI + "data.max_len")
    if task in ("ppo", "grpo"):
        yield from (default(name, value, _CLI + note) for name, value, note in _RL)
        share = stack.at_least("openrlhf", "0.6.4")
        yield by_version("rollout_memory", share, (0.95, 0.9), _CLI + "vllm_gpu_memory_utilization: 0.95 from 0.6.4, 0.9 at 0.6.0")
    if task == "reward":
        yield default("model_head", "regression", "openrlhf models/model.py get_llm_for_sequence_regression")
    if task in _WITH_REFERENCE:
        yield default("reference_model", "policy", f"openrlhf {task}: a frozen copy of the policy")
    offloaded = settings.value("offload_optimizer") == "cpu"
    yield default("optimizer", "cpu_adam" if offloaded else "fused_adam", "openrlhf utils/deepspeed: DeepSpeed Adam")
    yield from deepspeed_defaults(settings, stack)


READER = Reader(FORMAT, Role.TRAINER, _LOADER, recognise, read, defaults, package="openrlhf", since="0.5", settle=settle)
