"""What a ``device_map`` means: layers over all cards that one process sees, or the whole model on one."""

from __future__ import annotations

import pytest

from budgetlint.engine.check import check
from budgetlint.memory.estimate import Verdict
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

SCRIPT = """\
import os
import torch
from accelerate import PartialState
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

state = PartialState()
rank = int(os.environ.get("LOCAL_RANK", 0))
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", dtype=torch.float32, device_map={})
args = TrainingArguments(output_dir="out", per_device_train_batch_size=1)
Trainer(model=model, args=args, train_dataset=train).train()
"""
PINNED = "seq 128; stack transformers@5.24 torch@2.13 accelerate@1.15"
ALONE = ("'cuda'", "'cuda:0'", "'cuda:1'", "0", "1", "{'': 0}", "{'': rank}", "{'': PartialState().process_index}", "PartialState().device",
         "torch.device('cuda')", "f'cuda:{rank}'", "None", "PartialState().local_process_index",
         "state.process_index", "{'': state.local_process_index}",
         "torch.cuda.current_device()", "torch.distributed.get_rank()", "{'model': 0, 'lm_head': 0}")  # fmt: skip
SPREADS = ("'auto'", "'balanced'", "'balanced_low_0'", "'sequential'")


def run_of(device_map: str, card: str, **files: str) -> RunContext:
    budget = f"{card}; config {'run.sh' if files else 'train.py'}; {PINNED}"
    (run,) = judge_texts({"train.py": SCRIPT.replace("{}", device_map), **({"run.sh": files["run"]} if files else {})}, budget=budget).runs
    return run


@pytest.mark.parametrize("device_map", ALONE)
def test_a_map_to_one_device_splits_nothing(device_map: str) -> None:
    run = run_of(device_map, "device 1x a100-80gb")
    assert "pipeline_parallel" not in run.run.settings
    assert run.estimate is not None and (run.estimate.verdict, run.estimate.missing) == (Verdict.FITS, ())


@pytest.mark.parametrize("device_map", SPREADS)
def test_one_card_holds_all_layers(device_map: str) -> None:
    """1.54 billion parameters in fp32 with gradients and two moments: 23 GiB."""
    run, whole = run_of(device_map, "device 1x a100-80gb"), run_of("None", "device 1x a100-80gb")
    assert run.run.settings.value("pipeline_parallel") == 1
    assert run.estimate is not None and whole.estimate is not None and run.estimate.need == whole.estimate.need
    visible = run_of(device_map, "device 4x a100-80gb", run="CUDA_VISIBLE_DEVICES=2 python train.py\n")
    assert visible.run.settings.value("pipeline_parallel") == 1


def test_one_process_on_four_cards_spreads_the_layers() -> None:
    for files in ({}, {"run": "python train.py\n"}):
        run = run_of("'auto'", "device 4x a100-80gb", **files)
        assert (run.run.settings.value("pipeline_parallel"), run.run.settings.value("devices")) == (4, 1)
        assert run.estimate is not None and run.estimate.need.bytes < 12 * 2**30
        budget = f"device 4x a100-80gb; config {'run.sh' if files else 'train.py'}; {PINNED}"
        texts = {"train.py": SCRIPT.replace("{}", "'auto'"), **({"run.sh": files["run"]} if files else {})}
        assert "BL408" not in {one.code for one in check(judge_texts(texts, budget=budget), installed()).findings}


def test_on_nobody_knows_how_many_cards_it_fits_where_it_fits_on_one() -> None:
    assert (found := run_of("'auto'", "device a100-80gb").estimate) is not None and found.verdict is Verdict.FITS
    depends = run_of("'auto'", "device 16GiB").estimate
    assert depends is not None and [one.name for one in depends.forks[0].settings] == ["pipeline_parallel"]


@pytest.mark.parametrize(
    "device_map", ["{'model': 0, 'lm_head': 1}", "{'model': rank, 'lm_head': 0}", "os.environ['MAP']", "state.num_processes"]
)
def test_a_map_that_is_not_known_leaves_the_split_open(device_map: str) -> None:
    run = run_of(device_map, "device 1x a100-80gb")
    assert run.run.settings["pipeline_parallel"].certainty == "unresolved"
