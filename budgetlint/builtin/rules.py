"""What the engine itself finds: about suppressions, plugins, values that no framework takes, and crashes.

These are listed with the other rules. Their levels can be changed, a comment cannot suppress them.
"""

from __future__ import annotations

from typing import Any

from budgetlint.base.finding import Finding, Fix, Related, Severity
from budgetlint.base.source import Location
from budgetlint.builtin.file_rules import FILE_RULES, builtin_rule
from budgetlint.builtin.gate_rules import GATE_RULES
from budgetlint.rules_api.rule import Rule

UNUSED_SUPPRESSION = builtin_rule(
    "BL901",
    "unused-suppression",
    Severity.WARNING,
    """\
    A suppression that suppresses nothing.

    It stays behind when the mistake is repaired, and hides the next one. Told only when the rule it names has run.

    ## What it costs

    The next finding of that rule at this place is silently lost.

    ## Failing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    fp16: false
    bf16: true  # budgetlint: allow fp16-bf16-both the sweep sets one of them
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Passing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    fp16: false
    bf16: true
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Sources

    - import-linter and ruff (RUF100) report unused exceptions for the same reason.
    """,
)

UNKNOWN_SUPPRESSION = builtin_rule(
    "BL902",
    "unknown-suppression",
    Severity.WARNING,
    """\
    A suppression or a level names a rule that does not exist, or one that cannot be suppressed.

    Findings of the language (BL0xx) cannot be suppressed: a statement that is not understood judges nothing.

    ## What it costs

    The finding that was meant is still there, or the rule that was meant to be denied is not.

    ## Failing

    ```yaml train.yaml
    per_device_train_batch_size: 4  # budgetlint: allow no-such-rule we know
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Passing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Sources

    - `budgetlint rule --all` lists every name.
    """,
)

EXPIRED_SUPPRESSION = builtin_rule(
    "BL903",
    "expired-suppression",
    Severity.WARNING,
    """\
    A suppression whose `until` date has passed no longer works.

    ## What it costs

    The findings that it held back count again.

    ## Failing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    fp16: true  # budgetlint: allow fp16-bf16-both until=2020-01-01 the launcher deletes one
    bf16: true
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Passing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    bf16: true
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Sources

    - The date stands in the suppression itself; the clock is the machine's.
    """,
)

SUPPRESSION_WITHOUT_REASON = builtin_rule(
    "BL904",
    "suppression-without-reason",
    Severity.WARNING,
    """\
    A suppression that does not say why.

    ## What it costs

    Nobody can tell later whether it may go.

    ## Failing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    fp16: true  # budgetlint: allow fp16-bf16-both
    bf16: true
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Passing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    fp16: true  # budgetlint: allow fp16-bf16-both the launcher deletes one
    bf16: true
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Sources

    - Clippy's `allow_attributes_without_reason`, for the same reason.
    """,
)

BAD_SETTING = builtin_rule(
    "BL905",
    "bad-setting",
    Severity.ERROR,
    """\
    A key of `[tool.budgetlint]` is unknown, or its value cannot be used.

    ## What it costs

    The setting is left out: what it was meant to forbid is allowed, or the other way round.

    ## Failing

    ```toml pyproject.toml
    [tool.budgetlint]
    selekt = ["BL2"]
    ```

    ## Passing

    ```toml pyproject.toml
    [tool.budgetlint]
    select = ["BL2"]
    ```

    ## Sources

    - `budgetlint.config.config` holds the table of settings.
    """,
)

BROKEN_PLUGIN = builtin_rule(
    "BL906",
    "broken-plugin",
    Severity.ERROR,
    """\
    A plugin with rules or a reader cannot be loaded, or clashes with others.

    ## What it costs

    Its rules do not run, so their findings are missing; the files of its trainer are read by nobody.

    ## Failing

    A plugin whose module raises at import, offers something that is not a `Rule` or a `Manifest`, or takes a code, a name or a format that
    exists. One that is installed from the folder that is checked (`pip install -e .`): whoever changes a checkout must not bring the rules
    that judge it, or the readers that read it.

    ## Passing

    A plugin whose entry point in the group `budgetlint.rules` is a `Rule` or a list of them, with codes of its own; one whose entry point
    in the group `budgetlint.readers` is the `Manifest` of a reader, with formats of its own.

    ## Sources

    - `docs/plugins.md`.
    """,
)

MISREAD_VALUE = builtin_rule(
    "BL907",
    "misread-value",
    Severity.ERROR,
    """\
    A value that its key cannot have: text where a number belongs, a negative size.

    ## What it costs

    The framework stops when it reads the file, or reads something else; the setting is unknown to the estimate.

    ## Failing

    ```yaml train.yaml
    per_device_train_batch_size: four
    learning_rate: 0.0001
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Passing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    learning_rate: 0.0001
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Sources

    - The key tables of `budgetlint.readers`, each with the framework's own argument type.
    """,
)

INTERNAL_ERROR = builtin_rule(
    "BL998",
    "internal-error",
    Severity.ERROR,
    """\
    Reading a file, joining it with others or estimating a run raised an exception: a bug in budgetlint.

    ## What it costs

    Nothing is known of that file or run; the others are checked. The exit code is 2, whatever else is found.

    ## Failing

    A reader that takes a text for a number without asking.

    ## Passing

    A reader that yields a misread value.

    ## Sources

    - `budgetlint.resolve.project`, `Project.contained`.
    """,
)

CRASHED_RULE = builtin_rule(
    "BL999",
    "crashed-rule",
    Severity.ERROR,
    """\
    A rule raised an exception: a bug in the rule.

    ## What it costs

    Whatever it would have found is not known; the exit code is 2.

    ## Failing

    A rule that reads `run.setting("micro_batch").value` without asking whether there is one.

    ## Passing

    A rule that names the settings it reads in `needs`.

    ## Sources

    - `budgetlint.engine.check`.
    """,
)

BUILTIN_RULES = (
    UNUSED_SUPPRESSION,
    UNKNOWN_SUPPRESSION,
    EXPIRED_SUPPRESSION,
    SUPPRESSION_WITHOUT_REASON,
    BAD_SETTING,
    BROKEN_PLUGIN,
    MISREAD_VALUE,
    *FILE_RULES,
    *GATE_RULES,
    INTERNAL_ERROR,
    CRASHED_RULE,
)


def builtin_finding(
    rule: Rule,
    location: Location,
    message: str,
    *,
    help: str = "",
    key: str = "",
    value: str = "",
    related: tuple[Related, ...] = (),
    fixes: tuple[Fix, ...] = (),
    numbers: dict[str, Any] | None = None,
) -> Finding:
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        rule.confidence,
        message,
        location,
        help,
        key,
        value,
        related,
        fixes,
        numbers or {},
    )
