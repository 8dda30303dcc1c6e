"""What a rule needs to look at keys as they stand in a document, beside the settings that readers make of them."""

from __future__ import annotations

from budgetlint.base import numerals
from budgetlint.base.source import SourceFile
from budgetlint.documents import Loader, Mapping, Sequence
from budgetlint.readers.base import AUTO, Raw, entry_under, is_symbolic, loader_of, raw_of
from budgetlint.readers.hf.recognise import home_of
from budgetlint.readers.python_script.classes import arguments_of
from budgetlint.settings.run import Reading, Setting

HUGGING_FACE = ("hf_training_arguments", "trl", "alignment_handbook", "open_instruct")
TRL_FORMATS = ("trl", "alignment_handbook")
PYTHON = ("python_script", "python_trl_script")
"""Training scripts: the fields stand in the one class of training arguments that the script makes."""
CONVERTED = frozenset(("num_cycles",))
"""Numbers of ``lr_scheduler_kwargs`` that the schedules take through ``float()`` (transformers 4.46.0 and 5.2.0 ``optimization.py``; but
``cosine_warmup_with_min_lr``, which is rare)."""
TRAINING_ARGUMENTS = (*HUGGING_FACE, "llamafactory", *PYTHON)
"""Formats whose keys are the fields of ``transformers.TrainingArguments``."""

_LOADERS = {"deepspeed": Loader.HJSON, "llamafactory": Loader.OMEGACONF}


def says_one(source: SourceFile, words: tuple[str, ...]) -> bool:
    """Does one of these words stand in a text? Looked for once, however many runs the text has."""
    if words not in source.facts:
        source.facts[words] = any(word in source.text for word in words)
    return bool(source.facts[words])


def written(reading: Reading, *paths: str) -> Setting | None:
    """The first of these keys that stands in the document and is not null, as a setting named by its path."""
    document = reading.document
    home = home_of(document) if reading.format in HUGGING_FACE else arguments_of(document) if reading.format in PYTHON else ""
    for path in paths:
        whole = f"{home}.{path}" if home else path
        entry = entry_under(document.root, whole)
        if entry is None and reading.format in PYTHON:  # a path from the top, such as that of the Trainer's call
            whole = path
            entry = entry_under(document.root, whole)
        if entry is None:  # as nearly always: a hundred rules ask every document
            continue
        raw = raw_of(document, loader_of(document, _LOADERS.get(reading.format, Loader.PYYAML)), whole, entry)
        if raw.value is not None:
            return _setting(path, raw)
    return None


def _setting(path: str, raw: Raw) -> Setting:
    if isinstance(raw.node, (Mapping, Sequence)):
        return Setting(path, raw.node, raw.origin, raw.text)
    state = "symbolic" if is_symbolic(raw.value) else "auto" if raw.value == AUTO else "known"
    return Setting(path, raw.value if state == "known" else None, raw.origin, raw.text, state)


def number(setting: Setting | None) -> float | None:
    """The value as the frameworks' argument parsers convert it; None for what is no finite number (``auto``, ``${VAR}``, a block)."""
    return numerals.finite(setting.value) if setting is not None and setting.known else None


def is_on(setting: Setting | None) -> bool:
    """Literally true."""
    return setting is not None and setting.known and (setting.value is True or str(setting.value).lower() in ("true", "yes", "on"))


def plainly(value: float) -> str:
    """``100`` and ``2e-05``, never ``100.0``."""
    return f"{value:g}" if abs(value) < 1e6 else f"{value:,.0f}"
