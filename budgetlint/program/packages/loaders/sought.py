"""How a launch would name a file that a program reads."""

from __future__ import annotations

from budgetlint.program.choices import alternatives
from budgetlint.program.interface import Sought
from budgetlint.program.places import Origin
from budgetlint.program.values import Known, Open, Value


def sought(path: Value, loader: str, flags: dict[str, tuple[str, ...]]) -> list[Sought]:
    """How a launch would name the file of this path."""
    found = [_by(way.value, loader, flags) for way in alternatives(path)]
    return [one for one in found if one is not None]


def _by(path: Value, loader: str, flags: dict[str, tuple[str, ...]]) -> Sought | None:
    if isinstance(path, Open) and path.kind in ("flag", "field"):
        return Sought(_flag(path.name, flags), loader)
    if isinstance(path, Open) and path.kind == "word":
        return Sought("", loader)
    named = next((one for one in path.origins if one.kind in ("option", "flag")), None)
    if isinstance(path, Known) and isinstance(named, Origin) and (named.kind == "flag" or named.key in flags):
        return Sought(_flag(named.key, flags), loader)
    return None


def _flag(name: str, flags: dict[str, tuple[str, ...]]) -> str:
    """The long flag of a destination; empty for a positional, and for a word."""
    if not name or name.startswith("-"):
        return name
    known = flags.get(name, (f"--{name}",))
    return next((one for one in known if one.startswith("--")), known[0] if known else "")
