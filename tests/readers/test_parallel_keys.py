"""Keys of model parallelism: the same settings whatever the framework calls them."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

GPT = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
    "--max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --train-iters 100 --lr 1e-4 --bf16 "
    "--tokenizer-type GPT2BPETokenizer "
)
SWIFT = "NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen2.5-7B-Instruct --micro_batch_size 1 --tensor_model_parallel_size 2 "
NEOX = """{
  pipe-parallel-size: 2, model-parallel-size: 2, num-layers: 24, hidden-size: 2048, num-attention-heads: 16, seq-length: 2048,
  max-position-embeddings: 2048, no-weight-tying: true, train-iters: 100, train_micro_batch_size_per_gpu: 4, %s
}"""
TITAN = """[model]
name = "llama3"
flavor = "8B"
[training]
seq_len = 8192
local_batch_size = 4
[parallelism]
%s
[checkpoint]
enable = false
"""


def settings(files: dict[str, str]):
    (run,) = judge_texts(files).runs
    return run.run.settings


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.sh": GPT}, {"sequence_parallel": False, "tensor_parallel": 1}),
        ({"a.sh": GPT + "--tensor-model-parallel-size 2 --sequence-parallel"}, {"tensor_parallel": 2, "sequence_parallel": True}),
        (
            {"a.sh": GPT + "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 4"},
            {"pipeline_parallel": 2, "layers_per_virtual_stage": 4, "grad_accum": 16},
        ),
        (
            {"a.sh": GPT + "--recompute-granularity full --recompute-method block --recompute-num-layers 3"},
            {"recompute": "full", "recompute_layers": 3, "recompute_every": None},
        ),
        (
            {"a.sh": GPT + "--recompute-granularity full --recompute-method uniform --recompute-num-layers 3"},
            {"recompute_every": 3, "recompute_layers": None},
        ),
        ({"a.sh": GPT + "--distribute-saved-activations"}, {"recompute_partition": True}),
        (
            {"a.sh": GPT + "--pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 6"},
            {"pipeline_first_layers": 6, "pipeline_last_layers": None},
        ),
        (
            {"a.sh": GPT + "--pipeline-model-parallel-size 4 --account-for-embedding-in-pipeline-split"},
            {"pipeline_counts_embedding": True, "pipeline_counts_head": None},
        ),
        ({"a.sh": SWIFT}, {"expert_tensor_parallel": 1, "sequence_parallel": False}),
        ({"a.sh": SWIFT + "--sequence_parallel true"}, {"sequence_parallel": True}),
        ({"neox.yml": NEOX % "partition-activations: true"}, {"recompute_partition": True, "sequence_parallel": False}),
        ({"neox.yml": NEOX % "sequence-parallel: true"}, {"recompute_partition": False, "sequence_parallel": True}),
        ({"t.toml": TITAN % "tensor_parallel_degree = 2"}, {"pipeline_micro_batch": 1, "sequence_parallel": True, "vocab_parallel": None}),
        ({"t.toml": TITAN % "tensor_parallel_degree = 2\ndisable_loss_parallel = true"}, {"vocab_parallel": False}),
        (
            {"t.toml": TITAN % 'pipeline_parallel_degree = 2\npipeline_parallel_schedule = "Interleaved1F1B"'},
            {"pipeline_schedule": "Interleaved1F1B", "pipeline_parallel": 2},
        ),
    ],
)
def test_one_vocabulary_for_all_frameworks(files: dict[str, str], expected: dict[str, object]) -> None:
    found = settings(files)
    assert {name: found.value(name) for name in expected} == expected


def test_megatron_deepspeed_says_its_stage_where_its_file_is_written_by_the_script() -> None:
    from budgetlint.resolve.runs import judge_texts

    flags = "--num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --micro-batch-size 2 --bf16 --train-iters 100"
    script = f"deepspeed --num_gpus 8 pretrain_gpt.py {flags} --deepspeed --zero-stage 1 --deepspeed_config ds_$SLURM_JOB_ID.json\n"
    (run,) = judge_texts({"run.sh": script}).runs
    assert (run.run.settings["shard"].value, run.run.settings["shard"].origin.key) == ("zero1", "zero_stage")
