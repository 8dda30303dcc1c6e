"""A setting that somebody states and nobody can know is no default: it is read in every way, or leaves no verdict."""

from __future__ import annotations

import json

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.files.disk import TextFiles
from budgetlint.language import read_budget
from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.resolve.handed import handed_runs
from budgetlint.resolve.handed_judged import judge_handed
from budgetlint.resolve.project import Project
from budgetlint.resolve.runs import judge_texts
from budgetlint.resolve.unresolved import HARMLESS, PLANNED
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Misread
from budgetlint.settings.vocabulary import SETTINGS

RUN = {"model": "Qwen/Qwen2.5-1.5B", "micro_batch": 4, "seq_len": 2048, "precision": "bf16", "optimizer": "adamw"}


def answer(card: str = "device 2x h100-80gb", **more: object) -> Estimate:
    listed = [{"name": name, "value": value} for name, value in {**RUN, **more}.items()]
    runs = handed_runs(SourceFile("r.json", json.dumps({"version": 1, "runs": [{"settings": listed}]})))
    judged = judge_handed(Project(TextFiles({})), runs, extra=read_budget(SourceFile("card.budget", card)))
    (context,) = judged.runs
    assert context.estimate is not None
    return context.estimate


KNOWN = answer()


@pytest.mark.parametrize("name", SETTINGS)
def test_no_unresolved_setting_leaves_the_answer_as_it_was(name: str) -> None:
    found = answer(**{name: None})
    if name in HARMLESS:
        assert (found.need, found.verdict) == (KNOWN.need, KNOWN.verdict)
    else:
        assert found.verdict is Verdict.UNKNOWN or name in found.missing or found.need != KNOWN.need


def test_what_can_be_anything_leaves_no_verdict() -> None:
    found = answer(recompute_every=None)
    assert (found.verdict, found.missing, found.reason) == (Verdict.UNKNOWN, ("recompute_every",), "incomplete")
    assert str(found.opened[0].place).startswith("r.json:1:")


def test_of_few_values_each_is_read() -> None:
    found = answer(optimizer=None)
    assert (found.verdict, found.need.low < KNOWN.need.low) == (Verdict.FITS, True)
    depends = answer("device 2x l4", optimizer=None, recompute="full", micro_batch=1)
    assert (depends.verdict, depends.reason, [fork.settings[0].name for fork in depends.forks]) == (
        Verdict.UNKNOWN,
        "depends",
        ["optimizer"],
    )


def test_the_planner_knows_the_rest() -> None:
    assert [name for name in (*HARMLESS, *PLANNED) if name not in SETTINGS] == []


# -- a text in a file that something else fills in ------------------------------------------------------------------------------

LLAMAFACTORY = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: lora
dataset: identity
template: qwen
cutoff_len: 512
output_dir: out
per_device_train_batch_size: 1
bf16: true
"""
AXOLOTL = """\
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 512
micro_batch_size: 1
num_epochs: 1
datasets: [{path: data.jsonl, type: alpaca}]
adapter: lora
lora_r: 8
lora_target_linear: true
"""
TRL = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: trl-lib/Capybara
output_dir: out
per_device_train_batch_size: 1
max_length: 512
"""
LITGPT = """\
checkpoint_dir: checkpoints/Qwen/Qwen2.5-1.5B
lora_r: 8
train: {global_batch_size: 8, micro_batch_size: 1, max_seq_length: 512}
"""
PINNED = "stack transformers@5.24 torch@2.13 trl@1.16 peft@0.21 accelerate@1.15"
TO_FILL_IN = ("${VALUE}", "'{{ value }}'", "$VALUE", "<your-value>")
ENUMERATED = [
    (LLAMAFACTORY, "optim", "optimizer"),
    (LLAMAFACTORY, "flash_attn", "attention"),
    (LLAMAFACTORY, "quantization_bit", "quant"),
    (f"{LLAMAFACTORY}quantization_bit: 4\n", "quantization_method", "quant"),
    (LLAMAFACTORY, "lora_rank", "lora_r"),
    (AXOLOTL, "optimizer", "optimizer"),
    (AXOLOTL, "attn_implementation", "attention"),
    (AXOLOTL, "load_in_4bit", "quant"),
    (AXOLOTL, "gradient_checkpointing", "recompute"),
    (AXOLOTL, "fp8", "autocast"),
    (f"{AXOLOTL}load_in_8bit: true\n", "adapter", "quant"),
    (f"{AXOLOTL}gradient_checkpointing: true\n", "selective_checkpointing", "recompute"),
    (AXOLOTL, "chunked_cross_entropy", "loss"),
    (LLAMAFACTORY, "fp8", "autocast"),
    (LLAMAFACTORY, "use_galore", "optimizer"),
    (LLAMAFACTORY, "enable_liger_kernel", "loss"),
    (LITGPT, "precision", "weights_dtype"),
    (LITGPT, "quantize", "quant"),
    (LITGPT, "optimizer", "optimizer"),
    (TRL, "optim", "optimizer"),
    (f"{TRL}load_in_4bit: true\n", "bnb_4bit_quant_type", "quant"),
    (TRL, "attn_implementation", "attention"),
    (TRL, "load_in_4bit", "quant"),
    (TRL, "bf16", "autocast"),
    (TRL, "dtype", "weights_dtype"),
]


