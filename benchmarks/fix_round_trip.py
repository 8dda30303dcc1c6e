"""Every fix on every corpus file that it offers itself on: ``python benchmarks/fix_round_trip.py CORPUS [--rule NAME] [--budget TEXT]``.

Each finding's fix is applied alone, to the text in memory. Then must hold: the file loads in the framework's own loader (PyYAML,
OmegaConf, hjson, tomllib, ``json``) if it did before; every value outside the edit is the same there; every line and comment outside
the edited lines is the same; the finding is gone and no rule says more; a second run of the fixes changes nothing. The exit code
says whether all of it does.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from collections.abc import Mapping as MappingType
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hjson
import yaml
from omegaconf import OmegaConf

from budgetlint.base.finding import Finding, Fix, Severity
from budgetlint.base.source import SourceFile
from budgetlint.documents.compare import changed_elsewhere, moved
from budgetlint.documents.edit import apply, rounds
from budgetlint.documents.load import load
from budgetlint.documents.node import Mapping, walk
from budgetlint.engine.check import check
from budgetlint.engine.fix import fix_all
from budgetlint.files.disk import ChangedFiles, DiskFiles
from budgetlint.language import read_budget
from budgetlint.language.budget import Budget
from budgetlint.registry import Registry, installed
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import judge
from budgetlint.results.report import Report

OMEGACONF = ("llamafactory", "torchtune", "verl", "nemo", "hydra", "oumi")


@dataclass(frozen=True, slots=True)
class Trial:
    """One fix on one file, and what went wrong with it."""

    rule: str
    title: str
    file: str
    wrong: tuple[str, ...]


class Repository:
    """One first folder of the corpus, checked again and again with changed texts."""

    def __init__(self, folder: Path, registry: Registry, budget: Budget | None) -> None:
        self.files, self.registry, self.budget = DiskFiles(folder), registry, budget
        self.report = self.recheck({})
        self.formats: dict[str, str] = {}

    def recheck(self, texts: MappingType[str, str]) -> Report:
        files = ChangedFiles(self.files, texts) if texts else self.files
        return check(judge(open_project(files, ["."]), extra=self.budget), self.registry)


def trials(corpus: Path, only: str, budget: Budget | None) -> Iterator[Trial]:
    registry = installed()
    for folder in sorted((corpus / "files").iterdir()):
        repository = Repository(folder, registry, budget)
        if _restless(repository):
            yield Trial("(all together)", "", folder.name, ("a second run of all fixes changes something",))
        offered = [(finding, fix) for finding in repository.report.findings for fix in finding.fixes if fix.edits]
        for finding, fix in offered:
            if only in ("", finding.name, finding.code):
                yield Trial(finding.name, fix.title, f"{folder.name}/{finding.location.file}", tuple(_wrong(repository, finding, fix)))


def _restless(repository: Repository) -> bool:
    """Would all fixes, applied until none is left and then once more, change anything the second time?"""
    first = fix_all(repository.report, repository.recheck, unsafe=True)
    if not first.texts:
        return False
    second = fix_all(first.report, lambda more: repository.recheck({**first.texts, **more}), unsafe=True)
    return any(text != first.texts.get(path) for path, text in second.texts.items())


def _wrong(repository: Repository, finding: Finding, fix: Fix) -> Iterator[str]:
    before = repository.report
    texts: dict[str, str] = {}
    for path in dict.fromkeys(edit.file for edit in fix.edits):
        source = before.sources[path]
        edits = [edit for edit in fix.edits if edit.file == path]
        texts[path] = apply(source.text, edits)
        yield from _text_problems(source, texts[path], [source.locate(edit.span) for edit in edits])
        yield from _value_problems(source, texts[path], fix)
    after = repository.recheck(texts)
    yield from _said_problems(finding, before, after)


def _said_problems(finding: Finding, before: Report, after: Report) -> Iterator[str]:
    if after.crashed:
        yield "a rule crashed"
    old, new = (Counter((f.name, f.location.file) for f in report.findings if f.severity > Severity.INFO) for report in (before, after))
    counts = [Counter(f.name for f in report.findings) for report in (before, after)]
    if counts[1][finding.name] >= counts[0][finding.name]:
        yield "the finding stays"
    yield from (f"new: {name} in {file}" for name, file in new - old)


def _text_problems(source: SourceFile, text: str, places: list[Any]) -> Iterator[str]:
    """Lines outside the edited ones, in order, and how many there are."""
    touched = {line for place in places for line in range(place.line, place.end_line + 1)}
    old = [line for number, line in enumerate(source.text.splitlines(), 1) if number not in touched]
    remaining = iter(text.splitlines())
    if not all(line in remaining for line in old):
        yield "a line outside the edit changed"


def _value_problems(source: SourceFile, text: str, fix: Fix) -> Iterator[str]:
    if source.path.endswith((".budget", ".sh", ".bash", ".slurm", ".sbatch", ".mk")):
        return
    if changed_elsewhere(source, SourceFile(source.path, text), [edit for edit in fix.edits if edit.file == source.path]):
        yield "a value outside the edit changed"
    for name, loader in _loaders(source.path).items():
        old, new = _loaded(loader, source.text), _loaded(loader, text)
        if isinstance(old, Exception):
            continue
        if isinstance(new, Exception):
            yield f"{name} no longer loads it: {str(new).splitlines()[0]}"
        elif strange := _difference(old, new, _touched(source, text, fix)):
            yield f"{name}: {sorted(strange)[:4]} differ"


def _touched(before: SourceFile, text: str, fix: Fix) -> set[str]:
    """Keys that stand in an edit, before or after it."""
    edits, _ = rounds(edit for edit in fix.edits if edit.file == before.path)
    sides = ((before, [edit.span for edit in edits]), (SourceFile(before.path, text), moved(edits)))
    return {
        entry.key.text
        for source, spans in sides
        for document in load(source)
        for _, entry in walk(document.root)
        if any(span.start <= entry.value.span.end and entry.key.span.start <= span.end for span in spans)
        and (not isinstance(entry.value, Mapping) or any(span.start <= entry.key.span.start <= span.end for span in spans))
    }


def _loaders(path: str) -> dict[str, Callable[[str], Any]]:
    if path.endswith((".json", ".conf")):
        return {"hjson": hjson.loads, "json": json.loads}
    if path.endswith(".toml"):
        return {"tomllib": tomllib.loads}
    return {"PyYAML": lambda text: list(yaml.safe_load_all(text)), "OmegaConf": lambda text: OmegaConf.to_container(OmegaConf.create(text))}


def _loaded(load: Callable[[str], Any], text: str) -> Any:
    try:
        return load(text)
    except Exception as error:  # loaders raise whatever they like
        return error


def _difference(old: Any, new: Any, touched: set[str]) -> set[str]:
    """Paths whose value is not the same and that go through no touched key; a list counts as one value."""
    one, other = dict(_flat(old)), dict(_flat(new))
    changed = {path for path in {*one, *other} if repr(one.get(path, "-")) != repr(other.get(path, "-"))}
    return {path for path in changed if not touched.intersection(path.split("."))}


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _flat(part, f"{path}.{key}")
    elif isinstance(value, list) and any(isinstance(part, (dict, list)) for part in value):
        for number, part in enumerate(value):
            yield from _flat(part, f"{path}.{number}")
    else:
        yield path, value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--rule", default="", help="only this rule, by name or code")
    parser.add_argument("--budget", default="", help="a budget for every run, such as 'stack transformers@5.24': some rules know versions")
    arguments = parser.parse_args()
    budget = read_budget(SourceFile("--budget", arguments.budget)) if arguments.budget else None
    found = list(trials(arguments.corpus, arguments.rule, budget))
    by_rule: dict[str, list[Trial]] = defaultdict(list)
    for trial in found:
        by_rule[trial.rule].append(trial)
    for rule, rows in sorted(by_rule.items()):
        bad = [row for row in rows if row.wrong]
        print(f"{rule:<40}{len(rows):>5} fixes in {len({row.file for row in rows}):>4} files, {len(bad):>3} wrong")
        for row in bad[:8]:
            print(f"    {row.file}: {' '.join('; '.join(row.wrong).split())[:200]}")
    broken = sum(bool(trial.wrong) for trial in found)
    print(f"\n{len(found)} fixes of {len(by_rule)} rules in {len({trial.file for trial in found})} files; {broken} wrong")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
