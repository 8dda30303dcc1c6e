"""A config file by the short name of its loader."""

from __future__ import annotations

from budgetlint.documents.scalars import Loader
from budgetlint.program.packages.loaders import config
from budgetlint.program.state import Interpreter
from budgetlint.program.values import Open, Value

LOADERS = {"yaml": Loader.PYYAML, "omegaconf": Loader.OMEGACONF, "json": Loader.JSON, "toml": Loader.TOML}


def read_config(it: Interpreter, path: Value, loader: str) -> Value:
    """The content of a file; what is in one that somebody else names is open as its name is. ``loader`` is one of `LOADERS`."""
    if isinstance(path, Open):
        return Open(path.kind, path.name, path.origins)
    return config.read_config(it, path, LOADERS[loader])