def in_file(text: str, card: str = "device 200GiB") -> RunContext:
    (run,) = judge_texts({"train.yaml": text}, budget=f"{card}; config train.yaml; {PINNED}").runs
    return run


@pytest.mark.parametrize("filled", TO_FILL_IN)
@pytest.mark.parametrize(("text", "key", "name"), ENUMERATED, ids=[f"{row[1]}-{row[2]}" for row in ENUMERATED])
def test_what_something_else_fills_in_is_unresolved(text: str, key: str, name: str, filled: str) -> None:
    kept = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(f"{key}:"))
    run = in_file(f"{kept}{key}: {filled}\n")
    assert run.run.settings[name].certainty == "unresolved"
    assert [one.message for one in misread(run)] == []


def misread(run: RunContext) -> list[Misread]:
    return [one for reading in run.run.readings for one in reading.misreads]


def test_an_optimizer_that_something_else_fills_in_is_none_or_all_of_adam() -> None:
    """Full fine-tuning of 1.54 billion parameters, fp32 as TRL loads them: AdamW's two moments are 11.50 GiB of 24, SGD has none."""
    found = in_file(f"{TRL}optim: ${{OPT}}\n", "device rtx-4090").estimate
    assert found is not None and (found.verdict, found.reason) == (Verdict.UNKNOWN, "depends")
    assert [one.name for one in found.forks[0].settings] == ["optimizer"]
    assert [(one.values, one.verdict) for one in found.forks[0].readings] == [
        (("sgd",), Verdict.FITS),
        (("adamw",), Verdict.DOES_NOT_FIT),
    ]


def test_two_words_that_something_else_fills_in_are_read_together() -> None:
    """In fp32 nothing of it fits 24 GiB, in bf16 it does: whichever versions run and however attention goes, the dtype decides."""
    found = in_file(f"{TRL}dtype: ${{DTYPE}}\nattn_implementation: ${{ATTENTION}}\n", "device rtx-4090").estimate
    assert found is not None and (found.verdict, found.reason) == (Verdict.UNKNOWN, "depends")
    unpinned = judge_texts({"train.yaml": f"{TRL}dtype: ${{DTYPE}}\n"}, budget="device rtx-4090; config train.yaml").runs[0].estimate
    assert unpinned is not None and (unpinned.verdict, unpinned.reason) == (Verdict.UNKNOWN, "depends")
    assert "weights_dtype" in {one.name for fork in unpinned.forks for one in fork.settings}


def test_a_rank_that_something_else_fills_in_is_no_default() -> None:
    found = in_file(f"{LLAMAFACTORY}lora_rank: ${{RANK}}\n").estimate
    assert found is not None and (found.verdict, found.missing) == (Verdict.UNKNOWN, ("lora_r",))
    assert "peft" not in " ".join(one.text for one in found.assumptions if one.setting == "lora_r")
