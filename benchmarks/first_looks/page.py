"""docs/first-look.md, written from the record; nothing on it is typed by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from first_looks.interval import wilson
from first_looks.record import Batch, rows_of
from first_looks.sheets import OPEN, Row

LEVELS = (("error", "errors"), ("warning", "warnings"), ("info", "remarks"))
DOES_NOT_FIT = ("does-not-fit", "probably-does-not-fit")
TRUE = ("right", "wrong-bill")
"""Judgements that make a verdict true: its figures are another line."""


HEAD = """\
# First looks

How often budgetlint is right about what nobody had shown it. Every figure here comes from `python benchmarks/first_look.py page`, from the
record `benchmarks/data/first_looks.jsonl`: public repositories, public bug reports and planted mistakes that no rule had been written or
mended on, read by a commit that was frozen before, judged by hand, and recorded before anything was changed for them.
"""

HOW = """\
## How they are judged

Each row is judged by hand with the config, the program that reads it and the framework's source beside it; the reason names the line that
decides. A finding is *right* where it is true and worth saying, *wrong-bill* where the verdict is true and its figures are not, *noise*
where it is true and of no use to whoever owns the file, else *wrong*; only *right* counts as right. A pair of repository and rule is
right where each of its judged findings is. Of many alike (one rule and level in one repository) five are drawn by a digest, the same
whenever asked. A planted mistake is *found* where a new finding names it. The cause of a report was written down, with who found it and
where, before the linter ran; *named* means that whoever reads the output knows what to change, *partly* that it leads there. A report of
memory is foretold where the verdict is what happened. Preview rules, which `--preview` asks, are counted apart (from batch 6 on). What
public text cannot decide is *open*, and counted nowhere.

A batch is at least ten repositories, ten reports and ten planted mistakes. None of them may be of an earlier batch, of the files that rules
were written on, or of the reports that were used before (`benchmarks/data/looked_at.txt`). Each line of the record holds the digest of the
line before, so no batch can be rewritten. After it is recorded, a batch's cases are used for mending, and are never counted again.

## How to judge a batch

`MIRROR` holds each repository as `OWNER+NAME`, a clone or a git directory; nothing of it is run.

