"""budgetlint: a budget language and linter for model-training configs."""

__version__ = "0.1.0"
