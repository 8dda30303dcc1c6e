"""What the catalog knows of a model, a device or an optimizer, for a hover."""

from __future__ import annotations

from typing import Any

KINDS = {"model": "models", "device": "devices", "optimizer": "optimizers"}


def catalog_text(setting: str, value: Any) -> str:
    """The catalog's row as a code block; empty where the setting names none, or the name is not known."""
    if setting not in KINDS or not isinstance(value, str):
        return ""
    from budgetlint.catalog import listing

    found = getattr(listing, KINDS[setting])(value)
    return f"```text\n{found.text.rstrip()}\n```" if found.text and not found.problem else ""
