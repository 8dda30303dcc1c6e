"""What a followed program shows beside its settings, as rules and `estimate --why` are given it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from budgetlint.base.expression import expression
from budgetlint.base.record import replace
from budgetlint.base.suggest import near_names
from budgetlint.program.values import Choice, Known, Open, Value
from budgetlint.program.wording import ends, negated
from budgetlint.resolve.closed_flags import closed_flags
from budgetlint.resolve.idle_objects import idle_objects
from budgetlint.resolve.metrics_made import metrics_not_made
from budgetlint.resolve.own_schedules import own_schedules
from budgetlint.resolve.plain_calls import plain_calls
from budgetlint.resolve.program_places import at, text_at
from budgetlint.resolve.slips import slips
from budgetlint.resolve.strange_words import strange_words
from budgetlint.resolve.true_texts import true_texts
from budgetlint.resolve.unread_keys import unread_keys
from budgetlint.settings.program import (
    CONDITION,
    FAILS,
    LACKS,
    REQUIRED,
    UNEXPECTED,
    UNGIVEN,
    UNRECOGNIZED,
    VALUE,
    FollowedProgram,
    OriginStep,
    ProgramDoubt,
    ProgramRefusal,
)

if TYPE_CHECKING:
    from budgetlint.documents import Document
    from budgetlint.launch import Launch
    from budgetlint.program.document import Told
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Files, Trees
    from budgetlint.program.noted import Doubt
    from budgetlint.program.noted import Refusal as Found
    from budgetlint.program.places import Origin

_KINDS = {
    "stops": CONDITION, "required": REQUIRED, "unrecognized": UNRECOGNIZED, "unfamiliar": UNRECOGNIZED, "value": VALUE,
    "lacks": LACKS, "unexpected": UNEXPECTED, "ungiven": UNGIVEN, "fails": FAILS, "words": VALUE,
}  # fmt: skip
_WORDS = {
    "source": "literal", "flag": "flag", "config": "config", "option": "default of an option", "class": "default of a class",
    "environment": "environment", "declared": "budget",
}  # fmt: skip
_PLACEHOLDER = expression(r"'(?:\.\.\.|…|<.*>|\{.*\}|X+)'$")
"""What people put where somebody has to write a value."""
_STATED = frozenset({"flag", "config", "source", "declared"})


def facts_of(
    followed: Followed,
    path: str,
    trees: Trees,
    launch: Launch | None,
    words: Iterable[Value],
    *,
    others: Callable[[str], Iterable[Followed] | None],
    text: Callable[[], Iterable[str]],
) -> tuple[FollowedProgram, bool]:
    """The facts of a program, and whether its refusals are all that may end it before it trains. ``words`` are those of its launch;
    ``others`` and ``text`` are told in `unread_keys`."""
    files, given_all = trees.files, not any(_may_be_any(words))
    found = [(one, _told(one, files, launched=launch is not None, given_all=given_all)) for one in _before_training(followed)]
    is_told = all(told is not None or one.kind == "unfamiliar" for one, told in found)
    started = None if launch is None else launch.source.locate(launch.span)
    program = FollowedProgram(
        path,
        started,
        tuple(told for _, told in found if told is not None),
        (),
        tuple((name, at(origin.place, files)) for name, origin in followed.opened),
        find_unread=partial(unread_keys, followed, files, others, text),
        find_idle=partial(idle_objects, followed, path, trees),
        find_metrics=partial(metrics_not_made, followed, files),
        find_true_texts=partial(true_texts, followed, files, text),
        find_slips=partial(slips, followed, trees, text),
        find_strange=partial(strange_words, followed, files),
        find_schedules=partial(own_schedules, followed, files),
        find_closed=partial(closed_flags, followed, tuple(words), trees, text) if launch is not None else tuple,
        find_calls=partial(plain_calls, followed, files),
    )
    return program, is_told


def with_chains(program: FollowedProgram, document: Document, told: Told, files: Files) -> FollowedProgram:
    """The same with the ways of the values in one of its documents."""
    return replace(program, chain=partial(_chain, document, told, files))


def with_doubts(program: FollowedProgram, doubts: Iterable[Doubt], files: Files) -> FollowedProgram:
    """The same with what one of its trainings leaves open."""
    return replace(program, doubts=tuple(ProgramDoubt(one.why, at(one.place, files)) for one in doubts))


# where it ends


def _before_training(followed: Followed) -> list[Found]:
    """The refusals that are met before anything trains."""
    trains = min((one.number for one in followed.sinks if one.kind in {"trainer", "backward"}), default=len(followed.sinks))
    found = [one for one in followed.refusals if one.after <= trains]
    first = next((at for at, one in enumerate(found) if _is_meant_exit(one)), len(found))
    return found[: first + 1]  # it comes to nothing of what is behind it


def _is_meant_exit(one: Found) -> bool:
    node = one.place.node
    last = _last_of(node) if isinstance(node, ast.If) else None
    return isinstance(last, ast.Expr) and not _ending(last)


def _last_of(node: ast.If) -> ast.stmt | None:
    """What the one branch ends with that ends the program."""
    last = [body[-1] for body in (node.body, node.orelse) if body and ends(body[-1])]
    return last[0] if len(last) == 1 else None


def _told(one: Found, files: Files, *, launched: bool, given_all: bool) -> ProgramRefusal | None:
    """A refusal as rules are given it; None for one that nobody can be sure of."""
    kind = _KINDS.get(one.kind, "")
    if not one.sure or not kind or (kind == VALUE and _PLACEHOLDER.search(one.condition)):
        return None
    if kind == CONDITION:
        return _condition(one, files) if _is_stated(one, launched=launched) else None
    if kind == UNEXPECTED and all(origin.kind == "source" for origin in one.because):
        return _of_parser(one, kind, files)  # a literal: so it is, however the program is started
    return _of_parser(one, kind, files) if launched and (given_all or one.kind == VALUE) else None


def _may_be_any(words: Iterable[Value]) -> Iterator[bool]:
    """A word that is not known, and no flag's value: ``$@``."""
    flag = False
    for word in words:
        text = word.name if isinstance(word, Open) else str(word.value) if isinstance(word, Known) else ""
        yield not isinstance(word, Known) and not flag and not text.startswith("--")
        flag = text.startswith("--") and "=" not in text


