"""The run of a repository is the one that its script launches: settings of files and flags, with origins, and what they beat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from budgetlint.assemble import judge_texts
from budgetlint.run import Setting

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "repositories.yaml").read_text(encoding="utf-8"))


def told(setting: Setting) -> str:
    text = f"{setting.value if setting.known else setting.state} @ {setting.origin}"
    beaten = setting.overrode[0] if setting.overrode else None
    return text if beaten is None else f"{text}, over {beaten.value if beaten.known else beaten.state} @ {beaten.origin}"


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_the_joined_run_is_what_the_script_launches(case: dict[str, Any]) -> None:
    runs = {context.run.name: context.run.settings for context in judge_texts(case["files"]).runs}
    assert list(runs) == list(case["runs"])
    for name, expected in case["runs"].items():
        assert {key: told(runs[name][key]) for key in expected} == expected


def test_there_are_twenty() -> None:
    assert len(CASES) >= 20
