"""The text of a first budget: what the files of a repository say about the device and the framework versions.

No block per config: a budget that names neither configs nor a model holds for every run in its folder. Versions that
`budgetlint.resolve.versions` reads beside the configs are told in a comment only, so that the budget never disagrees with a newer pin.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from budgetlint.language.budget import Target
from budgetlint.resolve.state import Assembly
from budgetlint.resolve.versions import stack_beside
from budgetlint.settings.run import Release

SHOWN = ("transformers", "trl", "peft", "accelerate", "deepspeed", "torch", "axolotl", "llamafactory", "torchtune")
"""Packages whose version changes an estimate or a rule, in this order; others follow by name."""


def first_budget(work: Assembly, device: str | None, suggestion: str = "") -> str:
    """``device``: what the command line says; ``suggestion``: the smallest card on which every run that says enough fits."""
    stated = [f"device {device}"] if device else list(_requested(work))
    lines = ["# The machine of the training runs here: `budgetlint check` judges every config below by it.", "budget 1"]
    lines += stated or _asked(suggestion)
    lines += ["reserve 1GiB  # held back from the device"] if any(line.startswith("device ") for line in stated) else ["# reserve 1GiB"]
    return "\n".join([*lines, *_stack(work)]) + "\n"


def _requested(work: Assembly) -> Iterator[str]:
    """The one machine that the job files ask for. Where they ask for several, each job is judged by its own request."""
    wanted = {_words(run.requested): run.requested for run in work.runs if run.requested is not None and run.requested.device is not None}
    if len(wanted) > 1:
        yield from _comment(f"device: each job asks for its own, and is judged by it: {' | '.join(sorted(wanted))}")
        yield "# device rtx-4090  # for the runs of no job"
    for words, target in wanted.items() if len(wanted) == 1 else ():
        where = target.device.origin.location if target is not None and target.device is not None else None
        yield from _comment(f"asked for in {where.file}") if where else ()
        yield f"device {words}"


def _words(target: Target | None) -> str:
    """``8x a100-80gb``, with ``; nodes 2`` where the job says so."""
    spec = target.device if target is not None else None
    if target is None or spec is None:
        return ""
    name = spec.device.name if spec.device is not None else spec.text
    count = f"{spec.count}x " if spec.count is not None and spec.count > 1 else ""
    return f"{count}{name}" + (f"; nodes {target.nodes}" if target.nodes is not None and target.nodes > 1 else "")


def _asked(suggestion: str) -> list[str]:
    why = "  # the smallest card that holds every run that says enough" if suggestion else ""
    return [
        "# No file says which card the runs are for: take the '#' away and name it.",
        f"# device {suggestion or 'rtx-4090'}{why}",
    ]


def _stack(work: Assembly) -> Iterator[str]:
    beside: dict[str, set[str]] = {}
    for run in work.runs:
        for release in work.stack_beside(run.readings[0].document.path).releases.values() if run.readings else ():
            where = release.origin.location
            beside.setdefault(where.file if where else "", set()).add(_told(release))
    known = {told.partition(" ")[0] for releases in beside.values() for told in releases}
    for file, releases in sorted(beside.items()):
        yield from _comment(f"versions, read from {file} each time: {', '.join(sorted(releases, key=_rank))}")
    pinned = sorted((release for release in _elsewhere(work) if release.package not in known), key=lambda release: _rank(release.package))
    words = " ".join(f"{release.package}@{_version(release)}" for release in pinned)
    if words:  # a stack statement holds alone: beside pins that are read it would silence those
        yield from _comment(f"also pinned, in other folders: {words}") if known else [f"stack {words}"]
    elif not known:
        yield "# stack transformers@5.24 torch@2.13  # no pin was found: where versions differ, both count"


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 96, initial_indent="# ", subsequent_indent="#   ", break_long_words=False, break_on_hyphens=False)


def _elsewhere(work: Assembly) -> Iterable[Release]:
    """Exact pins in folders that stand beside those of the configs (``serving/requirements.txt``), where all agree."""
    folders = sorted({path.partition("/")[0] for path in work.files.glob("*/*.*") if not path.startswith(".")})
    found: dict[str, list[Release]] = {}
    for folder in folders:
        for release in stack_beside(work.files, f"{folder}/any").releases.values():
            found.setdefault(release.package, []).append(release)
    alike = (releases for releases in found.values() if len({_told(release) for release in releases}) == 1)
    return [releases[0] for releases in alike if releases[0].exact]


def _version(release: Release) -> str:
    """Without a local part (``2.5.1+cu121``)."""
    return release.low.public if release.low is not None else ""


def _told(release: Release) -> str:
    if release.exact:
        return f"{release.package} {_version(release)}"
    low = f" >= {release.low}" if release.low is not None else ""
    high = f" < {release.high}" if release.high is not None else ""
    return f"{release.package}{low}{high}"


def _rank(told: str) -> tuple[int, str]:
    package = told.partition(" ")[0]
    return SHOWN.index(package) if package in SHOWN else len(SHOWN), package
