"""Models that a project merges: an adapter into its base. Such a folder holds a model of the base's shape.

- LLaMA-Factory 0.9.5 ``train/tuner.py`` export_model: ``export_dir`` gets ``model_name_or_path`` with the adapters merged;
  ``export_quantization_bit`` packs it, and is left alone.
- axolotl 0.19.0 ``cli/merge_lora.py``: ``output_dir``/merged, of the config that was trained.
- Programs that call PEFT's ``merge_and_unload`` and ``save_pretrained`` what it gives (peft 0.10 to 0.18 ``tuners/lora/model.py``: it gives
  the base model; the one that it was called on stays an adapter's).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from budgetlint.base.record import record
from budgetlint.documents import Document, Scalar
from budgetlint.documents.python_marks import is_open
from budgetlint.resolve.program_starts import Start, started
from budgetlint.resolve.state import Assembly, Collected

if TYPE_CHECKING:
    from budgetlint.program.sinks import Sink
    from budgetlint.program.values import Value

MOST_PROGRAMS = 16
"""So many programs that merge are followed."""
_CALLS = ("merge_and_unload", "save_pretrained")


@record
class Merge:
    """``folder`` is what ``by`` writes ``base`` to."""

    folder: str
    base: str
    by: str


def merges_of(work: Assembly, trained_on: Callable[[str], str]) -> Iterator[Merge]:
    """``trained_on``: what the adapter in a folder was trained on, where a run of the project says so; else empty."""
    for entry in work.project.entries.values():
        for reading in entry.readings:
            if reading.format == "llamafactory":
                yield from _export(reading.document)
    for run in work.runs:
        yield from _of_axolotl(run)
    yield from _of_programs(work, trained_on)


def _export(document: Document) -> Iterator[Merge]:
    folder, base = _text(document, "export_dir"), _text(document, "model_name_or_path")
    if folder and base and document.get("export_quantization_bit") is None:
        yield Merge(folder, base, document.path)


def _of_axolotl(run: Collected) -> Iterator[Merge]:
    for reading in run.readings:
        adapter = reading.settings.value("adapter") if reading.format == "axolotl" else None
        folder, base = (_text(reading.document, key) for key in ("output_dir", "base_model")) if adapter == "lora" else ("", "")
        if folder and base:
            yield Merge(posixpath.join(folder, "merged"), base, f"axolotl merge-lora of {run.name}")


def _text(document: Document, key: str) -> str:
    node = document.get(key)
    return node.text if isinstance(node, Scalar) and not is_open(node) and "$" not in node.text else ""


# -- programs ------------------------------------------------------------------------------------------------------------------


def _of_programs(work: Assembly, trained_on: Callable[[str], str]) -> Iterator[Merge]:
    paths = [path for path in work.programs.sources.below("") if _merges(work, path)][:MOST_PROGRAMS]
    starts: dict[str, list[Start]] = {path: [] for path in paths}
    for entry in list(work.project.entries.values()) if paths else ():
        for launch in entry.launches:
            path = work.programs.place(launch)
            if path in starts:
                starts[path].append(Start(path, launch))
    for path, known in starts.items():
        for start in known[:MOST_PROGRAMS] or [Start(path)]:
            yield from _followed(work, start, trained_on)


def _merges(work: Assembly, path: str) -> bool:
    source = work.programs.sources.source(path)
    return source is not None and all(word in source.text for word in _CALLS)


def _followed(work: Assembly, start: Start, trained_on: Callable[[str], str]) -> Iterator[Merge]:
    from budgetlint.program.follow import follow

    for sink in follow(work.programs.trees, start.path, started(start)).sinks:
        if sink.kind == "save" and _is_merged(sink.receiver):
            base, folder = _base(sink, trained_on), _plain(sink.get("save_directory", at=0))
            if base and folder:
                yield Merge(folder, base, start.path)


def _is_merged(value: Value | None) -> bool:
    from budgetlint.program.values import Opaque

    return isinstance(value, Opaque) and value.why == "what merge_and_unload gives"


def _base(sink: Sink, trained_on: Callable[[str], str]) -> str:
    """What the model was loaded from, where that is one text; of an adapter that brings its base along (``AutoPeftModel``), what it was
    trained on."""
    from budgetlint.program.chain import chain_of

    chain = chain_of(sink.receiver)
    loads = [one for one in chain.every if one.kind in ("load", "unsloth_load")]
    names = {_plain(one.get("pretrained_model_name_or_path") or one.get("model_name")) for one in loads}
    if not loads:
        adapters = [one for one in chain.sinks if one.kind == "peft_load"]
        names = {trained_on(_plain(one.get("pretrained_model_name_or_path") or one.get("model"))) for one in adapters}
    return names.pop() if len(names) == 1 else ""


def _plain(value: Value | None) -> str:
    from budgetlint.program.packages.paths import path_text

    found = path_text(value) if value is not None else None
    return found if isinstance(found, str) else ""
