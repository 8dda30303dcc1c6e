"""What Unsloth puts in the place of what TRL, PEFT and transformers do: the length of a trainer, the tables among the targets of an
adapter, and the loss by version.

Since which releases stands in the manifest beside this. Sources of how: Unsloth 2025.6.1 ``models/rl.py`` ("if args_max_seq_length is None
and model_max_seq_length is not None: args.max_seq_length = model.max_seq_length"; a longer one is reduced to the model's); 2024.8
``models/llama.py`` (the forward cuts longer rows at the model's length). Tables: 2024.8, 2025.3.19, 2026.2.1, 2026.8.20 and 2026.10.9
``models/llama.py`` get_peft_model take them out of ``target_modules`` and train them in full; 2026.3.1 to 2026.8.19 adapt them.
"""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.frameworks import patch
from budgetlint.readers.base import to_count
from budgetlint.readers.derived import patched
from budgetlint.readers.hf.length import UNBOUNDED
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.python_script import classes, unsloth_config
from budgetlint.settings.run import Setting, Settings, Stack, over


def with_models_length(settings: Settings, top: Lookup, trainer: str) -> Settings:
    """``max_seq_length`` of ``from_pretrained`` where the trainer has no length, or a longer one."""
    if trainer not in classes.TRL_TRAINERS:
        return settings
    section = next((name for name, _ in classes.sections(top.document) if name in classes.UNSLOTH), "")
    models = top.setting("seq_len", to_count, f"{section}.max_seq_length") if section else None
    own = settings.get("seq_len")
    if trainer == "SFTTrainer" and section in _LANGUAGE and own is not None and own.known and own.origin.key.endswith(".max_length"):
        models = models or _by_default(top, section)
        return settings if models is not None and models.known and models.value == own.value else settings.having(_either(own, models))
    if trainer == "SFTTrainer" and section in _LANGUAGE and (own is None or own.state == UNBOUNDED):
        models = models or _by_default(top, section)
    elif models is None or (own is not None and not (own.known and models.known and own.value > models.value)):
        return settings
    if models is None:
        return settings
    return Settings([*(one for one in settings.values() if one is not own), over(models, own) if own is not None else models])


_EITHER = "unsloth models/rl.py: max_length of SFTConfig gives way to the model's max_seq_length"
_HEEDED = ("2026.7.1", "2026.10.9")
"""A release up to which every one that was read puts the model's length in the place of any ``max_length`` of SFT's
(2025.6.1, 2025.9.4, 2026.5.5, 2026.5.6,
2026.5.8, 2026.6.9 and 2026.7.1: "args.max_length = args.max_seq_length", which is the model's), and the first that takes the shorter of
the two (``_unsloth_explicit_max_length``)."""


def _either(own: Setting, models: Setting | None) -> Setting:
    """One or the other, until the release is known; nobody knows which where the model's is not."""
    origin = replace(own.origin, note=_EITHER)
    if models is None or not models.known:
        return replace(own, value=None, state="symbolic", origin=origin, overrode=(own,))
    return replace(own, value=None, state="auto", readings=(models.value, own.value), origin=origin, overrode=(own, models))


def _of_either(settings: Settings, stack: Stack) -> Settings:
    found = settings.get("seq_len")
    if found is None or found.origin.note != _EITHER:
        return settings
    own, *rest = found.overrode
    models, (last, heeded) = rest[0] if rest else None, _HEEDED
    replaced = stack.at_least("unsloth", patch("unsloth", "seq_len").since)
    if models is None:
        return settings.having(own) if replaced is False else settings
    if own.value > models.value or (replaced and stack.at_least("unsloth", last) is False):
        return settings.having(over(models, own))
    return settings.having(own) if replaced is False or stack.at_least("unsloth", heeded) else settings


_LANGUAGE = ("FastLanguageModel", "FastModel")
_LENGTH = 2048
"""Unsloth 2025.6.1, 2025.9.4, 2026.5.5 and 2026.10.9 ``models/loader.py`` from_pretrained; the same releases' ``models/rl.py``
("max_length_check") give SFT the model's length where its own is None, as the config of Unsloth has it."""


def _by_default(top: Lookup, section: str) -> Setting | None:
    block = classes.block(top.document, section)
    entry = top.document.entry(section)
    if block is None or entry is None or classes.is_partial(block) or block.get("max_seq_length") is not None:
        return None
    first = next(iter(top.under(section).raws("model_name", "0", "pretrained_model_name_or_path")), None)
    if first is None:
        return None
    origin = replace(first.origin, key=f"{section}.max_seq_length", note="unsloth from_pretrained: max_seq_length 2048")
    return Setting("seq_len", _LENGTH, origin, str(_LENGTH))


TABLES = ("embed_tokens", "lm_head")
MOVED = "unsloth get_peft_model: tables among the targets train in full"
_ADAPTED, _MOVED_AGAIN = "2026.3.1", "2026.8.20"


def with_saved_tables(settings: list[Setting]) -> list[Setting]:
    """An adapter's settings as Unsloth makes them: tables that a list names as targets are saved modules; a text is one pattern, which
    stays as it is."""
    by_name = {setting.name: setting for setting in settings}
    targets, saved = by_name.get("lora_targets"), by_name.get("lora_modules_to_save")
    if targets is None or not targets.known or (saved is not None and not saved.known):
        return settings
    moved = tuple(name for name in targets.value if name.rpartition(".")[2] in TABLES)
    if not moved:
        return settings
    kept = tuple(name for name in targets.value if name not in moved)
    every = tuple(dict.fromkeys((*(saved.value if saved is not None else ()), *moved)))
    by_name["lora_targets"] = over(_told(targets, "lora_targets", kept), targets)
    by_name["lora_modules_to_save"] = over(_told(targets, "lora_modules_to_save", every), saved)
    return list(by_name.values())


def _told(targets: Setting, name: str, value: tuple[str, ...]) -> Setting:
    return Setting(name, value, replace(targets.origin, note=MOVED), ", ".join(value))


def settled(settings: Settings, stack: Stack) -> Settings:
    """The loss, the tables, the length and what its trainers decide, where the version is known."""
    known = _length_of_old(_of_either(_tables(patched(settings, stack, patch("unsloth", "loss")), stack), stack), stack)
    return unsloth_config.decided(known, stack)


def _tables(settings: Settings, stack: Stack) -> Settings:
    """For half a year tables among the targets had adapters, as PEFT gives them."""
    if not (stack.at_least("unsloth", _ADAPTED) and stack.at_least("unsloth", _MOVED_AGAIN) is False):
        return settings
    as_written = ((one, one.overrode) for one in settings.values() if one.origin.note == MOVED)
    back = {one.name: replace(before[0], overrode=before[1:]) if before else None for one, before in as_written}
    return Settings(found for one in settings.values() if (found := back.get(one.name, one)) is not None)


def _length_of_old(settings: Settings, stack: Stack) -> Settings:
    """A release that does not patch the trainers leaves a length that nobody gave them to TRL's default."""
    length, since = settings.get("seq_len"), patch("unsloth", "seq_len").since
    if length is None or stack.at_least("unsloth", since) is not False or not _of_model(length):
        return settings
    if length.overrode:
        before, *rest = length.overrode
        return settings.having(replace(before, overrode=tuple(rest))) if before.state == UNBOUNDED else settings
    return Settings(one for one in settings.values() if one is not length)


def _of_model(length: Setting) -> bool:
    """Said to ``from_pretrained``, to no trainer."""
    return length.origin.key.rpartition(".")[0] in classes.UNSLOTH
