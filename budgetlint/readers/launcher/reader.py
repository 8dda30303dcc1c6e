"""How many processes a launcher starts, from its flags and its environment.

Sources: torch 2.13 ``distributed/run.py`` (one process on one machine unless said), deepspeed 0.19 ``launcher/runner.py`` (every
visible device unless said), ms-swift 4.6 ``swift/cli/main.py`` and LLaMA-Factory 0.9.5 ``launcher.py`` (``NPROC_PER_NODE``),
composer 0.32 ``cli/launcher.py`` (every visible device), Slurm 24.11 ``srun(1)``, Open MPI 5 ``mpirun(1)``.
"""

from __future__ import annotations

from typing import Any

from budgetlint.base import numerals
from budgetlint.base.expression import expression
from budgetlint.documents import Document, Loader, Sequence
from budgetlint.readers.base import AUTO, Key, Reader, read_keys, to_count
from budgetlint.readers.launcher import FORMAT
from budgetlint.settings.run import Origin, OriginKind, Reading, Role, Setting, Settings


def to_processes(value: Any) -> Any:
    """``gpu``, ``cpu`` and ``auto`` are as many as the machine has (torch run.py determine_local_world_size)."""
    return AUTO if str(value).lower() in ("gpu", "auto", "cpu", "xpu") else to_count(value)


def to_nodes(value: Any) -> Any:
    """``MIN:MAX`` is elastic: not known; the same twice is that many."""
    low, _, high = str(value).partition(":")
    return to_count(low) if not high or high == low else None


def to_visible(value: Any) -> Any:
    """How many devices ``0,1,2`` names; ``GPU-...`` and empty say nothing."""
    if isinstance(value, Sequence):
        return None
    names = [name for name in str(value).split(",") if name.strip()]
    return len(names) if names and all(numerals.is_digits(name.strip()) for name in names) else None


_INCLUDE = expression(r"[^:@]+:([0-9]+(?:,[0-9]+)*)")


def to_included(value: Any) -> Any:
    """``localhost:0,1``; several machines say nothing here."""
    found = _INCLUDE.fullmatch(str(value))
    return len(found[1].split(",")) if found else None


KEYS: dict[str, tuple[Key, ...]] = {
    "torchrun": (Key("nproc_per_node", "devices_per_node", to_processes), Key("nnodes", "nodes", to_nodes)),
    "oumi distributed": (
        Key("nproc_per_node", "devices_per_node", to_processes),
        Key("nnodes", "nodes", to_nodes),
        Key("num_processes", "devices", to_count),
        Key("num_machines", "nodes", to_count),
    ),
    "deepspeed": (
        Key("num_accelerators", "devices_per_node", to_count),
        Key("num_gpus", "devices_per_node", to_count),
        Key("include", "devices_per_node", to_included),
        Key("-i", "devices_per_node", to_included),
        Key("num_nodes", "nodes", to_count),
    ),
    "composer": (
        Key("nproc", "devices_per_node", to_count),
        Key("-n", "devices_per_node", to_count),
        Key("world_size", "devices", to_count),
    ),
    "srun": (Key("-n", "devices", to_count), Key("ntasks", "devices", to_count)),
    "mpirun": (Key("-n", "devices", to_count), Key("-np", "devices", to_count), Key("np", "devices", to_count)),
    "environment": (
        Key("CUDA_VISIBLE_DEVICES", "devices_per_node", to_visible),
        Key("NPROC_PER_NODE", "devices_per_node", to_count),
        Key("NNODES", "nodes", to_count),
    ),
    "job": (Key("nodes", "nodes", to_count),),
}
"""Keys by the launcher's name; in a table a later row wins."""


def recognise(document: Document) -> float:
    return 1.0 if document.is_command and document.program in KEYS else 0.0


def read(document: Document) -> Reading:
    settings, misreads = read_keys(document, Loader.SHELL, KEYS.get(document.program, ()))
    found = {setting.name: setting for setting in settings}
    if document.program == "torchrun" and document.mapping is not None and "nproc_per_node" not in document.mapping:
        note = "torch distributed/run.py nproc_per_node: 1"
        found["devices_per_node"] = Setting("devices_per_node", 1, Origin(OriginKind.DEFAULT, note=note), "1")
    return Reading(FORMAT, Role.LAUNCHER, document, Settings(found.values()), (), tuple(misreads))


READER = Reader(FORMAT, Role.LAUNCHER, Loader.SHELL, recognise, read)
