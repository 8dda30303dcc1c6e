"""Panels one below the other, on a ground of their own, so that the picture reads the same wherever it is shown."""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.report.svg.element import element, escaped
from budgetlint.report.svg.theme import FONT, LIGHT, style
from budgetlint.report.svg.timeline import PAD, WIDTH, Panel


def page(title: str, description: str, panels: Sequence[Panel]) -> str:
    """A whole SVG file, in ASCII, so that every console can write it. ``title`` and ``description`` are for who cannot see it."""
    placed: list[str] = []
    y = 6
    for panel in panels:
        if placed:
            placed.append(element("line", x1=PAD, x2=WIDTH - PAD, y1=y, y2=y, class_="edge", stroke=LIGHT["edge"]))
        placed.append(element("g", panel.body, transform=f"translate(0 {y})"))
        y += panel.height + 12
    ground = element(
        "rect", x=0.5, y=0.5, width=WIDTH - 1, height=y - 1, rx=6, class_="page edge", fill=LIGHT["page"], stroke=LIGHT["edge"]
    )
    text = (
        element(
            "svg",
            "\n",
            element("title", escaped(title), id="title"),
            element("desc", escaped(description), id="desc"),
            element("style", style()),
            "\n",
            ground,
            "\n",
            "\n".join(placed),
            "\n",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {WIDTH} {y}",
            width=WIDTH,
            height=y,
            role="img",
            aria_labelledby="title desc",
            font_family=FONT,
        )
        + "\n"
    )
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")
