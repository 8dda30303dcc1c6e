"""One written value to one typed value, by the kind of its slot; or what is wrong with it and what was likely meant."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from budgetlint.base.expression import expression
from budgetlint.base.numerals import exact
from budgetlint.base.record import record
from budgetlint.base.units import PIB, Amount, NotAnAmount, parse_amount
from budgetlint.language.slots import Slot
from budgetlint.language.suggest import choice_meant
from budgetlint.language.tree import ListValue, Value

if TYPE_CHECKING:
    from fractions import Fraction

MAX_DIGITS = 30
"""Longer figures are no sizes, and Python refuses to convert thousands of digits."""

MAX_COUNT = 10**12

_WHOLE = expression(r"[0-9][0-9_]*")
_THOUSANDS = expression(r"([0-9][0-9_]*)[kK]")
_PRODUCT = expression(r"([0-9]+)[xX]([0-9]+)")
_SECONDS = expression(r"([0-9][0-9_]*(?:\.[0-9]+)?)s")
_PARAMETERS = expression(r"([0-9][0-9_]*(?:\.[0-9]+)?)([BbMm])")


@record
class Wrong:
    """Why a value is refused. ``write`` is the likely text, where there is one."""

    code: str
    message: str
    help: str = ""
    write: str = ""


def convert(value: Value, slot: Slot) -> Any:
    """The typed value (int, float, bool, str, `Amount`, date), or `Wrong`. Percentages become parts per million."""
    if value.kind in ("number", "percent", "quantity") and len(value.text) > MAX_DIGITS:
        return Wrong("BL003", f"a figure of {len(value.text)} digits; expected {slot.shown}", "write a size that a run can have")
    return _CONVERTERS[slot.kind](value, slot)


def _expected(value: Value | ListValue, slot: Slot, help: str = "", write: str = "") -> Wrong:
    shown = "a list" if isinstance(value, ListValue) else f"'{_short(value.text)}'"
    return Wrong("BL003", f"{shown} stands where {slot.shown} belongs ({slot.name})", help or f"write {slot.shown}", write)


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def not_a_list(value: ListValue, slot: Slot) -> Wrong:
    return _expected(value, slot, f"one value, not a list: {slot.shown}")


# -- memory --------------------------------------------------------------------------------------------------------------


def to_amount(value: Value, slot: Slot) -> Amount | Wrong:
    text = value.content
    if value.kind == "number":
        return unitless(text, slot.name)
    if value.kind not in ("quantity", "string", "word") or len(text) > MAX_DIGITS:
        return _expected(value, slot)
    amount = parse_amount(text)
    if isinstance(amount, NotAnAmount):
        return not_an_amount(amount, slot.name)
    if amount.bytes > PIB:
        return Wrong("BL005", f"{text} is more than 1 PiB ({slot.name})", "write an amount that a machine can have")
    return amount


def unitless(text: str, name: str) -> Wrong:
    readings = [reading for unit in ("GiB", "GB") for reading in [_reading(f"{text}{unit}")] if reading]
    return Wrong("BL005", f"'{_short(text)}' has no unit ({name})", " or ".join(readings) or "write an amount such as 32GiB")


def _reading(text: str) -> str:
    amount = parse_amount(text) if len(text) <= MAX_DIGITS else None
    return f"{text} ({amount.bytes:,} bytes)" if isinstance(amount, Amount) else ""


def not_an_amount(amount: NotAnAmount, name: str) -> Wrong:
    return Wrong("BL005", f"{amount.problem} ({name})", " or ".join(amount.readings) or "write an amount such as 32GiB")


def to_share(value: Value, slot: Slot) -> Amount | int | Wrong:
    return to_percent(value, slot) if value.kind == "percent" else to_amount(value, slot)


def _fraction(digits: str) -> Fraction:
    from fractions import Fraction  # 3 ms of a process, and most budgets hold neither shares nor parameters

    return Fraction(digits.replace("_", ""))


def to_percent(value: Value, slot: Slot) -> int | Wrong:
    """Parts per million."""
    if value.kind == "number":
        number = exact(value.text)
        likely = number * 100 if number and 0 < number < 1 else number or 0
        text = f"{float(likely):g}%"
        return _expected(value, slot, f"write it as a percentage: {text}", text) if 0 < likely <= 100 else _expected(value, slot)
    if value.kind != "percent":
        return _expected(value, slot)
    ppm = int(_fraction(value.text[:-1]) * 10**4)
    if ppm > 10**6:
        return Wrong("BL003", f"'{value.text}' is more than the whole ({slot.name})", "write 0% to 100%")
    return ppm


# -- numbers -------------------------------------------------------------------------------------------------------------


def to_count(value: Value, slot: Slot) -> int | Wrong:
    number = to_whole(value, slot)
    if isinstance(number, int) and number < 1:
        return Wrong("BL003", f"'{value.text}' is less than 1 ({slot.name})", "write 1 or more, or leave it out")
    return number


def to_whole(value: Value, slot: Slot) -> int | Wrong:
    if value.kind != "number" or not _WHOLE.fullmatch(value.text):
        help, write = _likely_whole(value)
        return _expected(value, slot, help, write)
    number = int(value.text.replace("_", ""))
    if number > MAX_COUNT:
        return Wrong("BL003", f"{number:,} is more than any run has ({slot.name})", "write the number itself, not bytes")
    return number


def _likely_whole(value: Value) -> tuple[str, str]:
    if thousands := _THOUSANDS.fullmatch(value.text):
        figure = int(thousands[1].replace("_", ""))
        return f"write {figure * 1024} or {figure * 1000}", ""
    if product := _PRODUCT.fullmatch(value.text):
        return f"two figures have two places: {product[1]} accum={product[2]}", ""
    if value.kind == "number":
        number = exact(value.text)
        if number is not None and number.denominator == 1 and 0 <= number <= MAX_COUNT:
            return f"write {int(number)}", str(int(number))
    return "", ""


def to_number(value: Value, slot: Slot) -> float | Wrong:
    if value.kind != "number":
        return _expected(value, slot)
    number = float(value.text.replace("_", ""))
    return number if abs(number) < 1e18 else _expected(value, slot)


def to_duration(value: Value, slot: Slot) -> float | Wrong:
    match = _SECONDS.fullmatch(value.text)
    if match:
        return float(match[1].replace("_", ""))
    return _expected(value, slot, f"write the unit: {value.text}s" if value.kind == "number" else "")


# -- words ---------------------------------------------------------------------------------------------------------------


def to_choice(value: Value, slot: Slot) -> str | Wrong:
    text = value.content
    if text in slot.choices and value.kind != "string":
        return text
    meant = choice_meant(text, slot)
    help = f"did you mean '{meant}'?" if meant else f"write {' or '.join(slot.choices[:4])}"
    return Wrong("BL003", f"'{_short(text)}' is not known to {slot.name}; expected {', '.join(slot.choices)}", help, meant)


def to_switch(value: Value, slot: Slot) -> bool | Wrong:
    if value.text in ("on", "off"):
        return value.text == "on"
    likely = {"true": "on", "yes": "on", "1": "on", "false": "off", "no": "off", "0": "off", "none": "off"}.get(value.text.lower(), "")
    return _expected(value, slot, f"write {likely}" if likely else "write on or off", likely)


def to_name(value: Value, slot: Slot) -> str | Wrong:
    text = value.content
    if re.fullmatch(r"\w[\w.:-]*", text) and len(text) <= 100:
        return text
    return _expected(value, slot, "a name has letters, digits, '_', '-' and '.'")


def to_text(value: Value, slot: Slot) -> str | Wrong:
    return value.content if value.content.strip() else _expected(value, slot, "an empty text says nothing")


def to_date(value: Value, slot: Slot) -> datetime.date | Wrong:
    try:
        return datetime.date.fromisoformat(value.text) if value.kind == "date" else _expected(value, slot, "year-month-day: 2027-01-31")
    except ValueError as error:
        return Wrong("BL003", f"'{value.text}' is no date: {error}", "year-month-day: 2027-01-31")


def to_version(value: Value, slot: Slot) -> str | Wrong:
    if value.kind != "number":
        return to_text(value, slot)
    short = f"{float(value.text.replace('_', '')):g}"
    became = f" ({value.text} would become {short})" if short != value.text else ""
    return Wrong(
        "BL003",
        f"a version is text, {value.text} is a number{became}",
        f'{slot.name.rpartition(".")[2]}="{value.text}"',
        f'"{value.text}"',
    )


def _any(value: Value, _slot: Slot) -> str:
    return value.content


_HASH = expression(r"sha256:[0-9a-f]{8,64}")


def to_hash(value: Value, slot: Slot) -> str | Wrong:
    if value.kind not in ("word", "string") or _HASH.fullmatch(value.content) is None:
        return _expected(value, slot, "leave it out, and let `budgetlint check --fix` write it")
    return value.content


_CONVERTERS: Mapping[str, Callable[[Value, Slot], Any]] = {
    "amount": to_amount, "share": to_share, "percent": to_percent, "count": to_count, "whole": to_whole, "number": to_number,
    "duration": to_duration, "choice": to_choice, "switch": to_switch, "name": to_name, "text": to_text, "path": to_text,
    "date": to_date, "version": to_version, "device": to_text, "model": to_text, "optimizer": to_text, "package": to_text,
    "rule": to_text, "target": to_name, "command": _any, "hash": to_hash, "any": _any,
}  # fmt: skip


def parameter_count(text: str) -> str:
    """``8B`` written where a number of parameters belongs, as that number; empty when it is something else."""
    match = _PARAMETERS.fullmatch(text)
    if match is None or len(text) > MAX_DIGITS:
        return ""
    return f"{int(_fraction(match[1]) * (10**9 if match[2] in 'Bb' else 10**6)):_}"
