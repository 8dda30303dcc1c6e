"""GB and GiB are mixed, or a size in GB is a card's label.

GB is 10^9 bytes, GiB is 2^30: 7.4 % more. The labels of cards are neither: an "80 GB" A100 gives torch 79.15 GiB. A budget may
use both units, each means exactly what it says; this rule tells what the mixture amounts to.

## What it costs

32 GB are 29.80 GiB: 2.2 GiB less than the card that was meant. At 80 the gap is 5.5 GiB, the fp32 Adam state of a 0.7B model.

## Failing

```budget
device 80GB; reserve 3GiB; model qwen2.5-1.5b
```

## Passing

```budget
device a100-80gb; reserve 3GiB; model qwen2.5-1.5b
```

## Sources

- IEC 80000-13 and SI prefixes; docker/go-units uses the same constants.
- https://github.com/modal-labs/modal-client/pull/2797: nvidia-smi totals of cards beside their labels.
"""

from __future__ import annotations

from collections.abc import Iterator

from budgetlint.base.units import BINARY, DECIMAL, GB, exact
from budgetlint.language.budget import DeviceSpec, Reserve, Target
from budgetlint.rule import BudgetContext, Confidence, Finding, Rule, Severity, all_devices, gib


def check(budget: BudgetContext) -> Iterator[Finding]:
    for target in (budget.budget.default_target, *budget.budget.targets.values()):
        if target.device is not None:
            yield from _device(budget, target.device)
        if target.reserve is not None:
            yield from _reserve(budget, target, target.reserve)


def _device(budget: BudgetContext, spec: DeviceSpec) -> Iterator[Finding]:
    if spec.device is not None:
        yield from _more_than_the_card(budget, spec)
    elif spec.amount_unit in DECIMAL and spec.nominal % GB == 0:
        yield from _label(budget, spec, spec.nominal // GB)


def _label(budget: BudgetContext, spec: DeviceSpec, size: int) -> Iterator[Finding]:
    cards = [card for card in all_devices() if card.label.replace(" ", "") == f"{size}GB"]
    if not cards:
        return
    least, most = min(card.usable_min for card in cards), max(card.usable_max for card in cards)
    gives = gib(least) if gib(least) == gib(most) else f"{gib(least)} to {gib(most)}"
    yield budget.finding(
        spec,
        f"device {spec.text} is {gib(spec.nominal)}; cards sold as {size} GB ({cards[0].official}, ...) give torch {gives}, "
        f"{gib(abs(most - spec.nominal))} {'more' if most > spec.nominal else 'less'}",
        help=f"name the card (device {cards[0].name}), or write device {size}GiB if exactly that is meant",
        numbers={"device_bytes": spec.nominal, "card_usable_min_bytes": least, "card_usable_max_bytes": most},
    )


def _more_than_the_card(budget: BudgetContext, spec: DeviceSpec) -> Iterator[Finding]:
    card = spec.device
    if card is None or spec.usable_low <= card.usable_max:
        return
    yield budget.finding(
        spec,
        f"usable is {gib(spec.usable_low)} ({exact(spec.usable_low)}), but torch was never seen to report more than "
        f"{gib(card.usable_max)} on {card.official}: {gib(spec.usable_low - card.usable_max)} that do not exist",
        help=f"leave usable out: {card.name} gives {gib(card.usable_min)}",
        numbers={"usable_bytes": spec.usable_low, "card_usable_max_bytes": card.usable_max},
    )


def _reserve(budget: BudgetContext, target: Target, reserve: Reserve) -> Iterator[Finding]:
    """A reserve in the other unit system is exact, but easily misread: a warning beside a written amount, information beside a
    named card."""
    if reserve.bytes is None or target.device is None:
        return
    other = _other_reading(reserve, target.device)
    if other is None:
        return
    name, size = other
    yield budget.finding(
        reserve,
        f"reserve {reserve.text} is {gib(reserve.bytes)} beside a device in {'GiB' if reserve.unit in DECIMAL else 'GB'}; "
        f"{name} would be {gib(abs(size - reserve.bytes))} {'more' if size > reserve.bytes else 'less'}",
        help=f"both units are exact; write reserve {name} if that was meant",
        severity=Severity.INFO if target.device.device is not None else None,
        numbers={"reserve_bytes": reserve.bytes, "other_reading_bytes": size, "difference_bytes": abs(size - reserve.bytes)},
    )


def _other_reading(reserve: Reserve, spec: DeviceSpec) -> tuple[str, int] | None:
    """The reserve read in the device's unit system, where the two differ."""
    number = reserve.text.removesuffix(reserve.unit)
    decimal_device = spec.amount_unit in DECIMAL
    if reserve.unit in DECIMAL and not decimal_device and reserve.bytes is not None:
        unit = reserve.unit[:-1].upper() + "iB"
        return f"{number}{unit}", reserve.bytes * BINARY[unit] // DECIMAL[reserve.unit]
    if reserve.unit in BINARY and decimal_device and reserve.bytes is not None:
        unit = "kB" if reserve.unit == "KiB" else f"{reserve.unit[0]}B"
        return f"{number}{unit}", reserve.bytes * DECIMAL[unit] // BINARY[reserve.unit]
    return None


RULE = Rule(
    code="BL105",
    name="unit-mixup",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    scope="budget",
    check=check,
    manual=__doc__ or "",
    since="0.1.0",
    fix="advice",
    aliases=("unit-gib-gb-mixup", "device-marketing-capacity"),
    harm=11.0,
)
