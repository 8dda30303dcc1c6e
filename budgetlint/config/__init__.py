"""The settings table of a project: ``[tool.budgetlint]`` and levels."""
