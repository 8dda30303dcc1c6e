"""Framework defaults: one row where the stack tells the version, every reading where it does not."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from budgetlint.catalog.default_row import DefaultRow
from budgetlint.catalog.default_table import DEFAULTS
from budgetlint.catalog.defaults import Readings, default, pins


@dataclass
class Stack:
    versions: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def at_least(self, package: str, version: str) -> bool | None:
        known = self.versions.get(package)
        return None if known is None else known >= tuple(int(part) for part in version.split("."))


@pytest.mark.parametrize(
    ("package", "key", "versions", "value"),
    [
        ("transformers", "from_pretrained.dtype", {"transformers": (4, 57, 6)}, "fp32"),
        ("transformers", "from_pretrained.dtype", {"transformers": (5, 0, 0)}, "auto"),
        ("transformers", "optim", {"transformers": (5, 24, 0), "torch": (2, 8)}, "adamw_torch_fused"),
        ("transformers", "optim", {"transformers": (5, 24, 0), "torch": (2, 7, 1)}, "adamw_torch"),
        ("transformers", "optim", {"transformers": (4, 53, 3)}, "adamw_torch"),
        ("transformers", "use_reentrant", {"transformers": (4, 57, 6)}, True),
        ("transformers", "fsdp_version", {"transformers": (5, 9, 0)}, 1),
        ("transformers", "fsdp_version", {"transformers": (5, 10, 0)}, 2),
        ("transformers", "loss_bytes_per_logit", {"transformers": (4, 48, 1)}, 14),
        ("transformers", "per_device_eval_batch_size", {}, 8),
        ("trl", "gradient_checkpointing", {"trl": (0, 21, 0)}, False),
        ("trl", "gradient_checkpointing", {"trl": (1, 16)}, True),
        ("trl", "max_length", {"trl": (0, 14, 0)}, None),
        ("trl", "max_length", {"trl": (0, 15, 0)}, 1024),
        ("trl", "from_pretrained.dtype", {"trl": (0, 26, 0)}, "auto"),
        ("trl", "from_pretrained.dtype", {"trl": (0, 27, 0)}, "fp32"),
        ("trl", "qlora_adapter_dtype", {"trl": (0, 26, 0)}, "bf16"),
        ("trl", "loss_type", {"trl": (1, 6, 0)}, "full"),
        ("trl", "loss_type", {"trl": (1, 7, 0)}, "chunked"),
        ("deepspeed", "gradient_clipping", {"deepspeed": (0, 19, 2)}, 0.0),
        ("deepspeed", "pin_memory", {"deepspeed": (0, 19, 5)}, True),
    ],
)
def test_a_known_version_has_one_default(package: str, key: str, versions: dict[str, tuple[int, ...]], value: object) -> None:
    row = default(package, key, Stack(versions))
    assert isinstance(row, DefaultRow)
    assert row.value == value
    assert row.source


def test_an_unknown_version_gives_every_reading() -> None:
    row = default("transformers", "from_pretrained.dtype", Stack())
    assert isinstance(row, Readings)
    assert row.values == ("fp32", "auto")


def test_a_half_known_stack_narrows_the_readings() -> None:
    assert isinstance(default("transformers", "optim", Stack({"transformers": (5, 24)})), Readings)
    row = default("transformers", "optim", Stack({"torch": (2, 7)}))
    assert isinstance(row, DefaultRow)
    assert row.value == "adamw_torch"


def test_an_unknown_key_has_no_row() -> None:
    assert default("transformers", "no_such_key", Stack()) is None


def test_rows_of_one_key_leave_no_version_out_and_overlap_in_none() -> None:
    for package, key in {(row.package, row.key) for row in DEFAULTS}:
        alone = [row for row in DEFAULTS if (row.package, row.key) == (package, key) and not row.also]
        bounds = [(row.since, row.until) for row in alone]
        assert all(earlier[1] == later[0] for earlier, later in pairwise(bounds)), (package, key)


def test_trainer_packages_pin_their_stack() -> None:
    (versions, pinned), *_ = pins("axolotl")
    assert versions == ">=0.18,<0.19"
    assert dict(pinned)["transformers"] == "==5.14.1"
    assert pins("nobody") == ()
