"""Classes of pydantic's settings: a field that the call does not give comes from the command line, the environment or a file, before its
default.

Source: pydantic-settings 2.0 to 2.11 ``main.py`` BaseSettings (``settings_customise_sources``, ``cli_parse_args``, ``env_file``),
``sources/providers/env.py`` (the name behind ``env_prefix``, of any case). What such a source gives is not read: it is open.
"""

from __future__ import annotations

import ast

from budgetlint.program.objects import Class
from budgetlint.program.packages.variables import environ
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter, name_of
from budgetlint.program.values import Known, Open, Value

_BASES = frozenset({"pydantic_settings.BaseSettings", "pydantic_settings.main.BaseSettings", "pydantic.BaseSettings"})
_FILES = frozenset({"env_file", "secrets_dir", "yaml_file", "json_file", "toml_file", "pyproject_toml_table_header"})
_OF_LINE = frozenset({"cli_parse_args"})


def may_be_set(it: Interpreter, cls: Class, name: str, settings: ast.Call | None, place: Place) -> Value | None:
    """What a field is that the call does not give, where something else may give it; None where its default holds."""
    if not any(name_of(one) in _BASES for one in cls.line):
        return None
    own = [one for one in cls.line if isinstance(one, Class)]
    said = {word.arg: word.value for one in own for word in _configured(one) if word.arg}
    aliased = settings is not None and any(word.arg in {"alias", "validation_alias", "env"} for word in settings.keywords)
    if aliased or said.keys() & _FILES or any(one.find("settings_customise_sources") is not None for one in own):
        return Open("field", name, (Origin("option", place, name),))
    if said.keys() & _OF_LINE and _is_flag(it, name):
        return Open("flag", name, (Origin("option", place, name),))
    prefix = said.get("env_prefix")
    head = prefix.value if isinstance(prefix, ast.Constant) and isinstance(prefix.value, str) else "" if prefix is None else None
    return Open("environment", name, (Origin("option", place, name),)) if head is None or _is_exported(it, f"{head}{name}") else None


def _configured(cls: Class) -> list[ast.keyword]:
    """``class A(BaseSettings, cli_parse_args=True)``, ``model_config = SettingsConfigDict(...)`` or ``{...}``; ``class Config:`` of old."""
    found = list(cls.node.keywords)
    for node in cls.node.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="model_config")], value=ast.Call(keywords=words)):
                found += words
            case ast.AnnAssign(target=ast.Name(id="model_config"), value=ast.Call(keywords=words)):
                found += words
            case ast.Assign(targets=[ast.Name(id="model_config")], value=ast.Dict(keys=keys, values=values)):
                found += [
                    ast.keyword(str(key.value), value) for key, value in zip(keys, values, strict=True) if isinstance(key, ast.Constant)
                ]
            case ast.ClassDef(name="Config", body=body):
                found += [
                    ast.keyword(one.targets[0].id, one.value)
                    for one in body
                    if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
                ]
    return found


def _is_flag(it: Interpreter, name: str) -> bool:
    """May a word of the launch be this field's? One that is not known may be anybody's."""
    words = it.launched.words or ()
    flags = {name.lower(), name.lower().replace("_", "-")}
    return any(
        not isinstance(one, Known) or str(one.value).lower().lstrip("-").partition("=")[0].rpartition(".")[2] in flags for one in words
    )


def _is_exported(it: Interpreter, variable: str) -> bool:
    there = environ(it)
    return there is not None and any(str(key).lower() == variable.lower() for key in there.items)
