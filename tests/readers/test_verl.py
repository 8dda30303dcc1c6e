"""verl: the actor's update, and the models around it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from packaging.version import Version

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document
from budgetlint.documents.load import load
from budgetlint.documents.shell import read_shell
from budgetlint.launch.flags import parse
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.verl.reader import READER
from budgetlint.settings.run import Origin, OriginKind, Release, Role, Stack

SEEDS = {
    "verl": "{actor_rollout_ref: {}, data: {}, trainer: {}}",
    "verl sft": "{data: {micro_batch_size_per_gpu: 1}, trainer: {a: 1}, optim: {}}",
    "verl generation": "{rollout: {response_length: 1}, trainer: {n_gpus_per_node: 1}}",
    "verl objects": "{a: {b: {_target_: verl.c.D}}}",
}
"""Documents that it claims (`test_marks.py`)."""

FLAGS = """\
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=1024 data.max_prompt_length=512 \\
  data.max_response_length=1024 actor_rollout_ref.model.path=Qwen/Qwen2-7B-Instruct actor_rollout_ref.actor.optim.lr=1e-6 \\
  actor_rollout_ref.model.use_remove_padding=True actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=16 \\
  actor_rollout_ref.actor.use_kl_loss=True actor_rollout_ref.model.enable_gradient_checkpointing=True \\
  actor_rollout_ref.actor.fsdp_config.param_offload=True actor_rollout_ref.actor.fsdp_config.optimizer_offload=True \\
  actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.gpu_memory_utilization=0.6 \\
  actor_rollout_ref.rollout.tensor_model_parallel_size=2 critic.model.path=unused trainer.n_gpus_per_node=8 trainer.nnodes=1
"""
YAML = """\
actor_rollout_ref:
  model: {path: Qwen/Qwen2.5-7B, lora_rank: 32, lora_alpha: 16, target_modules: all-linear}
  actor:
    strategy: fsdp2
    use_dynamic_bsz: true
    ppo_max_token_len_per_gpu: 16384
    optim: {optimizer: AdamW, optimizer_impl: torch.optim, lr: 1.0e-6, betas: [0.9, 0.95]}
    fsdp_config: {model_dtype: bfloat16, offload_policy: true, fsdp_size: 8}
