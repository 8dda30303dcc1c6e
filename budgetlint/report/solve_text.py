"""What `solve` found, for a person: the answer first, then what fits at most, what is needed at least, and the remedies by number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.finding import Edit
from budgetlint.base.plain_text import one_line
from budgetlint.base.units import distinct, gib
from budgetlint.memory.estimate import Estimate, Verdict
from budgetlint.report import answer
from budgetlint.report.style import PLAIN, WIDTH, TerminalStyle, plural, wrapped
from budgetlint.results.solution import MAY, Reach, Remedy, Solution, Told

TOLD = 6
"""So many levers that are no cure are named."""

UNNAMED = {"-": "budget", "--budget": "--budget"}
"""Texts that lie in no file."""


def render(solution: Solution, style: TerminalStyle = PLAIN) -> str:
    """The answer for one run; ends with a line end."""
    parts: tuple[Iterable[str], ...] = (_head(solution, style), _extremes(solution), *_lists(solution, style))
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part))) + "\n"


def _lists(solution: Solution, style: TerminalStyle) -> tuple[Iterable[str], ...]:
    numbered = tuple(_remedy(number, one, solution, style) for number, one in enumerate(solution.remedies, 1))
    return (*numbered, _no_cure(solution.told, style))


# -- the first line -----------------------------------------------------------------------------------------------------------


def _head(solution: Solution, style: TerminalStyle) -> Iterator[str]:
    estimate = solution.context.estimate
    label = one_line(solution.context.label)
    if estimate is None or not estimate.bill:
        yield from _begun(label, style.ink(label, "bold"), f": {answer.short(estimate) if estimate else 'incomplete: model'}")
        return
    verdict = answer.short(estimate)
    inked = f"{style.ink(label, 'bold')}: {style.verdict(solution.verdict, verdict)}"
    yield from _begun(f"{label}: {verdict}", inked, f": {_figures(solution, estimate)}{_answer(solution)}")


def _begun(words: str, inked: str, said: str) -> Iterator[str]:
    """A sentence in lines; its first words in color, where the first line holds them."""
    lines = wrapped(words + said, WIDTH, rest="  ")
    yield inked + lines[0].removeprefix(words) if lines[0].startswith(words) else lines[0]
    yield from lines[1:]


def _figures(solution: Solution, estimate: Estimate) -> str:
    need = f"{gib(estimate.need.bytes)}" if estimate.need.high is not None else f"{gib(estimate.need.low)} or more"
    if estimate.limit is None:
        return f"needs {need}; no budget says what the device offers"
    if solution.verdict is Verdict.UNKNOWN:
        return "; ".join([*answer.fork_lines(estimate), f"needs {need} of {gib(estimate.limit)}"])
    needed, limit = distinct(estimate.need.bytes, estimate.limit)
    most = f" ({gib(estimate.need.high)} at most)" if solution.verdict is Verdict.TIGHT and estimate.need.high is not None else ""
    return f"needs {needed}{most} of {limit}"


def _answer(solution: Solution) -> str:
    if solution.context.estimate is None or not solution.context.estimate.may_be_too_large:
        return ""
    sure = [one for one in solution.remedies if one.verdict is Verdict.FITS]
    found = solution.first_sure
    if found is None:
        return "; no remedy fits for certain" if solution.remedies else "; no remedy here makes it fit"
    number, best = found
    many = f"{plural(len(sure), 'remedy', 'remedies')} {'fits' if len(sure) == 1 else 'fit'}"
    said = "" if len(sure) == 1 else f", the first to try is {number}"
    cost = f", {best.cost}" if len(best.parts) == 1 else ""
    return f"; {many}{said}: {_short(best, solution)} (frees {gib(best.frees)}{cost})"


def _short(remedy: Remedy, solution: Solution) -> str:
    """The line to write where one edit is all, else what it does."""
    written = [_written(edit, solution) for edit in remedy.edits]
    return written[0] if len(written) == 1 and len(written[0]) < 50 else one_line(remedy.title)


# -- most and least -----------------------------------------------------------------------------------------------------------


def _extremes(solution: Solution) -> Iterator[str]:
    batch, seq = solution.batch, solution.seq
    judged = solution.context.estimate is not None and solution.context.estimate.limit is not None
    if judged and batch.at is not None:
        yield f"  largest micro batch    {_reach(batch)}{f'  at {batch.at:,} tokens' if batch.at else ''}"
    if judged and seq.at is not None:
        yield f"  longest sequence       {_reach(seq, ' tokens')}{f'  at micro batch {seq.at:,}' if seq.at else ''}"
        yield from _over(solution, seq)
    if solution.devices is not None:
        yield f"  fewest devices         {solution.devices:,}"
    if solution.card is not None:
        yield f"  smallest card          {one_line(solution.card.name)}  ({gib(solution.card.usable)} usable)"


def _reach(reach: Reach, unit: str = "") -> str:
    tight = f" (perhaps {reach.tight:,})" if reach.tight is not None and reach.tight != reach.fits else ""
    none = "none fits" if reach.tight is None else "none for certain"
    return f"{f'{reach.fits:,}{unit}' if reach.fits is not None else none}{tight}"


def _over(solution: Solution, seq: Reach) -> Iterator[str]:
    """The model itself may end before the memory does."""
    positions = solution.context.plan.arch.max_positions if solution.context.plan is not None else None
    if positions and seq.fits and seq.fits > positions:
        yield f"                         the model has {positions:,} positions"


# -- remedies -----------------------------------------------------------------------------------------------------------------


def _remedy(number: int, remedy: Remedy, solution: Solution, style: TerminalStyle) -> Iterator[str]:
    lead = f"{number:>3}. "
    verdict = style.verdict(remedy.verdict, MAY[remedy.verdict])
    yield from wrapped(one_line(remedy.title), WIDTH, first=lead, rest="     ")
    host = f", takes {gib(remedy.host)} of host memory" if remedy.host else ""
    yield f"     {verdict}: needs {gib(remedy.need)}, frees {gib(remedy.frees)} ({remedy.bucket}){host}"
    source = f" ({remedy.source})" if remedy.source else ""
    yield from wrapped(f"costs {remedy.cost}{source}", WIDTH, first="     ", rest="     ")
    yield from (f"     {style.ink(line, 'cyan')}" for line in _edit_lines(remedy, solution))


def _edit_lines(remedy: Remedy, solution: Solution) -> Iterator[str]:
    """``sft.yaml:12: optim: adamw_8bit``; a plus stands before what is new."""
    for edit in remedy.edits:
        source = solution.sources.get(edit.file)
        at = UNNAMED.get(edit.file) or f"{one_line(edit.file)}:{source.locate(edit.span).line if source else 0}"
        new = [f"+ {part.strip(', ;')}" for part in edit.text.split("\n") if part.strip(", ;")]
        for text in new if edit.span.start == edit.span.end else [_written(edit, solution)]:
            yield from _beside(f"{at}:", one_line(text))


def _beside(at: str, text: str) -> Iterator[str]:
    """On one line, or the place on a line of its own."""
    if len(at) + len(text) + len(INDENT) < WIDTH:
        yield f"{at} {text}"
    else:
        yield at
        yield f"  {text[: WIDTH - len(INDENT) - 2]}"


INDENT = "     "

BREAKS = (";", " --", " #", "\n", ', "')
"""What ends a statement of a budget, a flag of a command, a key of JSON, a line."""


def _written(edit: Edit, solution: Solution) -> str:
    """The statement, flag or line as it will be; of an insertion, what is new."""
    source, new = solution.sources.get(edit.file), " ".join(edit.text.split()).strip("; ")
    if source is None or "\n" in edit.text or edit.span.start == edit.span.end:
        return new.removeprefix(", ")
    text, span = source.text, edit.span
    start = max(text.rfind(mark, 0, span.start) + (1 if mark != ', "' else 2) for mark in BREAKS)
    ends = [at for mark in BREAKS if (at := text.find(mark, span.end)) >= 0]
    return f"{text[start : span.start]}{edit.text}{text[span.end : min(ends, default=len(text))]}".strip(" \\\n")


def _no_cure(told: tuple[Told, ...], style: TerminalStyle) -> Iterator[str]:
    if told:
        yield style.ink("  no cure here", "bold")
    for one in told[:TOLD]:
        freed = f" (frees {gib(one.frees)})" if one.frees > 0 else ""
        yield from wrapped(f"{one.title}: {one.why}{freed}", WIDTH, first="  - ", rest="    ")
    if len(told) > TOLD:
        yield f"  - {len(told) - TOLD} more"
