"""One package per ecosystem: documents to settings with origins.

`identify` says whose document it is; `all_readers` are all of them. A document nobody claims is silently no config.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from budgetlint.documents import Document
from budgetlint.readers.base import Reader

__all__ = ["Reader", "Tie", "all_readers", "identify", "recognise"]


@dataclass(frozen=True, slots=True)
class Tie:
    """Several readers claim a document equally; it is reported, not guessed."""

    readers: tuple[Reader, ...]
    score: float


@cache
def all_readers() -> tuple[Reader, ...]:
    """Every reader there is. Their packages are imported when the first document is looked at."""
    from budgetlint.readers import (
        accelerate,
        axolotl,
        deepspeed,
        gpt_neox,
        hf,
        launcher,
        lightning,
        litgpt,
        llamafactory,
        llm_foundry,
        megatron,
        model_config,
        ms_swift,
        nemo,
        openrlhf,
        oumi,
        peft_config,
        torchtitan,
        torchtune,
        verl,
    )

    return (
        axolotl.READER,
        llamafactory.READER,
        accelerate.READER,
        deepspeed.READER,
        *hf.READERS,
        launcher.READER,
        lightning.READER,
        litgpt.READER,
        llm_foundry.READER,
        model_config.READER,
        oumi.READER,
        peft_config.READER,
        torchtitan.READER,
        torchtune.READER,
        gpt_neox.READER,
        megatron.READER,
        ms_swift.READER,
        nemo.READER,
        openrlhf.READER,
        verl.READER,
    )


def recognise(document: Document) -> tuple[tuple[Reader, float], ...]:
    """The readers that claim the document, with their scores, highest first."""
    if document.root is None:
        return ()
    scored = ((reader, reader.recognise(document)) for reader in all_readers())
    return tuple(sorted((pair for pair in scored if pair[1] > 0), key=lambda pair: -pair[1]))


def identify(document: Document) -> Reader | Tie | None:
    """The one reader of the document, None where nobody claims it, or a `Tie`."""
    claims = recognise(document)
    if not claims:
        return None
    best = claims[0][1]
    first = tuple(reader for reader, score in claims if score == best)
    return first[0] if len(first) == 1 else Tie(first, best)
