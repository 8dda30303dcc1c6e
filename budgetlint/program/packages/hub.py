"""Models that a program fetches before it loads them: the path is the machine's, the name stays that of the model.

Sources: huggingface_hub 0.16 to 2.4 ``_snapshot_download.py`` snapshot_download; modelscope 1.9 to 1.40 ``hub/snapshot_download.py``; verl
0.1 to 0.9.1 ``utils/fs.py`` copy_to_local: a path that is not ``hdfs://`` stays as it is, unless it goes to shared memory (from 0.4 on).
"""

from __future__ import annotations

from budgetlint.program.calling import Call
from budgetlint.program.objects import Handler
from budgetlint.program.operators import made_of
from budgetlint.program.state import Interpreter
from budgetlint.program.truth import truth
from budgetlint.program.values import FALSE, NONE, Copied, Known, Opaque, Open, Value


def _fetched(argument: str) -> Handler:
    """The folder of a model of the hub. Of other kinds of repositories nothing is loaded that counts."""
    package = "modelscope" if argument == "model_id" else "huggingface_hub"

    def handler(it: Interpreter, call: Call) -> Value:
        named = call.get(argument, 0) or call.get("repo_id") or NONE
        return it.each(named, lambda one: _copy(one, package))

    return handler


def _copy(name: Value, package: str) -> Value:
    """The reason holds the name: copies of two models are two values."""
    if isinstance(name, Known) and isinstance(name.value, str):
        return Copied(name, f"where {package} keeps {name.value}", package)
    return name if isinstance(name, Copied) else Opaque(f"where {package} keeps a model", package=package, origins=name.origins)


def _to_local(it: Interpreter, call: Call) -> Value:
    shared = truth(call.get("use_shm", 5) or FALSE)

    def one(path: Value) -> Value:
        if isinstance(path, Known) and isinstance(path.value, str):
            moved = shared is not False or path.value.startswith("hdfs://")
            return _copy(path, "verl") if moved else path
        return path if isinstance(path, Open) else made_of(path)

    return it.each(call.get("src", 0) or NONE, one)


FUNCTIONS: dict[str, Handler] = {
    "huggingface_hub.snapshot_download": _fetched("repo_id"),
    "modelscope.snapshot_download": _fetched("model_id"),
    "verl.utils.fs.copy_to_local": _to_local,
    "verl.utils.fs.copy_local_path_from_hdfs": _to_local,
    "verl.utils.fs.copy_to_local_path_from_hdfs": _to_local,
}
