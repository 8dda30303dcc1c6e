"""Files that no reader knows at once: jobs, long JSON, texts that cannot be parsed, and the reader that a budget names."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from budgetlint.base.limits import NODES, told
from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Scalar
from budgetlint.documents.load import format_of, load
from budgetlint.frameworks import every_format, manifests
from budgetlint.readers import Reader, reader_of
from budgetlint.readers.marks import candidates
from budgetlint.resolve.file_entries import FileEntry

if TYPE_CHECKING:  # most projects hold none
    from budgetlint.launch import Launch

LONG_JSON = 16_000
"""Characters from which an outline costs less than the tree: a config has fewer."""
JOB_KEYS = ("run", "command", "entrypoint", "apiVersion", "resources", "services", "jobs", "stages")


def unclaimed_data(path: str, source: SourceFile) -> FileEntry | None:
    """The entry of a long JSON file that nobody claims, told by its outline; None for every other file."""
    if len(source.text) < LONG_JSON or format_of(source) != "json":
        return None
    from budgetlint.documents.json_outline import outline

    found = outline(source)
    if found is None or not _is_nobodys(found.document):
        return None
    if not found.is_too_large:
        return FileEntry(path, None, source=source)
    may_be_config = RECORDED not in source.text and (looks_like_large_config(source) or looks_like_job(source.text))
    return None if may_be_config else FileEntry(path, None, source=source, problem=f"holds {told(NODES)}")


def _is_nobodys(outline: Document) -> bool:
    """No reader would be asked, and its keys are of no job and of no two trainers."""
    mapping = outline.mapping
    is_job = mapping is not None and any(key in mapping for key in JOB_KEYS)
    return not is_job and not candidates(outline) and len(foreign_keys(outline)) < 2


def job_kind(document: Document) -> str:
    """The kind of a job file; empty for everything else, found out from its first keys."""
    mapping = document.mapping
    if mapping is None or not any(key in mapping for key in JOB_KEYS):
        return ""
    from budgetlint.launch.jobs import SKYPILOT, kind_of

    kind = kind_of(document)
    return kind if kind == SKYPILOT or job_launches(document) else ""


def with_values(source: SourceFile, text: Callable[[str], SourceFile | None]) -> None:
    """Tell a pipeline of DVC which values lie beside it."""
    folder, _, name = source.path.rpartition("/")
    if name != "dvc.yaml":
        return
    from budgetlint.launch.dvc import PARAMS, VALUES

    values = text(posixpath.join(folder, VALUES))
    source.facts[PARAMS] = next((one for one in load(values) if one.root is not None), None) if values is not None else None


def job_launches(document: Document) -> tuple[Launch, ...]:
    """The launches in a job file that a reader or a config can make a run of."""
    from budgetlint.launch.jobs import PIPELINE, kind_of
    from budgetlint.launch.read import document_launches
    from budgetlint.launch.readings import format_of

    found = document_launches(document)
    if kind_of(document) == PIPELINE:  # each program is one of the project
        return found
    return tuple(launch for launch in found if launch.configs or format_of(launch))


def reader_named(kind: str) -> Reader | None:
    """The reader a budget's ``kind=`` names, by format name or a common spelling of it."""
    name, kinds = kind.lower().replace("-", "_"), _kinds()
    wanted = (kinds.get(kind.lower(), name), kinds.get(name, name), name)
    return next((reader for word in wanted if (reader := reader_of(word)) is not None), None)


@cache
def _kinds() -> Mapping[str, str]:
    return {kind: format.name for format in every_format() for kind in format.kinds}


def looks_like_config(text: str) -> bool:
    """Does an unparsable text hold a key that only a training config has?"""
    return any(key in text for manifest in manifests() for key in manifest.telling)


def looks_like_large_config(source: SourceFile) -> bool:
    """Of a text that is larger than any config more words tell."""
    return any(source.mentions(word) for manifest in manifests() for word in manifest.telling_large) or looks_like_config(source.text)


def looks_like_job(text: str) -> bool:
    """May an unread rest of a text be a job that trains?"""
    return any(f"{key}:" in text for key in JOB_KEYS) and any(word in text for word in LAUNCHERS)


RECORDED = '"log_history"'
"""A ``trainer_state.json`` (transformers ``trainer_callback.py``) holds keys of a config beside everything that was logged."""
MEASURED = ('"train_runtime":', '"train_samples_per_second":')
"""What the Trainer writes down of a training that is over, in JSON (transformers 5.24 ``trainer_utils.py`` speed_metrics): no config."""
LAUNCHERS = ("torchrun", "accelerate launch", "deepspeed", "torch.distributed", "train.py")
ENOUGH = 3
"""Keys of the first level that one framework only has."""


def foreign_keys(document: Document) -> dict[str, list[Scalar]]:
    """The keys of each framework of which there are enough to mean it, in the order of the text."""
    mapping = document.mapping
    keys = [entry.key for entry in mapping.entries] if mapping is not None else []
    found = {format.name: [key for key in keys if key.text in format.own_keys][:ENOUGH] for format in every_format() if format.own_keys}
    meant = {name: some for name, some in found.items() if len(some) >= ENOUGH}
    return dict(sorted(meant.items(), key=lambda pair: pair[1][0].span.start))
