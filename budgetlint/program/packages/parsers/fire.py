"""`fire.Fire`: words that call functions and classes, one after the other (fire 0.4 to 0.7 ``core.py``, ``parser.py``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from budgetlint.program.calling import Call
from budgetlint.program.dataclass import fields_of, is_dataclass
from budgetlint.program.ends import Exits
from budgetlint.program.objects import Class, Function, Handler, Object
from budgetlint.program.packages.parsers.options import after, flag_origin, refuse_words, refused, text_of_word
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, Items, Key, Known, Map, Opaque, Open, Value

_LONGEST = 4_000
_MOST_STEPS = 20
_HELP = frozenset({"--help", "-h"})
_FLAG = re.compile(r"--|-[a-zA-Z]")


class _Spec(NamedTuple):
    """What a function or class takes. ``alone``: parameters that go by position only; ``loose``: whether words without a flag are taken."""

    names: list[str]
    defaults: dict[str, Value]
    named: list[str]
    alone: set[str]
    loose: bool
    several: bool
    others: bool
    place: Place


def _fire(it: Interpreter, call: Call) -> Value:
    component, command = call.get("component", 0), call.get("command", 1)
    words = it.launched.words if command is None or (isinstance(command, Known) and command.value is None) else _command(command)
    if component is None or (isinstance(component, Known) and component.value is None):
        component = Map(dict(call.frame.names.bound))
    if words is None:
        return _unstarted(it, component, call)
    last = max((at for at, word in enumerate(words) if text_of_word(word) == "--"), default=len(words))
    shows = any(text_of_word(word) in _HELP for word in words[last + 1 :])
    return _walk(it, component, list(words[:last]), call, shows=shows)


def _command(given: Value) -> Sequence[Value]:
    if isinstance(given, Items) and given.more is None:
        return given.items
    return [Open("word", "*")]


def _unstarted(it: Interpreter, component: Value, call: Call) -> Value:
    """Nobody starts it here: what has to be given is somebody's to give."""
    spec = _spec(it, component)
    if not isinstance(component, Function) or spec is None:
        return Opaque("what fire starts")
    given: dict[str, Value] = {
        name: Open("flag", name) for name in (*spec.names, *spec.named) if name not in spec.defaults and name not in spec.alone
    }
    return it.call(component, call._replace(positional=(), keywords=given, rest=Open("flag", "*") if spec.alone else None))


def _walk(it: Interpreter, component: Value, words: list[Value], call: Call, *, shows: bool) -> Value:
    """The component that is come to, word by word. ``shows``: help behind ``--`` is about the last, which is not called without words."""
    called = False
    for _ in range(_MOST_STEPS):
        spec = _spec(it, component)
        if (not words and shows) or (words and text_of_word(words[0]) in _HELP and (spec is None or not spec.others)):
            if called:  # help about what came back
                return Opaque("what fire starts")
            raise Exits
        called = called or spec is not None
        if spec is not None:
            found = _called(it, component, spec, words, call)
            if found is None:
                return Opaque("what fire starts")
            component, words = found
        elif words and not _is_flag(words[0]):
            inner = _member(it, component, words[0], call)
            if inner is None:
                break
            component, words = inner, words[1:]
        else:
            break
    if words and all(isinstance(word, Known) for word in words) and not isinstance(component, Opaque | Open):
        refuse_words(it, words, it.place(call.node, call.frame))
    return component if not words else Opaque("what fire starts")


def _member(it: Interpreter, component: Value, word: Value, call: Call) -> Value | None:
    """What a word names of a mapping, a list or an object; None where it names nothing that is known."""
    text = text_of_word(word)
    names = (text, text.replace("-", "_"))
    if isinstance(component, Map):
        return next((component.items[name] for name in names if name in component.items), None)
    if isinstance(component, Items):
        return component.items[int(text)] if text.isdigit() and int(text) < len(component.items) else None
    if isinstance(component, Object) and component.cls is not None:
        known = next((name for name in names if name in component.attributes or component.cls.find(name) is not None), None)
        return it.attribute(component, known, it.place(call.node, call.frame)) if known is not None else None
    return None


# signatures


def _spec(it: Interpreter, component: Value) -> _Spec | None:
    if isinstance(component, Function):
        return _of_function(component, loose=True)
    if isinstance(component, Class):
        start = component.find("__init__")
        if isinstance(start, Function):
            return _of_function(start.of(component), loose=False)
        place = Place(component.names.module.path, component.node.lineno, component.node)
        fields = [one for one in fields_of(component) if one.init] if is_dataclass(component) else []
        return _Spec(
            [one.name for one in fields],
            {one.name: ABSENT for one in fields if not one.required},
            [],
            set(),
            False,
            False,
            bool(component.kind),
            place,
        )
    return None


def _of_function(function: Function, *, loose: bool) -> _Spec:
    spec = function.node.args
    names = [one.arg for one in (*spec.posonlyargs, *spec.args)][1 if function.bound is not None else 0 :]
    alone = {one.arg for one in spec.posonlyargs}
    place = Place(function.names.module.path, getattr(function.node, "lineno", 0), function.node)
    return _Spec(
        names, function.defaults, [one.arg for one in spec.kwonlyargs], alone, loose, spec.vararg is not None, spec.kwarg is not None, place
    )


# words of one call


