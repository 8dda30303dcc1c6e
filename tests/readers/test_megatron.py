"""Megatron's arguments: what the optimizer keeps, how the model is built, which listings train."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.catalog.ledger import parameter_count
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.documents import Document
from budgetlint.documents.load import load
from budgetlint.documents.shell import read_shell
from budgetlint.language.custom_model import custom_architecture
from budgetlint.launch.flags import parse
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.megatron.reader import READER
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import NO_VOCABULARY, Role, Stack

SEEDS = {
    "megatron": "{MODEL_ARGS: {--num-layers: 1}}",
}
"""Documents that it claims (`test_marks.py`)."""

GPT = """\
python pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 \\
  --micro-batch-size 4 --global-batch-size 64 --train-iters 500000 --lr 0.00015 --lr-decay-style cosine \\
  --weight-decay 1e-2 --clip-grad 1.0 --vocab-file gpt2-vocab.json --merge-file gpt2-merges.txt --eval-iters 10"""

SIZED = (
    "--num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 4 "
    "--train-iters 9 --lr 1e-4 --bf16 --use-flash-attn"
)


def flags(extra: str = "") -> Document:
    text = f"{GPT} {extra}"
    (command,) = read_shell(text).commands
    return Document(SourceFile("run.sh", text), "shell", parse(command.words[2:], command.span).root, program="pretrain_gpt.py")


def full(extra: str = ""):
    return complete(READER, READER.read(flags(extra)).settings, Stack())


def values(extra: str, *names: str) -> dict:
    settings = full(extra)
    return {name: settings.value(name) for name in names}


def listing(*lines: str) -> Document:
    return load(SourceFile("model_config.yaml", "MODEL_ARGS:\n" + "".join(f"  {line}\n" for line in lines)))[0]


LISTED = (
    "--num-layers: 12",
    "--hidden-size: 512",
    "--num-attention-heads: 8",
    "--micro-batch-size: 4",
    "--seq-length: 1024",
    "--bf16: true",
)


def test_flags_and_listings_are_recognised():
    assert identify(flags()) is READER
    assert identify(listing(*LISTED)) is READER


def test_a_listing_trains_when_it_says_how_long():
    assert READER.read(listing(*LISTED, "--train-iters: 50")).role is Role.TRAINER
    assert READER.read(listing(*LISTED)).role is Role.INFERENCE


def test_commands_that_only_evaluate_are_not_its():
    text = GPT.replace("--train-iters 500000", "").replace("--lr 0.00015", "")
    (command,) = read_shell(text).commands
    assert READER.recognise(Document(SourceFile("a.sh", text), "shell", parse(command.words[2:], command.span).root)) == 0


@pytest.mark.parametrize("text", ["MODEL_ARGS: [1]\n", "MODEL_ARGS: {lr: 1}\n", "num_layers: 2\nhidden_size: 8\n"])
def test_strangers_stay_strangers(text):
    assert READER.recognise(load(SourceFile("a.yaml", text))[0]) == 0


def test_the_workload():
    expected = {
        "micro_batch": 4, "global_batch": 64, "seq_len": 1024, "max_steps": 500_000, "learning_rate": 0.00015, "weight_decay": 0.01,
        "lr_scheduler": "cosine", "eval_on": True, "model_code": "megatron", "task": "pretrain",
    }  # fmt: skip
    assert values("", *expected) == expected


def test_the_model_in_numbers():
    """GPT-2 medium with an untouched tokenizer, its vocabulary in steps of 128: 354,871,296 parameters."""
    architecture = custom_architecture(full().value("model_custom"))
    assert (architecture.vocab, architecture.tied, architecture.position) == (50304, True, "learned")
    block = 12 * 1024 * 1024 + 13 * 1024
    assert parameter_count(architecture) == 24 * block + 50304 * 1024 + 1024 * 1024 + 2 * 1024


@pytest.mark.parametrize(
    ("extra", "part"),
    [
        ("--swiglu --normalization RMSNorm --disable-bias-linear", {"intermediate": 2730 // 64 * 64, "norm": "rmsnorm", "mlp_bias": False}),
        ("--ffn-hidden-size 4000", {"intermediate": 4000}),
        ("--group-query-attention --num-query-groups 4 --kv-channels 128", {"kv_heads": 4, "head_dim": 128}),
        ("--untie-embeddings-and-output-weights --position-embedding-type rope", {"tied": False, "position": "rope"}),
        ("--tensor-model-parallel-size 8", {"vocab": 51200}),
        ("--num-experts 8 --moe-router-topk 1 --moe-ffn-hidden-size 512", {"experts": 8, "experts_per_token": 1, "moe_intermediate": 512}),
    ],
)
def test_what_the_flags_build(extra, part):
    numbers = dict(full(extra).value("model_custom"))
    assert {name: numbers[name] for name in part} == part
    assert parameter_count(custom_architecture(tuple(numbers.items()))) > 0


@pytest.mark.parametrize(
    ("extra", "rows"),
    [
        ("--tokenizer-type Llama2Tokenizer --tokenizer-model t.model", 32_000),
        ("--tokenizer-type Llama2Tokenizer --tensor-model-parallel-size 8", 32_768),
        ("--tokenizer-type Llama2Tokenizer --tensor-model-parallel-size 8 --make-vocab-size-divisible-by 1", 32_000),
        ("--tokenizer-type NullTokenizer --vocab-size 131072", 131_072),
        ("--tokenizer-type HuggingFaceTokenizer --vocab-size 50000", 50_048),
        ("--tokenizer-type HuggingFaceTokenizer --padded-vocab-size 50001", 50_001),
        ("--tokenizer-type GPT2BPETokenizer", 50_304),
    ],
)
def test_the_rows_of_the_vocabulary(extra, rows):
    assert dict(full(extra).value("model_custom"))["vocab"] == rows


def test_experts_by_layer_are_a_list_and_no_mistake():
    reading = READER.read(flags("--num-experts 64 64 128 --vocab-size 50257"))
    assert not reading.misreads
    assert not complete(READER, reading.settings, Stack()).get("model_custom").known


def test_unknown_vocabularies_and_hybrids_are_not_guessed():
    open_rows = full("--tokenizer-type SentencePieceTokenizer")["model_custom"]
    assert (open_rows.state, open_rows.text, open_rows.value) == ("symbolic", NO_VOCABULARY, None)
    assert "model_custom" not in full("--multi-latent-attention")
    assert full("--num-layers $LAYERS")["model_custom"].state == "symbolic"


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("", {"weights_dtype": "fp32", "shard": "ddp", "master_dtype": None}),
        ("--bf16", {"weights_dtype": "bf16", "engine_dtype": "bf16", "master_dtype": "fp32", "grads_dtype": "fp32"}),
        ("--fp16", {"weights_dtype": "fp16", "master_dtype": "fp32", "grads_dtype": None}),
        ("--fp16 --accumulate-allreduce-grads-in-fp32", {"grads_dtype": "fp32"}),
        ("--bf16 --use-distributed-optimizer", {"shard": "zero1", "zero_bucket": 0}),
        ("--bf16 --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params", {"shard": "fsdp2"}),
        ("--bf16 --use-precision-aware-optimizer --exp-avg-dtype bf16", {"optimizer_state": "bf16"}),
        ("--bf16 --exp-avg-dtype bf16", {"optimizer_state": None}),
        ("--optimizer-cpu-offload", {"offload_optimizer": "cpu"}),
        ("--recompute-activations", {"recompute": "selective"}),
        ("--recompute-granularity full --recompute-method uniform --recompute-num-layers 2", {"recompute": "full", "recompute_every": 2}),
        ("--recompute-granularity full --recompute-method block --recompute-num-layers 2", {"recompute": "full", "recompute_every": None}),
        ("--attention-backend unfused", {"attention": "eager"}),
        ("--tensor-model-parallel-size 4 --context-parallel-size 2", {"tensor_parallel": 4, "context_parallel": 2}),
    ],
)
def test_what_a_flag_means(extra, expected):
    assert values(extra, *expected) == expected


FLAGS = f"{SIZED} --merge-file gpt2-merges.txt --deepspeed --deepspeed_config ds.json --zero-stage 1"


@pytest.mark.parametrize(
    ("extra", "engine", "expected"),
    [
        ("", '"train_batch_size": 32', {"global_batch": None, "grad_accum": None, "zero_bucket": 500_000_000}),
        ("", '"gradient_accumulation_steps": 8', {"global_batch": None, "grad_accum": None, "zero_allgather_bucket": 500_000_000}),
        ("", '"train_batch_size": 32, "gradient_accumulation_steps": 1', {"global_batch": None, "grad_accum": 1}),
        (" --global-batch-size 64", '"train_batch_size": 64', {"global_batch": 64}),
        (" --global-batch-size 64", '"train_batch_size": 32', {"global_batch": None, "grad_accum": None}),
        ("", '"gradient_clipping": 0.5', {"zero_bucket": 500_000_000, "zero_overlap": False}),
    ],
)
def test_deepspeed_has_its_own_buckets_and_no_say_in_the_batch(extra, engine, expected):
    config = f'{{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {{"stage": 1}}, {engine}}}'
    (context,) = judge_texts({"run.sh": f"torchrun --nproc_per_node 8 pretrain_gpt.py {FLAGS}{extra}\n", "ds.json": config}).runs
    assert {name: context.run.settings.value(name) for name in expected} == expected


def test_models_with_a_vision_tower_are_not_sized():
    settings = full("--vision-model-type internvit --language-model-type yi-34b")
    assert "model_custom" not in settings
    assert "seq_len" not in settings


@pytest.mark.parametrize("extra", ["", "--optimizer adam"])
def test_adam_is_decoupled_here(extra):
    assert find_optimizer(full(extra).value("optimizer")).decay == "decoupled"


def test_dashes_and_underscores_are_one():
    assert READER.read(listing("--train-iters: 5", "--micro-batch-size: 3")).settings.value("micro_batch") == 3
