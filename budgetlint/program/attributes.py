"""``base.name``, read and written."""

from __future__ import annotations

import ast

from budgetlint.program.calling import Call, Frame
from budgetlint.program.choices import choice
from budgetlint.program.dataclass import is_frozen
from budgetlint.program.ends import Dead
from budgetlint.program.enumeration import is_enum
from budgetlint.program.functions import method_of
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.imports import all_followed, member
from budgetlint.program.items import each_of, set_all
from budgetlint.program.models import is_content, is_layer, is_no_module, is_of_modules, model_of
from budgetlint.program.modules import Lazy
from budgetlint.program.objects import Class, Function, Native, Object, Package, Partial, Property
from budgetlint.program.packages.replaced import replace
from budgetlint.program.places import Place
from budgetlint.program.sinks import MODELS
from budgetlint.program.state import Interpreter
from budgetlint.program.subscripts import part_of, there
from budgetlint.program.values import ABSENT, NONE, Choice, External, Items, Known, Map, Opaque, Open, Value, Way

_TRAINED = "requires_grad"


def kind_of(value: Value) -> str:
    """The name of a value's type, as the tables of methods have it."""
    match value:
        case Known():
            return {"NoneType": "None", "PurePosixPath": "path"}.get(type(value.value).__name__, type(value.value).__name__)
        case Items():
            return value.kind
        case Map():
            return "dict"
        case Object():
            return value.kind
    return ""


class Attributes:
    """Reads and writes attributes; one for all programs."""

    def get(self, it: Interpreter, base: Value, name: str, place: Place) -> Value:
        """The value; an attribute that is surely not there ends the way."""
        match base:
            case Choice():
                return self._of_choice(it, base, name, place)
            case Object():
                return _of_object(it, base, name, place)
            case Class():
                return _of_class(it, base, name)
            case Package() | External():
                _may_lack(it)
                return member(it, base, name)
            case Map():
                return _of_map(it, base, name)
            case Known() | Items():
                return _of_plain(it, base, name)
            case Function():
                if name == "__get__":
                    return Native("__get__", lambda it, call: base.of(call.positional[0]) if call.positional else base)
                return _of_function(base, name)
            case Partial() if name in base.parts:
                return base.parts[name]
        _may_lack(it)
        return part_of(base, f".{name}")

    def _of_choice(self, it: Interpreter, base: Choice, name: str, place: Place) -> Value:
        if any(isinstance(way.value, Object) and way.value.cls is not None for way in base.ways):
            return it.each(base, lambda one: self.get(it, one, name, place))
        found = []
        for way in base.ways:
            try:
                found.append(Way(way.when, self.get(it, way.value, name, place)))
            except Dead:
                continue
        if not found:
            raise Dead("AttributeError")
        return choice(found)

    def set(self, it: Interpreter, base: Value, name: str, value: Value, place: Place) -> None:
        match base:
            case Object():
                _set_of_object(it, base, name, value, place)
            case Class():
                it.heap.write(base, name, value)
            case Package():
                all_followed(it)
                it.heap.write(base.module.names, name, value)
            case Map():
                it.heap.write(base, name, value)
            case External() if not base.name.startswith(_FLAGS):
                it.doubt("patch", f"{base.name}.{name} is replaced", place, base)
                replace(it, f"{base.name}.{name}", value)
            case Known() | Items():
                raise Dead("AttributeError")
            case Opaque():
                self._of_foreign(it, base, name, value, place)

    def _of_foreign(self, it: Interpreter, base: Opaque, name: str, value: Value, place: Place) -> None:
        """A part of something that is not followed: of a model, it is a freeze or a replacement."""
        model = model_of(base)
        if model is None:
            if is_of_modules(place.node) or is_layer(value):
                it.doubt("replaced", f"{name}: a layer is put into what is not known", place)
            return
        if name == _TRAINED:
            made = it.sink("freeze", _TRAINED, Call((value,), {}, None, place.node or ast.Pass(), _nowhere(it, place)))
            made.receiver, made.place, made.line = base, place, place.line
        elif not isinstance(value, Known | Open) and not (is_no_module(base, name) or is_content(place.node)):
            it.doubt("replaced", f"{name} of a part of the model is replaced", place, model)


_FLAGS = (
    "torch.backends.", "torch._dynamo.config", "wandb", "openai", "os.", "sys.", "logging.", "warnings.",
)  # fmt: skip
"""Places of settings that neither a model nor a framework's code is changed by."""


def _of_function(base: Function, name: str) -> Value:
    plain = name == "__name__" and not getattr(base.node, "decorator_list", None)
    return Known(base.name) if plain else Opaque(f"{name} of {base.name}")


def _may_lack(it: Interpreter) -> None:
    """Whether an attribute is there that nobody knows of: only a program that asks for the error thinks that it may not be."""
    if any("AttributeError" in one for one in it.tries):
        it.may_fail("AttributeError")


def _set_of_object(it: Interpreter, base: Object, name: str, value: Value, place: Place) -> None:
    own = base.cls.find("__setattr__") if base.cls is not None else None
    if isinstance(own, Function):
        it.call(own.of(base), Call((Known(name), value), {}, None, place.node or own.node, Frame(own.names)))
        return
    if name == "__dict__":
        each_of(it, value, lambda one: set_all(it, base, one))
        return
    frozen = is_frozen(base.cls) if base.cls is not None else False
    if frozen:
        raise Dead("AttributeError")
    if frozen is None:
        it.may_fail("AttributeError")
    set_plainly(it, base, name, value, place)


