"""Which files are looked at: by their names, and of programs, notebooks and READMEs by what their text says."""

from __future__ import annotations

import os
from collections.abc import Callable

SHELL_SUFFIXES = (".sh", ".bash", ".slurm", ".sbatch", ".job")
"""Scripts that a shell or a queue runs."""
CONFIG_SUFFIXES = frozenset((".yaml", ".yml", ".json", ".conf", ".toml", ".budget", *SHELL_SUFFIXES, ".mk", ".dockerfile"))
PYTHON_SUFFIX = ".py"
_TELLING = (
    b"TrainingArguments(",
    b"SFTConfig(",
    b"DPOConfig(",
    b"KTOConfig(",
    b"ORPOConfig(",
    b"GRPOConfig(",
    b"RewardConfig(",
    b"Trainer.Config(",
    b"from xtuner.model",
)
"""A program without one of these calls is no training script; only the others are parsed."""
_READING = (
    b"TrainingArguments",
    b"HfArgumentParser",
    b"TrlParser",
    b"Trainer(",
    b".backward(",
    *(b"%sConfig" % task for task in (b"SFT", b"DPO", b"KTO", b"ORPO", b"GRPO", b"Reward")),
)
"""A program with one of these trains something, and may read a config of the project: which files it names is looked at."""
_TOOLS = (b"llamafactory-cli", b"axolotl", b"swift", b"megatron", b"litgpt", b"oumi", b"composer", b"xtuner")
_STARTERS = (
    b"!python",
    b"!torchrun",
    b"!accelerate",
    b"!deepspeed",
    b"!trl ",
    b"!tune ",
    b"train.py",
    b".sh",
    b"torchrun ",
    b"accelerate launch",
    *_TOOLS,
)
_CALLING = (b"subprocess", b"os.system(", b"import system")
_STARTED = (b"accelerate", b"torchrun", b"deepspeed", b"train.py", b"trl", b"tune", *_TOOLS)
_LARGEST_SCRIPT = 2**17
_LARGEST_NOTEBOOK = 2**20
NOTEBOOK_SUFFIX = ".ipynb"
CONFIG_NAMES = frozenset({"makefile", "gnumakefile", "dockerfile", "containerfile", "budget.lock"})


def is_named(name: str) -> bool:
    """``Makefile``, ``Dockerfile`` and ``Dockerfile.train``, ``budget.lock``."""
    lower = name.lower()
    return lower in CONFIG_NAMES or lower.startswith(("dockerfile.", "containerfile."))


def makes_arguments(text: bytes) -> bool:
    """Does the text of a program look as if it made training arguments?"""
    return any(word in text for word in _TELLING)


def trains(text: bytes) -> bool:
    """Does a program train something, so that a config of the project may be its?"""
    return any(word in text for word in _READING)


def starts_training(text: bytes) -> bool:
    """Is a program started by itself, and tells a trainer to train that a module of the project may make?"""
    return b".train(" in text and b"__main__" in text


def calls_programs(text: bytes) -> bool:
    """Does a program start commands that may train: ``subprocess.run(["torchrun", "train.py"])``?"""
    return any(word in text for word in _CALLING) and any(word in text for word in _STARTED)


def starts_programs(text: bytes) -> bool:
    """Does a notebook hand commands to a shell that may train: ``!torchrun train.py``, a cell of ``%%bash``?"""
    return (b'"!' in text or b'"%%' in text or is_exported(text)) and any(word in text for word in _STARTERS)


def is_exported(text: bytes) -> bool:
    """Is a Python file a notebook that Databricks exported, with commands?"""
    return text.startswith(b"# Databricks notebook source") and (b"\n!" in text or b"# MAGIC !" in text or b"# MAGIC %sh" in text)


def _starts_any(text: bytes) -> bool:
    return starts_training(text) or calls_programs(text) or (is_exported(text) and starts_programs(text))


def _names_commands(text: bytes) -> bool:
    """May a README hold a command that names a config, or that starts a script?"""
    return (b"```" in text or b"~~~" in text or b"\n    " in text) and any(word in text for word in _IN_COMMANDS)


_IN_COMMANDS = (b".yaml", b".yml", b".json", b".toml", b".sh", b".slurm", b".sbatch", b"torchrun ", b"accelerate launch ", b"deepspeed ")


_ASKED: tuple[tuple[str, int, Callable[[bytes], bool]], ...] = (
    (PYTHON_SUFFIX, _LARGEST_SCRIPT, lambda text: trains(text) or makes_arguments(text) or _starts_any(text)),
    (NOTEBOOK_SUFFIX, _LARGEST_NOTEBOOK, lambda text: trains(text) or starts_programs(text)),
    (".md", _LARGEST_SCRIPT, _names_commands),
)
"""Files that are looked at for what their text says, with the size up to which it is read."""


def asked_of(name: str) -> tuple[int, Callable[[bytes], bool]] | None:
    """What a file of this name is asked, and up to which size; None for one that is not. Tests of programs train nothing that is worth
    a run, and of Markdown only READMEs count."""
    lower = name.lower()
    if lower.startswith("test_") or lower.endswith(("_test.py", "conftest.py")) or (lower.endswith(".md") and not is_readme(name)):
        return None
    return next(((most, asks) for suffix, most, asks in _ASKED if lower.endswith(suffix)), None)


def is_readme(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name.startswith("readme") and name.endswith(".md")


def is_wanted(path: str, text: str) -> bool:
    """Is a file with this text one that is looked at?"""
    asked = asked_of(path.rpartition("/")[2])
    if asked is None:
        return not path.lower().endswith((PYTHON_SUFFIX, NOTEBOOK_SUFFIX, ".md"))
    most, asks = asked
    return len(text) <= most and asks(text.encode("utf-8", "replace"))


def is_wanted_entry(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122  (4x faster)
    if suffix in CONFIG_SUFFIXES or is_named(name):
        return True
    return suffix in _SUFFIXES_ASKED and _answers(entry.path, name)


_SUFFIXES_ASKED = frozenset(suffix for suffix, _, _ in _ASKED)


def _answers(path: str, name: str) -> bool:
    asked = asked_of(name)
    if asked is None:
        return False
    most, asks = asked
    try:
        with open(path, "rb", opener=_without_waiting) as handle:
            text = handle.read(most + 1)
        return len(text) <= most and asks(text) and bool(text.decode())
    except (OSError, UnicodeDecodeError):
        return False


def _without_waiting(path: str, flags: int) -> int:
    """A pipe that is named like a program blocks nobody."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
