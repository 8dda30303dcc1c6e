"""Where a document holds the fields of PEFT's ``LoraConfig``, and how a run's checkpoint is packed."""

from __future__ import annotations

from budgetlint.catalog.models import stored_as
from budgetlint.rule import HUGGING_FACE, PYTHON, Mapping, Reading, RunContext, Setting, gib, written_in

PEFT_FORMATS = (*HUGGING_FACE, *PYTHON, "peft_adapter_config")
"""Formats in which sections with the fields of ``LoraConfig`` stand."""
PACKED_BY_OTHERS = frozenset(("gptq", "awq", "gptq-int4", "gptq-int8"))
"""Endings of checkpoint names that say GPTQ or AWQ for certain."""

_SECTIONS = ("peft_config", "lora_config")


def in_4_bits(run: RunContext) -> str:
    """For messages: the whole base at half a byte per parameter, before the constants; empty for an unknown model."""
    params = run.estimate.params if run.estimate else None
    return f" ({gib(params // 2)} in 4 bits)" if params else ""


def lora_sections(reading: Reading) -> tuple[str, ...]:
    """Paths of the blocks that become a ``LoraConfig``; the empty path is the document itself."""
    if reading.format == "peft_adapter_config":
        return ("",) if reading.settings.value("adapter") == "lora" else ()
    if reading.format in PYTHON:
        from budgetlint.readers.python_script import classes  # most files are no scripts

        blocks = dict(classes.sections(reading.document))
        given = {f"{name}.{entry.key.text}": entry.value for name, block in blocks.items() for entry in block.entries}
        found = {block.span: path for path, block in (given | blocks).items() if classes.class_of(block) == "peft.LoraConfig"}
        return tuple(found.values())
    return tuple(name for name in _SECTIONS if isinstance(reading.document.get(name), Mapping))


def inside(reading: Reading, section: str, key: str) -> Setting | None:
    """A key of such a block."""
    return written_in(reading, f"{section}.{key}" if section else key)


def packed_checkpoint(run: RunContext) -> str:
    """``GPTQ`` or ``AWQ`` where the checkpoint's name says so; else empty."""
    model = run.setting("model")
    ending = stored_as(str(model.value)) if model is not None and model.known else None
    return (ending or "").partition("-")[0].upper() if ending in PACKED_BY_OTHERS else ""
