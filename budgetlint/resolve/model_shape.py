"""How the shape of a run's model is known: by its files, its name, the run that writes it, what a budget says, what its name suggests."""

from __future__ import annotations

from budgetlint.base.record import replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.models import known_model
from budgetlint.catalog.paths import is_local
from budgetlint.resolve.architecture import ModelShape, architecture_of, named_shape
from budgetlint.resolve.outputs import written_shape
from budgetlint.resolve.state import Assembly
from budgetlint.settings.program import OriginStep
from budgetlint.settings.run import Run, Setting, Settings


def shape_of(work: Assembly, run: Run, claims: Settings) -> ModelShape:
    """``claims``: what the budget says, which tells what a path holds that nothing else tells."""
    setting = run.settings.get("model")
    found = architecture_of(work.files, run)
    if setting is None or not setting.known or not isinstance(setting.value, str):
        return ModelShape(found)
    if found is not None:
        return _by_folder(setting, found)
    return written_shape(work, run, setting.value) or _said_or_suggested(work, setting, claims.get("model"))


def _by_folder(setting: Setting, found: Architecture) -> ModelShape:
    """A folder of somebody's disk holds what it is called; nobody looked inside."""
    if not is_local(setting.value) or known_model(setting.value) != found:
        return ModelShape(found)
    says = f"{setting.value} is {found.name}, by the name of its folder"
    return ModelShape(found, says, (OriginStep("names", "the folder", text=found.name),))


def _said_or_suggested(work: Assembly, setting: Setting, claim: Setting | None) -> ModelShape:
    from budgetlint.catalog.suggested import same_shape, suggested  # most runs name their model

    may_be = tuple(one for name in suggested(setting.value) if (one := known_model(name)) is not None)
    says = claim is not None and claim.known and claim.value != setting.value
    said = named_shape(work.files, claim) if claim is not None and says else None
    if claim is None or said is None or (may_be and not any(same_shape(said, one) for one in may_be)):
        return ModelShape(None, may_be=may_be, steps=tuple(OriginStep("suggests", "its name", text=one.name) for one in may_be))
    step = OriginStep("budget", "model", claim.origin.location, claim.text or str(claim.value))
    return ModelShape(said, f"the budget says that {setting.value} is {said.name}", (step,))


def supposing(shape: ModelShape) -> list[ModelShape]:
    """The shapes that a name suggests, each as if it were known."""
    return [replace(shape, known=one, may_be=()) for one in shape.may_be]
