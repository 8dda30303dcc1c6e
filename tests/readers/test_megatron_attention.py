"""Which attention Megatron runs where no flag names it, and what the scores of its own one weigh."""

from __future__ import annotations

import pytest

from budgetlint.memory.term import Bucket
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

RUN = (
    "python pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024"
    " --micro-batch-size 4 --global-batch-size 32 --lr 1e-4 --train-iters 10 --fp16 --attention-dropout 0 --hidden-dropout 0"
    " --tokenizer-type GPT2BPETokenizer --vocab-file gpt2-vocab.json --merge-file m"
)

CASES = {
    "nothing is said": ("", None),
    "Transformer Engine": ("--transformer-impl transformer_engine", "flash"),
    "the local layers": ("--transformer-impl local", "eager"),
    "the local layers with flash attention": ("--transformer-impl local --use-flash-attn", "flash"),
    "core models": ("--use-mcore-models", "flash"),
    "flags of Megatron-LM 2.x": ("--DDP-impl torch", "eager"),
    "Megatron-DeepSpeed": ("--zero-stage 1", "eager"),
    "Megatron-DeepSpeed with its own switch": ("--zero-stage 1 --use-flash-attn-v2", "flash"),
    "the backend by its name": ("--use-mcore-models --attention-backend unfused", "eager"),
}


def run_of(more: str, pins: str = "") -> RunContext:
    (context,) = judge_texts({"run.sh": f"{RUN} {more}\n", "requirements.txt": pins}, budget="device 80GiB").runs
    return context


@pytest.mark.parametrize(("more", "attention"), CASES.values(), ids=CASES)
def test_the_attention(more: str, attention: str | None) -> None:
    assert run_of(more).run.settings["attention"].value == attention


def activations(more: str) -> int:
    estimate = run_of(more).estimate
    assert estimate is not None
    return sum(term.bytes for term in estimate.bill if term.bucket is Bucket.ACTIVATIONS)


def test_its_own_attention_keeps_two_bytes_of_each_score_in_each_layer() -> None:
    """24 layers x 4 sequences x 16 heads x 1,024 x 1,024 pairs x 2 B, less the statistics of the softmax (4 B a position and head)."""
    pairs, positions = 24 * 4 * 16 * 1024 * 1024, 24 * 4 * 16 * 1024
    assert activations("--transformer-impl local") - activations("--use-flash-attn") == 2 * pairs - 4 * positions


def test_selective_recomputation_keeps_none_of_them() -> None:
    one_layer = 4 * 16 * 1024 * 1024 * 2
    assert activations("--transformer-impl local --recompute-activations") < activations("--use-flash-attn") + 3 * one_layer


def test_what_nobody_states_is_read_in_both_ways() -> None:
    estimate = run_of("").estimate
    assert estimate is not None
    assert estimate.need.high is not None
    assert estimate.need.high - estimate.need.low > 2 * 24 * 4 * 16 * 1024 * 1024 * 9 // 10
