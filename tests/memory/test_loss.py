"""The tensors of vocabulary width, in bytes of one token and one entry of the vocabulary: each recipe against the sum of its tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from budgetlint.memory import loss
from budgetlint.memory.code import pick
from budgetlint.memory.plan import Adapter, Plan
from budgetlint.memory.term import Term
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Origin, OriginKind, Setting

Small = Callable[..., Plan]
LIGER = frozenset({"cross_entropy"})


def of_an_entry(plan: Plan, terms: Iterable[Term]) -> float:
    return sum(term.bytes for term in terms) / (plan.scored * plan.arch.vocab)


def both(plan: Plan) -> tuple[float, float]:
    return of_an_entry(plan, loss.forward(plan)), of_an_entry(plan, loss.backward(plan))


def in_(plan: Plan, dtype: str) -> Plan:
    """16 bit throughout, autocast over fp32 weights, or fp32 throughout."""
    compute, autocast = {"16": (2, False), "autocast": (2, True), "32": (4, False)}[dtype]
    return replace(plan, precision=replace(plan.precision, compute=compute, autocast=autocast))


@pytest.mark.parametrize(
    ("recipe", "dtype", "forward", "backward"),
    [
        ("full", "16", 2 + 4 + 4, 4 + 4 + 4),
        ("full", "autocast", 2 + 4 + 4, 4 + 4 + 4),
        ("full", "32", 4 + 4, 4 + 4 + 4),
        ("plain", "16", 2 + 2, 2 + 2 + 2),
        ("plain", "autocast", 2 + 4 + 4, 4 + 4 + 4),
        ("plain", "32", 4 + 4, 4 + 4 + 4),
        ("plain-held", "16", 2 + 2, 2 + 2 + 2 + 2),
        ("plain-held", "autocast", 2 + 4 + 4, 2 + 4 + 4 + 4),
        ("plain-held", "32", 4 + 4, 4 + 4 + 4 + 4),
        ("full-shifted", "16", 2 + 4 + 4 + 4, 2 + 4 + 4 + 4),
        ("full-upcast", "16", 4 + 4 + 4, 4 + 4 + 4),
        ("full-shifted", "32", 4 + 4 + 4, 4 + 4 + 4 + 4),
        ("full-upcast", "32", 4 + 4 + 4, 4 + 4 + 4),  # transformers 4.45.2 modeling_mistral.py: shift_logits is a copy
        ("full-plain", "16", 2 + 2 + 2, 2 + 2 + 2 + 2),
        ("full-plain", "autocast", 2 + 2 + 4 + 4, 2 + 4 + 4 + 4),
        ("full-plain", "32", 4 + 4 + 4, 4 + 4 + 4 + 4),
        ("full-split", "16", 2 + 4, 4 + 2),
        ("full-split", "32", 4, 4),  # nothing is cast back
        ("full-dtensor", "16", 2 + 4 + 4 + 4, 4 + 4 + 4 + 4),
        ("in-place", "16", 2, 2),
        ("in-place", "32", 4, 4),
        ("in-place-copied", "16", 2, 2),
        ("in-place-copied", "autocast", 2 + 4, 2),  # accelerate's fp32 copy of what the forward returns
        ("in-place-copied", "32", 4, 4),
    ],
)
def test_a_recipe_is_the_sum_of_its_tensors(small: Small, recipe: str, dtype: str, forward: int, backward: int) -> None:
    assert both(in_(small(loss=recipe), dtype)) == (forward, backward)


@pytest.mark.parametrize(
    ("recipe", "dtype", "forward"),
    [
        ("full-shifted", "32", 4 + 4 + 4),
        ("full-plain", "32", 4 + 4 + 4),
        ("full-split", "32", 4),
        ("full-dtensor", "32", 4 + 4 + 4),
        ("in-place", "32", 4),
    ],
)
def test_the_forward_in_fp32(small: Small, recipe: str, dtype: str, forward: int) -> None:
    plan = in_(small(loss=recipe), dtype)
    assert of_an_entry(plan, loss.forward(plan)) == forward


@pytest.mark.parametrize(
    ("recipe", "dtype", "either"),
    [
        ("full", "16", 2 + 4),  # the gradient lies in the fp32 copy, whose log-softmax is never made
        ("full-shifted", "16", 2 + 4 + 4),
        ("full-upcast", "16", 4 + 4),
        ("full-plain", "16", 2 + 2 + 2),
        ("full-plain", "autocast", 2 + 2 + 4),
        ("full", "32", 4),  # fp32 logits are no copy: the gradient lies in what the head gave
        ("full-shifted", "32", 4 + 4),
        ("full-plain", "32", 4 + 4),
        ("in-place", "16", 2),
        ("in-place", "32", 4),
    ],
)
def test_a_fused_cross_entropy_makes_no_log_softmax(small: Small, recipe: str, dtype: str, either: int) -> None:
    assert both(in_(small(loss=recipe, kernels=LIGER), dtype)) == (either, either)


@pytest.mark.parametrize(
    ("dtype", "kernels", "forward", "backward"),
    [
        ("16", (), 2 + 2, 2 + 2 + 2),
        ("autocast", (), 2 + 2 + 4 + 4, 4 + 4 + 2),
        ("32", (), 4 + 4, 4 + 4 + 4),
        ("16", LIGER, 2 + 4, 2 + 4),  # 16-bit logits alone, and their gradient in fp32
    ],
)
def test_a_masked_language_model_takes_the_logits_as_they_are(small: Small, dtype: str, kernels: Any, forward: int, backward: int) -> None:
    plan = in_(small(head="lm", kernels=frozenset(kernels)), dtype)
    assert both(replace(plan, arch=replace(plan.arch, kind="encoder"))) == (forward, backward)


@pytest.mark.parametrize(("dtype", "forward", "backward"), [("16", 2 + 2, 2 + 2 + 2), ("autocast", 10, 12), ("32", 4 + 4, 12)])
def test_an_encoder_decoder_does_so_in_16_bit(small: Small, dtype: str, forward: int, backward: int) -> None:
    plan = in_(small(), dtype)
    assert both(replace(plan, shape=replace(plan.shape, encoder=plan.shape))) == (forward, backward)


@pytest.mark.parametrize(
    ("dtype", "batch", "forward", "backward"),
    [
        ("16", 8, 2 + 2, 2 + 2),
        ("16", 1, 2 + 2, 2 + 2 + 2),
        ("16", None, 2 + 2, 2 + 2 + 2),
        ("autocast", 8, 4 + 4, 4 + 4 + 4),
        ("autocast", 1, 4 + 4, 4 + 12),
        ("32", 8, 4 + 4, 4 + 4 + 4),
        ("32", 1, 4 + 4, 4 + 12),
    ],
)
@pytest.mark.parametrize("kernels", [frozenset(), LIGER])
def test_log_probabilities_of_completions(small: Small, dtype: str, batch: int, forward: int, backward: int, kernels: Any) -> None:
    """No fused cross entropy has a part in them."""
    assert both(in_(small(loss="logps", batch=batch, kernels=kernels), dtype)) == (forward, backward)


@pytest.mark.parametrize(("family", "more"), [("gemma2", 2), ("llama", 0)])
def test_soft_capped_logits_keep_their_tanh(small: Small, family: str, more: int) -> None:
    assert both(small(family=family)) == (10 + more, 12 + more)
    assert both(small(family=family, kernels=LIGER)) == (6 + more, 6 + more)


@pytest.mark.parametrize("recipe", ["full", "fused", "chunked"])
def test_without_a_language_modelling_head_there_are_none(small: Small, recipe: str) -> None:
    plan = small(loss=recipe, head="classification")
    assert [*loss.forward(plan), *loss.backward(plan)] == []


@pytest.mark.parametrize(("seq", "rows"), [(100, 100), (256, 256), (1000, 256)])
def test_a_chunked_loss_has_256_tokens_at_a_time(small: Small, seq: int, rows: int) -> None:
    """12 B an entry: logits, their fp32 copy's gradient and the log-softmax in fp32."""
    plan = small(loss="chunked", seq=seq)
    for make in (loss.forward, loss.backward):
        assert [term.bytes for term in make(plan)] == [rows * 32 * 12]


