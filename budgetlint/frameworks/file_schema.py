"""What the JSON Schema of a framework's configs is made of (`budgetlint.schemas.frameworks`)."""

from __future__ import annotations

from collections.abc import Mapping

from budgetlint.base.record import record


@record
class FileSchema:
    """``groups``: for each section (``""`` is the top) the groups of key tables it takes, each ``table:group``. ``strict``: the
    sections in which an unknown key stops the run, as ``source`` says. ``old``: the group whose dropped keys are deprecated.
    ``beside``: the key without which the file is of another schema (LLaMA-Factory 1), which has values of its own."""

    title: str
    groups: Mapping[str, tuple[str, ...]]
    source: str
    strict: tuple[str, ...] = ()
    old: tuple[str, str] | None = None
    beside: str = ""
