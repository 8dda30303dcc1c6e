"""What Unsloth makes of a script, by release: the loss in old ones, tables among the targets, and what TRL then leaves alone."""

from __future__ import annotations

import pytest

from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Bucket
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

SCRIPT = """\
from unsloth import FastLanguageModel
from trl import SFTConfig, SFTTrainer

model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Qwen3-8B", max_seq_length=4096, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=16, target_modules={})
SFTTrainer(model=model, train_dataset=data, args=SFTConfig(output_dir="out", per_device_train_batch_size=1, bf16=True)).train()
"""
BY_TRL = """\
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", load_in_4bit=True)
peft = LoraConfig(r=16, target_modules="all-linear")
SFTTrainer(model=model, train_dataset=data, peft_config=peft, args=SFTConfig(output_dir="out", bf16=True)).train()
"""
OLD = """\
from unsloth import FastLanguageModel
from transformers import TrainingArguments
from trl import SFTTrainer

model, tokenizer = FastLanguageModel.from_pretrained("unsloth/llama-3-8b-bnb-4bit", max_seq_length=8192, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=16, target_modules=["q_proj", "v_proj"], use_gradient_checkpointing="unsloth")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, fp16=True)
SFTTrainer(model=model, tokenizer=tokenizer, train_dataset=data, max_seq_length=8192, args=args).train()
"""
TABLE = 151_936 * 4_096
ADAPTERS = 36 * 16 * ((4_096 + 4_096) + (4_096 + 1_024))
"""Rank 16 on q_proj (4,096 to 4,096) and v_proj (to 1,024) of 36 layers."""


def run_of(text: str, budget: str) -> RunContext:
    (run,) = judge_texts({"train.py": text}, budget=budget).runs
    return run


@pytest.mark.parametrize(
    ("release", "trained"),
    [
        ("2025.3.19", ADAPTERS + 2 * TABLE),
        ("2026.2.1", ADAPTERS + 2 * TABLE),
        ("2026.3.1", ADAPTERS + 16 * (151_936 + 4_096)),  # an adapter on the head; that of an embedding is never unfrozen
        ("2026.8.19", ADAPTERS + 16 * (151_936 + 4_096)),
        ("2026.8.20", ADAPTERS + 2 * TABLE),
        ("2026.10.9", ADAPTERS + 2 * TABLE),
    ],
)
def test_tables_among_the_targets_train_in_full(release: str, trained: int) -> None:
    targets = '["q_proj", "v_proj", "embed_tokens", "lm_head"]'
    run = run_of(SCRIPT.format(targets), f"device h200; stack unsloth@{release} transformers@4.53")
    assert run.estimate is not None and run.estimate.trainable_params == trained


def test_tables_are_saved_beside_those_that_are_named_so() -> None:
    run = run_of(SCRIPT.format('["q_proj", "v_proj", "lm_head"], modules_to_save=["embed_tokens"]'), "device h200; stack unsloth@2025.7")
    settings = run.run.settings
    assert (settings.value("lora_targets"), settings.value("lora_modules_to_save")) == (("q_proj", "v_proj"), ("embed_tokens", "lm_head"))
    assert run.estimate is not None and run.estimate.trainable_params == ADAPTERS + 2 * TABLE


def test_trl_upcasts_no_model_that_has_its_adapter_already() -> None:
    run = run_of(SCRIPT.format('["q_proj", "v_proj"]'), "device rtx-4090; stack unsloth@2025.7 trl@0.19.1 transformers@4.53")
    assert "quant_upcast" not in run.run.settings
    by_trl = run_of(BY_TRL, "device rtx-4090; stack trl@0.19.1 transformers@4.53").run.settings
    assert by_trl.value("quant_upcast") == "all"


def test_a_loss_in_place_beside_the_copy_that_autocast_makes_of_the_logits() -> None:
    """unslothai/unsloth#465: 16,384 tokens of 128,256 logits are 3.9 GiB in fp16, and accelerate's copy of them 7.8 GiB."""
    run = run_of(OLD, "device t4; stack unsloth@2024.5 trl@0.8 transformers@4.40")
    assert run.estimate is not None and run.estimate.verdict is Verdict.DOES_NOT_FIT
    logits = [term.bytes for term in run.estimate.bill if term.bucket is Bucket.LOGITS]
    assert logits == [16_384 * 128_256 * 2, 16_384 * 128_256 * 4]
    fused = run_of(OLD, "device t4; stack unsloth@2024.12 trl@0.12 transformers@4.46").estimate
    assert fused is not None and fused.verdict is Verdict.FITS


