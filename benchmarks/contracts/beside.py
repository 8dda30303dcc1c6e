"""The committed tables beside the real classes: configs made at random, asked of both.

    cd benchmarks && python -m contracts.beside trl ENV --configs 2000 --seed 7

A config is the contract's base with one to four fields changed to values of their types, to constants that conditions compare them with,
or to what lies beside. Printed for each contract: how many the real class refused, how many of those are told (by a row that holds in
that release), how many that it took are called an error; then, by the line that refused, what was missed, and by row, what was false.
A refusal is an exception that the packages' own code raises on purpose; one that Python raises on the way (``None < 1``) is counted apart.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from budgetlint.contracts.held import HeldRun
from budgetlint.contracts.names import fields_of
from budgetlint.contracts.table import Contract as Table
from budgetlint.contracts.table import find
from budgetlint.settings.run import Origin, OriginKind, Setting, Stack, release

from .__main__ import PREPARE, installed
from .certify import ask, base_of
from .code import Release
from .every import EVERY
from .fields import field_of
from .read import Found, read
from .sources import Source
from .witness import candidates

ORIGIN = Origin(OriginKind.FILE)
ON_THE_WAY = ("TypeError", "AttributeError", "KeyError", "IndexError", "ZeroDivisionError", "NameError", "ImportError", "OSError")
"""Not raised on purpose: a value of a kind that the code does not expect."""
LACKING = ("ModuleNotFoundError", "FileNotFoundError", "PackageNotFoundError")
"""What this machine lacks: a package, a file; and what torch says without processes and devices."""


def configs(found: Found, count: int, seed: int) -> list[dict[str, Any]]:
    """Changes to the base, drawn from fields and the values that conditions know of them."""
    draw = random.Random(seed)
    values: dict[str, list[Any]] = {}
    for row, _ in found.rows:
        for name in {field_of(one, found.fields) for one in _names(row.when)}:
            values.setdefault(name, []).extend(candidates(name, row.when, found.fields.get(name)))
    watched = sorted(name for name in values if name in found.fields)
    every = sorted(found.fields)
    made: list[dict[str, Any]] = []
    while len(made) < count:
        given: dict[str, Any] = {}
        for _ in range(draw.randint(1, 4)):
            name = draw.choice(watched if draw.random() < 0.7 and watched else every)
            known = values.get(name) or _plausible(found.fields[name].type)
            value = draw.choice(known)
            if _fits(value, found.fields[name].type):
                given[name] = value
        if given:
            made.append(given)
    return made


def _names(tree: Any) -> Sequence[str]:
    return fields_of(tree)


def _plausible(written: str) -> list[Any]:
    found: list[Any] = []
    if "bool" in written:
        found += [True, False]
    if "int" in written:
        found += [0, 1, 4, 100]
    if "float" in written:
        found += [0.0, 0.1, 1.0]
    if "str" in written:
        found += ["a"]
    return found or [None]


def _fits(value: Any, written: str) -> bool:
    """Is the value of the field's kind? A config of another kind is the loader's matter."""
    if not written:
        return True
    if value is None:
        return "None" in written or "Optional" in written
    if written.startswith("list"):
        return isinstance(value, list)
    if isinstance(value, bool):
        return "bool" in written
    if isinstance(value, (int, float)):
        return "float" in written or ("int" in written and isinstance(value, int))
    if isinstance(value, str):
        return "str" in written or "Literal" in written or "Strategy" in written or "Type" in written
    return (isinstance(value, dict) and "dict" in written) or (isinstance(value, list) and "list" in written.lower())


def told(table: Table, version: str, given: Mapping[str, Any], world: int = 1) -> list[str]:
    """The rows that hold of a config, as ``file:line``."""
    settings = {name: Setting(name, value, ORIGIN, str(value)) for name, value in given.items() if True}
    known = {table.package: version}
    found = {name: made for name, one in known.items() for made in [release(name, one, ORIGIN)] if made is not None}
    held = HeldRun(table, settings.get, Stack(found), True, {"world_size": world})
    return [refusal.source for refusal in held.refusals(tuple(given)) if not refusal.row.warns and not refusal.others]


def compare(source: Source, environment: Path, count: int, seed: int) -> int:
    site = next(environment.glob("lib/python*/site-packages"))
    version = installed(site, source.distribution or source.package)
    code = Release(site, {source.package: version})
    prepare = PREPARE / f"{source.prepare or source.package}.py"
    worst = 0
    for contract in source.contracts:
        found, table = read(code, contract), find(f"{source.package}.{contract.name}")
        if found is None or table is None:
            continue
        made = configs(found, count, seed)
        asked = [{"kind": contract.kind, "class": contract.made, "given": {**base_of(found), **one}} for one in made]
        answers = ask(environment / "bin" / "python", asked, prepare=prepare if prepare.exists() else None)
        refused = [(one, answer) for one, answer in zip(made, answers, strict=True) if _on_purpose(answer)]
        crashed = sum("error" in answer and not _on_purpose(answer) for answer in answers)
        taken = [one for one, answer in zip(made, answers, strict=True) if "ok" in answer]
        missed = Counter(_where(answer) for one, answer in refused if not told(table, version, {**base_of(found), **one}))
        false = Counter(row for one in taken for row in told(table, version, {**base_of(found), **one})[:1])
        hit = len(refused) - missed.total()
        print(
            f"{contract.name} {version}: {len(made)} configs, {len(refused)} refused, {hit} told ({_share(hit, len(refused))}), "
            f"{false.total()} of {len(taken)} taken called an error ({_share(false.total(), len(taken))}), {crashed} ended by what the "
            "machine lacks or on the way"
        )
        if words := [one for one, answer in refused if not told(table, version, {**base_of(found), **one})][:3]:
            print(f"  such as {words}")
        for line, times in missed.most_common(12):
            print(f"  missed {times:4} {line}")
        for row, times in false.most_common(12):
            print(f"  false  {times:4} {row}")
        worst = max(worst, missed.total())
    return worst


def _on_purpose(answer: Mapping[str, Any]) -> bool:
    if "error" not in answer or answer["error"] in (*ON_THE_WAY, *LACKING) or not answer["frames"]:
        return False
    return "site-packages/torch/" not in str(answer["frames"][-1][0])


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} %"


def _where(answer: Mapping[str, Any]) -> str:
    file, line = answer["frames"][-1] if answer["frames"] else ("?", 0)
    return f"{str(file).rpartition('site-packages/')[2]}:{line} {answer['error']} {answer['text'][:70]!r}"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m contracts.beside", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("package", choices=sorted(EVERY))
    parser.add_argument("environment", type=Path)
    parser.add_argument("--configs", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(words)
    compare(EVERY[asked.package], asked.environment, asked.configs, asked.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
