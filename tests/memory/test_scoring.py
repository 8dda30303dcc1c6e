"""verl's pass that only makes log-probabilities."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

SCRIPT = """python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=64 data.max_prompt_length=512 \\
  data.max_response_length=512 actor_rollout_ref.model.path=Qwen/Qwen2.5-1.5B-Instruct \\
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 actor_rollout_ref.rollout.name=vllm \\
  actor_rollout_ref.rollout.gpu_memory_utilization=0.3 trainer.n_gpus_per_node=8 trainer.nnodes=1{more}
"""


def estimated(more: str):
    (run,) = judge_texts({"t.sh": SCRIPT.format(more=more)}, budget="device 8x h100-80gb; config t.sh").runs
    assert run.estimate is not None
    return run.estimate


SCORING = " actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=16"


def test_its_logits_by_hand() -> None:
    """16 sequences of 1,024 tokens, 151,936 entries: 16-bit logits, fp32 probabilities, their fp32 product (the entropy)."""
    phase = estimated(SCORING).phase("scoring")
    logits = sum(term.bytes for term in phase.terms if term.bucket.value == "logits")
    assert logits == 16 * 1024 * 151_936 * (2 + 4 + 4)
    assert not [term for term in phase.terms if term.id.startswith(("checkpoints.", "gradients.", "rollout."))]


def test_it_decides_the_peak_of_a_run_whose_update_is_small() -> None:
    estimate = estimated(SCORING)
    assert estimate.peak_phase == "scoring"
    assert any(setting.name == "scoring_batch" for term in estimate.bill for setting in term.because)


@pytest.mark.parametrize("more", ["", f"{SCORING} actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=True"])
def test_no_size_no_phase(more: str) -> None:
    assert "scoring" not in [phase.name for phase in estimated(more).phases]
