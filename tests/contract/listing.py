"""What scripts and rules of others depend on, one a line: options of every command, exit codes, fields of every JSON report, and what
`budgetlint.rule` hands out.

``python tests/contract/listing.py`` lists this tree, ``... ROOT`` another one, a worktree of a release; ``last_release.txt``
is the listing of the last release, ``today.txt`` that of this tree.
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

REPORTS = ("check", "estimate", "files", "solve", "rule", "budget", "settings", "run-settings", "why")
HERE = Path(__file__).resolve()


def listing(root: Path) -> list[str]:
    """Every line, sorted. The package of ``root`` must be the one that is imported."""
    return sorted({*_commands(), *_exit_codes(), *(line for name in REPORTS for line in _fields(root, name)), *_rule_door()})


def _commands() -> Iterator[str]:
    from budgetlint.commands.parser import COMMANDS, parser_of

    parser = parser_of(COMMANDS)
    yield from _options("budgetlint", parser)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from _options(f"budgetlint {name}", command)


def _options(command: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        names = " ".join(sorted(action.option_strings)) or str(action.metavar or action.dest)
        choices = f" {{{','.join(map(str, action.choices))}}}" if action.choices else ""
        yield f"option: {command} {names}{choices}"


def _exit_codes() -> Iterator[str]:
    from budgetlint.results import report as outcome

    for name, said in (("CLEAN", "nothing found"), ("FINDINGS", "findings at or above --fail-on"), ("MISUSE", "wrong use, or a bug")):
        yield f"exit code: {getattr(outcome, name)} {said}"


def _fields(root: Path, name: str) -> Iterator[str]:
    path = root / "docs" / "schemas" / f"{name}.schema.json"
    if not path.exists():  # a release before it
        return
    schema = json.loads(path.read_text(encoding="utf-8"))
    yield from (f"json: {name} {path}" for path in _paths(schema, schema, "$", frozenset()))


def _rule_door() -> Iterator[str]:
    """``rule: written_in(reading, *paths)``; of `Rule`, the contexts and a `Setting` their fields and methods too."""
    import budgetlint.rule as door

    for name in door.__all__:
        found = getattr(door, name)
        yield f"rule: {name}{_parameters(found) if inspect.isfunction(found) else ''}"
        if inspect.isclass(found) and (name == "Setting" or found.__module__.startswith("budgetlint.rules_api.")):
            members = {one: value for base in reversed(found.__mro__[:-1]) for one, value in {**vars(base), **_declared(base)}.items()}
            for one, value in members.items():
                if not one.startswith("_"):
                    yield f"rule: {name}.{one}{_parameters(value) if inspect.isfunction(value) else ''}"


def _declared(found: type) -> dict[str, None]:
    """The fields that a class declares, with or without a default."""
    return dict.fromkeys(vars(found).get("__annotations__", {}))


def _parameters(function: Any) -> str:
    """``(at, *, title, safety)``: names and how they are given, no types; ``=`` behind one that may be left out."""
    parts = []
    for one in inspect.signature(function).parameters.values():
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        if one.kind is one.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
            parts.append("*")
        parts.append(f"{star}{one.name}{'' if one.default is one.empty else '='}")
    return f"({', '.join(part for part in parts if part != 'self')})"


def _paths(node: Mapping[str, Any], whole: Mapping[str, Any], path: str, seen: frozenset[str]) -> Iterator[str]:
    """``$.runs[].verdict = fits|tight|…`` for each field; a definition inside of itself is told once."""
    target = node.get("$ref", "")
    if target:
        if target in seen:
            return
        found = whole
        for part in target.removeprefix("#/").split("/"):
            found = found[part]
        yield from _paths(found, whole, path, seen | {target})
    if "enum" in node:
        yield f"{path} = {'|'.join('null' if value is None else str(value) for value in node['enum'])}"
    for part in (*node.get("allOf", ()), *node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _paths(part, whole, path, seen)
    for name, inner in node.get("properties", {}).items():
        yield f"{path}.{name}"
        yield from _paths(inner, whole, f"{path}.{name}", seen)
    if isinstance(node.get("items"), dict):
        yield from _paths(node["items"], whole, f"{path}[]", seen)
    if isinstance(node.get("additionalProperties"), dict):
        yield from _paths(node["additionalProperties"], whole, f"{path}.*", seen)


def main(root: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for package, where in (("budgetlint", "budgetlint"), ("budgetlint_rules", "rules"), ("budgetlint_grammar", "grammar")):
            (Path(folder) / package).symlink_to(root / where)
        sys.path.insert(0, folder)
        print("\n".join(listing(root)))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE.parents[2])
