"""What Python takes for a number and no loader writes: it stops at the reader, with a finding, and no rule sees it.

Each file has hundreds of keys with a nasty value each: those of the reader's key tables and of the framework's vocabulary, at the top and
in its sections. Nothing may crash (BL998, BL999), the exit code is 0 or 1, and JSON is JSON.
"""

from __future__ import annotations

import json
import pkgutil
import random
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import pytest

from budgetlint.catalog import vocabulary
from budgetlint.measured.log import read_log
from budgetlint.readers.base import Key

DIGITS = "9" * 5000
TEXTS = (
    "1e400", "-1e400", "inf", "-inf", "nan", "NaN", "Infinity", "²", "½", "٣", "３", "--1", "+-1", "-", "+", "1__0", "_1", "1_000", "0x10",
    "0b1", "0o7", "1e-400", "1e99999999", "1e5", "-1", "0", "-0.5", "1.5", "true", "null", "10%", "1,2", "1:30", "①", "Ⅷ", "一", "1.", ".5",
    ".", "e5", "10" + "0" * 30, "-9" + "0" * 30, DIGITS, "0x" + "f" * 5000, "1." + "0" * 5000 + "1", "\u00a01", "1\u2003", "0 1",
)  # fmt: skip
YAML = (*(text for text in TEXTS if text != "-"), ".inf", "-.inf", ".nan", "1e+400", "1.0e+400", "!!float 1",
        "!!int 0x" + "f" * 4200, "!!float nan", "!!int ²", "! 0x" + "f" * 4200,
        "1:" * 1400 + "1", "[]", "{}", "[1e400, .inf]", "2024-01-01", *(f'"{text}"' for text in TEXTS))  # fmt: skip
JSON = ("1e400", "-1e400", "Infinity", "-Infinity", "NaN", "1" * 5000, "-" + "1" * 5000, "1e30", "-1", "0", "0.5", "true", "null", "[]",
        "{}", "[1e400]", "1" + "0" * 30, "1" * 350, *(json.dumps(text) for text in TEXTS))  # fmt: skip
TOML = (
    "1e400",
    "inf",
    "-inf",
    "nan",
    "0x" + "f" * 3100,
    "1" + "0" * 30,
    "-1",
    "0",
    "0.5",
    "true",
    "[]",
    "1_000",
    *(json.dumps(text) for text in TEXTS),
)
FLAGS = ("9" * 4400, *(text for text in TEXTS if " " not in text and text.strip() == text and len(text) < 100))
PARTS = 6
AT_ONCE = 60
"""Keys in a file: with all of them it looks like several formats' at once, and nobody reads it."""
VALUES = {"yaml": YAML, "json": JSON, "toml": TOML, "sh": FLAGS}

