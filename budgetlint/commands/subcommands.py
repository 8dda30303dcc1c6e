"""What can be completed, read off the parser: for each command its options, and the words that they take."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping

from budgetlint.base.record import record
from budgetlint.commands.parser import COMMANDS, parser_of


@record
class Argument:
    """``names`` are its spellings, none for a positional. ``values``: the words it takes, none where a file or any text goes;
    ``takes``: the name of its value, empty for a switch."""

    names: tuple[str, ...]
    takes: str
    values: tuple[str, ...]
    help: str


@record
class Subcommand:
    name: str
    help: str
    options: tuple[Argument, ...]

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(name for option in self.options for name in option.names)

    @property
    def words(self) -> tuple[str, ...]:
        """What its first positional takes."""
        return next((option.values for option in self.options if not option.names), ())


def commands_of() -> tuple[Subcommand, ...]:
    parser = parser_of(COMMANDS)
    made = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    helps = {choice.dest: choice.help or "" for choice in made._choices_actions}
    return tuple(Subcommand(name, helps[name], tuple(_options(name, child))) for name, child in made.choices.items())


def _options(command: str, parser: argparse.ArgumentParser) -> Iterator[Argument]:
    for action in parser._actions:
        takes = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
        values = tuple(map(str, action.choices)) if action.choices else _named(command, action)
        yield Argument(tuple(action.option_strings), takes, values, action.help or "")


def _named(command: str, action: argparse.Action) -> tuple[str, ...]:
    key = action.option_strings[-1] if action.option_strings else command
    return _NAMES[key]() if key in _NAMES and action.nargs != 0 and (action.option_strings or action.metavar == "NAME") else ()


def _rules() -> tuple[str, ...]:
    from budgetlint.engine.registry import installed

    return tuple(rule.name for rule in installed().all)


def _devices() -> tuple[str, ...]:
    from budgetlint.catalog.devices import all_devices

    return tuple(device.name for device in all_devices())


def _models() -> tuple[str, ...]:
    from budgetlint.catalog.models import all_models

    return tuple(model.name for model in all_models())


def _optimizers() -> tuple[str, ...]:
    from budgetlint.catalog.optimizers import all_optimizers

    return tuple(optimizer.name for optimizer in all_optimizers())


def _formats() -> tuple[str, ...]:
    from budgetlint.report import CHECK_FORMATS

    return tuple(CHECK_FORMATS)


def _settings() -> tuple[str, ...]:
    from budgetlint.settings.vocabulary import SETTINGS

    return tuple(SETTINGS)


_NAMES: Mapping[str, Callable[[], tuple[str, ...]]] = {
    "rule": _rules,
    "--select": _rules,
    "--ignore": _rules,
    "devices": _devices,
    "--device": _devices,
    "models": _models,
    "optimizers": _optimizers,
    "--format": _formats,
    "--why": _settings,
}
"""Options (and commands, for what stands behind them) that take names of the catalog or the registry."""
