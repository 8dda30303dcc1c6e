"""One package per ecosystem: documents to settings with origins.

`identify` says whose document it is; `all_readers` are all of them. A document nobody claims is silently no config.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module

from budgetlint.documents import Document
from budgetlint.readers.base import Reader

__all__ = ["Reader", "Tie", "all_readers", "identify", "recognise"]


@dataclass(frozen=True)
class Tie:
    """Several readers claim a document equally; it is reported, not guessed."""

    readers: tuple[Reader, ...]
    score: float


_PACKAGES = (
    "axolotl", "llamafactory", "accelerate", "deepspeed", "hf", "launcher", "lightning", "litgpt", "llm_foundry", "model_config",
    "oumi", "peft_config", "python_script", "torchtitan", "torchtune", "gpt_neox", "megatron", "ms_swift", "nemo", "openrlhf", "verl",
)  # fmt: skip
_ONLY = {"launcher": "shell", "openrlhf": "shell", "peft_config": "json", "python_script": "python", "torchtitan": "toml"}
"""Packages that claim documents of one format: they are not imported for another."""


def all_readers() -> tuple[Reader, ...]:
    """Every reader there is."""
    return _members(_PACKAGES)


@cache
def readers_of(format: str) -> tuple[Reader, ...]:
    """The readers that may claim a document of this format. Their packages are imported when the first one is looked at."""
    return _members(tuple(package for package in _PACKAGES if _ONLY.get(package, format) == format))


@cache
def _members(packages: tuple[str, ...]) -> tuple[Reader, ...]:
    modules = (import_module(f"budgetlint.readers.{package}") for package in packages)
    return tuple(reader for module in modules for reader in (module.READERS if hasattr(module, "READERS") else (module.READER,)))


def recognise(document: Document) -> tuple[tuple[Reader, float], ...]:
    """The readers that claim the document, with their scores, highest first."""
    if document.root is None:
        return ()
    scored = ((reader, reader.recognise(document)) for reader in readers_of(document.format))
    return tuple(sorted((pair for pair in scored if pair[1] > 0), key=lambda pair: -pair[1]))


def identify(document: Document) -> Reader | Tie | None:
    """The one reader of the document, None where nobody claims it, or a `Tie`."""
    claims = recognise(document)
    if not claims:
        return None
    best = claims[0][1]
    first = tuple(reader for reader, score in claims if score == best)
    return first[0] if len(first) == 1 else Tie(first, best)