def _is_stated(one: Found, *, launched: bool) -> bool:
    """What the condition hangs on stands in a flag, a config or the source; defaults of options count where a command starts the
    program."""
    kinds = {origin.kind for origin in one.because}
    return bool(kinds & _STATED) and kinds <= (_STATED | {"option"} if launched else _STATED)


def _condition(one: Found, files: Files) -> ProgramRefusal | None:
    node = one.place.node
    if not isinstance(node, ast.If | ast.Assert | ast.Raise):
        return None
    says, ending = one.condition, "AssertionError"
    if isinstance(node, ast.Raise):
        ending = _ending(node)
    elif isinstance(node, ast.Assert):
        says = negated(says)
        ending = _text(node.msg) or ending
    else:
        last = _last_of(node)
        if last is None:
            return None
        says = says if last is node.body[-1] else negated(says)
        ending = _ending(last)
    if not ending:
        return None
    return ProgramRefusal(CONDITION, says, at(one.place, files), ending, tuple(step(origin, files) for origin in one.because))


def _ending(node: ast.stmt) -> str:
    """How a program ends there; empty for an exit that reports no error."""
    if isinstance(node, ast.Raise):
        call = node.exc
        if call is None:
            return ""
        said = _text(call.args[0]) if isinstance(call, ast.Call) and call.args else ""
        name = ast.unparse(call.func if isinstance(call, ast.Call) else call)
        return f"{name}: {said}" if said else name
    call = node.value if isinstance(node, ast.Expr) else None
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if given is None or (isinstance(given, ast.Constant) and given.value in (0, None)):
        return ""
    return f"exit: {_text(given)}" if _text(given) else ast.unparse(node)[:80]


def _text(node: ast.expr | None) -> str:
    """The words of a message, as far as they stand there."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return " ".join(node.value.split())[:120]
    return " ".join(ast.unparse(node).split())[:120] if isinstance(node, ast.JoinedStr) else ""


def _of_parser(one: Found, kind: str, files: Files) -> ProgramRefusal | None:
    because = tuple(step(origin, files) for origin in one.because)
    if kind in (LACKS, UNEXPECTED, UNGIVEN, FAILS):
        return ProgramRefusal(kind, one.condition, at(one.place, files), because=because, near=next(iter(one.names), ""))
    if kind != UNRECOGNIZED:
        return ProgramRefusal(kind, one.condition.removesuffix(" is required"), at(one.place, files), because=because)
    flag = one.condition.rpartition(": ")[2]
    near = next(iter(near_names(flag, one.names, alike=0.75)), "")
    known = near or one.kind == "unrecognized"
    return ProgramRefusal(kind, flag, at(one.place, files), because=because, near=near) if known else None


# where values come from


def step(origin: Origin, files: Files) -> OriginStep:
    return OriginStep(_WORDS.get(origin.kind, origin.kind), origin.key, at(origin.place, files), text_at(origin.place, files))


def _chain(document: Document, told: Told, files: Files, key: str) -> tuple[OriginStep, ...]:
    node = document.get(key)
    found = told.get(id(node)) if node is not None else None
    if found is None:
        return ()
    value, place = found
    values = [way.value for way in value.ways] if isinstance(value, Choice) else [value]
    origins = dict.fromkeys(origin for one in values for origin in one.origins)
    section, _, argument = key.partition(".")
    last = OriginStep("argument", f"{section}({argument}=)" if argument and not argument.isdigit() else f"{section}(...)", at(place, files))
    return (*(step(origin, files) for origin in origins), last)
