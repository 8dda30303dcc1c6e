"""``budgetlint rule``: pages and the list."""

from __future__ import annotations

import json

from budgetlint.report import manual
from budgetlint.rule import Confidence, Rule, Severity
from budgetlint.rules_api.manual import read_manual

DOC = """\
fp16 and bf16 are both on: the trainer stops
before the first step.

Only one of them can be the compute dtype.

## What it costs

The job waits for its machine,
and ends at once.

- a first item
- a second item

## Failing

```yaml train.yaml
fp16: true
bf16: true
```

```budget
device 24GiB
```

## Passing

```yaml train.yaml
bf16: true
```

## Sources

- transformers training_args.py
"""
RULE = Rule(
    "BL203",
    "fp16-bf16-both",
    Severity.ERROR,
    Confidence.MEDIUM,
    "run",
    lambda run: (),
    DOC,
    "0.1",
    "safe",
    formats=("axolotl",),
    sources=("https://example.org/issue/1",),
)

TEXT = """\
BL203 fp16-bf16-both

fp16 and bf16 are both on: the trainer stops before the first step.

  severity:   warning, confidence medium
  scope:      run
  since:      0.1
  fix:        safe
  formats:    axolotl

  Only one of them can be the compute dtype.

What it costs

  The job waits for its machine, and ends at once.

  - a first item
  - a second item

Failing

    # train.yaml
    fp16: true
    bf16: true

    device 24GiB

Passing

    # train.yaml
    bf16: true

Sources

  - transformers training_args.py
  - https://example.org/issue/1
"""


def test_a_page_as_text() -> None:
    assert manual.render(RULE) == TEXT


def test_a_page_as_markdown_keeps_its_examples() -> None:
    page = manual.render(RULE, "markdown")
    assert page.startswith("# BL203 fp16-bf16-both\n\nfp16 and bf16 are both on")
    assert "```yaml train.yaml\nfp16: true\nbf16: true\n```" in page


def test_the_list_as_json() -> None:
    got = json.loads(manual.render_all([RULE], "json"))
    assert got["version"] == 1
    fields = {"code": "BL203", "name": "fp16-bf16-both", "severity": "warning", "fix": "safe", "since": "0.1"}
    assert fields.items() <= got["rules"][0].items()
    assert got["rules"][0]["summary"] == "fp16 and bf16 are both on: the trainer stops before the first step."


def test_one_page_as_json_holds_the_manual() -> None:
    assert "## What it costs" in json.loads(manual.render(RULE, "json"))["rules"][0]["manual"]


def test_the_list_as_text_has_one_line_each() -> None:
    assert manual.render_all([RULE]).splitlines()[0].split()[:4] == ["BL203", "fp16-bf16-both", "warning", "safe"]


def test_the_examples_of_a_manual_are_files_and_a_budget() -> None:
    failing = read_manual(DOC).example("Failing")
    assert failing is not None
    assert (failing.files, failing.budget) == ({"train.yaml": "fp16: true\nbf16: true\n"}, "device 24GiB\n")
    assert read_manual(DOC).missing() == ()
    assert read_manual("One.\n\n## Failing\n").missing() == ("What it costs", "Failing", "Passing", "Sources")
