"""What Unsloth puts in the place of what TRL and transformers do: the length of a trainer, and the loss by version.

Sources: Unsloth 2025.6.1 ``models/rl.py`` (written into each TRL trainer: "if args_max_seq_length is None and model_max_seq_length is not
None: args.max_seq_length = model.max_seq_length"; a longer one is reduced to the model's), in `PATCHED` too, not in the release before;
2024.8 ``models/llama.py`` (the forward cuts longer rows at the model's length); 2024.8 to 2024.11.7 ``kernels/cross_entropy_loss.py`` (the
backward writes the gradient over the logits, which ``models/llama.py`` keeps in the model's dtype); since `FUSED_SINCE` the head and the
loss are one.
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.readers.base import to_count
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.python_script import classes
from budgetlint.readers.python_script.spans import FUSED
from budgetlint.settings.run import Setting, Settings, Stack, over

FUSED_SINCE, PATCHED = "2024.11.8", "2025.2.6"


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
    return _length_of_old(_loss(settings, stack), stack)


def _loss(settings: Settings, stack: Stack) -> Settings:
    loss, newer = settings.get("loss"), stack.at_least("unsloth", FUSED_SINCE)
    if loss is None or newer is None or loss.origin.note != FUSED or loss.known:
        return settings
    chosen: Setting = replace(loss, value="fused" if newer else "in-place", state="known", readings=())
    return Settings(chosen if one is loss else one for one in settings.values())


def _length_of_old(settings: Settings, stack: Stack) -> Settings:
    """A release that does not patch the trainers leaves a length that nobody gave them to TRL's default."""
    length = settings.get("seq_len")
    if length is None or length.overrode or stack.at_least("unsloth", PATCHED) is not False or not _of_model(length):
        return settings
    return Settings(one for one in settings.values() if one is not length)


def _of_model(length: Setting) -> bool:
    """Said to ``from_pretrained``, to no trainer."""
    return length.origin.key.rpartition(".")[0] in classes.UNSLOTH
