"""ARCHITECTURE.md names every module once, in the list of its package; and whatever a text of the repository names is still there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from configparser import ConfigParser
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ROOT / "budgetlint"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
DOORS = "doors"
"""The section of the modules at the top of `budgetlint/`."""

ITEM = re.compile(r"- `([^`]+)`: ")
"""An item of a list: the modules that it is about, `*` for any name, and what they are."""


def sections() -> dict[str, list[str]]:
    """The names in the lists under each heading of a package, in the order of the page."""
    packages = PAGE.partition("\n## The packages")[2].partition("\n## ")[0]
    found = {}
    for section in packages.split("\n### ")[1:]:
        name, _, text = section.partition("\n")
        found[name] = [word for line in text.splitlines() if (item := ITEM.match(line)) for word in item[1].split()]
    return found


def modules() -> dict[str, set[str]]:
    """The modules of each package, named from its folder. An `__init__.py` is its package."""
    found: dict[str, set[str]] = {}
    for path in PRODUCT.rglob("*.py"):
        package, *rest = path.relative_to(PRODUCT).parts
        if path.name != "__init__.py":
            found.setdefault(package if rest else DOORS, set()).add("/".join(rest) or package)
    return found


def layers() -> list[list[str]]:
    """The layers of `.importlinter`, the lowest first: those that stand beside each other are one layer."""
    written = ConfigParser()
    written.read(ROOT / ".importlinter", encoding="utf-8")
    rows = written["importlinter:contract:layers"]["layers"].split("\n")
    return [re.split(r"[ |:]+", row.strip()) for row in reversed(rows) if row.strip()]


def unlike(listed: list[str], there: set[str]) -> Iterator[str]:
    """What is wrong with one section's lists."""
    named = Counter(module for name in listed for module in there if _means(name, module))
    yield from (f"name {module}" for module in sorted(there - named.keys()))
    yield from (f"name {module} once, not {times} times" for module, times in sorted(named.items()) if times > 1)
    yield from (f"{name} is no module" for name in listed if not any(_means(name, module) for module in there))


def _means(name: str, module: str) -> bool:
    """A `*` stays in its folder."""
    return name.count("/") == module.count("/") and fnmatchcase(module, name)


@pytest.mark.parametrize("package", sorted(modules()))
def test_every_module_stands_in_the_list_of_its_package_once(package: str) -> None:
    listed = sections().get(package)
    assert listed is not None, f"ARCHITECTURE.md: write a section `### {package}`: a sentence, and a list of its modules"
    wrong = list(unlike(listed, modules()[package]))
    assert not wrong, f"ARCHITECTURE.md, section `### {package}`, a list item says in a few words what a module is: {'; '.join(wrong)}"


def test_a_section_is_about_a_package_and_they_stand_from_the_ground_up() -> None:
    of_layer = {name: height for height, layer in enumerate(layers()) for name in layer if (PRODUCT / name).is_dir()}
    heights = [of_layer.get(name, -1) for name in sections() if name != DOORS]
    assert -1 not in heights, "ARCHITECTURE.md: a section is about no package of .importlinter"
    assert heights == sorted(heights), "ARCHITECTURE.md: the sections stand in the order of .importlinter, from the ground up"


def test_the_picture_shows_every_package() -> None:
    picture = PAGE.split("```")[1]
    packages = [name for layer in layers() for name in layer if (PRODUCT / name).is_dir()]
    assert [name for name in packages if not re.search(rf"(?<!\w){name}/", picture)] == [], "ARCHITECTURE.md, the picture"


def test_a_terminal_shows_every_line_whole() -> None:
    assert [line for line in PAGE.splitlines() if len(line) > 140] == []


