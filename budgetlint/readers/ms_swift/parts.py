"""What several keys of ms-swift decide together.

Sources: ms_swift 4.6.0 ``arguments/base_args/model_args.py`` ``_init_mixed_precision`` (a bf16 model computes under bf16, an fp16 or
fp32 one under fp16), ``base_args/quant_args.py``, ``pipelines/train/tuner.py`` (full tuning keeps the loaded
dtype), ``arguments/rlhf_args.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from budgetlint.base.record import replace
from budgetlint.readers.base import Unreadable, default, read_keys, to_count, to_float, to_int, to_text, unsettled
from budgetlint.readers.derived import derived
from budgetlint.readers.hf.precision import read_autocast
from budgetlint.readers.hf.rollouts import ppo_defaults
from budgetlint.readers.lookup import Lookup, freed, renamed
from budgetlint.readers.ms_swift.keys import LORA, to_own_dtype, to_task, to_weights
from budgetlint.settings.run import Setting, Settings, Stack

_TUNERS = ("tuner_type", "train_type", "sft_type")
_PLAIN_LORA = ("lora", "qlora")
_ALIKE = ("longlora", "adalora", "unsloth")
"""Tuners that are LoRA in what they keep; anything else is an adapter of its own."""


def tuner(look: Lookup) -> Iterator[Setting]:
    stated = look.setting("adapter", to_text, *_TUNERS)
    word = str(stated.value).lower() if stated is not None and stated.known else "" if stated is not None else "lora"
    if stated is not None:
        kind = "none" if word == "full" else "lora" if word in (*_PLAIN_LORA, *_ALIKE) else "other"
        yield renamed(stated, "adapter", kind)
        if kind == "other":
            yield renamed(stated, "adapter_kind", word)
    if word in ("", *_PLAIN_LORA, *_ALIKE):
        settings, wrong = read_keys(look.document, look.loader, LORA, look.prefix)
        look.misreads.extend(wrong)
        yield from settings
        if _is_second(look) and all(setting.name != "lora_targets" for setting in settings):
            yield default("lora_targets", ATTENTION, "ms-swift 2.x lora_target_modules: DEFAULT, the attention of the model")


_SECOND = ("sft_type", "model_id_or_path", "lora_target_modules", "lora_dropout_p", "quantization_bit", "dtype")
"""Names that ms-swift 3.0 gave up. ``use_flash_attn`` is none: ``megatron sft`` takes it still."""
ATTENTION = ("q_proj", "k_proj", "v_proj", "qkv_proj", "query_key_value", "c_attn", "W_pack", "wqkv")


def _is_second(look: Lookup) -> bool:
    return look.has(*_SECOND)


def second_length(look: Lookup) -> Iterator[Setting]:
    """2.x cut at 2048 tokens where nothing was said; later versions keep the model's own limit."""
    if _is_second(look) and not look.has("max_length"):
        yield default("seq_len", 2048, "ms-swift 2.x max_length")


def settle(settings: Settings, _stack: Stack) -> Settings:
    """GRPO cuts prompts at ``max_length`` and writes ``max_completion_length`` tokens (512 unless said): a bound, no length."""
    prompt = settings.get("seq_len")
    if settings.value("task") != "grpo" or prompt is None or not prompt.known or prompt.origin.key != "max_length":
        return settings
    most = prompt.value + (settings.value("completion_len") or 512)
    bounded = replace(prompt, value=None, state="auto", readings=(most, 1))
    return Settings(bounded if setting is prompt else setting for setting in settings.values())


def precision(look: Lookup) -> list[Setting]:
    """``bf16`` and ``fp16`` where they are written, else what follows from the dtype of the weights."""
    stated = read_autocast(look, bf16_by_default=True)
    weights = look.setting("weights_dtype", to_weights, "torch_dtype", "dtype")
    if stated or weights is None or not weights.known or weights.value == "auto":
        return stated
    return [renamed(weights, "autocast", "bf16" if weights.value == "bf16" else "fp16")]


def _to_kind(value: Any) -> str:
    word = str(to_text(value)).lower()
    if word not in ("nf4", "fp4"):
        raise Unreadable(f"'{value}' is no 4-bit type", "write nf4 or fp4")
    return word


def quant(look: Lookup) -> Iterator[Setting]:
    bits = look.setting("quant", to_int, "quant_bits", "quantization_bit")
    method = look.setting("", to_text, "quant_method")
    if bits is None or not bits.value:
        return
    if method is not None and str(method.value).lower() != "bnb":
        yield (
            renamed(bits, "quant", "int8")
            if bits.value == 8
            else Setting("quant", None, bits.origin, f"{method.text} {bits.text}", "symbolic")
        )
        return
    kind = look.setting("quant", _to_kind, "bnb_4bit_quant_type")
    if bits.known and bits.value not in (4, 8):  # bitsandbytes has no other
        yield Setting("quant", None, bits.origin, bits.text, "symbolic")
        return
    yield renamed(bits, "quant", "int8" if bits.value == 8 else str(kind.value) if kind and kind.known else "nf4")
    rows = (
        look.setting("quant_double", look.flag, "bnb_4bit_use_double_quant"),
        look.setting("quant_compute_dtype", to_own_dtype, "bnb_4bit_compute_dtype", "bnb_4bit_comp_dtype"),
    )
    yield from (row for row in rows if row is not None)


