"""Reports to render: one with everything odd in it, and large ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from budgetlint.base.finding import Confidence, Edit, Finding, Fix, Related, Safety, Severity
from budgetlint.base.source import Location, SourceFile, Span
from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Bucket, Term
from budgetlint.results.report import Crash, Excuse, Report
from budgetlint.results.verdict import RunVerdict
from budgetlint.settings.run import Origin, OriginKind, Setting

ODD_PATH = "confïgs/🚀 run, 100%: [a](b)|<x>`.yaml"
ODD_TEXT = 'é: "😀" # x\nfp16: true\n'
ODD_WORDS = (
    "value '100%',\r\n\"a|b\" <script>`x`</script> [link](http://e.x) @team ::error::\x00\x1b[31m\u202e 日本語 😀 \udcff ]]> &amp; {0}"
)

ODD = Finding(
    "BL203",
    "fp16-bf16-both",
    Severity.ERROR,
    Confidence.HIGH,
    ODD_WORDS,
    Location(ODD_PATH, 1, 4, 1, 7),
    help=f"write {ODD_WORDS}",
    key="a.b[0]|`",
    value="😀",
    related=(Related(Location("ds.json", 1, 1, 1, 2), f"[here]\\ {ODD_WORDS}"), Related(Location("--budget", 1, 1, 1, 2), "the device")),
    fixes=(
        Fix(f"set {ODD_WORDS}", Safety.SAFE, (Edit(ODD_PATH, Span(3, 6), '"🎉"'), Edit("gone.yaml", Span(2, 2), "x"))),
        Fix("delete", Safety.UNSAFE, (Edit(ODD_PATH, Span(11, 22), ""),)),
        Fix("think", Safety.ADVICE),
    ),
    numbers={"need_bytes": 2**60, "word": "|`<"},
    runs=("sft | `😀`",),
)
MILD = replace(
    ODD, code="BL112", name="gc-off-long-seq", severity=Severity.WARNING, location=Location("a b.yaml", 2, 1, 3, 5), runs=(), fixes=()
)
INFO = replace(MILD, code="BL110", name="unit-mixup", severity=Severity.INFO, location=Location("--budget", 1, 1, 1, 1), related=())
FOREIGN = replace(MILD, code="XY001", name="somebody-elses", location=Location("/outside/é.yaml"))

PIPED = SourceFile("a|b.yaml", "x: 1\n\nmodel: `x`\n")
MODEL = Setting("model", "x", Origin(OriginKind.FILE, PIPED, Span(13, 16), "model"), "qwen `x`")
BATCH = Setting("micro_batch", 8, Origin(OriginKind.DEFAULT, note="transformers 4.57 default"), "8")
BILL = (
    Term(Bucket.WEIGHTS, 3 * 2**30, "weights", (MODEL,)),
    Term(Bucket.ACTIVATIONS, 2 * 2**30, "kept", (BATCH,)),
    Term(Bucket.CONTEXT, 2**30, "CUDA context"),
)
RUNS = (
    RunVerdict("fits well", None, "", Verdict.FITS, 2**30, 2**34, (), "step", BILL[2:]),
    RunVerdict("sft | `😀`", None, "", Verdict.DOES_NOT_FIT, 6 * 2**30, 5 * 2**30, (), "forward", BILL, over=2**30),
    RunVerdict("open", "t4", "seq=1", Verdict.UNKNOWN, 2**31, 2**34, ("seq_len",), "step", BILL[:1], 2**30),
    RunVerdict("nothing", None, "", Verdict.UNKNOWN, None, None),
)


@pytest.fixture
def odd() -> Report:
    return Report(
        (ODD, ODD, MILD, INFO, FOREIGN),
        RUNS,
        suppressed=(ODD, MILD),
        excuses=(Excuse("because | of \x00", in_file=True), Excuse("", in_file=False)),
        crashes=(Crash("rule broken", ODD_PATH, "Traceback\n  boom\nValueError: \x00 <é>\n"),),
        sources={
            ODD_PATH: SourceFile(ODD_PATH, ODD_TEXT),
            PIPED.path: PIPED,
            "a b.yaml": SourceFile("a b.yaml", "x\r\ny: 1\r\nz\r\n", "utf-16-le"),
        },
        urls={"BL112": "https://example.org/rules/gc-off-long-seq"},
        files=3,
        budgets=1,
    )


@pytest.fixture
def many() -> Callable[[int], Report]:
    """So many findings, of three rules, over ten files."""

    def made(count: int) -> Report:
        kinds = (ODD, MILD, INFO)
        sources = {f"{number}.yaml": SourceFile(f"{number}.yaml", ODD_TEXT * 50) for number in range(10)}
        return Report(
            tuple(
                replace(kinds[n % 3], location=Location(f"{n % 10}.yaml", n % 90 + 1, 1, n % 90 + 1, 3), key=f"k{n}", runs=(f"r{n % 20}",))
                for n in range(count)
            ),
            tuple(RunVerdict(f"r{n}", None, "", Verdict.TIGHT, 9, 10, (), "step", BILL) for n in range(20)),
            sources=sources,
        )

    return made
