"""The lines that an open verdict prints are pasted into the budget, and the run has a verdict."""

from __future__ import annotations

import pytest
from budgetlint_rules._open import LINES, OWN_VALUES, cure, said

from budgetlint.language.statements import setting_owners
from budgetlint.resolve.runs import judge_texts
from budgetlint.rule import Verdict
from budgetlint.rules_api.context import RunContext

SCRIPT = """import os
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from build import make, options
model = {model}
args = TrainingArguments(output_dir="out", num_train_epochs=1, learning_rate=1e-4, per_device_train_batch_size={batch}{more})
Trainer(model=model, args=args, train_dataset=rows).train()
"""
LOAD = "AutoModelForCausalLM.from_pretrained({name}, torch_dtype={dtype}{more})"
QWEN, BF16 = '"Qwen/Qwen2.5-1.5B"', '"bfloat16"'


def load(name: str = QWEN, dtype: str = BF16, more: str = "") -> str:
    return LOAD.format(name=name, dtype=dtype, more=more)


def program(model: str = "", batch: str = "1", more: str = "") -> dict[str, str]:
    return {"t.py": SCRIPT.format(model=model or load(), batch=batch, more=more)}


FILE = """model_name_or_path: {model}
per_device_train_batch_size: {batch}
learning_rate: 1e-5
save_strategy: epoch
packing: true
bf16: true
{more}"""


def file(model: str = "Qwen/Qwen2.5-1.5B", batch: str = "1", more: str = "max_length: 512\n") -> dict[str, str]:
    return {"t.yaml": FILE.format(model=model, batch=batch, more=more)}


RUNS = {
    "the model is a variable of the environment": program(load('os.environ["MODEL"]')),
    "a function that is not here makes the model": program("make()"),
    "a function that is not here quantises": program(load(more=", quantization_config=options()")),
    "the cards decide how the model is split": program(load(more=', device_map="auto"')),
    "a function says the dtype": program(load(dtype="options()")),
    "a function says the attention": program(load(more=", attn_implementation=options()")),
    "a function says the batch": program(batch="options()"),
    "a function says the optimizer": program(more=", optim=options()"),
    "a function says whether layers are made again": program(more=", gradient_checkpointing=options()"),
    "a function says whether it autocasts": program(more=", bf16=options()"),
    "a file's model is a variable": file(model="${MODEL}"),
    "a file's batch is a variable": file(batch="${BATCH}"),
    "a file's length is a variable": file(more="max_length: ${LENGTH}\n"),
    "the verdict hangs on a variable": file("Qwen/Qwen2.5-7B", more="max_length: 512\ndtype: float32\noptim: ${OPTIM}\n"),
}
STACK = "stack transformers@4.57 trl@0.24 torch@2.8 peft@0.17"


def judged(files: dict[str, str], lines: str = "") -> RunContext:
    (run,) = judge_texts(files, budget=f"device a100-80gb; config {next(iter(files))}; {STACK}; {lines}").runs
    return run


def printed(run: RunContext) -> str:
    """What stands behind the last colon that a line follows, with the one name that nobody can print put in."""
    assert run.estimate is not None
    text = cure(run.estimate)
    lines = text.removeprefix(OWN_VALUES) if text.startswith(OWN_VALUES) else text.rpartition(": ")[2]
    return lines.replace("NAME", "qwen2.5-1.5b")


@pytest.mark.parametrize("name", RUNS)
def test_what_is_printed_settles_the_run(name: str):
    run, tries = judged(RUNS[name]), 0
    pasted: list[str] = []
    assert run.estimate.verdict is Verdict.UNKNOWN
    while run.estimate.verdict is Verdict.UNKNOWN and tries < 3:  # a model that is told opens what hangs on it
        pasted.append(printed(run))
        run, tries = judged(RUNS[name], "; ".join(pasted)), tries + 1
    assert run.estimate.verdict is not Verdict.UNKNOWN, (pasted, run.estimate.missing)


@pytest.mark.parametrize("name", sorted(LINES))
def test_each_line_says_the_setting_that_it_is_for(name: str):
    """Offloading is told with the layout, a dtype with the recipe."""
    keyword = LINES[name].split()[0]
    owners = {setting: spec.keyword for setting, (spec, _) in setting_owners().items()}
    along = {"offload_optimizer": "shard", "offload_params": "shard"}
    assert owners.get(name, along.get(name)) == keyword


def test_nobody_is_said_to_give_what_a_program_makes():
    run = judged(program(load('make() if os.environ.get("M") else options()')))
    assert "whoever" not in cure(run.estimate)


def test_a_statement_is_told_once_with_all_its_options() -> None:
    expected = f"{OWN_VALUES}batch 1 accum=1; seq 2048; state devices where the run's settings stand"
    assert said(("grad_accum", "micro_batch", "seq_len", "devices")) == expected
