"""Facts of single frameworks that files nobody had tuned on showed to be wrong or missing: each as a kind, with other members beside it."""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts

VERL = (
    "python3 -m verl.trainer.main_ppo data.train_batch_size=1024 data.max_prompt_length=512 data.max_response_length=512 "
    "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B actor_rollout_ref.actor.ppo_mini_batch_size=256 "
    "actor_rollout_ref.rollout.name=vllm trainer.n_gpus_per_node=8 trainer.nnodes=1 "
)
ACTOR = "actor_rollout_ref.actor."
MEGATRON = "--config-name='ppo_megatron_trainer' actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4 "
SWIFT = "swift rlhf --rlhf_type grpo --model Qwen/Qwen2.5-7B-Instruct --torch_dtype bfloat16 --max_length 2048 "
GRPO_FILE = """\
model: Qwen/Qwen3-14B
dataset: [data/train.jsonl]
reward_funcs: [mine]
num_generations: 8
max_completion_length: 2048
use_vllm: true
vllm_mode: server
train_type: lora
max_length: 8192
"""
DPO_FILE = "model: Qwen/Qwen3-14B\ndataset: [data/train.jsonl]\ntrain_type: full\nmax_length: 8192\n"
TUNE = """\
model:
  _component_: torchtune.models.llama3_1.lora_llama3_1_8b
  lora_attn_modules: ['q_proj', 'v_proj']
tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, max_seq_len: 4096}
batch_size: 2
optimizer: {_component_: torch.optim.AdamW, lr: 3e-4}
dtype: bf16
"""
LLAMAFACTORY = """\
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
do_train: true
finetuning_type: lora
template: qwen
dataset: identity
output_dir: out
per_device_train_batch_size: 1
"""
RAY = (
    "python -m openrlhf.cli.train_ppo_ray --pretrain Qwen/Qwen2.5-7B-Instruct --remote_rm_url http://x --actor_num_gpus_per_node 8 "
    "--micro_train_batch_size 1 --train_batch_size 64 --advantage_estimator group_norm --zero_stage 1 "
)
ONE_PROCESS = "deepspeed --module openrlhf.cli.train_ppo --pretrain meta-llama/Meta-Llama-3-8B --micro_train_batch_size 2 --zero_stage 2 "
TRL = """\
model_name_or_path: Qwen/Qwen3-1.7B
output_dir: out
per_device_train_batch_size: 4
gradient_accumulation_steps: 4
learning_rate: 1.0e-5
max_length: 2048
bf16: true
"""

UNSLOTH = """\
from unsloth import FastLanguageModel
from trl import SFTConfig, SFTTrainer

model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Qwen3-8B", max_seq_length=4096{})
model = FastLanguageModel.get_peft_model(model, r=16{})
SFTTrainer(model=model, args=SFTConfig({}output_dir="out", per_device_train_batch_size=1)).train()
"""

