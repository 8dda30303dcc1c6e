"""The keys of a document as such: which there are, where the training arguments live, how the framework loads the values."""

from __future__ import annotations

from budgetlint.documents import Entry, Loader, Mapping
from budgetlint.readers.base import loader_of
from budgetlint.readers.hf.recognise import home_of
from budgetlint.readers.python_script.classes import arguments_of, block, is_partial
from budgetlint.settings.run import Reading, Setting

from ._common import HUGGING_FACE, PYTHON

_OMEGACONF = ("llamafactory", "torchtune")


def loader(reading: Reading) -> Loader:
    """How the framework's newest release loads this document."""
    if reading.format == "deepspeed":
        return Loader.HJSON
    return loader_of(reading.document, Loader.OMEGACONF if reading.format in _OMEGACONF else Loader.PYYAML)


def home(reading: Reading) -> str:
    """The section that holds the training arguments; empty for the top."""
    if reading.format in PYTHON:
        return arguments_of(reading.document)
    return home_of(reading.document) if reading.format in HUGGING_FACE else ""


def entries(reading: Reading) -> tuple[Entry, ...]:
    """Keys and values beside the training arguments, in file order."""
    prefix = home(reading)
    node = reading.document.get(prefix) if prefix else reading.document.root
    return node.entries if isinstance(node, Mapping) else ()


def may_hide(reading: Reading) -> bool:
    """Can arguments stand where they are not seen (``TrainingArguments(**more)``)? Then nothing is known to be missing."""
    return reading.format in PYTHON and is_partial(block(reading.document, arguments_of(reading.document)))


def is_off(setting: Setting | None) -> bool:
    """Literally false."""
    return setting is not None and setting.known and (setting.value is False or str(setting.value).lower() in ("false", "no", "off"))


TRAINERS = ("hf_training_arguments", "trl", "alignment_handbook", "llamafactory", *PYTHON)
"""Formats whose whole training section becomes ``TrainingArguments``; open-instruct's scripts have arguments of their own."""