TRAINER = """\
from unsloth import {fast}
from trl import SFTConfig, SFTTrainer

model, tokenizer = {fast}.from_pretrained("unsloth/Qwen3-8B", max_seq_length=4096, load_in_4bit=True, dtype=None{load})
model = {fast}.get_peft_model(model, r=16, target_modules=["q_proj"]{wrap})
SFTTrainer(model=model, train_dataset=data{more}, args=SFTConfig(output_dir="out"{args})).train()
"""


COLLATOR = """\
class Collator:
    def __call__(self, rows):
        return rows


"""


def settings_of(stack: str, fast: str = "FastLanguageModel", text: str = TRAINER, **parts: str) -> dict[str, object]:
    """Values that are known; of the others what they may be."""
    text = text.format(fast=fast, **{name: f", {parts[name]}" if name in parts else "" for name in ("load", "wrap", "more", "args")})
    settings = run_of(text, f"device h200; stack {stack}").run.settings
    return {name: one.value if one.known else one.readings or "?" for name, one in settings.items()}


BY_NAME = "from trl import SFTConfig, SFTTrainer\n"
_OWN = {"micro_batch": 4, "grad_accum": 2, "eval_batch": 4, "optimizer": "adamw8bit", "learning_rate": 5e-5}
_OF_TRL = {"micro_batch": 8, "grad_accum": 1, "eval_batch": 8, "optimizer": "adamw", "learning_rate": 2e-5, "weight_decay": 0.0}


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ("unsloth@2024.12 trl@0.12 transformers@4.46", {**_OF_TRL, "padding_free": False}),
        ("unsloth@2025.2.6 trl@0.15 transformers@4.49", {**_OWN, "weight_decay": 0.01}),
        ("unsloth@2025.9.4 trl@0.22 transformers@4.55", {**_OWN, "weight_decay": 0.01, "autocast": ("bf16", "fp16")}),
        ("unsloth@2026.5.6 trl@0.24 transformers@4.57", {**_OWN, "weight_decay": 0.01}),
        ("unsloth@2026.5.8 trl@0.24 transformers@4.57", {**_OWN, "weight_decay": 0.001, "padding_free": (True, False)}),
        ("trl@0.24 transformers@4.53 torch@2.7", {"eval_batch": (4, 8), "micro_batch": (4, 8), "optimizer": ("adamw8bit", "adamw")}),
    ],
)
def test_arguments_that_nobody_gave_are_those_of_its_own_config(stack: str, expected: dict[str, object]) -> None:
    found = settings_of(stack)
    assert {name: found[name] for name in expected} == expected


def test_what_is_written_stays() -> None:
    found = settings_of("unsloth@2026.4.8 trl@0.24 transformers@4.57", args="per_device_eval_batch_size=2, optim='adamw_torch', bf16=True")
    assert (found["eval_batch"], found["optimizer"], found["autocast"], found["micro_batch"]) == (2, "adamw", "bf16", 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TRAINER.replace("from unsloth import {fast}\n", "").replace("SFTTrainer\n", "SFTTrainer\nfrom unsloth import {fast}\n"), (4, 8)),
        (TRAINER.replace(BY_NAME, "").replace("SFTTrainer(", f"{BY_NAME}SFTTrainer("), 4),
        (TRAINER.replace("from unsloth import {fast}\n", "import trl\nfrom unsloth import {fast}\n"), (4, 8)),
    ],
)  # fmt: skip
def test_a_class_that_was_imported_before_is_trls_own(text: str, expected: object) -> None:
    assert settings_of("unsloth@2026.4.8 trl@0.24 transformers@4.57", text=text)["eval_batch"] == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("per_device_eval_batch_size=8, per_device_train_batch_size=2, eval_strategy='steps'", 2),
        ("per_device_eval_batch_size=8, per_device_train_batch_size=16, eval_strategy='steps'", 8),
        ("per_device_eval_batch_size=8, per_device_train_batch_size=2", 8),
        ("per_device_eval_batch_size=6, per_device_train_batch_size=2, eval_strategy='steps'", 6),
    ],
)
def test_an_evaluation_batch_of_eight_is_lowered_to_the_micro_batch(args: str, expected: int) -> None:
    """rl.py: ``if eval_bsz == 8 and args.per_device_train_batch_size < eval_bsz``, where the trainer evaluates."""
    assert settings_of("unsloth@2026.4.8 trl@0.24 transformers@4.57", args=args)["eval_batch"] == expected


