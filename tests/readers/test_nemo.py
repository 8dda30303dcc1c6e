"""NeMo: Hydra configs, the launcher's groups, NeMo-RL; what trains and what does not."""

from __future__ import annotations

from textwrap import dedent

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.documents import Document
from budgetlint.documents.load import load
from budgetlint.documents.shell import read_shell
from budgetlint.launch.flags import parse
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.nemo.reader import READER
from budgetlint.settings.run import Role, Stack

SEEDS = {
    "nemo": "{exp_manager: {}, trainer: {devices: 1}, model: {a: 1}}",
    "nemo rl": "{policy: {}, cluster: {}, grpo: {}, loss_fn: {}, defaults: a.yaml, env: {}, data: {}}",
    "nemo fragment": "{defaults: a.yaml, cluster: {}, env: {}, data: {}}",
    "nemo inference": "{trainer: {devices: 1}, model: {a: 1}, inference: {}, prompts: []}",
    "nemo search": "{train_settings: {a: 1}, inference_settings: {a: 1}}",
    "nemo recipe": "{model: {_target_: nemo.a}, strategy: {_target_: nemo.b}, data: {_target_: nemo.c}, optim: {_target_: nemo.d}}",
    "nemo group": "{model: {a: '${training.run.b}'}, run: {b: 1}}",
}
"""Documents that it claims (`test_marks.py`)."""

PRETRAINING = """\
trainer: {devices: 8, num_nodes: 4, precision: bf16, max_steps: 100, gradient_clip_val: 1.0, accumulate_grad_batches: 1}
exp_manager: {exp_dir: null}
model:
  micro_batch_size: 1
  global_batch_size: 256
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 1
  encoder_seq_length: 4096
  max_position_embeddings: ${.encoder_seq_length}
  num_layers: 24
  hidden_size: 4096
  ffn_hidden_size: ${multiply:4, ${.hidden_size}}
  num_attention_heads: 32
  megatron_amp_O2: true
  tokenizer: {library: megatron, type: GPT2BPETokenizer}
  optim: {name: distributed_fused_adam, lr: 1e-4, weight_decay: 0.1, betas: [0.9, 0.95]}
"""
PEFT = """\
name: ${peft.run.name}
run: {name: x, micro: 2, convert_dir: "${base_results_dir}/y"}
trainer: {devices: 8, num_nodes: 1, precision: bf16}
exp_manager: {exp_dir: null}
model:
  micro_batch_size: ${peft.run.micro}
  global_batch_size: 128
  tensor_model_parallel_size: 1
  megatron_amp_O2: false
  restore_from_path: ${peft.run.convert_dir}/model.nemo
  peft:
    peft_scheme: lora
    lora_tuning: {adapter_dim: 16, adapter_dropout: 0.1, target_modules: [attention_qkv, mlp_fc2]}
  data:
    train_ds: {micro_batch_size: "${peft.model.micro_batch_size}", max_seq_length: 2048}
  optim: {name: fused_adam, lr: 1e-4}
"""
SPEECH = """\
trainer: {devices: -1, precision: 32, accumulate_grad_batches: 2}
exp_manager: {exp_dir: null}
model:
  train_ds: {batch_size: 16}
  optim: {name: adam, lr: 0.1, weight_decay: 1e-4}
"""
GRPO = """\
grpo: {num_prompts_per_step: 32, max_num_steps: 50}
loss_fn: {reference_policy_kl_penalty: 0.01}
policy:
  model_name: Qwen/Qwen2.5-1.5B
  train_global_batch_size: 512
  train_micro_batch_size: 4
  max_total_sequence_length: 512
  precision: bfloat16
  dtensor_cfg: {enabled: true, tensor_parallel_size: 2, activation_checkpointing: true, cpu_offload: false}
  megatron_cfg: {enabled: false, tensor_model_parallel_size: 8, optimizer: {optimizer: adam, lr: 9.0}}
  optimizer: {name: torch.optim.AdamW, kwargs: {lr: 5.0e-6, weight_decay: 0.01}}
  generation: {backend: vllm, vllm_cfg: {gpu_memory_utilization: 0.6, tensor_parallel_size: 1}}
cluster: {gpus_per_node: 8, num_nodes: 2}
"""


