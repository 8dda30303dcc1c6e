"""The reference page ``grammar/LANGUAGE.md``: prose written by hand, tables made from the statement table.

``python -m budgetlint.language.reference`` writes the tables of the page again; a test fails where they are out of date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from budgetlint.base.units import BINARY, UNITS
from budgetlint.language.asserts import BYTE_NAMES, COUNT_NAMES
from budgetlint.language.problems import PROBLEMS
from budgetlint.language.slots import FILE, PLACES, RUN, TARGET, Slot, StatementSpec
from budgetlint.language.statements import GROUPS

_PLACE_WORDS = {FILE: "top", TARGET: "target", RUN: "run"}
_SECTION = re.compile(r"(?P<open><!-- made: (?P<name>[a-z]+) -->\n).*?(?P<close><!-- end -->)", re.DOTALL)


def page_path() -> Path:
    return Path(str(resources.files("budgetlint_grammar").joinpath("LANGUAGE.md")))


def renewed(page: str) -> str:
    """The page with every made section written again."""
    return _SECTION.sub(lambda match: f"{match['open']}\n{_MAKERS[match['name']]()}\n\n{match['close']}", page)


def _table(header: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _statements() -> str:
    return "\n\n".join(f"### {title}\n\n" + "\n\n".join(_statement(spec) for spec in rows) for title, rows in GROUPS)


def _statement(spec: StatementSpec) -> str:
    places = " · ".join(_PLACE_WORDS[place] for place in PLACES if place in spec.places)
    often = "; any number of times" if spec.repeatable else ""
    parts = [
        f"#### `{spec.keyword}`",
        f"{spec.meaning[:1].upper()}{spec.meaning[1:]}. *({places}{often})*",
        f"```budget\n{_shown_example(spec)}\n```",
    ]
    slots = [*((slot, slot.name) for slot in spec.values), *((option, f"{option.name}=") for option in spec.options)]
    if slots:
        parts.append(_table(("value", "type", "meaning"), (_slot(slot, name) for slot, name in slots)))
    return "\n\n".join(parts)


def _shown_example(spec: StatementSpec) -> str:
    """The example, with what else it needs to stand alone."""
    return _BEFORE.get(spec.keyword, "") + spec.example


_BEFORE = {"on": "target ci { device t4 }\ntarget cloud { device l4 }\n", "launch": "config configs/*.yaml\n"}


def _slot(slot: Slot, name: str) -> tuple[str, str, str]:
    kind = ", ".join(f"`{choice}`" for choice in slot.choices) if slot.choices else slot.shown
    return f"`{name}`", f"{kind}{'; a list' if slot.many else ''}", slot.meaning


def _units() -> str:
    def rows() -> Iterator[tuple[str, ...]]:
        for unit, size in UNITS.items():
            yield f"`{unit}`", f"{size:,}", "2^" + str(size.bit_length() - 1) if unit in BINARY else f"10^{len(str(size)) - 1}"

    return _table(("unit", "bytes", ""), rows())


def _names() -> str:
    return f"Bytes: {', '.join(f'`{name}`' for name in BYTE_NAMES)}.\nNumbers: {', '.join(f'`{name}`' for name in COUNT_NAMES)}."


def _problems() -> str:
    rows = ((row.code, f"`{row.name}`", row.severity.value, row.summary) for row in PROBLEMS.values())
    return _table(("code", "name", "severity", "what is wrong"), rows)


_MAKERS = {"statements": _statements, "units": _units, "names": _names, "problems": _problems}


def write_page() -> None:
    path = page_path()
    path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write_page()
