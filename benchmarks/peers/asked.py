"""What every probe shares: runs come in as JSON lines, one answer a line goes out. Runs in the peer's own environment."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

Run = dict[str, Any]


def answer(ask: Callable[[Run], float]) -> None:
    """Print ``{"id", "bytes"}``, or ``{"id", "why"}`` where the peer refuses or fails."""
    for line in sys.stdin:
        run = json.loads(line)
        try:
            said: dict[str, Any] = {"id": run["id"], "bytes": int(ask(run))}
        except Exception as error:  # a peer may raise anything
            said = {"id": run["id"], "why": f"{type(error).__name__}: {error}"[:160]}
        print(json.dumps(said))
