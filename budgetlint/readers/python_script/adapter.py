"""The adapter of a training script: what ``get_peft_model`` or a TRL trainer's ``peft_config`` is given.

Sources: PEFT 0.21.2 ``tuners/lora/config.py`` LoraConfig, ``mapping_func.py`` get_peft_model; Unsloth 2024.8, 2024.12.4, 2025.3.19,
2026.1.1 and 2026.10.9 ``models/llama.py`` FastLlamaModel.get_peft_model (``r=16, lora_alpha=16, lora_dropout=0`` and the seven
projections of a layer in all five).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.peft_targets import BY_TYPE
from budgetlint.documents import Document
from budgetlint.readers.base import Key, default, hidden, read_keys
from budgetlint.readers.hf.keys import PEFT_CONFIG, truthy
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.peft_config.reader import to_targets
from budgetlint.readers.python_script import classes
from budgetlint.readers.python_script.unsloth import with_saved_tables
from budgetlint.settings.run import Origin, Setting

ADAPTER = ("other", "none")
_LORA = "peft.LoraConfig"
_KEYS = tuple(Key("target_modules", "lora_targets", to_targets) if key.path == "target_modules" else key for key in PEFT_CONFIG)
"""A text is ``all-linear`` or a regular expression, no list of words."""
_PLACES = ("get_peft_model.1", "get_peft_model.peft_config")
_FILLED = {
    "peft": ("peft LoraConfig", (("lora_r", 8), ("lora_alpha", 8.0), ("lora_dropout", 0.0), ("lora_targets", (BY_TYPE,)))),
    "unsloth": ("unsloth get_peft_model", (("lora_r", 16), ("lora_alpha", 16.0), ("lora_dropout", 0.0), ("lora_targets", ("all-linear",)))),
}


def read_lora(look: Lookup, trainer: str) -> list[Setting]:
    """``adapter`` and its numbers; hidden where one may be there that is not read, none where nothing brings one."""
    document = look.document
    if (whole := full_finetuning(look)) is not None:
        return [Setting("adapter", "none", whole.origin, "full_finetuning")]
    wrapped = classes.block(document, "get_peft_model")
    if wrapped is not None and classes.class_of(wrapped).startswith("unsloth."):
        return _open() if classes.may_skip(wrapped) else _lora(look, "get_peft_model", "unsloth")
    given = [path for path in (*_PLACES, f"{trainer}.peft_config") if classes.is_given(document.get(path))]
    if not given:
        return _open() if wrapped is not None or _may_train_less(document) else [default("adapter", "none", "no adapter in the script")]
    places = {_origin(look, path).span for path in given}
    sure = len(places) == 1 and not (wrapped is not None and classes.may_skip(wrapped)) and not _has_loaded(document)
    kind = classes.class_of(document.get(given[0]))
    if not sure or not kind.endswith("Config"):
        return _open()
    if kind != _LORA:
        return [Setting("adapter", "other", _origin(look, given[0]), kind)]
    return _lora(look, given[0], "peft")


def full_finetuning(look: Lookup) -> Setting | None:
    """The keyword where it is plainly true: Unsloth 2025.6.1 ``models/loader.py`` then switches 4 and 8 bit off, and ``get_peft_model``
    gives the model back as it is."""
    for name, _ in classes.sections(look.document):
        switch = look.under(name).setting("", truthy, "full_finetuning") if name in classes.UNSLOTH else None
        if switch is not None and switch.known and switch.value is True:
            return switch
    return None


def _origin(look: Lookup, path: str) -> Origin:
    """Where the block at ``path`` stands. It must be there."""
    return next(iter(look.raws(path))).origin


def _open() -> list[Setting]:
    return [hidden("adapter", ADAPTER, "the script may train only a part: it cannot be told from its text")]


def _may_train_less(document: Document) -> bool:
    """Configurations that go somewhere unseen, adapters that are loaded, parameters that are frozen."""
    told = ("requires_grad", "requires_grad_", *classes.UNSLOTH)
    return any(name in told or block.tag.startswith("peft.") for name, block in classes.sections(document))


def _has_loaded(document: Document) -> bool:
    return any(name.startswith(classes.ADAPTERS) for name, _ in classes.sections(document))


def _lora(look: Lookup, path: str, package: str) -> list[Setting]:
    settings, misreads = read_keys(look.document, look.loader, _KEYS, path)
    look.misreads.extend(misreads)
    if package == "unsloth":
        settings = with_saved_tables(settings)
    return [Setting("adapter", "lora", _origin(look, path), "LoraConfig"), *settings, *_filled(look, path, package, settings)]


def _filled(look: Lookup, path: str, package: str, settings: list[Setting]) -> Iterator[Setting]:
    note, rows = _FILLED[package]
    written = {setting.name for setting in settings}
    partial = classes.is_partial(classes.block(look.document, path))
    for name, value in rows:
        if name not in written:
            yield Setting(name, None, _origin(look, path), "**", "symbolic") if partial else default(name, value, f"{note}.{name}")
