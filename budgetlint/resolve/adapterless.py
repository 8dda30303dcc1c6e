"""A program of the project that is not followed, and names no adapter anywhere: it trains the model itself.

Claimed over a closed way only: the program and all that it imports of the project were read, and what it imports besides is known.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from budgetlint.program.packages.benign import changes_nothing
from budgetlint.readers.base import default
from budgetlint.resolve.run_parts import script_of, started_by
from budgetlint.resolve.state import Assembly
from budgetlint.settings.run import Reading, Setting

_MARKS = ("lora", "peft", "adapter", "ia3", "prompt_tuning", "prefix_tuning", "unsloth", "bitfit")
"""Parts of words."""
_UNSEEN = frozenset({"import_module", "__import__", "exec"})
"""Words of what imports or runs something that is not seen."""
_KNOWN = frozenset({
    "deepspeed", "apex", "jiwer", "flax", "jax", "optax", "ray", "optuna", "fire", "typer", "click", "tyro", "torchvision", "timm",
    "tensorflow", "filelock", "seqeval", "conllu",
})  # fmt: skip
"""Packages that bring no adapter to a model of transformers, beside those that change nothing at all (`program.packages.benign`)."""


def without_adapter(work: Assembly, readings: tuple[Reading, ...]) -> Iterator[Setting]:
    """``adapter none`` where that is so."""
    program = started_by(readings)
    path = work.programs.entry(script_of(readings), program) if program.endswith(".py") else None
    if path is None:
        return
    closures = work.programs.closures
    words = {word.lower() for word in closures.words(path)}
    if _UNSEEN & words or any(mark in word for word in words for mark in _MARKS):
        return
    if not all(map(_is_known, closures.packages(path))):
        return
    yield default("adapter", "none", f"{path} and what it imports name no adapter")


def _is_known(package: str) -> bool:
    return package != "hydra" and (
        package in sys.stdlib_module_names or package in _KNOWN or changes_nothing(package)
    )  # Hydra makes what its configs name
