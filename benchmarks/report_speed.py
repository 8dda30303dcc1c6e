"""How long each report format takes: ``python benchmarks/report_speed.py [FINDINGS]``.

CPU seconds of one process for a report of FINDINGS (default 5,000) findings of every rule in turn, with related places, fixes and
numbers, over 100 files and 200 runs; the least of three rounds. The exit code says whether each stays under two seconds.
"""

from __future__ import annotations

import sys
import time

from budgetlint.base.finding import Edit, Finding, Fix, Related, Safety
from budgetlint.base.source import SourceFile, Span
from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Bucket, Term
from budgetlint.registry import installed
from budgetlint.report import CHECK_FORMATS, check_report
from budgetlint.results.report import Report
from budgetlint.results.verdict import RunVerdict

WANTED = 2.0
LINE = "per_device_train_batch_size: 4  # ünïcode\n"


def large_report(findings: int) -> Report:
    sources = {path: SourceFile(path, LINE * 60) for path in (f"configs/run_{number:03}.yaml" for number in range(100))}
    rules = installed().all
    return Report(
        tuple(_finding(number, rules[number % len(rules)], list(sources.values())[number % 100]) for number in range(findings)),
        tuple(RunVerdict(f"run_{number}", "a100", "", Verdict.FITS, 2**34, 2**35, (), "forward", _bill()) for number in range(200)),
        sources=sources,
        files=100,
    )


def _bill() -> tuple[Term, ...]:
    return tuple(Term(bucket, 2**31, "1,073,741,824 x 2 B") for bucket in Bucket)


def _finding(number: int, rule: object, source: SourceFile) -> Finding:
    line = number // 100 + 1
    span = Span((line - 1) * len(LINE) + 29, (line - 1) * len(LINE) + 30)
    at = source.locate(span)
    return Finding(
        rule.code,  # type: ignore[attr-defined]
        rule.name,  # type: ignore[attr-defined]
        rule.default_severity,  # type: ignore[attr-defined]
        rule.confidence,  # type: ignore[attr-defined]
        f"per_device_train_batch_size is 4, {number}: the run needs 31.20 GiB, 4.20 GiB more than the device gives",
        at,
        help="write 2 and double gradient_accumulation_steps",
        key=f"per_device_train_batch_size.{number}",
        value="4",
        related=(Related(at, "the device is here"),),
        fixes=(Fix("write 2", Safety.UNSAFE, (Edit(source.path, span, "2"),)),),
        numbers={"need_bytes": 31 * 2**30, "limit_bytes": 27 * 2**30},
        runs=(f"run_{number % 200}@a100",),
    )


def seconds(report: Report, format: str) -> float:
    begun = time.process_time()
    check_report(report, format, info=True)
    return time.process_time() - begun


def main() -> int:
    report = large_report(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
    taken = {format: min(seconds(report, format) for _ in range(3)) for format in CHECK_FORMATS}
    for format, least in taken.items():
        print(f"{format:<10}{least:>7.3f} s{len(check_report(report, format, info=True).encode()):>12,} bytes")
    return 0 if max(taken.values()) < WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
