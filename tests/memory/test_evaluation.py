"""The evaluation beside a training: what is alive when a layer passes, and when the logits are made."""

from __future__ import annotations

import pytest

from budgetlint.memory.estimate import Estimate, Phase
from budgetlint.resolve.runs import judge_texts

CONFIG = """model_name_or_path: {model}
per_device_train_batch_size: 1
per_device_eval_batch_size: 8
eval_strategy: steps
save_strategy: epoch
learning_rate: 0.0001
max_length: {length}
bf16: true
{more}"""

LLAMA = "meta-llama/Llama-3.1-8B"
LAYERS, HIDDEN, KV, VOCAB = 32, 4096, 1024, 128_256
TOKENS = 8 * 2048
LORA = "use_peft: true\nlora_r: 8\nlora_target_modules: all-linear\nlora_dropout: {dropout}\ntorch_dtype: bfloat16\n"
PINNED = "stack transformers@{transformers} trl@{trl} peft@0.15 torch@2.6"


def estimated(more: str = LORA.format(dropout=0.1), model: str = LLAMA, trl: str = "0.24", transformers: str = "4.51", length: int = 2048):
    text = CONFIG.format(model=model, more=more, length=length)
    budget = f"device a100-80gb; config t.yaml; {PINNED.format(transformers=transformers, trl=trl)}"
    (run,) = judge_texts({"t.yaml": text}, budget=budget).runs
    assert run.estimate is not None
    return run.estimate


def evaluation(estimate: Estimate) -> Phase:
    found = estimate.phase("eval")
    assert found is not None
    return found


def of(phase: Phase, *starts: str) -> int:
    return sum(term.bytes for term in phase.terms if term.id.startswith(starts))


def test_at_the_logits_only_the_last_hidden_states_are_left_of_the_layers():
    """16-bit logits, their fp32 copy and the log-softmax (4.49 to 5.24 loss_utils.py), beside one 16-bit hidden state a token."""
    phase = evaluation(estimated())
    assert phase.moment == "the logits"
    assert of(phase, "logits.") == TOKENS * VOCAB * (2 + 4 + 4)
    assert of(phase, "last-hidden-state") == TOKENS * HIDDEN * 2
    activations = {term.id for term in phase.terms if term.bucket.value == "activations"}
    assert activations == {"last-hidden-state"}


def test_what_is_dropped_out_in_training_costs_an_evaluation_nothing():
    with_it, without = (evaluation(estimated(LORA.format(dropout=dropout))) for dropout in (0.1, 0.0))
    assert with_it.bytes == without.bytes


def test_without_logits_one_layer_decides_and_half_of_it_may_be_gone():
    """An encoder's head of labels makes none: the larger half of a layer passes, without a mask and without what an adapter keeps."""
    text = CONFIG.format(model="bert-large-uncased", more="", length=512)
    (run,) = judge_texts({"t.yaml": text}, budget="device a100-80gb; config t.yaml; model bert-large head=classification").runs
    phase = evaluation(run.estimate)
    assert phase.moment == "one layer"
    assert not [term.id for term in phase.terms if "mask" in term.id or "logits" in term.id]
    assert of(phase, "passing.") <= 8 * 512 * 4096 * 4 * 3


@pytest.mark.parametrize(
    ("transformers", "trl", "kept"),
    [
        ("4.51", "0.16", True),  # nobody says it, and a checkpoint's config does
        ("4.51", "0.24", False),  # SFTTrainer says use_cache=False in each call
        ("5.24", "1.13", False),  # the Trainer sets model.config.use_cache = args.use_cache
    ],
)
def test_keys_and_values_of_every_layer_may_be_kept(transformers: str, trl: str, kept: bool):
    estimate = estimated(LORA.format(dropout=0.0), trl=trl, transformers=transformers)
    cache = TOKENS * LAYERS * 2 * KV * 2
    assert estimate.peak_phase == "eval"
    assert (estimate.allocated.high - estimate.allocated.bytes >= cache) is kept
    assert not of(evaluation(estimate), "evaluation.keys-and-values")


@pytest.mark.parametrize(
    ("transformers", "trl", "keeps", "made"),
    [
        ("4.51", "0.16", "prediction_loss_only: true\n", True),
        ("5.24", "0.27", "", True),  # whoever builds the Trainer may give it metrics
        ("5.10", "0.27", "prediction_loss_only: true\n", True),
        ("5.24", "0.27", "prediction_loss_only: true\n", False),
        ("5.10", "1.13", "prediction_loss_only: true\n", False),
    ],
)
def test_ligers_loss_may_make_the_logits_of_an_evaluation(transformers: str, trl: str, keeps: str, made: bool):
    more = f"{LORA.format(dropout=0.0)}use_liger_kernel: true\n{keeps}"
    found = estimated(more, trl=trl, transformers=transformers).allocated
    assert (found.high - found.bytes >= TOKENS * VOCAB * 10 // 2) is made
