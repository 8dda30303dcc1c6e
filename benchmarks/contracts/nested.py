"""Fields of a framework whose config is a tree: its YAML with every default, and the parser of a command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import yaml

from .code import Class, Module, Release
from .fields import MISSING, Field, constant_of, fields_of_class
from .sources import Contract
from .state import Thing

_ALIAS = re.compile(r"\$\{(?:oc\.select:)?\s*(\.*[A-Za-z_][\w.]*)\s*(?:,[^{}]*)?\}")
"""An interpolation that is the value of one other key; its fallback counts only where that key is not there, and it is."""


def from_config(release: Release, contract: Contract) -> tuple[dict[str, Field], dict[str, Thing]] | None:
    """The leaves of the YAML as fields, each by its dotted path, and its blocks; None where the release has no such file.

    The innermost blocks come first: so are their objects made. A field that a class has beside the keys counts with its default."""
    path = release.root / contract.config
    if not path.is_file():
        return None
    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    fields: dict[str, Field] = {}
    sections: dict[str, Thing] = {}
    for name, block in _blocks(tree):
        if any(part in contract.without for part in name.split(".")):
            continue
        target = block.get("_target_")
        found = release.find(str(target)) if target else None
        own = fields_of_class(release, found) if isinstance(found, Class) else {}
        for key, one in own.items():
            if key not in block and one.default != MISSING and not key.startswith("_"):
                fields[f"{name}.{key}"] = Field(f"{name}.{key}", one.type, one.default, None, (), one.owner, one.path, one.line)
        for key, value in block.items():
            if not isinstance(value, dict) or not value:
                full = f"{name}.{key}" if name else str(key)
                written = own[key].type if key in own else "" if value is None or _is_open(value) else type(value).__name__
                fields[full] = Field(full, written, _default(value, name, tree), path=contract.config)
        if name:
            sections[name] = Thing(f"{name}.", release.lineage(found) if isinstance(found, Class) else (), True)
    fields.pop("_target_", None)
    return {name: one for name, one in fields.items() if not name.endswith("._target_")}, sections


def _blocks(block: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for key, value in block.items():
        if isinstance(value, dict) and value:
            yield from _blocks(value, f"{path}.{key}" if path else str(key))
    yield path, block


def _is_open(value: Any) -> bool:
    return isinstance(value, str) and ("${" in value or value == "???")


def _default(value: Any, section: str, tree: Mapping[str, Any]) -> Any:
    """A constant; ``${a.b}`` where it is the value of another key; MISSING where that is not known."""
    if not _is_open(value):
        return value
    found = _ALIAS.fullmatch(value)
    if found is None:
        return MISSING
    name = found[1]
    if name.startswith("."):
        ups = len(name) - len(name.lstrip("."))
        parts = section.split(".")
        name = ".".join([*parts[: len(parts) - ups + 1], name.lstrip(".")])
    here: Any = tree
    for part in name.split("."):
        if not isinstance(here, dict) or part not in here:
            return MISSING
        here = here[part]
    return f"${{{name}}}"


def from_sections(release: Release, contract: Contract) -> tuple[dict[str, Field], dict[str, Thing]]:
    """The fields of the classes of its blocks, each by its dotted path, those that have another name in a config by that one too."""
    fields: dict[str, Field] = {name: Field(name, written, None) for name, written in contract.typed.items()}
    sections: dict[str, Thing] = {}
    for path, dotted in sorted(contract.sections.items(), key=lambda each: -each[0].count(".")):
        found = next((one for one in map(release.find, dotted) if isinstance(one, Class)), None)
        sections[path] = Thing(f"{path}.", release.lineage(found) if found is not None else (), True)
        for one in fields_of_class(release, found).values() if found is not None else ():
            for name in (one.name, *_aliases(one, found)):
                full = f"{path}.{name}"
                if full not in contract.sections:
                    fields[full] = replace(one, name=full)
    return fields, sections


def _aliases(field: Field, found: Class | None) -> Iterator[str]:
    for node in found.node.body if found is not None else ():
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == field.name:
            given = node.value.keywords if isinstance(node.value, ast.Call) else ()
            yield from (str(one.value.value) for one in given if one.arg == "alias" and isinstance(one.value, ast.Constant))


def asked_of(found: Class, name: str) -> dict[str, Field]:
    """What a class asks of the mapping of that name: ``cfg.epochs``, ``cfg.get("seed")``. Nothing has a default but what the code gives."""
    fields: dict[str, Field] = {}
    for node in ast.walk(found.node):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or node.value.id != name:
            continue
        if node.attr not in ("get", "keys", "items", "pop"):
            fields[node.attr] = Field(node.attr, "", None, None, (), found.name, found.module.path, node.lineno)
    for node in ast.walk(found.node):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{name}.get" and isinstance(node.args[0], ast.Constant):
            key = str(node.args[0].value)
            fields.setdefault(key, Field(key, "", None, None, (), found.name, found.module.path, node.lineno))
    return fields


def from_parser(release: Release, name: str) -> tuple[dict[str, Field], dict[str, Thing]] | None:
    """The flags of a module's ``add_argument`` calls as fields; a flag with a dot stands in a section."""
    module = release.module(name)
    if module is None:
        return None
    fields: dict[str, Field] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            made = _flag(release, module, node)
            if made is not None:
                fields[made.name] = made
    paths = {one.rpartition(".")[0] for one in fields if "." in one}
    return fields, {path: Thing(f"{path}.") for path in sorted(paths)}


def _flag(release: Release, module: Module, node: ast.Call) -> Field | None:
    written = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    long = next((one for one in written if one.startswith("--")), "")
    named = {one.arg: one.value for one in node.keywords if one.arg}
    if not long:
        return None
    action = constant_of(release, module, named["action"]) if "action" in named else None
    name = str(constant_of(release, module, named["dest"])) if "dest" in named else long[2:].replace("-", "_")
    kind = "bool" if action in ("store_true", "store_false") else ast.unparse(named["type"]) if "type" in named else "str"
    fallback = {"store_true": False, "store_false": True}.get(str(action))
    default = constant_of(release, module, named["default"]) if "default" in named else fallback
    if "nargs" in named:
        kind = f"list[{kind}]"
    if default is None:
        kind += " | None"
    choices = constant_of(release, module, named["choices"]) if "choices" in named else None
    taken = tuple(choices) if isinstance(choices, (list, tuple)) else None
    return Field(name, kind, default, taken, (), "parser", module.path, node.lineno, "required" in named)
