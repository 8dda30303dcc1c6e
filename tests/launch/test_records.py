"""Files that hold settings and are no run: what a run wrote when it had ended, and what only a converter is given."""

from __future__ import annotations

import json

import pytest

from budgetlint.files.disk import TextFiles
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect

SETTINGS = {"model_name_or_path": "Qwen/Qwen2.5-0.5B", "per_device_train_batch_size": 1, "max_length": 512, "learning_rate": 1e-5}
PROGRAM = (
    "import json\nfrom trl import SFTTrainer, SFTConfig\nprint(open('out/{}').read())\nSFTTrainer('gpt2', args=SFTConfig('x')).train()\n"
)
WRITTEN = {
    "what the Trainer measured": ({"train_metrics": {"train_runtime": 3.5, "train_loss": 1.0}}, True),
    "what an evaluation measured": ({"eval_samples_per_second": 2.0}, True),
    "the operations that it took": ({"total_flos": 1.0}, True),
    "a recipe": ({"eval_steps": 10}, False),
}


@pytest.mark.parametrize("case", WRITTEN)
@pytest.mark.parametrize("program", [False, True])
def test_a_record_of_a_run_is_no_run(case: str, program: bool) -> None:
    more, is_record = WRITTEN[case]
    files = {"out/sft.json": json.dumps({**SETTINGS, "dataset_name": "a/b", "num_train_epochs": 1, "save_strategy": "no", **more})}
    if program:
        files["show.py"] = PROGRAM.format("sft.json")
    runs = [run.name for run in collect(open_project(TextFiles(files), ["."])).runs]
    assert ("out/sft.json" in runs) is not (is_record or program)


def test_a_record_that_a_command_names_is_read() -> None:
    files = {"out/sft.json": json.dumps({**SETTINGS, "total_flos": 1.0}), "run.sh": "trl sft --config out/sft.json\n"}
    assert [run.name for run in collect(open_project(TextFiles(files), ["."])).runs] == ["run.sh"]


NEMO = """\
name: megatron_gpt
exp_manager: {name: x}
trainer: {devices: 1, num_nodes: 1, precision: bf16, max_steps: 10}
model:
  micro_batch_size: 1
  global_batch_size: 8
  tensor_model_parallel_size: 1
  pipeline_model_parallel_size: 1
  encoder_seq_length: 512
  max_position_embeddings: 512
  num_layers: 2
  hidden_size: 64
  ffn_hidden_size: 128
  num_attention_heads: 4
  optim: {name: distributed_fused_adam, lr: 1.0e-4}
"""
CONVERT = "python ckpt/convert_it.py --in $1 --hparams-file $2\n"
SHOWN = "```bash\nsbatch ckpt/convert.sh a/b ./conf/one.yaml\n```\n"
GIVEN: dict[str, tuple[dict[str, str], list[str]]] = {
    "nobody names it": ({}, ["conf/one.yaml"]),
    "a command converts with it": ({"run.sh": "python ckpt/convert_it.py --hparams-file conf/one.yaml\n"}, []),
    "a README gives it to the script that converts": ({"ckpt/convert.sh": CONVERT, "README.md": SHOWN}, []),
    "a script gives it to the one that converts": ({"ckpt/convert.sh": CONVERT, "all.sh": "bash ckpt/convert.sh a ./conf/one.yaml\n"}, []),
    "a training takes it too": (
        {"run.sh": "python ckpt/convert_it.py --hparams-file conf/one.yaml\npython train.py --config conf/one.yaml\n"},
        ["run.sh"],
    ),
}


@pytest.mark.parametrize("case", GIVEN)
def test_what_only_a_converter_is_given_is_no_run(case: str) -> None:
    files, runs = GIVEN[case]
    work = collect(open_project(TextFiles({"conf/one.yaml": NEMO, **files}), ["."]))
    assert [run.name for run in work.runs] == runs
