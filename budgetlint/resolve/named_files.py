"""The files that a statement of a budget names: paths and patterns are relative to the folder of the budget that they stand in."""

from __future__ import annotations

import posixpath

from budgetlint.files.disk import Files
from budgetlint.isolation.boundary import LEADS_OUT
from budgetlint.language.budget import ConfigRef, Reads


def matches(files: Files, ref: ConfigRef | Reads) -> tuple[list[str], str]:
    """The files that a ``config`` or ``reads`` names; of none, why."""
    whole = posixpath.normpath(posixpath.join(ref.base, ref.path))
    if any(char in ref.path for char in "*?["):
        paths = files.glob(whole)
        return paths, "" if paths else LEADS_OUT if files.leads_out(posixpath.dirname(whole)) else "matches no file"
    if files.exists(whole):
        return [whole], ""
    return [], LEADS_OUT if files.leads_out(whole) else "does not exist"
