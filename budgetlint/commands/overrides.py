"""``--set KEY=VALUE``: a setting of every run, given on the command line, stronger than every file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from budgetlint.base import numerals
from budgetlint.base.numerals import LARGEST
from budgetlint.base.suggest import did_you_mean
from budgetlint.catalog.names import NoMatch
from budgetlint.commands.misuse import Misuse
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings
from budgetlint.settings.vocabulary import SETTINGS, SettingSpec, least_of


def overrides(texts: Iterable[str]) -> Settings:
    """The settings of every ``--set``; what cannot be one is a `Misuse`."""
    return Settings(map(_override, texts))


def _override(text: str) -> Setting:
    name, equals, value = text.partition("=")
    if not equals:
        raise Misuse(f"--set {text}: write KEY=VALUE, for instance micro_batch=2")
    spec = SETTINGS.get(name)
    if spec is None:
        raise Misuse(f"--set {text}: unknown setting '{name}'{did_you_mean(name, SETTINGS)}")
    return Setting(name, typed(spec, value), Origin(OriginKind.COMMAND_LINE, note=f"--set {name}"), value)


def typed(spec: SettingSpec, value: str) -> object:
    """The value of a setting written on the command line."""
    try:
        return _KINDS.get(spec.kind, _word)(spec, value)
    except ValueError as wrong:
        raise Misuse(f"--set {spec.name}={value}: {wrong}") from None


def _whole(spec: SettingSpec, value: str) -> int:
    least = least_of(spec.name)
    number = numerals.whole(value)
    if number is None or not least <= number <= LARGEST:
        raise ValueError(f"{spec.name} is a number, whole and at least {least}")
    return number


def _real(spec: SettingSpec, value: str) -> float:
    number = numerals.real(value)
    if number is None:
        raise ValueError(f"{spec.name} is a number")
    return number


def _switch(_spec: SettingSpec, value: str) -> bool:
    if value.lower() not in ("on", "off", "true", "false"):
        raise ValueError("write on or off")
    return value.lower() in ("on", "true")


def _list(_spec: SettingSpec, value: str) -> tuple[str, ...]:
    return tuple(word for word in value.split(",") if word)


def _word(spec: SettingSpec, value: str) -> str:
    if spec.choices and value not in spec.choices:
        raise ValueError(f"{spec.name} is one of {', '.join(spec.choices)}")
    if spec.name == "optimizer":
        return _optimizer(value)
    if spec.name == "model":
        _model(value)
    return value


def _optimizer(value: str) -> str:
    from budgetlint.catalog.optimizers import find_optimizer

    found = find_optimizer(value)
    if isinstance(found, NoMatch):
        raise ValueError(_unknown("optimizer", found))
    return found.name


def _model(value: str) -> None:
    """Hub ids and paths are taken as they are: a run whose model is not known gets no verdict."""
    from budgetlint.catalog.models import find_model

    found = find_model(value)
    if isinstance(found, NoMatch) and "/" not in value and not value.endswith(".json"):
        raise ValueError(_unknown("model", found))


def _unknown(what: str, found: NoMatch) -> str:
    near = (found.candidates or found.suggestions)[:3]
    return f"no {what} has this name" + (f"; did you mean {' or '.join(near)}?" if near else f"; `budgetlint {what}s` lists them")


_KINDS: Mapping[str, Callable[[SettingSpec, str], object]] = {"int": _whole, "float": _real, "bool": _switch, "list": _list}
