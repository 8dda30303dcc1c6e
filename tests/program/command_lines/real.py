"""A command line given to the real parser, and to the interpreter: the same values arrive, or both refuse.

A program hands what its parser made to `sink(name=value)`. Python runs it in this process with the parsers that are installed;
for transformers' and TRL's the stand-ins, which are held to the real ones (`test_stand_ins`). Hydra's configs are composed by its own
`compose`.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shlex
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from budgetlint.files.disk import TextFiles
from budgetlint.program.follow import Followed, follow
from budgetlint.program.modules import Trees
from budgetlint.program.state import Launched
from budgetlint.program.values import Known
from budgetlint.resolve.program_files import ProgramFiles
from tests.program.beside import _is_known, may_be, plain

_HERE = Path(__file__).parent
_PRELUDE = "from transformers import TrainingArguments as sink\n"


class Program(NamedTuple):
    """A program of a table. ``lines``: command lines; ``unknown``: those of which not all is known, nothing wrong may be claimed though."""

    name: str
    text: str
    files: Mapping[str, str]
    lines: tuple[str, ...]
    unknown: frozenset[str]


def programs(table: str) -> list[Program]:
    """The programs of ``tables/NAME.txt``: ``## name``, the text, its other files each under ``# path``, then command lines behind ``$``,
    or ``?`` where not all that arrives is known. What stands behind ``  #`` is a remark."""
    found = []
    for part in re.split(r"^## ", (_HERE / "tables" / f"{table}.txt").read_text(encoding="utf8"), flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        told = [line for line in body.splitlines() if re.match(r"[$?]( |$)", line)]
        text, *others = re.split(r"^# (?=\S+\.\w+$)", "\n".join(line for line in body.splitlines() if line not in told), flags=re.MULTILINE)
        files = {path: f"{rest.strip()}\n" for path, _, rest in (one.partition("\n") for one in others)}
        lines = [(line[0], line[1:].partition("  #")[0].strip()) for line in told]
        found.append(
            Program(
                head.strip(),
                f"{text.strip()}\n",
                files,
                tuple(line for _, line in lines),
                frozenset(line for mark, line in lines if mark == "?"),
            )
        )
    return found


class Ended(NamedTuple):
    """How Python ends it: what arrived, or the error (empty: none, or a quiet exit, as of ``--help``)."""

    values: dict[str, Any] | None
    error: str = ""


def real(text: str, words: Sequence[str], files: Mapping[str, str], folder: Path, environment: Mapping[str, str] | None = None) -> Ended:
    """What Python does."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    met: list[dict[str, Any]] = []

    def sink(**values: object) -> None:
        met.append({name: plain(value) for name, value in values.items()})

    scope = types.ModuleType("__main__")
    scope.__dict__.update({"sink": sink, "__file__": str(folder / "train.py")})
    modules = {**_stand_ins(), "__main__": scope}
    with _as_started(modules, words, folder, environment or {}):
        try:
            exec(compile(text, str(folder / "train.py"), "exec", dont_inherit=True), scope.__dict__)
        except SystemExit as leaves:
            if leaves.code not in (None, 0):
                return Ended(None, f"exit {leaves.code}")
        except Exception as error:
            return Ended(None, f"{type(error).__name__}: {error}")
    return Ended(met[0] if met else None)


@contextlib.contextmanager
def _as_started(
    modules: Mapping[str, types.ModuleType], words: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> Iterator[None]:
    before = Path.cwd()
    quiet = io.StringIO()
    with (
        _composed(folder),
        _put(modules),
        mock.patch.object(sys, "argv", ["train.py", *words]),
        mock.patch.dict(os.environ, {"COLUMNS": "140", "NO_COLOR": "1", **environment}),
        contextlib.redirect_stdout(quiet),
        contextlib.redirect_stderr(quiet),
    ):
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


@contextlib.contextmanager
def _composed(folder: Path) -> Iterator[None]:
    """``@hydra.main`` without its log files and folders of output: the config that Hydra composes of the words, handed to the function."""
    hydra = sys.modules.get("hydra")
    if hydra is None:
        yield
        return
    from hydra._internal.utils import get_args_parser
    from hydra.core.config_store import ConfigStore

    def main(version_base: str | None = None, config_path: str | None = None, config_name: str | None = None) -> Any:
        def start(function: Any) -> Any:
            def started() -> None:
                given = get_args_parser().parse_args()
                within = str(folder / (given.config_path or config_path or ""))
                with hydra.initialize_config_dir(within, version_base=version_base):
                    config = hydra.compose(given.config_name or config_name, overrides=given.overrides)
                function(config)

            return started

        return start

    store = ConfigStore.instance()
    with mock.patch.object(hydra, "main", main), mock.patch.object(store, "repo", dict(store.repo)):
        yield


@contextlib.contextmanager
def _put(modules: Mapping[str, types.ModuleType]) -> Iterator[None]:
    """Modules in the place of others; those that a program imports beside stay, to be imported once."""
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def _stand_ins() -> dict[str, types.ModuleType]:
    if not _LOADED:
        parsers = _load("transformers/hf_argparser.py", "transformers.hf_argparser")
        transformers = types.ModuleType("transformers")
        transformers.HfArgumentParser = parsers.HfArgumentParser  # type: ignore[attr-defined]
        _LOADED.update({"transformers": transformers, "transformers.hf_argparser": parsers})
        with _put(dict(_LOADED)):
            _LOADED["trl"] = _load("trl/parser.py", "trl")
    return _LOADED


_LOADED: dict[str, types.ModuleType] = {}


def _load(path: str, name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, _HERE.parent / "stand_ins" / path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(text: str, words: Sequence[str], files: Mapping[str, str], environment: Mapping[str, str] | None = None) -> Followed:
    """What the interpreter makes of it."""
    given = {key: Known(value) for key, value in (environment or {}).items()}
    started = Launched(tuple(Known(word) for word in words), "", given)
    return follow(Trees(ProgramFiles(TextFiles({"train.py": _PRELUDE + text, **files}))), "train.py", started)


def differences(text: str, line: str, files: Mapping[str, str], folder: Path, *, unknown: bool = False) -> list[str]:
    """What the two do not say alike; ``unknown``: that a value is not known is no difference. ``NAME=value`` before words are variables."""
    environment, words = _variables(shlex.split(line))
    ended, found = real(text, words, files, folder, environment), read(text, words, files, environment)
    refused = [one.condition for one in found.refusals] or ([found.stopped] if found.stopped else [])
    if ended.values is None:
        # a run may make the file; a reference that cannot be read is an error where it is read
        unknown = unknown or ended.error.startswith(("FileNotFoundError", "GrammarParseError"))
        quiet = ended.error == "" and any(not one.conditions for one in found.sinks)
        loud = bool(ended.error) and not refused and bool(found.sinks)
        return [f"Python ends: {ended.error or 'quietly'}; here: {found.sinks}"] if quiet or (loud and not unknown) else []
    if refused:
        return [f"refused: {refused}; Python: {ended.values}"]
    if not found.sinks:
        return [f"nothing arrives; Python: {ended.values}"]
    [claimed, *_] = found.sinks
    names = {*ended.values, *claimed.arguments}
    return [
        told
        for name in sorted(names)
        for told in _compared(name, claimed.arguments.get(name), ended.values, unknown, claimed.rest is not None)
    ]


def _compared(name: str, claimed: Any, values: Mapping[str, Any], unknown: bool, is_open: bool) -> Iterator[str]:
    if claimed is None:
        if not (unknown and is_open):
            yield f"{name} is not there; Python: {values[name]!r}"
    elif name not in values:
        if not unknown or _is_known(claimed):
            yield f"{name}={claimed!r} did not arrive in Python"
    elif not may_be(claimed, values[name]) and not _both_nan(claimed, values[name]):
        yield f"{name}={claimed!r}; Python: {values[name]!r}"
    elif not unknown and not _is_known(claimed):
        yield f"{name}={claimed!r} is not known; Python: {values[name]!r}"


def _both_nan(claimed: Any, value: Any) -> bool:
    return isinstance(claimed, Known) and claimed.value != claimed.value and value != value


def _variables(words: list[str]) -> tuple[dict[str, str], list[str]]:
    given: dict[str, str] = {}
    while words and re.match(r"[A-Z][A-Z_]*=", words[0]):
        name, _, value = words.pop(0).partition("=")
        given[name] = value
    return given, words
