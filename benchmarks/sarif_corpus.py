"""Is the SARIF of real configs valid? ``python benchmarks/sarif_corpus.py CORPUS [--one-log FILE]``.

CORPUS holds ``files/``; each folder in it is a repository, checked by itself with a budget that gives every run a verdict. Each
log must satisfy the OASIS schema; each place and each deleted region must lie in its file, and the fixes, applied as the log says
them, must give what `budgetlint` itself would write. The exit code says whether all do. ``--one-log`` also writes one log of all folders,
for another validator.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema

from budgetlint.base.source import SourceFile
from budgetlint.documents.edit import apply
from budgetlint.engine.check import check
from budgetlint.files.disk import DiskFiles
from budgetlint.language import read_budget
from budgetlint.registry import installed
from budgetlint.report import check_report
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import judge
from budgetlint.results.report import Report

SCHEMA = Path(__file__).parent.parent / "tests/report/schemas/sarif-schema-2.1.0.json"
BUDGET = SourceFile("--budget", "device 24GiB; reserve 1GiB")


def wrong(log: dict[str, Any], report: Report, validator: jsonschema.Draft4Validator) -> Iterator[str]:
    """What is not as it should be in one log."""
    yield from (f"schema: {error.message[:200]}" for error in validator.iter_errors(log))
    (run,) = log["runs"]
    if len(run["results"]) != len(report.findings) + len(report.suppressed):
        yield "results: some are missing"
    for result, finding in zip(run["results"], (*report.findings, *report.suppressed), strict=False):
        yield from _outside(result["locations"][0]["physicalLocation"], report)
        for fix, meant in zip(result.get("fixes", ()), [fix for fix in finding.fixes if fix.edits], strict=True):
            for change in fix["artifactChanges"]:
                file = unquote(change["artifactLocation"]["uri"])
                text = report.sources[file].text
                if _applied(text, change["replacements"]) != apply(text, [edit for edit in meant.edits if edit.file == file]):
                    yield f"fix: {file}: {meant.title}"


def _outside(place: dict[str, Any], report: Report) -> Iterator[str]:
    source = report.sources.get(unquote(place["artifactLocation"]["uri"]))
    region = place["region"]
    if source is not None and not _within(region, source):
        yield f"region: {source.path}: {region}"


def _within(region: dict[str, int], source: SourceFile) -> bool:
    ordered = (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])
    ends = ((region["startLine"], region["startColumn"]), (region["endLine"], region["endColumn"]))
    return ordered and all(1 <= line <= source.line_count and 1 <= column <= len(source.line(line)) + 2 for line, column in ends)


def _applied(text: str, replacements: list[dict[str, Any]]) -> str:
    """By lines and columns, last place first."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for one in sorted(replacements, key=lambda one: one["deletedRegion"]["charOffset"], reverse=True):
        region = one["deletedRegion"]
        start = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        if (start, end - start) != (region["charOffset"], region["charLength"]):
            return "the two ways to say the region differ"
        text = text[:start] + one.get("insertedContent", {"text": ""})["text"] + text[end:]
    return text


def checked(folder: Path) -> Report:
    return check(judge(open_project(DiskFiles(folder), ["."]), extra=read_budget(BUDGET)), installed())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--one-log", type=Path)
    args = parser.parse_args()
    validator = jsonschema.Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    results, fixes, size, taken, bad, logs = 0, 0, 0, 0.0, 0, []
    folders = sorted(path for path in (args.corpus / "files").iterdir() if path.is_dir())
    for folder in folders:
        report = checked(folder)
        begun = time.process_time()
        text = check_report(report, "sarif")
        taken += time.process_time() - begun
        log = json.loads(text)
        for complaint in wrong(log, report, validator):
            bad += 1
            print(f"{folder.name}: {complaint}")
        found = log["runs"][0]["results"]
        results, fixes, size = results + len(found), fixes + sum(len(one.get("fixes", ())) for one in found), size + len(text)
        logs.append(log["runs"][0])
    if args.one_log:
        args.one_log.write_text(json.dumps({"$schema": log["$schema"], "version": "2.1.0", "runs": logs}), encoding="utf-8")
    print(f"{len(folders):,} logs, {results:,} results, {fixes:,} fixes, {size:,} bytes, written in {taken:.2f} s CPU: {bad:,} complaints")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
