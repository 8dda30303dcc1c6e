"""The committed tables beside the real classes: configs made at random, asked of both.

    cd benchmarks && python -m contracts.beside trl ENV --configs 2000 --seed 7 --public FOLDER

A config is the contract's base with one to four fields changed to values of their types, to constants that conditions compare them with,
or to what lies beside; with ``--public`` every second one is a public config of that folder, with up to three changes. Printed for each
contract: how many the real class refused, how many of those are told (by a row that holds in that release), how many that it took are
called an error; then, by the line that refused, what was missed, and by row, what was false. ``--keep`` puts the figures into
`measured.json`; ``python -m contracts.beside_page`` makes the page of them.

A refusal is an exception that a package's own code raises on purpose. Counted apart is what Python raises on the way (``None < 1``) and
what this machine lacks: a package, a file, a token, the network, processes and devices.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from budgetlint.contracts.held import HeldRun
from budgetlint.contracts.table import Contract as Table
from budgetlint.contracts.table import find
from budgetlint.settings.run import Setting, Stack

from .__main__ import PREPARE, installed
from .certify import ask, base_of
from .code import Release
from .every import EVERY
from .generated import configs, public_configs
from .read import Found, read
from .sources import Contract, Source
from .stacks import ORIGIN, stack_of

MEASURED = Path(__file__).with_name("measured.json")
ON_THE_WAY = ("TypeError", "AttributeError", "KeyError", "IndexError", "ZeroDivisionError", "NameError", "ImportError", "OSError")
"""Not raised on purpose: a value of a kind that the code does not expect."""
LACKING = (
    "ModuleNotFoundError",
    "FileNotFoundError",
    "PackageNotFoundError",
    "LocalTokenNotFoundError",
    "OfflineModeIsEnabled",
    "LocalEntryNotFoundError",
    "ConnectionError",
)
"""What this machine lacks: a package, a file, a token, the network."""
MOST_LINES = 12


def told(table: Table, stack: Stack, given: Mapping[str, Any], world: int = 1) -> list[str]:
    """The rows that hold of a config, as ``file:line``."""
    settings = {name: Setting(name, value, ORIGIN, str(value)) for name, value in given.items()}
    held = HeldRun(table, settings.get, stack, True, {"world_size": world})
    return [refusal.source for refusal in held.refusals(tuple(given)) if not refusal.row.warns and not refusal.others]


def compare(source: Source, environment: Path, count: int, seed: int, public: Path | None, only: str = "") -> Iterator[dict[str, Any]]:
    """The figures of each contract that the release has and the table tells."""
    site = next(environment.glob("lib/python*/site-packages"))
    version = installed(site, source.distribution or source.package)
    code, stack = Release(site, {source.package: version}), stack_of(site)
    prepare = PREPARE / f"{source.prepare or source.package}.py"
    for contract in source.contracts:
        table = find(f"{source.package}.{contract.name}") if only in ("", contract.name) else None
        found = None if table is None else read(code, contract)
        if found is None or table is None or not found.fields:
            continue
        files = [] if public is None else public_configs(found, public)
        made = configs(found, count, seed, files)
        answers = _answers(contract, found, made, environment, prepare)
        figures = {"package": source.package, "contract": contract.name, "version": version, "seed": seed, "public": len(files)}
        yield figures | compared(found, table, stack, made, answers)


def _answers(contract: Contract, found: Found, made: Sequence[Mapping[str, Any]], environment: Path, prepare: Path) -> list[Any]:
    asked = [{"kind": contract.kind, "class": contract.made, "given": {**base_of(found), **one}} for one in made]
    return ask(environment / "bin" / "python", asked, prepare=prepare if prepare.exists() else None)


def compared(
    found: Found, table: Table, stack: Stack, made: Sequence[Mapping[str, Any]], answers: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """What the real class said of each config beside what the table says of it."""
    said = [told(table, stack, {**base_of(found), **one}) for one in made]
    refused = [number for number, answer in enumerate(answers) if on_purpose(answer)]
    taken = [number for number, answer in enumerate(answers) if "ok" in answer]
    silent = [number for number in refused if not said[number]]
    wrong = [number for number in taken if said[number]]
    return {
        "configs": len(made),
        "refused": len(refused),
        "told": len(refused) - len(silent),
        "taken": len(taken),
        "false": len(wrong),
        "apart": len(made) - len(refused) - len(taken),
        "missed by line": dict(Counter(where(answers[number]) for number in silent).most_common(MOST_LINES)),
        "false by row": dict(Counter(said[number][0] for number in wrong).most_common(MOST_LINES)),
        "examples": [made[number] for number in (wrong or silent)[:3]],
    }


def on_purpose(answer: Mapping[str, Any]) -> bool:
    if "error" not in answer or answer["error"] in (*ON_THE_WAY, *LACKING) or not answer["frames"]:
        return False
    return "site-packages/torch/" not in str(answer["frames"][-1][0])


def where(answer: Mapping[str, Any]) -> str:
    file, line = answer["frames"][-1] if answer["frames"] else ("?", 0)
    said = " ".join(str(answer["text"]).split())[:70]
    return f"{str(file).rpartition('site-packages/')[2]}:{line} {answer['error']} {said!r}"


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def keep(figures: Mapping[str, Any], path: Path = MEASURED) -> None:
    """Puts the figures of one contract in one release in the place of older ones."""
    rows = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    key = ("package", "contract", "version")
    kept = [one for one in rows if any(one[name] != figures[name] for name in key)]
    lines: Counter[str] = Counter()
    for line, times in figures["missed by line"].items():
        lines[" ".join(line.split()[:2])] += times  # the place and the class, without the framework's sentence
    kept.append({**{name: value for name, value in figures.items() if name != "examples"}, "missed by line": dict(lines.most_common())})
    kept.sort(key=lambda one: [str(one[name]) for name in key])
    path.write_text("[\n" + ",\n".join(json.dumps(one) for one in kept) + "\n]\n", encoding="utf-8")


def _print(one: Mapping[str, Any]) -> None:
    print(
        f"{one['contract']} {one['version']}: {one['configs']} configs ({one['public']} public files), {one['refused']} refused, "
        f"{one['told']} told ({share(one['told'], one['refused'])}), {one['false']} of {one['taken']} taken called an error "
        f"({share(one['false'], one['taken'])}), {one['apart']} ended by what the machine lacks or on the way"
    )
    if one["examples"]:
        print(f"  such as {one['examples']}")
    for kind in ("missed by line", "false by row"):
        for line, times in one[kind].items():
            print(f"  {kind.split()[0]:6} {times:4} {line}")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m contracts.beside", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("package", choices=sorted(EVERY))
    parser.add_argument("environment", type=Path)
    parser.add_argument("--configs", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--public", type=Path, help="a folder of public configs")
    parser.add_argument("--contract", default="", help="this one alone")
    parser.add_argument("--keep", action="store_true", help="put the figures into measured.json")
    asked = parser.parse_args(words)
    for figures in compare(EVERY[asked.package], asked.environment, asked.configs, asked.seed, asked.public, asked.contract):
        _print(figures)
        if asked.keep:
            keep(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
