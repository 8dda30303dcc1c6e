"""The probe's own process: a job on standard input, JSON lines on standard output.

``{"progress": text}`` while it works, then ``{"result": …}`` or ``{"error": text}``. Whatever libraries print goes to standard error. When
standard input ends, whoever asked is gone, and so is this process.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

ABANDONED = 3


def main() -> int:
    """Exit code 0 with a result or an error that was told, anything else is a crash."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_watch, daemon=True).start()
    from budgetlint.probe.job import Inexpressible

    try:
        say({"progress": "importing torch and transformers"})
        say({"result": _answer(request, lambda text: say({"progress": text}))})
    except Inexpressible as reason:
        say({"error": str(reason)})
    return 0


def _answer(request: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    """A request with ``work`` is measured, one with ``job`` simulated."""
    import warnings

    warnings.filterwarnings("ignore")
    return _measured(request, progress) if "work" in request else _simulated(request, progress)


def _simulated(request: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    from budgetlint.probe.job import Job
    from budgetlint.probe.simulated import simulation

    found = simulation(Job(**request["job"]), full_depth=request.get("full_depth", False), progress=progress)
    return found.model_dump(mode="json")


def _measured(request: dict[str, Any], progress: Callable[[str], None]) -> dict[str, Any]:
    from budgetlint.probe.measure import measured
    from budgetlint.probe.work import Work

    return measured(Work(**request["work"]), progress).model_dump(mode="json")


def _watch() -> None:
    sys.stdin.read()
    os._exit(ABANDONED)


if __name__ == "__main__":
    sys.exit(main())
