"""What a class takes: its fields with types, defaults, choices and bounds, as its body writes them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from budgetlint.contracts.names import GIVEN, outermost

from .code import Class, Module, Release
from .core import is_enumeration
from .formulas import constant, literal
from .state import State
from .symbolic import Walker

MISSING = "__missing__"
"""The default of a field that has to be given, or whose default is not a constant."""


def field_of(name: str, fields: Collection[str]) -> str:
    """The field that a name asks for: itself where the config is a tree, else the one that it stands in."""
    bare = name.removeprefix(GIVEN)
    return bare if bare in fields else outermost(name)


@dataclass(frozen=True)
class Field:
    """One field. ``type`` as written; ``choices`` None for any; ``bounds`` as pydantic names them (``ge``, ``lt``)."""

    name: str
    type: str
    default: Any = MISSING
    choices: tuple[Any, ...] | None = None
    bounds: tuple[tuple[str, float], ...] = ()
    owner: str = ""
    path: str = ""
    line: int = 0
    required: bool = False
    init: bool = True
    """Is it given? ``field(init=False)`` is what a class sets itself."""

    @property
    def optional(self) -> bool:
        return "None" in self.type or "Optional" in self.type or self.default is None


def fields_of_class(release: Release, one: Class) -> dict[str, Field]:
    """Fields by name, those of its bases too; a class's own win."""
    found: dict[str, Field] = {}
    for each in reversed(release.lineage(one)):
        found.update({field.name: field for field in _own(release, each)})
    return found


def fields_of_signature(release: Release, one: Class) -> dict[str, Field]:
    """What the constructor of a class takes by name. A parameter without an annotation is of the kind of its default."""
    home = next((each for each in release.lineage(one) if "__init__" in each.methods), None)
    if home is None:
        return {}
    spec = home.methods["__init__"].args
    names = [*spec.posonlyargs, *spec.args][1:]
    given = dict(zip([each.arg for each in names[len(names) - len(spec.defaults) :]], spec.defaults, strict=True))
    given |= {each.arg: value for each, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value is not None}
    found: dict[str, Field] = {}
    for each in (*names, *spec.kwonlyargs):
        default = constant_of(release, home.module, given[each.arg]) if each.arg in given else MISSING
        kind = "" if default is None or default is MISSING else type(default).__name__
        written = ast.unparse(each.annotation) if each.annotation is not None else kind
        choices = _choices(release, home.module, each.annotation) if each.annotation is not None else None
        found[each.arg] = Field(each.arg, written, default, choices, (), one.name, home.module.path, each.lineno, each.arg not in given)
    return found


def _own(release: Release, one: Class) -> Iterator[Field]:
    for node in one.node.body:
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name) or node.target.id.startswith("_"):
            continue
        written = ast.unparse(node.annotation)
        if written.startswith("ClassVar"):
            continue
        default, metadata, bounds, required = _default(release, one.module, node.value)
        extra_choices, extra_bounds = _annotated(release, one.module, node.annotation)
        choices = metadata or _choices(release, one.module, node.annotation) or extra_choices
        place = (one.name, one.module.path, node.lineno)
        yield Field(node.target.id, written, default, choices, (*bounds, *extra_bounds), *place, required, not _is_own(node.value))


def _is_own(node: ast.expr | None) -> bool:
    """``field(init=False)``."""
    called = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "field"
    return called and any(one.arg == "init" and literal(one.value) == (True, False) for one in node.keywords)  # type: ignore[union-attr]


def constant_of(release: Release, module: Module, node: ast.expr) -> Any:
    """The value of a constant expression; MISSING for any other."""
    walker = Walker(release, lambda _name: False)
    walker.stack.append((module, "constant"))
    known, value = literal(walker.plain(node, State()))
    if not known:
        known, value = literal(node)
    return value if known else MISSING


_BOUNDS = ("ge", "gt", "le", "lt", "multiple_of")


