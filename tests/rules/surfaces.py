"""A case of a rule, written by other means: what a YAML file says is said by a JSON file, by flags, by the calls of a Python program.

Made mechanically of the file's own keys and values, as its loader reads them. ``None`` where that surface cannot say them.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from budgetlint.base.record import open_record
from budgetlint.catalog.vocabulary import keys
from budgetlint.documents import Mapping as Block
from budgetlint.documents import Node, Scalar, Sequence
from budgetlint.resolve.runs import judge_texts
from budgetlint.rule import loads_with
from budgetlint.rules_api.context import DocumentContext
from budgetlint.testing import Case
from tests.rules.surface_words import call, flags_of

Files = Mapping[str, str]
JSON, FLAGS, PYTHON, CELL, SUBPROCESS = SURFACES = "JSON", "flags", "Python", "a cell", "subprocess"


@open_record
class Written:
    """What the one file of a case says: its keys with their plain values, what it looks like, and what it trains."""

    format: str
    task: str
    values: Mapping[str, Any]
    name: str


def written(case: Case) -> Written | None:
    """None for several files, no YAML or JSON, several documents, and for what no reader takes."""
    if len(case.files) != 1:
        return None
    name = next(iter(case.files))
    if not name.endswith((".yaml", ".yml", ".json")):
        return None
    judged = judge_texts(case.files, budget=case.budget or None)
    if len(judged.documents) != 1 or judged.documents[0].reading.document.mapping is None:
        return None
    context = judged.documents[0]
    task = str(context.reading.settings.value("task", "") or next((run.run.settings.value("task", "") for run in judged.runs), ""))
    values = _plain(context, context.reading.document.root)
    return Written(context.format, task, values, name) if isinstance(values, dict) else None


def _plain(context: DocumentContext, node: Node | None) -> Any:
    if isinstance(node, Block):
        return {entry.key.text: _plain(context, entry.value) for entry in node.entries}
    if isinstance(node, Sequence):
        return [_plain(context, one) for one in node.items]
    return node.value(loads_with(context.reading)) if isinstance(node, Scalar) else None


# -- one surface of one family of formats -------------------------------------------------------------------------------------


def rewritten(said: Written, surface: str) -> Files | None:
    """The same on another surface; None where none is known for this format, or the values cannot stand there."""
    make = _MAKERS.get((said.format, FLAGS if surface in _AROUND else surface))
    files = make(said) if make is not None else None
    return _AROUND[surface](files) if files is not None and surface in _AROUND else files


def budget_for(case: Case, said: Written, surface: str) -> str:
    """The case's budget, with the name that the file has here, or without it where there is none."""
    name = "train.json" if surface == JSON else ""
    return re.sub(rf";?\s*\bconfig {re.escape(said.name)}", f"; config {name}" if name else "", case.budget).strip("; \n")


def _in_a_cell(files: Files) -> Files | None:
    """A notebook that starts the same command."""
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": ["!" + files["run.sh"].strip()]}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return {name: text for name, text in files.items() if name != "run.sh"} | {"train.ipynb": json.dumps(book, indent=1)}


def _by_subprocess(files: Files) -> Files | None:
    """A program that starts the same command."""
    start = f"import subprocess\nsubprocess.run({shlex.split(files['run.sh'])!r}, check=True)\n"
    return {name: text for name, text in files.items() if name != "run.sh"} | {"start.py": start}


_AROUND: dict[str, Callable[[Files], Files | None]] = {CELL: _in_a_cell, SUBPROCESS: _by_subprocess}


def _trainer_json(said: Written) -> Files | None:
    return {"train.json": json.dumps(said.values, indent=1), "train.py": _program(said, 'parse_json_file("train.json")')}


def _trainer_flags(said: Written) -> Files | None:
    flags = flags_of(said.values)
    if flags is None:
        return None
    return {"run.sh": f"python train.py {flags}\n", "train.py": _program(said, "parse_args_into_dataclasses()")}


def _trainer_python(said: Written) -> Files | None:
    arguments, more = _split(said)
    if not more.keys() <= {"model_name_or_path", *_LOADS}:
        return None
    loaded = {key: value for key, value in more.items() if key in _LOADS}
    model = call("model = AutoModelForCausalLM.from_pretrained", loaded, repr(more.get("model_name_or_path", _MODEL)))
    lines = [
        "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments",
        model,
        call("args = TrainingArguments", arguments),
    ]
    return {"train.py": "\n".join((*lines, f"Trainer(model=model, args=args, {_data(said)}).train()", ""))}


