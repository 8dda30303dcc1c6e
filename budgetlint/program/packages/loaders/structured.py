"""Structured configs: mappings whose keys and types a dataclass says (OmegaConf 2.1 to 2.3 ``_utils.py`` get_dataclass_data, ``nodes.py``
_validate_and_convert_impl)."""

from __future__ import annotations

from budgetlint.program.dataclass import default_of, fields_of, is_dataclass
from budgetlint.program.objects import Class, Object
from budgetlint.program.packages.parsers.annotations import Shape, shape_of
from budgetlint.program.places import Origin
from budgetlint.program.state import Interpreter
from budgetlint.program.values import ABSENT, Items, Key, Known, Map, Opaque, Value

MISSING = "???"
_TRUE, _FALSE = frozenset({"yes", "y", "on", "true", "1"}), frozenset({"no", "n", "off", "false", "0"})


class Typed(Map):
    """A mapping of a dataclass: its keys are all there are, each read as its annotation says."""

    __slots__ = ("cls", "shapes")

    def __init__(
        self, items: dict[Key, Value], cls: Class, shapes: dict[str, Shape], rest: Value | None = None, origins: tuple[Origin, ...] = ()
    ) -> None:
        super().__init__(items, rest, origins)
        self.cls, self.shapes = cls, shapes


def shapes_of(it: Interpreter, cls: Class) -> dict[str, Shape]:
    return {field.name: shape_of(it, field.annotation, field.owner.names) for field in fields_of(cls)}


def typed(it: Interpreter, cls: Class) -> Typed:
    """The mapping of a dataclass by its defaults; ``???`` where there is none."""
    found: dict[Key, Value] = {}
    for field in fields_of(cls):
        default = default_of(it, field)
        found[field.name] = default if default is not ABSENT else Known(MISSING, (Origin("option", field.place, field.name),))
    return Typed(found, cls, shapes_of(it, cls))


def as_shape(shape: Shape | None, value: Value) -> Value | None:
    """A value as a field has it; None where it is refused."""
    if shape is None or shape.kinds == ("",) or not isinstance(value, Known | Items):
        return value
    if isinstance(value, Items):
        if not shape.several:
            return Opaque("a list for one value", value) if len(shape.kinds) > 1 or shape.kinds[0] in {"", "class"} else None
        made = [as_shape(shape._replace(several=""), one) for one in value.items]
        return (
            None
            if any(one is None for one in made)
            else Items([one for one in made if one is not None], value.kind, value.more, value.origins)
        )
    return _scalar(shape, value)


def _scalar(shape: Shape, value: Known) -> Value | None:
    if isinstance(value.value, str) and (value.value == MISSING or "${" in value.value):
        return value
    kinds = [kind for kind in shape.kinds if kind != "None"]
    if value.value is None:
        return value if "None" in shape.kinds or "" in kinds or "class" in kinds else None
    if shape.several:
        return Opaque("one value for a list", value) if "" in kinds else None
    if kinds == ["enum"] and shape.cls is not None:
        return _member(shape.cls, value)
    if kinds == ["class"] and shape.cls is not None and is_dataclass(shape.cls):
        return None
    if len(kinds) != 1 or kinds[0] not in {"int", "float", "str", "bool"}:
        return value if "" in kinds else Opaque("a value that its annotation converts", value, origins=value.origins)
    made = _CONVERT[kinds[0]](value.value)
    return Known(made, value.origins) if made is not None else None


def _member(cls: Class, value: Known) -> Value | None:
    """The member that a text names, or whose value a number is (``nodes.py`` EnumNode.validate_and_convert_to_enum)."""
    held = cls.attributes.get("__members__")
    members = [one for one in held.items if isinstance(one, Object)] if isinstance(held, Items) and held.more is None else []
    told = [(one.attributes.get("name"), one.attributes.get("value")) for one in members]
    if not told or not all(isinstance(name, Known) and isinstance(number, Known) for name, number in told):
        return Opaque("a member of an enumeration", value, origins=value.origins)
    if type(value.value) not in (int, str):
        return None
    text = value.value.removeprefix(f"{cls.name}.") if isinstance(value.value, str) else None
    for one, (name, number) in zip(members, told, strict=True):
        asked, wanted = (number, value.value) if text is None else (name, text)
        if isinstance(asked, Known) and type(asked.value) is type(wanted) and asked.value == wanted:
            return one
    return None


def _int(value: object) -> int | None:
    if type(value) is int:
        return value
    try:
        return int(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _float(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else None
    except ValueError:
        return None


def _str(value: object) -> str | None:
    return str(value)


def _bool(value: object) -> bool | None:
    if isinstance(value, bool | int):
        return bool(value)
    text = value.lower() if isinstance(value, str) else ""
    return text in _TRUE if text in _TRUE | _FALSE else None


_CONVERT = {"int": _int, "float": _float, "str": _str, "bool": _bool}
