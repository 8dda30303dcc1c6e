"""Links of every Markdown file in the repository: pages and anchors exist, addresses are well-formed. Nothing is fetched."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
NOT_OURS = {"node_modules", "site", "build", "dist"}
ADDRESS = re.compile(r"https?://[a-z0-9.-]+\.[a-z]+(:\d+)?([/#?]\S*)?")
MARKDOWN = MarkdownIt("commonmark").enable("table")


def pages() -> list[str]:
    """Every Markdown file of the project, by its path."""
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*.md"))
    return sorted(path.as_posix() for path in found if not any(part in NOT_OURS or part.startswith(".") for part in path.parts))


@functools.cache
def tokens(path: Path) -> tuple[Token, ...]:
    return tuple(MARKDOWN.parse(path.read_text(encoding="utf-8")))


def links(path: Path) -> Iterator[str]:
    for token in tokens(path):
        for child in token.children or ():
            address = child.attrGet("href") or child.attrGet("src")
            if address:
                yield str(address)


@functools.cache
def anchors(path: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    seen: Counter[str] = Counter()
    found = set()
    for opening, inline in pairwise(tokens(path)):
        if opening.type == "heading_open":
            text = "".join(child.content for child in inline.children or ())
            slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
    return found


def wrong(page: Path, link: str) -> str:
    """What is wrong with a link, or nothing."""
    parts = urlsplit(link)
    if parts.scheme:
        return "" if ADDRESS.fullmatch(link) else f"{link}: no address"
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return f"{link}: no such file"
    if parts.fragment and parts.fragment not in anchors(target):
        return f"{link}: no such heading"
    return ""


@pytest.mark.parametrize("folder", sorted({path.rpartition("/")[0] for path in pages()}), ids=lambda folder: folder or "top")
def test_every_link_leads_somewhere(folder: str) -> None:
    here = [ROOT / path for path in pages() if path.rpartition("/")[0] == folder]
    assert [f"{page.relative_to(ROOT)}: {said}" for page in here for said in (wrong(page, link) for link in links(page)) if said] == []


@pytest.mark.parametrize(
    "link", ["docs/nothing.md", "#no-such-heading", "docs/ci.md#nothing", "../outside.md", "http:/one-slash.org/x", "ftp://a.org/x"]
)
def test_a_dead_link_is_told(link: str) -> None:
    assert wrong(ROOT / "README.md", link).startswith(link)


@pytest.mark.parametrize("link", ["docs/ci.md#on-github", "#the-budget", "examples", "https://pre-commit.com"])
def test_a_good_link_is_not(link: str) -> None:
    assert wrong(ROOT / "README.md", link) == ""


def test_a_page_of_the_manual_links_to_files() -> None:
    """A folder is no page of the manual."""
    manual = [ROOT / path for path in pages() if path.startswith("docs/")]
    found = ((page, urlsplit(link)) for page in manual for link in links(page) if not urlsplit(link).scheme)
    assert [(page.name, parts.path) for page, parts in found if parts.path and (page.parent / parts.path).is_dir()] == []


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(r"^ +- ([\w/-]+\.md)$", (ROOT / "docs" / "site" / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(listed) == len(set(listed))
    there = {path.removeprefix("docs/") for path in pages() if path.startswith("docs/") and not path.startswith("docs/rules/")}
    assert there - set(listed) == set()
