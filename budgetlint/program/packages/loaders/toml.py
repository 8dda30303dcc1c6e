"""``tomllib``, ``tomli``, ``toml``: TOML 1.0 as `tomllib` reads it."""

from __future__ import annotations

from budgetlint.documents.scalars import Loader
from budgetlint.program.calling import Call
from budgetlint.program.objects import Handler
from budgetlint.program.packages.loaders.config import read_config, read_stream
from budgetlint.program.packages.plain import unknown
from budgetlint.program.state import Interpreter
from budgetlint.program.values import NONE, Known, Value


def _load(name: str, *, by_name: bool = False) -> Handler:
    """``by_name``: ``toml.load`` takes a path too."""

    def handler(it: Interpreter, call: Call) -> Value:
        stream = call.positional[0] if len(call.positional) == 1 and call.rest is None and not call.keywords else None
        if stream is None:
            return unknown(name, call.given(), name.partition(".")[0])
        if by_name and isinstance(stream, Known):
            return read_config(it, stream, Loader.TOML)
        return read_stream(it, stream, Loader.TOML)

    return handler


def _dump(it: Interpreter, call: Call) -> Value:
    return NONE


FUNCTIONS: dict[str, Handler] = {
    **{f"{package}.load": _load(f"{package}.load", by_name=package in ("toml", "rtoml")) for package in ("tomllib", "tomli", "toml",
    "rtoml")},
    **{f"{package}.loads": _load(f"{package}.loads") for package in ("tomllib", "tomli", "toml", "rtoml")},
    "toml.dump": _dump,
}  # fmt: skip
