"""LLaMA-Factory's PPO: a value head on the policy, rewards from an adapter of the same base.

Source: llamafactory 0.9.4 ``train/ppo/trainer.py`` (``get_inputs`` generates a micro batch at a time), ``hparams/generating_args.py``
(``max_new_tokens``), ``hparams/finetuning_args.py`` (``reward_model_type``), ``train/trainer_utils.py`` ``create_ref_model``.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.readers.base import default, to_count, to_text
from budgetlint.readers.derived import derived
from budgetlint.readers.lookup import Lookup, renamed
from budgetlint.settings.run import Setting, Settings

_WRITTEN = 1024


def ppo_settings(look: Lookup) -> Iterator[Setting]:
    """``cutoff_len`` cuts prompts; ``max_new_tokens`` come after them."""
    stage = look.raw("stage")
    if stage is None or stage.text != "ppo":
        return
    prompt, written = look.setting("seq_len", to_count, "cutoff_len"), look.setting("seq_len", to_count, "max_new_tokens")
    if prompt is not None and prompt.known and (written is None or written.known):
        more = _WRITTEN if written is None else written.value
        yield Setting("seq_len", prompt.value + more, prompt.origin, f"{prompt.text} + {more}")
    kind = look.setting("reward_model", to_text, "reward_model_type")
    named = look.setting("reward_model", to_text, "reward_model")
    if kind is not None and kind.value == "full" and named is not None:
        yield named
    reference = look.setting("reference_model", to_text, "ref_model")
    tuned = look.setting("", to_text, "finetuning_type")
    if reference is not None:
        yield reference
    elif tuned is not None and tuned.value in ("full", "freeze"):
        yield renamed(tuned, "reference_model", "policy")


def ppo_defaults(settings: Settings) -> Iterator[Setting]:
    if settings.value("task") == "ppo":
        source = "llamafactory train/ppo/trainer.py: "
        yield default("critic_model", "none", source + "a value head on the policy")
        yield default("rollout_engine", "hf", source + "generate of the policy")
        yield derived("rollout_batch", settings.value("micro_batch", 8), source + "mini_batch_size", settings.get("micro_batch"))
