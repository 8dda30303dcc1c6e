"""Fields and rows of the contracts of one release."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from budgetlint.contracts.names import fields_of, outermost

from . import kinds, validators
from .code import Class, Module, Release
from .core import Known
from .fields import MISSING, Field, Inner, fields_of_class, fields_of_signature
from .formulas import OPAQUE, both, constant, hopeless, literal, opaque, path_of
from .nested import asked_of, from_config, from_parser, from_sections
from .sources import VALIDATORS, Contract, Walked
from .state import Oracle, Row, State, Thing, Value, row_text
from .symbolic import Walker
from .torch_releases import TORCH, is_old, is_torch

FACTS = ("env.world_size",)
"""What a run knows beside its fields."""
LONGEST = 2_200
"""Characters of a condition; a longer one is listed as undecided."""


@dataclass(frozen=True)
class Found:
    """A contract as one release has it. ``undecided`` are rows over what is not a field."""

    contract: Contract
    fields: Mapping[str, Field]
    rows: tuple[tuple[Row, str], ...]
    """Rows that can be decided, each with its stage."""
    undecided: tuple[tuple[Row, str], ...]


THERE = ("is_torch_available", "is_accelerate_available")
"""Packages without which nothing trains: ``Trainer`` asks for both."""


def environment(text: str, arguments: list[ast.expr]) -> ast.expr | None:
    """Questions about the machine are not walked into: their answer is not known here."""
    last = text.rpartition(".")[2]
    if last in ("world_size", "num_processes") and not arguments and "." in text:
        return path_of("env.world_size")
    if text == "torch.__version__":
        return path_of(TORCH)
    if last in ("parse", "Version") and len(arguments) == 1 and (is_torch(arguments[0]) or is_old(arguments[0])):
        return arguments[0]  # a release and its text are one here
    if last == "is_accelerate_available" and len(arguments) == 1 and isinstance(literal(arguments[0])[1], str):
        return ast.Call(ast.Name("release", ast.Load()), [ast.Constant("accelerate"), arguments[0]], [])
    if last in THERE and not arguments:
        return ast.Constant(True)
    if last == "is_torch_greater_or_equal" and arguments and is_old(arguments[0]):
        return ast.Constant(True)
    if last == "is_torch_version" and len(arguments) == 2 and literal(arguments[0])[1] == ">=" and is_old(arguments[1]):
        return ast.Constant(True)
    if last.startswith(("is_", "has_")) and last.endswith(("_available", "_enabled", "_greater_or_equal", "_version")):
        return opaque()
    if last in (
        "requires_backends",
        "check_min_version",
        "check_version",
        "require_version",
        "check_dependencies",
        "is_env_enabled",
        "strtobool",
        "str_to_bool",
        "get_int_from_env",
    ):
        return opaque()
    return None


def read(release: Release, contract: Contract, oracle: Oracle = environment) -> Found | None:
    """None where the release has none of its classes, nor its config or parser."""
    declared = _declared(release, contract)
    if declared is None:
        return None
    fields, sections, _ = declared
    rows = _rows(release, contract, oracle, declared)
    fields = {name: one for name, one in fields.items() if one.init}
    heads = {*fields, *(name.split(".")[0] for name in sections)}
    decided, undecided, seen = [], [], set()
    for row, stage in rows:
        key = (row.path, row.line, row.kind, row_text(row))
        if key not in seen:
            seen.add(key)
            (decided if _is_decided(row, fields, heads) else undecided).append((row, stage))
    return Found(contract, fields, tuple(decided), tuple(undecided))


Declared = tuple[dict[str, Field], dict[str, Thing], dict[str, Thing]]
"""Fields, sections of a config that is a tree, and the objects whose functions are walked."""


def _declared(release: Release, contract: Contract) -> Declared | None:
    fields: dict[str, Field] = {}
    sections: dict[str, Thing] = {}
    if contract.config or contract.parser:
        nested = from_config(release, contract) if contract.config else from_parser(release, contract.parser)
        if nested is None:
            return None
        fields, sections = nested
    elif contract.sections:
        fields, sections = from_sections(release, contract)
    classes = _classes(release, contract)
    if not any(classes.values()) and not (fields and not contract.sections):
        return None
    things: dict[str, Thing] = {}
    for name, found in classes.items():
        lineage: list[Class] = []
        for one in found:
            own = fields_of_signature(release, one) if contract.signature else fields_of_class(release, one)
            own = own | (asked_of(one, contract.asked) if contract.asked else {})
            fields.update({key: each for key, each in own.items() if key not in contract.no_fields})
            lineage += [each for each in release.lineage(one) if each not in lineage]
        things[name] = Thing("", tuple(lineage), name in contract.as_given)
    return fields, sections, things


def _classes(release: Release, contract: Contract) -> dict[str, list[Class]]:
    """Of each object, its classes that the release has."""
    return {
        name: [found for dotted in names for found in [release.find(dotted)] if isinstance(found, Class)]
        for name, names in contract.objects.items()
    }


def _rows(release: Release, contract: Contract, oracle: Oracle, declared: Declared) -> list[tuple[Row, str]]:
    """Those of the fields themselves first, then those of each walk with its stage. A walk may declare fields."""
    fields, sections, things = declared
    inside = [one for found in _classes(release, contract).values() for one in found]
    known = Known(
        defaulted=(lambda _name: False) if sections else lambda name: name in fields and fields[name].default is not None,
        inner=Inner(release, inside) if contract.validated else lambda _name: None,
        hidden=contract.no_fields,
        sections=sections,
        makes=contract.makes,
        validated=validators.of_section if contract.sections else lambda *_: None,
    )
    rows: list[tuple[Row, str]] = []
    own = [one for one in fields.values() if not one.init]
    state = State({one.name: opaque() if one.default is MISSING else constant(one.default) for one in own})
    for walked in contract.walks:
        walker = Walker(release, fields.__contains__, _parsing(walked, things, oracle), known)
        if walked.function == VALIDATORS:
            validators.walk(walker, things[walked.on], fields, state)
            rows += [(row, walked.stage) for row in kinds.rows(release, fields, state.fields)]
            fields.update({name: Field(name, "", None) for name in validators.undeclared(walker, fields)})
        else:
            _walk(walker, release, walked, things, state, fields if contract.signature else ())
            if contract.sections:
                rows += [(row, walked.stage) for row in kinds.rows(release, fields, state.fields)]
                fields.update({name: Field(name, "", None) for name in walker.keys if name not in fields and name not in sections})
        rows += [(row, walked.stage) for row in walker.rows]
    return [*_of_fields(fields), *rows]


def _is_decided(row: Row, fields: Mapping[str, Field], heads: Collection[str]) -> bool:
    """Is its condition over fields alone, at least one of them no fact of the machine, and short enough to be kept?"""
    names = fields_of(row.when)
    if hopeless(row.when) or not names or all(name in FACTS for name in names):
        return False
    return all(name in fields or outermost(name) in heads or name in FACTS for name in names) and len(row_text(row)) <= LONGEST


def _parsing(walked: Walked, things: Mapping[str, Thing], oracle: Oracle) -> Oracle:
    """The oracle, and what the calls of a parser return."""

    def answer(text: str, arguments: list[ast.expr]) -> Value | None:
        names = walked.parsed.get(text)
        if names is None:
            return oracle(text, arguments)
        return things[names[0]] if len(names) == 1 else tuple(things[name] for name in names)

    return answer


def _walk(
    walker: Walker, release: Release, walked: Walked, things: Mapping[str, Thing], state: State, parameters: Collection[str] = ()
) -> None:
    if walked.code:
        module = release.module(walked.function)
        if module is not None:
            body = _main(module) if walked.code == "__main__" else ast.parse(walked.code).body
            function = ast.FunctionDef("main", ast.arguments([], [], None, [], [], None, []), body, [])
            walker.run(module, function, {name: things[of] for name, of in walked.given.items()}, state, "")
        return
    if "." not in walked.function:
        thing = things[walked.on]
        for one in thing.classes:
            method = one.methods.get(walked.function)
            if method is not None:
                first = method.args.args[0].arg
                given = {first: thing, **{name: things[of] for name, of in walked.given.items()}}
                asked = {name: path_of(name) for name in _unknown(method) if name in parameters}
                walker.run(one.module, method, {**_unknown(method), **asked, **given}, state, one.name)
                return
        return
    found = release.find(walked.function)
    module = release.module(walked.function.rpartition(".")[0])
    if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)) and module is not None:
        given = {name: things[of] for name, of in walked.given.items()}
        walker.run(module, found, {**_unknown(found), **given}, state, "")


def _main(module: Module) -> list[ast.stmt]:
    """What a module does when it is run itself."""
    tests = ("__name__ == '__main__'", "'__main__' == __name__")
    return [each for one in module.tree.body if isinstance(one, ast.If) and ast.unparse(one.test) in tests for each in one.body]


def _unknown(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, ast.expr]:
    spec = function.args
    return {one.arg: opaque() for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *filter(None, (spec.vararg, spec.kwarg)))}


def _of_fields(fields: Mapping[str, Field]) -> list[tuple[Row, str]]:
    """What the types of fields refuse: values outside of choices and bounds. Only where the class itself holds to them (pydantic,
    argument parsers); `certify` drops the rest."""
    found: list[tuple[Row, str]] = []
    for name, field in fields.items():
        conditions: list[ast.expr] = []
        if field.choices and None not in field.choices:
            conditions.append(ast.Compare(path_of(name), [ast.NotIn()], [ast.parse(repr(list(field.choices)), mode="eval").body]))
        for bound, value in field.bounds:
            operator = {"ge": ast.Lt, "gt": ast.LtE, "le": ast.Gt, "lt": ast.GtE}.get(bound)
            if operator is not None:
                number = int(value) if value == int(value) else value
                conditions.append(ast.Compare(path_of(name), [operator()], [ast.parse(repr(number), mode="eval").body]))
        for condition in conditions:
            when = both([ast.Compare(path_of(name), [ast.IsNot()], [ast.Constant(None)]), condition])
            found.append(
                (
                    Row(
                        ast.fix_missing_locations(when),
                        "choice" if field.choices else "bound",
                        field.path,
                        field.line,
                        field.line,
                        field.owner,
                        "ValueError",
                    ),
                    "arguments",
                )
            )
    return found


__all__ = ["OPAQUE", "Found", "read"]
