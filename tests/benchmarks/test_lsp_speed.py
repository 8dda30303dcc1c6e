"""The client of the speed figures sees what it waits for; the figures themselves are the machine's."""

from __future__ import annotations

import sys
from pathlib import Path

import lsp_speed
import pytest
import read_speed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the CPU clock of another process is Linux's"),
]


def test_a_workspace_is_opened_and_paid_for(tmp_path: Path) -> None:
    read_speed.write_files(tmp_path, 7)
    cpu, peak, key = lsp_speed.workspace(tmp_path, tmp_path / "cache", every=True)
    assert cpu > key > 0
    assert peak > 2**20


def test_a_keystroke_costs_less_than_the_whole_start(tmp_path: Path) -> None:
    assert 0 < lsp_speed.keystroke(tmp_path, tmp_path / "cache", 5) < lsp_speed.first(tmp_path, tmp_path / "cache", 1)
