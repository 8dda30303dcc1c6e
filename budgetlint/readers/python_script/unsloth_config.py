"""What Unsloth's own copies of TRL's configs and trainers fill in, and what they decide over what a script says.

Unsloth writes each of TRL's trainers and configs anew when it is imported (``UnslothSFTConfig``). Sources: unsloth 2025.2.6, 2025.9.4,
2025.11.4, 2025.11.6, 2026.4.8, 2026.5.6, 2026.5.8, 2026.6.9, 2026.7.1 and 2026.10.9 ``models/rl.py`` (``replacements``: defaults of the
config; ``eval_changes``; ``prepare_for_training_mode``), 2025.12.1, 2025.12.4 and 2026.10.9 ``trainer.py`` (``blocked``).
Models that it does not train in float16: ``FORCE_FLOAT32`` of ``models/loader.py`` in 2025.6.1
(gemma3), 2025.9.4 (gemma3n, gpt_oss), 2026.5.5 (qwen3_5) and 2026.10.9 (gemma4, glm4_moe, qwen3_moe; more in unsloth_zoo).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.documents.python_marks import UNPATCHED, is_open
from budgetlint.readers.base import default, unsettled
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.python_script import classes
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings, Stack, over

_SOURCE = "unsloth models/rl.py, its own config:"
_SINCE = "2025.2.6"
_PLAIN = {"micro_batch": (4, 8), "grad_accum": (2, 1), "eval_batch": (4, 8), "optimizer": ("adamw8bit", "adamw")}
"""Unsloth's default, and that of what it exchanges (transformers 4.45 to 5.24, TRL 0.12 to 1.16)."""
_FIELDS = {
    "micro_batch": "per_device_train_batch_size", "grad_accum": "gradient_accumulation_steps",
    "eval_batch": "per_device_eval_batch_size", "optimizer": "optim",
}  # fmt: skip
_DECAY = (0.001, 0.01, 0.0)
_DECAY_SINCE = "2026.5.8"
"""0.001 since, 0.01 up to 2026.5.6; there is no release between them."""
_GROUPS = frozenset({"grpo", "rloo"})
"""Their trainers may raise the micro batch to ``num_generations``."""
_OWN_PRECISION = "2025.7.8"
"""The config's ``bf16`` and ``fp16`` are False from this release on at the latest, not yet in 2025.6.1: the trainer then computes in the
model's dtype."""
_ARGUMENTS_DECIDE, _MODEL_DECIDES = "2025.11.6", "2026.7.1"
"""Releases in which ``for_training`` gets ``args.gradient_checkpointing``: it sets every module so. Before it turned all on; since, the
model remembers what ``get_peft_model`` was told."""
_BLOCKS = "2025.12.4"
"""SFT is not packed with a collator of the script's own or with a processor."""
_TRL_RECOMPUTES = "0.22.0"
_PADS_NOTHING = "2025.12.4"
"""Batches of SFT are made free of padding by themselves, unless something is against it (``_should_auto_padding_free``)."""


def is_loaded_by_unsloth(settings: Settings) -> bool:
    model = settings.get("model")
    return model is not None and model.origin.key.partition(".")[0] in classes.UNSLOTH


def doubted(look: Lookup, settings: Settings) -> Iterator[Setting]:
    """TRL was imported first: the config may be its own, whatever the release."""
    if UNPATCHED in (look.document.mapping or ()):
        note = "trl is imported before unsloth: its own config, or Unsloth's"
        yield from (unsettled(name, ends, note) for name, ends in _PLAIN.items() if name not in settings)
        if "weight_decay" not in settings:
            yield unsettled("weight_decay", _DECAY, note)


