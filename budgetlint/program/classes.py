"""Classes of the repository: defined, made objects of; dataclasses and enumerations."""

from __future__ import annotations

import ast
from typing import NamedTuple

from budgetlint.program.functions import decorated, decorator_word
from budgetlint.program.operators import made_of
from budgetlint.program.state import GOES_ON, Call, Dead, Frame, Interpreter, Signal, name_of
from budgetlint.program.values import (
    ABSENT,
    NONE,
    Absent,
    Choice,
    Class,
    External,
    Function,
    Items,
    Key,
    Known,
    Map,
    Names,
    Object,
    Opaque,
    Origin,
    Place,
    Value,
    Way,
    choice,
)

_DATACLASS = frozenset(
    {"dataclasses.dataclass", "pydantic.dataclasses.dataclass", "chz.chz", "attr.s", "attr.dataclass", "attrs.define", "attr.define"}
)
_FIELDS_OF_BASES = frozenset({"typing.NamedTuple", "pydantic.BaseModel", "pydantic_settings.BaseSettings", "draccus.ChoiceRegistry"})


class Field(NamedTuple):
    """A field of a dataclass, as written. ``default`` is an expression, ``factory`` one that is called; None where there is none."""

    name: str
    annotation: ast.expr
    default: ast.expr | None
    factory: ast.expr | None
    names: Names
    place: Place
    settings: ast.Call | None = None
    """The ``field(...)`` call, for its metadata."""
    init: bool = True

    @property
    def required(self) -> bool:
        return self.default is None and self.factory is None


def class_(it: Interpreter, node: ast.ClassDef, frame: Frame) -> Signal:
    """``class``: its body is followed, then its decorators."""
    names = Names(frame.names, frame.module)
    bases = [it.evaluate(one, frame) for one in node.bases]
    bases = [one.ways[0].value if isinstance(one, Choice) else one for one in bases]
    inner = Frame(names)
    for one in node.body:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            names.bound[one.name] = _method(it, one, frame, inner)
        else:
            it.run([one], inner)
    made = Class(node, frame.names, [one for one in bases if isinstance(one, Class | External)], names.bound)
    for value in names.bound.values():
        if isinstance(value, Function) and value.owner is None:
            value.owner = made
    if any(isinstance(one, Opaque) for one in bases) or any(
        one.arg == "metaclass" and not _known_metaclass(one.value) for one in node.keywords
    ):
        made.decorators = (Opaque("a base or metaclass that is not known"),)
    if is_enum(made):
        _members(it, made, inner)
    it.heap.write(frame.names.shared.get(node.name, frame.names), node.name, _with_decorators(it, made, node, frame))
    return GOES_ON


def _method(it: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, outside: Frame, inside: Frame) -> Value:
    return decorated(it, Function(node, outside.names), node, inside)


def _known_metaclass(node: ast.expr) -> bool:
    return decorator_word(node) in {"ABCMeta", "EnumMeta", "EnumType", "type"}


def _with_decorators(it: Interpreter, made: Class, node: ast.ClassDef, frame: Frame) -> Value:
    rest: list[ast.expr] = []
    for one in node.decorator_list:
        name = name_of(it.evaluate(one.func if isinstance(one, ast.Call) else one, frame))
        if name in _DATACLASS:
            made.decorators = (*made.decorators, External(name))
        else:
            rest.append(one)
    if not rest:
        return made
    copy = ast.ClassDef(node.name, node.bases, node.keywords, node.body, rest, **_type_params(node))
    return decorated(it, made, ast.copy_location(copy, node), frame)


def _type_params(node: ast.ClassDef) -> dict[str, list[ast.AST]]:
    return {"type_params": node.type_params} if hasattr(node, "type_params") else {}


# enumerations


def is_enum(cls: Class) -> bool:
    return any(name_of(one).rpartition(".")[2] in {"Enum", "StrEnum", "IntEnum", "ExplicitEnum", "Flag"} for one in cls.line)


def _members(it: Interpreter, cls: Class, inner: Frame) -> None:
    members: list[Value] = []
    for name, value in list(cls.attributes.items()):
        if isinstance(name, str) and not name.startswith("_") and not isinstance(value, Function | Class):
            one = Object(cls.kind, cls)
            one.data = "member"
            one.attributes = {"name": Known(name), "value": value, "_value_": value}
            cls.attributes[name] = one
            members.append(one)
    cls.attributes["__members__"] = Items(members, "tuple")


def _member_of(cls: Class, call: Call) -> Value:
    """``Kind("lora")``."""
    from budgetlint.program.truth import compared

    members = cls.attributes.get("__members__")
    wanted = call.get("value", 0)
    if not isinstance(members, Items) or wanted is None:
        return Opaque(f"a member of {cls.name}")
    found = [(one, compared(ast.Eq(), one.attributes["value"], wanted)) for one in members.items if isinstance(one, Object)]
    same = [one for one, held in found if held is True]
    perhaps = [one for one, held in found if held is None]
    if same:
        return same[0]
    if wanted in [one for one, _ in found]:
        return wanted
    if not perhaps and isinstance(wanted, Known):
        raise Dead
    return made_of(wanted)


# objects


def instantiate(it: Interpreter, cls: Class, call: Call) -> Value:
    """``Class(...)`` of a class of the repository."""
    if is_enum(cls):
        return _member_of(cls, call)
    made = Object(cls.kind, cls)
    if any(isinstance(one, Opaque) for one in cls.decorators):
        made.rest = Opaque(f"{cls.name} is made by what is not known")
    new = cls.find("__init__")
    if isinstance(new, Function):
        it.call(new.of(made), call)
        return made
    if is_dataclass(cls):
        fill(it, made, cls, call)
    elif cls.kind:
        construct(it, made, cls.kind, call)
    elif call.given() and not _own_new(cls):
        raise Dead
    return made


