"""Writing: bytes as they were in every other respect, never half a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from budgetlint.base.source import SourceFile, read_source
from budgetlint.documents.write import write_text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
def test_round_trip_of_bytes(tmp_path: Path, encoding: str) -> None:
    marks = {"utf-8": b"", "utf-8-sig": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
    raw = marks[encoding] + "a: é\r\nb: \U0001f600\n".encode("utf-8" if encoding == "utf-8-sig" else encoding)
    path = tmp_path / "x.yaml"
    path.write_bytes(raw)
    source = read_source(path)
    assert isinstance(source, SourceFile) and source.text == "a: é\r\nb: \U0001f600\n" and source.encoding == encoding
    assert write_text(path, source.text, source.encoding) is None
    assert path.read_bytes() == raw


def test_mode_and_link_are_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "real.yaml", tmp_path / "link.yaml"
    target.write_text("a: 1\n")
    target.chmod(0o640)
    link.symlink_to(target)
    assert write_text(link, "a: 2\n") is None
    assert link.is_symlink() and target.read_text() == "a: 2\n"
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.yaml", "real.yaml"]


def test_failure_leaves_the_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\n")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    problem = write_text(path, "a: 2\n")
    assert problem is not None and "No space left" in problem.problem and problem.cure
    assert path.read_text() == "a: 1\n" and list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    problem = write_text(tmp_path / "no" / "x.yaml", "a: 1\n")
    assert problem is not None and "cannot be written" in problem.problem