def evaluation(look: Lookup) -> Iterator[Setting]:
    """Evaluation needs data: a split, or a set of its own (``sft_args.py``)."""
    split = look.raw("split_dataset_ratio", "dataset_test_ratio")
    if split is not None and split.value in (0, 0.0, "0", "0.0", "0.") and not look.has("val_dataset"):
        yield Setting("eval_on", False, split.origin, split.text)


_GRPO = ("reward_funcs", "num_generations", "num_iterations", "steps_per_generation", "generation_batch_size")
"""Fields of ``GRPOArguments`` alone (3.6.0 ``llm/argument/rlhf_args.py``): a file may leave ``rlhf_type`` to the command."""


def rlhf(look: Lookup) -> Iterator[Setting]:
    """The method, the models beside the policy, the rollouts. Each may stand in another file than the others."""
    method = look.setting("task", to_task, "rlhf_type")
    if method is not None:
        yield method
    elif (told := look.raw(*_GRPO)) is not None:
        yield Setting("task", "grpo", told.origin, told.path)
    named = look.setting("reference_model", to_text, "ref_model")
    if named is not None:
        yield named
    elif _without_kl(look) and (method is None or method.value == "grpo"):
        beta = look.setting("reference_model", to_float, "beta")
        yield from (renamed(beta, "reference_model", "none"),) if beta is not None else ()
    yield from _rollouts(look)
    keeps = look.switch("use_logits_to_keep")
    if keeps is not None and keeps.value is False:
        yield renamed(keeps, "loss", "full")


def reference(settings: Settings) -> Iterator[Setting]:
    """3.6.0 ``rlhf_args.py`` ``_init_rlhf``: full tuning gets a frozen copy, an adapter is switched off instead."""
    task = settings.get("task")
    if task is not None and task.value in ("dpo", "kto", "ppo", "grpo") and settings.value("adapter") == "none":
        yield derived("reference_model", "policy", "ms-swift arguments/rlhf_args.py: train_type full", task)


def critic(settings: Settings) -> Iterator[Setting]:
    """3.5.3 ``llm/train/rlhf.py`` and TRL's PPO: the value model starts as the (first) reward model, the policy generates by itself."""
    if settings.value("task") != "ppo":
        return
    scorer = settings.get("reward_model")
    if scorer is not None:
        yield renamed(scorer, "critic_model", scorer.value)
    yield from ppo_defaults(settings)


def logits(settings: Settings, stack: Stack) -> Iterator[Setting]:
    """``use_logits_to_keep`` is on by default for text models (3.5.3 to 4.6.0 ``trainers/mixin.py`` get_use_logits_to_keep): tokens
    without a label, prompts and padding, make no logits. How many have one hangs on the data."""
    supervised = settings.value("task", "sft") in ("sft", "dpo") and "loss" not in settings
    fused = "linear_cross_entropy" in (settings.value("kernels") or ())
    if supervised and not fused and stack.at_least("ms-swift", "3.5") is not False:
        yield unsettled("loss", ("fused", "full"), "ms-swift trainers/mixin.py use_logits_to_keep: only tokens with a label make logits")


def _without_kl(look: Lookup) -> bool:
    beta = look.setting("", to_float, "beta")
    return beta is not None and beta.known and not beta.value


def _rollouts(look: Lookup) -> Iterator[Setting]:
    """3.5.3 ``llm/argument/rlhf_args.py`` sets ``vllm_mode: server`` where ``vllm_server_host`` is given; from 4.0 the mode is required.
    4.0.0 ``rlhf_trainers/args_mixin.py``: a server is on other devices, the older ``num_infer_workers`` too; ``sleep_level`` and the
    two ``offload_`` switches make room while the other side works (``grpo_trainer.py`` offload_context)."""
    engine, mode = look.switch("use_vllm"), look.setting("", to_text, "vllm_mode")
    if engine is not None:
        yield renamed(engine, "rollout_engine", "vllm" if engine.value else "hf")
    if mode is not None and mode.value in ("server", "colocate"):
        yield renamed(mode, "rollout_on", "other" if mode.value == "server" else "same")
    elif mode is None and (host := look.raw("vllm_server_host")) is not None and host.text.lower() not in ("", "none", "null"):
        yield Setting("rollout_on", "other", host.origin, host.text)
    level = look.setting("rollout_sleeps", to_int, "sleep_level")
    if level is not None:
        yield renamed(level, "rollout_sleeps", bool(level.value))
    yield from freed(look, (("offload_model", "params"), ("offload_optimizer", "optimizer")))
    gathers = look.switch("ds3_gather_for_generation")
    if gathers is not None:
        yield renamed(gathers, "rollout_gathers", gathers.value)
    written = look.setting("completion_len", to_count, "max_completion_length")
    yield from (written,) if written is not None else ()
    steps = look.setting("", to_count, "steps_per_generation")
    micro = look.setting("", to_count, "per_device_train_batch_size")
    if steps is not None and steps.known and (micro is None or micro.known):
        yield renamed(steps, "rollout_batch", steps.value * (micro.value if micro is not None else 1))
