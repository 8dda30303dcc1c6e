"""The pictures of the docs are what the product draws."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GOLDEN = runpy.run_path(str(DOCS / "img" / "regenerate.py"))
PICTURES: dict[str, str] = GOLDEN["pictures"]()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_as_drawn(name: str) -> None:
    assert PICTURES[name] == (DOCS / "img" / name).read_text(encoding="utf-8"), "python docs/img/regenerate.py"


@pytest.mark.parametrize("name", PICTURES)
def test_it_is_shown_and_every_figure_below_it_is_in_it(name: str) -> None:
    _, shown, rest = (DOCS / "memory.md").read_text(encoding="utf-8").partition(f"(img/{name})\n\n")
    assert shown
    figures = re.findall(r"[\d,.]+ GiB", rest.partition("\n\n")[0])
    assert figures
    assert [figure for figure in figures if figure not in PICTURES[name]] == []
