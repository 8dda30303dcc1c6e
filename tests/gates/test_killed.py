"""A kill at any moment while fixing or caching leaves every file whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DRIVER = Path(__file__).with_name("killed.py")
TIMES = 200


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_killed_two_hundred_times(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(DRIVER), str(tmp_path), str(TIMES)], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    tries: list[dict[str, Any]] = json.loads(done.stdout)
    assert len(tries) == TIMES
    assert not [one for one in tries if one["torn"] or one["lost"] or one["lies"]]
    for mode in ("fix", "cache"):  # the kills did fall into the middle of the work
        mine = [one for one in tries if one["mode"] == mode]
        assert sum(one["killed"] for one in mine) > len(mine) // 2
    halfway = [one for one in tries if one["mode"] == "fix" and one["killed"]]
    assert {one["changed"] for one in halfway} == {True, False}
