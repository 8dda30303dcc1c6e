"""Files that look like a training's and are none: what a converter is given, and what a training wrote down when it was over."""

from __future__ import annotations

import json

import pytest

from budgetlint.resolve.runs import judge_texts

NEMO = """\
trainer: {devices: 1, num_nodes: 1, precision: bf16}
model:
  micro_batch_size: 4
  global_batch_size: 8
  encoder_seq_length: 2048
  num_layers: 4
  hidden_size: 256
  num_attention_heads: 4
  optim: {name: distributed_fused_adam, lr: 1e-4}
exp_manager: {exp_dir: o}
"""
CONVERT = "#!/bin/bash\nIN=$1\nFILE=$2\npython scripts/convert_hf_to_nemo.py --in $IN --hparams-file $FILE --cpu-only\n"
DIRECT = "python scripts/convert_hf_to_nemo.py --in x --hparams-file conf/a.yaml --cpu-only\n"
HANDS = "bash scripts/convert.sh x conf/a.yaml\n"
READ_ME = "# How\n```bash\nsbatch scripts/convert.sh Qwen/Qwen2.5-0.5B ./conf/a.yaml\n```\n"

CASES = {
    "nothing is known of it": ({}, ["conf/a.yaml"]),
    "a command converts with it": ({"run.sh": DIRECT}, []),
    "a README hands it to a script that converts": ({"scripts/convert.sh": CONVERT, "README.md": READ_ME}, []),
    "a script hands it on": ({"scripts/convert.sh": CONVERT, "all.sh": HANDS + HANDS.replace(" x ", " y ")}, []),
    "a README hands another on": ({"scripts/convert.sh": CONVERT, "README.md": READ_ME.replace("a.yaml", "b.yaml")}, ["conf/a.yaml"]),
    "the script trains too": (
        {"scripts/convert.sh": CONVERT + "trl sft --model_name_or_path Qwen/Qwen2.5-0.5B --max_length 512\n", "README.md": READ_ME},
        ["scripts/convert.sh"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "runs"), CASES.values(), ids=CASES)
def test_what_a_converter_is_given_is_no_run(files: dict[str, str], runs: list[str]) -> None:
    assert sorted(one.run.name for one in judge_texts({"conf/a.yaml": NEMO, **files}).runs) == runs


CONFIG = {
    "model_name_or_path": "Qwen/Qwen2.5-0.5B",
    "per_device_train_batch_size": 2,
    "num_train_epochs": 1,
    "learning_rate": 1e-4,
    "output_dir": "o",
}
MEASURED = {"train_runtime": 12.5, "train_samples_per_second": 3.1, "train_loss": 1.2}


@pytest.mark.parametrize(
    ("content", "is_run"),
    [
        (CONFIG, True),
        ({**CONFIG, **MEASURED}, False),
        ({**CONFIG, "metrics": MEASURED}, False),
        ({**CONFIG, "note": "train_runtime"}, True),
    ],
    ids=["a config", "a record", "a record in a part", "a word"],
)
def test_a_record_of_a_training_that_is_over_is_no_run(content: dict[str, object], is_run: bool) -> None:
    """transformers 5.24 ``trainer_utils.py`` speed_metrics writes both keys; no parser takes either."""
    assert bool(judge_texts({"a.json": json.dumps(content)}).runs) is is_run