_MODEL = "Qwen/Qwen2.5-1.5B"
_LOADS = ("torch_dtype", "dtype", "attn_implementation", "trust_remote_code")
"""What a program hands on to ``from_pretrained``."""


def _split(said: Written) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of ``TrainingArguments``, and what a program asks for beside them."""
    known = keys("hf", "training_arguments")
    return {k: v for k, v in said.values.items() if k in known}, {k: v for k, v in said.values.items() if k not in known}


def _data(said: Written) -> str:
    """An evaluation set where the file speaks of evaluations."""
    evaluates = any(word in key for key in said.values for word in ("eval", "metric", "best"))
    return "train_dataset=data, eval_dataset=data" if evaluates else "train_dataset=data"


def _program(said: Written, parses: str) -> str:
    _, more = _split(said)
    loaded = "".join(f", {name}=more.{name}" for name in more if name in _LOADS)
    fields = "\n".join(f"    {name}: {_type(value)} = None" for name, value in ({"model_name_or_path": ""} | more).items())
    return (
        "from dataclasses import dataclass\n"
        "from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments\n\n"
        f"@dataclass\nclass More:\n{fields}\n\n"
        f"more, args = HfArgumentParser((More, TrainingArguments)).{parses}\n"
        f"model = AutoModelForCausalLM.from_pretrained(more.model_name_or_path or {_MODEL!r}{loaded})\n"
        f"Trainer(model=model, args=args, {_data(said)}).train()\n"
    )


def _type(value: Any) -> str:
    return type(value).__name__ if type(value) in (bool, int, float, dict) else "list[str]" if isinstance(value, list) else "str"


def _trl_json(said: Written) -> Files | None:
    return {"train.json": json.dumps(said.values, indent=1), "run.sh": f"trl {said.task or 'sft'} --config train.json\n"}


def _trl_flags(said: Written) -> Files | None:
    flags = flags_of(said.values)
    return None if flags is None else {"run.sh": f"trl {said.task or 'sft'} {flags}\n"}


_TRL = {"sft": "SFT", "dpo": "DPO", "grpo": "GRPO", "kto": "KTO", "orpo": "ORPO", "reward": "Reward"}
_OF_MODEL = {"model_name_or_path": "", "attn_implementation": "attn_implementation", "torch_dtype": "torch_dtype", "dtype": "dtype"}
_OF_LORA = {"lora_r": "r", "lora_alpha": "lora_alpha", "lora_dropout": "lora_dropout", "lora_target_modules": "target_modules"}
_OF_LORA |= {"lora_modules_to_save": "modules_to_save", "use_rslora": "use_rslora", "use_dora": "use_dora"}
_OF_SCRIPT = ("dataset_name", "dataset_config", "dataset_train_split", "dataset_test_split", "dataset_streaming")


def _trl_python(said: Written) -> Files | None:
    """The config, the model and the adapter as calls; a quantised base, and keys of no class, are not written."""
    name, values = _TRL.get(said.task or "sft"), dict(said.values)
    arguments = keys("hf", "training_arguments") | keys("hf", "trl")
    model = {_OF_MODEL[key]: values.pop(key) for key in _OF_MODEL if key in values}
    lora = {_OF_LORA[key]: values.pop(key) for key in _OF_LORA if key in values}
    adapter = values.pop("use_peft", bool(lora))
    for key in _OF_SCRIPT:
        values.pop(key, None)
    if name is None or not values.keys() <= arguments:
        return None
    path = model.pop("", _MODEL)
    lines = [
        "from peft import LoraConfig",
        "from transformers import AutoModelForCausalLM",
        f"from trl import {name}Config, {name}Trainer",
        call("model = AutoModelForCausalLM.from_pretrained", model, repr(path)),
        call(f"args = {name}Config", values),
        *([call("adapter = LoraConfig", lora)] if adapter else []),
        f"{name}Trainer(model=model, args=args, {_data(said)}{', peft_config=adapter' if adapter else ''}).train()",
        "",
    ]
    return {"train.py": "\n".join(lines)}


def _llamafactory_json(said: Written) -> Files | None:
    return {"train.json": json.dumps(said.values, indent=1), "run.sh": "llamafactory-cli train train.json\n"}


def _llamafactory_flags(said: Written) -> Files | None:
    flags = flags_of(said.values)
    return None if flags is None else {"run.sh": f"llamafactory-cli train {flags}\n"}


def _swift_json(said: Written) -> Files | None:
    return {"train.json": json.dumps(said.values, indent=1), "run.sh": f"swift {_swift_task(said)} train.json\n"}


def _swift_flags(said: Written) -> Files | None:
    flags = flags_of(said.values)
    return None if flags is None else {"run.sh": f"swift {_swift_task(said)} {flags}\n"}


def _swift_task(said: Written) -> str:
    return "rlhf" if "rlhf_type" in said.values else "sft"


def _axolotl_json(said: Written) -> Files | None:
    return {"train.json": json.dumps(said.values, indent=1), "run.sh": "axolotl train train.json\n"}


def _accelerate_json(said: Written) -> Files | None:
    return {"accelerate.json": json.dumps(said.values, indent=1), **_ACCELERATED}


_ACCELERATED = {
    "run.sh": "accelerate launch --config_file accelerate.json train.py\n",
    "train.py": "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
    f"model = AutoModelForCausalLM.from_pretrained({_MODEL!r})\n"
    'Trainer(model=model, args=TrainingArguments("out"), train_dataset=data).train()\n',
}
_KINDS = {"FSDP": "--use_fsdp", "DEEPSPEED": "--use_deepspeed", "MULTI_GPU": "--multi_gpu"}
_INLINE = ("fsdp_config", "deepspeed_config", "parallelism_config", "fp8_config")
_UNFLAGGED = ("compute_environment", "debug", "downcast_bf16", "use_cpu", "enable_cpu_affinity")


def _accelerate_flags(said: Written) -> Files | None:
    """accelerate 1.15 ``commands/launch.py``: the file's keys are the names of the flags, sections left out; the kind is a switch."""
    flat: dict[str, Any] = {}
    for key, value in said.values.items():
        prefix = "fp8_" if key == "fp8_config" else ""
        flat.update(
            {f"{prefix}{one}": inner for one, inner in value.items()} if key in _INLINE and isinstance(value, dict) else {key: value}
        )
    kind = _KINDS.get(str(flat.pop("distributed_type", "")).upper())
    for key in _UNFLAGGED:
        flat.pop(key, None)
    flags = flags_of(flat)
    if kind is None or flags is None:
        return None
    counts = "--use_parallelism_config" if "parallelism_config" in said.values else ""
    return _ACCELERATED | {"run.sh": f"accelerate launch {kind} {counts} {flags} train.py\n"}


