"""Runs many programs: what they import is imported once, then each program has a process of its own by ``fork``.

Started as ``python server.py``, the stand-ins are imported; as ``python server.py --bare``, only what lies on this machine: a program finds
the stand-ins as a Python that was started for it does. A line of JSON in gives a line out: the exit status."""

from __future__ import annotations

import atexit
import json
import os
import runpy
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

STAND_INS = ("recorder", "torch", "transformers", "trl", "peft")
INSTALLED = ("argparse", "asyncio", "dataclasses", "inspect", "yaml", "click", "typer", "fire", "tyro", "omegaconf", "hydra.main")
SECONDS = 60
"""Until a program is ended."""


def run(root: str, entry: str, words: Sequence[str], log: str, gpus: int) -> int:
    """The status of one program that finds the stand-ins imported, as Python ends it."""
    import recorder
    import torch

    torch.cuda.GPUS = gpus
    recorder.ROOT, os.environ["RECORD_TO"] = root + os.sep, log
    return _ended(root, entry, words, "", Path(log + ".said"))


def run_bare(root: str, entry: str, words: Sequence[str], environment: Mapping[str, str], module: str, said: str) -> int:
    """The same of one that imports them itself; what it says is written to ``said``."""
    os.environ.clear()
    os.environ.update(environment)
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(out, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    return _ended(root, entry, words, module, None)


def _ended(root: str, entry: str, words: Sequence[str], module: str, said: Path | None) -> int:
    os.chdir(root)
    sys.path.insert(0, root)
    sys.argv = [entry, *words]
    try:
        if module:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(str(Path(root) / entry), run_name="__main__")
    except SystemExit as leaves:
        if leaves.code is not None and not isinstance(leaves.code, int):
            print(leaves.code, file=sys.stderr)
        return leaves.code if isinstance(leaves.code, int) else int(leaves.code is not None)
    except Exception:
        if said is None:
            traceback.print_exc()
        else:
            said.write_text(traceback.format_exc(), encoding="utf-8")
        return 1
    return 0


def main() -> None:
    bare = "--bare" in sys.argv
    if bare:
        sys.path.pop(0)  # this folder, which no program sees
    for name in INSTALLED if bare else STAND_INS:
        if not bare or find_spec(name.partition(".")[0]) is not None:
            import_module(name)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            signal.alarm(SECONDS)
            status = (run_bare if bare else run)(**json.loads(line))
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status & 255)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