SWIFT_VL = "swift sft --model Qwen/Qwen2.5-VL-3B-Instruct --dataset x"
FACTS: list[tuple[str, dict[str, str], str, dict[str, Any]]] = [
    # verl 0.6.1 workers/megatron_workers.py: ppo_micro_batch_size //= data-parallel ranks (8 devices by 4 of tensor parallelism)
    ("verl on Megatron", {"run.sh": VERL + MEGATRON + "actor_rollout_ref.actor.ppo_micro_batch_size=64"}, "", {"micro_batch": 32}),
    (
        "verl on Megatron with a pipeline",
        {"run.sh": VERL + MEGATRON + ACTOR + "megatron.pipeline_model_parallel_size=2 " + ACTOR + "ppo_micro_batch_size=64"},
        "",
        {"micro_batch": 64},
    ),
    # workers/fsdp_workers.py: //= device_mesh.size() // ulysses_sequence_parallel_size
    ("verl on FSDP", {"run.sh": VERL + "actor_rollout_ref.actor.ppo_micro_batch_size=64"}, "", {"micro_batch": 8}),
    (
        "verl on FSDP with Ulysses",
        {"run.sh": VERL + "actor_rollout_ref.actor.ulysses_sequence_parallel_size=2 actor_rollout_ref.actor.ppo_micro_batch_size=64"},
        "",
        {"micro_batch": 16},
    ),
    ("verl's older scoring batch", {"run.sh": VERL + "actor_rollout_ref.rollout.log_prob_micro_batch_size=128"}, "", {"scoring_batch": 16}),
    (
        "verl's older scoring batch on Megatron",
        {"run.sh": VERL + MEGATRON + "actor_rollout_ref.rollout.log_prob_micro_batch_size=128"},
        "",
        {"scoring_batch": 64},
    ),
    (
        "verl's scoring batch of one device",
        {"run.sh": VERL + "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=16"},
        "",
        {"scoring_batch": 16},
    ),
    (
        "a count that nobody knows",
        {"run.sh": VERL.replace("n_gpus_per_node=8", "n_gpus_per_node=$N") + "actor_rollout_ref.actor.ppo_micro_batch_size=64"},
        "",
        {"micro_batch": None},
    ),
    # torchtune 0.6.1 recipes/*_distributed.py: training.shard_model, on however many devices
    (
        "a distributed recipe shards",
        {"run.sh": "tune run --nproc_per_node 2 lora_finetune_distributed --config lora.yaml", "lora.yaml": TUNE},
        "",
        {"shard": "fsdp2", "shard_strategy": "full"},
    ),
    (
        "a recipe of dev/",
        {"run.sh": "tune run --nnodes 2 dev/lora_finetune_distributed_multi_dataset --config lora.yaml", "lora.yaml": TUNE},
        "",
        {"shard": "fsdp2"},
    ),
    ("a count without a recipe", {"lora.yaml": TUNE}, "device 2x rtx-4090", {"shard": None}),
    (
        "a single-device recipe",
        {"run.sh": "tune run lora_finetune_single_device --config lora.yaml", "lora.yaml": TUNE},
        "",
        {"shard": None},
    ),
    # ms_swift 3.6.0 trainers/arguments.py ds3_gather_for_generation
    ("ms-swift gathers nothing", {"run.sh": SWIFT + "--ds3_gather_for_generation false"}, "", {"rollout_gathers": False}),
    # the command says rlhf_type, the file the rest
    (
        "ms-swift's method on the command line",
        {"run.sh": "NPROC_PER_NODE=8 swift rlhf --rlhf_type grpo --config grpo.yaml", "grpo.yaml": GRPO_FILE},
        "",
        {"task": "grpo", "completion_len": 2048, "rollout_engine": "vllm", "rollout_on": "other", "seq_len": (10240, 1)},
    ),
    (
        "ms-swift's method on the command line, full tuning in the file",
        {"run.sh": "swift rlhf --rlhf_type dpo --config dpo.yaml", "dpo.yaml": DPO_FILE},
        "",
        {"task": "dpo", "reference_model": "policy"},
    ),
    ("ms-swift's file alone", {"grpo.yaml": GRPO_FILE}, "", {"task": "grpo"}),
    (
        "ms-swift without a KL term",
        {"run.sh": "swift rlhf --rlhf_type grpo --config grpo.yaml", "grpo.yaml": GRPO_FILE.replace("lora", "full") + "beta: 0.0\n"},
        "",
        {"reference_model": "none"},
    ),
    # llamafactory 0.9.4 hparams/finetuning_args.py split_arg: a text is split, anything else passes through
    (
        "LLaMA-Factory's targets as a list",
        {"sft.yaml": LLAMAFACTORY + "lora_target: [q_proj, v_proj]\n"},
        "",
        {"lora_targets": ("q_proj", "v_proj")},
    ),
    (
        "LLaMA-Factory's targets as a text",
        {"sft.yaml": LLAMAFACTORY + "lora_target: q_proj, v_proj\n"},
        "",
        {"lora_targets": ("q_proj", "v_proj")},
    ),
    ("LLaMA-Factory's list of all", {"sft.yaml": LLAMAFACTORY + "lora_target: [all]\n"}, "", {"lora_targets": ("all-linear",)}),
    (
        "LLaMA-Factory's other modules as a list",
        {"sft.yaml": LLAMAFACTORY + "additional_target: [embed_tokens, lm_head]\n"},
        "",
        {"lora_modules_to_save": ("embed_tokens", "lm_head")},
    ),
    # openrlhf 0.6.0 cli/train_ppo_ray.py: if args.init_kl_coef == 0: ref_model = None; 0.5.9 makes it
    ("OpenRLHF without a KL term", {"run.sh": RAY + "--init_kl_coef 0.0"}, "stack openrlhf@0.8", {"reference_model": "none"}),
    ("OpenRLHF without a KL term, before 0.6", {"run.sh": RAY + "--init_kl_coef 0"}, "stack openrlhf@0.5", {"reference_model": "policy"}),
    ("OpenRLHF without a KL term, any version", {"run.sh": RAY + "--init_kl_coef 0"}, "", {"reference_model": ("none", "policy")}),
    ("OpenRLHF with a KL term", {"run.sh": RAY + "--init_kl_coef 1e-4"}, "stack openrlhf@0.8", {"reference_model": "policy"}),
    # 0.4.5 cli/train_ppo.py: actor, critic, reward model and reference in each process
    (
        "OpenRLHF without Ray",
        {"run.sh": ONE_PROCESS + "--reward_pretrain meta-llama/Meta-Llama-3-8B"},
        "stack openrlhf@0.4",
        {
            "reference_model": "policy",
            "reference_offload": "none",
            "reward_offload": "none",
            "critic_offload": "none",
            "critic_model": "meta-llama/Meta-Llama-3-8B",
            "rollout_engine": "hf",
            "rollout_on": "same",
        },
    ),
    (
        "OpenRLHF without Ray, the scores from elsewhere",
        {"run.sh": ONE_PROCESS + "--remote_rm_url http://x"},
        "stack openrlhf@0.4",
        {"reward_model": "none", "critic_model": "meta-llama/Meta-Llama-3-8B"},
    ),
    # Ray places the workers: the task of srun is the driver
    (
        "OpenRLHF on Ray inside of Slurm",
        {"job.sh": "#!/bin/bash\n#SBATCH -N 2\nsrun --overlap --nodes=1 --ntasks=1 " + RAY + "--actor_num_nodes 1\n"},
        "",
        {"devices": 8, "nodes": 1},
    ),
    ("verl inside of Slurm", {"job.sh": "#!/bin/bash\n#SBATCH -N 2\nsrun --nodes=1 --ntasks=1 " + VERL}, "", {"devices": 8}),
    # ms_swift 4.6.0 model/models/qwen.py patch_qwen_vl_utils
    ("ms-swift's largest image", {"run.sh": "MAX_PIXELS=1003520 \\\n" + SWIFT_VL}, "", {"image_max_pixels": 1003520}),
    ("exported before", {"run.sh": "export MAX_PIXELS=1003520\n" + SWIFT_VL}, "", {"image_max_pixels": 1003520}),
    ("the flag as well", {"run.sh": "MAX_PIXELS=1003520 " + SWIFT_VL + " --max_pixels 50176"}, "", {"image_max_pixels": 50176}),
    ("a variable that nobody knows", {"run.sh": "MAX_PIXELS=$SIZE " + SWIFT_VL}, "", {"image_max_pixels": None}),
    (
        "another program's environment",
        {
            "run.sh": "MAX_PIXELS=1003520 llamafactory-cli train --stage sft --model_name_or_path "
            "Qwen/Qwen2.5-VL-3B-Instruct --finetuning_type lora --template qwen2_vl"
        },
        "",
        {"image_max_pixels": (589824, 262144)},
    ),
    # TRL 1.16.0 experimental/*_config.py: num_generations is a field of GOLD, SDFT and IW-OPD too
    ("GOLD is not GRPO", {"gold.yaml": TRL + "num_generations: 1\nlmbda: 0.5\nbeta: 0.5\nuse_uld_loss: true\n"}, "", {"task": "other"}),
    (
        "SDFT is not GRPO",
        {"sdft.yaml": TRL + "num_generations: 1\ndistillation_mode: topk\nteacher_model_kind: ema\n"},
        "",
        {"task": "other"},
    ),
    ("GRPO is GRPO", {"grpo.yaml": TRL + "num_generations: 8\n"}, "", {"task": "grpo"}),
    # unsloth 2025.6.1 models/llama.py get_peft_model, models/loader.py full_finetuning, models/rl.py; kernels/cross_entropy_loss.py
    ("Unsloth's targets", {"train.py": UNSLOTH.format("", "", "")}, "", {"lora_targets": ("all-linear",), "quant": "nf4", "seq_len": 4096}),
    (
        "Unsloth trains it all",
        {"train.py": UNSLOTH.format(", full_finetuning=True, load_in_4bit=True", "", "")},
        "",
        {"adapter": "none", "quant": "none"},
    ),
    ("Unsloth cuts at the model's length", {"train.py": UNSLOTH.format("", "", "max_length=8192, ")}, "", {"seq_len": 4096}),
    ("a shorter length of one's own, by release", {"train.py": UNSLOTH.format("", "", "max_length=512, ")}, "", {"seq_len": (4096, 512)}),
    (
        "Unsloth's loss, before",
        {"train.py": UNSLOTH.format("", "", "")},
        "stack unsloth@2024.8",
        {"loss": "in-place-copied", "seq_len": 1024},
    ),
    ("Unsloth's loss, the last in place", {"train.py": UNSLOTH.format("", "", "")}, "stack unsloth@2024.11.7", {"loss": "in-place-copied"}),
    (
        "Unsloth's forward of old cuts too",
        {"train.py": UNSLOTH.format("", "", "max_length=8192, ")},
        "stack unsloth@2024.8",
        {"seq_len": 4096},
    ),
    ("Unsloth's trainers, patched", {"train.py": UNSLOTH.format("", "", "")}, "stack unsloth@2025.2.6", {"seq_len": 4096}),
    ("Unsloth's loss, since", {"train.py": UNSLOTH.format("", "", "")}, "stack unsloth@2024.12", {"loss": "fused"}),
    ("Unsloth's loss, not TRL's", {"train.py": UNSLOTH.format("", "", "")}, "stack trl@1.15", {"loss": ("fused", "in-place-copied")}),
    (
        "Unsloth's loss beside a pinned TRL",
        {"train.py": UNSLOTH.format("", "", "")},
        "stack unsloth@2024.8 trl@0.12",
        {"loss": "in-place-copied"},
    ),
    ("Unsloth's loss, any version", {"train.py": UNSLOTH.format("", "", "")}, "", {"loss": ("fused", "in-place-copied")}),
]


