"""One GPU session: a fixed grid of runs measured on the card that is there, with the versions found there, into one JSON file.

``python benchmarks/gpu_probe.py --out probed.json`` needs a GPU, torch, transformers and peft (bitsandbytes for some runs), and nothing
else: no hub, no network. It ends within ``--seconds`` (480): what did not get its turn is listed. Each run has its own process and time
limit, so a crash or an error takes one run. The file goes to ``benchmarks/data/probed_NAME.json``, where `accuracy.py` reads it.
``--device cpu --tiny`` tries the path without a GPU.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gpu_grid import GRID, TINY, Cell

from budgetlint.probe.ask import Failed, ask, missing
from budgetlint.probe.imitate import allowance, card_named
from budgetlint.probe.job import Inexpressible
from budgetlint.probe.work import Work, work_of
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

VERSION = 1
EACH = 60.0
"""Seconds for one run."""
LEAST = 12.0
"""Seconds that a run needs to start: none begins with less left."""


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 where something was measured, 1 where nothing was, 2 where packages are missing."""
    asked = _parser().parse_args(arguments)
    absent = missing(("torch", "transformers", "peft"))
    if absent:
        print(f"not installed here: {', '.join(absent)}: pip install 'budgetlint[probe]'", file=sys.stderr)
        return 2
    runs = list(measured(TINY if asked.tiny else GRID, asked.device, time.monotonic() + asked.seconds))
    Path(asked.out).write_text(json.dumps({"version": VERSION, "runs": runs}, indent=1) + "\n", encoding="utf-8")
    done = [run for run in runs if "measured" in run]
    print(f"{len(done)} of {len(runs)} runs measured, into {asked.out}", file=sys.stderr)
    return 0 if done else 1


def measured(grid: Iterable[Cell], device: str, until: float) -> Iterator[dict[str, Any]]:
    """Each cell with what was measured, or why not. Ctrl-C ends the session and keeps what is there."""
    stopped = False
    for cell in grid:
        left = until - time.monotonic()
        if stopped or left < LEAST:
            yield {"id": cell.id, "budget": cell.budget, "error": "stopped" if stopped else "no time left"}
            continue
        try:
            yield one(cell, device, min(EACH, left))
        except KeyboardInterrupt:
            stopped = True
            yield {"id": cell.id, "budget": cell.budget, "error": "stopped"}


def one(cell: Cell, device: str, seconds: float) -> dict[str, Any]:
    """One run in a process of its own."""
    begun = time.monotonic()
    row: dict[str, Any] = {"id": cell.id, "budget": cell.budget}
    try:
        row["measured"] = ask({"work": _work(cell, device).model_dump(mode="json")}, seconds, lambda _: None)
    except (Failed, Inexpressible) as reason:
        row["error"] = str(reason)
    row["seconds"] = round(time.monotonic() - begun, 1)
    print(f"{cell.id}: {row.get('error') or row['measured']['outcome']}, {row['seconds']} s", file=sys.stderr)
    return row


def _work(cell: Cell, device: str) -> Work:
    card = card_named(cell.imitate) if cell.imitate else None
    plan = run_of(cell.budget).plan
    if plan is None:
        raise Inexpressible("the budget names no model that is known")
    return work_of(plan, device=device, limit=allowance(card) if card else None, imitated=card.name if card else "")


def run_of(budget: str, device: str = "80GiB") -> RunContext:
    """The run of a cell; the card decides nothing that is built."""
    return judge_texts({"cell.budget": budget.replace("{device}", device)}).runs[0]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="measure the grid on this machine's GPU")
    parser.add_argument("--out", default="probed.json", metavar="FILE", help="where the measurements go (default: probed.json)")
    parser.add_argument("--seconds", type=float, default=480.0, help="for the whole session (default: 480)")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--tiny", action="store_true", help="two runs of a tiny model")
    return parser


if __name__ == "__main__":
    sys.exit(main())
