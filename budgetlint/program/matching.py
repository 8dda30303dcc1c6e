"""`match`: which cases a subject may take, and what their patterns bind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from budgetlint.program.assign import bind
from budgetlint.program.calling import Frame
from budgetlint.program.choices import choice, key_of
from budgetlint.program.comparisons import held
from budgetlint.program.dataclass import fields_of, is_dataclass
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Class
from budgetlint.program.packages.kinds import is_instance
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.truth import compared
from budgetlint.program.values import Choice, External, Items, Key, Known, Map, Opaque, Value, Way
from budgetlint.program.wording import MOST_SHOWN, shown, words

Bound = dict[str, Value]
Match = tuple[bool | None, Bound]
"""Whether a pattern fits, None where nobody can tell, and what it binds then."""
_NO: Match = (False, {})
_ITSELF = frozenset({"bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"})
"""Classes of Python whose one pattern by place is the whole."""


def match_(it: Interpreter, node: ast.Match, frame: Frame) -> Signal:
    subject = it.evaluate(node.subject, frame)
    if isinstance(subject, Choice):
        return it.fork([(way.when, partial(_narrowed, it, node, way.value, frame)) for way in subject.ways])
    return _cases(it, node, subject, frame)


def _narrowed(it: Interpreter, node: ast.Match, subject: Value, frame: Frame) -> Signal:
    """One of several values: a name that was asked for has this one."""
    if isinstance(node.subject, ast.Name) and node.subject.id in frame.names.bound:
        bind(it, frame, node.subject.id, subject)
    return _cases(it, node, subject, frame)


def _cases(it: Interpreter, node: ast.Match, subject: Value, frame: Frame) -> Signal:
    ways: list[tuple[str, Callable[[], Signal]]] = []
    for case in node.cases:
        fits, names = _match(it, case.pattern, subject, frame)
        guarded = _guard(it, case.guard, names, frame) if fits is not False else False
        if fits is False or guarded is False:
            continue
        ways.append((f"{shown(node.subject)} matches {words(case.pattern)}"[:MOST_SHOWN], partial(_taken, it, case, names, frame)))
        if fits and guarded:
            break
    else:
        ways.append(("none of the cases", lambda: GOES_ON))
    return ways[0][1]() if len(ways) == 1 else it.fork(ways)


def _guard(it: Interpreter, guard: ast.expr | None, names: Bound, frame: Frame) -> bool | None:
    """Whether a case's `if` holds; what it changes is taken back here."""
    if guard is None:
        return True
    found = {held(it, one.value, guard, frame) for one in it.tried(lambda: _asked(it, guard, names, frame)) if one.signal != "raise"}
    return found.pop() if len(found) == 1 else None


def _asked(it: Interpreter, guard: ast.expr, names: Bound, frame: Frame) -> Value:
    for name, value in names.items():
        bind(it, frame, name, value)
    return it.evaluate(guard, frame)


def _taken(it: Interpreter, case: ast.match_case, names: Bound, frame: Frame) -> Signal:
    for name, value in names.items():
        bind(it, frame, name, value)
    if case.guard is not None:
        it.evaluate(case.guard, frame)
    return it.run(case.body, frame)


# patterns


def _match(it: Interpreter, pattern: ast.pattern, subject: Value, frame: Frame) -> Match:
    if isinstance(subject, Choice):
        return _several([(way.when, _match(it, pattern, way.value, frame)) for way in subject.ways])
    match pattern:
        case ast.MatchValue(value=value):
            return compared(ast.Eq(), subject, it.evaluate(value, frame)), {}
        case ast.MatchSingleton(value=value):
            return compared(ast.Is(), subject, Known(value)), {}
        case ast.MatchOr(patterns=patterns):
            return _any(it, patterns, subject, frame)
        case ast.MatchAs(pattern=inner, name=name):
            fits, names = _match(it, inner, subject, frame) if inner is not None else (True, {})
            return fits, {**names, **({name: subject} if name else {})}
        case ast.MatchSequence(patterns=patterns):
            return _sequence(it, patterns, subject, frame)
        case ast.MatchMapping():
            return _mapping(it, pattern, subject, frame)
        case ast.MatchClass():
            return _class(it, pattern, subject, frame)
    return None, _opened(pattern)


def _opened(pattern: ast.pattern) -> Bound:
    """The names of a pattern, of which nobody knows what they are."""
    names = (getattr(one, "name", None) or getattr(one, "rest", None) for one in ast.walk(pattern))
    return {name: Opaque("a part of what is matched") for name in names if isinstance(name, str)}