def _deepspeed_python(said: Written) -> Files | None:
    lines = [
        "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments",
        f"model = AutoModelForCausalLM.from_pretrained({_MODEL!r})",
        call("args = TrainingArguments", {"output_dir": "out", "deepspeed": dict(said.values)}),
        "Trainer(model=model, args=args, train_dataset=data).train()",
        "",
    ]
    return {"train.py": "\n".join(lines)}


def _torchtune_flags(said: Written) -> Files | None:
    """All but the recipe's components as overrides of a file that says the rest."""
    over = {key: value for key, value in said.values.items() if type(value) in (bool, int, float, str)}
    rest = {key: value for key, value in said.values.items() if key not in over}
    words = " ".join(f"{key}={json.dumps(value) if isinstance(value, bool) else value}" for key, value in over.items())
    if not over or not rest:
        return None
    return {"train.yaml": json.dumps(rest, indent=1), "run.sh": f"tune run full_finetune_single_device --config train.yaml {words}\n"}


_MAKERS: dict[tuple[str, str], Callable[[Written], Files | None]] = {
    ("hf_training_arguments", JSON): _trainer_json,
    ("hf_training_arguments", FLAGS): _trainer_flags,
    ("hf_training_arguments", PYTHON): _trainer_python,
    ("trl", JSON): _trl_json,
    ("trl", FLAGS): _trl_flags,
    ("trl", PYTHON): _trl_python,
    ("llamafactory", JSON): _llamafactory_json,
    ("llamafactory", FLAGS): _llamafactory_flags,
    ("ms_swift", JSON): _swift_json,
    ("ms_swift", FLAGS): _swift_flags,
    ("axolotl", JSON): _axolotl_json,
    ("accelerate", JSON): _accelerate_json,
    ("accelerate", FLAGS): _accelerate_flags,
    ("deepspeed", PYTHON): _deepspeed_python,
    ("torchtune", FLAGS): _torchtune_flags,
}
