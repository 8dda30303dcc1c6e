"""What reading costs: ``python benchmarks/read_speed.py [--files 1000]``, against yamllint on the same files in the same run.

Small files of seven formats are written to a temporary folder. *Reading* is what comes before any judgement: text, located
tree, whose file it is, settings. Each figure is CPU time, user and system, of a fresh process from start to end, the least of
some repeats; both tools have their byte code compiled before. The peak is the resident memory of the reading process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

TEMPLATES = {
    "axolotl": """\
# fine tune {n}
base_model: meta-llama/Llama-3.1-8B
load_in_4bit: true
strict: false
datasets:
  - path: data/set-{n}.jsonl
    type: alpaca
    split: train
val_set_size: 0.05
output_dir: ./out/run-{n}
adapter: qlora
lora_r: {rank}
lora_alpha: 16
lora_dropout: 0.05
lora_target_linear: true
sequence_len: {length}
sample_packing: true
pad_to_sequence_len: true
gradient_accumulation_steps: 4
micro_batch_size: {batch}
num_epochs: 3
optimizer: paged_adamw_8bit
lr_scheduler: cosine
learning_rate: 0.0002
bf16: auto
tf32: false
gradient_checkpointing: true
flash_attention: true
warmup_steps: 10
special_tokens:
  pad_token: "<|end_of_text|>"
""",
    "llamafactory": """\
### model
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
trust_remote_code: true

### method
stage: sft
do_train: true
finetuning_type: lora
lora_rank: {rank}
lora_target: all

### dataset
dataset: set_{n}
template: qwen
cutoff_len: {length}
max_samples: 1000
preprocessing_num_workers: 16

### output
output_dir: saves/run-{n}
logging_steps: 10
save_steps: 500
plot_loss: true

### train
per_device_train_batch_size: {batch}
gradient_accumulation_steps: 8
learning_rate: 1.0e-4
num_train_epochs: 3.0
lr_scheduler_type: cosine
warmup_ratio: 0.1
bf16: true
""",
    "trl": """\
model_name_or_path: Qwen/Qwen2.5-1.5B
torch_dtype: bfloat16
attn_implementation: flash_attention_2
dataset_name: org/set-{n}
dataset_num_proc: 8
bf16: true
gradient_accumulation_steps: 4
gradient_checkpointing: true
gradient_checkpointing_kwargs:
  use_reentrant: false
learning_rate: 2.0e-05
log_level: info
logging_steps: 5
lr_scheduler_type: cosine_with_min_lr
lr_scheduler_kwargs:
  min_lr_rate: 0.1
packing: true
max_length: {length}
num_train_epochs: 1
output_dir: data/run-{n}
per_device_train_batch_size: {batch}
use_peft: true
lora_r: {rank}
seed: 42
""",
    "accelerate": """\
compute_environment: LOCAL_MACHINE
debug: false
distributed_type: FSDP
downcast_bf16: 'no'
fsdp_config:
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_backward_prefetch: BACKWARD_PRE
  fsdp_cpu_ram_efficient_loading: true
  fsdp_offload_params: false
  fsdp_sharding_strategy: FULL_SHARD
  fsdp_state_dict_type: SHARDED_STATE_DICT
  fsdp_sync_module_states: true
machine_rank: 0
main_process_port: {n}
main_training_function: main
mixed_precision: bf16
num_machines: 1
num_processes: {batch}
rdzv_backend: static
same_network: true
use_cpu: false
""",
    "torchtune": """\
output_dir: /tmp/run-{n}
model:
  _component_: torchtune.models.llama3_1.lora_llama3_1_8b
  lora_attn_modules: ['q_proj', 'v_proj', 'output_proj']
  apply_lora_to_mlp: True
  lora_rank: {rank}
  lora_alpha: 16
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  path: /tmp/tokenizer.model
  max_seq_len: {length}
checkpointer:
  _component_: torchtune.training.FullModelHFCheckpointer
  checkpoint_dir: /tmp/model
  checkpoint_files: [a.safetensors, b.safetensors]
  model_type: LLAMA3
resume_from_checkpoint: False
dataset:
  _component_: torchtune.datasets.alpaca_cleaned_dataset
  packed: True