@pytest.mark.parametrize(
    ("stack", "parts", "expected"),
    [
        ("unsloth@2026.4.8 trl@0.24", {"args": "gradient_checkpointing=False"}, "none"),
        ("unsloth@2025.11.6 trl@0.24", {"args": "gradient_checkpointing=False"}, "none"),
        ("unsloth@2025.11.4 trl@0.24", {"args": "gradient_checkpointing=False"}, "full"),
        ("unsloth@2026.7.1 trl@0.24", {"args": "gradient_checkpointing=False"}, "full"),
        ("trl@0.24", {"args": "gradient_checkpointing=False"}, ("full", "none")),
        ("unsloth@2026.4.8 trl@0.24", {}, "full"),  # TRL's own default is on from 0.22
        ("unsloth@2026.4.8 trl@0.19.1", {}, "none"),
        ("unsloth@2026.4.8", {}, ("full", "none")),
        ("unsloth@2026.4.8 trl@0.24", {"args": "gradient_checkpointing=True"}, "full"),
    ],
)
def test_who_decides_that_activations_are_recomputed(stack: str, parts: dict[str, str], expected: object) -> None:
    """``get_peft_model`` switches it on; between 2025.11.6 and 2026.6.9 the trainer then sets every module as its arguments say."""
    found = settings_of(f"{stack} transformers@4.57", wrap='use_gradient_checkpointing="unsloth"', **parts)
    assert found["recompute"] == expected
    assert expected != "none" or "recompute_offload" not in found
    assert expected == "none" or found["recompute_reentrant"] == (True, False)


@pytest.mark.parametrize(
    ("stack", "fast", "more", "expected"),
    [
        ("unsloth@2026.4.8", "FastLanguageModel", "", True),
        ("unsloth@2026.4.8", "FastLanguageModel", "data_collator=Collator()", False),
        ("unsloth@2026.10.9", "FastLanguageModel", "data_collator=Collator()", False),
        ("unsloth@2026.4.8", "FastLanguageModel", "data_collator=None", True),
        ("unsloth@2025.12.1", "FastLanguageModel", "data_collator=Collator()", True),
        ("unsloth@2026.4.8", "FastVisionModel", "", (False, True)),
        ("unsloth@2025.12.1", "FastVisionModel", "", True),
        ("trl@0.24", "FastLanguageModel", "data_collator=Collator()", (False, True)),
        ("unsloth@2026.4.8", "FastLanguageModel", "**options", (False, True)),
    ],
)
def test_packing_is_turned_off_for_collators_and_processors(stack: str, fast: str, more: str, expected: object) -> None:
    found = settings_of(f"{stack} transformers@4.57", fast, f"{COLLATOR}{TRAINER}", args="packing=True", **({"more": more} if more else {}))
    assert found["packing"] == expected


MADE = "from trl import SFTConfig\n\n\ndef made():\n    return SFTConfig(output_dir='out')\n"
USES = (
    "{first}\n{second}\nfrom trl import SFTTrainer\nmodel, _ = FastLanguageModel.from_pretrained('unsloth/Qwen3-8B', max_seq_length=4096)\n"
    "model = FastLanguageModel.get_peft_model(model, r=16, target_modules=['q_proj'])\n"
    "SFTTrainer(model=model, train_dataset=data, args=made()).train()\n"
)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("from unsloth import FastLanguageModel", "from helpers import made", 4),
        ("from helpers import made", "from unsloth import FastLanguageModel", (4, 8)),
    ],
)
def test_a_module_of_the_project_that_is_imported_first_has_trls_class(first: str, second: str, expected: object) -> None:
    files = {"train.py": USES.format(first=first, second=second), "helpers.py": MADE}
    (run,) = judge_texts(files, budget="device h200; stack unsloth@2026.4.8 trl@0.24 transformers@4.57").runs
    found = run.run.settings["eval_batch"]
    assert (found.value if found.known else found.readings) == expected


