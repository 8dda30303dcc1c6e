"""XTuner's Python configs, and the flags of its command."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import load
from budgetlint.readers import identify
from budgetlint.readers.xtuner.reader import READER
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Run

HEAD = """\
import torch
from mmengine.optim import AmpOptimWrapper
from peft import LoraConfig
from torch.optim import AdamW
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from xtuner.dataset import process_hf_dataset
from xtuner.engine.runner import TrainLoop
from xtuner.model import SupervisedFinetune

pretrained_model_name_or_path = "internlm/internlm2-chat-7b"
max_length = 2048
pack_to_max_length = True
batch_size = 1
accumulative_counts = 16
max_epochs = 3
optim_type = AdamW
lr = 2e-4
"""
TAIL = """\
llm = dict(type=AutoModelForCausalLM.from_pretrained, pretrained_model_name_or_path=pretrained_model_name_or_path)
model = dict(type=SupervisedFinetune, llm=llm)
train_dataset = dict(type=process_hf_dataset, max_length=max_length, pack_to_max_length=pack_to_max_length)
train_dataloader = dict(batch_size=batch_size, dataset=train_dataset)
optim_wrapper = dict(
    type=AmpOptimWrapper, optimizer=dict(type=optim_type, lr=lr, weight_decay=0), accumulative_counts=accumulative_counts,
    clip_grad=dict(max_norm=1), dtype="float16",
)
train_cfg = dict(type=TrainLoop, max_epochs=max_epochs)
"""


def run_of(text: str, **files: str) -> Run:
    (context,) = judge_texts({"cfg.py": text, **files}).runs
    return context.run


def test_a_config() -> None:
    settings = run_of(HEAD + TAIL).settings
    expected = {
        "model": "internlm/internlm2-chat-7b", "micro_batch": 1, "grad_accum": 16, "seq_len": 2048, "packing": True, "num_epochs": 3.0,
        "optimizer": "adamw", "learning_rate": 2e-4, "weight_decay": 0.0, "max_grad_norm": 1.0, "autocast": "fp16", "task": "sft",
        "adapter": "none", "quant": "none", "recompute": "full",
    }  # fmt: skip
    assert {name: settings.value(name) for name in expected} == expected


CHANGED: dict[str, tuple[str, str, dict[str, object]]] = {
    "lora": (
        "llm=llm)",
        "llm=llm, lora=dict(type=LoraConfig, r=64, lora_alpha=16))",
        {"adapter": "lora", "lora_r": 64, "lora_alpha": 16.0},
    ),
    "four bits": (
        "=pretrained_model_name_or_path)",
        "=pretrained_model_name_or_path, torch_dtype=torch.float16, quantization_config=dict(type=BitsAndBytesConfig, load_in_4bit=True, "
        "bnb_4bit_quant_type='nf4'))",
        {"quant": "nf4", "weights_dtype": "fp16"},
    ),
    "no checkpointing": ("llm=llm)", "llm=llm, use_activation_checkpointing=False)", {"recompute": "none"}),
    "bf16": ('dtype="float16"', 'dtype="bfloat16"', {"autocast": "bf16"}),
    "a product": ("accumulative_counts = 16\n", "accumulative_counts = 16\naccumulative_counts *= 2\n", {"grad_accum": 32}),
    "a length that is computed": ("max_length = 2048\n", "max_length = int(2048 - (336 / 14) ** 2)\n", {"seq_len": None}),
    "a batch from outside": ("batch_size = 1\n", "import os\nbatch_size = os.environ['B']\n", {"micro_batch": None}),
    "a branch": ("batch_size = 1\n", "batch_size = 1\nif x:\n    batch_size = 2\n", {"micro_batch": None}),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_a_config_changes(name: str) -> None:
    old, new, expected = CHANGED[name]
    assert old in HEAD + TAIL
    run = run_of((HEAD + TAIL).replace(old, new))
    assert {key: run.settings.value(key) for key in expected} == expected
    assert not any(reading.misreads for reading in run.readings)


def test_values_stand_where_they_are_written() -> None:
    assert str(run_of(HEAD + TAIL).settings["micro_batch"].origin) == "cfg.py:13:14"


@pytest.mark.parametrize(
    ("preset", "shard", "offload"),
    [("deepspeed_zero2", "zero2", None), ("deepspeed_zero3_offload", "zero3", "cpu"), ("deepspeed_zero1", "zero1", None)],
)
def test_the_command_names_a_shipped_engine(preset: str, shard: str, offload: str | None) -> None:
    (context,) = judge_texts({"cfg.py": HEAD + TAIL, "run.sh": f"NPROC_PER_NODE=8 xtuner train cfg.py --deepspeed {preset}\n"}).runs
    settings = context.run.settings
    assert (context.run.name, settings.value("shard"), settings.value("devices")) == ("run.sh", shard, 8)
    assert settings["offload_params"].value == offload if offload else settings.value("model") == "internlm/internlm2-chat-7b"


def test_other_programs_are_not_its() -> None:
    for text in (
        "from xtuner.utils import x\nmodel = 3\n",
        "from xtuner.model import SupervisedFinetune\nmodel = dict(type=SupervisedFinetune)\n",
    ):
        assert all(identify(one) is not READER for one in load(SourceFile("a.py", text)) if one.root is not None)
