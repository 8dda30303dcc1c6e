"""HfArgumentParser as transformers 4.57.6 has it (src/transformers/hf_argparser.py): told again here, since that package is 60 MB;
``tests/program/test_stand_ins.py`` holds it to a table of what the real one does."""

from __future__ import annotations

import dataclasses
import enum
import json
import sys
import types
import typing
from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, Union

import yaml

MISSING = dataclasses.MISSING


def string_to_bool(text: Any) -> bool:
    if isinstance(text, bool):
        return text
    if text.lower() in ("yes", "true", "t", "y", "1"):
        return True
    if text.lower() in ("no", "false", "f", "n", "0"):
        return False
    raise ArgumentTypeError(f"not a truth value: {text}")


def HfArg(
    *,
    aliases: Any = None,
    help: str | None = None,
    default: Any = MISSING,
    default_factory: Any = MISSING,
    metadata: Any = None,
    **kwargs: Any,
) -> Any:
    told = {"aliases": aliases, "help": help}
    metadata = {**(metadata or {}), **{key: value for key, value in told.items() if value is not None}}
    return dataclasses.field(metadata=metadata, default=default, default_factory=default_factory, **kwargs)


def _one_type(field: dataclasses.Field[Any]) -> Any:
    """``Optional[X]`` and ``X | str`` are read as X; of other unions the real parser refuses all without ``str``."""
    arguments = typing.get_args(field.type)
    if typing.get_origin(field.type) not in (Union, types.UnionType):
        return field.type
    if str not in arguments and (len(arguments) != 2 or type(None) not in arguments):
        raise ValueError(f"Only `Union[X, NoneType]` is allowed for `Union`. Problem encountered in field '{field.name}'.")
    if type(None) not in arguments:
        return arguments[0] if arguments[1] is str else arguments[1]
    return field.type if bool in arguments else arguments[0] if isinstance(None, arguments[1]) else arguments[1]


def _choice(choices: list[Any]) -> Callable[[str], Any]:
    by_text = {str(choice): choice for choice in choices}
    return lambda text: by_text.get(text, text)


def _default_or_required(field: dataclasses.Field[Any]) -> dict[str, Any]:
    if field.default is not MISSING:
        return {"default": field.default}
    return {"default": field.default_factory()} if field.default_factory is not MISSING else {"required": True}


def _of_choices(field: dataclasses.Field[Any], kind: Any) -> dict[str, Any]:
    given = {"required": True} if field.default is MISSING else {"default": field.default}
    choices = list(typing.get_args(kind)) if typing.get_origin(kind) is Literal else [one.value for one in kind]
    return {"choices": choices, "type": _choice(choices), **given}


def _of_bool(field: dataclasses.Field[Any], kind: Any) -> dict[str, Any]:
    if kind is not bool and field.default in (None, MISSING):
        return {"type": string_to_bool}
    return {"type": string_to_bool, "default": False if field.default is MISSING else field.default, "nargs": "?", "const": True}


def _keywords(field: dataclasses.Field[Any], kind: Any) -> dict[str, Any]:
    """What ``add_argument`` is given for one field."""
    origin = typing.get_origin(kind) or kind
    if origin is Literal or (isinstance(kind, type) and issubclass(kind, enum.Enum)):
        return _of_choices(field, kind)
    if kind is bool or kind == typing.Optional[bool]:  # noqa: UP045
        return _of_bool(field, kind)
    if isinstance(origin, type) and issubclass(origin, list):
        given = _default_or_required(field)
        if field.default is not MISSING:
            given = {}
        return {"type": typing.get_args(kind)[0], "nargs": "+", **given}
    return {"type": kind, **_default_or_required(field)}


