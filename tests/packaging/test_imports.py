"""A linter in a hook starts often: what is heavy is imported only where it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = frozenset({"lark", "pydantic", "torch", "numpy", "transformers", "ruamel", "packaging", "yaml", "hypothesis", "pytest"})
CONFIG = "model_name_or_path: Qwen/Qwen2.5-7B\nper_device_train_batch_size: 1\nnum_train_epochs: 1\noutput_dir: out\nlearning_rate: 0.1\n"

CASES = [
    ("import budgetlint", set()),
    ("import budgetlint.cli", set()),
    ("import budgetlint.base.units, budgetlint.base.source, budgetlint.base.finding", set()),
    ("from budgetlint.cli import main; main(['rule', 'BL101'])", {"packaging", "ruamel"}),
    ("from budgetlint.cli import main; main(['devices'])", {"packaging", "ruamel"}),
    ("from budgetlint.cli import main; main(['files', 'sft.yaml'])", {"packaging", "ruamel"}),
    ("from budgetlint.cli import main; main(['check', 'sft.yaml'])", {"packaging", "ruamel"}),
    ("from budgetlint.cli import main; main(['check'])", {"packaging", "ruamel"}),
    ("from budgetlint.cli import main; main(['estimate'])", {"packaging", "ruamel"}),
]


@pytest.mark.parametrize(("code", "allowed"), CASES, ids=[code.rpartition("; ")[2] for code, _ in CASES])
def test_only_what_is_needed_is_imported(tmp_path: Path, code: str, allowed: set[str]) -> None:
    (tmp_path / "sft.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "card.budget").write_text("device 24GiB\n", encoding="utf-8")
    told = f"import sys; before = set(sys.modules); {code}; print('@', *{{name.partition('.')[0] for name in set(sys.modules) - before}})"
    ran = subprocess.run([sys.executable, "-c", told], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    loaded = set(ran.stdout.rpartition("@")[2].split())
    assert loaded & HEAVY <= allowed


def test_the_packages_name_what_they_hold(repository: Path) -> None:
    """Every folder with modules is listed in pyproject.toml; nothing is found by a walk, which would bring back deleted rules."""
    import tomllib

    tool = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {path.parent.relative_to(repository).as_posix().replace("/", ".") for path in (repository / "budgetlint").rglob("*.py")}
    assert set(tool["packages"]) == {*folders, "budgetlint_rules", "budgetlint_grammar"}
    assert tool["package-dir"] == {"budgetlint_rules": "rules", "budgetlint_grammar": "grammar"}