def set_plainly(it: Interpreter, base: Object, name: str, value: Value, place: Place) -> None:
    """As `object` itself sets it: by the class's property, or in the object."""
    own = base.cls.find(name) if base.cls is not None else None
    if isinstance(own, Property):
        if own.set is None:
            raise Dead("AttributeError")
        it.call(own.set.of(base), Call((value,), {}, None, place.node or own.set.node, Frame(own.set.names)))
        return
    put = own.cls.find("__set__") if isinstance(own, Object) and own.cls is not None else None
    if isinstance(own, Object) and isinstance(put, Function):
        it.call(put.of(own), Call((base, value), {}, None, place.node or put.node, Frame(put.names)))
        return
    # a dict or a list is no module, and torch puts neither in the place of one (2.4 to 2.9 ``nn/modules/module.py`` ``__setattr__``)
    plain = isinstance(value, Known | Open | Map | Items)
    if base.made is not None and base.made.kind in MODELS and not plain and name != "state_dict":
        it.doubt("replaced", f"{name} of the model is replaced", place, base)
    it.heap.write(base, name, value)


def _nowhere(it: Interpreter, place: Place) -> Frame:
    module = it.modules.made.get(place.path) or next(iter(it.modules.made.values()))
    return Frame(module.names)


def _of_object(it: Interpreter, base: Object, name: str, place: Place) -> Value:
    if base.cls is not None and base.cls.find("__getattribute__") is not None:
        return Opaque(f"{name} of {base!r}", base)
    found = base.attributes.get(name, ABSENT)
    if isinstance(found, Lazy):
        return found
    if found is not ABSENT and not perhaps_absent(found):
        it.read.append((name, found))
        return found
    other = _not_set(it, base, name, place)
    if found is ABSENT:
        return there(other, "AttributeError")
    it.may_fail("AttributeError")
    return (
        choice([*(way for way in found.ways if way.value is not ABSENT), *([Way("", other)] if other is not ABSENT else [])])
        if isinstance(found, Choice)
        else other
    )


def _not_set(it: Interpreter, base: Object, name: str, place: Place) -> Value:
    """An attribute that nothing has set: of the class, of the package's class, or not there."""
    if base.cls is not None:
        value = base.cls.find(name)
        if value is not None:
            return _of_instance(it, base, name, value, place)
        if name == "__class__":
            return base.cls
    if name == "__dict__":
        return Map(base.attributes, base.rest)
    if base.kind:
        known = _of_kind(it, base, name)
        if known is not None:
            return known
    if base.rest is not None:
        return (
            Open(base.rest.kind, f"{base.rest.name}.{name}", base.rest.origins)
            if isinstance(base.rest, Open)
            else part_of(base.rest, f".{name}")
        )
    own = base.cls.find("__getattr__") if base.cls is not None and not name.startswith("__") else None
    if isinstance(own, Function):
        return it.call(own.of(base), Call((Known(name),), {}, None, place.node or own.node, Frame(own.names)))
    if base.cls is not None and not base.cls.kind and not base.kind:
        return (
            Opaque(f"{name} of {base!r}", base) if name.startswith("__") and name.endswith("__") else ABSENT
        )  # what Python or a decorator sets
    return part_of(base, f".{name}")


def _of_kind(it: Interpreter, base: Object, name: str) -> Value | None:
    """What the tables say of a package's object."""
    got = it.parts.properties.get(f"{base.kind}.{name}") or it.parts.properties.get(f"{base.kind}.*")
    if got is not None:
        return got(it, base) if f"{base.kind}.{name}" in it.parts.properties else it.parts.default(it, base, name)
    found = it.parts.default(it, base, name)
    if found is not None:
        return found
    method = it.parts.methods.get(f"{base.kind}.{name}")
    return Native(name, lambda it, call: method(it, base, call)) if method is not None else None


def _of_instance(it: Interpreter, base: Object, name: str, value: Value, place: Place) -> Value:
    if isinstance(value, Property):
        found = it.call(value.get.of(base), Call((), {}, None, place.node or value.get.node, Frame(value.get.names)))
        if value.kept:
            it.heap.write(base, name, found)
        return found
    if isinstance(value, Function) and base.cls is not None:
        return method_of(value, base, base.cls)
    return described(it, value, base, place)


def described(it: Interpreter, value: Value, base: Object, place: Place) -> Value:
    """An attribute of a class that says itself what it is for an object."""
    get = value.cls.find("__get__") if isinstance(value, Object) and value.cls is not None else None
    if not isinstance(get, Function):
        return value
    return it.call(get.of(value), Call((base, base.cls or NONE), {}, None, place.node or get.node, Frame(get.names)))


def _of_class(it: Interpreter, base: Class, name: str) -> Value:
    value = base.find(name)
    if isinstance(value, Function):
        return method_of(value, base, base)
    if value is not None:
        return base.strange or value
    if name == "__name__":
        return Known(base.name)
    if is_enum(base) and not name.startswith("__"):
        raise Dead("AttributeError")
    return External(f"{base.kind}.{name}") if base.kind else Opaque(f"{name} of {base.name}")


def _of_map(it: Interpreter, base: Map, name: str) -> Value:
    if base.root is not None:  # a tree whose keys are attributes
        found = it.parts.node(it, base, name)
        if found is not ABSENT:
            it.read.append((name, found))
            return there(found, "AttributeError")
    return _of_plain(it, base, name)


def _of_plain(it: Interpreter, base: Value, name: str) -> Value:
    kind = kind_of(base)
    if kind == "None":
        raise Dead("AttributeError")
    got = it.parts.properties.get(f"{kind}.{name}")
    if got is not None:
        return got(it, base)
    method = it.parts.methods.get(f"{kind}.{name}")
    if method is not None:
        return Native(name, lambda it, call: method(it, base, call))
    return part_of(base, f".{name}") if not isinstance(base, Known) else Opaque(f"{name} of {base!r}"[:100])
