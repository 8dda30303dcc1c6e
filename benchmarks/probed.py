"""Measurements of `gpu_probe.py` (``data/probed_*.json``) as one more source of the accuracy benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rows import Row
from simulated import WORKSPACES

from budgetlint.catalog.device import Device
from budgetlint.catalog.devices import find_device

PACKAGES = ("torch", "transformers", "peft")


def probed_rows(folder: Path) -> Iterator[Row]:
    """Every measured run of every session in the folder."""
    for path in sorted(folder.glob("probed_*.json")):
        session = json.loads(path.read_text(encoding="utf-8"))
        yield from (_row(path.stem, run) for run in session["runs"] if "measured" in run)


def _row(session: str, run: Row) -> dict[str, Any]:
    found = run["measured"]
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    common = {
        "id": f"{session}-{run['id']}",
        "source": f"benchmarks/gpu_probe.py on {found['card']['name']}, {versions}",
        "family": session.replace("_", "-"),
        "kind": "end_to_end",
        "judge": "two_sided",
        "detail": 3,
        "model": run["budget"].partition("model ")[2].split(";")[0].split()[0],
        "method": "lora" if "lora " in run["budget"] else "full",
        "seq_kind": "exact",
        "budget": _budget(run["budget"], found),
    }
    return common | _observed(found)


def _budget(text: str, found: Row) -> str:
    """On the card that it ran on, or was held to, with the versions that it ran with."""
    stack = " ".join(f"{name}@{found['versions'][name]}" for name in PACKAGES if name in found["versions"])
    return f"{text.replace('{device}', _device(found))}; stack {stack}"


def _device(found: Row) -> str:
    card = find_device(found["work"]["imitated"] or found["card"]["name"])
    return card.name if isinstance(card, Device) else f"{found['card']['total'] or 80 * 2**30}B"


def _observed(found: Row) -> dict[str, Any]:
    """Figures, or that memory ran out. On a CPU there are no cuBLAS workspaces; what a simulation leaves out is left out here."""
    if found["outcome"] == "oom":
        return {"observation": "oom", "metric": "allocated", "bytes": 0}
    uses = list(found["phases"].values())
    most = {name: max((use[name] for use in uses if use[name] is not None), default=None) for name in ("allocated", "reserved", "device")}
    extra = [{"metric": name, "bytes": most[name]} for name in ("reserved", "device") if most[name] is not None]
    return {
        "observation": "measured", "metric": "allocated", "bytes": most["allocated"], "extra": extra,
        "workspaces": WORKSPACES if found["card"]["kind"] == "cpu" else 0,
    }  # fmt: skip
