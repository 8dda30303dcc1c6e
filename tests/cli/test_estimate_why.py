"""``estimate --why SETTING``: each step of the way of a value, what it beat, and the line that would settle one that is open."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

TRAIN = """\
import argparse, os
import yaml
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
parser.add_argument("--batch", type=int, default=1)
parser.add_argument("--accumulate", type=int, default=2)
args = parser.parse_args()
cfg = yaml.safe_load(open(args.config))
model = AutoModelForCausalLM.from_pretrained(cfg["model"], torch_dtype="bfloat16")
model = get_peft_model(model, LoraConfig(r=cfg["rank"], target_modules=["q_proj"]))
arguments = TrainingArguments(
    output_dir="out",
    per_device_train_batch_size=args.batch,
    gradient_accumulation_steps=args.accumulate,
    learning_rate=float(os.environ["RATE"]),
)
Trainer(model=model, args=arguments).train()
"""
RUN = "torchrun --nproc_per_node 2 train.py \\\n  --config sft.yaml --batch 4\n"
CONFIG = "model: Qwen/Qwen2.5-1.5B\nrank: 16\n"
PROGRAM = {"train.py": TRAIN, "run.sh": RUN, "sft.yaml": CONFIG}
TRL = "model_name_or_path: Qwen/Qwen2.5-0.5B\ndataset_name: a/b\nper_device_train_batch_size: 1\nmax_length: 512\n"

CASES = {
    "a flag, through an option and an argument": (
        PROGRAM,
        "micro_batch",
        ["run.sh", "  micro_batch 4 (stated)", "    flag      run.sh:2     --batch 4",
         "    argument  train.py:14  TrainingArguments(per_device_train_batch_size=)"],
    ),
    "a key of a config that the program opens, by its name in the language": (
        PROGRAM,
        "lora.r",
        ["run.sh", "  lora_r 16 (stated)", "    config    sft.yaml:2   rank: 16",
        "    argument  train.py:13  get_peft_model(peft_config.r=)"],
    ),
    "the default of an option": (
        PROGRAM,
        "grad_accum",
        ["run.sh", "  grad_accum 2 (stated)", "    default of an option  train.py:9   accumulate",
        "    literal               train.py:9   2",
         "    argument              train.py:14  TrainingArguments(gradient_accumulation_steps=)"],
    ),
    "a literal": (
        PROGRAM,
        "weights_dtype",
        ["run.sh", "  weights_dtype bf16 (stated)", "    literal   train.py:12  'bfloat16'",
         "    argument  train.py:12  AutoModelForCausalLM(torch_dtype=)"],
    ),
    "what a framework fills in": (
        PROGRAM, "max_grad_norm", ["run.sh", "  max_grad_norm 1.0 (default)", "    default  transformers TrainingArguments.max_grad_norm"],
    ),
    "a file that a reader reads, and what a flag beat": (
        {"run.sh": "trl sft --config a.yaml --max_length 256\n", "a.yaml": TRL},
        "seq",
        ["run.sh", "  seq_len 256 (stated)", "    flag  run.sh:1  max_length 256", "    overrode 512",
        "      config   a.yaml:4  max_length: 512",
         "      read by  run.sh:1  trl sft"],
    ),
    "nothing sets it": (
        PROGRAM,
        "seq_len",
        ["run.sh", "  seq_len: nothing sets it", "    not settled: no file, flag, budget or default says it",
         "    would settle it: config run.sh; seq N"],
    ),
    "a variable that nothing sets": (
        {**PROGRAM, "run.sh": "python train.py --config sft.yaml --batch $SIZE\n"},
        "batch",
        ["run.sh", "  micro_batch <word ${SIZE}> (unresolved)", "    flag      run.sh:1     $SIZE",
         "    argument  train.py:14  TrainingArguments(per_device_train_batch_size=)",
         "    not settled: ${SIZE} of the command, which nothing here sets", "    would settle it: config run.sh; batch N"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "asked", "expected"), CASES.values(), ids=CASES)
def test_the_way_of_a_value(shell, files: dict[str, str], asked: str, expected: list[str]) -> None:
    for path, text in files.items():
        shell.write(path, text)
    assert shell("estimate", "run.sh", "--why", asked).out.splitlines() == expected


@pytest.mark.parametrize("asked", ["micro_batch", "seq_len", "optimizer", "learning_rate", "model"])
def test_the_same_as_data(shell, repository: Path, asked: str) -> None:
    for path, text in PROGRAM.items():
        shell.write(path, text)
    document = shell("estimate", "run.sh", "--why", asked, "--format", "json").json
    schema = json.loads((repository / "docs/schemas/why.schema.json").read_text(encoding="utf-8"))
    assert [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document)] == []


def test_the_statement_settles_it(shell) -> None:
    for path, text in PROGRAM.items():
        shell.write(path, text)
    [run] = shell("estimate", "run.sh", "--why", "seq", "--format", "json").json["runs"]
    shell.write("our.budget", run["unsettled"]["statement"].replace("N", "2048"))
    assert shell("estimate", ".", "--why", "seq").out.splitlines() == [
        "run.sh", "  seq_len 2048 (stated)", "    budget  our.budget:1  seq 2048"
    ]  # fmt: skip


def test_a_run_that_a_readme_shows_is_named_by_its_config(shell) -> None:
    """A README starts nothing, so no budget can name it as what starts a run."""
    for path, text in PROGRAM.items():
        shell.write(path, text)
    shell.write("README.md", "```bash\npython train.py --config sft.yaml --batch 4\n```\n")
    (shell.root / "run.sh").unlink()
    [run] = shell("estimate", ".", "--why", "seq", "--format", "json").json["runs"]
    assert run["unsettled"]["statement"] == "config sft.yaml; seq N"
    shell.write("our.budget", "config sft.yaml; seq 2048")
    assert shell("estimate", ".", "--why", "seq").out.splitlines()[1:] == ["  seq_len 2048 (stated)", "    budget  our.budget:1  seq 2048"]


def test_misuse(shell) -> None:
    shell.write("a.yaml", TRL)
    assert "did you mean 'micro_batch'?" in shell("estimate", "a.yaml", "--why", "micro_btach").err
    assert "none of the other views" in shell("estimate", "a.yaml", "--why", "seq", "--terms").err


def test_files_names_the_program_that_opens_a_config(shell) -> None:
    for path, text in PROGRAM.items():
        shell.write(path, text)
    assert "read by train.py (run.sh:1)" in next(line for line in shell("files").out.splitlines() if line.startswith("sft.yaml"))
