"""The catalog commands' tables and mappings."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from budgetlint.catalog.listing import Listing, devices, models, optimizers


@pytest.mark.parametrize("listing", [devices, models, optimizers])
def test_a_table_has_a_header_and_is_json(listing: Callable[[], Listing]) -> None:
    table = listing()
    assert table.text.splitlines()[0].startswith("name")
    assert json.loads(json.dumps(table.data))["version"] == 1
    assert not table.problem


@pytest.mark.parametrize(
    ("listing", "words"),
    [
        (devices("rtx-a6000"), ("44.43 GiB", "ECC on", "XiongjieDai")),
        (devices("mi325x"), ("not read",)),
        (devices("cpu"), ("host memory",)),
        (models("Qwen/Qwen2.5-1.5B"), ("1,543,714,304", "litgpt/config.py", "q_proj")),
        (models("mixtral-8x7b"), ("12,879,925,248 a token",)),
        (optimizers("adamw_bnb_8bit"), ("2.031", "block 256", "csrc/kernels.cu")),
        (optimizers("lomo"), ("not kept",)),
    ],
)
def test_one_row_shows_its_facts_and_sources(listing: Listing, words: tuple[str, ...]) -> None:
    assert all(word in listing.text for word in words)


@pytest.mark.parametrize(
    ("listing", "problem"),
    [
        (devices("a100"), "'a100' may be any of these devices: a100-40gb, a100-80gb"),
        (devices("nothing at all"), "no device 'nothing at all' in the catalog"),
        (models("qwen2.5-1.6b"), "did you mean qwen2.5-1.5b"),
        (optimizers("adamw8bits"), "did you mean adamw8bit"),
    ],
)
def test_a_name_without_a_row_is_a_problem(listing: Listing, problem: str) -> None:
    assert problem in listing.problem


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("4090", ["rtx-4090", "rtx-4090-d", "rtx-4090-laptop"]),
        ("rtx ada", ["rtx-2000-ada", "rtx-4000-ada", "rtx-4000-sff-ada", "rtx-4500-ada", "rtx-5000-ada", "rtx-5880-ada", "rtx-6000-ada"]),
        ("p4d.24xlarge", ["a100-40gb"]),
        ("kaggle", ["t4", "p100"]),
    ],
)
def test_a_word_lists_the_devices_that_have_it(word: str, names: list[str]) -> None:
    rows = devices(word).text.splitlines()[1:]
    assert [row.split()[0] for row in rows] == names


def test_the_tables_are_read_only_when_somebody_asks() -> None:
    modules = ("budgetlint.catalog.devices", "budgetlint.catalog.models", "budgetlint.catalog.optimizers")
    lazy = ("difflib", "budgetlint.catalog.optimizer_table")
    code = f"import sys, {', '.join(modules)}; print(*(name in sys.modules for name in {lazy!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