LENGTHS = {
    # what from_pretrained is given, what the config is given, the release: the length of the rows
    ("max_seq_length=4096", "", ""): 4096,
    ("max_seq_length=4096", "max_length=None", ""): 4096,
    ("max_seq_length=4096", "max_length=None", "2025.6.1"): 4096,
    ("max_seq_length=4096", "max_length=None", "2026.5.5"): 4096,
    ("max_seq_length=4096", "max_length=8192", "2026.5.5"): 4096,
    ("max_seq_length=4096", "max_seq_length=512", "2026.5.5"): 512,
    ("max_seq_length=4096", "max_length=512", "2025.6.1"): 4096,
    ("max_seq_length=4096", "max_length=512", "2026.6.9"): 4096,
    ("max_seq_length=4096", "max_length=512", "2026.8.1"): None,  # the release that heeds it lies between two that were read
    ("max_seq_length=4096", "max_length=512", "2026.10.9"): 512,
    ("max_seq_length=4096", "max_length=512", "2024.8"): 512,
    ("max_seq_length=4096", "max_length=512", ""): None,
    ("", "max_length=512", "2026.5.5"): 2048,
    ("", "max_length=2048", ""): 2048,
    ("max_seq_length=N", "max_length=512", ""): None,
    ("**more", "max_length=512", "2026.5.5"): None,
    ("**more", "max_length=512", "2024.8"): 512,
    ("max_seq_length=N", "max_length=None", "2026.5.5"): None,
    ("**more", "max_length=None", "2026.5.5"): None,
    ("", "", "2026.5.5"): 2048,
    ("", "max_length=None", "2026.5.5"): 2048,
    ("", "max_length=None", ""): 2048,
    ("", "", ""): 2048,
    # a release that leaves TRL's trainers alone
    ("max_seq_length=4096", "", "2024.8"): 1024,
    ("max_seq_length=4096", "max_length=None", "2024.8"): None,
    ("", "", "2024.8"): 1024,
    ("", "max_length=None", "2024.8"): None,
}


@pytest.mark.parametrize(("load", "config", "release"), LENGTHS)
def test_the_length_of_the_model_where_the_config_has_none(load: str, config: str, release: str) -> None:
    script = (
        "import os\nfrom unsloth import FastLanguageModel\nfrom trl import SFTConfig, SFTTrainer\n"
        "from acme import more\nN = os.environ['N']\n"
        f"model, tokenizer = FastLanguageModel.from_pretrained('unsloth/Qwen3-8B', load_in_4bit=True, {load})\n"
        "model = FastLanguageModel.get_peft_model(model, r=16)\n"
        f"SFTTrainer(model=model, train_dataset=data, args=SFTConfig('out', {config})).train()\n"
    )
    (run,) = judge_texts({"train.py": script, **({"requirements.txt": f"unsloth=={release}\n"} if release else {})}).runs
    assert run.run.settings.value("seq_len") == LENGTHS[load, config, release]


def test_a_preference_run_keeps_what_its_config_says() -> None:
    script = SCRIPT.format("['q_proj']").replace("SFT", "DPO").replace("bf16=True", "max_length=None")
    (run,) = judge_texts({"train.py": script}).runs
    assert run.run.settings["seq_len"].state == "unbounded"


HALF = (
    "import torch\nfrom unsloth import FastLanguageModel\nfrom trl import SFTConfig, SFTTrainer\n"
    "model, tokenizer = FastLanguageModel.from_pretrained('{model}', dtype=torch.{dtype})\n"
    "{adapter}"
    "SFTTrainer(model=model, train_dataset=data, args=SFTConfig('out', {args})).train()\n"
)
ADAPTER = "model = FastLanguageModel.get_peft_model(model, r=16)\n"
FORCED = {
    # the model, its dtype, what the config says, whether an adapter trains: autocast and the dtype of the weights, or what they may be
    ("unsloth/gemma-3-4b-it", "float16", "fp16=True", True): (("none", "fp16"), ("bf16", "fp16")),
    ("unsloth/Qwen3.5-0.8B", "float16", "fp16=True", True): (("none", "fp16"), ("bf16", "fp16")),
    ("unsloth/gpt-oss-20b", "float16", "fp16=True", True): (("none", "fp16"), ("bf16", "fp16")),
    ("unsloth/Qwen3-30B-A3B", "float16", "fp16=True", True): (("none", "fp16"), ("bf16", "fp16")),
    ("unsloth/Qwen3.5-0.8B", "bfloat16", "bf16=True", True): ("bf16", "bf16"),
    ("unsloth/Qwen3-8B", "float16", "fp16=True", True): ("fp16", "fp16"),
}


@pytest.mark.parametrize(("model", "dtype", "args", "adapter"), FORCED)
def test_some_models_are_not_trained_in_half_precision(model: str, dtype: str, args: str, adapter: bool) -> None:
    text = HALF.format(model=model, dtype=dtype, args=args, adapter=ADAPTER if adapter else "")
    (run,) = judge_texts({"train.py": text}).runs
    found = (run.run.settings["autocast"], run.run.settings["weights_dtype"])
    assert tuple(one.value if one.known else one.readings for one in found) == FORCED[model, dtype, args, adapter]