Tree = Mapping[str, Any]
BASES: dict[str, tuple[str, str, Tree, tuple[str, ...]]] = {
    "axolotl": ("axolotl", "yaml", {
        "base_model": "Qwen/Qwen2.5-7B", "micro_batch_size": "1", "sequence_len": "2048", "num_epochs": "1", "adapter": "lora",
        "lora_r": "8", "datasets": "[{path: x}]", "fsdp_config": {"a": "1"}, "trl": {"beta": "0.1"},
    }, ("axolotl:top", "axolotl:plugins")),
    "axolotl grpo": ("axolotl", "yaml", {
        "base_model": "Qwen/Qwen2.5-7B", "micro_batch_size": "1", "sequence_len": "2048", "rl": "grpo", "trl": {"num_generations": "4"},
        "vllm": {"gpu_memory_utilization": "0.3"}, "datasets": "[{path: x}]",
    }, ("axolotl:asked",)),
    "llamafactory": ("llamafactory", "yaml", {
        "model_name_or_path": "Qwen/Qwen2.5-7B", "stage": "sft", "do_train": "true", "finetuning_type": "lora", "template": "qwen",
        "cutoff_len": "2048", "per_device_train_batch_size": "1", "output_dir": "out",
    }, ("llamafactory:hparams", "hf:training_arguments")),
    "hf": ("hf", "yaml", {
        "model_name_or_path": "Qwen/Qwen2.5-1.5B", "per_device_train_batch_size": "4", "gradient_accumulation_steps": "8",
        "num_train_epochs": "1", "output_dir": "out", "max_seq_length": "128", "learning_rate": "0.0001",
    }, ("hf:training_arguments", "hf:trl")),
    "hf steps": ("hf", "json", {
        "model_name_or_path": '"Qwen/Qwen2.5-1.5B"', "per_device_train_batch_size": "4", "num_train_epochs": "1", "output_dir": '"o"',
        "max_steps": "100", "eval_strategy": '"steps"', "save_strategy": '"steps"', "load_best_model_at_end": "true",
    }, ("hf:training_arguments",)),
    "trl": ("hf", "yaml", {
        "model_name_or_path": "Qwen/Qwen2.5-1.5B", "dataset_name": "d", "per_device_train_batch_size": "2", "learning_rate": "0.1",
        "report_to": "none", "num_train_epochs": "1", "num_generations": "4", "reward_funcs": "x", "use_vllm": "true",
    }, ("hf:trl", "hf:trl_script", "hf:training_arguments")),
    "accelerate": ("accelerate", "yaml", {
        "compute_environment": "LOCAL_MACHINE", "distributed_type": "FSDP", "mixed_precision": "bf16", "num_machines": "1",
        "num_processes": "8", "fsdp_config": {"fsdp_version": "1"}, "deepspeed_config": {"zero_stage": "2"},
        "parallelism_config": {"parallelism_config_tp_size": "1"},
    }, ("accelerate:top", "axolotl:fsdp_config")),
    "deepspeed": ("deepspeed", "json", {
        "train_micro_batch_size_per_gpu": "4", "gradient_accumulation_steps": "2", "fp16": {"enabled": "true"},
        "zero_optimization": {"stage": "2", "offload_optimizer": {"device": '"cpu"'}, "offload_param": {"device": '"cpu"'}},
        "optimizer": {"type": '"AdamW"', "params": {"lr": "0.1"}}, "scheduler": {"type": '"WarmupLR"', "params": {"warmup_num_steps": "1"}},
    }, ("deepspeed:top", "deepspeed:zero_optimization", "deepspeed:fp16", "deepspeed:zero_optimization.offload_optimizer")),
    "adapter": ("peft_config", "json", {
        "peft_type": '"LORA"', "r": "1", "lora_alpha": "1", "target_modules": '["a"]', "bias": '"none"', "lora_dropout": "0",
        "base_model_name_or_path": '"Qwen/Qwen2.5-1.5B"',
    }, ("peft:top", "peft:any")),
    "torchtune": ("torchtune", "yaml", {
        "model": {"_component_": "torchtune.models.llama2.lora_llama2", "embed_dim": "8"}, "batch_size": "2",
        "epochs": "1", "ac_option": "2",
        "tokenizer": {"_component_": "torchtune.models.llama2.llama2_tokenizer", "max_seq_len": "128"},
        "optimizer": {"_component_": "torch.optim.AdamW", "lr": "1e-4", "betas": "[0.9, 0.95]"},
    }, ("torchtune:top", "torchtune:asked")),
    "litgpt": ("litgpt", "yaml", {
        "checkpoint_dir": "checkpoints/meta-llama/Llama-2-7b-hf", "precision": "bf16-true", "devices": "2", "lora_r": "8",
        "train": {"global_batch_size": "8", "micro_batch_size": "2", "max_seq_length": "64"}, "eval": {"interval": "1"},
        "optimizer": {"class_path": "torch.optim.AdamW", "init_args": {"lr": "0.1"}},
    }, ("litgpt:top", "litgpt:train", "litgpt:eval")),
    "llm_foundry": ("llm_foundry", "yaml", {
        "model": {"name": "mpt_causal_lm", "d_model": "8", "n_heads": "2", "expansion_ratio": "4", "attn_config": {"kv_n_heads": "2"}},
        "train_loader": {"name": "text", "dataset": {"max_seq_len": "64"}},
        "optimizer": {"name": "decoupled_adamw", "betas": "[0.9, 0.95]"},
        "max_duration": "2ep", "max_seq_len": "64", "global_train_batch_size": "8", "device_train_microbatch_size": "2",
        "compute": {"gpus": "8"},
    }, ()),
    "lightning": ("lightning", "yaml", {
        "seed_everything": "1", "trainer": {"devices": "2", "precision": "16", "max_epochs": "1"},
        "model": {"class_path": "a.B", "init_args": {"model_name": "x"}}, "data": {"class_path": "a.C", "init_args": {"batch_size": "2"}},
    }, ()),
    "oumi": ("oumi", "yaml", {
        "model": {"model_name": "Qwen/Qwen2.5-1.5B", "model_max_length": "8"}, "peft": {"lora_r": "8"},
        "training": {"trainer_type": "TRL_SFT", "per_device_train_batch_size": "1", "optimizer": "adamw_torch"},
    }, ("hf:training_arguments",)),
    "gpt_neox": ("gpt_neox", "yaml", {
        "pipe_parallel_size": "1", "model_parallel_size": "1", "num_layers": "2", "hidden_size": "8", "num_attention_heads": "2",
        "seq_length": "8", "max_position_embeddings": "8", "no_weight_tying": "true", "train_micro_batch_size_per_gpu": "1",
        "optimizer": {"type": "Adam", "params": {"lr": "0.1"}}, "zero_optimization": {"stage": "1"}, "tokenizer_type": "GPT2BPETokenizer",
    }, ()),
    "ms_swift": ("ms_swift", "yaml", {
        "tuner_type": "lora", "model": "Qwen/Qwen2.5-7B", "dataset": "d", "max_length": "8", "per_device_train_batch_size": "1",
    }, ("ms_swift:top",)),
    "nemo": ("nemo", "yaml", {
        "exp_manager": {"name": "a"}, "trainer": {"devices": "1", "num_nodes": "1", "max_steps": "1"},
        "model": {"micro_batch_size": "1", "global_batch_size": "2", "num_layers": "2", "hidden_size": "8", "num_attention_heads": "2",
                  "data": {"seq_length": "8"}, "optim": {"name": "adam", "lr": "0.1"}},
    }, ()),
    "verl": ("verl", "yaml", {
        "data": {"train_batch_size": "8", "max_prompt_length": "8", "max_response_length": "8"},
        "trainer": {"n_gpus_per_node": "8", "nnodes": "1"},
        "actor_rollout_ref": {
            "model": {"path": "Qwen/Qwen2.5-7B"}, "actor": {"ppo_micro_batch_size_per_gpu": "1", "ppo_mini_batch_size": "2"},
            "rollout": {"name": "vllm", "gpu_memory_utilization": "0.4", "n": "2"}, "ref": {"log_prob_micro_batch_size_per_gpu": "1"},
        },
    }, ()),
    "torchtitan": ("torchtitan", "toml", {
        "model": {"name": '"llama3"', "flavor": '"8B"'}, "training": {"local_batch_size": "1", "seq_len": "128"},
        "parallelism": {"tensor_parallel_degree": "1"}, "optimizer": {"name": '"AdamW"', "lr": "0.1"}, "checkpoint": {"interval": "1"},
        "activation_checkpoint": {"mode": '"selective"', "selective_ac_option": '"2"'},
    }, ()),
    "torchrun": ("launcher", "sh", {
        "nproc_per_node": "8", "nnodes": "1", "/": "train.py", "model_name_or_path": "Qwen/Qwen2.5-1.5B",
        "per_device_train_batch_size": "1", "output_dir": "o", "num_train_epochs": "1",
    }, ("hf:training_arguments",)),
    "openrlhf": ("openrlhf", "sh", {
        "/": "-m openrlhf.cli.train_sft", "pretrain": "Qwen/Qwen2.5-7B", "micro_train_batch_size": "1", "train_batch_size": "8",
        "max_len": "64", "zero_stage": "2",
    }, ()),
    "megatron": ("megatron", "sh", {
        "nproc_per_node": "8", "/": "pretrain_gpt.py", "num_layers": "2", "hidden_size": "8", "num_attention_heads": "2", "seq_length": "8",
        "max_position_embeddings": "8", "micro_batch_size": "1", "global_batch_size": "8", "tensor_model_parallel_size": "1",
    }, ()),
}  # fmt: skip
CONFIG = {
    "architectures": '["LlamaForCausalLM"]', "model_type": '"llama"', "hidden_size": "64", "num_hidden_layers": "2",
    "num_attention_heads": "4", "intermediate_size": "64", "vocab_size": "64", "num_key_value_heads": "2",
    "head_dim": "16", "sliding_window": "4", "dropout": "0.1",
    "max_position_embeddings": "64", "mm_tokens_per_image": "4", "downsample_ratio": "0.5",
    "vision_config": {
        "hidden_size": "8", "depth": "2", "num_heads": "2", "patch_size": "14", "image_size": "28", "spatial_merge_size": "2",
    },
}  # fmt: skip


