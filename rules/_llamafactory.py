"""What rules about LLaMA-Factory ask: does a run take its arguments, and does it have data to evaluate on?"""

from __future__ import annotations

from budgetlint.rule import RunContext, trainer_of


def takes_hparams(run: RunContext) -> bool:
    """A training run of the first schema (``hparams/*.py``); the one of LLaMA-Factory 1 has arguments of its own."""
    trainer = trainer_of(run, ("llamafactory",))
    if trainer is None:
        return False
    from budgetlint.readers.llamafactory.v1 import is_second  # one framework's

    return not is_second(trainer.document)
