"""The hook and the CI step that ``budgetlint init`` shows or writes, by the file they belong in."""

from __future__ import annotations

from budgetlint import __version__

FILES = (
    r"(?i)(\.(ya?ml|json|conf|toml|budget|sh|bash|slurm|sbatch|job|mk|dockerfile|py)"
    r"|(^|/)(gnu)?makefile|(^|/)(docker|container)file(\.[^/]*)?|(^|/)budget\.lock)$"
)

HOOK_FILE = ".pre-commit-config.yaml"
HOOK = f"""\
repos:
  - repo: local
    hooks:
      - id: budgetlint
        name: budgetlint
        entry: budgetlint check --force-exclude
        language: system
        files: {FILES}
        require_serial: true
"""
"""``language: system`` runs the budgetlint that is installed: nothing is downloaded when somebody commits. Entry and files are
those of the project's own ``.pre-commit-hooks.yaml``."""

CI_FILE = ".github/workflows/budgetlint.yml"
CI = f"""\
name: budgetlint
on: [push, pull_request]
permissions:
  contents: read
jobs:
  budgetlint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install budgetlint=={__version__}
      - run: budgetlint check --format full --format github
"""
