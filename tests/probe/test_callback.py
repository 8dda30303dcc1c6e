"""The callback prints a line that the log reader knows, and imports no torch until it trains."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from budgetlint.measured.log import read_log
from budgetlint.probe.callback import MemoryLine, line


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A `torch` with a GPU; gives back what was called."""
    calls: list[str] = []
    said = SimpleNamespace(
        is_available=lambda: True, reset_peak_memory_stats=lambda: calls.append("reset"), max_memory_allocated=lambda: 5_300_000_000,
        max_memory_reserved=lambda: 5_800_000_000, get_device_name=lambda: "NVIDIA L4",
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=said, __version__="2.13.0+cu130"))
    return calls


def test_its_line_is_read_back(cuda: list[str]) -> None:
    seen = read_log([f"budgetlint: {line()}\n"])
    assert seen.figures == {"allocated": 5_300_000_000, "reserved": 5_800_000_000}
    assert (seen.device, seen.torch) == ("NVIDIA L4", "2.13.0")


def test_it_starts_anew_and_prints_once_at_the_end(cuda: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    callback = MemoryLine()
    callback.on_train_begin(None, None, None)
    callback.on_step_end(None, None, None)
    callback.on_train_end(None, None, None)
    assert cuda == ["reset"]
    assert capsys.readouterr().err.count("budgetlint: measured peak=5300000000B") == 1


def test_other_ranks_are_silent(cuda: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("RANK", "3")
    MemoryLine().on_train_end()
    assert capsys.readouterr().err == ""


def test_importing_it_imports_no_torch() -> None:
    code = "import sys, budgetlint.probe.callback; sys.exit('torch' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_it_answers_every_event_of_a_trainer() -> None:
    transformers: Any = pytest.importorskip("transformers")
    handler = transformers.trainer_callback.CallbackHandler([MemoryLine()], None, None, None, None)
    arguments, state, control = None, None, transformers.TrainerControl()
    for event in (name for name in dir(transformers.TrainerCallback) if name.startswith("on_")):
        assert handler.call_event(event, arguments, state, control) is control
