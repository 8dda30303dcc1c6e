"""What one setting is, and how a message says it."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base import numerals
from budgetlint.base.source import SourceFile
from budgetlint.settings.run import Origin, OriginKind, Setting


def is_on(setting: Setting | None) -> bool:
    """Literally true: ``true``, ``yes``, ``on``, and True itself. False for None, ``auto`` and ``${VAR}``.

    Example: ``is_on(written_in(document.reading, "fp16"))``.
    """
    return setting is not None and setting.known and (setting.value is True or str(setting.value).lower() in ("true", "yes", "on"))


def is_off(setting: Setting | None) -> bool:
    """Literally false: ``false``, ``no``, ``off``. What nobody wrote is not off: ``not is_on(…)`` asks for that.

    Example: ``is_off(written_by(run, "gradient_checkpointing"))``.
    """
    return setting is not None and setting.known and (setting.value is False or str(setting.value).lower() in ("false", "no", "off"))


def stated(setting: Setting | None) -> bool:
    """Known, and somebody wrote it: no default, nothing derived.

    Example: ``stated(run.setting("learning_rate"))`` is False where the framework's default holds.
    """
    return setting is not None and setting.known and not setting.is_default


def number_of(setting: Setting | None) -> float | None:
    """The value as the frameworks' argument parsers convert it; None for what is no finite number (``auto``, ``${VAR}``, a block).

    Example: ``number_of(written_by(run, "warmup_ratio"))`` is 0.03 for ``warmup_ratio: "3e-2"``.
    """
    return numerals.finite(setting.value) if setting is not None and setting.known else None


def number_text(value: float) -> str:
    """A number for a message: ``2e-05``, ``100`` and ``2,000,000``, never ``100.0`` or ``1e+06``.

    Example: ``f"the learning rate {number_text(rate.value)}"``.
    """
    return f"{value:g}" if abs(value) < 1e6 else f"{value:,.0f}"


def as_written(setting: Setting) -> str:
    """A setting for a message, in the words of where it stands: ``bf16: true`` of a config, ``precision fp16-pure`` and ``compute=bf16``
    of a budget.

    Example: ``f"{as_written(rate)} is high for full fine-tuning"``.
    """
    origin = setting.origin
    head, dot, last = origin.key.rpartition(".")
    word = last or setting.name
    if origin.kind is OriginKind.BUDGET:
        return f"{word}={setting.text}" if dot and head else f"{word} {setting.text}"
    return f"{word}: {_source_text(origin) or setting.shown}"


def _source_text(origin: Origin) -> str:
    """What really stands there, on one line; a setting's own text may explain more than the file says."""
    if origin.source is None or origin.span is None:
        return ""
    text = origin.source.text[origin.span.start : origin.span.end]
    return text if "\n" not in text and not text.startswith("--") else ""  # a flag, whose value is another word


def last_key(setting: Setting) -> str:
    """The last part of the key that was written: ``optim`` for ``training.optim``, where the setting's name is ``optimizer``.

    Example: ``last_key(run.setting("optimizer"))``; the setting's own name where no key was written.
    """
    return setting.origin.key.rpartition(".")[2] or setting.name


def first_located(settings: Iterable[Setting]) -> Setting | None:
    """The first of these settings that has a place: one from a file, a flag or a budget; None where all are defaults.

    Example: ``first_located(term.because)``, the line that a term of the bill is to be blamed on.
    """
    return next((setting for setting in settings if setting.origin.location), None)


def mentions(source: SourceFile, words: tuple[str, ...]) -> bool:
    """Does one of these words stand anywhere in a file's text? Looked for once, however many runs the file has.

    Example: ``mentions(reading.document.source, ("unsloth", "Unsloth"))``.
    """
    if words not in source.facts:
        source.facts[words] = any(word in source.text for word in words)
    return bool(source.facts[words])
