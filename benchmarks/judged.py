"""Findings on public configs, read by hand: ``python benchmarks/judged.py CORPUS [--draw N] [--table]``.

`tests/corpus/judged.jsonl` holds one judgement a line: rule, repository, path and line of the finding, its severity, whether it is
right, and why; no contents of the file. Without options the judgements are compared with what is found today: what was right is
still told, what was mended no longer is. ``--draw`` prints findings that nobody has judged, spread over all rules that say
anything; ``--table`` the files that each rule flags.

Each first folder of the corpus is checked as a project of its own, at default settings.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from budgetlint.base.finding import Severity
from budgetlint.engine.check import check
from budgetlint.files.disk import DiskFiles
from budgetlint.registry import installed
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import judge
from budgetlint.results.report import Report

JUDGED = Path(__file__).resolve().parent.parent / "tests" / "corpus" / "judged.jsonl"
WANTED = 0.97

OWN_EXAMPLES = (
    "EleutherAI__gpt-neox", "InternLM__xtuner", "Lightning-AI__litgpt", "NVIDIA-NeMo__RL", "NVIDIA__Megatron-LM", "NVIDIA__NeMo",
    "OpenAccess-AI-Collective__axolotl", "OpenRLHF__OpenRLHF", "allenai__open-instruct", "axolotl-ai-cloud__axolotl",
    "deepspeedai__DeepSpeed", "deepspeedai__DeepSpeedExamples", "hiyouga__LLaMA-Factory", "huggingface__accelerate",
    "huggingface__alignment-handbook", "huggingface__nanotron", "huggingface__open-r1", "huggingface__peft", "huggingface__trl",
    "modelscope__ms-swift", "mosaicml__llm-foundry", "oumi-ai__oumi", "pytorch__torchtitan", "pytorch__torchtune", "volcengine__verl",
)  # fmt: skip
"""Repositories that hold a framework's own examples (a commit may stand behind ``@``)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one rule spoke."""

    rule: str
    repository: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """``right``: the author of the file would be helped, and every word of the message is true there. ``told``: the finding is still
    there; a wrong one that a better rule no longer tells is kept, so that it stays away."""

    rule: str
    repository: str
    path: str
    line: int
    severity: str
    right: bool
    why: str
    told: bool = True

    @property
    def place(self) -> Place:
        return Place(self.rule, self.repository, self.path, self.line)


def judgements() -> tuple[Judgement, ...]:
    return tuple(Judgement(**json.loads(line)) for line in JUDGED.read_text(encoding="utf-8").splitlines())


def precision(rows: Iterable[Judgement]) -> float:
    """The share of the findings that are told that is right."""
    shown = [row for row in rows if row.told]
    return sum(row.right for row in shown) / max(1, len(shown))


def reports(corpus: Path) -> Iterator[tuple[str, Report]]:
    registry = installed()
    for folder in sorted((corpus / "files").iterdir()):
        yield folder.name, check(judge(open_project(DiskFiles(folder), ["."])), registry)


@dataclass(frozen=True, slots=True)
class Found:
    """``told``: severity and message by place; ``files``: errors and warnings of each config file, by repository and path."""

    told: dict[Place, tuple[str, str]]
    files: dict[tuple[str, str], Counter[str]]


def found(corpus: Path) -> Found:
    told: dict[Place, tuple[str, str]] = {}
    files: dict[tuple[str, str], Counter[str]] = {}
    for repository, report in reports(corpus):
        files |= {(repository, path): Counter() for path in report.sources}
        for one in report.findings:
            told[Place(one.name, repository, one.location.file, one.location.line)] = (one.severity.value, one.message)
            files.setdefault((repository, one.location.file), Counter())[one.severity.value] += 1
    return Found(told, files)


def loudness(files: dict[tuple[str, str], Counter[str]]) -> tuple[list[str], bool]:
    """How much a file is told, and whether that is little enough."""
    loud = sorted(counts["error"] + counts["warning"] for counts in files.values())
    own = [counts for (repository, _), counts in files.items() if repository.partition("@")[0] in OWN_EXAMPLES]
    median, ninth, wrong = loud[len(loud) // 2], loud[len(loud) * 9 // 10], sum(bool(counts["error"]) for counts in own) / len(own)
    lines = [
        f"{len(files)} files: the median has {median} errors and warnings, nine of ten at most {ninth}, the loudest {loud[-1]}",
        f"{len(own)} files are a framework's own examples: {wrong:.1%} of them have an error",
    ]
    return lines, median == 0 and ninth <= 2 and wrong < 0.05


def drawn(told: dict[Place, tuple[str, str]], count: int, known: set[Place]) -> list[Place]:
    """``count`` findings: the rules take turns, so that a rare rule is judged as well as a common one."""
    groups: dict[str, list[Place]] = defaultdict(list)
    for place in sorted(told, key=lambda place: (place.rule, place.repository, place.path, place.line)):
        if place not in known:
            groups[place.rule].append(place)
    chance = random.Random(0)
    for places in groups.values():
        chance.shuffle(places)
    turns = [place for turn in range(count) for places in groups.values() if (place := places[turn] if turn < len(places) else None)]
    return turns[:count]


def compared(rows: Iterable[Judgement], told: dict[Place, tuple[str, str]]) -> Iterator[str]:
    for row in rows:
        if row.told and row.place not in told:
            yield f"no longer told: {row.rule} {row.repository}/{row.path}:{row.line}"
        if not row.told and row.place in told:
            yield f"told again, and wrong: {row.rule} {row.repository}/{row.path}:{row.line}: {row.why}"


def table(told: dict[Place, tuple[str, str]]) -> Iterator[str]:
    files: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for place, (severity, _) in told.items():
        files[place.rule, severity].add((place.repository, place.path))
    for (rule, severity), flagged in sorted(files.items(), key=lambda item: -len(item[1])):
        yield f"{rule:<42}{severity:<9}{len(flagged):>5} files in {len({repository for repository, _ in flagged}):>3} repositories"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--draw", type=int, metavar="N", help="N findings to judge, as JSON lines with their messages")
    parser.add_argument("--table", action="store_true", help="files that each rule flags")
    arguments = parser.parse_args()
    seen, rows = found(arguments.corpus), judgements() if JUDGED.exists() else ()
    told = seen.told
    if arguments.draw:
        for place in drawn(told, arguments.draw, {row.place for row in rows}):
            severity, message = told[place]
            print(json.dumps({**asdict(place), "severity": severity, "message": message}, ensure_ascii=False))
        return 0
    if arguments.table:
        print("\n".join(table(told)))
    problems = list(compared(rows, told))
    lines, quiet = loudness(seen.files)
    print("\n".join([*problems, *lines]))
    right, counts = precision(rows), Counter(row.severity for row in rows if row.told)
    loud = precision(row for row in rows if row.severity != Severity.INFO.value)
    print(f"{sum(counts.values())} judged {dict(counts)}: {right:.1%} right, of errors and warnings {loud:.1%} (wanted {WANTED:.0%})")
    print(f"{len(rows) - sum(counts.values())} more were wrong and are told no longer; {len(problems)} differ from what is recorded")
    return 1 if problems or min(right, loud) < WANTED or not quiet else 0


if __name__ == "__main__":
    sys.exit(main())