@pytest.mark.parametrize(
    ("seq", "rows"),
    [
        (4, 1),  # 4 tokens / (32 / 8)
        (5, 2),
        (16, 4),
        (17, 8),  # 4.25: the next power of two of 5
        (1000, 256),
    ],
)
def test_a_fused_loss_has_chunks_no_larger_than_the_hidden_states(small: Small, seq: int, rows: int) -> None:
    """Vocabulary 32 is 4 times the width of 8. Beside a chunk's logits (2 B, and 4 B of fp32) the gradients of hidden states and head."""
    plan = small(loss="fused", seq=seq)
    for make in (loss.forward, loss.backward):
        assert [term.bytes for term in make(plan)] == [rows * 32 * 6, seq * 8 * 2, 32 * 8 * 2]


def test_a_fused_loss_makes_no_gradient_of_a_frozen_head(small: Small) -> None:
    plan = small(loss="fused", seq=16, adapter=Adapter(2, 0.0, 4, frozenset({"q_proj"})))
    assert [term.bytes for term in loss.forward(plan)] == [4 * 32 * 6, 16 * 8 * 2]


@pytest.mark.parametrize(("completion", "scored", "rows"), [(3, 2 * 4, 3), (9, 2 * 10, 9), (30, 2 * 10, 20)])
def test_a_fused_loss_of_completions_takes_one_sequence(small: Small, completion: int, scored: int, rows: int) -> None:
    """Two sequences of 10; one more token of each completion is asked for. 2 B of logits, 12 of log-probabilities and both gradients."""
    plan = small(loss="fused", batch=2, completion=completion)
    assert [term.bytes for term in loss.forward(plan)] == [rows * 32 * 14, scored * 8 * 2, 32 * 8 * 2]