batch_size: {batch}
optimizer:
  _component_: torch.optim.AdamW
  fused: True
  lr: 3e-4
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
epochs: 1
gradient_accumulation_steps: 8
device: cuda
dtype: bf16
enable_activation_checkpointing: True
""",
    "verl": """\
data:
  train_files: /data/set-{n}.parquet
  train_batch_size: 256
  max_prompt_length: {length}
  max_response_length: 1024
actor_rollout_ref:
  hybrid_engine: True
  model:
    path: Qwen/Qwen2.5-7B-Instruct
    enable_gradient_checkpointing: True
  actor:
    strategy: fsdp
    ppo_mini_batch_size: 64
    ppo_micro_batch_size_per_gpu: {batch}
    optim:
      lr: 1e-6
    fsdp_config:
      param_offload: False
      optimizer_offload: False
  rollout:
    name: vllm
    gpu_memory_utilization: 0.5
    tensor_model_parallel_size: 2
algorithm:
  adv_estimator: grpo
trainer:
  n_gpus_per_node: 8
  nnodes: 1
""",
    "none of them": """\
services:
  web-{n}:
    image: "registry/app:{rank}"
    ports:
      - "80{batch}:8080"
    environment:
      WORKERS: '{batch}'
      LIMIT: {length}
    restart: always
volumes:
  data: {{}}
""",
}


READING = Path(__file__).with_name("reading.py")
"""The process that only reads. It stands alone: what this module imports is none of its cost."""


@dataclass(frozen=True)
class Cost:
    """CPU seconds and peak resident bytes of a process."""

    cpu: float
    peak: int


def write_files(folder: Path, count: int) -> None:
    """``count`` files, the templates in turn, no two alike."""
    texts = list(TEMPLATES.values())
    for n in range(count):
        text = texts[n % len(texts)].format(n=n, rank=8 << n % 4, length=512 << n % 5, batch=1 + n % 8)
        (folder / f"run-{n:04}.yaml").write_text(text, encoding="utf-8")


def cost(command: Sequence[str], cache: Path, repeats: int) -> Cost:
    """The cheapest of ``repeats`` runs, after one that compiles."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    found = [_once(command, environment) for _ in range(repeats + 1)][1:]
    return Cost(min(one.cpu for one in found), max(one.peak for one in found))


def _once(command: Sequence[str], environment: dict[str, str]) -> Cost:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    # yamllint and the command line give 1 for findings
    assert process.returncode in (0, 1), (command, process.returncode)
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        folder, cache = Path(name, "files"), Path(name, "cache")
        folder.mkdir()
        write_files(folder, asked.files)
        _report(folder, cache, asked.repeats)


def _report(folder: Path, cache: Path, repeats: int) -> None:
    python, first = sys.executable, sorted(folder.iterdir())[0]
    reading, lint = [python, str(READING)], [python, "-m", "yamllint"]
    rows = (
        ("all files", [*reading, str(folder)], [*lint, str(folder)], repeats),
        ("one file, read", [*reading, str(first)], [*lint, str(first)], repeats * 5),
        ("one file, `budgetlint files`", [python, "-m", "budgetlint", "files", str(first)], [*lint, str(first)], repeats * 5),
    )
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{len(list(folder.iterdir()))} files, {size / 1000:.0f} kB; an empty process: {cost([python, '-c', ''], cache, 5).cpu:.3f} s")
    print(f"{'':<30}{'budgetlint':>12}{'yamllint':>12}{'yamllint/ours':>15}{'peak':>10}{'yamllint':>10}")
    pairs = [(name, cost(ours, cache, times), cost(theirs, cache, times)) for name, ours, theirs, times in rows]
    (_, all_ours, all_theirs), (_, one_ours, one_theirs), _ = pairs
    alone = Cost(all_ours.cpu - one_ours.cpu, all_ours.peak), Cost(all_theirs.cpu - one_theirs.cpu, all_theirs.peak)
    for name, one, other in (*pairs, ("all files less one: no start", *alone)):
        peaks = f"{one.peak / 1e6:>7.0f} MB{other.peak / 1e6:>7.0f} MB"
        print(f"{name:<30}{one.cpu:>10.3f} s{other.cpu:>10.3f} s{other.cpu / one.cpu:>15.2f}{peaks}")


if __name__ == "__main__":
    main()
