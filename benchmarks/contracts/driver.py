"""Runs in the environment of a framework: makes its real classes from configs and says what they did.

    PATH_OF_ENVIRONMENT/bin/python driver.py < configs.jsonl > answers.jsonl

A line in: ``{"kind": "dataclass", "class": "trl.SFTConfig", "given": {...}}``. A line out: ``{"ok": true}`` or ``{"error": CLASS,
"text": …, "frames": [[file, line], …]}``, with ``warned``: the frames of each warning. It imports nothing of budgetlint.
"""

import contextlib
import importlib
import io
import json
import logging
import os
import pathlib
import sys
import traceback
import warnings

KINDS = {}


def kind(name):
    def put(function):
        KINDS[name] = function
        return function

    return put


@kind("dataclass")
def dataclass(name, given):
    """A class made of its keywords."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)(**given)


@kind("pydantic")
def pydantic(name, given):
    """A pydantic model validated from a mapping."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute).model_validate(given)


@kind("parse_dict")
def parse_dict(name, given):
    """Several dataclasses filled by ``HfArgumentParser.parse_dict``; names joined by commas."""
    from transformers import HfArgumentParser

    classes = []
    for one in name.split(","):
        module, _, attribute = one.rpartition(".")
        classes.append(getattr(importlib.import_module(module), attribute))
    return HfArgumentParser(classes).parse_dict(dict(given))


@kind("function")
def function(name, given):
    """A function that takes one mapping: ``llamafactory.hparams.get_train_args``."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)(dict(given))


class Listener(logging.Handler):
    """Where each logged warning came from, whatever wrapper logged it."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.seen = []

    def emit(self, _record):
        self.seen.append(frames(traceback.extract_stack()))


def frames(stack):
    return [
        [one.filename, one.lineno]
        for one in stack
        if "/site-packages/" in one.filename or os.environ.get("CONTRACT_ROOT", "\0") in one.filename
    ]


def raised_by(error):
    """An exception and those it wraps, the innermost last: hydra's around that of the class it makes, pydantic's around its validators'."""
    found = [error]
    while found[-1].__cause__ is not None:
        found.append(found[-1].__cause__)
    last = found[-1]
    told = last.errors(include_url=False) if type(last).__name__ == "ValidationError" and hasattr(last, "errors") else []
    within = [one.get("ctx", {}).get("error") for one in told]
    return [one for one in reversed(within) if isinstance(one, BaseException)] or found


def answer(line):
    asked = json.loads(line)
    listener = Listener()
    roots = [logging.getLogger(), *(logging.getLogger(name) for name in list(logging.root.manager.loggerDict) if "." not in name)]
    for one in roots:
        one.addHandler(listener)
    shown = []

    def show(*_given, **_named):
        shown.append(frames(traceback.extract_stack()))

    out = io.StringIO()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            warnings.simplefilter("always")
            warnings.showwarning = show
            try:
                KINDS[asked["kind"]](asked["class"], asked["given"])
                told = {"ok": True}
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                every = raised_by(error)
                told = {
                    "error": type(every[-1]).__name__,
                    "text": str(every[-1])[:300],
                    "frames": [frame for one in every for frame in frames(traceback.extract_tb(one.__traceback__))],
                }
    finally:
        for one in roots:
            one.removeHandler(listener)
    told["warned"] = [*shown, *listener.seen]
    return told


def main():
    real = sys.stdout
    if os.environ.get("CONTRACT_PREPARE"):
        path = pathlib.Path(os.environ["CONTRACT_PREPARE"])
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"kind": kind})
    for line in sys.stdin:
        print(json.dumps(answer(line)), file=real, flush=True)


if __name__ == "__main__":
    main()
