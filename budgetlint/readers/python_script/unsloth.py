"""What Unsloth puts in the place of what TRL and transformers do: the length of a trainer, and the loss by version.

Since which releases stands in the manifest beside this. Sources of how: Unsloth 2025.6.1 ``models/rl.py`` ("if args_max_seq_length is None
and model_max_seq_length is not None: args.max_seq_length = model.max_seq_length"; a longer one is reduced to the model's); 2024.8
``models/llama.py`` (the forward cuts longer rows at the model's length).
"""

from __future__ import annotations

from budgetlint.frameworks import patch
from budgetlint.readers.base import to_count
from budgetlint.readers.derived import patched
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.python_script import classes
from budgetlint.settings.run import Setting, Settings, Stack, over


def with_models_length(settings: Settings, top: Lookup, trainer: str) -> Settings:
    """``max_seq_length`` of ``from_pretrained`` where the trainer has no length, or a longer one."""
    if trainer not in classes.TRL_TRAINERS:
        return settings
    section = next((name for name, _ in classes.sections(top.document) if name in classes.UNSLOTH), "")
    models = top.setting("seq_len", to_count, f"{section}.max_seq_length") if section else None
    own = settings.get("seq_len")
    if models is None or (own is not None and not (own.known and models.known and own.value > models.value)):
        return settings
    return Settings([*(one for one in settings.values() if one is not own), over(models, own) if own is not None else models])


def settled(settings: Settings, stack: Stack) -> Settings:
    """The loss, and the length, where the version is known."""
    return _length_of_old(patched(settings, stack, patch("unsloth", "loss")), stack)


def _length_of_old(settings: Settings, stack: Stack) -> Settings:
    """A release that does not patch the trainers leaves a length that nobody gave them to TRL's default."""
    length, since = settings.get("seq_len"), patch("unsloth", "seq_len").since
    if length is None or length.overrode or stack.at_least("unsloth", since) is not False or not _of_model(length):
        return settings
    return Settings(one for one in settings.values() if one is not length)


def _of_model(length: Setting) -> bool:
    """Said to ``from_pretrained``, to no trainer."""
    return length.origin.key.rpartition(".")[0] in classes.UNSLOTH
