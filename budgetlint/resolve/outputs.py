"""Models that another run of the project writes: one that begins where another ends has the shape of that one's model.

Of full fine-tuning, which writes a whole model, and of merges (`merges`): an adapter or a quantised base is something else. Folders are
compared as they are written, or from a folder on that the other one names (``out/checkpoint-500`` of ``out``).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from budgetlint.base.record import record, replace
from budgetlint.catalog.models import known_model
from budgetlint.documents import Document, Scalar, walk
from budgetlint.documents.python_marks import is_open
from budgetlint.readers import reader_by
from budgetlint.readers.base import complete
from budgetlint.readers.hf.own_script import is_own_script
from budgetlint.resolve.architecture import ModelShape
from budgetlint.resolve.merges import merges_of
from budgetlint.resolve.precedence import join
from budgetlint.resolve.run_parts import started_by
from budgetlint.resolve.state import Assembly, Collected
from budgetlint.settings.program import OriginStep
from budgetlint.settings.run import Role, Run, Setting, Stack

KEY = "output_dir"
"""What transformers, TRL, LLaMA-Factory, axolotl, ms-swift and torchtune call the folder that a training writes its model to."""
_DEEPEST = 8
_DTYPES = ("fp32", "bf16", "fp16")


@record
class WrittenModel:
    """``model`` is the name that the run began with, ``run`` the run, ``dtype`` that of its weights; empty where nobody knows it;
    ``how`` it came from the model."""

    model: str
    run: str
    dtype: str
    how: str = "trained"


def written_shape(work: Assembly, run: Run, path: str) -> ModelShape | None:
    """The shape of a model that another run writes to ``path``."""
    if "/" not in path:
        return None
    if work.outputs is None:
        work.outputs = dict(_outputs(work))
    written = _written(work.outputs, path, run.name)
    shape = known_model(written.model) if written is not None else None
    if written is None or shape is None:
        return None
    says = f"{path} is what {written.run} writes: {written.model}, {written.how}"
    step = OriginStep("written by", written.run, text=written.model)
    return ModelShape(replace(shape, checkpoint_dtype=written.dtype or shape.checkpoint_dtype), says, (step,))


def _written(outputs: Mapping[str, WrittenModel], path: str, run: str) -> WrittenModel | None:
    """Followed back to a run that begins with a model of the catalog; its own folder is no other run's."""
    found: WrittenModel | None = None
    for _ in range(_DEEPEST):
        written = next((outputs[folder] for folder in _upwards(path) if folder in outputs), None)
        if written is None or written.run == run:
            return None
        found = written if found is None else replace(found, model=written.model)
        if known_model(written.model) is not None:
            return found
        path = written.model
    return None


def _upwards(path: str) -> Iterator[str]:
    """The folder and, within a project's own tree, those that it lies in."""
    folder = posixpath.normpath(path)
    while folder not in ("", ".", "/", ".."):
        yield folder
        folder = posixpath.dirname(folder)


def _outputs(work: Assembly) -> Iterator[tuple[str, WrittenModel]]:
    """Folders that exactly one model is written to."""
    found: dict[str, set[WrittenModel]] = {}
    adapters: dict[str, set[str]] = {}
    for one in work.runs:
        folders = list(_folders(one))
        said = _stated(one) if folders else {}
        written = _model_of(one.name, said)
        for folder in folders:
            if written is not None:
                found.setdefault(folder, set()).add(written)
            elif {"model", "adapter"} <= said.keys() and said["adapter"].value != "none":
                adapters.setdefault(folder, set()).add(str(said["model"].value))
    bases = {folder: models.pop() for folder, models in adapters.items() if len(models) == 1}
    for merge in merges_of(work, lambda path: next((bases[one] for one in _upwards(path) if one in bases), "")):
        folder = posixpath.normpath(merge.folder)
        if "/" in folder:
            found.setdefault(folder, set()).add(WrittenModel(merge.base, merge.by, "", "merged"))
    for folder, all_ in found.items():
        if len({(one.model, one.dtype) for one in all_}) == 1:
            yield folder, min(all_, key=lambda one: one.run)


def _model_of(run: str, said: Mapping[str, Setting]) -> WrittenModel | None:
    model, adapter, quant = (said.get(name) for name in ("model", "adapter", "quant"))
    if model is None or adapter is None or adapter.value != "none" or (quant is not None and quant.value != "none"):
        return None
    dtype = said.get("weights_dtype")
    if dtype is None or str(dtype.value) not in (*_DTYPES, "auto"):
        return None
    return WrittenModel(str(model.value), run, "" if dtype.value == "auto" else str(dtype.value))


def _stated(run: Collected) -> Mapping[str, Setting]:
    """What the files say; of a program that is known, what it fills in, too: that it trains no adapter is no line of a file."""
    settings = join(run.readings)
    if not is_own_script(settings):
        for reading in run.readings:
            if reading.role is Role.TRAINER:
                settings = complete(reader_by(reading), settings, Stack(), started_by(run.readings))
    return {name: one for name, one in settings.items() if one.certainty in ("stated", "default")}


def _folders(run: Collected) -> Iterator[str]:
    for reading in run.readings:
        if reading.role is Role.TRAINER:
            yield from _named(reading.document)


def _named(document: Document) -> Iterator[str]:
    """A folder of one name (``out``) is many runs'."""
    for _, entry in walk(document.root):
        if entry.key.text == KEY and isinstance(entry.value, Scalar) and not is_open(entry.value):
            folder = posixpath.normpath(entry.value.text)
            if "$" not in folder and "/" in folder.strip("./"):
                yield folder
