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
    *("compute_capability", "capability_source", "bf16", "tf32", "fp8", "share"),
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
        ("gtx 1080", "gtx-1080"),
        ("rtx-3060-8gb", "rtx-3060-8gb"),
        ("NVIDIA GeForce RTX 4070 SUPER", "rtx-4070-super"),
        ("RTX 4090 Laptop", "rtx-4090-laptop"),
        ("rtx-4080-mobile", "rtx-4080-laptop"),
        ("NVIDIA RTX A2000 12GB", "rtx-a2000-12gb"),
        ("Tesla K80", "k80"),
        ("p40", "p40"),
        ("7900xtx", "rx-7900-xtx"),
        ("max1550", "max-1550"),
        ("thor", "jetson-agx-thor"),
        ("m5-max-128gb", "m5-max-128gb"),
        ("h100:1g.10gb", "h100-1g.10gb"),
        ("a100-40gb:3g.20gb", "a100-3g.20gb"),
        ("nvidia_a100_3g.20gb", "a100-3g.20gb"),
        ("NVIDIA H100 80GB HBM3 MIG 3g.40gb", "h100-3g.40gb"),
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
        ("NVIDIA GeForce RTX 4060 Ti", ("rtx-4060-ti-8gb", "rtx-4060-ti-16gb")),
        ("rtx-3080", ("rtx-3080-10gb", "rtx-3080-12gb")),
        ("rtx-3080-laptop", ("rtx-3080-laptop-8gb", "rtx-3080-laptop-16gb")),
        ("910b", ("ascend-910b-64gb", "ascend-910b4")),
        ("1g.10gb", ("a100-1g.10gb", "a100-40gb-1g.10gb", "h100-1g.10gb")),
        ("MIG 3g.40gb", ("h100-3g.40gb", "a100-3g.40gb")),
        ("nvidia.com/mig-3g.40gb", ("h100-3g.40gb", "a100-3g.40gb")),
        ("RTX 6000", ("quadro-rtx-6000", "rtx-6000-ada", "rtx-pro-6000")),
        ("m3-max", ("m3-max-48gb", "m3-max-64gb", "m3-max-36gb", "m3-max-96gb", "m3-max-128gb")),
    ],
)
def test_an_ambiguous_name_lists_who_it_could_be(text: str, candidates: tuple[str, ...]) -> None:
    assert find_device(text) == NoMatch(text, candidates=candidates)


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [("4090", "rtx-4090"), ("A100-8", "a100-80gb"), ("rtx 409", "rtx-4090"), ("gtx 1081", "gtx-1080"), ("1g.5gb", "a100-1g.5gb")],
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
    ("name", "gib"),
    [
        ("a100-1g.5gb", 4.75), ("a100-2g.10gb", 9.75), ("a100-3g.20gb", 19.625), ("a100-7g.40gb", 39.5), ("a100-40gb-1g.10gb", 9.75),
        ("a100-1g.20gb", 19.5), ("a100-3g.40gb", 39.25), ("a100-7g.80gb", 79.0), ("h100-1g.10gb", 9.75), ("h100-7g.80gb", 79.25),
        ("h200-1g.18gb", 16.0), ("h200-1g.35gb", 32.5), ("h200-2g.35gb", 32.5), ("h200-4g.71gb", 69.75),
    ],
)  # fmt: skip
def test_a_slice_holds_what_nvidia_smi_prints(name: str, gib: float) -> None:
    """``nvidia-smi mig -lgip``; an H200 slice has up to a ninth less than its name says."""
    assert found(name).usable_max == gib * 2**30


@pytest.mark.parametrize(("name", "share"), [("rtx-4060-ti-8gb", 0.985), ("rtx-2000-ada", 0.92), ("jetson-agx-thor", 0.93)])
def test_a_label_is_a_range(name: str, share: float) -> None:
    card = found(name)
    assert (card.usable_min, card.usable_max, card.usable_from) == (int(card.nominal_bytes * share), card.nominal_bytes, "label")


@pytest.mark.parametrize(
    ("name", "offered"), [("t4", True), ("v100-16gb", True), ("rtx-4070", True), ("rtx-4060-ti-8gb", False), ("p40", False), ("k80", False)]
)
def test_no_answer_sends_anyone_to_a_card_by_its_label_or_an_old_one(name: str, offered: bool) -> None:
    assert found(name).offered == offered


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
