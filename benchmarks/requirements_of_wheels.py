"""Writes ``budgetlint/contracts/requires.json``: what releases of a package ask of others, from the METADATA of their wheels.

    pip download --no-deps trl==0.7.11 trl==0.8.1 ... trl==1.16.0
    cd benchmarks && python -m requirements_of_wheels *.whl

A row is the first release of a run of releases that ask for the same. Requirements of extras are nobody's. Nothing is imported.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterable, Mapping
from email.parser import HeaderParser
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

TARGET = Path(__file__).parents[1] / "budgetlint" / "contracts" / "requires.json"
ASKED = ("transformers", "accelerate")


def main(paths: Iterable[str]) -> None:
    found: dict[str, dict[Version, dict[str, str]]] = {}
    for path in paths:
        name, version, asks = of_wheel(Path(path))
        found.setdefault(name, {})[version] = asks
    TARGET.write_text(json.dumps({name: rows(releases) for name, releases in sorted(found.items())}, indent=1) + "\n")


def of_wheel(path: Path) -> tuple[str, Version, dict[str, str]]:
    with zipfile.ZipFile(path) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        data = HeaderParser().parsestr(wheel.read(name).decode())
    asked = [Requirement(text) for text in data.get_all("Requires-Dist", [])]
    mine = {one.name.lower(): str(one.specifier) for one in asked if one.marker is None and one.specifier and one.name.lower() in ASKED}
    return data["Name"].lower(), Version(data["Version"]), dict(sorted(mine.items()))


def rows(releases: Mapping[Version, dict[str, str]]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    last: dict[str, str] | None = None
    for version in sorted(releases):
        if releases[version] != last:
            last = found[str(version)] = releases[version]
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