def config_defaults(settings: Settings, stack: Stack) -> Iterator[Setting]:
    """The defaults of TRL's config as Unsloth writes it; both where the release is not known."""
    owns = stack.at_least("unsloth", _SINCE) if is_loaded_by_unsloth(settings) else False
    if owns is False:
        return
    for name, ends in _PLAIN.items():
        note = f"{_SOURCE} {_FIELDS[name]} since {_SINCE}"
        if name == "micro_batch" and settings.value("task") in _GROUPS:
            yield Setting(name, None, Origin(OriginKind.DEFAULT, note=f"{note}, or num_generations"), "", "symbolic")
        else:
            yield default(name, ends[0], note) if owns else unsettled(name, ends, note)
    yield default("learning_rate", 5e-5, f"{_SOURCE} learning_rate") if owns else unsettled("learning_rate", (5e-5, 2e-5), _SOURCE)
    yield _weight_decay(stack, owns=owns)
    if owns and stack.at_least("unsloth", _OWN_PRECISION):
        yield _autocast(settings)
    if settings.value("task") == "sft" and stack.at_least("unsloth", _PADS_NOTHING) is not False:
        yield unsettled("padding_free", (True, False), f"unsloth trainer.py: by itself since {_PADS_NOTHING}, where nothing is against it")


def reentrant(settings: Settings) -> Iterator[Setting]:
    """``get_peft_model`` wants it (2026.4.8 ``models/llama.py``), of a vision model in one process only (``models/vision.py``); a Trainer
    that recomputes by its arguments puts transformers' default in its place up to some release of 2026."""
    if is_loaded_by_unsloth(settings) and settings.value("recompute") != "none":
        yield unsettled(
            "recompute_reentrant", (True, False), "unsloth get_peft_model: use_reentrant true; transformers' default by the trainer"
        )


def _weight_decay(stack: Stack, *, owns: bool | None) -> Setting:
    note = f"{_SOURCE} weight_decay 0.001 since {_DECAY_SINCE}, 0.01 before"
    newer = stack.at_least("unsloth", _DECAY_SINCE)
    if newer is None:
        return unsettled("weight_decay", _DECAY[:2] if owns else _DECAY, note)
    return default("weight_decay", _DECAY[0 if newer else 1], note)


def _autocast(settings: Settings) -> Setting:
    """``args.fp16 = float16; args.bf16 = not float16`` of the model's dtype; a full fine-tuning in bfloat16 casts nothing."""
    note = f"{_SOURCE} bf16 and fp16 are off; the trainer takes the model's dtype"
    adapter, dtype = settings.get("adapter"), settings.get("weights_dtype")
    if adapter is None or not adapter.known or adapter.value == "none":
        return unsettled("autocast", ("bf16", "none"), note)
    if dtype is not None and dtype.known and dtype.value in ("bf16", "fp16"):
        return default("autocast", dtype.value, note)
    return unsettled("autocast", ("bf16", "fp16"), note)


_NO_HALF = expression(r"gemma3|gemma4|gptoss|qwen35|qwen3\d+ba\d+b|qwen3moe|glm4")
"""In names of models without what stands between letters and digits. What the list holds, each release of two packages says: open."""
_BETWEEN = expression(r"[^a-z0-9]+")


def _in_half(settings: Settings) -> Settings:
    """Asked for float16, some models are loaded in bfloat16 and trained without autocast, but in full fine-tuning (``force_float32``)."""
    model = settings.get("model")
    if model is None or not is_loaded_by_unsloth(settings) or settings.value("adapter") == "none":
        return settings
    if not _NO_HALF.search(_BETWEEN.sub("", str(model.value if model.known else model.text).lower())):
        return settings
    for name, instead in (("autocast", "none"), ("weights_dtype", "bf16")):
        found = settings.get(name)
        if found is not None and found.known and found.value == "fp16":
            settings = settings.having(replace(found, value=None, state="auto", readings=(instead, "fp16")))
    return settings


def decided(settings: Settings, stack: Stack) -> Settings:
    """What the exchanged trainers change of what is written."""
    settings = _in_half(settings)
    if not is_loaded_by_unsloth(settings) or "task" not in settings or stack.at_least("unsloth", _SINCE) is False:
        return _as_written(settings)
    return _packing(_evaluation(_checkpointing(settings, stack), stack), stack)


