"""The door for who brings a reader: the manifest of a framework (`budgetlint.frameworks.manifest`), and what its reader is made of
(`budgetlint.readers.base`)."""

from __future__ import annotations

from budgetlint.documents import Document, Loader, Mapping
from budgetlint.frameworks.manifest import HYDRA, Format, Idle, Manifest, Package, Patch, Program, Tool, names
from budgetlint.readers.base import (
    Key,
    Reader,
    Unreadable,
    default,
    hidden,
    loader_of,
    read_keys,
    to_bool,
    to_count,
    to_dtype,
    to_float,
    to_int,
    to_text,
    to_words,
    unsettled,
)
from budgetlint.settings.run import Reading, Reference, Role, Setting, Settings, Stack

__all__ = [
    "HYDRA",
    "Document",
    "Format",
    "Idle",
    "Key",
    "Loader",
    "Manifest",
    "Mapping",
    "Package",
    "Patch",
    "Program",
    "Reader",
    "Reading",
    "Reference",
    "Role",
    "Setting",
    "Settings",
    "Stack",
    "Tool",
    "Unreadable",
    "default",
    "hidden",
    "loader_of",
    "names",
    "read_keys",
    "to_bool",
    "to_count",
    "to_dtype",
    "to_float",
    "to_int",
    "to_text",
    "to_words",
    "unsettled",
]
