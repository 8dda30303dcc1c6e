"""Runs that differ in nothing that the arithmetic asks share one estimate, each with its own places.

A repository holds families of configs: the same model and batch, another data set or learning rate. The first of them is planned
and estimated; the others take its figures, and their terms name their own settings. That costs a seventh of an estimate. Nothing is
guessed: two runs share only if every setting that the planner may read has the same value, state and kind of origin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from budgetlint.base.record import record, replace
from budgetlint.memory.estimate import Estimate, Phase
from budgetlint.memory.peak import Sums
from budgetlint.memory.planner import Planned
from budgetlint.memory.saved import LayerTerms
from budgetlint.memory.standing import Standing
from budgetlint.memory.term import Part, Term
from budgetlint.settings.run import Setting, Settings

NEVER_ASKED = frozenset(
    {
        "learning_rate",
        "weight_decay",
        "adam_beta1",
        "adam_beta2",
        "adam_epsilon",
        "max_grad_norm",
        "lr_scheduler",
        "warmup_steps",
        "warmup_ratio",
        "max_steps",
        "num_epochs",
        "lora_alpha",
        "loss_scale",
        "tf32",
        "trust_remote_code",
        "save_strategy",
        "state_dict_type",
        "eval_accumulation_steps",
        "global_batch",
    }
)
"""Settings that nothing in ``memory/`` names (held by ``tests/memory/test_reuse.py``)."""

Answer = tuple[Planned, Estimate]
Stood = tuple[Planned, Standing]


@record
class _Known:
    """An answer, the settings it was made of, and what its key names by identity: kept, so that no other takes the place."""

    answer: Answer
    held: tuple[Any, ...]


@record
class _Read:
    """The same of a reading."""

    answer: Stood
    held: tuple[Any, ...]


class Answers:
    """The answers of one check."""

    def __init__(self) -> None:
        self._known: dict[Any, _Known] = {}
        self._read: dict[Any, _Read] = {}
        self.sums = Sums()

    def of(self, settings: Settings, code: str, judged_by: tuple[Any, ...], work_out: Callable[[], Answer]) -> Answer:
        """The answer for these settings under this model code; ``judged_by`` are the further things that it depends on, told apart
        by identity."""
        key = (code, *map(id, judged_by), *_asked(settings))
        known = self._known.get(key)
        if known is not None:
            return _in_place(known.answer, settings)
        answer = work_out()
        self._known[key] = _Known(answer, judged_by)
        return answer

    def reading(self, settings: Settings, code: str, judged_by: tuple[Any, ...], work_out: Callable[[], Stood]) -> Stood:
        """The same for a reading of what is open, of which nobody prints a bill: its plans are those of the first that asked."""
        key = (code, *map(id, judged_by), *_asked(settings))
        known = self._read.get(key)  # a long key, which is hashed each time that it is asked for
        if known is None:
            known = self._read[key] = _Read(work_out(), judged_by)
        return known.answer


def _asked(settings: Settings) -> Iterable[Any]:
    """What the planner may ask, in order. Values by their text: 1 and True are equal, and not the same."""
    for name, one in settings.items():
        if name not in NEVER_ASKED:
            origin = one.origin
            yield name, repr(one.value), one.state, one.readings and repr(one.readings), origin.kind, origin.key, origin.note


def _in_place(answer: Answer, settings: Settings) -> Answer:
    """The same figures, with the places of these settings."""
    planned, estimate = answer
    own = dict(settings.items())
    found: dict[int, Setting] = {}
    made: dict[int, Term] = {}  # what rests is live in every phase: of 40 terms 19 are different
    origins_of: dict[int, Mapping[str, Setting]] = {}

    def here(old: Setting) -> Setting:
        new = found.get(id(old))
        if new is None:
            new = found[id(old)] = _as_read(own.get(old.name), old)
        return new

    def term(old: Term) -> Term:
        new = made.get(id(old))
        if new is None:
            places = tuple([here(setting) for setting in old.because])
            new = made[id(old)] = old.placed(places) if places else old
        return new

    def origins(old: Mapping[str, Setting]) -> Mapping[str, Setting]:
        new = origins_of.get(id(old))
        if new is None:
            new = origins_of[id(old)] = {name: here(setting) for name, setting in old.items()}
        return new

    def part(old: Part) -> Part:
        return replace(old, origins=origins(old.origins)) if isinstance(old, LayerTerms) else term(*old.terms)

    plans = tuple(replace(plan, origins=origins(plan.origins)) for plan in planned.plans[:1])
    phases = tuple(Phase(phase.name, tuple(map(part, phase.parts)), phase.moment) for phase in estimate.phases)
    bill = tuple(map(term, estimate.bill))
    return replace(planned, plans=(*plans, *planned.plans[1:])), replace(estimate, phases=phases, bill=bill)


def _as_read(new: Setting | None, old: Setting) -> Setting:
    """This run's setting in the place of the other's; one that the planner itself read in one of two ways, read so again."""
    if new is None or (new.value is old.value and new.state == old.state):
        return old if new is None else new
    return replace(new, value=old.value, state=old.state)
