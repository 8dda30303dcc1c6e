"""The side files that a budget names bring what they name themselves."""

from __future__ import annotations

from budgetlint.resolve.runs import judge_texts

TRAIN = """model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 4
learning_rate: 1.0e-5
output_dir: out
num_train_epochs: 1
max_length: 1024
bf16: true
"""
LAUNCHER = """compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config:
  deepspeed_config_file: zero3.json
num_machines: 1
num_processes: 4
"""
FILES = {"train.yaml": TRAIN, "accelerate.yaml": LAUNCHER, "zero3.json": '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}'}


def run_of(budget: str, without: str = ""):
    (run,) = judge_texts({path: text for path, text in FILES.items() if path != without}, budget=budget).runs
    return run.run


def test_the_engine_file_of_an_accelerate_file_is_followed() -> None:
    run = run_of("device 4x h100-80gb; config train.yaml accelerate.yaml")
    assert [reading.document.path for reading in run.readings] == ["train.yaml", "accelerate.yaml", "zero3.json"]
    assert (run.settings["shard"].value, run.settings["shard"].origin.key) == ("zero3", "zero_optimization.stage")


def test_a_file_that_is_named_twice_takes_part_once() -> None:
    run = run_of("device 4x h100-80gb; config train.yaml accelerate.yaml zero3.json")
    assert [reading.document.path for reading in run.readings] == ["train.yaml", "accelerate.yaml", "zero3.json"]


def test_without_a_trainer_the_engine_file_is_followed_too() -> None:
    run = run_of("device 4x h100-80gb; model qwen2.5-1.5b; config accelerate.yaml", without="train.yaml")
    assert run.settings["shard"].value == "zero3"
