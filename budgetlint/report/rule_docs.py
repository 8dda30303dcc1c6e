"""``docs/rules/``: every rule's page as ``budgetlint rule NAME --format markdown`` shows it, and indexes by family, harm and framework.

``python -m budgetlint.report.rule_docs`` writes the folder again; a test fails while it differs from the modules.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from budgetlint.frameworks import format_of
from budgetlint.report.manual import render
from budgetlint.rules_api.rule import Rule

FAMILIES = {
    "BL0": "The budget language",
    "BL1": "Budget, fit and units",
    "BL2": "Precision and loss scaling",
    "BL3": "Optimizer and schedule",
    "BL4": "Adapters and quantisation",
    "BL5": "Distribution",
    "BL6": "Bookkeeping",
    "BL7": "Sequence, packing, attention",
    "BL8": "Recomputation",
    "BL9": "Files and keys",
}

ANY = "Any framework"
MADE = "<!-- made by python -m budgetlint.report.rule_docs -->"


def pages(rules: Iterable[Rule]) -> Iterator[tuple[str, str]]:
    """File name and text of every page, the index first."""
    listed = tuple(rules)
    yield "README.md", _index(listed)
    yield from ((f"{rule.name}.md", f"{MADE}\n\n{render(rule, 'markdown')}") for rule in listed)


def _index(rules: tuple[Rule, ...]) -> str:
    parts = [MADE, "# Rules", _lead(rules), "## By family", *_by_family(rules), "## By harm", _HARM, _by_harm(rules), "## By framework"]
    return "\n\n".join([*parts, *_by_framework(rules)]) + "\n"


def _lead(rules: tuple[Rule, ...]) -> str:
    fixes = sum(rule.fix in ("safe", "unsafe") for rule in rules)
    return (
        f"{len(rules)} rules, {fixes} of them with a fix. `budgetlint rule NAME` shows the same pages. What was looked at and is not a "
        "rule, and why: [not-rules.md](not-rules.md)."
    )


_HARM = (
    "Harm is twice a judgement from 1 to 5 of what the mistake costs, plus up to 3 for how late it shows (silent, in the middle of a "
    "run, at the save: 3; at the first step: 1.5; at the start: 0.5), plus up to 2 for how common it is in public configs."
)


def _by_family(rules: tuple[Rule, ...]) -> Iterator[str]:
    for family, title in FAMILIES.items():
        rows = [rule for rule in rules if rule.code.startswith(family)]
        if rows:
            yield f"### {family}xx {title}"
            yield _table("| code | rule | severity | fix | |\n|---|---|---|---|---|", (_row(rule) for rule in rows))


def _row(rule: Rule) -> str:
    fix = "" if rule.fix == "none" else rule.fix
    return f"| {rule.code} | {_link(rule)} | {rule.default_severity.value} | {fix} | {rule.summary} |"


def _by_harm(rules: tuple[Rule, ...]) -> str:
    ranked = sorted((rule for rule in rules if rule.harm), key=lambda rule: (-rule.harm, rule.code))
    return _table("| harm | rule | |\n|---|---|---|", (f"| {rule.harm:g} | {_link(rule)} | {rule.summary} |" for rule in ranked))


def _by_framework(rules: tuple[Rule, ...]) -> Iterator[str]:
    groups: dict[str, list[Rule]] = {}
    for rule in rules:
        for name in dict.fromkeys(format_of(format).title for format in rule.formats) if rule.formats else (ANY,):
            groups.setdefault(name, []).append(rule)
    for name in sorted(groups, key=lambda name: (name == ANY, name.lower())):
        yield f"### {name}\n\n{', '.join(_link(rule) for rule in groups[name])}"


def _link(rule: Rule) -> str:
    return f"[{rule.name}]({rule.name}.md)"


def _table(head: str, rows: Iterable[str]) -> str:
    return "\n".join([head, *rows])


def drift(folder: Path, made: Mapping[str, str], kept: Iterable[str] = ("not-rules.md",)) -> list[str]:
    """Names of the pages that are missing, old or no longer made."""
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md") if path.name not in kept}
    return sorted(name for name in {*there, *made} if there.get(name) != made.get(name))


def main(folder: Path) -> None:
    from budgetlint.engine.registry import installed

    made = dict(pages(rule for rule in installed().all if rule.code.startswith("BL")))
    folder.mkdir(parents=True, exist_ok=True)
    for name in drift(folder, made):
        if name in made:
            (folder / name).write_text(made[name], encoding="utf-8")
        else:
            (folder / name).unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/rules"))
