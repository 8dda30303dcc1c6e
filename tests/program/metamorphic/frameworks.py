"""Runs of programs that are known by name, in each way that the program takes them; engines as a file, as a dict and as flags."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.program.metamorphic.surfaces import Files, flags, word, yaml_text

_STACK = "stack transformers@4.57 trl@0.25 peft@0.18 accelerate@1.12 torch@2.9 deepspeed@0.18 axolotl@0.13 llamafactory@0.9.4"
_ONE, _TWO = f"device a100-80gb; {_STACK}", f"device 2x a100-80gb; {_STACK}; seq 1024"


class Known(NamedTuple):
    """``surfaces``: files by what they are, the first being that which the others are compared with. ``codes``: what has to be found.
    ``open``: surfaces that do not say the same yet."""

    name: str
    surfaces: Mapping[str, Files]
    codes: tuple[str, ...] = ()
    budget: str = _ONE
    open: tuple[str, ...] = ()


Values = Mapping[str, Any]
SMALL, LARGE = "Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-7B"


def _json(values: Values) -> str:
    return json.dumps(dict(values), indent=2) + "\n"


def _trl(task: str, values: Values) -> dict[str, Files]:
    """``trl TASK``: a file of defaults in YAML, the same as JSON, which is YAML, flags, and both."""
    names = list(values)
    half, rest = ({name: values[name] for name in part} for part in (names[::2], names[1::2]))
    return {
        "YAML": {"c.yaml": yaml_text(values), "run.sh": f"trl {task} --config c.yaml\n"},
        "JSON": {"c.yaml": _json(values), "run.sh": f"trl {task} --config c.yaml\n"},
        "flags": {"run.sh": f"trl {task} {flags(values)}\n"},
        "flags in one word": {"run.sh": f"trl {task} {flags(values, join='=')}\n"},
        "flags over YAML": {"c.yaml": yaml_text(half), "run.sh": f"trl {task} --config c.yaml {flags(rest)}\n"},
        "flags before YAML": {"c.yaml": yaml_text(half), "run.sh": f"trl {task} {flags(rest)} --config c.yaml\n"},
    }


def _llamafactory(values: Values) -> dict[str, Files]:
    names = list(values)
    half, rest = ({name: values[name] for name in part} for part in (names[::2], names[1::2]))
    words = " ".join(f"{name}={word(value)}" for name, value in rest.items())
    return {
        "YAML": {"c.yaml": yaml_text(values), "run.sh": "llamafactory-cli train c.yaml\n"},
        "JSON": {"c.json": _json(values), "run.sh": "llamafactory-cli train c.json\n"},
        "flags": {"run.sh": f"llamafactory-cli train {flags(values)}\n"},
        "words over YAML": {"c.yaml": yaml_text(half), "run.sh": f"llamafactory-cli train c.yaml {words}\n"},
    }


def _axolotl(values: Values, *over: str) -> dict[str, Files]:
    """``over``: keys that are flags on the last surface."""
    below = {name: value for name, value in values.items() if name not in over}
    above = {name: values[name] for name in over}
    return {
        "YAML": {"c.yaml": yaml_text(values), "run.sh": "axolotl train c.yaml\n"},
        "JSON": {"c.yaml": _json(values), "run.sh": "axolotl train c.yaml\n"},
        "flags over YAML": {"c.yaml": yaml_text(below), "run.sh": f"axolotl train c.yaml {flags(above, dashes=True)}\n"},
    }


def _run_clm(values: Values) -> dict[str, Files]:
    """transformers' own script, which is not here."""
    return {
        "flags": {"run.sh": f"python run_clm.py {flags(values)}\n"},
        "JSON": {"args.json": _json(values), "run.sh": "python run_clm.py args.json\n"},
    }


_OWN = """\
import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
{head}
model = AutoModelForCausalLM.from_pretrained("{model}", torch_dtype=torch.bfloat16)
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, gradient_accumulation_steps=4, bf16=True{more})
Trainer(model=model, args=args, train_dataset=rows).train()
"""


def _own(head: str = "", more: str = "") -> str:
    return _OWN.replace("{model}", SMALL).replace("{head}", head).replace("{more}", more)


def _deepspeed(engine: Values) -> dict[str, Files]:
    text = json.dumps(dict(engine))
    parse = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--deepspeed')\nwords = parser.parse_args()"
    load = "import json\nwith open('ds.json') as file:\n    engine = json.load(file)"
    run = "accelerate launch --num_processes 2 train.py"
    return {
        "a file": {"train.py": _own(more=', deepspeed="ds.json"'), "ds.json": text, "run.sh": f"{run}\n"},
        "a dict": {"train.py": _own(more=f", deepspeed={dict(engine)!r}"), "run.sh": f"{run}\n"},
        "a flag": {"train.py": _own(parse, ", deepspeed=words.deepspeed"), "ds.json": text, "run.sh": f"{run} --deepspeed ds.json\n"},
        "a file that the program loads": {"train.py": _own(load, ", deepspeed=engine"), "ds.json": text, "run.sh": f"{run}\n"},
    }


def _accelerate(config: Values, words: str) -> dict[str, Files]:
    return {
        "a file": {
            "acc.yaml": yaml_text(config), "train.py": _own(), "run.sh": "accelerate launch --config_file acc.yaml train.py\n",
        },
        "flags": {"train.py": _own(), "run.sh": f"accelerate launch {words} train.py\n"},
        "a file in JSON": {
            "acc.json": _json(config), "train.py": _own(), "run.sh": "accelerate launch --config_file=acc.json train.py\n",
        },
    }  # fmt: skip


