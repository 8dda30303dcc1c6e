"""How wide a text is, without a font: widths of DejaVu Sans, the widest of the usual ones, so that a text never takes more room than
it was given."""

from __future__ import annotations

from budgetlint.base.plain_text import one_line
from budgetlint.report.style import cells

_CLASSES = {
    0.33: "ijl|'.,:; ",
    0.42: 'frtIJ()[]{}!-/`"',
    0.64: "0123456789abcdeghknopqsuvxyz_*$?",
    1.0: "mwMWGOQ@%&",
}
_WIDTHS = {character: share for share, characters in _CLASSES.items() for character in characters}
OTHER, ELLIPSIS = 0.78, 1.0
"""Parts of the font size; bold is an eighth wider."""


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Pixels that a text takes at most."""
    return size * (1.125 if bold else 1) * sum(_each(character) for character in text)


def _each(character: str) -> float:
    if character.isascii():
        return _WIDTHS.get(character, OTHER)
    return ELLIPSIS * max(cells(character), 1)


def fitted(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """The text, cut at its end with an ellipsis where it would not fit."""
    said = one_line(text)
    if width(said, size, bold=bold) <= room:
        return said
    while said and width(said + "…", size, bold=bold) > room:
        said = said[:-1]
    return said.rstrip() + "…"
