"""A trainer that loads the model itself: what ``model_init_kwargs`` gives, and what of it cannot be read."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
import argparse
import torch
from trl import GRPOConfig, GRPOTrainer
from elsewhere import more
parser = argparse.ArgumentParser()
parser.add_argument("--fp16", action="store_true")
args = parser.parse_args()
config = GRPOConfig(output_dir="out", num_generations=8, per_device_train_batch_size=8{given})
GRPOTrainer(model="Qwen/Qwen2.5-1.5B", args=config, reward_funcs=len, train_dataset=[]).train()
"""


@pytest.mark.parametrize(
    ("given", "command", "dtype", "certainty"),
    [
        (', model_init_kwargs={"torch_dtype": torch.bfloat16}', "", "bf16", "stated"),
        (', model_init_kwargs={"torch_dtype": torch.float16 if args.fp16 else torch.float32}', " --fp16", "fp16", "stated"),
        (', model_init_kwargs={"torch_dtype": torch.float16 if args.fp16 else torch.float32}', "", "fp32", "stated"),
        (", model_init_kwargs=more()", "", None, "unresolved"),
        (', model_init_kwargs={"trust_remote_code": True, **more()}', "", None, "unresolved"),
    ],
)
def test_the_dtype_that_the_trainer_loads_with(given: str, command: str, dtype: str | None, certainty: str) -> None:
    (context,) = judge_texts({"train.py": PROGRAM.format(given=given), "run.sh": f"python train.py{command}\n"}).runs
    found = context.setting("weights_dtype")
    assert found is not None
    assert (found.value, found.certainty) == (dtype, certainty)
