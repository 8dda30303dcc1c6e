"""House rules: `RULES` is what the entry point names."""

from budgetlint.rule import Rule

from . import run_without_seed

RULES: tuple[Rule, ...] = (run_without_seed.RULE,)
