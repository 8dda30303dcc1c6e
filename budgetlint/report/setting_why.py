"""``estimate --why SETTING``: the way of one value of each run, its beginning first, and what would settle one that is open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from budgetlint.base.plain_text import ascii_json, one_line
from budgetlint.base.source import Location
from budgetlint.files.wanted import is_readme
from budgetlint.language.statements import setting_owners
from budgetlint.report.settings_view import plain_value, shown_value
from budgetlint.report.style import PLAIN, TerminalStyle
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.program import OriginStep
from budgetlint.settings.run import OriginKind, Setting

_KINDS = {
    OriginKind.FILE: "config", OriginKind.BUDGET: "budget", OriginKind.FLAG: "flag", OriginKind.COMMAND_LINE: "command line",
    OriginKind.READ: "reads of a budget", OriginKind.OUTSIDE: "settings from outside", OriginKind.DEFAULT: "default",
    OriginKind.DERIVED: "derived",
}  # fmt: skip
_MOST_CHOICES = 4


def render(context: RunContext, name: str, style: TerminalStyle = PLAIN) -> str:
    """One run, a line for each step; ends with a line end."""
    return "\n".join(one_line(line) if number else style.ink(line, "bold") for number, line in enumerate(_lines(context, name))) + "\n"


def _lines(context: RunContext, name: str) -> Iterator[str]:
    yield one_line(context.label)
    setting = context.setting(name)
    if setting is None:
        yield f"  {name}: nothing sets it"
    else:
        yield f"  {name} {shown_value(setting)}" + ("" if setting.certainty in ("varies", "unresolved") else f" ({setting.certainty})")
        yield from _table(steps_of(context, setting), "    ")
        for loser, steps in _beaten(context, setting):
            yield f"    overrode {shown_value(loser)}"
            yield from _table(steps, "      ")
    why = _unsettled(context, name, setting)
    if why:
        yield f"    not settled: {why}"
        yield f"    would settle it: {statement(context, name, setting)}"


def _beaten(context: RunContext, setting: Setting) -> Iterator[tuple[Setting, tuple[OriginStep, ...]]]:
    """The values that lost, strongest first, but one that came the same way."""
    seen = [steps_of(context, setting)]
    for loser in setting.overrode:
        steps = steps_of(context, loser)
        if steps not in seen:
            seen.append(steps)
            yield loser, steps


def _table(steps: tuple[OriginStep, ...], indent: str) -> Iterator[str]:
    rows = [(one.kind, f"{one.location.file}:{one.location.line}" if one.location else "", _said(one)) for one in steps]
    kinds, places = (max((len(row[at]) for row in rows), default=0) for at in (0, 1))
    for kind, place, said in rows:
        at = f"{place:<{places}}  " if places else ""
        yield f"{indent}{kind:<{kinds}}  {at}{said}".rstrip()


def _said(one: OriginStep) -> str:
    if not one.text or one.text == one.key:
        return one.key
    return f"{one.key}: {one.text}" if one.kind == "config" and one.key else f"{one.key} {one.text}".strip()


def steps_of(context: RunContext, setting: Setting) -> tuple[OriginStep, ...]:
    """The way of a value: through the program that was followed, else its one place and who reads that."""
    program = context.program
    chain = program.chain(setting.origin.key) if program is not None and setting.origin.key else ()
    beyond = context.model_steps if setting is context.setting("model") else ()
    return (*(chain or _plain(context, setting)), *beyond)


def _plain(context: RunContext, setting: Setting) -> Iterator[OriginStep]:
    origin = setting.origin
    kind, at = _KINDS[origin.kind], origin.location
    if at is None:
        yield OriginStep(kind, origin.note or origin.key)
        return
    reading = next((one for one in context.run.readings if one.document.source is origin.source), None)
    if reading is not None and reading.document.is_command:
        kind = "flag"
    yield OriginStep(kind, origin.key, at, setting.text)
    consumer = reading.consumer if reading is not None and kind != "flag" else None
    if consumer is not None and consumer.line and not consumer.is_nobody:
        yield OriginStep("read by", consumer.program, Location(consumer.file, consumer.line))
    if origin.note:
        yield OriginStep("note", origin.note)


# what is open


def _unsettled(context: RunContext, name: str, setting: Setting | None) -> str:
    """Why a value is not known, or not what it stands for."""
    supposes = context.supposed.supposes if context.supposed is not None and name == "model" else None
    return f"its name suggests {' or '.join(supposes.models)}, and nothing here tells" if supposes is not None else open_why(setting)


def open_why(setting: Setting | None) -> str:
    """Why a value is not known; empty for one that is."""
    if setting is None:
        return "no file, flag, budget or default says it"
    if setting.certainty == "varies":
        return f"it is {' or '.join(map(str, setting.readings))}, and nothing here tells which"
    if setting.certainty != "unresolved":
        return ""
    return _given_by(setting.text.strip("<>")) or setting.origin.note or "the framework fills it in"


_GIVEN = {
    "flag": "flag {}, which no command here gives",
    "field": "key {}, which the config has not",
    "environment": "the environment variable {}, which nothing here sets",
    "word": "{} of the command, which nothing here sets",
}


def _given_by(why: str) -> str:
    """``environment LEN`` in words."""
    kind, _, name = why.partition(" ")
    return _GIVEN[kind].format(name) if kind in _GIVEN and name else why


def statement(context: RunContext, name: str, setting: Setting | None) -> str:
    """The line of a budget that says it, ready to be pasted."""
    supposes = context.supposed.supposes if context.supposed is not None and name == "model" else None
    if supposes is not None:
        return " or ".join(supposes.statements) or supposes.cure
    consumer = context.run.trainer.consumer if context.run.trainer is not None else None
    if consumer is not None and consumer.is_nobody and consumer.settles:
        return consumer.settles
    said = _said_in_language(name, setting)
    if not said:
        return f"--set {name}=VALUE"
    return said if context.budget is not None else f"{_bound(context)}; {said}".removeprefix("; ")


def _bound(context: RunContext) -> str:
    """How a budget names the run: by the file that starts it, or, as commands of a README start nothing, by the config that they name."""
    program = context.program
    started = program.launch.file if program is not None and program.launch is not None else ""
    files = [one for one in (started, context.run.name, *(reading.document.path for reading in context.run.readings)) if one]
    bound = next((file for file in files if "." in file and not is_readme(file)), "")
    return f"config {bound}" if bound else "launch COMMAND" if files else ""


def _said_in_language(name: str, setting: Setting | None) -> str:
    owner = setting_owners().get(name)
    if owner is None:
        return ""
    spec, option = owner
    slot = spec.option(option) if option else spec.values[0]
    if slot is None:
        return ""
    known = setting.readings if setting is not None else ()
    value = _word(known[0]) if known else "|".join(slot.choices) if 0 < len(slot.choices) <= _MOST_CHOICES else slot.name.upper()
    if not option:
        return f"{spec.keyword} {value}"
    first = f" {spec.values[0].name}" if spec.values and spec.values[0].required else ""
    return f"{spec.keyword}{first} {option}={value}"


def _word(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


# as data


def render_json(contexts: Iterable[RunContext], name: str) -> str:
    return ascii_json({"version": 1, "runs": [_run(context, name) for context in contexts]}, indent=2)


def _run(context: RunContext, name: str) -> dict[str, Any]:
    setting, why = context.setting(name), _unsettled(context, name, context.setting(name))
    return {
        "name": context.run.name,
        "target": context.target.name if context.target else None,
        "cell": context.cell or None,
        "setting": name,
        "value": plain_value(setting) if setting is not None else None,
        "certainty": setting.certainty if setting is not None else "unresolved",
        "steps": [_step(one) for one in steps_of(context, setting)] if setting is not None else [],
        "overrode": [
            {"value": plain_value(loser), "steps": [_step(one) for one in steps]}
            for loser, steps in (_beaten(context, setting) if setting is not None else ())
        ],
        "unsettled": {"because": why, "statement": statement(context, name, setting)} if why else None,
    }


def _step(one: OriginStep) -> dict[str, Any]:
    at = one.location
    return {"kind": one.kind, "file": at.file if at else None, "line": at.line if at else None, "key": one.key, "text": one.text}
