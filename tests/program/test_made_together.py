"""What is done to a model under the same condition as the training is done to what trains."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Setting

HEAD = """\
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

def load():
    return AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")

def train(model):
    args = TrainingArguments("o", per_device_train_batch_size=2, gradient_checkpointing=True)
    Trainer(model=model, args=args).train()

"""
LORA = "get_peft_model(model, LoraConfig(r=8, target_modules=['q_proj']))"
UNKNOWN = None

CASES = {
    "asked before everything": (
        f"if input('start? ') == 'y':\n    model = load()\n    train({LORA})\n",
        {"adapter": "lora", "recompute": "full"},
    ),
    "asked twice": (
        f"if input():\n    model = load()\n    if input():\n        train({LORA})\n",
        {"adapter": "lora", "recompute": "full"},
    ),
    "the adapter hangs on more": (
        f"if input():\n    model = load()\n    if input():\n        model = {LORA}\n    train(model)\n",
        {"adapter": UNKNOWN},
    ),
    "cast on the same way": (
        "if input():\n    model = load()\n    model.bfloat16()\n    train(model)\n",
        {"weights_dtype": "bf16", "adapter": "none"},
    ),
    "cast on a way of its own": (
        "if input():\n    model = load()\n    if input():\n        model.bfloat16()\n    train(model)\n",
        {"weights_dtype": UNKNOWN},
    ),
    "the same words asked again": (
        "model = load()\nif input():\n    model.bfloat16()\nif input():\n    train(model)\n",
        {"weights_dtype": UNKNOWN},
    ),
    "a dict that the model keeps": (
        "model = load()\nif not hasattr(model, 'warnings_issued'):\n    model.warnings_issued = {}\ntrain(model)\n",
        {"adapter": "none", "quant": "none"},
    ),
    "a module in the place of another": ("model = load()\nmodel.lm_head = input().head\ntrain(model)\n", {"quant": UNKNOWN}),
}


def told(setting: Setting | None) -> object:
    return setting.value if setting is not None and setting.known else UNKNOWN


@pytest.mark.parametrize(("body", "settings"), CASES.values(), ids=CASES)
def test_what_is_made_together(body: str, settings: dict[str, object]) -> None:
    (run,) = judge_texts({"train.py": HEAD + body}).runs
    assert {name: told(run.setting(name)) for name in settings} == settings
