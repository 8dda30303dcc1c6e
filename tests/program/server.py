"""Runs many small programs: the stand-ins are imported once, then each program has a process of its own by ``fork``.

Started as ``python server.py``; a line of JSON in, ``{"root", "entry", "words", "log", "gpus"}``, gives a line out: the exit status."""

from __future__ import annotations

import json
import os
import runpy
import sys
import traceback
from pathlib import Path

import recorder
import torch
import transformers
import trl
from peft import LoraConfig

IMPORTED = (transformers, trl, LoraConfig)


def run(root: str, entry: str, words: list[str], log: str, gpus: int) -> int:
    """The status of one program, as Python ends it."""
    os.chdir(root)
    sys.path.insert(0, root)
    sys.argv = [entry, *words]
    torch.cuda.GPUS = gpus
    recorder.ROOT, os.environ["RECORD_TO"] = root + os.sep, log
    try:
        runpy.run_path(str(Path(root) / entry), run_name="__main__")
    except SystemExit as leaves:
        return leaves.code if isinstance(leaves.code, int) else int(leaves.code is not None)
    except Exception:
        Path(log + ".said").write_text(traceback.format_exc(), encoding="utf-8")
        return 1
    return 0


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if not child:
            status = run(**json.loads(line))
            os._exit(status)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
