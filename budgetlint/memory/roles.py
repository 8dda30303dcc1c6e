"""Preference and RL trainers: how many sequences one example is, and the models beside the one that trains.

Sources: TRL 1.16 ``trainer/dpo_trainer.py`` and ``orpo_trainer.py`` (chosen and rejected run through the model together; a full
fine-tune gets a frozen copy as reference, an adapter is switched off instead), ``reward_trainer.py`` (pairs too);
LLaMA-Factory 0.9.4 ``data/collator.py`` ``PairwiseDataCollatorWithPadding`` (2 x batch), ``train/trainer_utils.py``
``create_ref_model``.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.ledger import parameter_count
from budgetlint.catalog.models import find_model
from budgetlint.memory.estimate import Bucket, Term
from budgetlint.memory.plan import Plan
from budgetlint.run import Settings

PAIRS = frozenset({"dpo", "orpo", "reward"})
"""Tasks whose example is a chosen and a rejected sequence."""

REFERENCED = frozenset({"dpo", "kto"})
"""Tasks that compare with a frozen copy of the policy, unless only an adapter trains."""

ROLLOUTS = frozenset({"grpo", "ppo"})
"""Tasks that generate: what the rollouts hold is not modelled."""


def sequences(settings: Settings) -> int:
    """Sequences of one example of the micro batch."""
    return 2 if settings.value("task") in PAIRS else 1


def reference_of(settings: Settings, arch: Architecture, *, adapter: bool) -> Architecture | None:
    """The frozen model beside the policy: the one that is named, a copy of the policy, or none."""
    named = settings.value("reference_model")
    if named == "none" or settings.value("reference_offload") == "cpu":
        return None
    if named and named != "policy":
        found = find_model(str(named))
        return found if isinstance(found, Architecture) else arch
    wanted = named == "policy" or settings.value("task") in REFERENCED
    return arch if wanted and not adapter else None


def weights(plan: Plan) -> Iterator[Term]:
    """The reference model's weights, in the dtype of the policy's and split the same way."""
    if plan.reference is None or plan.sharding.offload_params:
        return
    count, size = parameter_count(plan.reference), plan.precision.weights
    yield Term(
        Bucket.WEIGHTS,
        -(-count * size // plan.sharding.params_over),
        f"reference model: {count:,} frozen parameters x {size} B",
        plan.because("reference_model", "task", "weights_dtype", "precision"),
    )
