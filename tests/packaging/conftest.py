"""The modules of this project as syntax trees: parsed once for all that is asked of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from unused import modules_of


@pytest.fixture(scope="session")
def modules(repository: Path) -> dict[str, Any]:
    return modules_of(repository)
