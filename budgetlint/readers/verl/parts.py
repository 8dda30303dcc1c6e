"""What several keys of verl decide together: length, adapter, sharding, precision, the other models of an RL run.

Sources: verl 0.9.1 ``workers/engine/fsdp/transformer_impl.py`` and ``workers/fsdp_workers.py`` (actor weights in ``model_dtype``, float32
by default; mixed precision computes in bf16; ``param_offload`` and ``optimizer_offload`` move weights and states to the host between the
phases of a step and back before the update, so an update holds both, a rollout neither), ``workers/engine/megatron``,
``trainer/ppo/ray_trainer.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from budgetlint.base.record import replace
from budgetlint.readers.base import Misread, default, to_count, to_dtype, to_float, to_int, to_text, to_words
from budgetlint.readers.derived import liger_kernels
from budgetlint.readers.lookup import Lookup, freed, renamed
from budgetlint.readers.optimizer_names import read_optimizer
from budgetlint.settings.run import Setting

_ACTOR, _MODEL = "actor_rollout_ref.actor", "actor_rollout_ref.model"


def on(look: Lookup, key: str) -> Setting | None:
    """The switch where it is true."""
    found = look.switch(key)
    return found if found is not None and found.value is True else None


MOST_TOKENS = 16_384
"""verl 0.7.0 and 0.9.1 ``trainer/config/actor/actor.yaml``; 0.2, 0.3.0 and 0.4.1 ``trainer/config/ppo_trainer.yaml``."""


def length(look: Lookup) -> list[Setting]:
    """A dynamic batch packs up to ``ppo_max_token_len_per_gpu`` tokens; else prompt and response have their bounds, and are padded
    to them unless ``use_remove_padding`` drops the padding. What a rollout writes may be shorter: bounds keep 1 as the other end."""
    dynamic = on(look, f"{_ACTOR}.use_dynamic_bsz")
    if dynamic is not None:  # ``ppo_micro_batch_size_per_gpu`` is not read
        stated = look.setting("seq_len", to_count, f"{_ACTOR}.ppo_max_token_len_per_gpu")
        tokens = stated or default("seq_len", MOST_TOKENS, "verl actor.yaml ppo_max_token_len_per_gpu")
        return [_at_most(tokens), renamed(stated or dynamic, "micro_batch", 1), renamed(stated or dynamic, "packing", True)]
    prompt, answer = (look.setting("seq_len", to_count, f"data.max_{part}_length") for part in ("prompt", "response"))
    if prompt is None or answer is None:
        return []
    known = prompt.known and answer.known
    text = f"{prompt.text} + {answer.text}"
    whole = Setting("seq_len", prompt.value + answer.value if known else None, answer.origin, text, "known" if known else "symbolic")
    return [_at_most(whole) if on(look, f"{_MODEL}.use_remove_padding") else whole]


_ROLLOUT = "actor_rollout_ref.rollout"


def scoring(look: Lookup) -> Iterator[Setting]:
    """``log_prob_micro_batch_size_per_gpu`` sequences (the older ``log_prob_micro_batch_size`` is of all devices), unless batches are
    dynamic there (``rollout.yaml``: as the actor's are): then as many tokens as one of the actor's micro batches, or as
    ``log_prob_max_token_len_per_gpu`` says, which is not read as more."""
    own, actors = look.switch(f"{_ROLLOUT}.log_prob_use_dynamic_bsz"), look.switch(f"{_ACTOR}.use_dynamic_bsz")
    dynamic = own if own is not None else actors
    if dynamic is None or dynamic.value is not True:
        yield from _per_device(look, "scoring_batch", f"{_ROLLOUT}.log_prob_micro_batch_size", stated=True)
    elif actors is not None and actors.value is True:
        yield renamed(dynamic, "scoring_batch", 1)


def micro_batch(look: Lookup) -> Iterator[Setting]:
    """The old ``ppo_micro_batch_size`` is of all devices; ``ppo_micro_batch_size_per_gpu`` is in the key table."""
    yield from _per_device(look, "micro_batch", f"{_ACTOR}.ppo_micro_batch_size", stated=False)


def _per_device(look: Lookup, name: str, key: str, *, stated: bool) -> Iterator[Setting]:
    """``KEY_per_gpu`` where it stands (only with ``stated``), else ``KEY`` divided by the data-parallel ranks."""
    whole, own = look.setting(name, to_count, key), look.setting(name, to_count, f"{key}_per_gpu")
    if own is not None:
        yield from (own,) if stated else ()
    elif whole is not None:
        ranks = _ranks(look)
        known = whole.known and ranks is not None
        yield replace(whole, value=max(1, whole.value // ranks)) if known else replace(whole, value=None, state="symbolic")


_JOB = (("trainer.nnodes", 1), ("trainer.n_gpus_per_node", 8))
_SEQUENCE = "ulysses_sequence_parallel_size"
_MODEL_PARALLEL = tuple(f"megatron.{part}_parallel_size" for part in ("tensor_model", "pipeline_model", "context"))


def _ranks(look: Lookup) -> int | None:
    """Ranks that take other samples (0.6.1 ``workers/megatron_workers.py`` ``//= mpu.get_data_parallel_world_size()``, devices by
    tensor, pipeline and context parallelism; ``workers/fsdp_workers.py`` ``//= device_mesh.size() // ulysses_sequence_parallel_size``).
    None where a part of it is not known."""
    devices = [_count(look, default, key) for key, default in _JOB]
    if is_megatron(look, f"{_ACTOR}.strategy"):
        shared = [_count(look, 1, f"{_ACTOR}.{key}") for key in _MODEL_PARALLEL]
    else:
        shared = [_count(look, 1, f"{_ACTOR}.{_SEQUENCE}")]
    if None in devices or None in shared:
        return None
    return max(1, prod(part or 1 for part in devices) // prod(part or 1 for part in shared))


def _count(look: Lookup, otherwise: int, *keys: str) -> int | None:
    found = look.setting("", to_count, *keys)
    return otherwise if found is None else found.value if found.known else None


def _at_most(length: Setting) -> Setting:
    return replace(length, value=None, state="auto", readings=(length.value, 1)) if length.known else length


def adapter(look: Lookup, model: str) -> Iterator[Setting]:
    """Rank 0 trains the model itself (``hf_model.yaml``)."""
    rank = look.setting("lora_r", to_int, f"{model}.lora_rank", f"{model}.lora.rank")
    if rank is None:
        return
    yield renamed(rank, "adapter", "lora" if rank.value else "none")
    if rank.value or not rank.known:
        rows = (
            rank,
            look.setting("lora_alpha", to_float, f"{model}.lora_alpha", f"{model}.lora.alpha"),
            look.setting("lora_targets", to_words, f"{model}.target_modules"),
        )
        yield from (row for row in rows if row is not None)


def shard(look: Lookup, strategy: str, engine: str) -> Iterator[Setting]:
    """``strategy``: fsdp, fsdp2 or megatron; ``offload_policy`` is FSDP's own offload, which a step works from the host."""
    stated = look.setting("shard", to_text, strategy)
    if is_megatron(look, strategy):
        home = stated or _named(look)
        yield from (renamed(home, "shard", "zero1"), *_megatron(home)) if home is not None else ()
        return
    if stated is not None and (not stated.known or str(stated.value) in ("fsdp", "fsdp2")):
        yield stated
    size = look.setting("", to_int, f"{engine}.fsdp_size")
    if size is not None and size.known and size.value > 0:
        yield renamed(size, "shard_strategy", "hybrid")
        yield renamed(size, "shard_size", size.value)
    policy = look.switch(f"{engine}.offload_policy")
    if policy is not None:
        yield from (renamed(policy, name, "cpu" if policy.value else "none") for name in ("offload_params", "offload_optimizer"))
    reshard = look.switch(f"{engine}.reshard_after_forward")
    yield from (renamed(reshard, "reshard_after_forward", reshard.value),) if reshard is not None else ()
    weights = look.setting("weights_dtype", to_dtype, f"{engine}.model_dtype")
    yield from (weights,) if weights is not None else ()
    reduced = look.setting("reduce_dtype", to_dtype, f"{engine}.mixed_precision.reduce_dtype")
    yield from (reduced,) if reduced is not None else ()
    compute = look.setting("autocast", to_dtype, f"{engine}.dtype", f"{engine}.mixed_precision.param_dtype")
    yield from (renamed(compute, "autocast", compute.value if compute.value in ("bf16", "fp16") else "none"),) if compute else ()


def is_megatron(look: Lookup, strategy: str) -> bool:
    """By the strategy; else by Megatron's own block or its config (``ppo_megatron_trainer``), which brings the strategy along."""
    stated = look.setting("", to_text, strategy)
    return str(stated.value) == "megatron" if stated is not None else _named(look) is not None


def _named(look: Lookup) -> Setting | None:
    for key in ("config_name", "actor_rollout_ref.actor.megatron", "engine.tensor_model_parallel_size"):
        raw = look.raw(key)
        if raw is not None and (key != "config_name" or "megatron" in raw.text):
            return Setting("", key, raw.origin, raw.text or "megatron")
    return None


def _megatron(stated: Setting) -> Iterator[Setting]:
    rows = {"weights_dtype": "bf16", "engine_dtype": "bf16", "master_dtype": "fp32", "grads_dtype": "fp32", "autocast": "none"}
    yield from (renamed(stated, name, value) for name, value in rows.items())
    yield renamed(stated, "model_code", "megatron")


def kernels(look: Lookup, model: str) -> Iterator[Setting]:
    """``use_fused_kernels`` computes log-probabilities from the hidden states, in chunks (``models/transformers/dense_common.py``)."""
    liger, fused = look.switch(f"{model}.use_liger"), look.switch(f"{model}.use_fused_kernels")
    if liger is not None:
        own = liger_kernels(head=False) if liger.value else ()
        ends = ((*own, "cross_entropy"), own)  # with flash-attn's, or without
        yield replace(liger, name="kernels", value=None, state="auto", readings=ends) if liger.known else renamed(liger, "kernels", None)
    if fused is not None:
        yield from (renamed(fused, "loss", "fused"),) if fused.value or not fused.known else ()
    attention = look.setting("attention", _to_attention, f"{model}.override_config.attn_implementation")
    yield from (attention,) if attention is not None else ()


def _to_attention(value: Any) -> Any:
    return {"flash_attention_2": "flash", "flash_attention_3": "flash", "sdpa": "sdpa", "eager": "eager"}.get(str(value))


def optimizer(look: Lookup, optim: str, megatron: bool, misreads: list[Misread]) -> list[Setting]:
    """A class of ``optimizer_impl`` under FSDP; Megatron's word else."""
    raw = look.raw(f"{optim}.optimizer")
    if raw is None:
        return []
    home = look.setting("", to_text, f"{optim}.optimizer_impl")
    module = "" if megatron else (str(home.value) if home is not None and home.known else "torch.optim")
    return read_optimizer(raw, "verl", misreads, f"{module}.{raw.text}" if module and "$" not in raw.text else "")


def algorithm(look: Lookup) -> Iterator[Setting]:
    """``adv_estimator: gae`` trains a critic; the other estimators need none. A KL term needs the reference."""
    estimator = look.setting("task", to_text, "algorithm.adv_estimator")
    if estimator is not None and estimator.known:
        yield renamed(estimator, "task", "ppo" if estimator.value == "gae" else "grpo")
    elif estimator is not None:
        yield estimator
    for key in (f"{_ACTOR}.use_kl_loss", "algorithm.use_kl_in_reward"):
        switch = on(look, key)
        if switch is not None:
            yield renamed(switch, "reference_model", "policy")
            break
    critic = look.setting("critic_model", to_text, "critic.model.path")
    if critic is not None and (estimator is None or estimator.value == "gae"):
        yield critic
    for home in ("fsdp_config", "megatron"):
        yield from freed(look.under(f"{_ACTOR}.{home}"), _BETWEEN)
    if critic is not None:
        yield from _critic_away(look)
    scorer = look.setting("reward_model", to_text, "reward_model.model.path", "reward.reward_model.model_path")
    if scorer is not None and (on(look, "reward_model.enable") or on(look, "reward.reward_model.enable")):
        yield scorer


_BETWEEN = (("param_offload", "params"), ("optimizer_offload", "optimizer"))


def _critic_away(look: Lookup) -> Iterator[Setting]:
    """With both switches the value model is on the host while the policy trains (``CriticWorker`` of ``workers/fsdp_workers.py``)."""
    for home in ("critic.model.fsdp_config", "critic.megatron"):
        switches = [on(look, f"{home}.{key}") for key, _ in _BETWEEN]
        if switches[0] is not None and switches[1] is not None:
            yield renamed(switches[0], "critic_offload", "cpu")
            return
