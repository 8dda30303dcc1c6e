"""Who reads each file of a project: what a launch names, what a program of the project opens, what one strict program alone can read.

A framework's defaults are claimed for the program that reads a file, never for a look of its keys. A file of the Hugging Face family is
read by its keys alone only where no program is here that could read it: then its run says so.
"""

from __future__ import annotations

from budgetlint.files.disk import Files
from budgetlint.resolve.claims.files import FileClaims
from budgetlint.resolve.claims.launches import Launches
from budgetlint.resolve.claims.openers import Openers
from budgetlint.resolve.claims.programs import Programs, tells
from budgetlint.resolve.project import Project
from budgetlint.resolve.state import Assembly

__all__ = ["claim_all", "kinds_of_programs", "tells"]


def claim_all(work: Assembly) -> None:
    """Give every file of the project, and every one that is read later, its consumer."""
    started = Launches(work)
    written = Programs(work, started)
    openers = Openers(work, started, written)
    work.asks_for_model = openers.is_open
    claims = FileClaims(work, started, written, openers)
    work.own = started.launch
    project = work.project
    for entry in list(project.entries.values()):
        with project.contained("reading", entry.path):
            project.entries[entry.path] = claims.file(entry)
    project.claim = claims.file


def kinds_of_programs(files: Files) -> frozenset[tuple[bool, str, str]]:
    """What trains in a project, as far as it decides about files that nobody names: programs that are not followed, and the formats and
    names of those that are known."""
    listed = tuple(files.expand(["."]))
    work = Assembly(Project(files, listed=listed))
    return frozenset((one.followed, format, one.program if format else "") for one, format in Programs(work, Launches(work)).all)
