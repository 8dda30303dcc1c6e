"""How far real configs get, from files to estimates: ``python benchmarks/corpus_report.py CORPUS [--misses FORMAT] [--models]``.

CORPUS holds ``files/`` and ``manifest.jsonl`` with ``path``, ``format`` and ``sub`` per line; formats are the readers' names. The
first folder of a path is the repository: its files are joined to runs as ``budgetlint check`` joins them.

First table, by the manifest's format: files; *right*, recognised as that (``trl``, ``alignment_handbook`` and
``hf_training_arguments`` are one family); *other*, claimed as something else; *read*, parsed and not refused; *runs* that a file
of the format takes part in; of those joined from several files, with a model that the catalog knows, and estimated (both
ends of the range are known). Second table, the same by the reader of the training file. Then the reasons for the rest.

Last what must hold: no traceback, no file of kind ``negative`` claimed, none claimed by two readers. The exit code says
whether it does.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from corpus_outcomes import Joined, Outcome, Repository, repositories, same

LABELS = {
    "config.json": ("model_config", "hf", "a LLaMA checkpoint's config.json, which model_config is to read"),
    "adapter_config.json": ("peft_adapter_config", "adapter_config", "a PEFT adapter's own config, which peft_adapter_config is to read"),
}
"""Negatives that the manifest labels wrongly, by file name: what claims them, the manifest's ``sub``, the reason."""

NO_TRAINING_ARGUMENTS = (
    ("eval_results/", "an evaluation's own record, with a few of a run's settings in it"),
    ("bing_bert/", "DeepSpeed's BERT example: its own flags around its own JSON"),
    ("BingBertSquad/", "DeepSpeed's BERT example: its own flags around its own JSON"),
    ("dreambooth", "a diffusion model's trainer"),
    ("stable_diffusion/", "a diffusion model's trainer"),
    ("controlnet", "a diffusion model's trainer"),
    ("finetune0.sh", "names a config that is not here, and holds no key of its own"),
    ("train_hqq_bench.sh", "a program around its own loop, with flags of its own"),
    ("train_sql.sh", "a program around its own loop, with flags of its own"),
    ("run_chatbot", "a chat, not a training run"),
    ("run_inference", "generation, not a training run"),
    ("run_evaluation", "evaluation, not a training run"),
)
"""Files that the manifest counts to `hf_training_arguments` and that start no run with training arguments, by a part of the path."""


def exceptions(outcomes: list[Outcome]) -> Iterator[str]:
    """What is left of the Hugging Face family without files that hold none of its keys to tell it by."""
    family = [one for one in outcomes if one.row.format in ("trl", "alignment_handbook", "hf_training_arguments")]
    reasons = Counter(_excepted(one) for one in family if not one.right)
    spared = sum(count for reason, count in reasons.items() if reason)
    right = sum(one.right for one in family)
    yield f"trl, alignment_handbook and hf_training_arguments: {right} of {len(family)} right, {right / (len(family) - spared):.1%} without"
    yield from (f"   {count} x {reason}" for reason, count in reasons.most_common() if reason)


def _excepted(one: Outcome) -> str:
    return next((reason for part, reason in NO_TRAINING_ARGUMENTS if part in one.row.path), "")


def files_table(found: list[Repository]) -> Iterator[str]:
    yield f"{'format':<23}{'files':>6}{'right':>7}{'share':>8}{'other':>7}{'read':>7}{'runs':>7}{'joined':>8}{'known':>7}{'estimated':>11}"
    outcomes = [one for repository in found for one in repository.outcomes]
    for name in sorted({one.row.format for one in outcomes}):
        rows = [one for one in outcomes if one.row.format == name]
        right = sum(one.right for one in rows)
        other = sum(bool(one.claimed) for one in rows) - right
        read = sum(not one.unparsed and not one.crash for one in rows)
        runs = list(_taking_part(found, name))
        joined, known, whole = sum(run.joined for run in runs), sum(run.known for run in runs), sum(run.bounded for run in runs)
        share = right / len(rows)
        yield f"{name:<23}{len(rows):>6}{right:>7}{share:>8.1%}{other:>7}{read:>7}{len(runs):>7}{joined:>8}{known:>7}{whole:>11}"


def _taking_part(found: list[Repository], name: str) -> Iterator[Joined]:
    for repository in found:
        files = {one.row.path for one in repository.outcomes if one.row.format == name}
        yield from (run for run in repository.runs if files.intersection(run.files))


