"""The manual as it is built: strict, whole, and without anything from the web. Runs where the extra ``docs`` is installed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

pytest.importorskip("mkdocs")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("manual") / "site"
    command = ["docs/site/build", "--site-dir", str(built)]
    path = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(built.parent)}
    ran = subprocess.run(command, cwd=ROOT, env=path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout
    return built


def test_every_page_is_built(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    pages = {re.sub(r"README\.html$", "index.html", page) for page in pages} | {"language.html", "changelog.html"}
    assert sorted(page for page in pages if not (site / page).is_file()) == []


@pytest.mark.parametrize("tag", ["h2", "h3", "li", "tr", "pre", "img", "strong"])
def test_a_page_has_the_parts_that_code_hosts_show(site: Path, tag: str) -> None:
    """The site's Markdown and that of code hosts differ in lists and tables; pages are written so that both read the same."""
    counted = MarkdownIt("commonmark").enable("table")
    differ = []
    for page in sorted((ROOT / "docs").glob("*.md")):
        article = (site / f"{page.stem}.html").read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
        shown = counted.render(page.read_text(encoding="utf-8"))
        if len(re.findall(rf"<{tag}[ >]", article)) != len(re.findall(rf"<{tag}[ >]", shown)):
            differ.append(page.name)
    assert differ == []


def test_pictures_are_there(site: Path) -> None:
    shown = re.findall(r'<img[^>]* src="([^"]+)"', (site / "memory.html").read_text(encoding="utf-8"))
    assert len(shown) >= 5
    assert [picture for picture in shown if not (site / picture).is_file()] == []


def test_nothing_is_fetched(site: Path) -> None:
    """Scripts, pictures, fonts and styles lie beside the pages; only links that a reader follows lead out."""
    fetched = re.compile(r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//|<link\b[^>]*\bhref=["']?(?:https?:)?//""")
    assert [path.name for path in site.rglob("*.html") if fetched.search(path.read_text(encoding="utf-8"))] == []
    styles = [path for path in site.rglob("*.css") if re.search(r"""url\(["']?(?:https?:)?//|@import""", path.read_text(encoding="utf-8"))]
    assert styles == []


def test_search_works_without_a_server(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8").removeprefix("var __index = ")
    found = {page["location"] for page in json.loads(index)["docs"] if "max_memory_allocated" in page["text"]}
    assert "memory.html#three-totals" in found
    assert (site / "site" / "iframe-worker.js").is_file()


def test_rules_are_listed_by_family(site: Path) -> None:
    page = (site / "rules" / "does-not-fit.html").read_text(encoding="utf-8")
    assert "BL1xx Budget, fit and units" in page
    assert 'href="tight-fit.html"' in page
