"""What a TRL run trains, and what only the fields of its trainer's config say."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.readers.hf.program_task import RLOO, told
from budgetlint.readers.hf.rollouts import read_ppo, read_rollouts
from budgetlint.readers.hf.tasks import read_task
from budgetlint.readers.lookup import Lookup
from budgetlint.settings.run import Setting


def read_trained(look: Lookup, program: str) -> Iterable[Setting]:
    """The task, which a program that is known decides before any key (RLOO's only after them), and what only its trainer's fields say."""
    task = [one for one in read_task(look) if one.value in RLOO] if program == "rloo" else []
    task = task or told(program) or read_task(look)
    yield from task
    yield from of_task(look, task[0].value if task else None)


def of_task(look: Lookup, task: object) -> Iterable[Setting]:
    """What only the fields of this task's trainer say."""
    more = {"grpo": read_rollouts, "ppo": read_ppo}.get(str(task))
    return more(look) if more is not None else ()
