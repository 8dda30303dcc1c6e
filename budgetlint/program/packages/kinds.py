"""Which class a value is of: ``isinstance``, ``issubclass``, ``type``."""

from __future__ import annotations

import collections
import collections.abc
import numbers
import os
from collections.abc import Sequence
from pathlib import PurePath, PurePosixPath

from budgetlint.program.calling import Call
from budgetlint.program.ends import Dead
from budgetlint.program.heap import perhaps_absent
from budgetlint.program.objects import Class, Function, Handler, Native, Object, Package, Partial
from budgetlint.program.packages.plain import spread, unknown
from budgetlint.program.state import Interpreter
from budgetlint.program.values import FALSE, TRUE, External, Items, Known, Map, Opaque, Value

_ABSTRACT = (
    "Mapping", "MutableMapping", "Sequence", "MutableSequence", "Iterable", "Sized", "Container", "Collection", "Hashable", "Callable",
    "Iterator", "Set", "MutableSet", "Generator",
)  # fmt: skip
CLASSES: dict[str, type] = {
    **{one.__name__: one for one in (str, bytes, bytearray, int, float, complex, bool, list, tuple, set, frozenset, dict, range, type)},
    "object": object, "slice": slice,
    "NoneType": type(None), "types.NoneType": type(None), "collections.OrderedDict": collections.OrderedDict,
    "collections.defaultdict": collections.defaultdict, "collections.UserDict": collections.UserDict,
    "collections.deque": collections.deque,
    **{f"numbers.{name}": getattr(numbers, name) for name in ("Number", "Complex", "Real", "Rational", "Integral")},
    **{f"{module}.{name}": getattr(collections.abc, name) for module in ("collections.abc", "typing", "collections")
       for name in _ABSTRACT},
    "typing.Dict": dict, "typing.List": list, "typing.Tuple": tuple, "typing.AbstractSet": collections.abc.Set, "os.PathLike": os.PathLike,
    "pathlib.PurePath": PurePath, "pathlib.PurePosixPath": PurePosixPath, "types.FunctionType": type(lambda: None),
}  # fmt: skip
"""Python's classes by qualified name."""
_PATHS = frozenset({"pathlib.Path", "pathlib.PosixPath"})
_PACKAGES = frozenset({"torch", "transformers", "peft", "trl", "datasets", "numpy", "pandas", "omegaconf", "accelerate", "PIL"})
"""Packages of which a class with a capital letter is none of Python's: what is plain is no instance of it."""
_ALIASES = ("types", "typing", "PathLike", "Number", "Device", "ArrayLike", "NestedDataStructureLike")
_KINDS: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "range": range}


def named(value: Value) -> str:
    """The qualified name of a class of Python or of a package."""
    name = value.name if isinstance(value, External | Native) else ""
    return name.removeprefix("builtins.")


def own_class(value: Value) -> type | None:
    """Python's class of a plain value, a container or a function; None for anything else."""
    if isinstance(value, Known):
        return type(value.value)
    if isinstance(value, Items):
        return _KINDS.get(value.kind)
    if isinstance(value, Map):
        return dict if value.root is None and value.loader not in ("omegaconf", "environment") else None
    if isinstance(value, Function):
        return type(lambda: None) if value.bound is None and value.decorated is None else None
    return None


def is_instance(value: Value, kind: Value) -> bool | None:
    """One value, one class."""
    name = named(kind)
    if name == "object":
        return True
    mine = own_class(value)
    if mine is not None:
        return _plain_instance(mine, kind, name)
    if isinstance(value, Object):
        return _object_instance(value, kind, name)
    if isinstance(value, Class):
        return True if name == "type" else False if name in ("str", "int", "float", "bool", "list", "dict", "tuple", "NoneType") else None
    if isinstance(value, Map) and value.loader == "omegaconf":
        return {"omegaconf.DictConfig": True, "dict": False, "str": False, "list": False}.get(name)
    if isinstance(value, Partial):
        return _partial_instance(kind, name)
    if isinstance(value, Package | Native):
        return (
            False
            if name in ("str", "int", "float", "bool", "list", "dict", "tuple", "NoneType") and not isinstance(value, Native)
            else None
        )
    return None


def _partial_instance(kind: Value, name: str) -> bool | None:
    """``functools.partial`` has no class above it but ``object``; a protocol or a callable's class may still take it."""
    if name == "functools.partial":
        return True
    if isinstance(kind, Class):
        return None if _is_protocol(kind) or kind.find("__instancecheck__") is not None else False
    if name in ("str", "int", "float", "bool", "list", "dict", "tuple", "NoneType"):
        return False
    return False if name.rpartition(".")[2][:1].isupper() and not any(one in name for one in ("Callable", "Hashable", *_ALIASES)) else None


def _plain_instance(mine: type, kind: Value, name: str) -> bool | None:
    if isinstance(kind, Class):
        return (
            False if kind.find("__instancecheck__") is None and kind.find("__subclasshook__") is None and not _is_protocol(kind) else None
        )
    if name in _PATHS:
        return mine is PurePosixPath
    if name in CLASSES:
        if mine is PurePosixPath and name == "pathlib.PurePosixPath":
            return True
        return issubclass(mine, CLASSES[name])
    package, _, last = name.partition(".")
    if package in _PACKAGES and last.rpartition(".")[2][:1].isupper() and not any(one in last for one in _ALIASES):
        return False
    return None


