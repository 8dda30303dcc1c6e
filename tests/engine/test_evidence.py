"""How bad a finding is hangs on who is known to read the file."""

from __future__ import annotations

import pytest

from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts

AXOLOTL = """\
base_model: Qwen/Qwen2.5-7B
datasets: [{path: a/b, type: alpaca}]
sequence_len: 512
micro_batch_size: 1
gradient_accumulation_steps: 1
num_epochs: 1
learning_rate: 1e-5
optimizer: adamw_torch
bf16: true
"""
TRL = "model_name_or_path: Qwen/Qwen2.5-7B\ndataset_name: a/b\nper_device_train_batch_size: 1\nmax_length: 512\nbf16: true\n"
PROGRAM = "from trl import SFTTrainer\nSFTTrainer(**read()).train()\n"

LEVELS = {
    "axolotl's, and nothing else is here": ({"a.yaml": AXOLOTL}, "device 8GiB", ["error"]),
    "axolotl's, beside a program": ({"a.yaml": AXOLOTL, "t.py": PROGRAM}, "device 8GiB", ["warning"]),
    "axolotl's, bound by a budget": ({"a.yaml": AXOLOTL, "t.py": PROGRAM}, "device 8GiB\nconfig a.yaml", ["error"]),
    "axolotl's, and started": ({"a.yaml": AXOLOTL, "t.py": PROGRAM, "run.sh": "axolotl train a.yaml\n"}, "device 8GiB", ["error"]),
    "TRL's, and nothing else is here": ({"a.yaml": TRL}, "device 8GiB", ["error"]),
    "TRL's, and started": ({"a.yaml": TRL, "run.sh": "trl sft --config a.yaml\n"}, "device 8GiB", ["error"]),
    "a script's own": ({"a.yaml": TRL, "run.sh": "python mine.py --config a.yaml\n"}, "device 2GiB", ["warning"]),
    "trl is started for another file": ({"a.yaml": TRL, "run.sh": "trl sft --config b.yaml\n"}, "device 8GiB", ["warning"]),
    "nobody's": ({"a.yaml": TRL, "t.py": PROGRAM}, "device 2GiB", []),
    "nobody's, bound by a budget": ({"a.yaml": TRL, "t.py": PROGRAM}, "device 2GiB\nconfig a.yaml", []),
    "nobody's, of a format that a budget names": ({"a.yaml": TRL, "t.py": PROGRAM}, "device 8GiB\nconfig a.yaml kind=trl", ["error"]),
}


@pytest.mark.parametrize(("files", "budget", "levels"), LEVELS.values(), ids=LEVELS)
def test_a_verdict_is_as_bad_as_the_evidence_is_good(files: dict[str, str], budget: str, levels: list[str]) -> None:
    found = check(judge_texts(files, budget=budget), installed()).findings
    assert [one.severity.value for one in found if one.name == "does-not-fit"] == levels


def test_a_level_that_somebody_asked_for_counts() -> None:
    files = {"a.yaml": TRL, "run.sh": "python mine.py --config a.yaml\n"}
    found = check(judge_texts(files, budget="device 2GiB\ndeny does-not-fit"), installed()).findings
    assert [one.severity.value for one in found if one.name == "does-not-fit"] == ["error"]


def test_of_nobodys_file_there_is_no_verdict() -> None:
    """A budget binds it, so there is a run; what is missing is who reads it."""
    (run,) = judge_texts({"a.yaml": TRL, "t.py": PROGRAM}, budget="device 2GiB\nconfig a.yaml").runs
    assert run.estimate is not None
    assert (run.estimate.verdict.value, run.estimate.missing[-1]) == ("unknown", "program")
