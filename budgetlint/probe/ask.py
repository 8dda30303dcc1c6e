"""Run the probe in a process of its own: within a time limit, heard while it works, and surely ended. No torch here."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import IO, Any

from budgetlint.isolation.executables import usable_path, whole_checkout

CHILD = "budgetlint.probe.child"
GRACE = 2.0
"""Seconds between asking a process to end and ending it."""


class Failed(Exception):
    """The probe gave no result; the message says why and what to do."""


def missing(packages: tuple[str, ...]) -> tuple[str, ...]:
    """Those that are not installed here."""
    return tuple(name for name in packages if find_spec(name) is None)


def ask(request: Mapping[str, Any], limit: float, progress: Callable[[str], None], module: str = CHILD) -> dict[str, Any]:
    """The child's result. Raises `Failed`; whatever happens, also Ctrl-C, no process is left."""
    with tempfile.TemporaryFile() as log:
        child = _start(module, log)
        try:
            assert child.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(json.dumps(request).encode() + b"\n")
                child.stdin.flush()
            return _listen(child, limit, progress, log)
        finally:
            _end(child)


def _start(module: str, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """In a session of its own, so that Ctrl-C reaches only the parent, and its whole group can be ended."""
    quiet = {"TOKENIZERS_PARALLELISM": "false", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "2"}
    places = {"PATH": _path(os.environ.get("PATH", os.defpath)), "PYTHONPATH": _modules(os.environ.get("PYTHONPATH", ""))}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True,
        env={**os.environ, **quiet, **places},
    )  # fmt: skip


def _path(path: str) -> str:
    """Where torch and triton find compilers: nowhere in the checkout, but for the environment that this Python itself is of. Never
    empty, which would be the working directory."""
    usable, own = usable_path(path, whole_checkout(".")), sysconfig.get_path("scripts")
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if entry in usable or entry == own) or own


def _modules(path: str) -> str:
    """Of PYTHONPATH, in which an empty entry is the working directory, what this process imports from too."""
    return os.pathsep.join(place for place in map(os.path.abspath, path.split(os.pathsep)) if path and place in sys.path)


def _listen(child: subprocess.Popen[bytes], limit: float, progress: Callable[[str], None], log: IO[bytes]) -> dict[str, Any]:
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read, args=(child.stdout, lines), daemon=True).start()
    until, doing = time.monotonic() + limit, "starting"
    while True:
        try:
            line = lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise Failed(f"no result within {limit:g} s (last: {doing}): give it more with --time-limit, or a smaller run") from None
        if not line:
            raise Failed(_crash(child, doing, log))
        message = json.loads(line)
        if "result" in message:
            result: dict[str, Any] = message["result"]
            return result
        if "error" in message:
            raise Failed(message["error"])
        doing = message["progress"]
        progress(doing)


def _read(stream: IO[bytes] | None, lines: queue.Queue[bytes]) -> None:
    assert stream is not None
    for line in stream:
        lines.put(line)
    lines.put(b"")


def _crash(child: subprocess.Popen[bytes], doing: str, log: IO[bytes]) -> str:
    code = child.wait()
    how = f"was ended by signal {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    killed = "; the kernel ends processes that take too much memory: try a shorter seq or a smaller micro batch" if code == -9 else ""
    log.seek(0)
    said = log.read().decode(errors="replace").strip().splitlines()[-1:]
    reason = f": {said[0][:300]}" if said else ""
    return f"the probe's process {how} (last: {doing}){reason}{killed}"


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        for sign in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, sign)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(GRACE)
                break
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
