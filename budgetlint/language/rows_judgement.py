"""Which machines a run is judged on, by which rules and limits, and what was measured."""

from __future__ import annotations

from budgetlint.language.slots import RUNS, Slot, StatementSpec, amount

FIGURES = (
    "peak",
    "allocated",
    "reserved",
    "device_total",
    "host",
    "weights",
    "gradients",
    "optimizer",
    "activations",
    "logits",
    "context",
)

OUTCOMES = ("fits", "oom", "ok")
"""``ok`` is ``fits``, as the option ``outcome=`` has always spelled it."""

JUDGEMENT_ROWS = (
    StatementSpec(
        "on", "the targets this run is checked on", "on ci cloud", RUNS, (Slot("TARGET", "target", many=True),), synonyms=("targets",)
    ),
    StatementSpec(
        "matrix",
        "a grid: each combination is checked as a cell",
        "matrix seq=[1024, 4096] batch=[1, 2]",
        RUNS,
        (),
        (),
        free="setting",
        needs_option=True,
        synonyms=("grid", "sweep"),
    ),
    StatementSpec(
        "assert",
        "a comparison that must hold for every run",
        'assert peak <= 90% of usable, "leave room"',
        RUNS,
        repeatable=True,
        synonyms=("require", "ensure", "check", "limit"),
    ),
    *(
        StatementSpec(
            keyword,
            meaning,
            example,
            RUNS,
            (Slot("RULE", "rule", many=True),),
            options,
            repeatable=True,
            synonyms=synonyms,
        )
        for keyword, meaning, example, options, synonyms in (
            ("deny", "these rules are errors", "deny does-not-fit BL2*", (), ("error", "forbid")),
            ("warn", "these rules are warnings", "warn adam-l2-weight-decay", (), ("warning",)),
            (
                "allow",
                "these rules are off",
                'allow unit-mixup reason="data sheets are in GB" by=ana until=2099-01-31',
                (
                    Slot("reason", "text", "why", required=False, synonyms=("because", "why")),
                    Slot("by", "text", "who answers for it", required=False, synonyms=("owner", "approved_by")),
                    Slot("until", "date", "the last day it holds", required=False, synonyms=("expires", "before")),
                    Slot("in", "text", "only in these files", required=False, synonyms=("file", "files", "path")),
                    Slot("key", "text", "only at these keys", required=False, synonyms=("keys",)),
                ),
                ("ignore", "disable", "off", "skip"),
            ),
        )
    ),
    StatementSpec(
        "tolerance",
        "how far a measurement may be from the estimate",
        "tolerance 8%",
        RUNS,
        (Slot("PERCENT", "percent"),),
        synonyms=("within",),
    ),
    StatementSpec(
        "measured",
        "what a probe, or a person, saw on a real device",
        'measured peak=11.42GiB device="NVIDIA L4" torch="2.13.0" date=2026-11-29',
        RUNS,
        (Slot("OUTCOME", "choice", "how the run ended, where no figure says it", OUTCOMES, required=False),),
        (
            *(amount(name, f"{name.replace('_', ' ')} bytes") for name in FIGURES),
            Slot("outcome", "choice", "how the run ended", OUTCOMES, required=False),
            Slot("run", "text", "which run, where the line stands in no run block", required=False),
            Slot("target", "name", "on which target of the budget", required=False),
            Slot("metric", "text", "which tool printed it", required=False),
            Slot("phase", "name", "which phase it is", required=False),
            Slot("device", "text", "on which card", required=False, synonyms=("gpu",)),
            Slot("torch", "version", "torch version", required=False),
            Slot("driver", "version", "driver version", required=False),
            Slot("date", "date", "when", required=False),
            Slot("config", "text", "hash of the settings that matter", required=False),
        ),
        repeatable=True,
        free="setting",
        needs_option=True,
    ),
)