def keys_of(package: str) -> list[str]:
    """The paths of every `Key` of a reader's modules."""
    home = import_module(f"budgetlint.readers.{package}")
    modules = [import_module(f"{home.__name__}.{found.name}") for found in pkgutil.iter_modules(home.__path__)]
    return sorted({key.path for module in modules for value in vars(module).values() for key in _keys(value)})


def _keys(value: object) -> Iterator[Key]:
    if isinstance(value, Key):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _keys(item)
    elif isinstance(value, dict):
        yield from _keys(tuple(value.values()))


def filled(base: Tree, keys: list[str], values: tuple[str, ...], shift: int) -> dict[str, Any]:
    """The base with every key that it has not, at its top and in its sections, each with a value of the table."""
    made: dict[str, Any] = {
        name: filled(value, keys, values, shift + 1) if isinstance(value, Mapping) else value for name, value in base.items()
    }
    for number, path in enumerate(keys):
        _put(made, path.split("."), values[(number * 7 + shift) % len(values)])
    return made


def _put(tree: dict[str, Any], path: list[str], value: str) -> None:
    for part in path[:-1]:
        below = tree.setdefault(part, {})
        if not isinstance(below, dict):
            return
        tree = below
    tree.setdefault(path[-1], value)


def leaves(base: Tree, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in base.items():
        yield from leaves(value, (*at, name)) if isinstance(value, Mapping) else [(*at, name)]


def replaced(base: Tree, path: tuple[str, ...], value: str) -> dict[str, Any]:
    first, *rest = path
    return {**base, first: replaced(base[first], tuple(rest), value) if rest else value}


def written(kind: str, tree: Tree) -> str:
    return {"yaml": _yaml, "json": _json, "toml": _toml, "sh": _flags}[kind](tree)


def _yaml(tree: Tree, deep: str = "") -> str:
    lines = (
        f"{deep}{name}:\n{_yaml(value, deep + '  ')}" if isinstance(value, Mapping) else f"{deep}{name}: {value}\n"
        for name, value in tree.items()
    )
    return "".join(lines)


def _json(tree: Tree) -> str:
    return (
        f"{{{', '.join(f'{json.dumps(name)}: {_json(value) if isinstance(value, Mapping) else value}' for name, value in tree.items())}}}"
    )


def _toml(tree: Tree, home: str = "") -> str:
    own = "".join(f"{name} = {value}\n" for name, value in tree.items() if not isinstance(value, Mapping))
    below = (_toml(value, f"{home}.{name}" if home else name) for name, value in tree.items() if isinstance(value, Mapping))
    return (f"[{home}]\n" if home else "") + own + "".join(below)


def _flags(tree: Tree) -> str:
    words = (value if name == "/" else f"--{name} {value}" for name, value in tree.items() if not isinstance(value, Mapping))
    program = "torchrun " if "nproc_per_node" in tree else "deepspeed "
    return f"#!/bin/bash\n{program}{' '.join(words)}\n"


def strict(text: str) -> Any:
    """JSON as the standard has it: without NaN and Infinity."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def judge(shell: Any, *, estimated: bool = True) -> list[dict[str, Any]]:
    """The findings of everything in the folder; none is a bug."""
    checked = shell("check", "--no-cache", "--format", "json")
    found = strict(checked.out)["findings"]
    assert [(one["file"], one["message"]) for one in found if one["code"] in ("BL998", "BL999")] == [], checked.err[-3000:]
    assert [(one["file"], one["message"]) for one in found if one["code"] in ("BL910", "BL911")] == []  # else nothing was tried
    assert checked.code in (0, 1) and "Traceback" not in checked.err
    if estimated:
        told = shell("estimate", "--format", "json")
        assert told.code in (0, 1, 2) and "Traceback" not in told.err and "BL99" not in told.err
        strict(told.out or "{}")
    return list(found)


def table(name: str, shifts: range) -> Iterator[tuple[str, str]]:
    package, kind, base, groups = BASES[name]
    words = {word for group in groups for word in vocabulary.keys(*group.split(":"))}
    keys = sorted({*keys_of(package), *words})
    random.Random(name).shuffle(keys)
    for shift in shifts:
        for at in range(0, len(keys), AT_ONCE):
            text = written(kind, filled(base, keys[at : at + AT_ONCE], VALUES[kind], shift))
            yield f"{shift}-{at}/{'adapter_config' if name == 'adapter' else 'f'}.{kind}", text


def one_by_one(name: str, step: int, first: int = 0) -> Iterator[tuple[str, str]]:
    _, kind, base, _ = BASES[name]
    cases = [(path, value) for path in leaves(base) for value in VALUES[kind]]
    for number, (path, value) in list(enumerate(cases))[first::step]:
        yield f"{number}/{'adapter_config' if name == 'adapter' else 'g'}.{kind}", written(kind, replaced(base, path, value))


@pytest.mark.parametrize("name", BASES)
def test_nasty_values_under_every_key(shell: Any, name: str) -> None:
    made = [shell.write(path, text) for path, text in (*table(name, range(1)), *one_by_one(name, 61))]
    shell.write("a.budget", "device 8x 80GiB\n")
    judge(shell)
    read = [one for one in shell("files", "--format", "json").json["files"] if one["format"] or one["path"].endswith(".sh")]
    assert len(read) > 0.8 * len(made)  # a file that nobody claims tries nothing


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", BASES)
def test_every_nasty_value_under_every_key(shell: Any, name: str, part: int) -> None:
    """All values at each key of the base, and so many of them at every key of the tables; a check of each, bills of every other part."""
    for path, text in (*table(name, range(part, part + 1)), *one_by_one(name, PARTS, part)):
        shell.write(path, text)
    shell.write("a.budget", "device 8x 80GiB\n")
    assert {one["code"] for one in judge(shell, estimated=part % 2 == 0)}.isdisjoint(("BL998", "BL999"))


# -- the reproductions, and others of their kinds ------------------------------------------------------------------------------

HF = "model_name_or_path: Qwen/Qwen2.5-1.5B\nper_device_train_batch_size: 4\nnum_train_epochs: 1\noutput_dir: out\n"
AXOLOTL = "base_model: Qwen/Qwen2.5-7B\nmicro_batch_size: 1\nsequence_len: 2048\nnum_epochs: 1\ndatasets: [{path: x}]\nadapter: lora\n"
GRPO = HF + "dataset_name: d\nreport_to: none\nreward_funcs: x\n"
TUNE = "model: {_component_: torchtune.models.llama3.llama3_8b}\noptimizer: {_component_: torch.optim.AdamW, lr: 1e-4}\n"
FOUNDRY = (
    "train_loader: {name: text}\nmodel: {name: mpt_causal_lm, d_model: 1%s}\noptimizer: {name: decoupled_adamw}\nmax_duration: 2ep\n"
    "global_train_batch_size: 8\ndevice_train_microbatch_size: 2\n"
)
TOLD = {
    "infinity for a rate, as PyYAML's text": (HF + "learning_rate: 1e400\n", "5:16 BL907", "'1e400' is not a finite number"),
    "infinity for a rate": (HF + "learning_rate: .inf\n", "5:16 BL907", "not a finite number"),
    "no number for a decay": (HF + "weight_decay: .nan\n", "5:15 BL907", "not a finite number"),
    "a text beyond floats for steps": (HF + "max_steps: 9e999\n", "5:12 BL907", "'9e999' is not a finite number"),
    "infinity between saves": (HF + "save_strategy: steps\nsave_steps: .inf\n", "6:13 BL628", "no whole number of steps"),
    "infinity between evaluations": (AXOLOTL + "eval_steps: .inf\n", "7:13 BL628", "no whole number of steps"),
    "a text beyond floats for generations": (GRPO + "num_generations: 9e999\n", "8:18 BL921", "write a finite number"),
    "a superscript for a switch": (AXOLOTL + 'tiled_mlp: "²"\n', "7:12 BL907", "neither a number nor true or false"),
    "two signs": (AXOLOTL + "tiled_mlp: --1\n", "7:12 BL907", "neither a number nor true or false"),
    "a fraction's sign": (AXOLOTL + "tiled_mlp: ½\n", "7:12 BL907", "neither a number nor true or false"),
    "both signs": (AXOLOTL + "tiled_mlp: +-1\n", "7:12 BL907", "neither a number nor true or false"),
    "Arabic digits": (AXOLOTL + "lora_r: ٣\n", "7:9 BL907", "'٣' is not a number"),
    "full-width digits": (AXOLOTL + "lora_alpha: １６\n", "7:13 BL907", "is not a number"),
    "true for a count": (AXOLOTL + "lora_r: true\n", "7:9 BL907", "is not a number"),
    "a negative rank": (AXOLOTL + "lora_r: -8\n", "7:9 BL907", "is not positive"),
    "more digits than Python writes": (AXOLOTL + f"lora_r: {DIGITS}\n", "7:9 BL907", "5,000 characters, is not a"),
    "more digits, in base 16": (AXOLOTL + f"lora_r: 0x{'f' * 5000}\n", "7:9 BL907", "is not a"),
    "10^30 replicas": (
        TUNE + f"tensor_parallel_dim: 1\ndata_parallel_replicate_dim: 1{'0' * 30}\n",
        "4:30 BL907",
        "larger than any run has",
    ),
    "a model of 10^30": (FOUNDRY % ("0" * 30), "2:15 BL907", "larger than any run has"),
}


@pytest.mark.parametrize(("text", "place", "words"), TOLD.values(), ids=TOLD)
def test_what_is_no_number_is_told_where_it_stands(shell: Any, text: str, place: str, words: str) -> None:
    shell.write("t.yaml", text)
    shell.write("other.yaml", HF + "learning_rate: many\n")  # is checked all the same
    found = {f"{one['line']}:{one['column']} {one['code']}": one for one in judge(shell) if one["file"] == "t.yaml"}
    assert place in found, sorted(found)
    assert words in found[place]["message"] + found[place]["help"] and found[place]["help"] and len(found[place]["message"]) < 300


def test_numbers_with_underscores_are_read_where_the_loader_reads_them(shell: Any) -> None:
    shell.write("t.yaml", AXOLOTL.replace("2048", "2_048"))
    assert [one["message"] for one in judge(shell) if one["code"] == "BL907"] == []


BUDGETS = (
    "rollout vllm share=1e99999999 on=same", "rollout vllm share=1e-99999999 on=same", "rollout vllm share=100% on=same",
    "reserve 1e99999999", "assert params <= 1e99999999", "assert 1e99999999% of params <= 1", f"assert params <= {DIGITS}",
    f"assert params <= 0.{'0' * 5000}1", f"assert {DIGITS}% of usable >= peak", f"assert peak <= {DIGITS}GiB",
    "assert lora.r <= 1e99999999", "assert batch <= 1e400", "lora r=²", "lora alpha=1e400", "lora r=½", "seq ３", "seq --1", "seq 0x10",
    f"seq 0x{'f' * 5000}", "seq .inf", "seq nan", "seq 1e99999999", f"seq {DIGITS}", "seq 1__000", "batch true", "batch -1",
    f"batch 2x{DIGITS}", "batch 1000000000000; seq 1000000000000", f"device {DIGITS}x h100-80gb", "device ٣x h100-80gb",
    "device 3² x h100-80gb", "host 1e400GiB", "reserve -1GiB", "batch 1 audio=1e400s", "matrix seq=[1, 1e99]",
    "model custom hidden=1000000000 layers=1000000000 heads=1 vocab=1 intermediate=1", "parallel tp=1000000000000 pp=1000000000000",
    "recompute full every=1000000000000", "shard zero3 bucket=1000000000000", "budget 1e99999999", "stack torch@1e400",
    "quant gptq group=²",
)  # fmt: skip


@pytest.mark.parametrize("text", BUDGETS, ids=[text[:40] for text in BUDGETS])
def test_nasty_figures_in_a_budget(shell: Any, text: str) -> None:
    taken = {keyword for keyword in ("device", "model", "seq", "batch") if f"{keyword} " in text}
    usual = {"device": "8x h100-80gb", "model": "qwen2.5-0.5b", "seq": "128", "batch": "1"}
    shell.write("a.budget", "; ".join((*(f"{word} {value}" for word, value in usual.items() if word not in taken), text)) + "\n")
    judge(shell)
    exported = shell("fmt", "--format", "json", "a.budget")
    assert exported.code in (0, 1) and "Traceback" not in exported.err


NAMES = ("micro_batch", "learning_rate", "zero_bucket", "packing", "lora_dropout")


@pytest.mark.parametrize("name", NAMES)
def test_nasty_values_of_set(shell: Any, name: str) -> None:
    shell.write("t.yaml", HF)
    shell.write("a.budget", "device 80GiB\n")
    for value in (*TEXTS, ".inf", "0x" + "f" * 9000)[NAMES.index(name) :: 3]:
        ran = shell("estimate", "--format", "json", "--set", f"{name}={value}", "t.yaml")
        assert ran.code in (0, 1, 2) and "Traceback" not in ran.err and "BL99" not in ran.err
        strict(ran.out or "{}")


KINDS = ("llama", "gemma3", "internvl", "qwen2_5_vl", "bart", "deberta-v2", "mistral")
SEEING = ("gemma3", "internvl", "qwen2_5_vl")


@pytest.mark.parametrize("kind", KINDS)
def test_nasty_values_in_a_models_own_config(shell: Any, kind: str) -> None:
    text = {**CONFIG, "model_type": '"qwen2"'}
    base = {**CONFIG, "model_type": f'"{kind}"', **({"text_config": text} if kind in SEEING else {})}
    cases = [(path, value) for path in leaves(base) for value in JSON]
    for number, (path, value) in list(enumerate(cases))[KINDS.index(kind) :: 53]:
        shell.write(f"{number}/config.json", written("json", replaced(base, path, value)))
        shell.write(f"{number}/a.budget", "device 80GiB; model ./config.json; batch 1; seq 8\n")
    assert {one["code"] for one in judge(shell)}.isdisjoint(("BL998", "BL999"))


PYTHON = (
    "1e400", "-1e400", 'float("inf")', "10**30", "-1", "True", "None", '"²"', '"1e400"', "1_000", "9**9**9", "0x" + "f" * 4000, "1" * 4000,
    "1j", "--1", "+-1", '"--1"', '"½"', "1 << 9999999999", "0.5", "[]", "1.", ".5", 'float("nan")', "math.inf",
)  # fmt: skip


@pytest.mark.parametrize("shift", range(3))
def test_nasty_arguments_in_a_program(shell: Any, shift: int) -> None:
    keys = sorted(vocabulary.keys("hf", "training_arguments") - {"output_dir"})
    for at in range(0, len(keys), 40):
        given = ", ".join(f"{key}={PYTHON[(number * 7 + shift) % len(PYTHON)]}" for number, key in enumerate(keys[at : at + 40]))
        shell.write(
            f"{at}/train.py",
            "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
            'model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")\n'
            f'args = TrainingArguments(output_dir="x", {given})\nTrainer(model=model, args=args).train()\n',
        )
    shell.write("a.budget", "device 8x 80GiB\n")
    assert {one["code"] for one in judge(shell)}.isdisjoint(("BL998", "BL999"))


LONG_FILES = {
    "settings": {"pyproject.toml": f"[tool.budgetlint]\nbaseline = {DIGITS}\n"},
    "a config in TOML": {"t.toml": f'[training]\nlocal_batch_size = {DIGITS}\n[model]\nname = "llama3"\n[optimizer]\n[checkpoint]\n'},
    "a requirement": {"requirements.txt": f"torch=={DIGITS}.1\ntransformers~={'9' * 4300}.1\n", "t.yaml": HF},
    "a lock": {"uv.lock": f"version = 1\n[[package]]\nname = 'torch'\nversion = '{DIGITS}'\n", "t.yaml": HF},
    "a lock's own version": {"uv.lock": f"version = {DIGITS}\n[[package]]\nname = 'torch'\nversion = '2.5'\n", "t.yaml": HF},
    "a stack": {"a.budget": f"device 80GiB; stack torch@{DIGITS}; model gpt2; batch 1; seq 8\n"},
    "a baseline": {
        "b.json": '{"version": 1, "findings": [{"fingerprint": "a", "code": "BL1", "name": "x", "file": "y", "count": Infinity}]}',
        "pyproject.toml": '[tool.budgetlint]\nbaseline = "b.json"\n',
    },
    "a measurement": {"a.budget": f"device 80GiB; model gpt2; batch 1; seq 8; measured peak={DIGITS}GiB\n"},
}


@pytest.mark.parametrize("files", LONG_FILES.values(), ids=LONG_FILES)
def test_numbers_that_python_does_not_write_out(shell: Any, files: dict[str, str]) -> None:
    for path, text in {"a.budget": "device 80GiB\n", **files}.items():
        shell.write(path, text)
    ran = shell("check", "--no-cache")
    assert ran.code in (0, 1) or "b.json" in files, ran.err
    assert "Traceback" not in ran.err and "BL99" not in ran.out + ran.err


@pytest.mark.parametrize(
    "line", [f"peak_memory_alloc: {DIGITS}", f"Tried to allocate {DIGITS} GiB", f"GPU {DIGITS} has", "Tried to allocate ٣ GiB"]
)
def test_figures_of_a_log(shell: Any, line: str) -> None:
    shell.write("t.yaml", HF)
    shell.write("a.budget", "device 80GiB\n")
    shell.write("oom.log", f"torch.OutOfMemoryError: CUDA out of memory. {line}\n")
    ran = shell("estimate", "--oom", "oom.log", "t.yaml")
    assert ran.code in (0, 1, 2) and "Traceback" not in ran.err and "BL99" not in ran.out + ran.err


def test_figures_of_a_training_log() -> None:
    lines = [f"peak_memory_alloc: {DIGITS}", f"memory/max_reserved(GiB): {DIGITS}", "peak_memory_alloc: ٣", "peak_memory_reserved: 1.5"]
    assert read_log(lines).figures == {"reserved": 3 * 2**29}


JOBS = ("#SBATCH --nodes={}", "#SBATCH --gres=gpu:a100:{}", "#SBATCH --gpus={}", "#SBATCH --gpus-per-task={}\n#SBATCH --ntasks-per-node={}",
        "#SBATCH --ntasks={}\n#SBATCH --gpus=8\n#SBATCH --nodes={}")  # fmt: skip
FLAGS = ("--use_llm_lora {}", "--lora_r {} --use_peft", "--deepspeed ds.json --nproc_per_node {}", "--max_steps {}")


@pytest.mark.parametrize("text", ["²", "٣", DIGITS, "0", "1e400", "--1"])
def test_figures_of_a_job(shell: Any, text: str) -> None:
    for number, directive in enumerate(JOBS):
        words = "torchrun --nproc_per_node $SLURM_GPUS_ON_NODE train.py --model_name_or_path gpt2 --output_dir x"
        shell.write(
            f"{number}.sbatch",
            f"#!/bin/bash\n{directive.replace('{}', text)}\n{words} --per_device_train_batch_size 1 --num_train_epochs 1\n",
        )
    for number, flag in enumerate(FLAGS):
        shell.write(
            f"{number}.sh",
            f"torchrun train.py --per_device_train_batch_size 1 --num_train_epochs 1 --output_dir x {flag.replace('{}', text)}\n",
        )
    run = "torchrun train.py --per_device_train_batch_size 1 --num_train_epochs 1 --output_dir x --save_steps 5"
    shell.write("sky.yaml", f"resources:\n  accelerators: A100:{text}\nnum_nodes: {text}\nrun: {run}\n")
    ran = shell("check", "--no-cache", "--info")
    assert ran.code in (0, 1), ran.out
    assert "BL99" not in ran.out