def document(text: str, name: str = "conf.yaml"):
    return load(SourceFile(name, dedent(text)))[0]


def read(text: str):
    return READER.read(document(text))


def full(text: str):
    return complete(READER, read(text).settings, Stack())


def values(text: str, *names: str) -> dict:
    settings = full(text)
    return {name: settings.value(name) for name in names}


@pytest.mark.parametrize("text", [PRETRAINING, PEFT, SPEECH, GRPO])
def test_training_files_start_runs(text):
    assert identify(document(text)) is READER
    assert read(text).role is Role.TRAINER


@pytest.mark.parametrize(
    "text",
    [
        "run: {name: c}\nmodel: {model_type: gpt, checkpoint_folder: '${conversion.run.x}'}\n",
        "inference: {greedy: true}\ntrainer: {devices: 1}\ntensor_model_parallel_size: 1\n"
        "pipeline_model_parallel_size: 1\ngpt_model_file: x\n",
        "train_settings: {model_size_in_b: 5, num_nodes: 8}\n",
        PRETRAINING + "inference: {greedy: true}\n",
        PRETRAINING + "run: {results_dir: '${evaluation.run.x}'}\n",
    ],
)
def test_conversion_evaluation_and_search_start_none(text):
    assert identify(document(text)) is READER
    assert read(text).role is Role.INFERENCE


@pytest.mark.parametrize(
    "text",
    [
        "resources: {accelerators: 'A100:8'}\nrun: python train.py\n",
        "trainer: {max_epochs: 1}\nmodel: {class_path: x}\n",
        "run: {name: x}\nsteps: [1]\n",
        "policy: [a, b]\n",
    ],
)
def test_strangers_stay_strangers(text):
    assert READER.recognise(document(text)) == 0


def test_second_level_precision_keeps_half_weights_and_full_masters():
    expected = {"weights_dtype": "bf16", "engine_dtype": "bf16", "master_dtype": "fp32", "grads_dtype": "fp32", "autocast": "none"}
    assert values(PRETRAINING, *expected) == expected


def test_without_it_lightning_casts_fp32_weights():
    assert values(PEFT, "weights_dtype", "autocast") == {"weights_dtype": "fp32", "autocast": "bf16"}


def test_the_distributed_adam_splits_its_states():
    assert values(PRETRAINING, "shard", "zero_bucket", "model_code") == {"shard": "zero1", "zero_bucket": 0, "model_code": "megatron"}


def test_accumulation_follows_from_the_batch_sizes():
    """256 sequences over 32 GPUs in pairs: 16 data-parallel ranks, 16 micro batches of one."""
    settings = full(PRETRAINING)
    assert settings.value("grad_accum") == 16
    assert settings["grad_accum"].is_default


def test_numbers_and_references_build_the_model():
    numbers = dict(full(PRETRAINING).value("model_custom"))
    picked = {name: numbers[name] for name in ("hidden", "layers", "intermediate", "vocab", "max_positions", "tied")}
    assert picked == {"hidden": 4096, "layers": 24, "intermediate": 16384, "vocab": 50432, "max_positions": 4096, "tied": True}


def test_a_group_of_the_launcher_refers_to_itself():
    settings = read(PEFT).settings
    assert settings.value("micro_batch") == 2
    assert settings["model"].state == "symbolic", "the folder of checkpoints is set elsewhere"


def test_lora_by_megatrons_names():
    expected = {
        "adapter": "lora", "lora_r": 16, "lora_alpha": 16.0, "lora_dropout": 0.1, "task": "sft",
        "lora_targets": ("q_proj", "k_proj", "v_proj", "down_proj"),
    }  # fmt: skip
    assert values(PEFT, *expected) == expected