TRAINING = {"output_dir": "out", "per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "learning_rate": 2e-5, "bf16": True}
TRL = {"model_name_or_path": SMALL, "dataset_name": "trl-lib/Capybara", **TRAINING}
LF = {
    "stage": "sft", "do_train": True, "model_name_or_path": LARGE, "dataset": "alpaca", "template": "qwen", "finetuning_type": "lora",
    "lora_target": "all", "cutoff_len": 1024, **TRAINING,
}  # fmt: skip
AX = {
    "base_model": LARGE, "sequence_len": 2048, "micro_batch_size": 2, "gradient_accumulation_steps": 2, "num_epochs": 1, "adapter": "lora",
    "lora_r": 16, "lora_alpha": 32, "lora_target_linear": True, "optimizer": "adamw_torch", "learning_rate": 2e-4, "bf16": True,
    "datasets": [{"path": "d.jsonl", "type": "alpaca"}], "output_dir": "out",
}  # fmt: skip
ENGINE = {
    "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "bf16": {"enabled": True}, "zero_optimization": {"stage": 2},
}  # fmt: skip
FSDP = {
    "compute_environment": "LOCAL_MACHINE", "distributed_type": "FSDP", "num_machines": 1, "num_processes": 2, "mixed_precision": "bf16",
    "fsdp_config": {"fsdp_sharding_strategy": "FULL_SHARD", "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"},
}  # fmt: skip
_FSDP_WORDS = (
    "--use_fsdp --num_machines 1 --num_processes 2 --mixed_precision bf16 --fsdp_sharding_strategy FULL_SHARD "
    "--fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP"
)

_MIXED = ("flags over YAML", "flags before YAML")
"""One switch in the file, the other a flag: the rule looks at one document."""
_INSIDE = ("a dict", "a file that the program loads")
"""An engine that is no file of its own has none of the engine's defaults, and rules that compare it with the trainer do not see it."""

KNOWN: tuple[Known, ...] = (
    Known("trl sft", _trl("sft", {**TRL, "max_length": 1024})),
    Known("trl sft with LoRA on 4 bits", _trl("sft", {**TRL, "use_peft": True, "load_in_4bit": True, "lora_r": 16, "max_length": 512})),
    Known("trl sft on 4 and 8 bits", _trl("sft", {**TRL, "use_peft": True, "load_in_4bit": True, "load_in_8bit": True}), ("BL403",),
        open=_MIXED),
    Known("trl sft with old names", _trl("sft", {**TRL, "max_seq_length": 512, "evaluation_strategy": "no"}), ("BL601", "BL607")),
    Known("trl dpo that does not fit", _trl("dpo", {**TRL, "model_name_or_path": "Qwen/Qwen2.5-32B", "max_length": 2048}), ("BL101",)),
    Known("trl grpo", _trl("grpo", {**TRL, "num_generations": 3, "max_completion_length": 256}), ("BL614",)),
    Known("LLaMA-Factory", _llamafactory(LF)),
    Known("LLaMA-Factory with no warm-up", _llamafactory({**LF, "lr_scheduler_type": "constant", "warmup_steps": 9}), ("BL303",)),
    Known("LLaMA-Factory with a dropout in percent", _llamafactory({**LF, "lora_dropout": 5.0}), ("BL436",)),
    Known("axolotl", _axolotl(AX, "micro_batch_size", "learning_rate")),
    Known("axolotl on 4 and 8 bits", _axolotl({
        **AX, "adapter": "qlora", "load_in_4bit": True, "load_in_8bit": True}, "lora_r"), ("BL403",)),
    Known("axolotl with an alpha of nothing", _axolotl({**AX, "lora_alpha": 0}, "micro_batch_size"), ("BL437",)),
    Known("run_clm.py", _run_clm({
        "model_name_or_path": SMALL, "dataset_name": "wikitext", "block_size": 1024, "do_train": True, **TRAINING})),
    Known("run_clm.py that evaluates nothing", _run_clm({
        "model_name_or_path": SMALL, "train_file": "t.txt", "block_size": 512, "do_train": True, "fp16": True, **TRAINING}), ("BL205",)),
    Known("DeepSpeed", _deepspeed(ENGINE), budget=_TWO, open=_INSIDE),
    Known("DeepSpeed with other numbers", _deepspeed({**ENGINE, "train_micro_batch_size_per_gpu": 4}), ("BL501",),
        budget=_TWO, open=_INSIDE),
    Known("DeepSpeed in another dtype", _deepspeed({**ENGINE, "bf16": {"enabled": False}, "fp16": {"enabled": True}}), ("BL206",),
        budget=_TWO, open=_INSIDE),
    Known("FSDP by accelerate", _accelerate(FSDP, _FSDP_WORDS), budget=_TWO),
    Known("accelerate in another dtype", _accelerate({
        "compute_environment": "LOCAL_MACHINE", "distributed_type": "MULTI_GPU", "num_machines": 1, "num_processes": 2,
        "mixed_precision": "fp16"}, "--multi_gpu --num_machines 1 --num_processes 2 --mixed_precision fp16"), ("BL210",), budget=_TWO),
)  # fmt: skip
