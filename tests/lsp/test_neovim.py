"""A real headless Neovim, with the settings that docs/editor.md gives: diagnostics, a hover, an applied code action."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SETTINGS = HERE.parents[1] / "editors/neovim/budgetlint.lua"
NVIM = shutil.which("nvim")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NVIM is None, reason="no nvim on PATH (Debian: apt-get install neovim)"),
]


def _seen(folder: Path, text: str, word: str, title: str) -> Any:
    """What Neovim got for a config in a folder that has a budget and pinned versions."""
    (folder / "team.budget").write_text("device 24GiB\n", encoding="utf-8")
    (folder / "requirements.txt").write_text("transformers==5.0.0\n", encoding="utf-8")
    (folder / "pyproject.toml").touch()
    config, out = folder / "sft.yaml", folder / "seen.json"
    config.write_text(text, encoding="utf-8")
    told = {"FILE": config, "WORD": word, "TITLE": title, "OUT": out}
    variables = "; ".join(f"{name} = {json.dumps(str(value))}" for name, value in told.items())
    commands = ["-c", f"lua {variables}", "-S", str(SETTINGS), "-S", str(HERE / "neovim.lua")]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    homes = {name: str(folder / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")}
    environment = {**os.environ, "PATH": path, **homes}
    Path(homes["HOME"]).mkdir()
    assert NVIM
    done = subprocess.run(
        [NVIM, "--headless", "--clean", *commands, "-c", "cquit"], capture_output=True, text=True, timeout=120, env=environment, cwd=folder
    )
    assert out.exists(), done.stderr
    return json.loads(out.read_text(encoding="utf-8"))


def test_diagnostics_hover_and_an_applied_action(tmp_path: Path, talk: Callable[..., Any]) -> None:
    text = talk().SFT + "# 𝄞 é\nevaluation_strategy: 'no'  # 𝄞\n"
    seen = _seen(tmp_path, text, "per_device_train_batch_size", "rename evaluation_strategy")
    renamed = next(one for one in seen["diagnostics"] if "[evaluation-strategy-renamed]" in one["message"])
    assert (renamed["line"], renamed["column"], renamed["source"]) == (12, 21, "budgetlint")
    assert "sequences per device and forward pass" in seen["hover"]
    assert "GiB" in seen["hover"]
    assert seen["text"] == text.replace("evaluation_strategy", "eval_strategy")
    assert seen["left"] == len(seen["diagnostics"]) - 1