@pytest.mark.parametrize(("scheme", "adapter"), [("null", "none"), ("none", "none"), ("ptuning", "other"), ("lora", "lora")])
def test_the_scheme_decides_what_trains(scheme, adapter):
    assert full(PEFT.replace("peft_scheme: lora", f"peft_scheme: {scheme}")).value("adapter") == adapter


@pytest.mark.parametrize(
    ("name", "decay"),
    [("adam", "l2"), ("adamw", "decoupled"), ("fused_adam", "decoupled"), ("mcore_distributed_optim", "decoupled")],
)
def test_only_nemos_own_adam_is_coupled(name, decay):
    settings = full(SPEECH.replace("name: adam", f"name: {name}"))
    assert find_optimizer(settings.value("optimizer")).decay == decay


def test_speech_configs_count_samples_and_accumulate_by_the_trainer():
    assert values(SPEECH, "micro_batch", "grad_accum", "devices_per_node") == {"micro_batch": 16, "grad_accum": 2, "devices_per_node": None}
    assert "model_code" not in full(SPEECH)


def test_rl_reads_the_backend_that_is_on():
    expected = {
        "model": "Qwen/Qwen2.5-1.5B", "micro_batch": 4, "seq_len": 512, "shard": "fsdp2", "weights_dtype": "fp32", "autocast": "bf16",
        "tensor_parallel": 2, "recompute": "full", "optimizer": "adamw", "learning_rate": 5e-6, "devices_per_node": 8, "nodes": 2,
    }  # fmt: skip
    assert values(GRPO, *expected) == expected


def test_rl_names_the_models_beside_the_policy():
    expected = {"task": "grpo", "reference_model": "policy", "rollout_engine": "vllm", "rollout_memory": 0.6, "rollout_tensor_parallel": 1}
    assert values(GRPO, *expected) == expected


def test_rl_with_megatron():
    text = GRPO.replace("dtensor_cfg: {enabled: true", "dtensor_cfg: {enabled: false").replace(
        "megatron_cfg: {enabled: false", "megatron_cfg: {enabled: true"
    )
    expected = {"tensor_parallel": 8, "shard": "zero1", "optimizer": "megatron_adam", "learning_rate": 9.0, "model_code": "megatron"}
    assert values(text, *expected) == expected


def command(text: str):
    (found,) = read_shell(text).commands
    return Document(SourceFile("run.sh", text), "shell", parse(found.words[2:], found.span).root, program=found.words[1].text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "python main.py training=gpt3/5b training.trainer.num_nodes=2 training.model.micro_batch_size=2 training.model.fp8=False",
            {"nodes": 2, "micro_batch": 2},
        ),
        (
            "python run_grpo.py policy.model_name=a/b policy.train_micro_batch_size=2 grpo.max_num_steps=9 cluster.num_nodes=2",
            {"model": "a/b", "micro_batch": 2, "task": "grpo", "max_steps": 9, "nodes": 2},
        ),
        (
            "python pretrain.py trainer.devices=4 exp_manager.name=x model.micro_batch_size=3 model.optim.name=fused_adam",
            {"devices_per_node": 4, "micro_batch": 3, "optimizer": "fused_adam"},
        ),
    ],
)
def test_overrides_of_commands(text, expected):
    document = command(text)
    assert identify(document) is READER
    settings = READER.read(document).settings
    assert {name: settings.value(name) for name in expected} == expected


def test_other_commands_are_not_its():
    assert READER.recognise(command("python main.py trainer.devices=1 data.path=x")) == 0


@pytest.mark.parametrize(
    ("defaults", "named"),
    [
        ("defaults: ../grpo_math_1B.yaml\n", ["../grpo_math_1B.yaml"]),
        ("defaults:\n  - base\n  - _self_\n  - optional tp@model: x\n", ["base.yaml"]),
    ],
)
def test_bases_are_references(defaults, named):
    assert [reference.text for reference in read(defaults + GRPO).references] == named
