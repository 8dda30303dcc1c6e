"""What stands in the flags of a command, and what may stand in a file beside them."""

from __future__ import annotations

from budgetlint.rule import DocumentContext, written_in

_FILES = ("config", "config_file")


def may_be_elsewhere(document: DocumentContext) -> bool:
    """Flags may stand beside a file that says the rest: what is not among them is not known to be absent."""
    if not document.reading.document.is_command:
        return False
    return document.format == "llamafactory" or written_in(document.reading, *_FILES) is not None
