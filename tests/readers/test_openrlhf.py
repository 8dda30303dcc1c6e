"""OpenRLHF: old and dotted flags say the same; each trainer has its own defaults."""

from __future__ import annotations

import pytest
from packaging.version import Version

from budgetlint.base.source import SourceFile
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.documents import Document
from budgetlint.documents.shell import read_shell
from budgetlint.launch.flags import parse
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.openrlhf.reader import READER
from budgetlint.settings.run import Origin, OriginKind, Release, Stack

OLD = """--pretrain meta-llama/Meta-Llama-3-8B --max_len 2048 --train_batch_size 256 --micro_train_batch_size 2 --zero_stage 3 --bf16
 --flash_attn --gradient_checkpointing --learning_rate 5e-6 --lora_rank 64 --lora_alpha 64 --adam_offload --packing_samples"""
DOTTED = """--model.model_name_or_path meta-llama/Meta-Llama-3-8B --data.max_len 2048 --train.batch_size 256 --train.micro_batch_size 2
 --ds.zero_stage 3 --ds.param_dtype bf16 --ds.attn_implementation flash_attention_2 --model.gradient_checkpointing_enable --adam.lr 5e-6
 --ds.lora.rank 64 --ds.lora.alpha 64 --ds.adam_offload --ds.packing_samples"""
RAY = """--actor.model_name_or_path Qwen/Qwen3-4B --reward.model_name_or_path r/m --critic.model_name_or_path c/m --actor.num_nodes 1
 --actor.num_gpus_per_node 8 --vllm.num_engines 4 --vllm.tensor_parallel_size 2 --vllm.gpu_memory_utilization 0.5 --train.colocate_all
 --ds.zero_stage 3 --actor.gradient_checkpointing_enable --actor.adam.lr 5e-7 --train.batch_size 128 --data.max_len 8192"""


def flags(text: str, program: str = "openrlhf.cli.train_sft") -> Document:
    line = f"{program} {' '.join(text.split())}"
    (command,) = read_shell(line).commands
    return Document(SourceFile("run.sh", line), "shell", parse(command.words[1:], command.span).root, program=program)


def full(text: str, program: str = "openrlhf.cli.train_sft"):
    return complete(READER, READER.read(flags(text, program)).settings, Stack())


def values(text: str, *names: str, program: str = "openrlhf.cli.train_sft") -> dict:
    settings = full(text, program)
    return {name: settings.value(name) for name in names}


@pytest.mark.parametrize("text", [OLD, DOTTED])
@pytest.mark.parametrize("program", ["openrlhf.cli.train_sft", "../train_sft.py"])
def test_commands_are_recognised(text, program):
    assert identify(flags(text, program)) is READER


def test_others_are_not():
    assert READER.recognise(flags("--model x", "openrlhf.cli.serve_rm")) == 0
    assert READER.recognise(flags("--learning_rate 1 --bf16", "train.py")) == 0


def test_old_and_dotted_flags_say_the_same():
    old, dotted = full(OLD), full(DOTTED)
    assert {name: setting.value for name, setting in old.items()} == {name: setting.value for name, setting in dotted.items()}


def test_a_supervised_run():
    expected = {
        "task": "sft", "model": "meta-llama/Meta-Llama-3-8B", "seq_len": 2048, "micro_batch": 2, "global_batch": 256, "shard": "zero3",
        "engine_dtype": "bf16", "attention": "flash", "recompute": "full", "learning_rate": 5e-6, "adapter": "lora", "lora_r": 64,
        "offload_optimizer": "cpu", "packing": True, "optimizer": "cpu_adam",
    }  # fmt: skip
    assert values(DOTTED, *expected) == expected


def test_ppo_names_its_other_models():
    expected = {
        "task": "ppo", "model": "Qwen/Qwen3-4B", "reward_model": "r/m", "critic_model": "c/m", "reference_model": "policy",
        "rollout_engine": "vllm", "rollout_memory": 0.5, "rollout_tensor_parallel": 2, "devices_per_node": 8, "micro_batch": 1,
    }  # fmt: skip
    assert values(RAY, *expected, program="openrlhf.cli.train_ppo_ray") == expected


def test_a_dynamic_batch_is_bounded_by_its_tokens():
    settings = full(RAY + " --train.dynamic_batch_enable --train.max_tokens_per_gpu 9000", "openrlhf.cli.train_ppo_ray")
    assert (settings["seq_len"].readings, settings.value("micro_batch"), settings.value("packing")) == ((9000, 1), 1, True)
    assert full(RAY + " --train.dynamic_batch_enable", "openrlhf.cli.train_ppo_ray")["seq_len"].readings == (16192, 1)


def test_the_estimator_tells_grpo():
    assert full(RAY + " --algo.advantage.estimator group_norm", "openrlhf.cli.train_ppo_ray").value("task") == "grpo"


@pytest.mark.parametrize(("trainer", "micro", "length"), [("train_sft", 8, 2048), ("train_dpo", 8, 512), ("train_rm", 1, 512)])
def test_each_trainer_has_its_defaults(trainer, micro, length):
    program = f"openrlhf.cli.{trainer}"
    assert values("--ds.zero_stage 2", "micro_batch", "seq_len", program=program) == {"micro_batch": micro, "seq_len": length}


def test_rank_0_trains_the_model_itself():
    assert values("--ds.lora.rank 0", "adapter", "lora_r") == {"adapter": "none", "lora_r": None}


def test_adam_is_deepspeeds():
    assert find_optimizer(full("--optim adam").value("optimizer")).decay == "decoupled"
    assert full("--optim muon").value("optimizer") == "muon"


def _stack(**releases: str) -> Stack:
    origin = Origin(OriginKind.FLAG, note="test")
    return Stack({name: Release(name, Version(text), None, origin, exact=True) for name, text in releases.items()})


@pytest.mark.parametrize(
    ("written", "version", "value", "readings"),
    [
        ("", "0.8.9", "eager", ()),
        ("", "0.8.10", "flash", ()),
        ("", "", None, ("flash", "eager")),
        ("--flash_attn", "0.8.9", "flash", ()),
        ("--packing_samples", "", "flash", ()),
        ("--packing_samples", "0.8.9", "flash", ()),
    ],
)
def test_attention_is_by_release(written, version, value, readings):
    releases = {"openrlhf": version} if version else {}
    found = complete(READER, READER.read(flags(f"--zero_stage 2 {written}")).settings, _stack(**releases))["attention"]
    assert (found.value, found.readings) == (value, readings)
