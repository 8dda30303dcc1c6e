"""The files that reading is timed with are what they are named."""

from __future__ import annotations

from pathlib import Path

import pytest
import read_speed
import reading

from budgetlint.base.source import SourceFile, read_source
from budgetlint.documents import load
from budgetlint.readers import Reader, identify


def test_every_template_is_the_format_of_its_name(tmp_path: Path) -> None:
    count = 2 * len(read_speed.TEMPLATES)
    read_speed.write_files(tmp_path, count)
    found = []
    for path in sorted(tmp_path.iterdir()):
        source = read_source(path)
        assert isinstance(source, SourceFile)
        reader = identify(load(source)[0])
        found.append(reader.format if isinstance(reader, Reader) else "none of them")
    assert found == [*read_speed.TEMPLATES] * 2
    assert len({path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}) == count


def test_reading_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read_speed.write_files(tmp_path, 7)
    reading.read(tmp_path)
    assert capsys.readouterr() == ("", "")
