"""LoRA without targets adapts what PEFT has for the model's type."""

from __future__ import annotations

import pytest

from budgetlint.catalog.models import all_models
from budgetlint.catalog.peft_targets import _TARGETS, peft_targets
from budgetlint.catalog.targets import resolve_targets
from budgetlint.resolve.runs import judge_texts

SCRIPT = """\
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
model = AutoModelForCausalLM.from_pretrained("{model}")
SFTTrainer(model=model, args=SFTConfig("o", max_length=512), peft_config=LoraConfig({given})).train()
"""
TRAINS = {
    # the model, what LoraConfig is given: the parameters that train
    ("huggyllama/llama-7b", "r=8"): 32 * 2 * 8 * (4096 + 4096),  # 4,194,304: what alpaca-lora prints for q_proj and v_proj
    ("huggyllama/llama-7b", "r=8, target_modules=None"): 4_194_304,
    ("huggyllama/llama-7b", 'r=8, target_modules=["q_proj"]'): 2_097_152,
    ("gpt2", "r=8"): 12 * 8 * (768 + 3 * 768),  # c_attn
    ("Qwen/Qwen2.5-0.5B", "r=8"): 24 * 8 * ((896 + 896) + (896 + 128)),  # two heads of 64 for the values
}


@pytest.mark.parametrize("case", TRAINS)
def test_parameters_of_lora_without_targets(case: tuple[str, str]) -> None:
    model, given = case
    (context,) = judge_texts({"train.py": SCRIPT.format(model=model, given=given)}).runs
    assert context.estimate is not None
    assert context.estimate.trainable_params == TRAINS[case]


@pytest.mark.parametrize("family", sorted(_TARGETS))
def test_each_family_has_such_modules(family: str) -> None:
    model = next(one for one in all_models() if one.family == family)
    _, missing = resolve_targets(model, peft_targets(family) or ())
    assert not missing
