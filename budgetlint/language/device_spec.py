"""The ``device`` statement: how many of which card, or of what size; every other way to say it is answered with ours."""

from __future__ import annotations

import re

from budgetlint.base.expression import expression
from budgetlint.base.numerals import is_digits
from budgetlint.base.record import record, replace
from budgetlint.base.source import Span
from budgetlint.base.units import Amount
from budgetlint.catalog.device import Device
from budgetlint.catalog.devices import find_device, usable
from budgetlint.catalog.machines import CloudMachine, find_machine, said
from budgetlint.catalog.names import NoMatch
from budgetlint.language.budget import DeviceSpec
from budgetlint.language.check import Checked
from budgetlint.language.problems import Problems
from budgetlint.language.slots import Slot
from budgetlint.language.tree import ListValue, Value
from budgetlint.language.values import Wrong, to_amount, unitless
from budgetlint.settings.run import Origin, OriginKind

MAX_COUNT = 10**6
_LONGEST_NAME = 100

_COUNT = expression(r"([0-9]{1,9})x")
_GLUED_COUNT = expression(r"([0-9]{1,6})[xX*]([A-Za-z0-9].*)")
_COUNT_AFTER = expression(r"(.+?)(?::|[ ]+|[xX*])[xX*]?([0-9]{1,6})[xX]?")
_SLOT = Slot("device", "amount")


@record
class _Named:
    """The one value that names the card: its text, whether it is written as a number or an amount, and its span."""

    text: str
    kind: str
    span: Span


def device_spec(checked: Checked, problems: Problems) -> DeviceSpec | None:
    """The card of a checked ``device`` statement, or None after saying what is wrong with it."""
    found = _read([given.value for given in checked.values])
    if isinstance(found, _Refused):
        wrong = found.wrong
        problems.add(wrong.code, checked.source, found.span, wrong.message, wrong.help, key="device", write=wrong.write)
        return None
    count, named, card = found
    origin = Origin(OriginKind.BUDGET, checked.source, named.span, "device", key_span=checked.statement.keyword_span)
    if isinstance(card, Amount):
        spec = DeviceSpec(None, count, card.bytes, card.bytes, card.bytes, named.text, origin, card.unit)
    else:
        low, high, _ = usable(card, checked.option("ecc"))
        spec = DeviceSpec(card, count, card.nominal_bytes, low, high, named.text, origin)
    stated = checked.option("usable") or checked.option("working_set")
    return replace(spec, usable_low=stated.bytes, usable_high=stated.bytes) if stated else spec


@record
class _Refused:
    wrong: Wrong
    span: Span


def _read(values: list[Value | ListValue]) -> tuple[int | None, _Named, Device | Amount] | _Refused:
    words = [value for value in values if isinstance(value, Value)]
    for value in values:
        if isinstance(value, ListValue):
            return _Refused(Wrong("BL003", "a list stands where a card belongs", "one card, or a target for each"), value.span)
    count, named = _count_and_name(words)
    if named is None:
        return _Refused(Wrong("BL006", "'device' names no card", "write device 8x h100-80gb"), words[-1].span)
    if count is not None and not 1 <= count <= MAX_COUNT:
        return _Refused(Wrong("BL003", f"'{words[0].text}' is no number of cards", "write 8x"), words[0].span)
    found = _found(named)
    machine = find_machine(named.text) if isinstance(found, Wrong) else None
    if machine is not None:
        return _cards_of(machine, count, named)
    return _Refused(found, named.span) if isinstance(found, Wrong) else (count, named, found)


def _count_and_name(words: list[Value]) -> tuple[int | None, _Named | None]:
    count = None
    rest = words
    match = _COUNT.fullmatch(words[0].text) if words[0].kind == "quantity" else None
    if match:
        count, rest = int(match[1]), words[1:]
    if not rest:
        return count, None
    text = " ".join(word.content for word in rest)
    kind = rest[0].kind if len(rest) == 1 else "words"
    return count, _Named(text, kind, Span(rest[0].span.start, rest[-1].span.end))


def _found(named: _Named) -> Device | Amount | Wrong:
    """The catalog before the units: ``2080ti`` is a card."""
    if len(named.text) > _LONGEST_NAME:
        return Wrong("BL010", f"'{named.text[:40]}...' is no card that is known", "'budgetlint devices' lists them")
    card = find_device(named.text)
    if named.kind == "words":
        return _several_words(named, card)
    if isinstance(card, Device):
        return card if named.kind != "number" else _number(named, NoMatch(named.text, suggestions=(card.name,)))
    if named.kind == "number":
        return _number(named, card)
    glued = _other_ways(named.text)
    if glued is not None:
        return glued
    if not card.candidates and named.kind in ("quantity", "string") and is_digits(named.text[:1]):
        return to_amount(Value("quantity", named.text, named.span), _SLOT)
    return _no_card(named.text, card)


