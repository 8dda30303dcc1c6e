"""``python -m budgetlint``."""

from budgetlint.cli import run

run()
