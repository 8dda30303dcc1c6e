"""A config that no command names, beside one that is launched."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

SFT = """model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
stage: sft
do_train: true
finetuning_type: full
dataset: identity
template: llama3
cutoff_len: 2048
output_dir: out
per_device_train_batch_size: 1
bf16: true
"""
FSDP = """compute_environment: LOCAL_MACHINE
distributed_type: FSDP
mixed_precision: bf16
num_machines: 1
num_processes: 4
fsdp_config:
  fsdp_sharding_strategy: FULL_SHARD
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
"""
PROGRAM = "from llamafactory.train.tuner import run_exp\nrun_exp()\n"


@pytest.mark.parametrize(
    ("orphan", "script", "verdict"),
    [
        ("configs/b.yaml", "accelerate launch --config_file fsdp.yaml src/train.py configs/a.yaml\n", "depends"),
        ("configs/b.yaml", "llamafactory-cli train configs/a.yaml\n", "does-not-fit"),
        ("elsewhere/b.yaml", "accelerate launch --config_file fsdp.yaml src/train.py configs/a.yaml\n", "does-not-fit"),
    ],
    ids=["a launcher that shards", "no launcher", "another folder"],
)
def test_what_starts_its_neighbours_may_start_it(orphan: str, script: str, verdict: str) -> None:
    """8.03 billion parameters x 16 B are 120 GiB on one card of 80, and 30 on each of four."""
    files = {"configs/a.yaml": SFT, orphan: SFT.replace("identity", "other"), "fsdp.yaml": FSDP, "run.sh": script, "src/train.py": PROGRAM}
    found = {run.run.name: run.estimate for run in judge_texts(files, budget="device a100-80gb").runs}[orphan]
    assert found is not None
    assert (found.reason or found.verdict.value) == verdict
