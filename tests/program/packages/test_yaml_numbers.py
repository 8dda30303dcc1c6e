"""A number of a YAML file is what the loader at hand makes of it: ``1e-4`` is a text to PyYAML, a number to ruamel and OmegaConf."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from omegaconf import OmegaConf
from ruamel.yaml import YAML

from budgetlint.program.values import Known
from tests.program.compare import followed

TEXT = "lr: 1e-4\nn: 1E4\nk: 2.5e-05\nd: 1.e+3\no: 010\nx: 0x10\nw: 0o17\nu: 1_000\nt: 12:30\ny: yes\ninf: .inf\nq: '1e-4'\n"
KEYS = tuple(line.partition(":")[0] for line in TEXT.splitlines())
LOADERS: dict[str, Callable[[str], Mapping[str, Any]]] = {
    'yaml.safe_load(open("c.yaml"))': yaml.safe_load,
    'yaml.load(open("c.yaml"), Loader=yaml.FullLoader)': yaml.safe_load,
    'yaml.safe_load(open("c.yaml").read())': yaml.safe_load,
    f"yaml.safe_load({TEXT!r})": yaml.safe_load,
    'YAML(typ="safe").load(open("c.yaml"))': YAML(typ="safe").load,
    'YAML().load(open("c.yaml"))': YAML().load,
    'OmegaConf.load("c.yaml")': lambda text: OmegaConf.load(io.StringIO(text)),
    'OmegaConf.to_container(OmegaConf.load("c.yaml"))': lambda text: OmegaConf.load(io.StringIO(text)),
}


@pytest.mark.parametrize("call", LOADERS)
def test_numbers_are_the_loaders(call: str, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(TEXT)
    imports = "import yaml\nfrom ruamel.yaml import YAML\nfrom omegaconf import OmegaConf\nfrom transformers import TrainingArguments\n"
    given = ", ".join(f'{key}=c["{key}"]' for key in KEYS)
    (tmp_path / "program.py").write_text(f'{imports}c = {call}\nTrainingArguments("o", {given}, made=float(c["lr"]))\n')
    (sink,) = followed(tmp_path, "program.py", [], {}).sinks
    loaded = LOADERS[call](TEXT)
    known = {key: value.value for key in KEYS if isinstance(value := sink.arguments[key], Known)}
    assert known == {key: loaded[key] for key in known}
    assert {key: type(value) for key, value in known.items()} == {key: _plain(loaded[key]) for key in known}
    assert {"lr", "n", "k", "d", "o", "x", "y", "q"} <= known.keys()
    made = sink.arguments["made"]
    assert isinstance(made, Known)
    assert made.value == 1e-4


def _plain(value: object) -> type:
    """The type of Python behind a number of ruamel's round trips."""
    return next(one for one in (bool, int, float, str) if isinstance(value, one))