def _is_protocol(kind: Class) -> bool:
    return any(named(one).endswith((".Protocol", ".ABC", "TypedDict")) for one in kind.line)


def _object_instance(value: Object, kind: Value, name: str) -> bool | None:
    if value.kind == "iterator" and name in ("list", "tuple", "set", "dict", "str", "int"):
        return False
    if value.made is not None and value.made.kind in _MODELS and (found := _model_instance(value.kind, name)) is not None:
        return found
    line: Sequence[Value] = value.cls.line if value.cls is not None else ()
    if kind in line or (name and (name == value.kind or any(named(one) == name for one in line))):
        return True
    if isinstance(kind, Class):
        return None if _is_protocol(kind) or kind.find("__instancecheck__") is not None else False
    outside = [named(one) for one in line if not isinstance(one, Class)]
    if value.cls is None or not all(one in CLASSES for one in outside):
        return None
    return _plain_bases(outside, name)


_MODELS = frozenset({"load", "adapter", "peft_load"})
_WRAPPED = ("peft.get_peft_model", "peft.PeftModel.from_pretrained")


def _model_instance(kind: str, name: str) -> bool | None:
    """Of what transformers loads, and of what PEFT makes of it: an adapter in the folder leaves the class of a load as it is
    (transformers 4.57 ``integrations/peft.py`` load_adapter injects layers); `PeftModel` is a module and no `PreTrainedModel`
    (peft 0.18 ``peft_model.py``)."""
    loaded = kind.startswith("transformers.") and kind.endswith(".from_pretrained")
    if not loaded and kind not in _WRAPPED:
        return None
    if name in ("torch.nn.Module", "torch.nn.modules.module.Module"):
        return True
    if name.startswith("peft."):
        last = name.rpartition(".")[2]
        return (
            False if loaded and last.startswith(("PeftModel", "PeftMixedModel")) else True if last == "PeftModel" and not loaded else None
        )
    if name in ("transformers.PreTrainedModel", "transformers.modeling_utils.PreTrainedModel"):
        return loaded
    return None


def _plain_bases(outside: Sequence[str], name: str) -> bool | None:
    """A class of the repository on Python's own classes only, asked for a class that is not in its line."""
    if name not in CLASSES:
        return (
            False
            if name.partition(".")[0] in _PACKAGES and name.rpartition(".")[2][:1].isupper() and not any(one in name for one in _ALIASES)
            else None
        )
    if name in ("str", "bytes", "int", "float", "bool", "list", "tuple", "set", "dict", "NoneType"):
        return any(issubclass(CLASSES[one], CLASSES[name]) for one in outside)
    return None


def among(value: Value, kinds: Value, check: object = None) -> bool | None:
    """One value, one class or a tuple of them."""
    if not isinstance(kinds, Items):
        return is_instance(value, kinds)
    found = [among(value, one) for one in kinds.items if not perhaps_absent(one)]
    if True in found:
        return True
    return False if None not in found and kinds.more is None and len(found) == len(kinds.items) else None


def _isinstance(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or len(call.positional) != 2:
        return unknown("isinstance", call.given())

    def one(values: list[Value]) -> Value:
        found = among(*values)
        return unknown("isinstance", values[:1]) if found is None else Known(found, values[0].origins)

    return spread(it, call.positional, one, "isinstance")


def is_subclass(one: Value, kind: Value) -> bool | None:
    """One class of another."""
    if isinstance(kind, Items):
        found = [is_subclass(one, other) for other in kind.items]
        return True if True in found else None if None in found or kind.more is not None else False
    if isinstance(one, Class):
        if kind in one.line or (named(kind) and any(named(base) == named(kind) for base in one.line)) or named(kind) == "object":
            return True
        return False if isinstance(kind, Class) and not _is_protocol(kind) else None
    if named(one) in CLASSES and named(kind) in CLASSES:
        return issubclass(CLASSES[named(one)], CLASSES[named(kind)])
    return True if named(one) and named(one) == named(kind) else None


def _issubclass(it: Interpreter, call: Call) -> Value:
    def one(values: list[Value]) -> Value:
        if isinstance(values[0], Known):
            raise Dead
        found = is_subclass(*values)
        return unknown("issubclass", values) if found is None else TRUE if found else FALSE

    return (
        spread(it, call.positional, one, "issubclass")
        if call.rest is None and len(call.positional) == 2
        else unknown("issubclass", call.given())
    )


def type_of(value: Value) -> Value | None:
    """The class of a value, as a program names it."""
    if isinstance(value, Known) and isinstance(value.value, PurePosixPath):
        return External("pathlib.PosixPath")
    if isinstance(value, Object):
        return value.cls if value.cls is not None else External(value.kind) if value.made is not None and value.kind else None
    mine = own_class(value)
    if isinstance(value, Class):
        return (
            External("type")
            if all(isinstance(one, Class) or named(one) == "object" for one in value.line) and not value.node.keywords
            else None
        )
    return None if mine is None else External("types.FunctionType" if isinstance(value, Function) else mine.__name__)


def _type(it: Interpreter, call: Call) -> Value:
    if call.rest is not None or call.keywords or len(call.positional) != 1:
        return Opaque("a class that is made by a call", package="builtins")
    return it.each(call.positional[0], lambda one: type_of(one) or unknown("type", [one]))


FUNCTIONS: dict[str, Handler] = {"isinstance": _isinstance, "issubclass": _issubclass, "type": _type}
