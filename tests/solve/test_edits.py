"""The exact text of each remedy, in the words of the framework whose file it is."""

from __future__ import annotations

import pytest

from budgetlint.documents.edit import apply
from budgetlint.memory.estimate import Verdict

from .conftest import STACK, solved

TRL = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
dtype: bfloat16
dataset_name: trl-lib/Capybara
max_length: 2048
per_device_train_batch_size: 8
gradient_accumulation_steps: 2
gradient_checkpointing: {gc}
learning_rate: 2.0e-5
bf16: true
packing: true
attn_implementation: {attn}
optim: adamw_torch  # the default
"""
AXOLOTL = """\
base_model: Qwen/Qwen2.5-1.5B
sequence_len: 2048
micro_batch_size: 8
gradient_accumulation_steps: 2
num_epochs: 1
optimizer: adamw_torch_fused
learning_rate: 2e-5
bf16: true
sample_packing: true
flash_attention: true
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
"""
LLAMAFACTORY = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
stage: sft
do_train: true
finetuning_type: full
template: qwen
dataset: alpaca
cutoff_len: 2048
per_device_train_batch_size: 8
gradient_accumulation_steps: 2
disable_gradient_checkpointing: true
bf16: true
"""
TORCHTUNE = """\
model:
  _component_: torchtune.models.qwen2_5.qwen2_5_1_5b_base
tokenizer:
  _component_: torchtune.models.qwen2_5.qwen2_5_tokenizer
  max_seq_len: 2048
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
loss:
  _component_: torch.nn.CrossEntropyLoss
dataset:
  _component_: torchtune.datasets.alpaca_dataset
  packed: True
batch_size: 8
gradient_accumulation_steps: 2
enable_activation_checkpointing: False
dtype: bf16
"""
ZERO = '{\n  "bf16": {"enabled": true},\n  "zero_optimization": {\n    "stage": 2\n  }\n}\n'
ACCELERATE = """\
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
mixed_precision: bf16
num_processes: 4
fsdp_config:
  fsdp_sharding_strategy: FULL_SHARD
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_offload_params: false
"""

FILES = {
    "trl": {"sft.yaml": TRL.format(gc="false", attn="sdpa")},
    "trl eager": {"sft.yaml": TRL.format(gc="true", attn="eager")},
    "trl full": {"sft.yaml": TRL.format(gc="true", attn="sdpa").replace("size: 8", "size: 1")},
    "axolotl": {"ax.yml": AXOLOTL},
    "axolotl 8-bit": {
        "ax.yml": AXOLOTL.replace("1.5B", "7B").replace("size: 8", "size: 1")
        + "adapter: lora\nload_in_8bit: true\nlora_r: 8\nlora_target_linear: true\ngradient_checkpointing: true\n"
    },
    "llamafactory": {"lf.yaml": LLAMAFACTORY},
    "torchtune": {"tune.yaml": TORCHTUNE},
    "zero": {"sft.yaml": TRL.format(gc="true", attn="sdpa").replace("size: 8", "size: 1") + "deepspeed: zero2.json\n", "zero2.json": ZERO},
    "script": {
        "run.sh": "accelerate launch --config_file fsdp.yaml trl/scripts/sft.py --model_name_or_path Qwen/Qwen2.5-7B "
        "--per_device_train_batch_size 8 --gradient_checkpointing false --bf16 true --max_length 1024 --packing true --use_peft false\n",
        "fsdp.yaml": ACCELERATE,
    },
}
STACKS = {
    "torchtune": "stack torchtune@0.6.1 torch@2.7",
    "axolotl": "stack axolotl@0.19 transformers@5.24 torch@2.13 peft@0.21",
    "": "stack transformers@5.24 trl@1.16 torch@2.13 peft@0.21 deepspeed@0.19 accelerate@1.15 llamafactory@0.9.5",
}


def budget_of(device: str, files: str) -> str:
    return f"device {device}; {STACKS.get(files.split()[0], STACKS[''])}"


WRITTEN = [
    # files, device, lever, the lines that the edited files then hold
    ("trl", "40GiB", "recompute full", {"sft.yaml": ["gradient_checkpointing: true"]}),
    (
        "trl",
        "40GiB",
        "recompute every",
        {"sft.yaml": ["gradient_checkpointing: true", "gradient_checkpointing_kwargs: {every_n_layers: 2}"]},
    ),
    ("trl", "40GiB", "smaller batch", {"sft.yaml": ["per_device_train_batch_size: 2", "gradient_accumulation_steps: 8"]}),
    ("trl eager", "20GiB", "sdpa", {"sft.yaml": ["attn_implementation: sdpa"]}),
    ("trl eager", "20GiB", "flash attention", {"sft.yaml": ["attn_implementation: flash_attention_2"]}),
    ("trl full", "16GiB", "8-bit states", {"sft.yaml": ["optim: adamw_8bit  # the default"]}),
    ("trl full", "8GiB", "adapter", {"sft.yaml": ["use_peft: true", "lora_r: 16", "lora_target_modules: all-linear"]}),
    ("axolotl", "78GiB", "recompute full", {"ax.yml": ["gradient_checkpointing: true"]}),
    ("axolotl 8-bit", "12GiB", "4-bit base", {"ax.yml": ["adapter: qlora", "load_in_4bit: true", "load_in_8bit: false"]}),
    ("axolotl", "20GiB", "qlora", {"ax.yml": ["adapter: qlora", "load_in_4bit: true"]}),
    ("llamafactory", "64GiB", "recompute full", {"lf.yaml": ["disable_gradient_checkpointing: false"]}),
    ("torchtune", "40GiB", "recompute full", {"tune.yaml": ["enable_activation_checkpointing: true"]}),
    ("zero", "2x 20GiB", "offload optimizer", {"zero2.json": ['"stage": 2', '"offload_optimizer": {"device": "cpu"}']}),
    ("script", "4x 48GiB", "recompute full", {"run.sh": ["--gradient_checkpointing True"]}),
    ("script", "4x 52GiB", "offload all", {"fsdp.yaml": ["fsdp_offload_params: true"]}),
]


