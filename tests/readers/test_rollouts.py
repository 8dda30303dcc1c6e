"""What RL configs of each ecosystem say of their rollouts and of the models beside the policy: settings, written and filled in."""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Settings

TRL = """model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 4
gradient_accumulation_steps: 2
learning_rate: 1.0e-6
num_train_epochs: 1
num_generations: 8
"""
AXOLOTL = """base_model: Qwen/Qwen2.5-1.5B
sequence_len: 4096
micro_batch_size: 2
gradient_accumulation_steps: 4
optimizer: adamw_torch
datasets: [{path: a, type: b}]
rl: grpo
"""
SWIFT = "swift rlhf --rlhf_type grpo --model Qwen/Qwen2.5-1.5B --max_length 1024"
LLAMA = """stage: ppo
model_name_or_path: Qwen/Qwen2.5-1.5B
do_train: true
finetuning_type: lora
template: qwen
cutoff_len: 1024
per_device_train_batch_size: 2
"""
OUMI = """model: {model_name: Qwen/Qwen2.5-1.5B, model_max_length: 4096}
training:
  trainer_type: TRL_GRPO
  per_device_train_batch_size: 4
  learning_rate: 1.0e-6
  optimizer: adamw_torch
  output_dir: out
"""
VERL = "python -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2.5-1.5B actor_rollout_ref.rollout.name=vllm"
OPENRLHF = "python -m openrlhf.cli.train_ppo_ray --pretrain Qwen/Qwen2.5-1.5B --vllm_num_engines 4"
NEMO = """policy:
  model_name: Qwen/Qwen2.5-1.5B
  train_micro_batch_size: 4
  generation: {backend: vllm, vllm_cfg: {gpu_memory_utilization: 0.6}}
cluster: {gpus_per_node: 8, num_nodes: 1}
grpo: {max_num_steps: 10}
"""


def settings(name: str, text: str, stack: str = "") -> Settings:
    (run,) = judge_texts({name: text}, budget=f"config {name}{'; stack ' + stack if stack else ''}").runs
    return run.run.settings


def shown(found: Settings, names: dict[str, Any]) -> dict[str, Any]:
    """The value of each setting, its readings where it has several."""
    return {name: None if name not in found else found[name].value if found[name].known else found[name].readings for name in names}


