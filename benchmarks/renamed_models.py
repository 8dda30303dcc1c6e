"""Which checkpoints of another name have a row's sizes: `benchmarks/data/renamed_models.jsonl` -> `budgetlint/catalog/models_renamed.txt`.

    python benchmarks/renamed_models.py

A line of the data is what was read of one checkpoint. ``config``: its class and sizes (RahulSChand/gpu_poor
public/all_configs.json@ad2fc0e; it has no number of key heads, no positions, no activation: only ids whose class, sizes and vocabulary are
a row's are here, and of GPT-2 those with OpenAI's words). ``params`` with ``embedding``: the parameters of the bare model and of its
embedding (mteb 2.26.24 models/model_implementations); with ``architectures``: the whole count of that class (transformer-lens 4.3.0
tools/model_registry/data). ``source``: where it stands, in words. ``alone``: found by its last part too.
`tests/catalog/test_renamed.py` holds every line to its row.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from budgetlint.catalog import renamed
from budgetlint.catalog.names import fold

DATA = Path(__file__).parent / "data" / "renamed_models.jsonl"


def keys(line: dict[str, Any]) -> list[str]:
    owner, _, name = line["id"].rpartition("/")
    named = [f"{fold(owner)}/{fold(name)}"] if owner else []
    return named + ([fold(name)] if line.get("alone") or not owner else [])


def table() -> str:
    lines = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    return "".join(sorted(f"{key}\t{line['row']}\n" for line in lines for key in keys(line)))


if __name__ == "__main__":
    Path(renamed.__file__).with_name(renamed.FILE).write_text(table(), encoding="utf-8")
