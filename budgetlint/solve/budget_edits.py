"""Changed settings as edits of a budget: a value where it stands, an option behind its statement, a new statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from budgetlint.base.finding import Edit
from budgetlint.base.source import SourceFile, Span
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import OriginKind, Setting

STATEMENTS: Mapping[str, tuple[str, str]] = {
    "micro_batch": ("batch", ""), "grad_accum": ("batch", "accum"), "seq_len": ("seq", ""),
    "recompute": ("recompute", ""), "recompute_every": ("recompute", "every"), "recompute_offload": ("recompute", "offload"),
    "attention": ("attention", ""), "loss": ("loss", ""), "optimizer": ("optimizer", ""), "precision": ("precision", ""),
    "adapter": ("lora", ""), "lora_r": ("lora", "r"), "lora_targets": ("lora", "targets"),
    "quant": ("quant", ""), "quant_double": ("quant", "double"),
    "shard": ("shard", ""), "shard_strategy": ("shard", ""), "offload_optimizer": ("shard", "offload"),
    "offload_params": ("shard", "offload"), "zero_bucket": ("shard", "bucket"), "zero_allgather_bucket": ("shard", "bucket"),
}  # fmt: skip
"""Setting -> statement and option. Both ZeRO buckets are one option; what FSDP shards is a second value, which is only ever replaced."""

_OFFLOADED = {"offload_optimizer": "optimizer", "offload_params": "params"}


def statement_edits(context: RunContext, changes: Mapping[str, Any]) -> tuple[Edit, ...]:
    """None where a setting has no statement, or where nothing says in which budget to write it."""
    anchor = _anchor(context)
    if anchor is None or not STATEMENTS.keys() >= changes.keys():
        return ()
    found: list[Edit] = []
    for keyword in dict.fromkeys(STATEMENTS[name][0] for name in changes):
        part = {name: value for name, value in changes.items() if STATEMENTS[name][0] == keyword}
        stands = _standing(context, keyword)
        edits = list(_changed(stands, part, keyword)) if stands else [_new(anchor, keyword, part)]
        if None in edits:
            return ()
        found.extend(edit for edit in edits if edit is not None)
    return tuple(found)


def claim_edits(context: RunContext, name: str, value: Any) -> tuple[Edit, ...]:
    """What the budget says about a setting that a file decides: it would disagree with the edited file."""
    claim = context.claim(name)
    statement = ".".join(part for part in STATEMENTS.get(name, ()) if part)
    if claim is None or claim.value == value or claim.origin.key != statement or not is_editable(claim.origin.source):
        return ()
    edit = _replaced(claim, value)
    return () if edit is None else (edit,)


def _anchor(context: RunContext) -> Setting | None:
    """A statement of the run's own, in front of which a new one is written; the run's block before the top level."""
    own = context.budget_run.own if context.budget_run else {}
    candidates = [*own.values(), *context.run.settings.values()]
    return next((setting for setting in candidates if _is_statement(setting)), None)


def _is_statement(setting: Setting) -> bool:
    origin = setting.origin
    plain = (
        origin.kind is OriginKind.BUDGET and origin.source is not None and origin.key in ("model", "batch", "seq", "optimizer", "device")
    )
    return plain and origin.key_span is not None and origin.span != origin.key_span and is_editable(origin.source)


def is_editable(source: SourceFile | None) -> bool:
    """A budget file, standard input or ``--budget``; a budget inside another file stands at other places than its text says."""
    return source is not None and (source.path.endswith(".budget") or source.path in ("-", "--budget"))


def _standing(context: RunContext, keyword: str) -> list[Setting]:
    """What the budget says with this statement already, in order of place."""
    every = (*(context.budget_run.settings.values() if context.budget_run else ()), *context.run.settings.values())
    found = {
        (one.origin.span.start, one.name): one
        for one in every
        if one.origin.kind is OriginKind.BUDGET and one.origin.span and one.origin.key.partition(".")[0] == keyword
    }
    return [found[place] for place in sorted(found)]


def _changed(stands: list[Setting], part: Mapping[str, Any], keyword: str) -> Iterator[Edit | None]:
    """Values replaced where they stand; what is new goes behind the statement's last value."""
    by_name = {setting.name: setting for setting in stands}
    source = stands[0].origin.source
    if source is None or not is_editable(source) or any(one.origin.source is not source for one in stands):
        yield None
        return
    part = {name: value for name, value in part.items() if name not in by_name or by_name[name].value != value}
    yield from (_replaced(by_name[name], value) for name, value in part.items() if name in by_name)
    new = {name: value for name, value in part.items() if name not in by_name}
    listed = [one for one in stands if one.name in _OFFLOADED]
    if listed and new.keys() & _OFFLOADED.keys():
        yield _also_offloaded(listed[-1], new)
    elif new:
        yield _behind(source, max(one.origin.span.end for one in stands if one.origin.span), _options(keyword, new))


def _also_offloaded(last: Setting, new: Mapping[str, Any]) -> Edit | None:
    """One more item of the list in ``offload=[optimizer]``."""
    source, span = last.origin.source, last.origin.span
    if source is None or span is None or len(new) != 1 or source.text[span.end : span.end + 1] != "]":
        return None
    return Edit(source.path, Span(span.end, span.end), f", {_OFFLOADED[next(iter(new))]}")


def _behind(source: SourceFile, end: int, options: str) -> Edit | None:
    """Not inside a list, whose end nobody here knows."""
    return Edit(source.path, Span(end, end), f" {options}") if options and source.text[end : end + 1] not in ("]", ",") else None


def _replaced(setting: Setting, value: Any) -> Edit | None:
    origin = setting.origin
    if origin.span is None or origin.source is None or origin.span == origin.key_span or setting.name in _OFFLOADED:
        return None
    return Edit(origin.source.path, origin.span, _word(value))


def _new(anchor: Setting, keyword: str, part: Mapping[str, Any]) -> Edit | None:
    """In front of the anchor's statement: on a line of its own where the anchor has one."""
    source, span = anchor.origin.source, anchor.origin.key_span
    if source is None or span is None:
        return None
    main = next((_word(value) for name, value in part.items() if not STATEMENTS[name][1] and keyword != "lora"), "")
    words = " ".join(word for word in (keyword, main, _options(keyword, part)) if word)
    line = source.text.rfind("\n", 0, span.start) + 1
    end = source.text.find("\n", span.start)
    indent, rest = source.text[line : span.start], source.text[span.start : end if end >= 0 else len(source.text)]
    alone = not indent.strip() and ";" not in rest and "}" not in rest and end >= 0
    return Edit(source.path, Span(span.start, span.start), f"{words}\n{indent}" if alone else f"{words}; ")


def _options(keyword: str, part: Mapping[str, Any]) -> str:
    options: dict[str, str] = {}
    offloaded = [_OFFLOADED[name] for name in part if name in _OFFLOADED]
    for name, value in part.items():
        option = STATEMENTS[name][1]
        if option and name not in _OFFLOADED and not (name == "lora_targets" and keyword == "lora"):
            options[option] = _word(value)
    if offloaded:
        options["offload"] = f"[{', '.join(sorted(offloaded))}]"
    return " ".join(f"{name}={word}" for name, word in options.items())


def _word(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
