"""Preference and RL trainers: how many sequences one example is, and the models beside the one that trains.

Sources: TRL 1.16 ``trainer/dpo_trainer.py`` and ``orpo_trainer.py`` (chosen and rejected run through the model together; a full
fine-tune gets a frozen copy as reference, an adapter is switched off instead), ``reward_trainer.py`` (pairs too), 0.24
``ppo_trainer.py`` ``PolicyAndValueWrapper`` (policy and value model in one forward and one backward); LLaMA-Factory 0.9.4
``data/collator.py`` ``PairwiseDataCollatorWithPadding`` (2 x batch), ``train/trainer_utils.py`` ``create_ref_model``; verl 0.6.1
``workers/fsdp_workers.py`` (``CriticWorker`` on the actor's devices, with an update of its own).
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.ledger import parameter_count
from budgetlint.catalog.models import find_model
from budgetlint.memory import activations, static
from budgetlint.memory.estimate import Phase
from budgetlint.memory.families import layer_saved
from budgetlint.memory.notes import Notes
from budgetlint.memory.plan import DTYPE_BYTES, Beside, Plan
from budgetlint.memory.shape import shape_of
from budgetlint.memory.term import Bucket, Term, of_size, written
from budgetlint.settings.run import Settings

PAIRS = frozenset({"dpo", "orpo", "reward"})
"""Tasks whose example is a chosen and a rejected sequence."""

REFERENCED = frozenset({"dpo", "kto"})
"""Tasks that compare with a frozen copy of the policy, unless only an adapter trains."""

ROLLOUTS = frozenset({"grpo", "ppo"})
"""Tasks that write what they train on."""

FROZEN = ("reference", "reward", "teacher")


def sequences(settings: Settings) -> int:
    """Sequences of one example of the micro batch."""
    return 2 if settings.value("task") in PAIRS else 1


def beside(settings: Settings, arch: Architecture, notes: Notes, *, adapter: bool, size: int) -> tuple[Beside, ...]:
    """The models on the device that do not train with the policy's optimizer; ``size``: bytes of a policy weight."""
    task = settings.value("task")
    if task is None and "task" in settings:  # what stands beside the policy hangs on it
        notes.missing.append("task")
    if task in PAIRS:
        notes.assume(f"{task}: an example is two sequences, chosen and rejected", "task")
    found: list[Beside] = []
    for role in FROZEN:
        model = _frozen(role, settings, arch, notes, adapter=adapter)
        if model is not None:
            found.append(Beside(role, model, DTYPE_BYTES.get(settings.value(f"{role}_dtype", ""), size)))
    if found and found[0].role == "reference" and "reference_model" not in settings:
        notes.assume(f"{task}: a frozen copy of the model is the reference", "task")
    return (*found, *_critic(settings, arch, notes, size))


def _frozen(role: str, settings: Settings, arch: Architecture, notes: Notes, *, adapter: bool) -> Architecture | None:
    """The model that is named, a copy of the policy, or none: also where it waits elsewhere."""
    named = settings.value(f"{role}_model")
    if named == "none" or settings.value(f"{role}_offload", "none") != "none":
        return None
    if named and named != "policy":
        return _known(str(named), role, arch, notes)
    wanted = named == "policy" or (role == "reference" and settings.value("task") in REFERENCED)
    return arch if wanted and not adapter else None


def _known(named: str, role: str, arch: Architecture, notes: Notes) -> Architecture | None:
    """A reference that the catalog does not know is of the policy's size (it is what the policy starts from); another is unknown."""
    found = find_model(named)
    if isinstance(found, Architecture):
        return found
    if role == "reference":
        return arch
    notes.missing.append(f"{role}_model")
    return None


def _critic(settings: Settings, arch: Architecture, notes: Notes, size: int) -> Iterator[Beside]:
    """The value model of PPO: it trains too."""
    named = settings.value("critic_model")
    if named == "none" or settings.value("critic_offload", "none") != "none" or (named is None and settings.value("task") != "ppo"):
        return
    found = arch if named == "policy" else _known(str(named), "critic", arch, notes) if named else None
    if found is None:
        notes.missing.append("critic_model")
        return
    together = settings.value("critic_update") == "together"
    if not together and parameter_count(found) > parameter_count(arch):
        notes.missing.append("critic_model")
        notes.assume("the value model is larger than the policy: its own update is not modelled", "critic_model")
    elif not together:
        notes.assume("the value model's own update takes no more than the policy's: it makes no logits", "critic_model")
    yield Beside("critic", found, DTYPE_BYTES.get(settings.value("critic_dtype", ""), size), trains=True, together=together)


def held(plan: Plan) -> Iterator[Term]:
    """Weights of the other models, split the same way as the policy's; a critic's optimizer states too."""
    for model in plan.beside:
        if not plan.sharding.offload_params:
            yield _weights(plan, model)
        if model.trains:
            twin = _as_policy(plan, model)
            for term in static.optimizer(twin, static.trainable(twin)):
                yield of_size(replace(term, bytes=plan.of_this_rank(term.bytes), id=f"{model.role}.{term.id}"))


def _weights(plan: Plan, model: Beside) -> Term:
    count, over = parameter_count(_bodied(model)), plan.sharding.params_over
    size = -(-plan.of_this_rank(count * model.size) // over)
    why = plan.because(f"{model.role}_model", f"{model.role}_dtype", "task", "weights_dtype", "precision")
    return of_size(Term(Bucket.WEIGHTS, size, f"{model.role}.weights", why, (("parameter", count),), model.size, ranks=over))


def in_the_backward(plan: Plan) -> Iterator[Term]:
    """What a critic adds that trains in the policy's own backward: its gradients, and what its layers keep."""
    for model in (one for one in plan.beside if one.together):
        twin = _as_policy(plan, model)
        why = plan.because("critic_model", "critic_update", "micro_batch", "seq_len")
        gradients = static.gradients(twin, static.trainable(twin))
        yield replace(gradients, id=f"critic.{gradients.id}", because=why)
        for term in written(activations.kept_layers(twin, layer_saved(twin))):
            yield replace(term, id=f"critic.{term.id}", because=why)


def may_be_less(plan: Plan, phase: Phase) -> int:
    """What a critic's layers keep is at its most in the forward only: the low end goes without."""
    if phase.name not in ("forward", "backward"):
        return 0
    return sum(term.bytes for term in in_the_backward(plan) if term.bucket is Bucket.ACTIVATIONS)


def _bodied(model: Beside) -> Architecture:
    """Value and reward models have a score of each token in the place of the language-modelling head."""
    scores = model.role in ("critic", "reward") and model.arch.kind == "decoder"
    return replace(model.arch, tied=True) if scores else model.arch


def _as_policy(plan: Plan, model: Beside) -> Plan:
    """The run as if the critic were what trains, in full."""
    arch = _bodied(model)
    return replace(plan, arch=arch, shape=shape_of(arch), adapter=None, quant=None, beside=(), completion=None, vision=None)
