"""Dataclasses of the repository: their fields, their defaults, and the ``__init__`` that is made for them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import alternatives, choice
from budgetlint.program.ends import Dead
from budgetlint.program.functions import decorator_word
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.misfits import strangers, without
from budgetlint.program.objects import Class, Function, Object, Property
from budgetlint.program.operators import made_of
from budgetlint.program.places import Origin, Place
from budgetlint.program.pydantic_models import is_model, refuse_others, validated
from budgetlint.program.setting_sources import may_be_set
from budgetlint.program.state import Interpreter, name_of
from budgetlint.program.truth import truth
from budgetlint.program.value_errors import ungiven
from budgetlint.program.values import ABSENT, Items, Known, Value, Way
from budgetlint.program.wording import words

DATACLASSES = frozenset(
    {
        "dataclasses.dataclass",
        "pydantic.dataclasses.dataclass",
        "chz.chz",
        "attr.s",
        "attr.dataclass",
        "attrs.define",
        "attr.define",
        "datargs.argsclass",
        "datargs.make.argsclass",
    }
)
FIELDS_OF_BASES = frozenset(
    {"typing.NamedTuple", "pydantic.BaseModel", "pydantic_settings.BaseSettings", "pydantic.BaseSettings", "draccus.ChoiceRegistry"}
)
_CALLS = frozenset({"field", "Field", "HfArg", "ib", "attrib", "arg"})
Construct = Callable[[Interpreter, Object, str, Call], None]


class Field(NamedTuple):
    """A field of a dataclass, as written. ``default`` is an expression, ``factory`` one that is called; None where there is none.

    ``owner``: the class that has it. ``init``: whether ``__init__`` takes it; ``by_name``: only by its name; ``passed``: it is handed to
    ``__post_init__`` and not kept (`InitVar`).
    """

    name: str
    annotation: ast.expr
    default: ast.expr | None
    factory: ast.expr | None
    owner: Class
    place: Place
    settings: ast.Call | None = None
    """The ``field(...)`` call, for its metadata."""
    init: bool = True
    by_name: bool = False
    passed: bool = False

    @property
    def required(self) -> bool:
        return self.default is None and self.factory is None


def is_marked(cls: Class) -> bool:
    """A decorator makes its ``__init__``."""
    return any(name_of(mark) in DATACLASSES for mark in cls.decorators) and truth(cls.settings.get("init", Known(True))) is not False


def is_dataclass(cls: Class) -> bool:
    """Its ``__init__`` is made from its annotations."""
    return any(isinstance(one, Class) and any(name_of(mark) in DATACLASSES for mark in one.decorators) for one in cls.line) or _by_base(cls)


def _by_base(cls: Class) -> bool:
    return any(name_of(one) in FIELDS_OF_BASES for one in cls.line)


def is_frozen(cls: Class) -> bool | None:
    """Whether its objects refuse to be changed."""
    found = [truth(one.settings["frozen"]) for one in cls.line if isinstance(one, Class) and "frozen" in one.settings]
    return True if True in found else None if None in found else False


def fields_of(cls: Class) -> list[Field]:
    """The fields of a dataclass, those of its bases first, as `dataclasses` orders them. Those of a package's bases are not among them."""
    found: dict[str, Field] = {}
    everywhere = _by_base(cls)
    for one in reversed(cls.line):
        if isinstance(one, Class) and (everywhere or any(name_of(mark) in DATACLASSES for mark in one.decorators)):
            for field in _written(one):
                found[field.name] = field
    return list(found.values())


def _written(cls: Class) -> list[Field]:
    """The fields of a class's own body."""
    found: list[Field] = []
    by_name = truth(cls.settings.get("kw_only", Known(False))) is True
    for node in cls.node.body:
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        annotation = _text_of(node.annotation)
        if "KW_ONLY" in annotation:
            by_name = True
        elif "ClassVar" not in annotation:
            found.append(_field(cls, node, node.target.id, by_name=by_name))
    return found


def _text_of(annotation: ast.expr) -> str:
    return annotation.value if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str) else words(annotation)


def _field(cls: Class, node: ast.AnnAssign, name: str, *, by_name: bool) -> Field:
    default, factory, settings, init = node.value, None, None, True
    if isinstance(node.value, ast.Call) and decorator_word(node.value.func) in _CALLS:
        settings = node.value
        words = {one.arg: one.value for one in settings.keywords}
        default, factory = words.get("default"), words.get("default_factory", words.get("factory"))
        init = not _is(words.get("init"), False)
        by_name = (by_name or _is(words.get("kw_only"), True)) and not _is(words.get("kw_only"), False)
        if settings.args and decorator_word(settings.func) == "Field":
            default = settings.args[0]
        if _is(default, ...):
            default = None
    passed = "InitVar" in _text_of(node.annotation)
    return Field(
        name, node.annotation, default, factory, cls, Place(cls.names.module.path, node.lineno, node), settings, init, by_name, passed
    )


