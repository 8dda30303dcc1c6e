"""torchtune: its modules/transformer.py, priced as transformers' layers; what tensor parallelism splits is its own."""

from __future__ import annotations

from budgetlint.memory.code.base import ModelCode, Splits


class Torchtune(ModelCode):
    splits = Splits(sequence=False, embedding=True, logits=False)
    """torchtune 0.6.1 models/llama3/_parallelism.py: both tables are split, the logits are gathered."""
