"""What a pydantic model refuses: its validators walked in the order in which pydantic runs them.

Those of a model with ``mode="before"`` look at what was written, the last defined first; then those of fields look at one value each;
then those of the model with ``mode="after"`` look at the fields with their defaults, the first defined first. ``wrap`` validators are
not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from budgetlint.contracts.names import GIVEN

from .code import Class, Function, Release
from .fields import MISSING, Field
from .formulas import choose, constant, literal, opaque, path_of
from .state import State, Thing, Value
from .symbolic import Walker


@dataclass(frozen=True)
class Validator:
    """One decorated method. ``names`` are the fields of a field's validator."""

    owner: Class
    function: Function
    mode: str
    names: tuple[str, ...] = ()


def validators(release: Release, one: Class) -> tuple[Validator, ...]:
    """In the order of definition, those of bases first; a method that a class defines anew has the place of the first."""
    found: dict[str, Validator] = {}
    for each in reversed(release.resolution(one)):
        for name, function in each.methods.items():
            made = _decorated(each, function)
            if made is not None:
                found[name] = made
            else:
                found.pop(name, None)
    return tuple(found.values())


def _decorated(owner: Class, function: Function) -> Validator | None:
    for one in function.decorator_list:
        if not isinstance(one, ast.Call):
            continue
        kind = ast.unparse(one.func).rpartition(".")[2]
        if kind not in ("model_validator", "field_validator"):
            continue
        named = {each.arg: each.value for each in one.keywords}
        mode = literal(named.get("mode", ast.Constant("after")))[1]
        names = tuple(str(each.value) for each in one.args if isinstance(each, ast.Constant))
        return Validator(owner, function, f"{kind.partition('_')[0]} {mode}", names)
    return None


def walk(walker: Walker, thing: Thing, fields: Mapping[str, Field], state: State) -> None:
    """All validators of the model that the thing is. What they change stays changed."""
    every = validators(walker.release, thing.classes[0])
    written = Thing(thing.prefix, (), as_given=True)
    walker.raw = True
    for one in reversed([each for each in every if each.mode == "model before"]):
        _run(walker, one, (Thing(thing.prefix, thing.classes), written), state)
    walker.raw = False
    for name, value in list(state.fields.items()):
        state.fields[name] = _filled(value, name, fields.get(name))
    of_fields = [(name, one) for name in fields for one in every if one.mode.startswith("field") and name in one.names]
    for name, one in sorted(of_fields, key=lambda each: each[1].mode.endswith("after")):
        before = state.fields.get(name, path_of(name))
        result = _run(walker, one, (Thing(thing.prefix, thing.classes), before), state)
        state.fields[name] = walker.bounded(result) if isinstance(result, ast.expr) else opaque()
    for one in every:
        if one.mode == "model after":
            _run(walker, one, (thing,), state)


def of_section(walker: Walker, thing: Thing, state: State) -> None:
    """Those of a model that is made of a block: of fields, then ``mode="after"``. What looks at the block as it was written is not
    followed."""
    every = validators(walker.release, thing.classes[0])
    for one in every:
        for name in one.names if one.mode.startswith("field") else ():
            full = thing.prefix + name
            result = _run(walker, one, (Thing(thing.prefix, thing.classes), state.fields.get(full, path_of(full))), state)
            state.fields[full] = walker.bounded(result) if isinstance(result, ast.expr) else opaque()
    for one in every:
        if one.mode == "model after":
            _run(walker, one, (thing,), state)


def _run(walker: Walker, one: Validator, given: tuple[Value, ...], state: State) -> Value:
    names = [each.arg for each in one.function.args.args]
    unknown: dict[str, Value] = {name: opaque() for name in names}
    return walker.run(one.owner.module, one.function, {**unknown, **dict(zip(names, given, strict=False))}, state, one.owner.name)


def _filled(value: ast.expr, name: str, field: Field | None) -> ast.expr:
    """A value that was written or not, as the model has it: the default where it was not."""
    if isinstance(value, ast.IfExp):
        return choose(value.test, _filled(value.body, name, field), _filled(value.orelse, name, field))
    if isinstance(value, ast.Constant) and value.value is None:
        return opaque() if field is None or field.default is MISSING else constant(field.default)
    return path_of(name) if ast.unparse(value) == GIVEN + name else value


def undeclared(walker: Walker, fields: Mapping[str, Field]) -> Iterator[str]:
    """Keys that validators ask for and that are no fields: those that another release had."""
    return (name for name in walker.keys if name not in fields and name.isidentifier())