def _several(found: Sequence[tuple[str, Match]]) -> Match:
    """Of one of several values, or by one of several patterns: those that do not fit bind nothing."""
    fitting = [(when, one) for when, one in found if one[0] is not False]
    if not fitting:
        return _NO
    names = dict.fromkeys(name for _, (_, bound) in fitting for name in bound)
    all_fit = len(fitting) == len(found) and all(one[0] for _, one in found)
    return True if all_fit else None, {
        name: choice(Way(when, bound[name]) for when, (_, bound) in fitting if name in bound) for name in names
    }


def _any(it: Interpreter, patterns: Sequence[ast.pattern], subject: Value, frame: Frame) -> Match:
    found: list[tuple[str, Match]] = []
    for one in patterns:
        match = _match(it, one, subject, frame)
        if match[0] is not False:
            found.append(("", match))
        if match[0]:
            break
    if not found:
        return _NO
    return True if found[-1][1][0] else None, _several(found)[1]


def _all(found: Sequence[Match]) -> Match:
    fits = [one[0] for one in found]
    names = {name: value for one in found for name, value in one[1].items()}
    return (False if False in fits else None if None in fits else True), names


def _sequence(it: Interpreter, patterns: Sequence[ast.pattern], subject: Value, frame: Frame) -> Match:
    if isinstance(subject, Known | Map | Class) or (isinstance(subject, Items) and subject.kind not in ("list", "tuple")):
        return _NO
    if not isinstance(subject, Items) or subject.more is not None or any(map(perhaps_absent, subject.items)):
        return None, _opened(ast.MatchSequence([*patterns]))
    items = list(subject.items)
    at = next((at for at, one in enumerate(patterns) if isinstance(one, ast.MatchStar)), None)
    if len(items) < len(patterns) - (at is not None) or (at is None and len(items) != len(patterns)):
        return _NO
    if at is None:
        return _all([_match(it, one, item, frame) for one, item in zip(patterns, items, strict=True)])
    end = len(items) - (len(patterns) - at - 1)
    star = patterns[at]
    whole: Bound = {star.name: Items(items[at:end])} if isinstance(star, ast.MatchStar) and star.name else {}
    pairs = [*zip(patterns[:at], items[:at], strict=True), *zip(patterns[at + 1 :], items[end:], strict=True)]
    return _all([*(_match(it, one, item, frame) for one, item in pairs), (True, whole)])


def _mapping(it: Interpreter, pattern: ast.MatchMapping, subject: Value, frame: Frame) -> Match:
    if isinstance(subject, Known | Items | Class):
        return _NO
    if not isinstance(subject, Map) or subject.rest is not None:
        return None, _opened(pattern)
    found: list[Match] = []
    asked: list[Key] = []
    for key_node, inner in zip(pattern.keys, pattern.patterns, strict=True):
        key = key_of(it.evaluate(key_node, frame))
        value = subject.items.get(key)
        if value is None:
            return _NO
        asked.append(key)
        present = [way for way in (value.ways if isinstance(value, Choice) else (Way("", value),)) if not perhaps_absent(way.value)]
        found.append(_match(it, inner, choice(present), frame) if present else _NO)
        found += [(None, {})] if perhaps_absent(value) else []
    rest: Bound = {pattern.rest: Map({key: one for key, one in subject.items.items() if key not in asked})} if pattern.rest else {}
    return _all([*found, (True, rest)])


def _class(it: Interpreter, pattern: ast.MatchClass, subject: Value, frame: Frame) -> Match:
    cls = it.evaluate(pattern.cls, frame)
    is_one = is_instance(subject, cls)
    if is_one is False:
        return _NO
    names = _by_place(cls, len(pattern.patterns))
    if names is None:
        return None, _opened(pattern)
    parts: list[Match] = []
    for name, inner in [*zip(names, pattern.patterns, strict=False), *zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)]:
        part = _part(it, subject, name, pattern, frame)
        parts.append(_match(it, inner, part, frame) if part is not None else _NO)
    return _all([(is_one, {}), *parts])


def _by_place(cls: Value, count: int) -> list[str] | None:
    """The attributes that patterns by place ask for; an empty name for the whole; None where nobody knows."""
    if not count:
        return []
    if isinstance(cls, External) and cls.name in _ITSELF:
        return [""]
    if isinstance(cls, Class):
        written = cls.find("__match_args__")
        if isinstance(written, Items) and written.more is None:
            return [str(one.value) for one in written.items if isinstance(one, Known)]
        if written is None and is_dataclass(cls):
            return [one.name for one in fields_of(cls) if one.init and not one.by_name]
    return None


def _part(it: Interpreter, subject: Value, name: str, node: ast.AST, frame: Frame) -> Value | None:
    if not name:
        return subject
    found = it.tried(lambda: it.attribute(subject, name, it.place(node, frame)))
    alive = [one.value for one in found if one.signal != "raise"]
    return choice(Way("", one) for one in alive) if alive else None
