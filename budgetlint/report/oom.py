"""``estimate --oom``: which tensor it was, what was live beside it, what the message says, what fits instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from budgetlint.base.plain_text import ascii_json, one_line
from budgetlint.base.units import gib
from budgetlint.memory.estimate import Estimate, Phase
from budgetlint.memory.term import Bucket
from budgetlint.oom.explain import Explanation
from budgetlint.oom.match import Candidate
from budgetlint.oom.tensor import KINDS
from budgetlint.report.bill import WHAT, costly_lines
from budgetlint.report.estimate_json import because_json, document
from budgetlint.report.style import PLAIN, WIDTH, TerminalStyle, wrapped
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Setting

LINES = 6


# -- text --------------------------------------------------------------------------------------------------------------------


def render(explained: Explanation, context: RunContext | None, instead: Sequence[str] = (), style: TerminalStyle = PLAIN) -> str:
    """The answer for one run, or for the log alone; ends with a line end."""
    parts = (
        _answer(explained, context),
        _beside(explained),
        _live(explained, context, style),
        _remarks(explained, style),
        _instead(instead, style),
    )
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part))) + "\n"


def _answer(explained: Explanation, context: RunContext | None) -> Iterator[str]:
    name = f"{one_line(context.label)}: " if context is not None else ""
    yield from wrapped(f"{name}{_sentence(explained, context)}", WIDTH, rest="  ")


def _sentence(explained: Explanation, context: RunContext | None) -> str:
    found, best = explained.found, explained.best
    if found.message is None:
        return f"the host ran out of memory (line {found.at:,}: {_cut(found.host.strip())})"
    quoted = found.message.requested
    if quoted is None:
        return f"the message quotes no allocation (line {found.at:,}: {_cut(found.message.text.strip())})"
    if context is None:
        return f"{quoted.text} was asked for{_when(explained)}; no run is known here, so which tensor that is stays open"
    if best is not None:
        lead = {"sure": "", "likely": "most likely ", "several": "one of several: ", "guess": "perhaps "}[explained.certainty]
        return f"{quoted.text} = {best.arithmetic}: {lead}{_named(best)} ({_set_by(explained, best)})"
    if context.plan is None:
        return f"{quoted.text} was asked for{_when(explained)}; the run's model is not known, so no tensor can be told"
    return f"{quoted.text} is the size of no tensor of this run{_when(explained)}{_kind_told(explained)}"


def _when(explained: Explanation) -> str:
    return f" in the {explained.phase}" if explained.phase else ""


def _kind_told(explained: Explanation) -> str:
    kind = explained.clue.kind
    return f"; its traceback ends in {KINDS[kind]}" if kind else ""


def _named(candidate: Candidate) -> str:
    return candidate.tensor.what


def _set_by(explained: Explanation, best: Candidate) -> str:
    because = [_place(setting) for setting in best.tensor.because if setting.origin.location][:2]
    return f"{explained.phase}{', set by ' + ' and '.join(because) if because else ''}"


def _place(setting: Setting) -> str:
    at = setting.origin.location
    key = setting.origin.key or setting.name
    return one_line(f"{key}: {setting.shown} at {at.file}:{at.line}" if at else f"{key}: {setting.shown}")


def _cut(text: str) -> str:
    text = one_line(text.rstrip())
    return text if len(text) <= WIDTH else text[: WIDTH - 3] + "..."


def _beside(explained: Explanation) -> Iterator[str]:
    """How sure it is, and why."""
    best, clue = explained.best, explained.clue
    for line in _reasons(explained):
        yield from wrapped(line, WIDTH, first="  ", rest="    ")
    if clue.frame and best is not None:
        yield from wrapped(f"traceback: {_cut(clue.frame)}", WIDTH, first="  ", rest="    ")


def _reasons(explained: Explanation) -> Iterator[str]:
    best = explained.best
    if best is None:
        if explained.nearest is not None:
            near = explained.nearest
            yield f"nearest: {gib(near.bytes)} = {near.arithmetic}: {near.what} ({near.phase})"
        return
    if best.by_size != "exact":
        yield _length(best)
    if explained.certainty == "guess" and not explained.clue.kind:
        yield "no traceback says what kind of tensor it was, and some batch explains any size: a guess"
    if explained.vague:
        yield "any tensor of its kind up to 10 MiB asks for as much: the size tells nothing, the traceback does"
    if not best.tensor.planned:
        yield "by its config this run does not make that tensor: the log is of a run that differs from it"
    if explained.same:
        yield f"of the same size: {'; '.join(explained.same[:4])}"
    for rival in explained.rivals:
        yield f"equally likely: {rival.arithmetic}: {rival.tensor.what} ({rival.tensor.phase})"


def _length(best: Candidate) -> str:
    many, tensor = best.many, best.tensor
    if best.by_size == "length":
        return f"sequences of {many} tokens"
    limit = tensor.bytes // tensor.per_token
    if best.tensor.phase == "eval":
        return f"{many} tokens together: predictions stay on the card until the evaluation ends (eval_accumulation_steps)"
    if best.low > limit > 1:
        return f"a micro batch of {many} tokens: more than the {limit:,} that the config allows, so the log is of longer samples"
    return f"a micro batch of {many} tokens" + (f", of at most {limit:,}: samples are padded to the longest" if limit > 1 else "")


def _live(explained: Explanation, context: RunContext | None, style: TerminalStyle) -> Iterator[str]:
    estimate = context.estimate if context is not None else None
    phase = estimate.phase(explained.phase) if estimate is not None else None
    if estimate is None or phase is None or explained.found.message is None:
        return
    yield style.ink(f"  live in the {phase.name}, at {phase.moment or 'its highest'}, by the estimate", "bold")
    yield from _buckets(phase)
    yield f"  {gib(phase.bytes):>12}  together{_limit(estimate)}"
    yield from _lines(phase, style)


def _limit(estimate: Estimate) -> str:
    return f"; the limit is {gib(estimate.limit)}, before context and fragmentation" if estimate.limit is not None else ""


def _buckets(phase: Phase) -> Iterator[str]:
    for bucket in Bucket:
        if phase.buckets.get(bucket):
            yield f"  {gib(phase.buckets[bucket]):>12}  {WHAT[bucket]}"


def _lines(phase: Phase, style: TerminalStyle) -> Iterator[str]:
    lines = [line for line in costly_lines(phase.terms) if line.bytes > 0 and line.where]
    if lines:
        yield style.ink("  the lines that set it", "bold")
    for line in lines[:LINES]:
        yield _cut(f"  {gib(line.bytes):>12}  {line.key}: {line.text}  {line.where}")


def _remarks(explained: Explanation, style: TerminalStyle) -> Iterator[str]:
    if explained.remarks:
        yield style.ink("  the message says besides", "bold")
    for remark in explained.remarks:
        yield from wrapped(remark, style.width, first="  - ", rest="    ")


def _instead(instead: Sequence[str], style: TerminalStyle) -> Iterator[str]:
    if instead:
        yield style.ink("  what fits instead", "bold")
    for line in instead:
        yield from wrapped(line, style.width, first="  - ", rest="    ")


# -- JSON --------------------------------------------------------------------------------------------------------------------


def render_json(explained: Iterable[tuple[RunContext, Explanation, Sequence[str]]], alone: Explanation) -> str:
    """The report of ``estimate`` with ``oom`` in every run, and what the log says under ``oom`` at the top."""
    rows = list(explained)
    whole = document([context for context, _, _ in rows])
    for run, (_, one, instead) in zip(whole["runs"], rows, strict=True):
        run["oom"] = run_oom(one, instead)
    return ascii_json(whole | {"oom": message_oom(alone)}, indent=2)


def run_oom(explained: Explanation, instead: Sequence[str] = ()) -> dict[str, Any]:
    """``bytes``, ``tensor``, ``phase``, ``because`` are the answer; ``certainty`` says how sure it is."""
    best = explained.best
    return {
        "bytes": explained.bytes,
        "tensor": best.tensor.what if best else None,
        "phase": explained.phase or None,
        "because": [because_json(setting) for setting in best.tensor.because] if best else [],
        "arithmetic": best.arithmetic if best else None,
        "kind": best.tensor.kind if best else explained.clue.kind or None,
        "certainty": explained.certainty,
        "candidates": [_candidate(one) for one in ((best, *explained.rivals) if best else ())],
        "remarks": list(explained.remarks),
        "instead": list(instead),
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    tensor = candidate.tensor
    return {
        "bytes": tensor.bytes if candidate.by_size == "exact" else candidate.low * tensor.per_token,
        "tensor": tensor.what,
        "arithmetic": candidate.arithmetic,
        "kind": tensor.kind,
        "phase": tensor.phase,
        "because": [because_json(setting) for setting in tensor.because],
    }


_FIGURES = ("gpu", "capacity", "free", "allocated", "unallocated", "in_use", "allowed")


def message_oom(explained: Explanation) -> dict[str, Any]:
    """What the log says by itself; every figure null where its wording has none. ``host``: the host's memory ran out."""
    found, message = explained.found, explained.found.message
    names = {name: name if name == "gpu" else f"{name}_bytes" for name in _FIGURES}
    return {
        "host": message is None,
        "line": found.at,
        "text": message.text if message else found.host,
        "bytes": explained.bytes,
        "phase": explained.phase or None,
        "frame": explained.clue.frame or None,
        "ranks": found.ranks,
        **{key: getattr(message, name) if message else None for name, key in names.items()},
        "processes": [{"pid": one.pid, "bytes": one.bytes} for one in message.processes] if message else [],
        "remarks": list(explained.remarks),
    }
