"""How much a finding may say, by what is known about who reads the file: the one place where evidence lowers a level.

An error needs a program that is known to read the file, and files that are known to be the run's. Of a script that is not followed, what is
written may be wrong, what is not written is its own; of a file that nobody is known to read, only the text itself can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.finding import Finding, Severity
from budgetlint.base.record import replace
from budgetlint.documents.python_marks import PERHAPS
from budgetlint.readers.base import names
from budgetlint.rules_api.context import Context, DocumentContext, RunContext
from budgetlint.rules_api.rule import Rule
from budgetlint.settings.consumer import ACCEPTED, FORMAT, SEVERAL, Consumer

SYNTAX = frozenset(("duplicate-key", "json-comment-or-comma", "no-verdict"))
"""What is wrong with a text, whoever reads it; and that nothing can be said of a run."""
INTERFACE = names(
    """unknown-key unknown-value hf-args-removed-v5 trl-max-seq-length-renamed evaluation-strategy-renamed torch-dtype-renamed
    gradient-checkpointing-renamed load-in-4bit-kwarg-removed dataset-split-key-ignored yaml-float-as-string yaml-bool-strategy
    yaml-string-boolean yaml-implicit-typing dict-arg-number-as-string report-to-none-v5 optim-args-not-parsed"""
)
"""Rules about which keys a parser takes, and how it loads their values: only of a parser that is known."""
_OF_LAUNCH = frozenset(("estimate", "plan", "target", "device", "devices", "nodes", "shard", "devices_per_node"))
"""What nobody knows of a file that nobody is seen to start."""


def allowed(rule: Rule | None, context: Context, findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings of a rule in a context, each as bad as the evidence lets it be."""
    consumer = consumer_of(context)
    name = rule.name if rule is not None else ""
    if consumer is not None and ((consumer.is_nobody and name not in SYNTAX) or (not consumer.followed and name in INTERFACE)):
        return
    for finding in findings:
        if _is_perhaps_absent(finding):
            continue
        most = _most(consumer, context, rule)
        yield finding if finding.severity <= most else replace(finding, severity=most)


def _is_perhaps_absent(finding: Finding) -> bool:
    """Is it about an argument that one way of the program does not give (``if "eval_strategy" in signature(...).parameters:``)?"""
    return finding.value.startswith(PERHAPS) or any(one.value.startswith(PERHAPS) for one in finding.because)


def consumer_of(context: Context) -> Consumer | None:
    """Who reads the trainer's file of a run, or a document."""
    if isinstance(context, RunContext):
        trainer = context.run.trainer
        return trainer.consumer if trainer is not None else None
    return context.reading.consumer if isinstance(context, DocumentContext) else None


def _most(consumer: Consumer | None, context: Context, rule: Rule | None) -> Severity:
    by_name = Severity.WARNING if _guessed(context) else Severity.ERROR
    return by_name if consumer is None else min(by_name, _by_evidence(consumer, context, rule))


def _by_evidence(consumer: Consumer, context: Context, rule: Rule | None) -> Severity:
    if consumer.evidence == SEVERAL:
        return Severity.INFO
    if not consumer.followed or consumer.evidence == ACCEPTED or consumer.when:
        return Severity.WARNING
    if consumer.evidence == FORMAT and rule is not None and _hangs_on_launch(rule, context):
        return Severity.WARNING
    return Severity.ERROR


def _guessed(context: Context) -> bool:
    """Is a file of the run known by its name alone? It may be another part's."""
    return isinstance(context, RunContext) and any(reading.guessed for reading in context.run.readings)


def _hangs_on_launch(rule: Rule, context: Context) -> bool:
    """Does a rule ask for devices or sharding, of a run that no command starts and no budget binds?"""
    if not isinstance(context, RunContext) or _OF_LAUNCH.isdisjoint(rule.needs):
        return False
    if context.budget_run is not None and context.budget_run.configs:
        return False
    return not any(reading.document.is_command for reading in context.run.readings)
