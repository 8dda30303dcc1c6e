"""Rules that are loaded when they are needed: their index is true, and they behave like the rules they stand for."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from budgetlint_rules import MODULES, RULES
from budgetlint_rules.__main__ import index_text

from budgetlint.engine.lazy_rules import DEFAULTS, LATER, Shelved, row_of, shelved
from budgetlint.testing import run_rule

CONFIG = """\
model_name_or_path: x
fp16: true
bf16: true
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 2
learning_rate: 0.0001
lr_scheduler_type: cosine
logging_steps: 10
"""


def test_the_index_is_what_the_rules_say() -> None:
    written = Path(import_module("budgetlint_rules").__file__ or "").with_name("_index.py").read_text(encoding="utf-8")
    assert written == index_text(), "run: python -m budgetlint_rules"


def test_a_shelved_rule_is_the_rule() -> None:
    for module, rule in zip(MODULES, RULES, strict=True):
        real = import_module(f"budgetlint_rules.{module}").RULE
        assert isinstance(rule, Shelved)
        assert {name: getattr(rule, name) for name in (*DEFAULTS, *LATER)} == {name: getattr(real, name) for name in (*DEFAULTS, *LATER)}


def test_it_finds_what_the_rule_finds() -> None:
    rule = next(one for one in RULES if one.name == "fp16-bf16-both")
    real = import_module("budgetlint_rules.fp16_bf16_both").RULE
    assert run_rule(rule, {"train.yaml": CONFIG}) == run_rule(real, {"train.yaml": CONFIG}) != []


def test_what_the_index_lacks_is_imported() -> None:
    (rule,) = shelved("budgetlint_rules", ["tight_fit"], {})
    assert rule is import_module("budgetlint_rules.tight_fit").RULE
    (again,) = shelved("budgetlint_rules", ["tight_fit"], {"tight_fit": row_of(rule)})
    assert again.manual == rule.manual
    with pytest.raises(AttributeError):
        _ = again.nothing  # type: ignore[attr-defined]


def test_a_check_imports_only_the_rules_that_can_say_something(tmp_path: Path) -> None:
    (tmp_path / "train.yaml").write_text(CONFIG, encoding="utf-8")
    code = (
        "import sys, json; from budgetlint.cli import main; main(['check', '--no-cache', '--format', 'json']);"
        "print(json.dumps([name for name in sys.modules if name.startswith('budgetlint_rules.')]), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    loaded = {name.partition(".")[2] for name in json.loads(done.stderr.splitlines()[-1])} & set(MODULES)
    assert "fp16_bf16_both" in loaded
    assert len(loaded) < len(MODULES) // 2
