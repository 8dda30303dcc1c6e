"""Located reading of configuration files: YAML, JSON (with comments) and TOML. See `node` for the tree."""

from budgetlint.documents.load import load
from budgetlint.documents.node import Document, Entry, Mapping, Node, Problem, Scalar, ScalarStyle, Sequence, plain, walk
from budgetlint.documents.scalars import Loader, Value

__all__ = [
    "Document",
    "Entry",
    "Loader",
    "Mapping",
    "Node",
    "Problem",
    "Scalar",
    "ScalarStyle",
    "Sequence",
    "Value",
    "load",
    "plain",
    "walk",
]