@pytest.mark.parametrize(("completion", "length"), [(None, "seq_len"), (5, "completion_len")])
def test_a_term_names_the_length_that_set_it(small: Small, completion: int | None, length: str) -> None:
    origin = Origin(OriginKind.DEFAULT)
    origins = {name: Setting(name, 5, origin, "5") for name in ("micro_batch", "seq_len", "completion_len", "loss")}
    (first, *_) = loss.forward(small(completion=completion, origins=origins))
    assert [setting.name for setting in first.because] == ["micro_batch", length, "loss"]


def test_liger_has_no_fused_head_for_granite() -> None:
    """liger-kernel 0.6.4 and 0.8.5 ``apply_liger_kernel_to_granite``: its model scales the logits, so they are made, 8,192 x 49,152 of them
    in 2 bytes, and the fp32 copy that the gradient is written into."""
    config = (
        "model_name_or_path: ibm/PowerLM-3b\nstage: sft\ndo_train: true\nfinetuning_type: full\ndataset: identity\ntemplate: default\n"
        "cutoff_len: 2048\noutput_dir: out\nper_device_train_batch_size: 4\nbf16: true\nenable_liger_kernel: true\n"
    )
    (run,) = judge_texts({"train.yaml": config}, budget="device h200; config train.yaml; stack transformers@5.24").runs
    assert run.plan is not None and (run.plan.loss, "cross_entropy" in run.plan.kernels) == ("full", True)
    assert sum(term.bytes for term in loss.forward(run.plan)) == 8_192 * 49_152 * (2 + 4)


TRL = "model llama-3-8b\nprecision {}\nbatch 1\nseq 8192\nloss chunked\nstack transformers@5.24 trl@{}\n{}"
TILE, HIDDEN, HEAD = 4096 * 32768, 8192 * 4096, 128256 * 4096


@pytest.mark.parametrize(
    ("precision", "release", "more", "forward", "backward"),
    [
        ("bf16-pure", "1.15.0", "", 2 * TILE, 2 * TILE + (4 + 2) * HIDDEN + (4 + 2) * HEAD),  # fp32 sums, and their casts
        ("fp32", "1.16.0", "", 4 * TILE, 4 * TILE + 4 * HIDDEN + 4 * HEAD),
        ("bf16-autocast", "1.16.0", "", 2 * TILE + 2 * 32768 * 4096, 2 * TILE + 2 * 32768 * 4096 + 4 * HIDDEN + 4 * HEAD),
        ("bf16-pure", "1.16.0", "lora r=8", 2 * TILE, 2 * TILE + (4 + 2) * HIDDEN),  # the head is frozen
        ("bf16-pure", "1.14.2", "", 12 * 256 * 128256, 12 * 256 * 128256),
    ],
)
def test_trls_fused_head_works_in_tiles(precision: str, release: str, more: str, forward: int, backward: int) -> None:
    run = judge_texts({"a.budget": TRL.format(precision, release, more)}).runs[0]
    assert run.plan is not None
    code = pick(run.plan)
    assert sum(term.bytes for term in code.loss_forward(run.plan)) == forward
    assert sum(term.bytes for term in code.loss_backward(run.plan)) == backward


def test_torchtune_keeps_the_logits_of_all_chunks() -> None:
    """Eight chunks: compiled, their logits; not compiled, the log-softmax of each; the head's gradient beside its sum."""
    text = "model llama-3-8b\nprecision bf16-pure\nbatch 1\nseq 8192\nloss chunked\ncompile {}\nstack torchtune@0.6"
    for said, forward, backward in (("on", 2, 2), ("off", 2 + 4, 4)):
        plan = judge_texts({"a.budget": text.format(said)}).runs[0].plan
        assert plan is not None
        assert sum(term.bytes for term in pick(plan).loss_forward(plan)) == forward * 8192 * 128256
        assert sum(term.bytes for term in pick(plan).loss_backward(plan)) == backward * 8192 * 128256 + 2 * 2 * HEAD
