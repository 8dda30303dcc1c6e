"""A loop over words that are known starts its command once for each: rounds that differ in what decides memory are runs of their own."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

PROGRAM = """\
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
p = argparse.ArgumentParser()
p.add_argument("--model", default="Qwen/Qwen2.5-0.5B")
p.add_argument("--batch", type=int, default=1)
p.add_argument("--seed", type=int)
a = p.parse_args()
model = AutoModelForCausalLM.from_pretrained(a.model)
Trainer(model=model, args=TrainingArguments(output_dir="o", per_device_train_batch_size=a.batch)).train()
"""
SMALL, LARGE = "Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-1.5B"

CASES = {
    "nothing that decides": ("for s in 1 2 3; do\n  python t.py --batch 4 --seed $s\ndone", {"run.sh": (SMALL, 4)}),
    "batches": ("for b in 2 4; do\n  python t.py --batch $b\ndone", {"run.sh [b=2]": (SMALL, 2), "run.sh [b=4]": (SMALL, 4)}),
    "models of an array": (
        f'M=({SMALL} {LARGE})\nfor m in "${{M[@]}}"; do\n  python t.py --model "$m"\ndone',
        {f"run.sh [m={SMALL}]": (SMALL, 1), f"run.sh [m={LARGE}]": (LARGE, 1)},
    ),
    "two loops, one that decides": (
        "for b in 2 4; do\n  for s in 1 2; do\n    python t.py --batch $b --seed $s\n  done\ndone",
        {"run.sh [b=2, s=1]": (SMALL, 2), "run.sh [b=4, s=1]": (SMALL, 4)},
    ),
    "words that only the shell knows": ("for b in $(cat sizes) 4; do\n  python t.py --batch $b\ndone", {"run.sh": (SMALL, None)}),
    "too many": ("for b in 1 2 3 4 5; do\n  python t.py --batch $b\ndone", {"run.sh": (SMALL, None)}),
    "set in the loop": (
        "for b in 2 4; do\n  b=$((b * 2))\n  python t.py --batch $b\ndone",
        {"run.sh [b=2]": (SMALL, 4), "run.sh [b=4]": (SMALL, 8)},
    ),
    "behind the loop": ("for b in 2 4; do\n  echo $b\ndone\npython t.py --batch $b", {"run.sh": (SMALL, 4)}),
    "a second command keeps its number": (
        "for b in 2 4; do\n  python t.py --batch $b\ndone\npython t.py --batch 8",
        {"run.sh#0 [b=2]": (SMALL, 2), "run.sh#0 [b=4]": (SMALL, 4), "run.sh#1": (SMALL, 8)},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("script", "runs"), CASES.values(), ids=CASES)
def test_each_round_that_differs_is_a_run(script: str, runs: dict[str, tuple[str, int | None]]) -> None:
    judged = judge_texts({"run.sh": f"{script}\n", "t.py": PROGRAM}).runs
    assert {one.run.name: (one.run.settings.value("model"), one.run.settings.value("micro_batch")) for one in judged} == runs


def test_a_round_that_stops_is_a_run() -> None:
    text = PROGRAM.replace('"--seed", type=int', '"--task", choices=["1", "2"]')
    judged = judge_texts({"run.sh": "for s in 1 2 3; do\n  python t.py --task $s\ndone\n", "t.py": text}).runs
    told = {one.run.name: [end.says for made in one.run.readings if made.program for end in made.program.refusals] for one in judged}
    assert told == {"run.sh [s=1]": [], "run.sh [s=3]": ["--task does not take '3'"]}


VISIBLE = {
    "exported": ("export CUDA_VISIBLE_DEVICES=0,1\npython t.py", 2),
    "in front": ("CUDA_VISIBLE_DEVICES=0,1,2 python t.py", 3),
    "a default that may be replaced": ("export CUDA_VISIBLE_DEVICES=${GPUS:-0,1}\naccelerate launch t.py", 2),
    "torchrun counts for itself": ("export CUDA_VISIBLE_DEVICES=0,1\ntorchrun --nproc_per_node 4 t.py", 4),
    "accelerate counts for itself": ("export CUDA_VISIBLE_DEVICES=0,1\naccelerate launch --num_processes 1 t.py", 1),
    "all for DeepSpeed": ("G=0,1\nexport CUDA_VISIBLE_DEVICES=$G\ndeepspeed t.py", 2),
}


@pytest.mark.parametrize(("script", "devices"), VISIBLE.values(), ids=VISIBLE)
def test_visible_devices_are_counted_where_no_launcher_counts(script: str, devices: int) -> None:
    (run,) = judge_texts({"run.sh": f"{script}\n", "t.py": PROGRAM}).runs
    found = run.setting("devices")
    assert found is not None
    assert found.value == devices
