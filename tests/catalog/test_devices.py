"""Devices are found by any name that tools print, and never guessed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from budgetlint.catalog import devices
from budgetlint.catalog.context import context_bytes, cublas_workspace
from budgetlint.catalog.device import EXACT, Device
from budgetlint.catalog.devices import all_devices, find_device, usable
from budgetlint.catalog.names import NoMatch, squeeze

KEYS = {
    *("name", "official", "aliases", "vendor", "label", "nominal_bytes", "unified", "arch", "note", "totals"),
    *("compute_capability", "capability_source", "bf16", "tf32", "fp8"),
}
KEYS_OF_A_READING = {"from", "bytes", "ecc", "sources", "note"}


def found(text: str) -> Device:
    device = find_device(text)
    assert isinstance(device, Device), device
    return device


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("rtx-4090", "rtx-4090"),
        ("RTX4090", "rtx-4090"),
        ("A100-80GB", "a100-80gb"),
        ("a100-80gb-sxm", "a100-80gb"),
        ("NVIDIA A100-SXM4-80GB", "a100-80gb"),
        ("NVIDIA A100 80GB PCIe", "a100-80gb-pcie"),
        ("H100 SXM", "h100-80gb"),
        ("NVIDIA H100 80GB HBM3", "h100-80gb"),
        ("h100", "h100-80gb"),
        ("Tesla V100-SXM2-32GB", "v100-32gb"),
        ("nvidia-tesla-t4", "t4"),
        ("rtx_a6000", "rtx-a6000"),
        ("NVIDIA GeForce RTX 5090 Laptop GPU", "rtx-5090-laptop"),
        ("AMD Instinct MI300X", "mi300x"),
        ("NPU 910B 64GB", "ascend-910b-64gb"),
        ("Ascend 910B3", "ascend-910b-64gb"),
        ("Ascend910B4", "ascend-910b4"),
        ("m3-max-64gb", "m3-max-64gb"),
        ("cpu", "cpu"),
    ],
)
def test_a_name_in_any_spelling_finds_its_row(text: str, name: str) -> None:
    assert found(text).name == name


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("a100", ("a100-40gb", "a100-80gb")),
        ("NVIDIA A100", ("a100-40gb", "a100-80gb")),
        ("v100", ("v100-16gb", "v100-32gb")),
        ("v100-sxm2", ("v100-16gb", "v100-32gb")),
        ("RTX 6000", ("quadro-rtx-6000", "rtx-6000-ada", "rtx-pro-6000")),
        ("m3-max", ("m3-max-48gb", "m3-max-64gb", "m3-max-36gb", "m3-max-96gb", "m3-max-128gb")),
    ],
)
def test_an_ambiguous_name_lists_who_it_could_be(text: str, candidates: tuple[str, ...]) -> None:
    assert find_device(text) == NoMatch(text, candidates=candidates)


@pytest.mark.parametrize(
    ("text", "suggestion"), [("4090", "rtx-4090"), ("A100-8", "a100-80gb"), ("rtx 409", "rtx-4090"), ("gtx 1080", "gtx-1080-ti")]
)
def test_a_near_miss_is_suggested_and_not_taken(text: str, suggestion: str) -> None:
    missing = find_device(text)
    assert isinstance(missing, NoMatch)
    assert suggestion in missing.suggestions


@pytest.mark.parametrize("text", ["", "foo", "8", "NVIDIA", "9999"])
def test_nonsense_has_no_suggestion(text: str) -> None:
    assert find_device(text) == NoMatch(text)


def test_every_row_is_found_by_each_of_its_names() -> None:
    wrong = [(name, d.name) for d in all_devices() for name in (d.name, d.official, *d.aliases) if find_device(name) != d]
    assert not wrong


def test_no_two_rows_share_a_name() -> None:
    owners: dict[str, str] = {}
    for device in all_devices():
        for name in {squeeze(text) for text in (device.name, device.official, *device.aliases)}:
            assert owners.setdefault(name, device.name) == device.name


def test_usable_is_what_torch_reports_where_it_was_read() -> None:
    t4 = found("t4")
    assert (t4.usable_min, t4.usable_max, t4.usable_exact) == (15_636_902_182, 15_835_594_752, True)


def test_usable_is_a_share_of_the_driver_total_where_torch_was_not_read() -> None:
    h20 = found("h20")
    assert (h20.usable_min, h20.usable_exact, h20.usable_from) == (int(97871 * 2**20 * 0.985), False, "smi")


def test_a_row_says_nothing_that_nobody_reads() -> None:
    """A key that is spelled wrong would be left out unseen, and a reading of a kind that there is not taken for nvidia-smi's."""
    rows = json.loads(Path(devices.__file__).with_name("devices.json").read_text(encoding="utf-8"))["devices"]
    assert {row["name"]: set(row) - KEYS for row in rows if set(row) - KEYS} == {}
    readings = [(row["name"], total) for row in rows for total in row["totals"]]
    assert [(name, total) for name, total in readings if set(total) - KEYS_OF_A_READING or total["from"] not in {*EXACT, "smi"}] == []


def test_usable_never_exceeds_the_label_and_every_reading_has_a_source() -> None:
    for device in all_devices()[:-1]:
        assert 0 < device.usable_min <= device.usable_max <= device.nominal_bytes, device.name
        assert all(total.sources for total in device.totals), device.name


@pytest.mark.parametrize(
    ("name", "ecc", "low", "exact"),
    [
        ("rtx-a6000", True, 47_703_128_014, True),
        ("rtx-a6000", False, 50_928_648_454, True),
        ("l40", True, int(46068 * 2**20 * 0.985), False),
        ("a10", False, int(24564 * 2**20 * 0.985), False),
        ("h200", True, 150_001_732_812, True),
        ("rtx-a5000", True, int(int(24564 * 2**20 * 0.985) * 15 / 16), False),
    ],
)
def test_ecc_chooses_the_readings_of_that_state(name: str, ecc: bool, low: int, exact: bool) -> None:
    smallest, _, read = usable(found(name), ecc)
    assert (smallest, read) == (low, exact)


def test_ecc_unsaid_covers_both_states() -> None:
    device = found("rtx-a6000")
    assert usable(device) == (device.usable_min, device.usable_max, True)


@pytest.mark.parametrize("device", all_devices(), ids=lambda d: d.name)
def test_context_is_an_ordered_range(device: Device) -> None:
    low, best, high = context_bytes(device)
    assert 0 <= low <= best <= high <= 2**30


def test_context_and_workspace_by_generation() -> None:
    assert context_bytes(found("t4"))[0] == int(140.9 * 2**20)
    assert context_bytes(found("a100-80gb"))[1:] == (int(0.47 * 2**30), int(0.92 * 2**30))
    assert context_bytes(found("m1-8gb")) == (0, 0, 0)
    assert context_bytes(None)[0] < context_bytes(None)[2]
    assert [cublas_workspace(found(name)) for name in ("a100-80gb", "h100-80gb", "b200", "mi300x")] == [
        8_519_680,
        33_554_432,
        33_554_432,
        0,
    ]