def _is(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def keep_defaults(it: Interpreter, cls: Class, inside: Frame) -> None:
    """The defaults as they are when the class is defined: what a factory is, or the default itself.

    A class attribute `field()` becomes its default.
    """
    if not any(name_of(mark) in DATACLASSES for mark in cls.decorators) and not _by_base(cls):
        return
    for field in _written(cls):
        if field.settings is not None:
            written = field.factory if field.factory is not None else field.default
            cls.attributes.pop(field.name, None)
            if written is not None:
                cls.defaults[field.name] = it.evaluate(written, inside)
            if field.default is not None:
                cls.attributes[field.name] = cls.defaults[field.name]
        elif field.name in cls.attributes:
            cls.defaults[field.name] = cls.attributes[field.name]


def default_of(it: Interpreter, field: Field) -> Value:
    """The default of a field, with the option as its origin; ABSENT for a required one."""
    value = field.owner.defaults.get(field.name)
    if value is None and field.settings is None:
        value = next(
            (one.attributes[field.name] for one in field.owner.line[1:] if isinstance(one, Class) and field.name in one.attributes), None
        )
    if value is None or isinstance(value, Property):
        return ABSENT
    if field.factory is not None:
        value = it.call(value, Call((), {}, None, field.factory, Frame(field.owner.names)))
    return with_origin(value, Origin("option", field.place, field.name))


def with_origin(value: Value, origin: Origin) -> Value:
    """The same value, with where it was decided in front."""
    if isinstance(value, Known):
        return Known(value.value, (origin, *(one for one in value.origins if one.kind != "source")))
    if isinstance(value, Items):
        return Items([with_origin(one, origin) for one in value.items], value.kind, value.more, (origin,))
    return value


def fill(it: Interpreter, made: Object, cls: Class, call: Call, construct: Construct) -> None:
    """A dataclass's own ``__init__``, then its ``__post_init__``. Arguments of a package's base go to that base."""
    fields = fields_of(cls)
    call = _of_fields(it, cls, call, [one.name for one in fields if one.init])
    by_place = [one.name for one in fields if one.init and not one.by_name]
    given = dict(zip(by_place, call.positional, strict=False))
    if (len(call.positional) > len(by_place) and not cls.kind) or any(name in call.keywords for name in given):
        raise Dead("TypeError")
    given |= {name: value for name, value in call.keywords.items() if any(one.name == name and one.init for one in fields)}
    others = {name: value for name, value in call.keywords.items() if name not in given}
    passed: list[Value] = []
    checked = is_model(cls)
    if checked and others:
        refuse_others(it, cls, others, call)
    for field in fields:
        value = given.get(field.name, ABSENT)
        outside = may_be_set(it, cls, field.name, field.settings, field.place) if value is ABSENT else None
        value = outside or (_filled(it, field, value, call) if field.init else default_of(it, field))
        if checked and field.name in given:
            value = validated(it, field, value, call)
        if field.passed:
            passed.append(value)
        elif value is not ABSENT:
            it.heap.write(made, field.name, value)
    _hand_on(it, made, cls, call, others, construct)
    finish(it, made, cls, call, passed)


def _of_fields(it: Interpreter, cls: Class, call: Call, takes: list[str]) -> Call:
    """The call without what the class has no field for, where a config or a flag brought it (`misfits`). A package's base may take it, and
    pydantic passes over it."""
    others = strangers(call, takes)
    marks = (mark for one in cls.line if isinstance(one, Class) for mark in one.decorators)
    is_open = (cls.kind and cls.kind not in FIELDS_OF_BASES) or any(name_of(one).startswith("pydantic") for one in (*cls.line, *marks))
    return without(it, call, others, cls.name, takes) if others and not is_open else call


def _hand_on(it: Interpreter, made: Object, cls: Class, call: Call, others: dict[str, Value], construct: Construct) -> None:
    """To a package's base all that the object has; a dataclass without one refuses what it does not know."""
    if cls.kind and cls.kind not in FIELDS_OF_BASES:
        merged = {**{key: value for key, value in made.attributes.items() if isinstance(key, str)}, **others}
        construct(it, made, cls.kind, call._replace(positional=(), keywords=merged))
        for key, value in merged.items():
            it.heap.write(made, key, value)
    elif others and not any(name_of(one).startswith("pydantic") for one in cls.line) and not all(map(perhaps_absent, others.values())):
        raise Dead("TypeError")


def _filled(it: Interpreter, field: Field, value: Value, call: Call) -> Value:
    rest = call.rest
    if not perhaps_absent(value):
        return value
    ways = alternatives(value)
    unsaid = default_of(it, field)
    if rest is not None:
        unsaid = made_of(rest) if unsaid is ABSENT else choice([Way("", made_of(rest)), Way("", unsaid)])
    if unsaid is ABSENT:
        if value is ABSENT:
            return ungiven(it, call, field.name, field.owner.name)
        return choice(way for way in ways if way.value is not ABSENT)
    return choice(way if way.value is not ABSENT else Way(way.when, unsaid) for way in ways)


def finish(it: Interpreter, made: Object, cls: Class, call: Call, passed: list[Value] | None = None) -> None:
    """``__post_init__``, with what is only passed to it."""
    after = cls.find("__post_init__")
    if isinstance(after, Function):
        it.call(after.of(made), Call(tuple(passed or ()), {}, None, call.node, call.frame))
