"""A dtype that a variable, the shell or a program decides is read both ways, never as the loader's default."""

from __future__ import annotations

import pytest

from budgetlint.memory.estimate import Estimate
from budgetlint.resolve.runs import judge_texts

FILE = """model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 1
learning_rate: 1e-5
max_length: 512
use_peft: true
lora_r: 8
"""
LAUNCH = (
    "python sft.py --model_name_or_path Qwen/Qwen2.5-1.5B --dataset_name d --use_peft --lora_r 8 --per_device_train_batch_size 1 "
    "--max_length 512 --learning_rate 1e-4 --bf16 true "
)
STACK = "stack transformers@4.51 trl@0.24 torch@2.6 peft@0.15"


def judged(files: dict[str, str], device: str = "") -> Estimate:
    (run,) = judge_texts(files, budget=f"{device}config {next(iter(files))}; {STACK}").runs
    assert run.estimate is not None
    return run.estimate


WIDE, NARROW = (judged({"t.yaml": f"{FILE}dtype: {dtype}\n"}) for dtype in ("float32", "bfloat16"))
OPEN = {
    "a variable": "dtype: ${DTYPE}\n",
    "a place to fill in": "dtype: '{{ dtype }}'\n",
    "an answer of the shell": "dtype: $(python dtype.py)\n",
    "an argument that holds it": "model_init_kwargs: ${KWARGS}\n",
    "an argument in a text": 'model_init_kwargs: \'{"torch_dtype": "bfloat16"}\'\n',
}


@pytest.mark.parametrize("device", ["", "device 8GiB; "])
@pytest.mark.parametrize("name", OPEN)
def test_it_is_open_in_a_file(name: str, device: str):
    found = judged({"t.yaml": FILE + OPEN[name]}, device)
    assert "weights_dtype" in found.missing
    assert (found.need.low, found.need.high) == (NARROW.need.low, WIDE.need.high)


@pytest.mark.parametrize("flag", ["--torch_dtype $(python dtype.py)", "--torch_dtype $DTYPE", "--torch_dtype=`./dtype.sh`"])
def test_it_is_open_in_a_launch(flag: str):
    assert "weights_dtype" in judged({"t.sh": LAUNCH + flag + "\n"}).missing


def test_one_that_is_said_beside_the_argument_is_known():
    found = judged({"t.yaml": FILE + "dtype: bfloat16\nmodel_init_kwargs: ${KWARGS}\n"})
    assert "weights_dtype" not in found.missing
