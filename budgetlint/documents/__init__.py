"""Located reading of configuration files: YAML, JSON (with comments) and TOML. See `node` for the tree."""

from budgetlint.documents.load import load
from budgetlint.documents.node import Document, Entry, Mapping, Node, Problem, Scalar, Sequence, Style, plain, walk
from budgetlint.documents.scalars import Loader, Value

__all__ = [
    "Document",
    "Entry",
    "Loader",
    "Mapping",
    "Node",
    "Problem",
    "Scalar",
    "Sequence",
    "Style",
    "Value",
    "load",
    "plain",
    "walk",
]
