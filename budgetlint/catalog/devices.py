"""The devices: found by any name that nvidia-smi or torch prints, or by a short one. Rows in `devices.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from budgetlint.base.expression import expression
from budgetlint.base.numerals import is_digits
from budgetlint.catalog.apple import macs
from budgetlint.catalog.device import EXACT, Device, Total
from budgetlint.catalog.names import NoMatch, fold, near, prefixed, squeeze, unique

DRIVER_SHARE = 0.985
"""torch total / nvidia-smi total where both were seen: 0.971 (T4) to 0.998, most cards 0.985 (L4 22.161 of 22.494 GiB)."""

ECC_SHARE = 15 / 16
"""ECC on GDDR cards takes 1/16: A10 24564 and 23028 MiB, L40 49140 and 46068, RTX A6000 47.43 and 44.43 GiB."""

CPU = Device(
    name="cpu",
    official="host memory",
    vendor="",
    label="host memory",
    nominal_bytes=0,
    usable_min=0,
    usable_max=0,
    usable_exact=False,
    aliases=(),
    compute_capability=None,
    bf16=True,
    tf32=None,
    fp8=None,
    unified=True,
    sources=(),
    note="a run on the processor uses host memory: state it with 'host'",
    usable_from="host",
    kind="cpu",
)

TENSOR_CORES = (7, 0)
"""V100 and newer."""

HBM = frozenset({(6, 0), (7, 0), (8, 0), (9, 0), (10, 0)})
"""P100, V100, A100, H100/H200, B200: memory whose total is the same with ECC on."""

_MAKERS = ("nvidia", "nvidia.com", "geforce", "tesla", "amd", "instinct", "radeon", "intel", "apple", "mig")
_SLICE = expression(r"(?:.*[-:])?([0-9]g\.[0-9]+gb)")


def find_device(text: str) -> Device | NoMatch:
    """The one device that ``text`` names, blanks, hyphens, case and maker names aside; else who it could be.

    A bare number (``4090``) names no device; the cards with that number are suggested.
    """
    text = _slice_of(text)
    short = _without_maker(text)
    row = _keys().get(squeeze(text)) or _keys().get(squeeze(short))
    if row is not None:
        return _table()[row]
    ambiguous = _ambiguous().get(squeeze(short))
    if ambiguous is not None:
        return NoMatch(text, candidates=ambiguous)
    if is_digits(short):
        return NoMatch(text, suggestions=_numbered(short))
    slices = _slices(short)
    if slices:
        return NoMatch(text, slices) if len(slices) > 1 else NoMatch(text, suggestions=slices)
    longer = tuple(name for name in prefixed(short, _folded()) if not _table()[name].label.endswith("slice"))
    if len(longer) > 1:
        return NoMatch(text, candidates=longer)
    return NoMatch(text, suggestions=longer or near(short, _folded()) or prefixed(short.rpartition("-")[0], _folded())[:3])


def _slice_of(text: str) -> str:
    """``h100:1g.10gb`` as ``h100-1g.10gb``; a colon before anything else counts cards."""
    return text.replace(":", "-") if ":" in text and _SLICE.fullmatch(fold(text)) else text


def _slices(short: str) -> tuple[str, ...]:
    """The cards that have a slice of this name, where no card is named: ``1g.10gb``."""
    match = _SLICE.fullmatch(short)
    return tuple(name for name in _table() if name.endswith(f"-{short}")) if match and match[1] == short else ()


def all_devices() -> tuple[Device, ...]:
    """Every row, in the order of `devices.json`, the pseudo device ``cpu`` last."""
    return tuple(_table().values())


def with_word(text: str) -> tuple[Device, ...]:
    """Rows that have every word of ``text`` in one of their names, by name and number (``rtx-3060`` before ``rtx-4060``)."""
    words = [word for word in fold(text).split("-") if word]
    names = {device.name: fold(" ".join((device.name, device.official, *device.aliases))) for device in all_devices()}
    found = (device for device in all_devices() if words and all(word in names[device.name] for word in words))
    return tuple(sorted(found, key=lambda device: [(len(part), part) if is_digits(part) else (0, part) for part in device.name.split("-")]))


def usable(device: Device, ecc: bool | None = None) -> tuple[int, int, bool]:
    """Usable bytes ``(smallest, largest, exact)``; with ``ecc`` said, of the readings in that state.

    Where the state was never seen, 15/16 (on) or 16/15 (off) of the others; HBM parts carry their own check bits.
    """
    states = {total.ecc for total in device.totals} - {None}
    default = device.usable_min, device.usable_max, device.usable_exact
    if ecc is None or not states or states == {ecc} or device.compute_capability in HBM:
        return default
    if ecc not in states:
        share = ECC_SHARE if ecc else 1 / ECC_SHARE
        return int(device.usable_min * share), int(device.usable_max * share), False
    return _usable(tuple(t for t in device.totals if (t.ecc is True) is ecc), device.nominal_bytes)[:3]


def _usable(totals: tuple[Total, ...], nominal: int, share: float = DRIVER_SHARE) -> tuple[int, int, bool, str]:
    exact = [total for total in totals if total.kind in EXACT]
    if exact:
        return min(t.bytes for t in exact), max(t.bytes for t in exact), True, exact[0].kind
    seen = [total.bytes for total in totals] or [nominal]
    return int(min(seen) * share), max(seen), False, "smi" if totals else "label"


def _numbered(number: str) -> tuple[str, ...]:
    return unique(name for key, name in _folded().items() if len(number) > 2 and number in key.split("-"))[:3]


def _without_maker(text: str) -> str:
    parts = fold(text).split("-")
    while len(parts) > 1 and parts[0] in _MAKERS:
        parts = parts[1:]
    return "-".join(parts)


@cache
def _document() -> Mapping[str, Any]:
    with Path(__file__).with_name("devices.json").open(encoding="utf-8") as handle:
        document: Mapping[str, Any] = json.load(handle)
    return document


@cache
def _table() -> dict[str, Device]:
    table = {row["name"]: _device(row) for row in _document()["devices"]}
    others = {device.name: device for device in macs() if device.name not in table}
    return {**table, **others, CPU.name: CPU}


@cache
def _folded() -> dict[str, str]:
    keys: dict[str, str] = {}
    for device in _table().values():
        for name in (device.name, device.official, *device.aliases):
            keys.setdefault(_without_maker(name), device.name)
    return keys


@cache
def _keys() -> dict[str, str]:
    keys = {squeeze(name): device.name for device in _table().values() for name in (device.name, device.official, *device.aliases)}
    return {**{squeeze(key): name for key, name in _folded().items()}, **keys}


@cache
def _ambiguous() -> dict[str, tuple[str, ...]]:
    return {squeeze(text): tuple(names) for text, names in _document()["ambiguous"].items()}


def _device(row: Mapping[str, Any]) -> Device:
    totals = tuple(_total(total) for total in row["totals"])
    capability = _capability(row.get("compute_capability"))
    low, high, exact, origin = _usable(totals, row["nominal_bytes"], row.get("share", DRIVER_SHARE))
    return Device(
        name=row["name"],
        official=row["official"],
        vendor=row["vendor"],
        label=row["label"],
        nominal_bytes=row["nominal_bytes"],
        usable_min=low,
        usable_max=high,
        usable_exact=exact,
        aliases=tuple(row["aliases"]),
        compute_capability=capability,
        bf16=row.get("bf16"),
        tf32=row.get("tf32"),
        fp8=row.get("fp8"),
        unified=row.get("unified", False),
        sources=unique(
            [*(s for total in totals for s in total.sources), *([row["capability_source"]] if "capability_source" in row else [])]
        ),
        note=row.get("note", ""),
        usable_from=origin,
        totals=totals,
        arch=row.get("arch", ""),
        offered=origin != "label" and (capability is None or capability >= TENSOR_CORES),
    )


def _total(row: Mapping[str, Any]) -> Total:
    ecc = {"on": True, "off": False}.get(row.get("ecc", ""))
    return Total(row["from"], row["bytes"], ecc, tuple(row["sources"]), row.get("note", ""))


def _capability(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    major, minor = text.split(".")
    return int(major), int(minor)
