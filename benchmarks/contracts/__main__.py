"""Reads one release of a framework, tries its rows on the real classes, and puts what they proved into the committed table.

    python -m venv ENV && ENV/bin/pip install trl==1.16.0 torch
    cd benchmarks && python -m contracts trl ENV

The release is that installed in ENV. Other releases in the table stay as they are. What could not be decided or proved is printed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import write
from .certify import certify
from .code import Release
from .every import EVERY
from .read import read
from .state import row_text

PREPARE = Path(__file__).with_name("prepare")


def installed(site: Path, package: str) -> str:
    """The release of a package in a folder of installed ones."""
    wanted = package.replace("-", "_").lower()
    for one in site.glob("*.dist-info"):
        name, _, version = one.name.removesuffix(".dist-info").rpartition("-")
        if name.replace("-", "_").lower() == wanted:
            return version
    raise SystemExit(f"{package} is not installed in {site}")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m contracts", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("package", choices=sorted(EVERY))
    parser.add_argument("environment", type=Path, help="a virtual environment with the framework in it")
    parser.add_argument("--list", action="store_true", help="print each row that was not proved")
    parser.add_argument("--contract", default="", help="read this one alone again; the others of the release stay as they are")
    asked = parser.parse_args(words)
    source = EVERY[asked.package]
    site = next(asked.environment.glob("lib/python*/site-packages"))
    version = installed(site, source.distribution or source.package)
    release = Release(site, {source.package: version})
    apart = write.load(source.package)
    if not asked.contract:
        apart[version] = {}
    prepare = PREPARE / f"{source.prepare or source.package}.py"
    for contract in [one for one in source.contracts if asked.contract in ("", one.name)]:
        found = read(release, contract)
        if found is None:
            print(f"{contract.name}: not in {source.package} {version}")
            continue
        proved, rest = certify(found, asked.environment / "bin" / "python", prepare=prepare if prepare.exists() else None)
        if found.rows and not proved:
            print(f"{contract.name}: nothing proved, so {version} is not read")
            continue
        apart.setdefault(version, {})[contract.name] = write.table(
            found.fields, proved, contract.above, source.own or (source.package,), contract.lenient
        )
        print(
            f"{contract.name}: {len(found.fields)} fields, {len(found.rows)} rows decided, {len(proved)} proved, "
            f"{len(found.undecided)} undecided"
        )
        if asked.list:
            for row, why in rest:
                print(f"  {why}: {row.path}:{row.line} {row_text(row)[:160]}")
            for row, _ in found.undecided:
                print(f"  undecided: {row.path}:{row.line} {row.kind}")
    if not apart.get(version):
        return 1
    write.save(source.package, apart)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
