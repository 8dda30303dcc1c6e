"""SVG as text: elements, numbers and escapes. Attributes keep the order they are given in, so equal pictures are equal bytes."""

from __future__ import annotations

from budgetlint.base.plain_text import one_line

Value = str | int | float


def element(name: str, *inside: str, **attributes: Value) -> str:
    """``stroke_width`` is written ``stroke-width``, ``class_`` ``class``; an empty text is left out."""
    said = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items() if value != "")
    return f"<{name}{said}>{''.join(inside)}</{name}>" if inside else f"<{name}{said}/>"


def escaped(text: str) -> str:
    """Text of a config as XML 1.0 allows it: no markup, no control characters."""
    return one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def number(value: float) -> str:
    """A coordinate: two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-0", "0", 1) if abs(value) < 0.005 else f"{value:.2f}".rstrip("0").rstrip(".")


def _value(value: Value) -> str:
    if isinstance(value, str):
        return escaped(value)
    return str(value) if isinstance(value, int) else number(value)


def closed(points: list[tuple[float, float]]) -> str:
    """The path of a polygon."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "Z"
