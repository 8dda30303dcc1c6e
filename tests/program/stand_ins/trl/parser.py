"""TrlParser as trl 0.25.1 has it (trl/scripts/utils.py)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from typing import Any

import yaml
from transformers.hf_argparser import HfArgumentParser


class TrlParser(HfArgumentParser):
    def __init__(self, dataclass_types: Any = None, **kwargs: Any) -> None:
        several = dataclass_types if isinstance(dataclass_types, Iterable) else [dataclass_types] if dataclass_types is not None else []
        for one in several:
            if "config" in one.__dataclass_fields__:
                raise ValueError(f"Dataclass {one.__name__} has a field named 'config'.")
        super().__init__(dataclass_types=several, **kwargs)

    def parse_args_and_config(self, args: Any = None, return_remaining_strings: bool = False, fail_with_unknown_args: bool = True) -> Any:
        args = list(args) if args is not None else sys.argv[1:]
        unknown: list[str] = []
        if "--config" in args:
            at = args.index("--config")
            args.pop(at)
            unknown = self._take_config(args.pop(at))
        output = self.parse_args_into_dataclasses(args=args, return_remaining_strings=return_remaining_strings)
        if return_remaining_strings:
            return (*output[:-1], unknown + output[-1])
        if fail_with_unknown_args and unknown:
            raise ValueError(f"Unknown arguments from config file: {unknown}.")
        return output

    def _take_config(self, path: str) -> list[str]:
        with open(path, encoding="utf-8") as file:
            config = yaml.safe_load(file)
        for key, value in config.pop("env", {}).items():
            os.environ[key] = str(value)
        return self.set_defaults_with_config(**config)

    def set_defaults_with_config(self, **kwargs: Any) -> list[str]:
        """Defaults of the actions, which are no longer required; argparse reads a text default as it reads a word."""
        used = _defaults(self, kwargs)
        return [item for key, value in kwargs.items() if key not in used for item in (f"--{key}", str(value))]


def _defaults(parser: Any, given: dict[str, Any]) -> set[str]:
    used: set[str] = set()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                used |= _defaults(one, given)
        elif action.dest in given:
            action.default, action.required = given[action.dest], False
            used.add(action.dest)
    return used
