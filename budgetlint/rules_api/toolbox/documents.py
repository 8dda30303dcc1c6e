"""Which documents a rule is about, for its ``formats`` and for `trainer_of`; and what stands in one of them, as keys.

A setting (`DocumentContext.setting`) is what a reader made of a key; these look at the key itself, whether or not a setting has it. The
groups of formats follow from what the manifests of the built-in readers say: for others' no rule was checked.
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.documents import Entry, Loader, Mapping, Sequence
from budgetlint.documents.python_marks import LOOP
from budgetlint.frameworks._index import MANIFESTS
from budgetlint.frameworks.manifest import Format
from budgetlint.readers.base import AUTO, Raw, entry_under, is_symbolic, loader_of, raw_of
from budgetlint.readers.hf.recognise import home_of
from budgetlint.rules_api.context import ENGINE
from budgetlint.settings.run import Reading, Role, Setting

_FORMATS = {manifest.name: manifest.formats for manifest in MANIFESTS}


def _named(formats: Iterable[Format]) -> tuple[str, ...]:
    return tuple(format.name for format in formats)


_WITH_ARGUMENTS = tuple(format for formats in _FORMATS.values() for format in formats if format.arguments)
_MAKING_ARGUMENTS = tuple(format for formats in _FORMATS.values() for format in formats if format.makes_arguments)

HUGGING_FACE = _named(_FORMATS["hf"])
"""Files with keys of ``transformers.TrainingArguments`` in a section or at their top."""

PYTHON = _named(format for format in _FORMATS["python_script"] if format.arguments)
"""Training scripts: the fields stand in the one class of training arguments that the script makes; a loop of its own has none."""

SCRIPTS = _named(_FORMATS["python_script"])
"""All training scripts: the same, and those with a loop of their own."""

TRL_ARGUMENTS = _named(format for format in _WITH_ARGUMENTS if format.arguments == "trl")
"""Files whose keys go to TRL's own configs (``SFTConfig``, ``DPOConfig``), and scripts that make such a config."""

TRL_FORMATS = tuple(name for name in TRL_ARGUMENTS if name not in PYTHON)
"""The same without scripts."""

TRAINING_ARGUMENTS = _named(_WITH_ARGUMENTS)
"""Formats whose keys are the fields of ``transformers.TrainingArguments``."""

TRAINERS = _named(format for format in _WITH_ARGUMENTS if not format.own_loop)
"""Formats whose whole training section becomes ``TrainingArguments``; open-instruct's scripts have arguments of their own."""

TRAINERS_AND_AXOLOTL = (*TRAINERS, *_named(_MAKING_ARGUMENTS))
"""axolotl hands its keys to the same ``TrainingArguments``, most of them under their own names (``core/builders/base.py``)."""

TRAINER_RUNS = (*TRAINING_ARGUMENTS, *_named(_MAKING_ARGUMENTS))
"""Formats whose run ends in ``transformers.Trainer``: its rules about precision, optimizers and DeepSpeed hold."""

_LOADERS = {"deepspeed": Loader.HJSON, "llamafactory": Loader.OMEGACONF, "torchtune": Loader.OMEGACONF}


def written_in(reading: Reading, *paths: str) -> Setting | None:
    """What does this one document write? The first of these keys that stands in it and is not null, as a setting named by its path.

    Paths are dotted, and count from where the training arguments stand (`arguments_home`). A block or a list is its own value.

    Example: ``written_in(document.reading, "zero_optimization.stage")``; two spellings: ``written_in(reading, "eval_strategy",
    "evaluation_strategy")``. For a run, whose flags beat its files: `written_by`.
    """
    document, home = reading.document, arguments_home(reading)
    for path in paths:
        whole = f"{home}.{path}" if home else path
        entry = entry_under(document.root, whole)
        if entry is None and reading.format in PYTHON:  # a path from the top, such as that of the Trainer's call
            whole = path
            entry = entry_under(document.root, whole)
        if entry is None:  # as nearly always: a hundred rules ask every document
            continue
        raw = raw_of(document, loads_with(reading), whole, entry)
        if raw.value is not None:
            return _setting(path, raw)
    return None


def _setting(path: str, raw: Raw) -> Setting:
    if isinstance(raw.node, (Mapping, Sequence)):
        return Setting(path, raw.node, raw.origin, raw.text)
    state = "symbolic" if is_symbolic(raw.value) else "auto" if raw.value == AUTO else "known"
    return Setting(path, raw.value if state == "known" else None, raw.origin, raw.text, state)


def arguments_home(reading: Reading) -> str:
    """The section that holds the training arguments (``training``, a script's ``TrainingArguments``); empty for the top.

    Example: ``arguments_home(document.reading)``.
    """
    if reading.format in PYTHON:
        from budgetlint.readers.python_script.classes import arguments_of  # most files are no scripts

        return arguments_of(reading.document)
    return home_of(reading.document) if reading.format in HUGGING_FACE else ""


def argument_entries(reading: Reading) -> tuple[Entry, ...]:
    """Keys and values beside the training arguments, in file order; empty where there are none.

    Example: ``[entry for entry in argument_entries(document.reading) if entry.key.text == "seed"]``.
    """
    home = arguments_home(reading)
    node = reading.document.get(home) if home else reading.document.root
    return node.entries if isinstance(node, Mapping) else ()


def may_hide_arguments(reading: Reading) -> bool:
    """Can arguments stand where they are not seen (``TrainingArguments(**more)``)? Then nothing is known to be missing.

    Example: ``if may_hide_arguments(document.reading): return`` before a rule says that a key lacks.
    """
    if reading.format not in PYTHON:
        return False
    from budgetlint.readers.python_script.classes import arguments_of, block, is_partial  # most files are no scripts

    return is_partial(block(reading.document, arguments_of(reading.document)))


def loads_with(reading: Reading) -> Loader:
    """How the framework's newest release loads this document: what ``1e-5`` and ``yes`` become depends on it.

    Example: ``entry.value.value(loads_with(document.reading))``, for a scalar.
    """
    if reading.loader is not None:
        return reading.loader
    if reading.format == "deepspeed":
        return Loader.HJSON
    return loader_of(reading.document, _LOADERS.get(reading.format, Loader.PYYAML))


def engine_inside(reading: Reading) -> Reading | None:
    """DeepSpeed's configuration inside the trainer's own document (``deepspeed: {...}``, ``deepspeed={...}``) as one of its own; None where
    there is none, and where more may stand in it than is seen.

    Example: `engine_inside` of a script that calls ``TrainingArguments(deepspeed={"zero_optimization": {"stage": 2}})``.
    """
    if reading.role is not Role.TRAINER:
        return None
    facts = reading.document.facts
    if ENGINE not in facts:
        home = arguments_home(reading)
        nodes = (reading.document.get(f"{place}.{ENGINE}" if place else ENGINE) for place in (home, LOOP))
        root = next((node for node in nodes if isinstance(node, Mapping) and node.entries), None)
        facts[ENGINE] = None
        if root is not None:
            from budgetlint.readers.deepspeed.inline import engine_at  # few configs hold their engine

            facts[ENGINE] = engine_at(reading, root, loads_with(reading))
    found: Reading | None = facts[ENGINE]
    return found
