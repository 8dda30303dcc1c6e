"""Verdicts over a corpus, by word and reason, before and after a change; and the line that gives a lost one back.

``python benchmarks/corpus_verdicts.py read CORPUS > after.jsonl``: one repository a folder, every run on one card. For *before* run it
with an older tree first on ``PYTHONPATH``. ``... compare before.jsonl after.jsonl``: the tables. ``... back CORPUS before.jsonl
after.jsonl``: of the runs that lost their verdict, forty at random, each with the line that `budgetlint files` names. ``... tight CORPUS``:
runs that are too close, and which of them has something open (none may).
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from budgetlint.base.source import SourceFile
from budgetlint.files.disk import ChangedFiles, DiskFiles, Files
from budgetlint.language import read_budget
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import judge
from budgetlint.rules_api.context import Judged

CARD = "device a100-80gb\n"
JUDGED = ("fits", "does-not-fit", "tight")
SAMPLE, SEED = 40, 15
BY_HAND = "adapter none; quant none; weights bf16; optimizer adamw; recompute full; loss full\n"
"""What the code of a script of one's own decides, said in a budget."""


def judged_in(files: Files) -> Judged:
    return judge(open_project(files, ["."]), extra=read_budget(SourceFile("card.budget", CARD), load=files.read))


def repositories(corpus: Path) -> Iterator[Path]:
    return (path for path in sorted(corpus.iterdir()) if path.is_dir())


def read(corpus: Path) -> None:
    for folder in repositories(corpus):
        runs = [(context.label, answer.verdict.value, getattr(answer, "reason", None), list(answer.missing)) for context in
                judged_in(DiskFiles(folder)).runs if (answer := context.estimate) is not None]  # fmt: skip
        print(json.dumps({"repository": folder.name, "runs": runs}))


def known(path: Path) -> dict[tuple[str, str], tuple[str, str | None]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {(row["repository"], label): (verdict, reason) for row in rows for label, verdict, reason, _ in row["runs"]}


def lost_of(before: dict[Any, Any], after: dict[Any, Any]) -> list[tuple[str, str]]:
    return [run for run, (verdict, _) in before.items() if verdict in JUDGED and after.get(run, ("no run", None))[0] not in JUDGED]


def compare(before: Path, after: Path) -> None:
    was, now = known(before), known(after)
    words = [Counter(f"{verdict} ({reason})" if reason else verdict for verdict, reason in side.values()) for side in (was, now)]
    print(f"{'':<28}{'before':>8}{'after':>8}")
    for word in sorted(set(words[0]) | set(words[1])):
        print(f"{word:<28}{words[0][word]:>8}{words[1][word]:>8}")
    print(f"{'runs':<28}{len(was):>8}{len(now):>8}")
    lost = lost_of(was, now)
    changed = Counter((was[run][0], "no run" if run not in now else f"{now[run][0]} ({now[run][1]})") for run in lost)
    print(f"\n{len(lost)} runs in {len({run[0] for run in lost})} repositories lost a verdict:")
    for (old, new), count in changed.most_common():
        print(f"{count:>6}  {old} -> {new}")
    gates = sum(was[run][0] == "does-not-fit" for run in lost)
    print(f"{gates} of them were does not fit, an error")


def back(corpus: Path, before: Path, after: Path) -> None:
    was, now = known(before), known(after)
    lost = lost_of(was, now)
    drawn = random.Random(SEED).sample(lost, min(SAMPLE, len(lost)))
    outcomes: Counter[tuple[str, str, str]] = Counter()
    for repository, label in drawn:
        line, verdict = _again(DiskFiles(corpus / repository), label.partition("#")[0].partition("@")[0])
        outcomes[line, was[repository, label][0], verdict] += 1
    for (line, old, new), count in outcomes.most_common():
        print(f"{count:>4}  {line:<46} was {old}, is {new}")


def _again(files: DiskFiles, file: str) -> tuple[str, str]:
    """The kind of line that a file's verdict needs, and the verdict with it."""
    project = open_project(files, ["."])
    judge(project)
    entry = project.entries.get(file)
    settles = entry.consumer.settles if entry is not None and entry.consumer is not None else ""
    if settles.startswith("config"):
        kind, text = "config FILE kind=… in a budget", {"settled.budget": f"{CARD}{settles}\n"}
    elif settles:
        kind, text = "a command that names the file", {"settled.sh": f"{settles}\n"}
    else:
        kind, text = "settings in a budget, for what a script decides", {"settled.budget": f"{CARD}config {file}\n{BY_HAND}"}
    runs = [one for one in judged_in(ChangedFiles(files, text)).runs if any(r.document.path == file for r in one.run.readings)]
    found = next((one.estimate for one in runs if one.estimate is not None), None)
    return kind, "no run" if found is None else f"{found.verdict.value} {found.reason or ''}".strip()


def tight(corpus: Path) -> None:
    """A setting is open where its value is not known, or a version that was asked for is not stated."""
    found = open_ones = 0
    for folder in repositories(corpus):
        for context in judged_in(DiskFiles(folder)).runs:
            answer = context.estimate
            if answer is not None and answer.verdict.value == "tight":
                found += 1
                if answer.missing or answer.forks or answer.opened:
                    open_ones += 1
                    print(folder.name, context.label, answer.missing, [one.name for one in answer.opened])
    print(f"{found} runs are too close, {open_ones} of them with something open")


def main(argv: list[str]) -> None:
    command, *places = argv
    {"read": read, "compare": compare, "back": back, "tight": tight}[command](*map(Path, places))


if __name__ == "__main__":
    main(sys.argv[1:])