def _default(
    release: Release, module: Module, node: ast.expr | None
) -> tuple[Any, tuple[Any, ...] | None, tuple[tuple[str, float], ...], bool]:
    if node is None:
        return MISSING, None, (), True
    if not isinstance(node, ast.Call) or ast.unparse(node.func).rpartition(".")[2] not in ("field", "Field", "HfArg"):
        return constant_of(release, module, node), None, (), False
    named = {one.arg: one.value for one in node.keywords if one.arg}
    choices: tuple[Any, ...] | None = None
    metadata = named.get("metadata")
    if isinstance(metadata, ast.Dict):
        for key, value in zip(metadata.keys, metadata.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "choices":
                plain = constant_of(release, module, value)
                choices = tuple(plain) if isinstance(plain, (list, tuple)) else None
    bounds = tuple(
        (key, float(value))
        for key in _BOUNDS
        if key in named
        for value in [constant_of(release, module, named[key])]
        if isinstance(value, (int, float))
    )
    if "default" in named or node.args:
        first = named.get("default") or node.args[0]
        if isinstance(first, ast.Constant) and first.value is ...:
            return MISSING, choices, bounds, True
        return constant_of(release, module, first), choices, bounds, False
    factory = named.get("default_factory")
    if factory is None:
        return MISSING, choices, bounds, True
    text = ast.unparse(factory)
    if isinstance(factory, ast.Lambda):
        return constant_of(release, module, factory.body), choices, bounds, False
    return {"list": [], "dict": {}}.get(text, MISSING), choices, bounds, False


def _annotated(release: Release, module: Module, node: ast.expr) -> tuple[tuple[Any, ...] | None, tuple[tuple[str, float], ...]]:
    """Bounds within ``Annotated[float, Field(gt=0)]``."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and ast.unparse(one.func).rpartition(".")[2] == "Field":
            return None, _default(release, module, one)[2]
    return None, ()


def _choices(release: Release, module: Module, node: ast.expr) -> tuple[Any, ...] | None:
    """Values of a ``Literal`` or of an enumeration, where nothing else is taken."""
    parts = union_of(node)
    found: list[Any] = []
    for part in parts:
        text = ast.unparse(part)
        if text == "None":
            continue
        if isinstance(part, ast.Subscript) and ast.unparse(part.value).rpartition(".")[2] == "Literal":
            values = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
            plain = [literal(one) for one in values]
            if not all(known for known, _ in plain):
                return None
            found.extend(value for _, value in plain)
            continue
        named = release.named(module, text) if text.isidentifier() else None
        if isinstance(named, Class) and is_enumeration(release, named):
            found.extend(value for each in named.members.values() for known, value in [literal(each)] if known)
            continue
        return None
    return tuple({(type(one), one): one for one in found}.values()) or None


def union_of(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*union_of(node.left), *union_of(node.right)]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return union_of(ast.parse(node.value, mode="eval").body)
        except SyntaxError:
            return [node]
    if isinstance(node, ast.Subscript):
        name = ast.unparse(node.value).rpartition(".")[2]
        inside = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Optional":
            return [*union_of(inside[0]), ast.Constant(None)]
        if name == "Union":
            return [part for one in inside for part in union_of(one)]
        if name == "Annotated":
            return union_of(inside[0])
    return [node]


class Inner:
    """Defaults of the fields of fields: ``trl.use_vllm`` is one of the class that ``trl`` holds. None where it is None or not known."""

    def __init__(self, release: Release, classes: Iterable[Class]) -> None:
        self.release = release
        self.classes: dict[str, Class | None] = {}
        for one in classes:
            self._add("", one)

    def _add(self, prefix: str, one: Class) -> None:
        for each in reversed(self.release.lineage(one)):
            for node in each.node.body:
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    self.classes[prefix + node.target.id] = self._held(each.module, node.annotation)

    def _held(self, module: Module, annotation: ast.expr) -> Class | None:
        found = [self.release.named(module, ast.unparse(one)) for one in union_of(annotation) if isinstance(one, ast.Name)]
        held = [one for one in found if isinstance(one, Class) and not is_enumeration(self.release, one)]
        return held[0] if len(held) == 1 else None

    def __call__(self, full: str) -> ast.expr | None:
        owner, _, name = full.rpartition(".")
        held = self.classes.get(owner)
        if held is None:
            return None
        field = fields_of_class(self.release, held).get(name)
        if field is None or field.default is MISSING or field.default is None:
            return None
        return constant(field.default)


def named_defaults(fields: Mapping[str, Field]) -> dict[str, Any]:
    return {name: field.default for name, field in fields.items() if field.default is not MISSING}