_ELSEWHERE = expression(r"(?i:(?:cloud[ -]?)?tpu.*|v[2-6](?:e|p|litepod)(?:-[0-9]+)?|(?:ml\.)?(?:trn|inf)[0-9].*|trainium.*|inferentia.*)")
"""What computes through XLA or Neuron: no formula here is of their compilers."""


def _no_card(text: str, card: NoMatch) -> Wrong:
    if card.candidates:
        return Wrong("BL010", f"'{text}' names more than one card", f"write {_either(card.candidates)}")
    if _ELSEWHERE.fullmatch(text):
        return Wrong(
            "BL010", f"'{text}' computes through XLA or Neuron: NOT MODELLED", "a size such as 32GiB is judged as a GPU of that size"
        )
    near = f"did you mean {_either(card.suggestions)}? " if card.suggestions else ""
    return Wrong("BL010", f"'{text}' is no card that is known", f"{near}'budgetlint devices' lists them; a size such as 80GiB works too")


def _number(named: _Named, card: Device | NoMatch) -> Wrong:
    if isinstance(card, NoMatch) and card.suggestions:
        help = f"write the whole name: {_either(card.suggestions)}"
        return Wrong("BL010", f"'{named.text}' is a number, not a card", help, card.suggestions[0])
    return unitless(named.text, "device")


def _cards_of(machine: CloudMachine, count: int | None, named: _Named) -> tuple[int | None, _Named, Device | Amount] | _Refused:
    """``p4d.24xlarge`` is 8x a100-40gb; several of it are told as cards, for a count stands for cards."""
    ways = said(machine.ways, count or 1)
    if len(ways) > 1:
        return _Refused(Wrong("BL010", f"'{named.text}' is a machine of more than one kind", f"write {_either(ways)}"), named.span)
    (cards, name), card = machine.ways[0], find_device(machine.ways[0][1])
    assert isinstance(card, Device)
    if count is not None:
        each = f"{cards} cards" if cards > 1 else "one card"
        return _Refused(Wrong("BL003", f"'{named.text}' is a machine of {each}, not a card", f"write {ways[0]}", ways[0]), named.span)
    return cards, _Named(name, "word", named.span), card


_SIZED = expression(r"([a-z][a-z0-9-]*) ([0-9]{1,4})(?:GiB|GB)")


def _with_size(text: str) -> Device | None:
    """``m3-max 64GiB``: a chip and the size of the memory that it shares with the machine."""
    match = _SIZED.fullmatch(text)
    card = find_device(f"{match[1]}-{match[2]}gb") if match else None
    return card if isinstance(card, Device) and card.unified else None


def _several_words(named: _Named, card: Device | NoMatch) -> Device | Wrong:
    sized = _with_size(named.text)
    if sized is not None:
        return sized
    if isinstance(card, Device):
        return Wrong("BL006", "a name with blanks must be quoted", f'write "{named.text}" or {card.name}', card.name)
    return _other_ways(named.text) or Wrong(
        "BL006", f"'{named.text}' is more than one value", f"one card: {_no_card(named.text, card).help}"
    )


def _other_ways(text: str) -> Wrong | None:
    """``8xH100``, ``H100 x8``, ``H100:8``, ``8 h100``: known from SkyPilot, dstack and Slurm."""
    for pattern, count_at, name_at in ((_GLUED_COUNT, 1, 2), (_COUNT_AFTER, 2, 1), (re.compile(r"([0-9]{1,6})[ ]+(.+)"), 1, 2)):
        match = pattern.fullmatch(text)
        if match is None:
            continue
        card = find_device(match[name_at])
        if isinstance(card, Device):
            likely = f"{match[count_at]}x {card.name}"
            return Wrong("BL003", f"'{text}' is not how cards are counted", f"write {likely}", likely)
        if card.candidates:
            ways = [f"{match[count_at]}x {name}" for name in card.candidates]
            return Wrong("BL010", f"'{match[name_at]}' names more than one card", f"write {_either(ways)}")
    return None


def _either(names: list[str] | tuple[str, ...]) -> str:
    return " or ".join(names[:4])
