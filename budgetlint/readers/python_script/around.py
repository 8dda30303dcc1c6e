"""Modules of the program's own around the model that they hold (`budgetlint.program.around`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.record import replace
from budgetlint.catalog.own_layers import written
from budgetlint.documents import Document, Scalar, Sequence
from budgetlint.documents.python_marks import AROUND, FACTS, LOOP
from budgetlint.readers.lookup import Lookup
from budgetlint.readers.python_script import classes
from budgetlint.settings.run import Setting

_LABELS = 4_096
"""Classes that a layer of an unknown number of outputs may tell apart: the data say how many. Most have a handful."""
_SMALL, _HIDDEN = 2_000_000, 1_024
"""Parameters that may be left out where an adapter trains beside them: 16 bytes for each are 31 MiB."""
_HEARING = ("Wav2Vec2", "Hubert", "WavLM", "Data2VecAudio", "UniSpeech", "SEW")
"""transformers 5.24.0 models/: classes whose first layers are convolutions over samples of sound."""


def with_own_modules(found: Iterable[Setting], look: Lookup) -> Iterator[Setting]:
    """What is read of the model, with what stands around it; unresolved where that is not known."""
    section = classes.block(look.document, AROUND)
    if section is None:
        yield from found
        return
    why = section.get("why")
    parameters = _parameters(look.document)
    adapted = any(name.startswith(("get_peft_model", *classes.ADAPTERS)) for name, _ in classes.sections(look.document))
    if not isinstance(why, Scalar) and adapted:
        why = Scalar("<trains layers of its own beside an adapter>", section.span) if _weight(parameters) > _SMALL else None
        parameters = (0, 0, 0)
    for setting in found:
        if setting.name == "model" and isinstance(why, Scalar):
            yield replace(setting, value=None, text=f"<{setting.text}: {why.text[1:-1]}>", state="symbolic")
        else:
            yield setting
        if setting.name == "model" and not isinstance(why, Scalar):
            yield from _own(setting, parameters, section.get("unsized"))


def ready(look: Lookup) -> Iterator[Setting]:
    """A model of a package whose code no formula knows: it is refused by name."""
    for section in (LOOP, FACTS):
        raw = look.under(section).raw("unmodelled")
        if raw is not None:
            yield Setting("unmodelled", (raw.text,), raw.origin, raw.text)
            return
    found = classes.block(look.document, classes.model_of(look.document))
    name = look.raw(classes.model_of(look.document))
    if found is not None and name is not None and found.tag.startswith("diffusers."):
        yield Setting("unmodelled", ("diffusion",), name.origin, found.tag)
    elif name is not None and classes.model_of(look.document).startswith(_HEARING):
        yield Setting("unmodelled", ("wav2vec2",), name.origin, classes.model_of(look.document))


def _own(model: Setting, parameters: tuple[int, int, int], unsized: object) -> Iterator[Setting]:
    number, times, squared = parameters
    if isinstance(unsized, Scalar):
        most = int(unsized.text) * _LABELS
        ends = (written(parameters), written((number + most, times + most, squared)))
        yield Setting("own_parameters", None, model.origin, "as many labels as the data have", "symbolic", readings=ends)
    elif any(parameters):
        yield Setting("own_parameters", written(parameters), model.origin, written(parameters))


def _parameters(document: Document) -> tuple[int, int, int]:
    node = document.get(f"{AROUND}.parameters")
    found = [int(one.text) for one in node.items if isinstance(one, Scalar)] if isinstance(node, Sequence) else []
    return (found[0], found[1], found[2]) if len(found) == 3 else (0, 0, 0)


def _weight(parameters: tuple[int, int, int]) -> int:
    return parameters[0] + parameters[1] * _HIDDEN + parameters[2] * _HIDDEN * _HIDDEN
