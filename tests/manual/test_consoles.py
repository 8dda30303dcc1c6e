"""Every command of the manual's own pages is run, and what stands below it is what it prints."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MADE = runpy.run_path(str(HERE / "regenerate.py"))
CONSOLES = runpy.run_path(str(HERE / "consoles.py"))
COPIED = re.compile(r"^<!-- from: (\S+) -->\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE["PAGES"])
def test_a_page_shows_what_is_printed(name: str, tmp_path: Path) -> None:
    made = MADE["now"](name, tmp_path)
    assert {path.name: path.read_text(encoding="utf-8") for path in made} == {path.name: text for path, text in made.items()}


@pytest.mark.parametrize("name", MADE["PAGES"])
def test_a_page_has_commands_and_all_have_been_found(name: str, repository: Path) -> None:
    page = (repository / "docs" / name).read_text(encoding="utf-8")
    found = [step.command for fence in CONSOLES["FENCE"].finditer(page) for step in CONSOLES["typed"](fence["body"])]
    assert found
    assert len(found) == len(re.findall(r"^\$ ", page, re.MULTILINE))
    assert "command not found" not in page


def test_the_quickstart_installs_what_the_readme_does(repository: Path) -> None:
    quickstart, readme = ((repository / name).read_text(encoding="utf-8") for name in ("docs/quickstart.md", "README.md"))
    (install,) = re.findall(r"^```sh\n(.*?)^```$", quickstart, re.MULTILINE | re.DOTALL)
    assert f"```sh\n{install}" in readme


def test_code_on_a_page_is_the_code_it_comes_from(repository: Path) -> None:
    copies = COPIED.findall((repository / "docs" / "plugins.md").read_text(encoding="utf-8"))
    assert len(copies) >= 5
    assert [path for path, text in copies if text not in (repository / path).read_text(encoding="utf-8")] == []


PRINTED = [
    ("the same", "a\nb\n", "a\nb\n", True),
    ("another", "a\nc\n", "a\nb\n", False),
    ("a cut in the middle", "a\n...\nd\n", "a\nb\nc\nd\n", True),
    ("a cut of nothing", "a\n...\nd\n", "a\nd\n", True),
    ("a cut, and another end", "a\n...\nd\n", "a\nb\n", False),
    ("more than is shown", "a\n", "a\nb\n", False),
]


@pytest.mark.parametrize(("shown", "printed", "agrees"), [row[1:] for row in PRINTED], ids=[row[0] for row in PRINTED])
def test_what_a_page_shows_is_compared_with_what_is_printed(tmp_path: Path, shown: str, printed: str, agrees: bool) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    page = f"```text said\n{printed}```\n\n```console\n$ cat said\n{shown}```\n"
    expected = page if agrees else page.replace(f"$ cat said\n{shown}", f"$ cat said\n{printed}")
    assert CONSOLES["played"](page, folder) == expected
