"""What stands at a key of a foreign file, as the settings that a statement of the budget with the same value would give."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.base.record import replace
from budgetlint.catalog.optimizer import Optimizer
from budgetlint.catalog.optimizers import find_optimizer
from budgetlint.language.check import Checked, Given
from budgetlint.language.problems import Problems
from budgetlint.language.read_slots import slot_of, spelled
from budgetlint.language.settings_of import as_said
from budgetlint.language.slots import Slot
from budgetlint.language.statements import setting_owners
from budgetlint.language.tree import Statement, Value
from budgetlint.language.values import Wrong, convert
from budgetlint.settings.run import Origin, Setting
from budgetlint.settings.vocabulary import SETTINGS, least_of


def settings_from(name: str, values: Sequence[Value], origin: Origin, *, listed: bool = False) -> list[Setting] | Wrong:
    """The settings of one key, all from ``origin``; ``listed``: the file has a list there. A name that no catalog knows is taken as it
    is: the run then says what it lacks."""
    slot = slot_of(name)
    assert slot is not None, name
    if listed and not slot.many:
        return Wrong("BL003", f"a list stands where {slot.shown} belongs ({name})", f"write {slot.shown}")
    given = _given(name, values, slot)
    if isinstance(given, Wrong):
        return given
    text = ", ".join(value.text for value in values)
    return [replace(setting, origin=origin, text=text) for setting in _said(name, given, origin)]


def _given(name: str, values: Sequence[Value], slot: Slot) -> Given | Wrong:
    items: list[Given] = []
    for value in values:
        typed = convert(replace(value, text=spelled(value.text, slot)), replace(slot, name=name))
        typed = _bounded(slot, typed)
        if isinstance(typed, Wrong):
            return typed
        items.append(Given(slot, typed, value.text, value.span))
    if not items:
        return Wrong("BL006", f"an empty list says nothing ({name})", f"write {slot.shown}")
    if not slot.many:
        return items[0]
    return replace(items[0], value=tuple(item.value for item in items), items=tuple(items))


def _bounded(slot: Slot, typed: object) -> object:
    """Whole numbers of the vocabulary have their own least."""
    if slot.kind != "whole" or not isinstance(typed, int) or slot.setting not in SETTINGS or typed >= least_of(slot.setting):
        return typed
    return Wrong("BL003", f"'{typed}' is less than {least_of(slot.setting)} ({slot.setting})", "write more, or leave it out")


def _said(name: str, given: Given, origin: Origin) -> list[Setting]:
    setting = given.slot.setting
    if setting == "model":
        return [Setting("model", given.value, origin)]
    if setting == "optimizer":
        return optimizer_settings(given.value, origin)
    if name == "adapter" and given.value == "lora":
        return [Setting("adapter", "lora", origin)]
    if name not in setting_owners():
        return [Setting(setting, given.value, origin)]
    source = origin.source
    assert source is not None
    owner = setting_owners()[name][0]
    statement = Statement(owner.keyword, given.span, (), (), None, given.span)
    return as_said(Checked(owner, statement, source), name, given, Problems())


def optimizer_settings(name: str, origin: Origin, text: str = "") -> list[Setting]:
    """An optimizer by any spelling, which may say how its step walks too."""
    found = find_optimizer(name)
    if not isinstance(found, Optimizer):
        return [Setting("optimizer", name, origin, text)]
    named = [Setting("optimizer", found.name, origin, text)]
    if found.impl in SETTINGS["optimizer_impl"].choices:
        named.append(Setting("optimizer_impl", found.impl, origin, text))
    return named
