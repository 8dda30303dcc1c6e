"""Classes of the repository: defined, made objects of."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from budgetlint.program.calling import Call, Frame
from budgetlint.program.dataclass import DATACLASSES, FIELDS_OF_BASES, fill, is_marked, keep_defaults
from budgetlint.program.ends import Dead
from budgetlint.program.enumeration import is_enum, member_of, members
from budgetlint.program.functions import decorated, decorator_word
from budgetlint.program.imports import resolved
from budgetlint.program.modules import Lazy
from budgetlint.program.objects import Class, Function, Object, Property
from budgetlint.program.sinks import MODELS
from budgetlint.program.state import GOES_ON, Interpreter, Signal, name_of
from budgetlint.program.values import External, Key, Known, Map, Names, Opaque, Value

_METACLASSES = frozenset({"ABCMeta", "EnumMeta", "EnumType", "type"})


def class_(it: Interpreter, node: ast.ClassDef, frame: Frame) -> Signal:
    """``class``: its body is followed, then its decorators are called."""
    marks, others = _marks(it, node, frame)
    value = decorated(it, others, frame, lambda: _made(it, node, frame, marks))
    it.heap.write(frame.names.shared.get(node.name, frame.names), node.name, value)
    return GOES_ON


def _marks(it: Interpreter, node: ast.ClassDef, frame: Frame) -> tuple[list[tuple[External, dict[str, Value]]], list[ast.expr]]:
    """The decorators that make a dataclass, with their settings, and the others."""
    marks: list[tuple[External, dict[str, Value]]] = []
    others: list[ast.expr] = []
    for one in node.decorator_list:
        maker = it.evaluate(one.func if isinstance(one, ast.Call) else one, frame)
        if name_of(maker) in DATACLASSES:
            words = one.keywords if isinstance(one, ast.Call) else ()
            marks.append((External(name_of(maker)), {word.arg: it.evaluate(word.value, frame) for word in words if word.arg}))
        else:
            others.append(one)
    return marks, others


def _made(it: Interpreter, node: ast.ClassDef, frame: Frame, marks: Sequence[tuple[External, dict[str, Value]]]) -> Class:
    names = Names(frame.names, frame.module, "class")
    bases = [it.evaluate(one, frame) for one in node.bases]
    words: dict[str, Value] = {one.arg: it.evaluate(one.value, frame) for one in node.keywords if one.arg not in (None, "metaclass")}
    signal = it.run(node.body, Frame(names))
    if signal[0]:
        raise Dead(signal[1])
    made = Class(node, frame.names, [one for one in bases if isinstance(one, Class | External)], names.bound)
    made.decorators = tuple(mark for mark, _ in marks)
    made.settings = {key: value for _, settings in marks for key, value in settings.items()}
    if not all(isinstance(one, Class | External) for one in bases):
        made.decorators = (*made.decorators, Opaque("a base that is not known"))
    if not _plain_metaclass(node):
        made.strange = Opaque(f"{node.name} has a metaclass that is not followed")
    _own(it, made, Frame(names))
    _tell_bases(it, made, words, node, frame)
    return made


def _plain_metaclass(node: ast.ClassDef) -> bool:
    return all(one.arg and (one.arg != "metaclass" or decorator_word(one.value) in _METACLASSES) for one in node.keywords)


def _own(it: Interpreter, made: Class, inside: Frame) -> None:
    """What a class makes of the names of its body."""
    for name, value in list(made.attributes.items()):
        if isinstance(value, Lazy):
            made.attributes[name] = resolved(it, value)
        for function in (value.get, value.set) if isinstance(value, Property) else (value,):
            if isinstance(function, Function) and function.owner is None:
                function.owner = made
        told = value.cls.find("__set_name__") if isinstance(value, Object) and value.cls is not None else None
        if isinstance(told, Function) and isinstance(name, str):
            it.call(told.of(value), Call((made, Known(name)), {}, None, made.node, inside))
    keep_defaults(it, made, inside)
    if is_enum(made):
        members(it, made, inside)


def _tell_bases(it: Interpreter, made: Class, words: dict[str, Value], node: ast.ClassDef, frame: Frame) -> None:
    """``__init_subclass__`` of the nearest base."""
    told = next(
        (one.attributes["__init_subclass__"] for one in made.line[1:] if isinstance(one, Class) and "__init_subclass__" in one.attributes),
        None,
    )
    if isinstance(told, Function):
        it.call(told.of(made), Call((), words, None, node, frame))


# objects


_OF_TRAINER = ("get_train_dataloader", "create_optimizer_and_scheduler", "training_step", "compute_loss", "prediction_step")


def _is_copied_trainer(cls: Class) -> bool:
    """transformers' own ``trainer.py`` as a file of the repository: it is what it is a copy of, and long."""
    return cls.name == "Trainer" and all(name in cls.attributes for name in _OF_TRAINER)


def instantiate(it: Interpreter, cls: Class, call: Call) -> Value:
    """``Class(...)`` of a class of the repository."""
    if is_enum(cls):
        return member_of(cls, call)
    if cls.strange is not None:
        made = _initialised(it, Object(cls.kind, cls), cls, call)
        it.disturb(made, f"{cls.name} has a metaclass that is not followed", it.place(call.node, call.frame))
        return made
    if any(name_of(one) in {"typing.TypedDict", "typing_extensions.TypedDict"} for one in cls.line):
        return Map(dict[Key, Value](call.keywords.items()), call.rest) if not call.positional else Opaque(f"a dict of {cls.name}")
    new = cls.find("__new__")
    if isinstance(new, Function):
        made = it.call(new, call._replace(positional=(cls, *call.positional)))
        return it.each(made, lambda one: _initialised(it, one, cls, call))
    return _initialised(it, Object(cls.kind, cls), cls, call)


def _initialised(it: Interpreter, made: Value, cls: Class, call: Call) -> Value:
    if not isinstance(made, Object) or made.cls is None or cls not in made.cls.line:
        return made
    if any(isinstance(one, Opaque) for one in cls.decorators):
        made.rest = Opaque(f"{cls.name} is made by what is not known")
    if any(isinstance(one, Class) and _is_copied_trainer(one) for one in cls.line):
        construct(it, made, "transformers.Trainer", call)
        return made
    for one in made.cls.line:
        if isinstance(one, Class) and "__init__" in one.attributes:
            it.call(_bound(one.attributes["__init__"], made), call)
            return made
        if isinstance(one, Class) and is_marked(one):
            fill(it, made, cls, call, construct)
            return made
        if isinstance(one, External) and one.name in FIELDS_OF_BASES:
            fill(it, made, cls, call, construct)
            return made
        if isinstance(one, External) and one.name == cls.kind:
            construct(it, made, cls.kind, call)
            return made
    if (call.positional or call.keywords) and cls.find("__new__") is None and made.rest is None:
        raise Dead("TypeError")
    return made


def _bound(value: Value, made: Object) -> Value:
    return value.of(made) if isinstance(value, Function) else value


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
    if made.data is None:  # what it is built on may hold the model
        made.data = next(
            (one for one in call.given() if isinstance(one, Object) and one.made is not None and one.made.kind in MODELS), None
        )
    made.rest = Opaque(f"an attribute that {kind} sets", package=kind.partition(".")[0])


def after(cls: Class, owner: Class | None) -> tuple[Value, ...]:
    """The classes behind one in the line: what ``super()`` looks in."""
    return cls.line[cls.line.index(owner) + 1 :] if owner in cls.line else ()