def _own_new(cls: Class) -> bool:
    return cls.find("__new__") is not None


def construct(it: Interpreter, made: Object, kind: str, call: Call) -> None:
    """The part of an object that a package's class makes: a sink, if it is one."""
    made.kind = kind
    found = it.parts.sink(it, kind, call, made)
    if found is not None:
        return
    handler = it.parts.functions.get(kind) or it.parts.functions.get(f"{kind.partition('.')[0]}.{kind.rpartition('.')[2]}")
    if handler is not None:
        one = handler(it, call)
        if isinstance(one, Object):
            made.data, made.kind = one.data, one.kind
            for key, value in one.attributes.items():
                it.heap.write(made, key, value)
            return
    made.rest = Opaque(f"an attribute that {kind} sets", package=kind.partition(".")[0])


def is_dataclass(cls: Class) -> bool:
    """Its ``__init__`` is made from its annotations."""
    for one in cls.line:
        if isinstance(one, Class) and any(name_of(mark) in _DATACLASS for mark in one.decorators):
            return True
    return any(name_of(one) in _FIELDS_OF_BASES for one in cls.line)


def fields_of(cls: Class) -> list[Field]:
    """The fields of a dataclass, those of its bases first, as `dataclasses` orders them. Those of a package's bases are not among them."""
    found: dict[str, Field] = {}
    for one in reversed(cls.line):
        if isinstance(one, Class):
            for node in one.node.body:
                field = _field(one, node)
                if field is not None:
                    found[field.name] = field
    return list(found.values())


def _field(cls: Class, node: ast.stmt) -> Field | None:
    if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name) or "ClassVar" in ast.unparse(node.annotation):
        return None
    default, factory, settings, init = node.value, None, None, True
    if isinstance(node.value, ast.Call) and decorator_word(node.value.func) in {"field", "Field", "HfArg", "ib", "attrib"}:
        settings = node.value
        words = {one.arg: one.value for one in settings.keywords}
        default, factory = words.get("default"), words.get("default_factory")
        init = not (isinstance(words.get("init"), ast.Constant) and words["init"].value is False)  # type: ignore[attr-defined]
        if settings.args and decorator_word(settings.func) == "Field":
            default = settings.args[0]
        if isinstance(default, ast.Constant) and default.value is ...:
            default = None
    return Field(
        node.target.id, node.annotation, default, factory, cls.names, Place(cls.names.module.path, node.lineno, node), settings, init
    )


def default_of(it: Interpreter, field: Field) -> Value:
    """The default of a field, with the option as its origin; ABSENT for a required one."""
    frame = Frame(field.names)
    if field.default is not None:
        value = it.evaluate(field.default, frame)
    elif field.factory is not None:
        value = it.call(it.evaluate(field.factory, frame), Call((), {}, None, field.factory, frame))
    else:
        return ABSENT
    return with_origin(value, Origin("option", field.place, field.name))


def with_origin(value: Value, origin: Origin) -> Value:
    """The same value, with where it was decided in front."""
    if isinstance(value, Known):
        return Known(value.value, (origin, *(one for one in value.origins if one.kind != "source")))
    if isinstance(value, Items):
        return Items([with_origin(one, origin) for one in value.items], value.kind, value.more, (origin,))
    return value


def fill(it: Interpreter, made: Object, cls: Class, call: Call) -> None:
    """A dataclass's own ``__init__``, then its ``__post_init__``. Arguments of a package's base go to that base."""
    fields = [one for one in fields_of(cls) if one.init]
    given = dict(zip([one.name for one in fields], call.positional, strict=False))
    given |= {name: value for name, value in call.keywords.items() if any(one.name == name for one in fields)}
    others = {name: value for name, value in call.keywords.items() if name not in given}
    for field in fields_of(cls):
        value = given.get(field.name, ABSENT)
        it.heap.write(made, field.name, _filled(it, field, value, call.rest))
    if cls.kind and name_of(External(cls.kind)) not in _FIELDS_OF_BASES:
        merged = {**{key: value for key, value in made.attributes.items() if isinstance(key, str)}, **others}
        construct(it, made, cls.kind, call._replace(positional=(), keywords=merged))
        for key, value in merged.items():
            it.heap.write(made, key, value)
    elif others and call.rest is None and not any(isinstance(value, Absent | Choice) for value in others.values()):
        raise Dead
    finish(it, made, cls, call)


def _filled(it: Interpreter, field: Field, value: Value, rest: Value | None) -> Value:
    ways = value.ways if isinstance(value, Choice) else (Way("", value),)
    if all(way.value is not ABSENT for way in ways):
        return value
    unsaid = default_of(it, field)
    if rest is not None:
        unsaid = made_of(rest) if unsaid is ABSENT else choice([Way("", made_of(rest)), Way("", unsaid)])
    if unsaid is ABSENT:
        if isinstance(value, Absent):
            raise Dead
        return choice(way for way in ways if way.value is not ABSENT)
    return choice(way if way.value is not ABSENT else Way(way.when, unsaid) for way in ways)


def finish(it: Interpreter, made: Object, cls: Class, call: Call) -> None:
    """``__post_init__``."""
    after = cls.find("__post_init__")
    if isinstance(after, Function):
        it.call(after.of(made), Call((), {}, None, call.node, call.frame))


def after(cls: Class, owner: Class | None) -> tuple[Value, ...]:
    """The classes behind one in the line: what ``super()`` looks in."""
    return cls.line[cls.line.index(owner) + 1 :] if owner in cls.line else ()


__all__ = ["NONE", "Field", "Key", "Map", "class_", "default_of", "fields_of", "fill", "instantiate", "is_dataclass"]
