"""Rows tried on the real class: kept where it refuses a config that the row picks, at that very line, and takes one that it does not."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from budgetlint.contracts.expression import evaluate
from budgetlint.contracts.names import fields_of
from budgetlint.contracts.words import choices

from .fields import Field
from .kinds import sample, together
from .read import Found
from .stacks import facts, stack_of
from .state import Certified, Row
from .witness import nested, refused_by, repaired, witnesses

DRIVER = Path(__file__).with_name("driver.py")
WITNESSES = 6
"""Configs that are tried for a row before it is given up."""
MOST_WITNESSES = 60
"""Configs of which those are taken."""


def ask(
    python: Path, configs: Sequence[Mapping[str, Any]], root: Path | None = None, prepare: Path | None = None, timeout: int = 900
) -> list[Any]:
    """The answers of the real classes, in order."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1", "WANDB_MODE": "offline", "DISABLE_VERSION_CHECK": "1"}
    if root is not None:
        environment["PYTHONPATH"] = str(root)
        environment["CONTRACT_ROOT"] = str(root)
    if prepare is not None:
        environment["CONTRACT_PREPARE"] = str(prepare)
    lines = "".join(json.dumps(one) + "\n" for one in configs)
    done = subprocess.run(
        [str(python), str(DRIVER)], input=lines, capture_output=True, text=True, env=environment, timeout=timeout, check=False
    )
    answers = [json.loads(one) for one in done.stdout.splitlines() if one.startswith("{")]
    if len(answers) != len(configs):
        raise RuntimeError(f"{len(answers)} answers to {len(configs)} configs: {done.stderr[-2000:]}")
    return answers


def base_of(found: Found) -> Mapping[str, Any]:
    """The contract's base, as far as this release has its flags."""
    return {name: value for name, value in found.contract.base.items() if not found.contract.parser or name in found.fields}


def asked_of(found: Found, given: Mapping[str, Any]) -> dict[str, Any]:
    """The config as the real class gets it: flat names where it is a tree, else blocks."""
    flat = found.contract.config or found.contract.parser or found.contract.sections
    return {**base_of(found), **(given if flat else nested(given))}


def certify(
    found: Found, python: Path, root: Path | None = None, prepare: Path | None = None
) -> tuple[list[Certified], list[tuple[Row, str]]]:
    """Rows that the real class proves, and the others with the reason."""
    contract = found.contract
    known = facts((row.when for row, _ in found.rows), stack_of(next(python.parents[1].glob("lib/python*/site-packages"))))
    start, fields = {**base_of(found), **known}, with_choices(found)
    asked: list[dict[str, Any]] = []
    plan: list[tuple[int, dict[str, Any], int, int]] = []  # row, given, index of the refused, index of the taken

    def put(given: Mapping[str, Any]) -> int:
        asked.append({"kind": contract.kind, "class": contract.made, "given": asked_of(found, given)})
        return len(asked) - 1

    base = put({})
    spelled: dict[int, list[int]] = {}  # of a row of choices, configs with a choice in the other case: some classes take those
    for position, (row, _) in enumerate(found.rows):
        if row.kind == "type":
            plan.append((position, sample(row), put(sample(row)), base))
            continue
        spelled[position] = [put(one) for one in other_case(row)]
        strange = [other.when for other, _ in found.rows if other is not row and other.kind == "choice"]
        ways = islice(witnesses(row.when, fields, start), MOST_WITNESSES)
        every = sorted(ways, key=lambda way: refused_by(strange, way[0], fields, start))  # values that a field may have, first
        for given, beside in every[:WITNESSES]:
            if not _plain(given):
                continue
            others = [other.when for other, _ in found.rows if other is not row and other.kind not in ("warn", "type")]
            mended = repaired(given, row.when, others, fields, start) if row.kind != "warn" else given
            near = (
                beside
                if mended == given
                else {name: value for name, value in mended.items() if name not in given or (beside or {}).get(name) == value}
            )
            plan.append((position, mended, put(mended), base if beside is None or not _plain(near or {}) else put(near or {})))
    answers = ask(python, asked, root, prepare)
    proved: dict[int, Certified] = {}
    for position, given, refused, taken in plan:
        row, stage = found.rows[position]
        beside = taken if _taken(answers[taken], row) else base
        if any("ok" in answers[one] for one in spelled.get(position, ())):
            continue
        if position not in proved and _refused(answers[refused], row) and _taken(answers[beside], row):
            proved[position] = Certified(row, stage, given, asked[beside]["given"])
    tried = {position for position, *_ in plan}
    rest = [
        (row, "not refused" if position in tried else "no config found")
        for position, (row, _) in enumerate(found.rows)
        if position not in proved
    ]
    return together([proved[position] for position in sorted(proved)]), rest


def with_choices(found: Found) -> dict[str, Field]:
    """The fields, with the values that rows of choices leave: worth trying for every other row."""
    fields = dict(found.fields)
    for row, _ in found.rows:
        names = fields_of(row.when)
        if row.kind == "choice" and names[0] in fields and set(names) == {names[0]} and not fields[names[0]].choices:
            fields[names[0]] = replace(fields[names[0]], choices=choices(row.when, names[0]) or None)
    return fields


def other_case(row: Row) -> list[dict[str, Any]]:
    """``{"backend": "inductor"}`` for a row that takes ``INDUCTOR``."""
    names = fields_of(row.when)
    taken = choices(row.when, names[0]) if row.kind == "choice" and len(names) == 1 else ()
    others = [one.swapcase() for one in taken if isinstance(one, str) and one.swapcase() not in taken]
    refused = [one for one in others if evaluate(row.when, lambda _name, value=one: value) is True]  # type: ignore[misc]
    return [{names[0]: one} for one in refused[:2]]


def _plain(given: Mapping[str, Any]) -> bool:
    try:
        json.dumps(given)
    except (TypeError, ValueError):
        return False
    return True


def _refused(answer: Mapping[str, Any], row: Row) -> bool:
    if row.kind == "warn":
        return any(_at(frames, row) for frames in answer["warned"])
    if "error" not in answer:
        return False
    if row.kind == "type":
        return bool(answer["error"] == row.raised)
    if row.kind in ("choice", "bound") and row.owner and not _at(answer["frames"], row):
        return True  # told by the library that holds the type; `beside` shows that nothing else is wrong
    return _at(answer["frames"], row)


def _taken(answer: Mapping[str, Any], row: Row) -> bool:
    return "ok" in answer and not (row.kind == "warn" and any(_at(frames, row) for frames in answer["warned"]))


def _at(frames: Iterable[Sequence[Any]], row: Row) -> bool:
    return any(str(file).endswith(row.path) and row.line <= int(line) <= row.end_line for file, line in frames)
