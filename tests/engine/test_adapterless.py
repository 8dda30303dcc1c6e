"""A script of its own that is not followed: where nothing that it imports names an adapter, there is none."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

LAUNCH = "python run.py --model_name_or_path Qwen/Qwen2.5-1.5B --output_dir out --per_device_train_batch_size 2 --own_switch 1\n"
OWN = """import sys
import torch
from helpers import TrainingArguments, Own
{more}
args = Own(sys.argv).parse()
"""
HELPERS = "import math\nfrom transformers import Trainer\n{more}\nclass Own: ...\nclass TrainingArguments: ...\n"


@pytest.mark.parametrize(
    ("run", "helpers", "adapter"),
    [
        ("", "", "none"),
        ("from peft import get_peft_model", "", None),
        ("", "def build(model):\n    return add_lora(model)\n", None),
        ("import acme", "", None),  # a package that nobody knows
        ("import hydra", "", None),
        ("import importlib\nm = importlib.import_module(sys.argv[1])", "", None),
    ],
)
def test_an_adapter_that_nothing_names(run: str, helpers: str, adapter: str | None) -> None:
    files = {"run.sh": LAUNCH, "run.py": OWN.format(more=run), "helpers.py": HELPERS.format(more=helpers)}
    (context,) = judge_texts(files, budget="device a100-80gb; seq 512").runs
    setting = context.run.settings["adapter"]
    assert (setting.value if setting.known else None) == adapter