def runs_table(runs: list[Joined]) -> Iterator[str]:
    yield f"{'reader':<23}{'runs':>6}{'joined':>8}{'named':>7}{'known':>7}{'length':>8}{'estimated':>11}{'share':>8}  reasons for the rest"
    for name in (*sorted({one.reader for one in runs}), "all"):
        rows = [one for one in runs if name in (one.reader, "all")]
        joined, named, known = sum(one.joined for one in rows), sum(bool(one.model) for one in rows), sum(one.known for one in rows)
        length, whole = sum(one.length for one in rows), sum(one.bounded for one in rows)
        counts = f"{len(rows):>6}{joined:>8}{named:>7}{known:>7}{length:>8}{whole:>11}{whole / max(1, len(rows)):>8.1%}"
        yield f"{name:<23}{counts}  {', '.join(f'{count} {reason}' for reason, count in reasons(rows))}"


def reasons(runs: list[Joined]) -> list[tuple[str, int]]:
    """Why runs have no estimate, commonest first; a run may lack several things."""
    return Counter(_reason(one, name) for one in runs if not one.bounded for name in one.missing).most_common()


def _reason(run: Joined, missing: str) -> str:
    return "model not in the catalog" if missing == "model" and run.model else f"{missing} not stated"


def complete_but_missing(runs: list[Joined]) -> int:
    """Runs with a known model and a known length that are not estimated."""
    return sum(one.known and one.length and not one.bounded for one in runs)


def summary(found: list[Repository]) -> tuple[list[str], bool]:
    """What must hold, with figures, and whether it does."""
    outcomes = [one for repository in found for one in repository.outcomes]
    crashes = [text for repository in found for text in (repository.crash, *(one.crash for one in repository.outcomes)) if text]
    negatives = [one for one in outcomes if one.row.format == "negative" and one.claimed and not _wrong_label(one)]
    labels = [one for one in outcomes if one.row.format == "negative" and _wrong_label(one)]
    tied = [one for one in outcomes if one.tied]
    lines = [
        *exceptions(outcomes),
        f"tracebacks: {len(crashes)}",
        *crashes,
        f"negatives claimed: {len(negatives)}",
        *(f"   {one.row.repository}/{one.row.path} as {one.claimed}" for one in negatives),
        f"negatives that the manifest labels wrongly: {len(labels)}",
        *(f"   {one.row.repository}/{one.row.path}: {LABELS[_leaf(one)][2]}" for one in labels),
        f"claimed by two readers: {len(tied)}",
        *(f"   {one.row.repository}/{one.row.path}" for one in tied),
    ]
    return lines, not (crashes or negatives or tied)


def _leaf(one: Outcome) -> str:
    return one.row.path.rpartition("/")[2]


def _wrong_label(one: Outcome) -> bool:
    return LABELS.get(_leaf(one), ("", "", ""))[:2] == (one.claimed, one.row.sub)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--misses", metavar="FORMAT", help="files of FORMAT not recognised, and those claimed as FORMAT by mistake")
    parser.add_argument("--unparsed", action="store_true", help="files that do not parse, and why")
    parser.add_argument("--models", action="store_true", help="the models that the catalog does not know, most wanted first")
    asked = parser.parse_args()
    began = time.process_time()
    found = list(repositories(asked.corpus))
    spent = time.process_time() - began
    runs = [run for repository in found for run in repository.runs]
    lines, holds = summary(found)
    print("\n".join((*files_table(found), "", *runs_table(runs), "")))
    print(f"known model and length, yet no estimate: {complete_but_missing(runs)}")
    print("\n".join((*lines, f"{spent:.1f} s of CPU time")))
    for text in (*_misses(found, asked.misses), *(_unparsed(found) if asked.unparsed else ()), *(_wanted(runs) if asked.models else ())):
        print(text)
    return 0 if holds else 1


def _misses(found: list[Repository], name: str | None) -> Iterator[str]:
    for one in (one for repository in found for one in repository.outcomes) if name else ():
        if (one.row.format == name and not one.right) or (same(one.claimed, name or "") and not one.right):
            yield f"{one.row.format:<22} {one.row.sub:<16} as {one.claimed or '-':<22} {one.row.repository}/{one.row.path} {one.unparsed}"
        yield from (f"   misread {one.row.repository}/{one.row.path}: {wrong}" for wrong in one.misreads if one.row.format == name)


def _unparsed(found: list[Repository]) -> Iterator[str]:
    rows = (one for repository in found for one in repository.outcomes)
    return (f"{one.row.format:<22} {one.row.repository}/{one.row.path}: {one.unparsed}" for one in rows if one.unparsed)


def _wanted(runs: list[Joined]) -> Iterator[str]:
    for name, count in Counter(one.model for one in runs if one.model and not one.known).most_common():
        yield f"{count:>6}  {name}"


if __name__ == "__main__":
    raise SystemExit(main())