def _called(it: Interpreter, component: Value, spec: _Spec, words: list[Value], call: Call) -> tuple[Value, list[Value]] | None:
    """What a call comes to, and the words that it leaves; None where that is not known."""
    mine, others = _separated(words)
    keywords, foreign, loose = _keywords(it, spec, mine)
    is_open = any(not isinstance(word, Known) for word in loose)
    if keywords is None:
        return None
    given: dict[str, Value] = {}
    for name in spec.names:
        if name in keywords:
            given[name] = keywords.pop(name)
        elif loose and spec.loose and not is_open:
            word = loose.pop(0)
            given[name] = parsed(word, name)
        elif name not in spec.defaults and not is_open:
            refused(it, spec.place, f"--{name} is required", (Origin("option", spec.place, name),), kind="required")
            given[name] = Open("flag", name)
    more, loose = (loose, []) if spec.several and not is_open else ([], loose)
    for name in spec.named:
        if name not in keywords and name not in spec.defaults:
            refused(it, spec.place, f"--{name} is required", (Origin("option", spec.place, name),), kind="required")
            keywords[name] = Open("flag", name)
    rest = Open("word", "*") if is_open else None
    made = _start(
        it,
        component,
        spec,
        given,
        {name: _value(value, name) for name, value in keywords.items()},
        [parsed(one, "") for one in more],
        rest,
        call,
    )
    return made, ([] if is_open else [*loose, *foreign, *others])


def _separated(words: list[Value]) -> tuple[list[Value], list[Value]]:
    """The words up to a ``-``, and those behind it."""
    at = next((at for at, word in enumerate(words) if text_of_word(word) == "-"), len(words))
    return words[:at], words[at + 1 :]


def _start(
    it: Interpreter,
    component: Value,
    spec: _Spec,
    given: dict[str, Value],
    keywords: dict[str, Value],
    more: list[Value],
    rest: Value | None,
    call: Call,
) -> Value:
    by_place = list(spec.names) if more else [name for name in spec.names if name in spec.alone]
    values = [given.pop(name, spec.defaults.get(name, ABSENT)) for name in by_place]
    positional = tuple(one for one in values if one is not ABSENT)
    return it.call(component, Call((*positional, *more), {**given, **keywords}, rest, call.node, call.frame))


def _keywords(it: Interpreter, spec: _Spec, words: list[Value]) -> tuple[dict[str, Value] | None, list[Value], list[Value]]:
    """Flags by parameter, flags that are another's with their values, and loose words."""
    found: dict[str, Value] = {}
    foreign: list[Value] = []
    loose: list[Value] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not _is_flag(word):
            loose.append(word)
            continue
        key, equals, value = text_of_word(word).lstrip("-").partition("=")
        following = words[at] if at < len(words) and not equals and not _is_flag(words[at]) else None
        name, switch = _keyword(spec, key.replace("-", "_"), is_switch=not equals and following is None)
        if name:
            given = after(word, value) if equals else following if following is not None else Known(switch, word.origins)
            found[name] = _value(given, name) if given is following or equals else Known(switch, (flag_origin(word, name),))
        else:
            foreign += [word, *([following] if following is not None else [])]
        at += following is not None
    return found, foreign, loose


def _keyword(spec: _Spec, key: str, *, is_switch: bool) -> tuple[str, bool]:
    """The parameter that a flag is of, and what it is without a value; empty for none."""
    taken = [*spec.names, *spec.named]
    if key in taken:
        return key, True
    if is_switch and key.startswith("no") and (key[2:] in taken or spec.others):
        return key[2:], False
    if spec.others:
        return key, True
    short = [name for name in taken if name[:1] == key]
    return (short[0], True) if len(key) == 1 and len(short) == 1 else ("", True)


def _is_flag(word: Value) -> bool:
    return _FLAG.match(text_of_word(word)) is not None


def _value(value: Value, name: str) -> Value:
    return (
        parsed(value, name)
        if isinstance(value, Known) and isinstance(value.value, str) and not any(one.key == name for one in value.origins)
        else value
    )


# values


def parsed(word: Value, name: str) -> Value:
    """A word as fire reads it: a literal of Python in which bare words are texts, else a text."""
    if not isinstance(word, Known):
        return Open("word", text_of_word(word), word.origins)
    text, origins = str(word.value), (flag_origin(word, name),)
    try:
        root = ast.parse(text[:_LONGEST], mode="eval").body
        return Known(text, origins) if isinstance(root, ast.BinOp) else _literal(root, origins)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return Known(text, origins)


def _literal(node: ast.expr, origins: tuple[Origin, ...]) -> Value:
    match node:
        case ast.Name():
            return Known(node.id, origins)
        case ast.List() | ast.Tuple() | ast.Set():
            return Items([_literal(one, origins) for one in node.elts], type(node).__name__.lower(), None, origins)
        case ast.Dict():
            pairs: dict[Key, Value] = {}
            for key, value in zip(node.keys, node.values, strict=True):
                if key is None:
                    raise ValueError
                asked = _literal(key, origins)
                pairs[asked.value if isinstance(asked, Known) else _refused()] = _literal(value, origins)  # type: ignore[index]
            return Map(pairs, None, origins)
    return Known(ast.literal_eval(node), origins)


def _refused() -> Key:
    raise ValueError


FUNCTIONS: dict[str, Handler] = {"fire.Fire": _fire}
