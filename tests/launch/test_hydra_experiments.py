"""A config of a Hydra group that is packaged globally is what somebody starts the one program with: ``+experiment=NAME``."""

from __future__ import annotations

import pytest

from budgetlint.files.disk import TextFiles
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect, judge_texts
from budgetlint.settings.consumer import ACCEPTED

PROGRAM = """\
import hydra
from hydra.utils import instantiate
from trl import SFTTrainer

@hydra.main(version_base=None, config_path="configs", config_name="sft")
def main(config):
    SFTTrainer(model=config.model, args=instantiate(config.arguments)).train()

if __name__ == "__main__":
    main()
"""
FILES = {
    "train.py": PROGRAM,
    "configs/sft.yaml": "defaults:\n  - arguments: small\n  - _self_\nmodel: Qwen/Qwen2.5-0.5B\n",
    "configs/arguments/small.yaml": "_target_: trl.SFTConfig\noutput_dir: out\nper_device_train_batch_size: 2\nmax_length: 512\n",
}
LARGE = "# @package _global_\nmodel: Qwen/Qwen2.5-1.5B\narguments:\n  per_device_train_batch_size: 8\n"
PLACED = FILES["configs/sft.yaml"].replace("  - _self_\n", "  - _self_\n  - experiment: null\n")
OWN = ("Qwen/Qwen2.5-0.5B", 2)

CASES = {
    "nobody names it": (
        {"configs/experiment/large.yaml": LARGE},
        {"train.py": OWN, "configs/experiment/large.yaml": ("Qwen/Qwen2.5-1.5B", 8)},
    ),
    "the defaults have a place for it": (
        {"configs/sft.yaml": PLACED, "configs/experiment/large.yaml": LARGE},
        {"train.py": OWN, "configs/experiment/large.yaml": ("Qwen/Qwen2.5-1.5B", 8)},
    ),
    "a launch names it": (
        {"configs/experiment/large.yaml": LARGE, "run.sh": "python train.py +experiment=large\n"},
        {"run.sh": ("Qwen/Qwen2.5-1.5B", 8)},
    ),
    "it is a part": ({"configs/arguments/large.yaml": FILES["configs/arguments/small.yaml"]}, {"train.py": OWN}),
    "two programs take it": ({"other.py": PROGRAM, "configs/experiment/large.yaml": LARGE}, {"train.py": OWN, "other.py": OWN}),
    "it lies elsewhere": ({"old/experiment/large.yaml": LARGE}, {"train.py": OWN}),
}  # fmt: skip


@pytest.mark.parametrize(("files", "runs"), CASES.values(), ids=CASES)
def test_an_experiment_is_a_run_of_the_one_program_that_takes_it(files: dict[str, str], runs: dict[str, tuple[str, int]]) -> None:
    judged = judge_texts({**FILES, **files}).runs
    assert {one.run.name: (one.run.settings.value("model"), one.run.settings.value("micro_batch")) for one in judged} == runs


def test_the_program_is_its_reader() -> None:
    entries = collect(open_project(TextFiles({**FILES, "configs/experiment/large.yaml": LARGE}), ["."])).project.entries
    reader = entries["configs/experiment/large.yaml"].consumer
    assert reader is not None
    assert (reader.program, reader.evidence) == ("train.py", ACCEPTED)


RL = "actor_rollout_ref:\n  model: {path: Qwen/Qwen2.5-7B}\n  rollout: {gpu_memory_utilization: 0.5}\ntrainer: {n_gpus_per_node: 8}\n"
OVERRIDDEN = "python3 -m verl.trainer.main_ppo --config-path={} --config-name=grpo actor_rollout_ref.rollout.gpu_memory_utilization=0.7\n"


@pytest.mark.parametrize(
    ("before", "folder", "place"),
    [
        ("", '"$PWD/configs"', "configs"),
        ("", '"${PWD}/configs"', "configs"),
        ("", '"$(pwd)/configs"', "configs"),
        ('HERE="$PWD"\n', '"$HERE/configs"', "configs"),
        ("cd train\n", '"$PWD/configs"', "train/configs"),
    ],
)
def test_a_config_path_from_the_working_directory_keeps_the_overrides(before: str, folder: str, place: str) -> None:
    (one,) = judge_texts({f"{place}/grpo.yaml": RL, "scripts/run.sh": before + OVERRIDDEN.format(folder)}).runs
    assert (one.run.name, one.run.settings.value("rollout_memory")) == ("scripts/run.sh", 0.7)