@pytest.mark.parametrize(("files", "device", "lever", "lines"), WRITTEN, ids=[f"{files}: {lever}" for files, _, lever, _ in WRITTEN])
def test_the_edit_is_in_the_framework_s_words(files: str, device: str, lever: str, lines: dict[str, list[str]]) -> None:
    solution = solved(budget_of(device, files), FILES[files])
    found = [one for one in solution.remedies if lever in one.parts]
    assert found, (solution.verdict, [one.parts for one in solution.remedies], [(one.title, one.why) for one in solution.told])
    for file, wanted in lines.items():
        text = apply(FILES[files][file], [edit for edit in found[0].edits if edit.file == file])
        assert [line for line in wanted if line not in text] == [], text
    assert {edit.file for edit in found[0].edits} >= set(lines)


@pytest.mark.parametrize("files", FILES)
def test_every_edit_is_proved_by_reading_it_again(files: str) -> None:
    """The edited files, solved from the start, need what the remedy says."""
    device = {"script": "4x 48GiB", "zero": "2x 16GiB", "torchtune": "20GiB"}.get(files, "12GiB")
    budget = budget_of(device, files)
    solution = solved(budget, FILES[files])
    edited = [one for one in solution.remedies if one.edits]
    assert edited
    for remedy in edited:
        texts = {file: apply(text, [e for e in remedy.edits if e.file == file]) for file, text in FILES[files].items()}
        again = solved(budget, texts, frozenset({"batch"}))
        answer = again.context.estimate
        not_ruled_out = Verdict.TIGHT if answer.reason == "depends" else answer.verdict
        assert (answer.need.bytes, not_ruled_out) == (remedy.need, remedy.verdict)


BUDGETS = [
    (
        "device 24GiB\nmodel qwen2.5-1.5b\nlora r=16\nbatch 8\nseq 1024\nloss fused\n",
        "recompute full",
        "device 24GiB\nrecompute full\nmodel",
    ),
    (
        "device 24GiB\nmodel qwen2.5-1.5b\nlora r=16\nbatch 8  # sequences\nseq 1024\nloss fused\n",
        "smaller batch",
        "\nbatch 4 accum=2  # sequences\n",
    ),
    ("device 24GiB; model qwen2.5-1.5b; lora r=16; batch 8 accum=3; seq 1024; loss fused", "smaller batch", "batch 4 accum=6; seq"),
    (
        "run a {\n  device 24GiB\n  model qwen2.5-1.5b\n  lora r=16\n  batch 8\n  seq 1024\n  loss fused\n}\n",
        "recompute full",
        "\n  recompute full\n  ",
    ),
    (
        "device 2x l4\nmodel llama-3.1-8b\nshard zero3\nbatch 1\nseq 256\nrecompute full\n",
        "offload all",
        "shard zero3 offload=[optimizer, params]\n",
    ),
    (
        "device 2x 16GiB\nmodel llama-3.1-8b\nshard zero3 offload=[optimizer]\nbatch 1\nseq 256\nrecompute full\n",
        "offload all",
        "offload=[optimizer, params]\n",
    ),
    ("device 24GiB\nmodel llama-3.1-8b\nbatch 1\nseq 512\nrecompute full\n", "qlora", "lora r=16\nquant nf4 double=on\n"),
]


@pytest.mark.parametrize(("text", "lever", "part"), BUDGETS, ids=[f"{number} {lever}" for number, (_, lever, _) in enumerate(BUDGETS)])
def test_a_budget_is_edited_where_its_statement_stands(text: str, lever: str, part: str) -> None:
    solution = solved(files={"a.budget": f"{text.rstrip()}{'; ' if ';' in text else chr(10)}{STACK}\n"})
    remedy = next((one for one in solution.remedies if one.parts == (lever,)), None)
    assert remedy is not None, [one.parts for one in solution.remedies]
    assert part in apply(solution.sources["a.budget"].text, remedy.edits)


def test_what_the_command_line_or_no_key_says_is_not_edited() -> None:
    text = AXOLOTL.replace("base_model: Qwen/Qwen2.5-1.5B", "base_model: meta-llama/Llama-3.1-8B")
    solution = solved(budget_of("24GiB", "axolotl"), {"ax.yml": text})
    offload = [one for one in solution.remedies if "offload optimizer" in one.parts]
    assert all(one.edits == () for one in offload)
    assert solution.verdict is Verdict.DOES_NOT_FIT


def test_a_budget_that_says_the_same_is_edited_with_the_file() -> None:
    """Else it would disagree with the edited file."""
    budget = f"config sft.yaml\ndevice 40GiB\nbatch 8 accum=2\n{STACKS['']}\n"
    solution = solved(files={"sft.yaml": FILES["trl"]["sft.yaml"], "run.budget": budget})
    remedy = next(one for one in solution.remedies if one.parts == ("smaller batch",))
    assert {edit.file for edit in remedy.edits} == {"sft.yaml", "run.budget"}
    assert "batch 2 accum=8\n" in apply(budget, [edit for edit in remedy.edits if edit.file == "run.budget"])