@pytest.mark.parametrize(
    ("listed", "there", "wrong"),
    [
        (["a.py"], {"a.py"}, []),
        ([], {"a.py"}, ["name a.py"]),
        (["a.py", "b.py"], {"a.py"}, ["b.py is no module"]),
        (["a.py", "a.py"], {"a.py"}, ["name a.py once, not 2 times"]),
        (["*/a.py"], {"x/a.py", "y/a.py"}, []),
        (["*/a.py", "x/a.py"], {"x/a.py"}, ["name x/a.py once, not 2 times"]),
        (["*.py"], {"a.py", "x/a.py"}, ["name x/a.py"]),
    ],
)
def test_what_is_wrong_with_a_list(listed: list[str], there: set[str], wrong: list[str]) -> None:
    assert list(unlike(listed, there)) == wrong


CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?<![\w./-])(?:[\w.-]+/)+\w+\.py\b")
DOTTED = re.compile(r"(?<![\w.\[/])budgetlint(?:\.\w+)+")
PLACES = ("budgetlint", "rules", "grammar", "tests", "benchmarks", "docs", "examples")
NOT_MODULES = {
    "budgetlint.rules": "an entry-point group",
    "budgetlint.policies": "an entry-point group",
    "budgetlint.allow": "a table of pyproject.toml",
    "tests/readers/test_my_framework.py": "to be written, by who adds a reader",
}
"""What only looks like a module of this repository."""

FRAMEWORKS_TOO = {"commands", "config"}
"""Folders that frameworks have as well: `commands/launch.py` is accelerate's."""

OTHER_NAMES = {
    "docs/editor.md": "the settings of editors are called budgetlint.path",
    "tests/packaging/test_architecture.py": "names what is not there",
}


def texts() -> Iterator[Path]:
    """What is read. The changelog tells what was."""
    yield from (path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md")
    for place in PLACES:
        yield from (path for path in (ROOT / place).rglob("*") if path.suffix in {".md", ".py"})


def gone(text: str) -> Iterator[str]:
    """Modules, and names in them, that a text names in backticks and that are not there."""
    for code in CODE.findall(text):
        named = [
            *(name for name in PATH.findall(code) if not _is_file(name)),
            *(name for name in DOTTED.findall(code) if not _is_name(name)),
        ]
        yield from (name for name in named if name not in NOT_MODULES)


def _is_file(path: str) -> bool:
    first = path.partition("/")[0]
    if first in {"budgetlint", "benchmarks", "tests"}:
        return (ROOT / path).is_file() or any(ROOT.glob(f"examples/*/{path}"))
    return first in FRAMEWORKS_TOO or not (PRODUCT / first).is_dir() or (PRODUCT / path).is_file()


def _is_name(dotted: str) -> bool:
    """A module, a package, or a word that stands in one of them."""
    here, parts = PRODUCT, dotted.split(".")[1:]
    while parts and (here / parts[0]).is_dir():
        here /= parts.pop(0)
    if parts and (here / f"{parts[0]}.py").is_file():
        module = here / f"{parts.pop(0)}.py"
    else:
        module = here / "__init__.py"
    return not parts or re.search(rf"\b{parts[0]}\b", module.read_text(encoding="utf-8")) is not None


def test_modules_that_texts_name_are_there() -> None:
    told = {path.relative_to(ROOT).as_posix(): list(gone(path.read_text(encoding="utf-8"))) for path in texts()}
    assert {path: names for path, names in told.items() if names and path not in OTHER_NAMES} == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`budgetlint/cli.py`, `memory/loss.py` and `budgetlint.memory.loss`", []),
        ("`budgetlint/nothing.py`", ["budgetlint/nothing.py"]),
        ("`memory/nothing.py`", ["memory/nothing.py"]),
        ("`budgetlint.memory.nothing`", ["budgetlint.memory.nothing"]),
        ("`budgetlint.nothing`", ["budgetlint.nothing"]),
        ("`budgetlint.base.units.format_bytes_of_nothing`", ["budgetlint.base.units.format_bytes_of_nothing"]),
        ("`transformers/trainer.py` and budgetlint/nothing.py", []),
    ],
)
def test_what_counts_as_gone(text: str, names: list[str]) -> None:
    assert list(gone(text)) == names
