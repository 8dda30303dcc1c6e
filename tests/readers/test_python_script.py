"""Training scripts in Python: what their text tells becomes settings, what it does not tell is never a default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from budgetlint.base.finding import Finding
from budgetlint.base.source import SourceFile
from budgetlint.documents import load
from budgetlint.files.disk import DiskFiles
from budgetlint.readers import Reader, identify
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import OriginKind
from budgetlint.testing import report_on

HEAD = """\
import torch
from transformers import (AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer, BitsAndBytesConfig, GPTQConfig,
    Trainer, TrainingArguments)
from trl import DPOConfig, GRPOConfig, SFTConfig, SFTTrainer
from peft import LoraConfig, PeftModel, PrefixTuningConfig, get_peft_model, prepare_model_for_kbit_training
"""
MODEL = 'model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")\n'
ARGUMENTS = 'args = TrainingArguments("out", per_device_train_batch_size=2, bf16=True, seed=1)\n'


def run_of(text: str, head: str = HEAD) -> RunContext:
    (found,) = judge_texts({"train.py": head + text}).runs
    return found


def shown(run: RunContext, name: str) -> Any:
    """The value; the readings where there are several; ``?`` where it is not known, ``-`` where it is not there."""
    setting = run.setting(name)
    if setting is None:
        return "-"
    return setting.value if setting.known else setting.readings or "?"


def format_of(text: str) -> str | None:
    (document,) = load(SourceFile("train.py", text))
    found = identify(document)
    return found.format if isinstance(found, Reader) else None


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (ARGUMENTS, "python_script"),
        ("TrainingArguments('out', per_device_train_batch_size=args.b)", None),
        ("SFTConfig(max_length=8, packing=True)", "python_trl_script"),
        ("SFTConfig(max_length=8, packing=True)\n" + ARGUMENTS, None),
        ("TrainingArguments(**options)", None),
        ("LoraConfig(r=8)\n" + MODEL, None),
        ("parser = HfArgumentParser((ModelArguments, TrainingArguments))", None),
        ("class Mine(TrainingArguments): pass", None),
        (ARGUMENTS + "def broken(:", None),
    ],
)
def test_what_is_claimed(text: str, format: str | None) -> None:
    assert format_of(HEAD + text) == format


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"micro_batch": 2, "autocast": "bf16", "model": "Qwen/Qwen2.5-7B", "weights_dtype": ("auto", "fp32"), "grad_accum": 1,
              "adapter": "none", "quant": "none", "recompute": "none", "loss": "full"}),
        ("model.config.use_cache = False", {"use_cache": False}),
        ("args.per_device_train_batch_size = 4", {"micro_batch": "?"}),
        ("args.seed = 4", {"micro_batch": 2}),
        ("model.gradient_checkpointing_enable()", {"recompute": "full"}),
        ("if args.gc: model.gradient_checkpointing_enable()", {"recompute": ("full", "none")}),
        ("prepare_model_for_kbit_training(model, use_gradient_checkpointing=False)", {"recompute": "none"}),
        ("for p in model.parameters(): p.requires_grad = False", {"adapter": ("other", "none")}),
        ("model.requires_grad_(False)", {"adapter": ("other", "none")}),
        ("class T(Trainer):\n  def compute_loss(self, model): ...", {"loss": ("fused", "full")}),
        ("Trainer(model, args, optimizers=(o, None))", {"optimizer": ("sgd", "adamw")}),
        ("class T(Trainer):\n  def create_optimizer(self): ...", {"optimizer": ("sgd", "adamw")}),
        ("SFTTrainer(model, args=args, max_seq_length=512, packing=True)", {"seq_len": 512, "packing": True, "task": "sft",
                                                                             "loss": ("chunked", "full")}),
        ("SFTTrainer(model, args=args, max_seq_length=n)", {"seq_len": "?"}),
    ],
)  # fmt: skip
def test_what_stands_beside_the_arguments(text: str, expected: dict[str, Any]) -> None:
    run = run_of(f"{MODEL}{ARGUMENTS}{text}\n")
    assert {name: shown(run, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("gradient_checkpointing=True", {"recompute": "full"}),
        ("gradient_checkpointing=args.gc", {"recompute": ("full", "none")}),
        ("gradient_checkpointing=True, gradient_checkpointing_kwargs={'use_reentrant': False}", {"recompute_reentrant": False}),
        ("optim='adamw_bnb_8bit'", {"optimizer": "adamw8bit"}),
        ("optim=args.optim", {"optimizer": ("sgd", "adamw")}),
        ("bf16=ok(), fp16=not ok()", {"autocast": ("bf16", "fp16")}),
        ("bf16=args.bf16, fp16=args.fp16", {"autocast": ("bf16", "none")}),
        ("fp16=True", {"autocast": "fp16"}),
        ("deepspeed=args.deepspeed", {"shard": ("zero3", "ddp"), "offload_optimizer": ("cpu", "none")}),
        ("deepspeed={'zero_optimization': {'stage': 2}, 'bf16': {'enabled': True}}", {"shard": "zero2"}),
        ("fsdp=args.fsdp", {"shard": ("zero3", "ddp")}),
        ("fsdp='full_shard auto_wrap'", {"shard": ("fsdp2", "fsdp"), "wrap": "layer"}),
        ("auto_find_batch_size=True", {"micro_batch": "?"}),
        ("auto_find_batch_size=False", {"micro_batch": 2}),
        ("use_liger_kernel=True", {"loss": "fused"}),
        ("**more", {"grad_accum": "-", "optimizer": ("sgd", "adamw"), "recompute": ("full", "none"), "micro_batch": 2}),
    ],
)
def test_arguments(arguments: str, expected: dict[str, Any]) -> None:
    run = run_of(f"{MODEL}args = TrainingArguments('out', per_device_train_batch_size=2, seed=1, {arguments})\n")
    assert {name: shown(run, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("'a/b', torch_dtype=torch.bfloat16", {"model": "a/b", "weights_dtype": "bf16"}),
        ("'a/b', dtype='auto'", {"weights_dtype": "auto"}),
        ("'a/b', dtype=d", {"weights_dtype": ("auto", "fp32")}),
        ("pretrained_model_name_or_path='a/b'", {"model": "a/b"}),
        ("name", {"model": "?", "quant": "none"}),
        ("'a/b', attn_implementation='flash_attention_2'", {"attention": "flash"}),
        ("'a/b', attn_implementation='sdpa' if x else 'eager'", {"attention": ("flash", "sdpa")}),
        ("'a/b', load_in_8bit=True", {"quant": "int8"}),
        ("'a/b', load_in_4bit=args.q", {"quant": ("nf4", "none")}),
        ("'a/b', quantization_config=BitsAndBytesConfig(load_in_4bit=True)",
         {"quant": "fp4", "quant_double": False, "quant_compute_dtype": "fp32"}),
        ("'a/b', quantization_config=BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4', bnb_4bit_use_double_quant=True,"
         " bnb_4bit_compute_dtype=torch.bfloat16)", {"quant": "nf4", "quant_double": True, "quant_compute_dtype": "bf16"}),
        ("'a/b', quantization_config=BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=t)", {"quant": ("nf4", "fp4")}),
        ("'a/b', quantization_config=BitsAndBytesConfig(**q)", {"quant": ("nf4", "none")}),
        ("'a/b', quantization_config=GPTQConfig(bits=4)", {"quant": ("nf4", "none")}),
        ("'a/b', quantization_config=config", {"quant": ("nf4", "none")}),
        ("'a/b', quantization_config=None", {"quant": "none"}),
        ("'a/b', **kwargs", {"model": "a/b", "quant": ("nf4", "none"), "weights_dtype": ("auto", "fp32")}),
        ("'unsloth/Llama-3.1-8B-bnb-4bit'", {"quant": ("nf4", "none")}),
        ("'a/b').to(torch.bfloat16", {"weights_dtype": ("auto", "fp32")}),
        ("'a/b', device_map='auto'", {"pipeline_parallel": (1, 8)}),
        ("'a/b', device_map={'': 0}", {"pipeline_parallel": "-"}),
    ],
)  # fmt: skip
def test_models(arguments: str, expected: dict[str, Any]) -> None:
    run = run_of(f"model = AutoModelForCausalLM.from_pretrained({arguments})\n{ARGUMENTS}")
    assert {name: shown(run, name) for name in expected} == expected


LORA = "lora = LoraConfig(r=16, lora_alpha=32, target_modules=['q_proj', 'v_proj'])\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LORA + "model = get_peft_model(model, lora)",
         {"adapter": "lora", "lora_r": 16, "lora_dropout": 0.0, "lora_targets": ("q_proj", "v_proj")}),
        (LORA + "SFTTrainer(model, args=args, peft_config=lora)", {"adapter": "lora", "lora_alpha": 32.0}),
        (LORA + "SFTTrainer(model, args=args, peft_config=lora if x else None)", {"adapter": ("other", "none")}),
        (LORA + "if x:\n  model = get_peft_model(model, lora)", {"adapter": ("other", "none")}),
        (LORA, {"adapter": ("other", "none")}),
        ("SFTTrainer(model, args=args, peft_config=None)", {"adapter": "none"}),
        (LORA + "get_peft_model(model, lora)\nSFTTrainer(model, args=args, peft_config=lora)", {"adapter": "lora"}),
        (LORA + "get_peft_model(model, lora)\nPeftModel.from_pretrained(model, 'x')",
         {"adapter": ("other", "none"), "model": "Qwen/Qwen2.5-7B"}),
        ("get_peft_model(model, config)", {"adapter": ("other", "none")}),
        ("get_peft_model(model, LoraConfig())", {"adapter": "lora", "lora_r": 8}),
        ("get_peft_model(model, LoraConfig(**options))", {"adapter": "lora", "lora_r": "?"}),
        ("get_peft_model(model, LoraConfig(r=args.r, target_modules=names))", {"lora_r": "?", "lora_targets": "?"}),
        ("get_peft_model(model, LoraConfig(target_modules=r'.*\\.(q|v)_proj, x'))", {"lora_targets": (".*\\.(q|v)_proj, x",)}),
        ("get_peft_model(model, PrefixTuningConfig(num_virtual_tokens=8))", {"adapter": "other"}),
        ("model = prepare_model_for_kbit_training(model)", {"adapter": ("other", "none"), "recompute": "full"}),
    ],
)  # fmt: skip
def test_adapters(text: str, expected: dict[str, Any]) -> None:
    run = run_of(f"{MODEL}{ARGUMENTS}{text}\n")
    assert {name: shown(run, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SFTConfig(max_length=4096, packing=True)", {"task": "sft", "seq_len": 4096, "packing": True, "autocast": ("bf16", "none")}),
        ("DPOConfig(per_device_train_batch_size=1, beta=0.1)", {"task": "dpo", "seq_len": 1024}),
        ("DPOConfig(precompute_ref_log_probs=True, beta=0.1)", {"task": "dpo", "reference_model": "none"}),
        ("DPOConfig(precompute_ref_log_probs=args.p, max_length=8, beta=0.1)", {"reference_model": ("none", "policy")}),
        ("GRPOConfig(num_generations=8, max_completion_length=256, max_prompt_length=256)", {"task": "grpo", "seq_len": 512}),
    ],
)
def test_trl_tells_the_task_by_its_class(text: str, expected: dict[str, Any]) -> None:
    run = run_of(f"{MODEL}{text}\n")
    assert {name: shown(run, name) for name in (*expected, "weights_dtype")} == {**expected, "weights_dtype": ("auto", "fp32")}


def test_a_trl_trainer_loads_the_model_that_it_is_given_by_name() -> None:
    run = run_of("args = SFTConfig(max_length=512, packing=True)\nSFTTrainer(model='Qwen/Qwen2.5-7B', args=args)\n")
    assert (shown(run, "model"), shown(run, "weights_dtype"), shown(run, "adapter")) == ("Qwen/Qwen2.5-7B", "fp32", "none")


def test_a_model_from_elsewhere_is_open() -> None:
    run = run_of("model = load_model()\n" + ARGUMENTS)
    assert [shown(run, name) for name in ("model", "adapter", "quant", "weights_dtype")] == [
        "-",
        ("other", "none"),
        ("nf4", "none"),
        ("auto", "fp32"),
    ]


def test_a_classifier() -> None:
    run = run_of("m = AutoModelForSequenceClassification.from_pretrained('bert-base-uncased')\n" + ARGUMENTS)
    assert shown(run, "model_head") == "classification"


def test_two_calls_that_differ_are_no_guess() -> None:
    run = run_of(MODEL + "TrainingArguments('a', per_device_train_batch_size=2, bf16=True, max_steps=1)\n"
                         "TrainingArguments('b', per_device_train_batch_size=4, bf16=True, max_steps=1)\n")  # fmt: skip
    assert (shown(run, "micro_batch"), shown(run, "autocast")) == ("?", "bf16")


UNSLOTH = "import torch\nfrom unsloth import FastLanguageModel\nfrom trl import SFTConfig, SFTTrainer\n"


@pytest.mark.parametrize(
    ("load", "wrap", "expected"),
    [
        ("model_name='unsloth/Meta-Llama-3.1-8B', max_seq_length=2048, load_in_4bit=True, dtype=None",
         "r=32, target_modules=['q_proj'], lora_alpha=16",
         {"model": "unsloth/Meta-Llama-3.1-8B", "quant": "nf4", "adapter": "lora", "lora_r": 32, "quant_double": True,
          "weights_dtype": ("bf16", "fp16"), "loss": ("fused", "in-place-copied"), "recompute": "full", "recompute_offload": True}),
        ("'unsloth/Meta-Llama-3.1-8B'", "", {"quant": "nf4", "lora_r": 16, "lora_targets": ("all-linear",)}),
        ("'unsloth/Meta-Llama-3.1-8B'", "target_modules=['q_proj']", {"lora_r": 16, "lora_targets": ("q_proj",)}),
        ("'unsloth/Meta-Llama-3.1-8B', load_in_4bit=False", "", {"quant": "none"}),
        ("'unsloth/Meta-Llama-3.1-8B', load_in_4bit=q", "", {"quant": ("nf4", "none")}),
    ],
)  # fmt: skip
def test_unsloth(load: str, wrap: str, expected: dict[str, Any]) -> None:
    text = f"model, tokenizer = FastLanguageModel.from_pretrained({load})\nmodel = FastLanguageModel.get_peft_model(model, {wrap})\n"
    run = run_of(f"{text}SFTTrainer(model=model, args=SFTConfig(max_length=2048, per_device_train_batch_size=2))\n", UNSLOTH)
    assert {name: shown(run, name) for name in expected} == expected


def test_settings_stand_where_their_literals_stand() -> None:
    text = HEAD + "BATCH = 4\n" + MODEL + "args = TrainingArguments('out', per_device_train_batch_size=BATCH, bf16=True)\n"
    (run,) = judge_texts({"train.py": text}).runs
    found = {name: run.run.settings[name].origin for name in ("micro_batch", "autocast", "model")}
    assert {name: text[o.span.start : o.span.end] for name, o in found.items() if o.span} == {
        "micro_batch": "4", "autocast": "True", "model": '"Qwen/Qwen2.5-7B"',
    }  # fmt: skip
    assert all(origin.kind is OriginKind.FILE for origin in found.values())


def test_a_deepspeed_file_that_the_script_names_joins_the_run() -> None:
    script = HEAD + MODEL + "TrainingArguments('o', per_device_train_batch_size=2, bf16=True, deepspeed='ds.json')\n"
    (run,) = judge_texts({"train.py": script, "ds.json": '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}'}).runs
    assert run.value("shard") == "zero3"


def findings(text: str, budget: str = "device 24GiB", **others: str) -> dict[str, Finding]:
    report = report_on({"train.py": HEAD + text, **others}, budget, None, installed())
    return {finding.name: finding for finding in report.findings}


HUGE = (
    'model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-72B"{})\n'
    + ARGUMENTS
    + "SFTTrainer(model, args=args, max_seq_length=2048)\n"
)


def test_what_cannot_fit_is_told() -> None:
    assert "does-not-fit" in findings(HUGE.format(", torch_dtype=torch.bfloat16"))


@pytest.mark.parametrize(
    "text",
    [
        HUGE.format(", torch_dtype=torch.bfloat16, device_map='auto'"),
        HUGE.format(", torch_dtype=torch.bfloat16").replace("bf16=True", "deepspeed=args.deepspeed, bf16=True"),
        HUGE.format(", **options") + "model = get_peft_model(model, config)",
        HUGE.format("").replace("per_device_train_batch_size=2", "seed=1, **more"),
    ],
    ids=["split over devices", "an engine that is not known", "a model that may be quantised", "arguments that are not seen"],
)
def test_what_is_not_known_is_no_alarm(text: str) -> None:
    assert not {"does-not-fit", "tight-fit"} & set(findings(text, "device 8 x 80GiB"))


def test_document_rules_say_nothing_about_programs() -> None:
    text = MODEL + "common = {'bf16': True}\nTrainingArguments('o', **{**common, 'bf16': False}, my_key=1, weight_decay='0.1', seed=1)\n"
    assert not {"unknown-key", "duplicate-key", "float-as-string"} & set(findings(text))


def test_fixes_do_not_edit_programs() -> None:
    text = (
        MODEL
        + "TrainingArguments('o', per_device_train_batch_size=2, fp16=True, bf16=True, evaluation_strategy='steps', optim='adamw_hf')\n"
    )
    assert all(not fix.edits for finding in findings(text).values() for fix in finding.fixes)


def test_comments_suppress_and_hold_budgets() -> None:
    text = HUGE.format(", torch_dtype=torch.bfloat16")
    assert "does-not-fit" not in findings(text + "# budgetlint: allow-file does-not-fit  on purpose\n")
    (run,) = judge_texts({"train.py": HEAD + text + "# budget: device 24GiB\n"}).runs
    assert run.target is not None and run.target.device is not None


def test_the_walk_takes_programs_that_train_only(tmp_path: Path) -> None:
    wanted = {"train.py": ARGUMENTS.encode()}
    others = {
        "helper.py": b"x = 1\n",
        "test_train.py": ARGUMENTS.encode(),
        "latin.py": b"# caf\xe9\n" + ARGUMENTS.encode(),
        "long.py": ARGUMENTS.encode() + b"#" * 2**18,
    }
    for name, content in {**wanted, **others}.items():
        (tmp_path / name).write_bytes(content)
    assert list(DiskFiles(tmp_path).expand(["."])) == sorted(wanted)
    assert list(DiskFiles(tmp_path).expand(["helper.py"])) == ["helper.py"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("torchrun --nproc_per_node 8 train.py", {"devices": 8, "micro_batch": "?"}),
        ("torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 4", {"devices": 8, "micro_batch": 4, "autocast": "bf16"}),
        ("python train.py --deepspeed ds.json --lr 1", {"shard": "zero3", "learning_rate": "?"}),
    ],
)
def test_a_launched_script_is_one_run_with_its_command(command: str, expected: dict[str, Any]) -> None:
    arguments = (
        "args = TrainingArguments('o', per_device_train_batch_size=a.b, learning_rate=a.lr, bf16=True, seed=1, deepspeed=a.deepspeed)"
    )
    engine = '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}'
    (run,) = judge_texts({"train.py": HEAD + MODEL + arguments, "run.sh": command, "ds.json": engine}).runs
    assert run.run.name == "run.sh"
    assert {name: shown(run, name) for name in expected} == expected


_SCHEDULED = """\
args = TrainingArguments("out", per_device_train_batch_size=2, bf16=True, lr_scheduler_type="cosine", warmup_steps=10, optim="adamw_torch")
class Own(Trainer):
{method}
Own(model=model, args=args, train_dataset=[]).train()
"""
_MADE_BY_BASE = {"lr_scheduler": "cosine", "warmup_steps": 10.0, "optimizer": "adamw"}
_OPEN_SCHEDULE = {"lr_scheduler": "?", "warmup_steps": "?"}


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("def create_scheduler(self, num_training_steps, optimizer=None): return mine(optimizer)", _MADE_BY_BASE | _OPEN_SCHEDULE),
        ("def create_optimizer_and_scheduler(self, num_training_steps): self.optimizer = mine()",
         _OPEN_SCHEDULE | {"optimizer": ("sgd", "adamw")}),
        ("def create_optimizer(self): return mine(self.model)", _MADE_BY_BASE | {"optimizer": ("sgd", "adamw")}),
        ("def create_scheduler(self, num_training_steps, optimizer=None):\n"
         "    return super().create_scheduler(num_training_steps, optimizer=optimizer)", _MADE_BY_BASE),
        ("def create_scheduler(self, num_training_steps, optimizer=None): return super().create_scheduler(9, optimizer)",
         _MADE_BY_BASE | _OPEN_SCHEDULE),
        ("def create_optimizer(self): super().create_optimizer(); self.optimizer = mine()",
         _MADE_BY_BASE | {"optimizer": ("sgd", "adamw")}),
        ("def log(self, *args): pass", _MADE_BY_BASE),
    ],
)  # fmt: skip
def test_a_schedule_of_a_trainer_of_ones_own_is_not_that_of_the_arguments(method: str, expected: dict[str, Any]) -> None:
    body = "\n".join(f"    {line}" for line in method.split("\n"))
    run = run_of(MODEL + _SCHEDULED.format(method=body))
    assert {name: shown(run, name) for name in expected} == expected


def test_an_open_schedule_is_told_at_the_method_that_opens_it() -> None:
    run = run_of(MODEL + _SCHEDULED.format(method="    def create_scheduler(self, num_training_steps): pass"))
    setting = run.setting("lr_scheduler")
    assert setting is not None and "def create_scheduler" in str(setting.origin.source.text.splitlines()[setting.origin.location.line - 1])
