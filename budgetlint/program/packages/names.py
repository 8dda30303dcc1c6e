"""The names of a program as a dict, and texts that are programs: ``vars``, ``globals``, ``locals``, ``eval``, ``exec``."""

from __future__ import annotations

import ast

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import origins_of
from budgetlint.program.ends import Dead
from budgetlint.program.noted import UNKNOWN
from budgetlint.program.objects import Handler
from budgetlint.program.packages.objects import dict_of, given
from budgetlint.program.packages.plain import exact, taken
from budgetlint.program.state import Interpreter, text_of
from budgetlint.program.values import NONE, Choice, Items, Known, Map, Names, Opaque, Value

_LONGEST = 100_000
_LONGEST_LITERAL = 5_000


def _vars(it: Interpreter, call: Call) -> Value:
    if not call.given():
        return _names(it, call)
    return it.each(call.positional[0], dict_of) if given(call, 1, 1) else taken("vars", call.given())


def _names(it: Interpreter, call: Call) -> Value:
    """The names of a body: those of a module are the module's own, those of a function a copy."""
    names = call.frame.names
    more = Opaque("a name of the program")
    return Map(names.bound if names.above is None else dict(names.bound), more)


def _globals(it: Interpreter, call: Call) -> Value:
    return Map(_module(call.frame).bound, Opaque("a name of the program"))


def _module(frame: Frame) -> Names:
    names = frame.names
    while names.above is not None:
        names = names.above
    return names


def _dir(it: Interpreter, call: Call) -> Value:
    return Items((), "list", taken("dir", call.given()))


def _eval(it: Interpreter, call: Call) -> Value:
    """A text that is known is followed as the program's own; of any other nobody knows what it does."""
    text = text_of(call.get("", 0))
    tree = _tree(text, "eval", call) if text is not None and len(call.given()) == 1 else None
    if isinstance(tree, ast.Expression):
        return it.evaluate(tree.body, call.frame)
    return taken("eval", call.given())


def _exec(it: Interpreter, call: Call) -> Value:
    text = text_of(call.get("", 0))
    tree = _tree(text, "exec", call) if text is not None and len(call.given()) == 1 and call.frame.names.above is None else None
    if isinstance(tree, ast.Module):
        if it.run(tree.body, call.frame)[0] == "raise":
            raise Dead
        return NONE
    why, names = "exec of a text that is not followed", _module(call.frame)
    for name, value in list(names.bound.items()):
        if isinstance(value, Known | Choice | Items | Map):
            it.heap.write(names, name, Opaque(why, value, origins=origins_of([value])))
    it.doubt(UNKNOWN, why, it.place(call.node, call.frame))
    return NONE


def _tree(text: str, mode: str, call: Call) -> ast.AST | None:
    """The tree of a text, all of it at the place of the call."""
    if len(text) > _LONGEST:
        return None
    try:
        tree = ast.parse(text.strip() if mode == "eval" else text, mode=mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for one in ast.walk(tree):
        if hasattr(one, "lineno"):
            ast.copy_location(one, call.node)
    return tree


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError from error


def _short(text: object = "", *_: object) -> bool:
    return isinstance(text, str) and len(text) <= _LONGEST_LITERAL


FUNCTIONS: dict[str, Handler] = {
    "vars": _vars, "globals": _globals, "locals": _names, "dir": _dir, "eval": _eval, "exec": _exec,
    "ast.literal_eval": exact("ast.literal_eval", _literal, _short, "ast"),
}  # fmt: skip
