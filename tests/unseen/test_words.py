"""Words: a value is shown as files have it (what Python prints stands in no text of any case: `tests/test_rules.py`), and advice is about
the bucket that is full."""

from __future__ import annotations

import pytest

from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Origin, OriginKind, Setting


@pytest.mark.parametrize(
    ("value", "text", "shown"),
    [
        (True, "", "true"), (False, "", "false"), (None, "", "not known"), (("q_proj", "v_proj"), "", "q_proj, v_proj"), ((), "", ""),
        (True, "yes", "yes"), (2e-05, "", "2e-05"), ({"a": 1}, "", "a value"), (frozenset(("norms",)), "", "norms"),
    ],
)  # fmt: skip
def test_a_value_is_shown_without_pythons_marks(value: object, text: str, shown: str) -> None:
    assert Setting("x", value, Origin(OriginKind.DEFAULT), text).shown == shown


ARGUMENTS = """\
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 1
learning_rate: 1.0e-5
max_grad_norm: 1.0
bf16: true
deepspeed: ds.json
"""
ENGINE = """\
{"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "bf16": {"enabled": "auto"},
 "zero_optimization": {"stage": 2, "overlap_comm": true}}
"""


def test_a_label_at_a_block_says_no_more_than_that() -> None:
    report = check(judge_texts({"args.yaml": ARGUMENTS, "ds.json": ENGINE}), installed())
    (finding,) = [one for one in report.findings if one.code == "BL212"]
    assert [related.message for related in finding.related] == ["zero_optimization is a block"]


# -- advice ------------------------------------------------------------------------------------------------------------

GRPO = """\
from trl import GRPOConfig, GRPOTrainer
from peft import LoraConfig

args = GRPOConfig(output_dir="out", per_device_train_batch_size=1, num_generations=8, gradient_accumulation_steps=8,
    max_prompt_length=512, max_completion_length=256, bf16=True, gradient_checkpointing=True)
GRPOTrainer(model="meta-llama/Llama-3.1-70B-Instruct", reward_funcs=len, args=args,
    peft_config=LoraConfig(r=16, target_modules=["q_proj", "v_proj"])).train()
"""
ZERO3 = """\
compute_environment: LOCAL_MACHINE
deepspeed_config:
  zero3_init_flag: true
  zero_stage: 3
distributed_type: DEEPSPEED
mixed_precision: bf16
num_processes: 8
"""

ADVICE: dict[str, tuple[dict[str, str], str, str, tuple[str, ...]]] = {
    "the gathered model": (
        {"run.sh": "accelerate launch --config_file zero3.yaml train.py", "train.py": GRPO, "zero3.yaml": ZERO3},
        "device 8x h100-80gb; stack trl@0.17 transformers@4.51",
        "ds3_gather_for_generation: false",
        ("an adapter", "an 8-bit optimizer", "batch"),
    ),
    "logits": (
        {},
        "device 24GiB; model qwen2.5-0.5b; precision bf16; optimizer adamw; batch 32; seq 4096; recompute full; attention flash",
        "a fused or chunked loss",
        ("an adapter",),
    ),
    "states of a full fine-tune": (
        {},
        "device 24GiB; model llama-3.1-8b; precision bf16; optimizer adamw; batch 1; seq 512",
        "an adapter, a quantised base, an 8-bit optimizer, or sharding",
        (),
    ),
    "the base of a LoRA run": (
        {},
        "device 24GiB; model llama-3.1-70b; precision bf16; lora r=8; optimizer adamw; batch 1; seq 512",
        "a quantised base or sharding",
        ("an adapter", "8-bit"),
    ),
    "the base of a QLoRA run": (
        {},
        "device 24GiB; model llama-3.1-70b; quant nf4 double=on; lora r=8; optimizer adamw; batch 1; seq 512",
        "sharding over more devices",
        ("an adapter", "8-bit", "quantised"),
    ),
}


@pytest.mark.parametrize(("files", "budget", "said", "unsaid"), ADVICE.values(), ids=ADVICE.keys())
def test_advice_is_about_the_bucket_that_is_full(files: dict[str, str], budget: str, said: str, unsaid: tuple[str, ...]) -> None:
    report = check(judge_texts(files, budget=budget), installed())
    (finding,) = [one for one in report.findings if one.code == "BL101"]
    advice = finding.help.partition(";")[0] if unsaid else finding.help
    assert said in advice
    assert [word for word in unsaid if word in advice.replace("micro batch", "")] == []
