"""What mkdocs is told beyond mkdocs.yml: pages that lie outside docs/, and the rules by family."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]

OUTSIDE = {
    "README.md": "index.md",
    "grammar/LANGUAGE.md": "language.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "ARCHITECTURE.md": "architecture.md",
    "examples/rule-plugin/README.md": "plugins.md",
    "examples/reader-plugin/README.md": "plugins.md",
}
"""Files of the repository and the pages that they are, or that stand for them, in the manual."""

LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)#\s]+)")
NAMED_FENCE = re.compile(r"^(```\w+) ([\w./-]+)$", re.MULTILINE)


def on_config(config: Any) -> None:
    """The index of the rules is followed by their pages, family by family, as its tables list them."""
    for section in config.nav:
        if "Rules" in section:
            section["Rules"] = [{"All rules": "rules/README.md"}, *_families(), "rules/not-rules.md"]


def _families() -> Iterator[dict[str, list[dict[str, str]]]]:
    index = (ROOT / "docs" / "rules" / "README.md").read_text(encoding="utf-8").partition("\n## By harm")[0]
    for family in index.split("\n### ")[1:]:
        title, _, rows = family.partition("\n")
        yield {title: [{name: f"rules/{name}.md"} for name in re.findall(r"\]\(([\w-]+)\.md\)", rows)]}


def on_files(files: Files, config: Any) -> Files:
    """Pages from outside join, and the files that pages link to."""
    for path, page in OUTSIDE.items():
        if files.get_file_from_path(page) is None:
            files.append(File.generated(config, page, abs_src_path=str(ROOT / path)))
    waiting = list(files.documentation_pages())
    while waiting:
        for path in _outside(waiting.pop()):
            if files.get_file_from_path(f"source/{path}") is None:
                linked = File.generated(config, f"source/{path}", abs_src_path=str(ROOT / path))
                files.append(linked)
                waiting += [linked] if linked.is_documentation_page() else []
    return files


def _outside(file: File) -> Iterator[str]:
    for link in LINK.findall(file.content_string):
        path = _path(file, link)
        if not path.startswith("docs/") and path not in OUTSIDE and (ROOT / path).is_file():
            yield path


def _path(file: File, link: str) -> str:
    """Where in the repository a link of a page leads."""
    source = Path(file.abs_src_path or "").relative_to(ROOT).as_posix()
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links between files of the repository become links between pages; a fence's file name becomes its title."""

    def moved(link: re.Match[str]) -> str:
        path = _path(page.file, link[1])
        there = OUTSIDE.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else f"source/{path}")
        return posixpath.relpath(there, posixpath.dirname(page.file.src_uri) or ".")

    return NAMED_FENCE.sub(r'\1 title="\2"', LINK.sub(moved, markdown))