algorithm: {adv_estimator: gae, use_kl_in_reward: true}
critic: {model: {path: Qwen/Qwen2.5-7B}}
trainer: {n_gpus_per_node: 8, nnodes: 2}
"""
SFT = """\
data: {train_batch_size: 256, micro_batch_size_per_gpu: 4, max_length: 1024}
model: {partial_pretrain: Qwen/Qwen2.5-0.5B, enable_gradient_checkpointing: false}
optim: {lr: 1e-5}
trainer: {total_epochs: 4, n_gpus_per_node: 8}
"""


def flags(text: str) -> Document:
    source = SourceFile("run.sh", text)
    (command,) = read_shell(text).commands
    return Document(source, "shell", parse(command.words[3:], command.span).root, program="verl.trainer.main_ppo")


def full(document: Document):
    return complete(READER, READER.read(document).settings, Stack())


def file(text: str) -> Document:
    return load(SourceFile("conf.yaml", text))[0]


def values(document: Document, *names: str) -> dict:
    settings = full(document)
    return {name: settings.value(name) for name in names}


@pytest.mark.parametrize("document", [flags(FLAGS), file(YAML), file(SFT)])
def test_runs_are_recognised(document):
    assert identify(document) is READER
    assert READER.read(document).role is Role.TRAINER


@pytest.mark.parametrize(
    "text",
    [
        "_target_: verl.workers.config.FSDPCriticConfig\nstrategy: fsdp\n",
        "trainer: {nnodes: 1, n_gpus_per_node: 8}\ndata: {path: x}\nmodel: {path: y}\nrollout: {response_length: 512}\n",
    ],
)
def test_fragments_are_its_own_and_start_no_run(text):
    assert identify(file(text)) is READER
    assert READER.read(file(text)).role is Role.INFERENCE


@pytest.mark.parametrize(
    ("program", "role", "task"),
    [("verl.trainer.fsdp_sft_trainer", Role.TRAINER, "sft"), ("verl.trainer.main_generation", Role.INFERENCE, None)],
)
def test_the_module_tells_what_a_command_does(program, role, task):
    document = replace(flags("python3 -m x data.train_files=a data.micro_batch_size_per_gpu=4 optim.lr=1e-4"), program=program)
    assert identify(document) is READER
    assert (READER.read(document).role, READER.read(document).settings.value("task")) == (role, task)


@pytest.mark.parametrize("text", ["trainer: {devices: 1}\ndata: {path: x}\n", "model: {_target_: nemo.x}\n", "data: 1\n"])
def test_strangers_stay_strangers(text):
    assert READER.recognise(file(text)) == 0


def test_use_torch_compile_is_of_the_entropy_not_of_the_model():
    """workers/actor/dp_actor.py: ``torch.compile(verl_F.entropy_from_logits, dynamic=True)``."""
    said = "actor_rollout_ref: {actor: {use_torch_compile: true, fsdp_config: {use_torch_compile: true}}, model: {path: x}}"
    assert not {"compile", "compile_parts"} & {*full(file(said + "\ndata: {max_prompt_length: 8}\ntrainer: {nnodes: 1}\n"))}


def test_overrides_of_a_command():
    expected = {
        "task": "grpo", "model": "Qwen/Qwen2-7B-Instruct", "micro_batch": 16, "learning_rate": 1e-6, "recompute": "full",
        "padding_free": True, "devices_per_node": 8, "nodes": 1, "shard": "fsdp", "weights_dtype": "fp32", "autocast": "bf16",
    }  # fmt: skip
    assert values(flags(FLAGS), *expected) == expected


def test_models_beside_the_actor():
    expected = {
        "reference_model": "policy", "critic_model": None, "rollout_engine": "vllm", "rollout_memory": 0.6, "rollout_tensor_parallel": 2,
    }  # fmt: skip
    assert values(flags(FLAGS), *expected) == expected
    assert values(file(YAML), "task", "critic_model", "reference_model") == {
        "task": "ppo", "critic_model": "Qwen/Qwen2.5-7B", "reference_model": "policy",
    }  # fmt: skip


def test_moving_weights_between_phases_frees_nothing_in_the_update():
    assert values(flags(FLAGS), "offload_params", "offload_optimizer") == {"offload_params": "none", "offload_optimizer": "none"}


def test_a_dynamic_batch_is_one_packed_sequence():
    assert values(file(YAML), "micro_batch", "packing") == {"micro_batch": 1, "packing": True}
    assert full(file(YAML))["seq_len"].readings == (16384, 1)


def test_a_dynamic_batch_without_a_bound_has_verls_own():
    text = "python3 -m x actor_rollout_ref.model.path=Qwen/Qwen2.5-7B actor_rollout_ref.actor.use_dynamic_bsz=True"
    settings = full(flags(f"{text} actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=16"))
    assert settings["seq_len"].readings == (16_384, 1)
    assert (settings.value("micro_batch"), settings.value("packing")) == (1, True)


@pytest.mark.parametrize(("padding", "known", "readings"), [("True", None, (1536, 1)), ("False", 1536, ())])
def test_without_padding_the_length_is_only_a_bound(padding, known, readings):
    length = full(flags(FLAGS.replace("use_remove_padding=True", f"use_remove_padding={padding}")))["seq_len"]
    assert (length.value, length.readings) == (known, readings)


def test_lora_and_fsdps_own_offload():
    expected = {
        "adapter": "lora", "lora_r": 32, "lora_alpha": 16.0, "lora_targets": ("all-linear",), "shard": "fsdp2", "weights_dtype": "bf16",
        "offload_params": "cpu", "offload_optimizer": "cpu", "shard_strategy": "hybrid", "adam_beta2": 0.95, "optimizer": "adamw",
    }  # fmt: skip
    assert values(file(YAML), *expected) == expected


def test_under_megatron_its_own_switch_recomputes():
    text = YAML.replace("strategy: fsdp2", "strategy: megatron\n    megatron: {tensor_model_parallel_size: 4}")
    text = text.replace("target_modules: all-linear", "enable_gradient_checkpointing: true")
    expected = {"shard": "zero1", "tensor_parallel": 4, "recompute": "none", "model_code": "megatron", "master_dtype": "fp32"}
    assert values(file(text), *expected) == expected


@pytest.mark.parametrize("extra", ["--config-name ppo_megatron_trainer", "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4"])
def test_megatron_is_told_by_its_config_or_its_block(extra):
    expected = {"shard": "zero1", "recompute": "none", "model_code": "megatron", "weights_dtype": "bf16"}
    assert values(flags(FLAGS.strip() + " " + extra), *expected) == expected


def test_supervised_files():
    expected = {"task": "sft", "micro_batch": 4, "seq_len": 1024, "recompute": "none", "model": "Qwen/Qwen2.5-0.5B", "shard": "fsdp"}
    assert values(file(SFT), *expected) == expected
    assert "rollout_engine" not in full(file(SFT))


def test_no_reward_model_is_nowhere():
    assert "reward_offload" not in complete(READER, READER.read(flags(FLAGS)).settings, _stack({}))


_LIGER = " actor_rollout_ref.model.use_liger=True"


def _stack(releases: dict[str, str]) -> Stack:
    origin = Origin(OriginKind.FLAG, note="test")
    return Stack({name: Release(name, Version(text), None, origin, exact=True) for name, text in releases.items()})


@pytest.mark.parametrize(
    ("version", "value", "readings"),
    [("0.1", "none", ()), ("0.2", "cpu", ()), ("0.7.0", "cpu", ()), ("0.7.1", None, ("cpu", "none")), ("", None, ("cpu", "none"))],
)
def test_the_reward_model_waits_on_the_host_while_it_is_a_worker(version, value, readings):
    text = FLAGS.rstrip() + " reward_model.enable=True reward_model.model.path=r/m"
    found = complete(READER, READER.read(flags(text)).settings, _stack({"verl": version} if version else {}))["reward_offload"]
    assert (found.value, found.readings) == (value, readings)


@pytest.mark.parametrize(
    ("extra", "releases", "value", "readings"),
    [
        ("", {}, None, (("cross_entropy",), ())),
        ("", {"flash-attn": "2.7.4"}, ("cross_entropy",), ()),
        (_LIGER, {}, None, (("rms_norm", "rope", "swiglu", "cross_entropy"), ("rms_norm", "rope", "swiglu"))),
        (_LIGER, {"flash-attn": "2.7.4"}, ("rms_norm", "rope", "swiglu", "cross_entropy"), ()),
    ],
)
def test_the_cross_entropy_of_flash_attn_where_it_is_installed(extra, releases, value, readings):
    found = complete(READER, READER.read(flags(FLAGS.rstrip() + extra)).settings, _stack(releases))["kernels"]
    assert (found.value, found.readings) == (value, readings)
