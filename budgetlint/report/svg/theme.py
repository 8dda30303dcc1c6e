"""Colours. Light ones stand in attributes, so that a viewer without style sheets shows a picture too; a media query puts the dark ones
over them.

The buckets take the palette of Okabe and Ito (https://jfly.uni-koeln.de/color/), made to be told apart without red-green vision, on
both grounds; what lies outside the tensors is grey.
"""

from __future__ import annotations

from budgetlint.memory.estimate import Verdict
from budgetlint.memory.term import Bucket

FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
TITLE, TEXT, SMALL = 15, 12, 11
"""Font sizes, px at 800 px."""

STACK = (
    Bucket.CONTEXT,
    Bucket.ALLOCATOR,
    Bucket.WEIGHTS,
    Bucket.OPTIMIZER,
    Bucket.GRADIENTS,
    Bucket.BUFFERS,
    Bucket.ACTIVATIONS,
    Bucket.LOGITS,
)
"""From the ground up: what stays, then what comes and goes."""

FILL = {
    Bucket.CONTEXT: "#5d6570",
    Bucket.ALLOCATOR: "#c3cad2",
    Bucket.WEIGHTS: "#0072b2",
    Bucket.OPTIMIZER: "#cc79a7",
    Bucket.GRADIENTS: "#56b4e9",
    Bucket.BUFFERS: "#d55e00",
    Bucket.ACTIVATIONS: "#009e73",
    Bucket.LOGITS: "#e69f00",
}
BLACK, WHITE = "#0b0e12", "#ffffff"

LIGHT = {
    "page": "#ffffff", "edge": "#d1d9e0", "grid": "#d1d9e0", "ink": "#1f2328", "dim": "#59636e", "limit": "#1f2328",
    "fits": "#116329", "tight": "#7d4e00", "does-not-fit": "#b3141f", "unknown": "#6639ba",
}  # fmt: skip
DARK = {
    "page": "#0d1117", "edge": "#3d444d", "grid": "#3d444d", "ink": "#f0f6fc", "dim": "#9aa4af", "limit": "#f0f6fc",
    "fits": "#56d364", "tight": "#e3b341", "does-not-fit": "#ff7b72", "unknown": "#d2a8ff",
}  # fmt: skip
"""By class: of texts and grounds the fill, of ``edge``, ``grid`` and ``limit`` the stroke."""

STROKES = frozenset({"edge", "grid", "limit"})
MARK = {Verdict.FITS: "✓", Verdict.TIGHT: "≈", Verdict.DOES_NOT_FIT: "✗", Verdict.UNKNOWN: "?"}
"""Said beside the colour, never by the colour alone."""


def style() -> str:
    """The dark colours, where the reader asks for them."""
    rules = [f".{name}{{{'stroke' if name in STROKES else 'fill'}:{colour}}}" for name, colour in DARK.items()]
    lines = [f".{name}-line{{stroke:{DARK[name]}}}" for name in ("page", "ink")]
    return "@media (prefers-color-scheme: dark){" + "".join((*rules, *lines)) + "}"


def on(fill: str) -> str:
    """Black or white, whichever reads better on a colour."""
    return max((BLACK, WHITE), key=lambda ink: contrast(ink, fill))


def contrast(one: str, other: str) -> float:
    """From 1 to 21 (WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio)."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
