"""``docs/refusals/``: what each release of a framework refuses and warns of, as the committed contracts have it.

``python -m budgetlint.report.refusal_docs`` writes the folder again; a test fails while it differs from the tables.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from budgetlint.contracts.names import OPAQUE
from budgetlint.contracts.table import Contract, RefusalRow, package, packages
from budgetlint.contracts.words import choices, clauses, listed

MADE = "<!-- made by python -m budgetlint.report.refusal_docs -->"
LONGEST = 300
"""Characters of a condition in a table."""


def pages() -> Iterator[tuple[str, str]]:
    """File name and text of every page, the index first."""
    names = packages()
    yield "README.md", _index(names)
    yield from ((f"{name}.md", _page(name)) for name in names)


def _index(names: tuple[str, ...]) -> str:
    lines = [
        MADE,
        "",
        "# What frameworks refuse",
        "",
        "Conditions over the fields of argument classes that end in an exception or a warning, read from the code of each release and",
        "tried on the real class: it refused a config that the condition picks, and took one beside it.",
        "[framework-refuses](../rules/framework-refuses.md) tells them. What a class asks of the machine, the model or the data is not",
        "here: it cannot be decided from a config. [Beside the real classes](../refusals-beside.md): how much of what they refuse is told.",
        "",
        "| framework | releases read | classes | refusals | warnings |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in names:
        contracts = package(name).values()
        rows = [row for one in contracts for row in one.rows]
        warned = sum(row.warns for row in rows)
        releases = ", ".join(next(iter(contracts)).releases)
        lines.append(f"| [{name}]({name}.md) | {releases} | {len(contracts)} | {len(rows) - warned} | {warned} |")
    return "\n".join(lines) + "\n"


def _page(name: str) -> str:
    lines = [MADE, "", f"# What {name} refuses", ""]
    for contract in package(name).values():
        if contract.rows:
            lines += _section(contract)
    return "\n".join(lines)


def _section(contract: Contract) -> Iterator[str]:
    yield f"## {contract.name}"
    yield ""
    if contract.above:
        yield f"Beside what `{contract.above}` refuses."
        yield ""
    yield "| where | ends in | releases | source |"
    yield "| --- | --- | --- | --- |"
    for row in contract.rows:
        yield f"| {_said(row)} | {'a warning' if row.warns else 'an error'} | {_releases(contract, row)} | {_source(contract, row)} |"
    yield ""


def _said(row: RefusalRow) -> str:
    """In words, where there are words for it; else the condition itself."""
    taken = choices(row.tree)
    if taken and len(row.fields) == 1:
        return f"{row.fields[0]} is none of {listed(taken, most=40)}".replace("|", "\\|")
    said = " and ".join(clauses(row.tree)) or f"`{_text(row)}`"
    return said.replace("|", "\\|")


def _text(row: RefusalRow) -> str:
    text = row.when.replace(OPAQUE, "…")
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"


def _releases(contract: Contract, row: RefusalRow) -> str:
    """``since 5.0.0``, ``until 4.57.6``, ``all``, or the releases themselves."""
    numbers, last = sorted(row.at), len(contract.releases) - 1
    if numbers == list(range(last + 1)):
        return "all"
    if numbers == list(range(numbers[0], last + 1)):
        return f"since {contract.releases[numbers[0]]}"
    if numbers == list(range(numbers[-1] + 1)):
        return f"until {contract.releases[numbers[-1]]}"
    return ", ".join(contract.releases[number] for number in numbers)


def _source(contract: Contract, row: RefusalRow) -> str:
    newest = max(row.at)
    return f"`{row.at[newest]}` ({contract.releases[newest]})"


def main(folder: Path) -> None:
    """Writes the pages, and takes away those of packages that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    made = dict(pages())
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/refusals"))
