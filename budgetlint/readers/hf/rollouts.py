"""What a TRL trainer generates, and with what: GRPO and RLOO.

Sources: TRL ``trainer/grpo_config.py``, ``rloo_config.py``, ``grpo_trainer.py``, wheels 0.14.0 to 1.16.0. Bounds: generation for several
steps (``steps_per_generation``) and vLLM on the training devices (``vllm_mode``) 0.18.0, there by default 1.0.0; no reference by
default (``beta``) 0.19.0; prompts not cut 0.26.0; 512 tokens of a completion instead of 256 1.10.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.readers.base import default, to_count, to_float, to_text
from budgetlint.readers.hf.defaults import by_version
from budgetlint.readers.hf.length import UNBOUNDED
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings, Stack

COMPLETIONS = (512, 256)
PROMPT = 512


def read_rollouts(look: Lookup) -> Iterator[Setting]:
    """The fields of ``GRPOConfig`` that say what stands on the device; the caller knows that it is one."""
    yield from _present(
        look.setting("completion_len", to_count, "max_completion_length"),
        look.setting("rollout_memory", to_float, "vllm_gpu_memory_utilization"),
        look.setting("rollout_tensor_parallel", to_count, "vllm_tensor_parallel_size"),
        _renamed(look.switch("vllm_enable_sleep_mode"), "rollout_sleeps"),
        _renamed(look.switch("ds3_gather_for_generation"), "rollout_gathers"),
        _generated(look),
    )
    yield from _engine(look)
    yield from _reference(look)
    yield from _length(look)
    liger = look.switch("use_liger_loss")
    if liger is not None and (liger.value or not liger.known):
        yield renamed(liger, "loss", "fused")


def _length(look: Lookup) -> Iterator[Setting]:
    """Prompt and completion apart (`read_length` has both where both are written); without a bound on the prompt vLLM has one."""
    prompt = look.setting("seq_len", to_count, "max_prompt_length")
    written = look.has("max_completion_length")
    if prompt is not None and not written:
        both = prompt.value + COMPLETIONS[1] if prompt.known else None
        yield replace(prompt, value=both, text=f"{prompt.text} + {COMPLETIONS[1]}")
    used = look.switch("use_vllm")
    if prompt is None and used is not None and used.value:
        yield from _present(look.setting("seq_len", to_count, "vllm_max_model_length", "vllm_max_model_len"))


def at_most(longest: Setting, completion: int | None) -> Setting:
    """A length that says how long sequences are and cuts none of them: the low end is a completion of 256 tokens, or the longest."""
    if not longest.known:
        return longest
    return replace(longest, value=None, state="auto", readings=(longest.value, min(longest.value, (completion or COMPLETIONS[1]) + 1)))


RLOO_TRAINER = "RLOOTrainer"


def read_ppo(look: Lookup) -> Iterator[Setting]:
    """TRL's PPO starts value and reward model from one checkpoint (0.24 ``examples/scripts/ppo/ppo.py``); RLOO, of whose fields one is
    ``rloo_k``, has no value model (0.19.1 ``trainer/rloo_trainer.py``: policy, reference and reward model)."""
    yield from _present(look.setting("reward_model", to_text, "reward_model_path"))
    alone = look.raw("rloo_k")
    if alone is not None:
        yield Setting("critic_model", "none", alone.origin, alone.text)
    else:
        yield from _present(look.setting("critic_model", to_text, "reward_model_path"))


def ppo_defaults(settings: Settings) -> Iterator[Setting]:
    """TRL 0.24 ``ppo_trainer.py``: policy and value model in one module, and a reference of the policy's size."""
    task = settings.get("task")
    if task is not None and RLOO_TRAINER in task.origin.note:
        yield default("critic_model", "none", f"TRL {RLOO_TRAINER}: no value model")
    yield default("rollout_engine", "hf", "TRL PPOTrainer: batch_generation")
    yield default("critic_update", "together", "TRL PPOTrainer: PolicyAndValueWrapper")
    yield default("reference_model", "policy", "TRL PPOTrainer: create_reference_model")
    micro, accum = settings.value("micro_batch", 8), settings.value("grad_accum", 1)
    yield default("rollout_batch", min(64, micro * accum), "TRL PPOConfig.local_rollout_forward_batch_size: 64 of the local batch")


def _present(*settings: Setting | None) -> Iterator[Setting]:
    return (setting for setting in settings if setting is not None)


def _renamed(switch: Setting | None, name: str) -> Setting | None:
    return renamed(switch, name, switch.value) if switch is not None else None


def _engine(look: Lookup) -> Iterator[Setting]:
    used = look.switch("use_vllm")
    if used is not None:
        yield renamed(used, "rollout_engine", "vllm" if used.value else "hf")
    mode = look.raw("vllm_mode")
    if mode is not None and mode.text in ("server", "colocate"):
        yield Setting("rollout_on", "other" if mode.text == "server" else "same", mode.origin, mode.text)
    elif mode is None:
        yield from _own_device(look)