@pytest.mark.parametrize(
    ("text", "stack", "expected"),
    [
        ("", "trl@0.18", {"rollout_engine": "hf", "reference_model": "policy", "completion_len": 256, "seq_len": 768, "rollout_batch": 8}),
        ("", "trl@0.17", {"rollout_batch": 4, "reference_model": "policy"}),
        ("", "trl@0.24", {"reference_model": "none", "completion_len": 256, "seq_len": 768}),
        ("", "trl@0.28", {"reference_model": "none", "completion_len": 256, "seq_len": ()}),
        ("", "trl@1.16", {"completion_len": 512, "seq_len": (), "loss": "chunked"}),
        ("", "", {"completion_len": (512, 256), "seq_len": (None, 768), "reference_model": ("none", "policy"), "rollout_batch": (8, 4)}),
        ("max_prompt_length: 100\n", "", {"seq_len": 356}),
        ("max_completion_length: 100\n", "trl@0.24", {"seq_len": 612, "completion_len": 100}),
        ("max_prompt_length: 100\nmax_completion_length: 50\n", "", {"seq_len": 150, "completion_len": 50}),
        ("use_vllm: true\nvllm_max_model_length: 2048\n", "trl@1.16", {"seq_len": 2048, "rollout_engine": "vllm", "rollout_on": "same"}),
        ("use_vllm: true\n", "trl@0.15.2", {"rollout_memory": 0.9}),
        ("use_vllm: true\n", "trl@0.16.1", {"rollout_memory": None}),
        ("use_vllm: true\n", "trl@0.17.0", {"rollout_memory": None}),
        ("use_vllm: true\n", "trl@0.18.0", {"rollout_memory": 0.3}),
        ("use_vllm: true\n", "", {"rollout_memory": 0.3}),
        ("use_vllm: true\n", "trl@0.28", {"rollout_on": "other", "rollout_memory": 0.3, "rollout_sleeps": False}),
        ("use_vllm: true\n", "", {"rollout_on": ("same", "other")}),
        ("vllm_mode: server\nuse_vllm: true\n", "trl@1.16", {"rollout_on": "other"}),
        ("use_vllm: true\nvllm_device: auto\n", "", {"rollout_on": ("other", "same")}),
        ("use_vllm: true\nvllm_device: cuda:7\n", "", {"rollout_on": "other"}),
        ("vllm_enable_sleep_mode: true\nvllm_gpu_memory_utilization: 0.5\n", "", {"rollout_sleeps": True, "rollout_memory": 0.5}),
        ("steps_per_generation: 6\n", "", {"rollout_batch": 24}),
        ("generation_batch_size: 64\n", "", {"rollout_batch": ()}),
        ("ds3_gather_for_generation: false\n", "", {"rollout_gathers": False}),
        ("beta: 0.0\n", "trl@0.18", {"reference_model": "none"}),
        ("beta: 0.001\n", "trl@1.16", {"reference_model": "policy"}),
        ("use_liger_loss: true\n", "trl@0.24", {"loss": "fused"}),
        ("use_liger_kernel: true\n", "trl@0.24", {"loss": "full"}),
        ("use_liger_kernel: true\n", "trl@0.26", {"loss": "fused"}),
    ],
)
def test_trl(text: str, stack: str, expected: dict[str, Any]) -> None:
    assert shown(settings("a.yaml", TRL + text, stack), expected) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.yaml", AXOLOTL, {"seq_len": (4096, 257), "rollout_engine": "hf", "rollout_batch": (8, 2)}),
        (
            "a.yaml",
            AXOLOTL + "trl: {use_vllm: true, vllm_mode: colocate, max_completion_length: 1024, beta: 0.01}\n",
            {
                "seq_len": (4096, 1025),
                "completion_len": 1024,
                "rollout_engine": "vllm",
                "rollout_on": "same",
                "rollout_memory": 0.9,
                "reference_model": "policy",
            },
        ),
        ("a.yaml", AXOLOTL + "vllm: {gpu_memory_utilization: 0.4}\n", {"rollout_memory": 0.4}),
        ("a.yaml", AXOLOTL + "trl: {use_vllm: true}\n", {"rollout_engine": "vllm", "rollout_on": "other"}),
        ("a.yaml", AXOLOTL + "trl: {use_vllm: true, vllm_server_host: other-pod}\n", {"rollout_engine": "vllm", "rollout_on": "other"}),
        ("a.yaml", AXOLOTL + "trl: {use_vllm: true, vllm_mode: server}\n", {"rollout_on": "other"}),
        ("a.yaml", AXOLOTL.replace("rl: grpo", "rl: dpo"), {"seq_len": 4096, "rollout_engine": None, "completion_len": None}),
        ("a.sh", SWIFT, {"completion_len": 512, "rollout_engine": "hf", "seq_len": (1536, 1)}),
        (
            "a.sh",
            SWIFT + " --use_vllm true --vllm_mode colocate --sleep_level 1 --offload_model true --offload_optimizer true",
            {"rollout_engine": "vllm", "rollout_on": "same", "rollout_sleeps": True, "rollout_frees": ("params", "optimizer")},
        ),
        ("a.sh", SWIFT + " --tuner_type full --beta 0", {"reference_model": "none"}),
        ("a.sh", SWIFT + " --tuner_type full", {"reference_model": "policy", "rollout_memory": 0.9}),
        (
            "a.sh",
            SWIFT.replace("swift rlhf", "megatron rlhf") + " --vllm_mode colocate --tensor_model_parallel_size 2",
            {"rollout_engine": "vllm", "rollout_on": "same", "rollout_memory": 0.9, "completion_len": None},
        ),
        ("a.yaml", LLAMA, {"seq_len": 2048, "critic_model": "none", "rollout_engine": "hf", "rollout_batch": 2, "reference_model": None}),
        ("a.yaml", LLAMA + "max_new_tokens: 100\n", {"seq_len": 1124}),
        (
            "a.yaml",
            LLAMA.replace("lora", "full") + "reward_model_type: full\nreward_model: qwen2.5-7b\n",
            {"reference_model": "policy", "reward_model": "qwen2.5-7b"},
        ),
        ("a.yaml", LLAMA.replace("ppo", "sft"), {"seq_len": 1024, "rollout_engine": None}),
        ("a.yaml", OUMI, {"seq_len": (4096, 257), "rollout_engine": "hf"}),
        (
            "a.yaml",
            OUMI + "  grpo: {use_vllm: true, max_prompt_length: 256, max_completion_length: 128}\n",
            {"seq_len": 384, "completion_len": 128, "rollout_engine": "vllm", "rollout_memory": 0.9},
        ),
        (
            "a.sh",
            VERL + " actor_rollout_ref.rollout.gpu_memory_utilization=0.6",
            {"rollout_engine": "vllm", "rollout_on": "same", "rollout_memory": 0.6, "rollout_sleeps": True, "rollout_frees": None},
        ),
        (
            "a.sh",
            VERL + " actor_rollout_ref.actor.fsdp_config.param_offload=True actor_rollout_ref.actor.fsdp_config.optimizer_offload=False",
            {"rollout_frees": ("params",), "rollout_memory": 0.5},
        ),
        ("a.sh", VERL + " actor_rollout_ref.actor.ppo_micro_batch_size=32", {"micro_batch": 4}),
        ("a.sh", VERL + " actor_rollout_ref.actor.ppo_micro_batch_size=32 trainer.n_gpus_per_node=4 trainer.nnodes=2", {"micro_batch": 4}),
        ("a.sh", VERL + " actor_rollout_ref.rollout.free_cache_engine=False", {"rollout_sleeps": False}),
        ("a.sh", VERL + " actor_rollout_ref.hybrid_engine=False", {"rollout_on": "other"}),
        (
            "a.sh",
            VERL + " critic.model.path=m critic.model.fsdp_config.param_offload=True critic.model.fsdp_config.optimizer_offload=True",
            {"critic_model": "m", "critic_offload": "cpu"},
        ),
        (
            "a.sh",
            OPENRLHF,
            {"rollout_on": "other", "reference_offload": "elsewhere", "critic_offload": "elsewhere", "seq_len": 2048},
        ),
        (
            "a.sh",
            OPENRLHF + " --colocate_all_models --vllm_enable_sleep --deepspeed_enable_sleep --vllm_gpu_memory_utilization 0.6",
            {
                "rollout_on": "same",
                "rollout_sleeps": True,
                "rollout_frees": ("params", "optimizer"),
                "rollout_memory": 0.6,
                "reference_offload": "none",
                "reward_offload": "none",
            },
        ),
        ("a.sh", OPENRLHF + " --colocate_all_models --async_train", {"rollout_on": "other", "reference_offload": "none"}),
        ("a.sh", OPENRLHF + " --colocate_actor_ref", {"rollout_on": "other", "reference_offload": "none", "reward_offload": "elsewhere"}),
        ("a.sh", OPENRLHF + " --prompt_max_len 512 --generate_max_len 256", {"seq_len": 768}),
        (
            "a.yaml",
            NEMO,
            {"rollout_engine": "vllm", "rollout_on": "same", "rollout_sleeps": True, "rollout_frees": ("params", "optimizer")},
        ),
        ("a.yaml", NEMO.replace("{backend", "{colocated: {enabled: false}, backend"), {"rollout_on": "other"}),
    ],
)
def test_other_ecosystems(name: str, text: str, expected: dict[str, Any]) -> None:
    assert shown(settings(name, text), expected) == expected