class HfArgumentParser(ArgumentParser):
    def __init__(self, dataclass_types: Any = None, **kwargs: Any) -> None:
        kwargs.setdefault("formatter_class", ArgumentDefaultsHelpFormatter)
        super().__init__(**kwargs)
        several = dataclass_types if isinstance(dataclass_types, Iterable) else [dataclass_types] if dataclass_types is not None else []
        self.dataclass_types = list(several)
        for one in self.dataclass_types:
            self._add_dataclass_arguments(one)

    def _add_dataclass_arguments(self, cls: Any) -> None:
        hints = typing.get_type_hints(cls)
        group = self.add_argument_group(cls._argument_group_name) if hasattr(cls, "_argument_group_name") else self
        for field in dataclasses.fields(cls):
            if field.init:
                field.type = hints[field.name]
                self._add_field(group, field)

    def _add_field(self, parser: Any, field: dataclasses.Field[Any]) -> None:
        kind = field.type = _one_type(field)
        told = dict(field.metadata)
        aliases = told.pop("aliases", [])
        names = [f"--{field.name}"] + ([f"--{field.name.replace('_', '-')}"] if "_" in field.name else [])
        parser.add_argument(*names, *([aliases] if isinstance(aliases, str) else aliases), **told, **_keywords(field, kind))
        if field.default is True and (kind is bool or kind == typing.Optional[bool]):  # noqa: UP045
            off = {**told, "default": False}
            parser.add_argument(f"--no_{field.name}", f"--no-{field.name.replace('_', '-')}", action="store_false", dest=field.name, **off)

    def parse_args_into_dataclasses(
        self,
        args: Any = None,
        return_remaining_strings: bool = False,
        look_for_args_file: bool = True,
        args_filename: Any = None,
        args_file_flag: str | None = None,
    ) -> tuple[Any, ...]:
        if args_file_flag or args_filename or (look_for_args_file and len(sys.argv)):
            args = self._with_files(args, look_for_args_file, args_filename, args_file_flag)
        namespace, remaining = self.parse_known_args(args=args)
        outputs = [self._taken(namespace, one) for one in self.dataclass_types]
        if namespace.__dict__:
            outputs.append(namespace)
        if return_remaining_strings:
            return (*outputs, remaining)
        if remaining:
            raise ValueError(f"Some specified arguments are not used by the HfArgumentParser: {remaining}")
        return tuple(outputs)

    def _with_files(self, args: Any, look: bool, filename: Any, flag: str | None) -> list[str]:
        """Words of files stand before those of the command line."""
        files = [Path(filename)] if filename else [Path(sys.argv[0]).with_suffix(".args")] if look and sys.argv else []
        if flag:
            only = ArgumentParser()
            only.add_argument(flag, type=str, action="append")
            named, args = only.parse_known_args(args=args)
            files += [Path(one) for one in vars(named).get(flag.lstrip("-")) or ()]
        words = [word for one in files if one.exists() for word in one.read_text().split()]
        return words + list(sys.argv[1:] if args is None else args)

    def _taken(self, namespace: Any, cls: Any) -> Any:
        keys = {field.name for field in dataclasses.fields(cls) if field.init}
        inputs = {key: value for key, value in vars(namespace).items() if key in keys}
        for key in keys:
            delattr(namespace, key)
        return cls(**inputs)

    def parse_dict(self, args: dict[str, Any], allow_extra_keys: bool = False) -> tuple[Any, ...]:
        unused, outputs = set(args), []
        for cls in self.dataclass_types:
            keys = {field.name for field in dataclasses.fields(cls) if field.init}
            outputs.append(cls(**{key: value for key, value in args.items() if key in keys}))
            unused -= keys
        if unused and not allow_extra_keys:
            raise ValueError(f"Some keys are not used by the HfArgumentParser: {sorted(unused)}")
        return tuple(outputs)

    def parse_json_file(self, json_file: Any, allow_extra_keys: bool = False) -> tuple[Any, ...]:
        return self.parse_dict(json.loads(Path(json_file).read_text(encoding="utf-8")), allow_extra_keys)

    def parse_yaml_file(self, yaml_file: Any, allow_extra_keys: bool = False) -> tuple[Any, ...]:
        return self.parse_dict(yaml.safe_load(Path(yaml_file).read_text(encoding="utf-8")), allow_extra_keys)
