"""Words of flags and configs that a program knows by another name: ``precision: bfloat16`` where it asks for ``bf16``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from budgetlint.resolve.program_places import at
from budgetlint.settings.program import StrangeWord

if TYPE_CHECKING:
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Files

_NAME = re.compile(r"[.\[\]]|^-+")
_SAME = (
    ("bf16", "bfloat16", "bf16-mixed", "bf16_mixed"),
    ("fp16", "float16", "half", "f16", "16"),
    ("fp32", "float32", "full", "f32", "32"),
    ("int8", "8bit", "8-bit", "8"),
    ("int4", "4bit", "4-bit", "4"),
)
"""What people call one number format."""


def strange_words(followed: Followed, files: Files) -> tuple[StrangeWord, ...]:
    """A program that asks for the word anywhere knows it."""
    return tuple(_of(followed, files))


def _of(followed: Followed, files: Files) -> Iterator[StrangeWord]:
    texts = [source.text for path in followed.modules if (source := files.source(path)) is not None] if followed.asked_words else []
    for one in followed.asked_words:
        meant = "" if one.text in one.words else _meant(one.text, one.words)
        if meant and not _is_asked_for(one.text, one.origin.key, texts):
            yield StrangeWord(one.origin.key, one.text, at(one.origin.place, files), at(one.place, files), tuple(sorted(one.words)), meant)


def _meant(word: str, words: Iterable[str]) -> str:
    """Another name of it, or the same in other letters; empty where that is not one."""
    group = next((group for group in _SAME if word.lower() in group), ())
    found = [one for one in sorted(words) if one.lower() in group or _plain(one) == _plain(word)]
    return found[0] if len(found) == 1 else ""


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")


def _is_asked_for(word: str, key: str, texts: Iterable[str]) -> bool:
    """Does a line that names the key have the word too, or is it asked for by how it begins or ends?"""
    text, name = rf"""["']{re.escape(word)}["']""", rf"""\b{re.escape(_NAME.split(key)[-1].replace("-", "_"))}\b"""
    both = re.compile(rf"{name}.*{text}|{text}.*{name}")
    parts = re.compile(r"""(?:starts|ends)with\(\s*["']([^"']+)["']""")
    return any(both.search(whole) or any(word.startswith(one) or word.endswith(one) for one in parts.findall(whole)) for whole in texts)