```text
python benchmarks/first_look.py look --commit HASH --repositories benchmarks/data/first_look_0.txt --batch 0 --mirror MIRROR --out SHEETS
python benchmarks/first_look.py seed --commit HASH --repositories benchmarks/data/first_look_0.txt --batch 0 --mirror MIRROR --out SHEETS
python benchmarks/first_look.py reports --commit HASH --batch 0 --out SHEETS
python benchmarks/first_look.py show SHEETS/repositories.jsonl
python benchmarks/first_look.py judge SHEETS/repositories.jsonl judgements.txt  # lines: NUMBER WORD REASON
python benchmarks/first_look.py record SHEETS/*.jsonl
python benchmarks/first_look.py page
```
"""


class Share(NamedTuple):
    """So many of so many."""

    right: int
    asked: int

    @property
    def text(self) -> str:
        if not self.asked:
            return "none"
        low, high = wilson(self.right, self.asked)
        return f"{self.right} of {self.asked} ({100 * low:.0f} to {100 * high:.0f} %)"


def share(rows: Iterable[Row], right: Sequence[str]) -> Share:
    told = [row for row in rows if row.judged != OPEN]
    return Share(sum(row.judged in right for row in told), len(told))


def pairs(rows: Iterable[Row]) -> Share:
    """Pairs of a repository and a rule: right where every finding of the pair that was judged is."""
    found: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row in rows:
        if row.judged != OPEN:
            found[row.source, row.rule].append(row.judged == "right")
    return Share(sum(map(all, found.values())), len(found))


def _by_finding(level: str, rows: Sequence[Row]) -> Share:
    return share(_findings(rows, level), ("right",))


def _by_pair(level: str, rows: Sequence[Row]) -> Share:
    return pairs(_findings(rows, level))


def _findings(rows: Sequence[Row], level: str) -> list[Row]:
    return [row for row in rows if row.kind == "finding" and row.level == level]


def _of_kind(kind: str, *rules: str) -> Callable[[Sequence[Row]], list[Row]]:
    return lambda rows: [row for row in rows if row.kind == kind and (row.rule in rules or not rules)]


def _outcomes(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.kind == "verdict" and row.rule == "outcome"]


def measures() -> Iterator[tuple[str, Callable[[Sequence[Row]], Share]]]:
    """What is counted, in order."""
    for level, name in LEVELS:
        yield f"{name} right, by finding", partial(_by_finding, level)
        yield f"{name} right, by repository and rule", partial(_by_pair, level)
    yield "*does not fit* that is so", lambda rows: share(_of_kind("finding", *DOES_NOT_FIT)(rows), TRUE)
    yield "*fits* that is so", lambda rows: share(_of_kind("verdict", "fits")(rows), ("right",))
    yield "settings right, of those claimed", lambda rows: share(_of_kind("setting")(rows), ("right",))
    yield "preview findings right, by finding", lambda rows: share(_of_kind("preview")(rows), ("right",))
    yield "preview findings right, by repository and rule", lambda rows: pairs(_of_kind("preview")(rows))
    yield "planted mistakes found", lambda rows: share(_of_kind("seed")(rows), ("found",))
    yield "planted mistakes found, with preview rules", lambda rows: share(_of_kind("seed")(rows), ("found", "preview"))
    yield "reports whose cause is named", lambda rows: share(_of_kind("cause")(rows), ("named",))
    yield "reports whose cause is named, or partly", lambda rows: share(_of_kind("cause")(rows), ("named", "partly"))
    yield "reports whose cause is named, with preview rules", lambda rows: share(_of_kind("cause")(rows), ("named", "preview"))
    yield "reports of memory foretold", lambda rows: share(_outcomes(rows), ("right",))
    yield "reports told *fits* that ran out of memory", lambda rows: share(_outcomes(rows), ("ran-out",))


def page(record: Sequence[Batch], pending: Mapping[str, int]) -> str:
    """The page. ``pending``: what is gathered for batches that nobody has judged yet, by its name."""
    return "\n".join([HEAD, *(_table(record) if record else _empty(pending)), *_rules(record), *_batches(record), HOW]).rstrip() + "\n"


def _empty(pending: Mapping[str, int]) -> Iterator[str]:
    yield "No batch is recorded yet, so there is no figure to quote."
    if any(pending.values()):
        waiting = ", ".join(f"{count} {name}" for name, count in pending.items() if count)
        yield f"Gathered and not looked at: {waiting}."
    yield ""


def _table(record: Sequence[Batch]) -> Iterator[str]:
    yield "Counts, with the Wilson interval of 95 % behind each. What could not be told from public text is left out of both counts. *All*"
    yield "pools the batches; since the linter changes between them, the newest says most about today's."
    yield ""
    columns = [(str(batch["batch"]), rows_of(batch)) for batch in record]
    columns.append(("all", [row for _, rows in columns for row in rows]))
    yield f"| what | {' | '.join(f'batch {name}' if name != 'all' else name for name, _ in columns)} |"
    yield f"| --- |{' --- |' * len(columns)}"
    for name, measure in measures():
        yield f"| {name} | {' | '.join(measure(rows).text for _, rows in columns)} |"
    for name, words in (
        ("runs judged (fits, tight or does not fit)", VERDICTS),
        ("runs judged, or depending on what is named", (*VERDICTS, "depends")),
    ):
        yield f"| {name} | {' | '.join(_told([batch], words) for batch in record)} | {_told(record, words)} |"
    yield ""


def _words(record: Iterable[Batch]) -> Counter[str]:
    return sum((Counter(one.get("runs") or {}) for one in _looked_at(record, "repositories")), Counter())


def _looked_at(record: Iterable[Batch], kind: str) -> Iterator[Mapping[str, dict[str, int]]]:
    return (one for batch in record for look in batch["looks"] if look["kind"] == kind for one in look["looked_at"])


VERDICTS = ("fits", "tight", "does-not-fit")


def _told(record: Iterable[Batch], which: Iterable[str]) -> str:
    """The share of the runs that were told one of these words."""
    words = _words(record)
    return Share(sum(words[word] for word in which), words.total()).text


def _rules(record: Sequence[Batch]) -> Iterator[str]:
    """Each rule over all batches, those that are wrong most often first, and in the newest batch that judged one of its findings."""
    judged = [(str(batch["batch"]), [row for row in rows_of(batch) if row.kind in ("finding", "preview")]) for batch in record]
    names = {row.rule for _, rows in judged for row in rows if row.judged != OPEN}
    if not names:
        return
    yield "## By rule"
    yield ""
    yield "Findings judged right of those judged, over all batches and in the newest batch that met the rule. Rules are mended between"
    yield "batches: what the newest says is nearer to today's, and rests on fewer findings. Rules under 80 % are narrowed, or lose their"
    yield "level."
    yield ""
    yield "| rule | right, all batches | newest batch | right there |"
    yield "| --- | --- | --- | --- |"
    told = {name: [(number, share(_of_rule(rows, name), ("right",))) for number, rows in judged] for name in names}
    for name, shares in sorted(told.items(), key=lambda one: (_part(_pooled(one[1])), -_pooled(one[1]).asked, one[0])):
        newest, there = next((number, one) for number, one in reversed(shares) if one.asked)
        yield f"| {name} | {_of(_pooled(shares))} | {newest} | {_of(there)} |"
    yield ""


def _of_rule(rows: Iterable[Row], rule: str) -> list[Row]:
    return [row for row in rows if row.rule == rule]


def _pooled(shares: Iterable[tuple[str, Share]]) -> Share:
    every = [one for _, one in shares]
    return Share(sum(one.right for one in every), sum(one.asked for one in every))


def _part(share: Share) -> float:
    return share.right / share.asked


def _of(share: Share) -> str:
    return f"{share.right} of {share.asked}"


def _batches(record: Sequence[Batch]) -> Iterator[str]:
    for batch in record:
        rows = rows_of(batch)
        yield f"## Batch {batch['batch']}"
        yield ""
        yield f"Commit `{batch['commit'][:12]}`, judged {batch['date']}, {batch['judged_by']}; {_counts(batch)}."
        if batch["short"]:
            yield f"Smaller than a batch should be: {batch['short']}."
        words = ", ".join(f"{count} {word}" for word, count in _words([batch]).most_common())
        yield f"Runs: {words or 'none'}."
        yield ""
        yield from _wrong(rows)


def _counts(batch: Batch) -> str:
    return ", ".join(f"{len(look['looked_at'])} {look['kind']}" for look in batch["looks"])


def _wrong(rows: Sequence[Row]) -> Iterator[str]:
    """What was said wrongly, by rule: where to mend."""
    told = [
        replace(row, rule=f"{row.rule} (preview)") if row.kind == "preview" else row for row in rows if row.kind in ("finding", "preview")
    ]
    found = Counter(row.rule for row in told if row.judged in ("wrong", "noise", "wrong-bill"))
    judged = Counter(row.rule for row in told if row.judged != OPEN)
    if found:
        yield "| rule | not right | of those judged |"
        yield "| --- | --- | --- |"
        yield from (f"| {rule} | {count} | {judged[rule]} |" for rule, count in sorted(found.items(), key=lambda one: (-one[1], one[0])))
        yield ""
