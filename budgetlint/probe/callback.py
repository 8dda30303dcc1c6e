"""A callback of a Hugging Face `Trainer` that prints the peak of a real run as a measured line.

``trainer.add_callback(MemoryLine())``, then ``budgetlint probe run.budget --from-log train.log``. Needs nothing but this file, and imports
torch only while it trains; any loop can call ``started()`` and ``line()`` itself.
"""

from __future__ import annotations

import os
import sys
from typing import Any


def started() -> None:
    """Forget the peaks so far: loading a model has its own."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()


def line() -> str:
    """``measured peak=…B metric="allocated" reserved=…B device="…" torch="…"`` of this process; empty without a GPU."""
    import torch

    if not torch.cuda.is_available():
        return ""
    release = torch.__version__.partition("+")[0]
    peak, pool = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
    return f'measured peak={peak}B metric="allocated" reserved={pool}B device="{torch.cuda.get_device_name()}" torch="{release}"'


class MemoryLine:
    """Prints the line when training ends, on the first rank. Every other event is heard and ignored, as `TrainerCallback` does."""

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        started()

    def on_train_end(self, *_: Any, **__: Any) -> None:
        text = line()
        if text and os.environ.get("RANK", "0") == "0":
            sys.stderr.write(f"budgetlint: {text}\n")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("on_"):
            return _ignored
        raise AttributeError(name)


def _ignored(*_: Any, **__: Any) -> None:
    return None