def _own_device(look: Lookup) -> Iterator[Setting]:
    """``vllm_device`` until 0.15: ``auto`` is the device after the last that trains, and the only one where there is one
    (0.15.2 ``grpo_trainer.py``)."""
    device = look.raw("vllm_device")
    if device is not None and device.text == "auto":
        yield Setting("rollout_on", None, device.origin, "auto", "auto", readings=("other", "same"))
    elif device is not None and device.text.startswith("cuda"):
        yield Setting("rollout_on", "same" if device.text in ("cuda", "cuda:0") else "other", device.origin, device.text)


def _reference(look: Lookup) -> Iterator[Setting]:
    """A KL term needs the reference; with ``beta: 0`` it is never loaded."""
    beta = look.setting("reference_model", to_float, "beta")
    if beta is not None:
        yield renamed(beta, "reference_model", "policy" if beta.value else "none")


def _generated(look: Lookup) -> Setting | None:
    """``steps_per_generation`` micro batches at a time. What ``generation_batch_size`` leaves to one device hangs on their number."""
    steps, micro = look.setting("", to_count, "steps_per_generation"), look.setting("", to_count, "per_device_train_batch_size")
    if steps is not None:
        known = steps.known and (micro is None or micro.known)
        each = 8 if micro is None else micro.value
        return Setting("rollout_batch", steps.value * each if known else None, steps.origin, steps.text, "known" if known else "symbolic")
    whole = look.setting("rollout_batch", to_count, "generation_batch_size")
    return None if whole is None else Setting("rollout_batch", None, whole.origin, whole.text, "symbolic")


# -- defaults ------------------------------------------------------------------------------------------------------------


def rollout_defaults(settings: Settings, stack: Stack) -> Iterator[Setting]:
    """What the config fills in where nothing is written."""
    yield default("rollout_engine", "hf", "TRL GRPOConfig.use_vllm: false")
    yield by_version("rollout_on", stack.at_least("trl", "1.0.0"), ("same", "other"), "TRL GRPOConfig.vllm_mode: colocate from 1.0.0")
    yield from _share(stack)
    yield default("rollout_sleeps", False, "TRL GRPOConfig.vllm_enable_sleep_mode")
    yield default("rollout_gathers", True, "TRL GRPOConfig.ds3_gather_for_generation")
    note = "TRL GRPOConfig.beta: 0.0 from 0.19.0, 0.04 before"
    yield by_version("reference_model", stack.at_least("trl", "0.19.0"), ("none", "policy"), note)
    yield from _batch(settings, stack)
    yield from _lengths(settings, stack)


def _share(stack: Stack) -> Iterator[Setting]:
    """``vllm_gpu_memory_utilization`` (0.14.0, 0.15.2, 0.16.1, 0.17.0, 0.18.0 ``grpo_config.py``): 0.9 of the engine's own device, then
    None and deprecated while vLLM was a server elsewhere, then 0.3 of a device that also trains. An unknown release counts as new."""
    if stack.at_least("trl", "0.16.0") is False:
        yield default("rollout_memory", 0.9, "TRL GRPOConfig.vllm_gpu_memory_utilization: 0.9 before 0.16.0")
    elif stack.at_least("trl", "0.18.0") is not False:
        yield default("rollout_memory", 0.3, "TRL GRPOConfig.vllm_gpu_memory_utilization: 0.3 from 0.18.0")


def _batch(settings: Settings, stack: Stack) -> Iterator[Setting]:
    micro, accum = settings.value("micro_batch", None if "micro_batch" in settings else 8), settings.value("grad_accum", 1)
    if micro is not None and accum is not None:
        note = "TRL GRPOConfig.steps_per_generation: gradient_accumulation_steps micro batches from 0.18.0, one before"
        yield by_version("rollout_batch", stack.at_least("trl", "0.18.0"), (micro * accum, micro), note)


def _lengths(settings: Settings, stack: Stack) -> Iterator[Setting]:
    """Without ``max_prompt_length`` prompts are cut at 512 tokens before 0.26.0, nowhere since."""
    longer, uncut = stack.at_least("trl", "1.10.0"), stack.at_least("trl", "0.26.0")
    yield by_version("completion_len", longer, COMPLETIONS, "TRL GRPOConfig.max_completion_length: 512 from 1.10.0, 256 before")
    written = settings.get("completion_len")
    if written is not None and not written.known:
        return
    note = "TRL GRPOConfig.max_prompt_length: 512 before 0.26.0; prompts are not cut since"
    if uncut:
        yield Setting("seq_len", None, Origin(OriginKind.DEFAULT, note=note), "null", UNBOUNDED)
        return
    lengths = (None, PROMPT + (written.value if written is not None else COMPLETIONS[1]))
    yield by_version("seq_len", None if uncut is None else False, lengths, note)
