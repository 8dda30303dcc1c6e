"""A function of ``config_registry.py`` as the job file that it replaced: the same sections, so that one reader reads both.

Source: torchtitan 0.3.0 ``trainer.py`` Trainer.Config, ``config/configs.py``, ``components/optimizer/optimizer.py`` default_adamw,
``distributed/activation_checkpoint.py`` (SelectiveAC saves every second matmul and the costly operators: the option ``op`` of old),
``models/*/__init__.py`` model_registry.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base import numerals
from budgetlint.base.record import replace
from budgetlint.documents import Document, Entry, Mapping, Node, Scalar, Sequence, Style
from budgetlint.readers.base import origin_of
from budgetlint.settings.run import Setting

_ROOT = "Trainer.Config"
_MODES = {"SelectiveAC": "selective", "FullAC": "full", "MemoryBudgetAC": "memory_budget"}
_SAME = {
    "training": ("local_batch_size", "seq_len"),
    "parallelism": ("data_parallel_shard_degree", "tensor_parallel_degree", "pipeline_parallel_degree", "context_parallel_degree"),
    "compile": ("enable",),
    "lr_scheduler": (),
}
"""Sections of the same names, with the keys that are not known where a section is made elsewhere."""
_FLOAT8 = ("Float8LinearConverter", "Float8GroupedExpertsConverter")


def builds_job(document: Document) -> bool:
    """A function that returns torchtitan's ``Trainer.Config`` with training keys or a model's registry in it."""
    root = document.mapping
    if document.format != "python" or root is None or not root.tag.endswith(_ROOT):
        return False
    return root.tag.startswith("torchtitan.") or "model_spec" in root


def as_job(document: Document) -> Document:
    root = document.mapping
    if root is None or not builds_job(document):
        return document
    return replace(document, root=Mapping(tuple(_sections(root, document.path)), root.span))


def _sections(root: Mapping, path: str) -> Iterator[Entry]:
    for name, decisive in _SAME.items():
        entry = root.entry(name)
        if entry is not None:
            yield Entry(entry.key, Mapping(tuple(_keys(entry.value, decisive)), entry.value.span))
    for name, section in (("model", _model(root, path)), ("optimizer", _optimizer(root)), ("activation_checkpoint", _recompute(root))):
        entries = tuple(section)
        if entries:
            yield Entry(Scalar(name, entries[0].key.span), Mapping(entries, entries[0].value.span))
    validator = root.get("validator")
    if isinstance(validator, Mapping):
        yield Entry(Scalar("validation", validator.span), validator)


def _keys(section: Node, decisive: tuple[str, ...]) -> Iterator[Entry]:
    """The keyword arguments; one that is a call, and a section that is none of torchtitan's, only running it could tell."""
    if isinstance(section, Mapping) and section.tag.endswith("Config"):
        for entry in section.entries:
            yield _entry(entry.key.text, "<call>", entry.value, plain=True) if isinstance(entry.value, Mapping) else entry
        return
    yield from (_entry(name, "<call>", section, plain=True) for name in decisive)


def _model(root: Mapping, path: str) -> Iterator[Entry]:
    """``model_registry("8B", converters=[...])`` of the package that the file belongs to or imports it from."""
    spec = root.get("model_spec")
    if not isinstance(spec, Mapping):
        return
    flavor = spec.get("0") or spec.get("flavor")
    package = spec.tag.rpartition(".")[0].removeprefix("torchtitan.models.") or path.rpartition("/")[0]
    if isinstance(flavor, Scalar):
        yield _entry("name", package.replace(".", "/").rpartition("/")[2], flavor)
        yield Entry(Scalar("flavor", flavor.span), flavor)
    converters = spec.get("converters")
    if isinstance(converters, Sequence):
        names = tuple(Scalar(_kind(item), item.span, Style.QUOTED) for item in converters.items)
        yield Entry(Scalar("converters", converters.span), Sequence(names, converters.span))


def _kind(item: Node) -> str:
    name = item.tag if isinstance(item, Mapping) else ""
    return "float8" if any(one in name for one in _FLOAT8) else name


def _optimizer(root: Mapping) -> Iterator[Entry]:
    """``default_adamw(lr=...)``; groups of parameters with optimizers of their own are read by nobody."""
    made = root.get("optimizer")
    if not isinstance(made, Mapping):
        return
    known = made.tag.endswith("default_adamw")
    yield _entry("name", "AdamW" if known else f"<{made.tag}>", made, plain=not known)
    rate = made.get("lr") or made.get("0")
    if known and isinstance(rate, Scalar):
        yield Entry(Scalar("lr", rate.span), rate)
    yield from (entry for entry in made.entries if known and entry.key.text in ("weight_decay", "eps", "implementation", "fused"))


def _recompute(root: Mapping) -> Iterator[Entry]:
    """``None`` switches it off; nothing is the default, `SelectiveAC`."""
    made = root.get("activation_checkpoint")
    if isinstance(made, Scalar):
        yield _entry("mode", "none", made) if made.text == "None" else Entry(Scalar("mode", made.span), made)
        return
    if isinstance(made, Mapping):
        mode = next((mode for name, mode in _MODES.items() if f"{name}." in f"{made.tag}."), "")
        yield _entry("mode", mode or f"<{made.tag}>", made, plain=not mode)
        yield _entry("selective_ac_option", "op", made)


def _entry(name: str, text: str, at: Node, plain: bool = False) -> Entry:
    return Entry(Scalar(name, at.span), Scalar(text, at.span, Style.PLAIN if plain else Style.QUOTED))


def lora_settings(document: Document) -> Iterator[Setting]:
    """``LoRAConverter`` among the converters of the model (0.3.0 ``components/lora.py``)."""
    spec = document.get("model_spec") if builds_job(document) else None
    converters = spec.get("converters") if isinstance(spec, Mapping) else None
    for item in converters.items if isinstance(converters, Sequence) else ():
        if isinstance(item, Mapping) and "LoRAConverter" in item.tag:
            yield Setting("adapter", "lora", origin_of(document, "model_spec.converters", item), item.tag)
            rank = item.get("rank")
            number = numerals.small(rank.text) if isinstance(rank, Scalar) else None
            if isinstance(rank, Scalar) and number:
                yield Setting("lora_r", number, origin_of(document, "model_spec.converters.rank", rank), rank.text)


def loss_settings(document: Document) -> Iterator[Setting]:
    """``ChunkedLossWrapper`` takes the head piece by piece (0.3.0 ``components/loss.py``); how much that keeps is read at both ends."""
    root = document.mapping if builds_job(document) else None
    made = root.get("loss") if root is not None else None
    if isinstance(made, Mapping) and "ChunkedLossWrapper" in made.tag:
        origin = origin_of(document, "loss", made)
        yield Setting("loss", None, origin, "chunked", "auto", readings=("chunked", "full"))
