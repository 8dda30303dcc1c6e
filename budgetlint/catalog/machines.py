"""Machines that a cloud rents by name, and how many of which card one has. Rows in `machines.json`, each group with its source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from budgetlint.base.record import record
from budgetlint.catalog.names import squeeze

_BEFORE = ("standard", "ml.")
"""Azure's first word, which people leave out, and what SageMaker writes before EC2's names."""


@record
class CloudMachine:
    """``ways``: the number of cards and the card, one row for each machine that the name fits."""

    name: str
    ways: tuple[tuple[int, str], ...]
    source: str


def find_machine(text: str) -> CloudMachine | None:
    """The machine of that name, blanks, hyphens and case aside: ``p4d.24xlarge``, ``ml.p4d.24xlarge``, ``Standard_ND96asr_v4``."""
    return _table().get(_key(text))


def all_machines() -> tuple[CloudMachine, ...]:
    return tuple(_table().values())


def said(ways: tuple[tuple[int, str], ...], times: int = 1) -> tuple[str, ...]:
    """As a budget writes them, of ``times`` machines."""
    return tuple(f"{count * times}x {card}" if count * times > 1 else card for count, card in ways)


def _key(text: str) -> str:
    key = squeeze(text)
    for word in _BEFORE:
        key = key.removeprefix(word)
    return key


@cache
def _table() -> Mapping[str, CloudMachine]:
    document = json.loads(Path(__file__).with_name("machines.json").read_text(encoding="utf-8"))
    return {
        _key(name): CloudMachine(name, tuple(_way(way) for way in ([ways] if isinstance(ways, str) else ways)), group["source"])
        for group in document["machines"]
        for name, ways in group["names"].items()
    }


def _way(text: str) -> tuple[int, str]:
    count, card = text.split("x ", 1)
    return int(count), card
