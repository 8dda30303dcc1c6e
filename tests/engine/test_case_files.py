"""Case files: what is no case is refused with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgetlint.testing import load_cases


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "bad-key.yaml"
    path.write_text(text)
    return path


def test_a_case_file_gives_its_cases(tmp_path: Path) -> None:
    text = """\
- name: both
  files: {train.yaml: "bad: 1\\n"}
  budget: device 24GiB
  expect: ["train.yaml:1:6 BL203"]
- name: none
  expect: []
"""
    first, second = load_cases(write(tmp_path, text))
    assert (first.rule, first.files, first.budget, first.expect, first.fires) == (
        "bad-key",
        {"train.yaml": "bad: 1\n"},
        "device 24GiB",
        ("train.yaml:1:6 BL203",),
        True,
    )
    assert (second.files, second.fires) == ({}, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: x\n", "a list of cases"),
        ("- files: {}\n", "case 1: a case has at least"),
        ("- name: a\n  expect: []\n- name: b\n  expect: []\n  filez: {}\n", "case 2: unknown filez"),
    ],
)
def test_what_is_no_case_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_cases(write(tmp_path, text))
