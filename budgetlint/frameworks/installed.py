"""Manifests of other packages: the entry points of the group ``budgetlint.readers``, with the safety of rules' (`isolation`).

What an installation says is taken only from the interpreter's site folders, and nothing that is part of the checked repository is
imported: who proposes a change of a checkout does not bring the readers that read it. What cannot be loaded is left out and told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.base.record import fields, record
from budgetlint.frameworks.manifest import Manifest
from budgetlint.isolation.entry_points import EntryPoint


@record
class Left:
    """An entry point that is left out: ``why`` in words; ``place`` where the checked folder is that holds it."""

    who: str
    why: str = ""
    place: str = ""


@record
class Brought:
    manifests: tuple[Manifest, ...] = ()
    left: tuple[Left, ...] = ()


def brought(points: Iterable[EntryPoint], known: tuple[Manifest, ...]) -> Brought:
    """What entry points bring beside the manifests that are known; the first of a name stays."""
    found: list[Manifest] = []
    left: list[Left] = []
    for point in sorted(points, key=lambda point: (point.owner or point.name, point.name)):
        one = _loaded(point)
        if isinstance(one, Left):
            left.append(one)
            continue
        wrong = "; ".join(_problems(one, (*known, *found)))
        if wrong:
            left.append(Left(point.owner or point.name, f"offers a reader that {wrong}"))
        else:
            found.append(one)
    return Brought(tuple(found), tuple(left))


def _loaded(point: EntryPoint) -> Manifest | Left:
    who = point.owner or point.name
    checked = point.checked_place()
    if checked is not None:
        return Left(who, place=checked)
    try:
        offered = point.load()
    except Exception as error:  # a plugin may raise anything at import
        return Left(who, f"cannot be loaded from '{point.value}': {type(error).__name__}: {error}")
    if not isinstance(offered, Manifest):
        return Left(who, f"offers {type(offered).__name__} '{str(offered)[:40]}', which is not a Manifest")
    return offered


def _problems(manifest: Manifest, known: Iterable[Manifest]) -> Iterator[str]:
    """Why a manifest of somebody else's cannot stand beside those that are known."""
    others = tuple(known)
    if not manifest.formats:
        yield "names no format"
    if not manifest.reader:
        yield "does not say which module holds its READER (reader=…)"
    if any(other.name == manifest.name for other in others):
        yield f"is called '{manifest.name}', as another reader is"
    if manifest.model_code and not any(other.model_code == manifest.model_code for other in others):
        yield f"brings the model code '{manifest.model_code}', which no estimate knows"
    for one in fields(manifest):
        if isinstance(getattr(manifest, one.name), str) and isinstance(one.default, tuple):
            yield f"says {one.name}={getattr(manifest, one.name)!r}, one text where a tuple of texts belongs"
    taken = {format.name for other in others for format in other.formats}
    yield from (f"brings the format '{format.name}', which there is already" for format in manifest.formats if format.name in taken)