@pytest.mark.parametrize(("files", "budget", "expected"), [pytest.param(*row[1:], id=row[0]) for row in FACTS])
def test_settings(files: dict[str, str], budget: str, expected: dict[str, Any]) -> None:
    settings = only_run(files, budget).run.settings
    assert {name: _shown(settings.get(name)) for name in expected} == expected


def only_run(files: dict[str, str], budget: str = "") -> Any:
    (context,) = judge_texts(files, budget=budget or None).runs
    return context


def _shown(setting: Any) -> Any:
    """The value, or what it may be."""
    return None if setting is None else setting.value if setting.known else setting.readings or None


QUIET = {
    "GOLD takes one completion": ({"gold.yaml": TRL + "num_generations: 1\nlmbda: 0.5\nbeta: 0.5\nuse_uld_loss: true\n"}, "BL623"),
    "IW-OPD takes one completion": (
        {"a.yaml": TRL + "num_generations: 1\nuse_teacher_server: true\nteacher_model_server_url: x\n"},
        "BL623",
    ),
    "LLaMA-Factory takes lists": ({"sft.yaml": LLAMAFACTORY + "lora_target: [q_proj, v_proj]\nadditional_target: [lm_head]\n"}, "BL907"),
    "a rate of GRPO is no LoRA rate": ({"grpo.yaml": GRPO_FILE + "learning_rate: 5e-6\n"}, "BL406"),
}


@pytest.mark.parametrize(("files", "code"), QUIET.values(), ids=QUIET.keys())
def test_no_false_alarm(files: dict[str, str], code: str) -> None:
    report = check(judge_texts(files, budget=None), installed())
    assert code not in {finding.code for finding in report.findings}
