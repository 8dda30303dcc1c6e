"""A program that comes to one of several models: what they agree on is known, what they do not is told as it is."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Setting

HEAD = """\
import argparse, glob, os
from pathlib import Path
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

p = argparse.ArgumentParser()
p.add_argument("--out", default="out")
p.add_argument("--load", default=None)
a = p.parse_args()
SMALL, LARGE = "Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-7B"
LORA = LoraConfig(r=8, target_modules=["q_proj"])

def load(name, **more):
    return AutoModelForCausalLM.from_pretrained(name, **more)

"""
TRAIN = "\nTrainer(model=model, args=TrainingArguments(a.out, per_device_train_batch_size=2)).train()\n"
SMALL = "Qwen/Qwen2.5-0.5B"
BOTH = (SMALL, "Qwen/Qwen2.5-7B")
NOTHING = ()

CASES = {
    "one of two known models": (
        "model = load(SMALL) if input() else load(LARGE)",
        {"model": BOTH, "adapter": ("none",), "quant": ("none",)},
    ),
    "the same model, loaded otherwise": (
        "try:\n    model = load(SMALL, torch_dtype='bfloat16', attn_implementation='flash_attention_2')\n"
        "except Exception:\n    model = load(SMALL, torch_dtype='bfloat16', attn_implementation='sdpa')",
        {"model": (SMALL,), "weights_dtype": ("bf16",), "adapter": ("none",)},
    ),
    "a dtype that one of them names": (
        "model = load(SMALL, torch_dtype='bfloat16') if input() else load(SMALL)",
        {"model": (SMALL,), "weights_dtype": NOTHING},
    ),
    "one that nobody knows": ("model = load(SMALL) if input() else load(input())", {"model": NOTHING}),
    "a class of another kind": (
        "model = load(SMALL) if input() else AutoModelForSeq2SeqLM.from_pretrained('google-t5/t5-base')",
        {"model": NOTHING},
    ),
    "an adapter around one of them": (
        "model = load(SMALL)\nif input():\n    model = get_peft_model(model, LORA)",
        {"model": (SMALL,), "adapter": NOTHING},
    ),
    "a checkpoint that a pattern finds": (
        "found = glob.glob(a.out + '/checkpoint*')\nmodel = load(found[0]) if len(found) > 0 else load(SMALL)",
        {"model": (SMALL,), "adapter": ("none",), "quant": ("none",)},
    ),
    "two conditions of which one is decided": (
        "found = glob.glob(a.out + '/checkpoint*')\nresume = bool(found)\n"
        "if not resume and a.load is None:\n    model = load(SMALL)\nelse:\n    model = load(found[0] if resume else a.load)",
        {"model": (SMALL,), "adapter": ("none",)},
    ),
    "the newest of a folder": (
        "found = sorted(os.listdir(a.out)) if os.path.isdir(a.out) else []\n"
        "model = load(os.path.join(a.out, found[-1])) if found else load(SMALL)",
        {"model": (SMALL,), "adapter": ("none",)},
    ),
    "the newest by pathlib": (
        "found = list(Path(a.out).glob('checkpoint-*'))\nmodel = load(found[-1]) if found else load(SMALL)",
        {"model": (SMALL,), "adapter": ("none",)},
    ),
    "the last by transformers": (
        "last = get_last_checkpoint(a.out)\nmodel = load(SMALL if last is None else last)",
        {"model": (SMALL,), "adapter": ("none",)},
    ),
    "the folder itself": ("model = load(a.out if os.path.exists(a.out) else SMALL)", {"model": (SMALL,), "adapter": ("none",)}),
    "an adapter of an earlier run": (
        "model = load(SMALL)\nlast = glob.glob(a.out + '/*/adapter_config.json')\n"
        "model = PeftModel.from_pretrained(model, os.path.dirname(last[0]), is_trainable=True) if last else get_peft_model(model, LORA)",
        {"model": (SMALL,), "adapter": ("lora",)},
    ),
    "a folder that is not the run's": (
        "found = glob.glob('models/*')\nmodel = load(found[0]) if found else load(SMALL)",
        {"model": NOTHING},
    ),
    "a folder beside the run's": (
        "found = glob.glob(a.out + '-base/*')\nmodel = load(found[0]) if found else load(SMALL)",
        {"model": NOTHING},
    ),
}


def told(setting: Setting | None) -> tuple[object, ...]:
    """All that it may be; nothing where that is not known."""
    if setting is None:
        return NOTHING
    if setting.known:
        return (setting.value,)
    return setting.readings if setting.state == "auto" else NOTHING


@pytest.mark.parametrize(("body", "settings"), CASES.values(), ids=CASES)
def test_what_several_models_agree_on(body: str, settings: dict[str, tuple[object, ...]]) -> None:
    (run,) = judge_texts({"train.py": HEAD + body + TRAIN, "run.sh": "python train.py\n"}).runs
    assert {name: told(run.setting(name)) for name in settings} == settings


def test_a_run_that_starts_anew_says_so() -> None:
    body = "last = glob.glob(a.out + '/*')\nmodel = load(last[0] if last else SMALL)"
    (run,) = judge_texts({"train.py": HEAD + body + TRAIN, "run.sh": "python train.py\n"}).runs
    told = [reading.consumer.says for reading in run.run.readings if reading.consumer is not None]
    assert "it is taken to start anew: a checkpoint of an earlier run would be loaded at train.py:15" in told