def _evaluation(settings: Settings, stack: Stack) -> Settings:
    batch, micro = settings.get("eval_batch"), settings.get("micro_batch")
    lowered = batch is not None and not batch.is_default and batch.value == 8 and micro is not None and micro.known and micro.value < 8
    if batch is None or micro is None or not lowered or not settings.value("eval_on"):
        return settings
    note = "unsloth models/rl.py: an evaluation batch of 8 is lowered to the micro batch"
    if stack.at_least("unsloth", _SINCE) is None:
        return settings.having(replace(batch, value=None, state="auto", readings=(micro.value, 8)))
    return settings.having(over(Setting("eval_batch", micro.value, Origin(OriginKind.DERIVED, note=note), str(micro.value)), batch))


# recomputation


def _checkpointing(settings: Settings, stack: Stack) -> Settings:
    told = settings.get("recompute")
    if told is None or not told.known or told.origin.key.partition(".")[0] != "get_peft_model":
        return settings
    begun, over_again = stack.at_least("unsloth", _ARGUMENTS_DECIDE), stack.at_least("unsloth", _MODEL_DECIDES)
    if begun is False or over_again:
        return settings
    args = next((one for one in told.overrode if one.known), None)
    if begun is None or over_again is None:
        return settings if args is None or args.value != "none" else settings.having(_either(told))
    if args is not None:
        return _as_said(settings, over(args, replace(told, overrode=())))
    return _as_default(settings, told, stack.at_least("trl", _TRL_RECOMPUTES))


def _as_default(settings: Settings, told: Setting, recomputes: bool | None) -> Settings:
    if recomputes:
        return settings
    if recomputes is None:
        return settings.having(_either(told))
    note = f"TRL config gradient_checkpointing: off before {_TRL_RECOMPUTES}, which Unsloth sets in every module"
    return _as_said(settings, over(default("recompute", "none", note), told))


def _either(told: Setting) -> Setting:
    return replace(told, value=None, state="auto", readings=("full", "none"))


def _as_said(settings: Settings, said: Setting) -> Settings:
    """Nothing is moved to the host where nothing is recomputed."""
    kept = settings.having(said)
    return kept if said.value != "none" else Settings(one for one in kept.values() if one.name != "recompute_offload")


# packing

_COLLATOR = "a collator or a processor is given to the trainer"
_MAYBE = "the trainer may be given a collator or a processor"


def unpacked(look: Lookup, trainer: str, packing: Setting | None) -> Setting | None:
    """The packing of a trainer of Unsloth's with both its readings, until the release is known; None where nothing speaks against it."""
    if trainer != "SFTTrainer" or packing is None or not packing.known or packing.value is not True:
        return None
    section = next((name for name, _ in classes.sections(look.document) if name in classes.UNSLOTH), "")
    block = classes.block(look.document, trainer)
    if not section or block is None:
        return None
    given = block.get("data_collator")
    unsure = classes.is_partial(block) or is_open(given) or section == "FastVisionModel"
    surely = given is not None and not is_open(given) and classes.is_given(given)
    if not (surely or unsure):
        return None
    note = _COLLATOR if surely else _MAYBE
    return replace(packing, value=None, state="auto", readings=(False, True), origin=replace(packing.origin, note=note))


def _is_collators(one: Setting) -> bool:
    return one.name == "packing" and one.origin.note in (_COLLATOR, _MAYBE)


def _as_written(settings: Settings) -> Settings:
    return Settings(replace(one, value=True, state="known", readings=()) if _is_collators(one) else one for one in settings.values())


def _packing(settings: Settings, stack: Stack) -> Settings:
    found = settings.get("packing")
    if found is None or not _is_collators(found):
        return settings
    blocks = stack.at_least("unsloth", _BLOCKS)
    if blocks is False:
        return _as_written(settings)
    if blocks and found.origin.note == _COLLATOR:
        return settings.having(replace(found, value=False, state="known", readings=()))
    return settings
