"""Machines of clouds by name: each has cards that the catalog knows, and a budget may name it for them."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile, UnreadableFile
from budgetlint.catalog.device import Device
from budgetlint.catalog.devices import find_device
from budgetlint.catalog.machines import all_machines, find_machine
from budgetlint.language import read_budget
from budgetlint.language.budget import Budget


def budget(text: str) -> Budget:
    return read_budget(SourceFile("demo.budget", text), lambda path: UnreadableFile(path, "no such file", "check the path"))


ONE = [
    ("p4d.24xlarge", 8, "a100-40gb"),
    ("p4de.24xlarge", 8, "a100-80gb"),
    ("p5.48xlarge", 8, "h100-80gb"),
    ("p5en.48xlarge", 8, "h200"),
    ("ml.p4d.24xlarge", 8, "a100-40gb"),
    ("g5.xlarge", 1, "a10g"),
    ("g6e.12xlarge", 4, "l40s"),
    ("a2-highgpu-8g", 8, "a100-40gb"),
    ("a2-ultragpu-1g", 1, "a100-80gb"),
    ("a3-ultragpu-8g", 8, "h200"),
    ("g2-standard-24", 2, "l4"),
    ("Standard_NC24ads_A100_v4", 1, "a100-80gb-pcie"),
    ("nd96asr_v4", 8, "a100-40gb"),
    ("Standard_NC40ads_H100_v5", 1, "h100-nvl"),
    ("gpu_8x_h100_sxm5", 8, "h100-80gb"),
    ("kaggle-t4x2", 2, "t4"),
    ("colab-t4", 1, "t4"),
]


@pytest.mark.parametrize(("text", "count", "card"), ONE)
def test_a_machine_is_its_cards(text: str, count: int, card: str) -> None:
    device = budget(f"device {text}").default_target.device
    assert device is not None and device.device is not None
    assert (device.count, device.device.name, device.text) == (count, card, card)


@pytest.mark.parametrize(
    ("text", "code", "help"),
    [
        ("kaggle", "BL010", "write 2x t4 or p100"),
        ("colab", "BL010", "write t4 or l4 or a100-40gb or a100-80gb"),
        ("2x p4d.24xlarge", "BL003", "write 16x a100-40gb"),
        ("2x g5.xlarge", "BL003", "write 2x a10g"),
        ("910b", "BL010", "write ascend-910b-64gb or ascend-910b4"),
    ],
)
def test_what_is_not_one_machine_is_told_in_cards(text: str, code: str, help: str) -> None:
    problem = budget(f"device {text}").problems[0]
    assert (problem.code, problem.help) == (code, help)


@pytest.mark.parametrize("text", ["tpu-v4", "tpu-v5e", "v5litepod-8", "trainium2", "trn1", "ml.trn1.32xlarge", "inf2.xlarge"])
def test_what_no_formula_is_of_is_told_as_not_modelled(text: str) -> None:
    problem = budget(f"device {text}").problems[0]
    assert (problem.code, "NOT MODELLED" in problem.message) == ("BL010", True)


def test_every_card_of_a_machine_has_a_row_and_no_machine_is_called_like_a_card() -> None:
    machines = all_machines()
    assert {card for machine in machines for _, card in machine.ways if not isinstance(find_device(card), Device)} == set()
    assert [machine.name for machine in machines if isinstance(find_device(machine.name), Device)] == []
    assert all(machine.source and 1 <= count <= 16 for machine in machines for count, _ in machine.ways)


def test_a_name_of_no_machine_is_none() -> None:
    assert find_machine("p4d.96xlarge") is None
