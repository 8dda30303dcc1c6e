"""The same settings say the same wherever they stand: a YAML file, flags, or the call of a training script."""

from __future__ import annotations

import pytest

from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts

ENGINE = """\
{"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 1, "fp16": {"enabled": true},
 "zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}}}
"""
BUDGET = "device 4x a100-80gb; stack transformers@5.2 accelerate@1.12; seq 512"
VALUES = {
    "output_dir": '"out"', "per_device_train_batch_size": "2", "gradient_accumulation_steps": "4", "bf16": "True", "max_grad_norm": "1.0",
    "learning_rate": "3.0e-5", "lr_scheduler_type": '"constant"', "warmup_steps": "100", "optim": '"adamw_hf"',
    "overwrite_output_dir": "True", "deepspeed": '"ds.json"',
}  # fmt: skip
SCRIPT = """\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
args = TrainingArguments({})
Trainer(model=model, args=args).train()
"""
MODEL = '"Qwen/Qwen2.5-0.5B"'


def as_yaml(values: dict[str, str]) -> dict[str, str]:
    return {"args.yaml": "".join(f"{name}: {text}\n" for name, text in {"model_name_or_path": MODEL, **values}.items()), "ds.json": ENGINE}


def as_flags(values: dict[str, str]) -> dict[str, str]:
    flags = " ".join(f"--{name} {text}" for name, text in {"model_name_or_path": MODEL, **values}.items())
    return {"run.sh": f"deepspeed --num_gpus 4 run_clm.py {flags}\n", "ds.json": ENGINE}


def as_script(values: dict[str, str]) -> dict[str, str]:
    return {"train.py": SCRIPT.format(", ".join(f"{name}={text}" for name, text in values.items())), "ds.json": ENGINE}


def names(files: dict[str, str]) -> list[str]:
    findings = check(judge_texts(files, budget=BUDGET), installed()).findings
    return sorted(finding.name for finding in findings if finding.severity.rank > 0)


@pytest.mark.parametrize("written", [as_yaml, as_flags, as_script])
def test_eight_findings_on_every_surface(written) -> None:
    assert names(written(VALUES)) == [
        "constant-scheduler-ignores-warmup", "ds-gradient-clipping-default", "ds-hf-batch-mismatch", "ds-hf-batch-mismatch",
        "ds-hf-batch-mismatch", "ds-hf-precision-mismatch", "hf-args-removed-v5", "removed-optim-name",
    ]  # fmt: skip


EVERYWHERE = (as_yaml, as_flags, as_script)
IN_A_FILE = (as_yaml, as_script)
"""Flags may have a file beside them that says the rest."""
LOADS_BEST = {"load_best_model_at_end": "True", "eval_strategy": '"steps"', "eval_steps": "10"}
MORE = {
    "evaluation-strategy-renamed": (EVERYWHERE, {"evaluation_strategy": '"steps"', "eval_steps": "10"}),
    "load-best-strategy-mismatch": (IN_A_FILE, {**LOADS_BEST, "save_strategy": '"epoch"'}),
    "fp16-bf16-both": (EVERYWHERE, {"fp16": "True"}),
    "best-metric-direction": (IN_A_FILE, {**LOADS_BEST, "metric_for_best_model": '"eval_loss"', "greater_is_better": "True"}),
    "max-steps-overrides-epochs": (IN_A_FILE, {"max_steps": "100", "num_train_epochs": "2"}),
}


@pytest.mark.parametrize("rule", MORE)
def test_other_members_on_every_surface(rule: str) -> None:
    surfaces, more = MORE[rule]
    for files in surfaces:
        said = {one.name for one in check(judge_texts(files({**VALUES, **more}), budget=BUDGET), installed()).findings}
        assert rule in said, files.__name__


@pytest.mark.parametrize(
    "arguments",
    [
        'output_dir="out", bf16=True, deepspeed="ds.json", **more',
        'output_dir="out", bf16=True, load_best_model_at_end=True, metric_for_best_model="eval_loss", warmup_steps=10, eval_steps=10, '
        "max_steps=10, **more",
        'output_dir="out", learning_rate=opts.lr, gradient_accumulation_steps=opts.steps, per_device_train_batch_size=opts.batch, '
        'fp16=opts.fp16, max_grad_norm=opts.norm, deepspeed="ds.json"',
    ],
)
def test_what_a_script_does_not_write_out_is_nobodys_mistake(arguments: str) -> None:
    wrong = names({"train.py": SCRIPT.format(arguments), "ds.json": ENGINE.replace('"fp16": {"enabled": true},', "")})
    assert [name for name in wrong if name not in ("ds-gradient-clipping-default",)] == []
