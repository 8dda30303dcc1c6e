"""What a program of the family trains, told by its name: its flags and files say so only where one of its own fields is written.

Source: TRL 1.16.0 ``cli/main.py``, ``scripts/``; 0.9 to 0.16 ``examples/scripts/``; open-r1 ``src/open_r1/{sft,grpo}.py``;
alignment-handbook ``scripts/run_*.py``. The names themselves are rows of `budgetlint.readers.known_programs`.
"""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.readers.base import default, unsettled
from budgetlint.readers.known_programs import known_program
from budgetlint.settings.run import Setting

_LAST = expression(r"([a-z_]+)(?:\.py)?\Z")
_OF_TRL = ("trl", "alignment_handbook")
_NAMED = {
    "sft": "sft",
    "cpt": "sft",
    "dpo": "dpo",
    "kto": "kto",
    "orpo": "orpo",
    "grpo": "grpo",
    "rloo": "grpo",
    "reward": "reward",
    "reward_modeling": "reward",
    "ppo": "ppo",
}
RLOO_SINCE = "0.22.0"
RLOO = ("grpo", "ppo")
"""RLOO's trainer is GRPO's kin since this release of TRL and was PPO's before (0.21.0 and 0.22.0 ``trainer/rloo_trainer.py``; its script
``rloo.py`` came with the former): keys tell, then the version."""


def task_of_program(name: str) -> str:
    """The task of a known program; empty for every other."""
    row = known_program(name)
    found = _LAST.search(name) if row is not None and row.format in _OF_TRL else None
    return _NAMED.get(found[1].removeprefix("run_"), "other") if found is not None else ""


def told(task: str) -> list[Setting]:
    """The task of the program that reads a document: it stands in no key."""
    if task == "rloo":
        return [unsettled("task", RLOO, f"TRL RLOOTrainer: GRPO's kin since {RLOO_SINCE}, PPO's before")]
    return [default("task", task, "the trainer that the program starts")] if task else []
