"""Configs that something fills in before a trainer reads them: no YAML as they stand, and nothing is wrong with them.

One that a launch opens as it stands stops it, one that is named on the command line is asked about, and a lone one that nothing here
fills in is more likely a value that somebody forgot: these are told as what they are, unparsable. Of the others there is one remark.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from budgetlint.base.expression import expression
from budgetlint.base.finding import Finding, Related, Severity
from budgetlint.base.record import replace
from budgetlint.base.source import SourceFile
from budgetlint.files.wanted import PYTHON_SUFFIX
from budgetlint.resolve.references import place_of
from budgetlint.resolve.state import Assembly

_TEMPLATE = expression(r"\{%-?[ \t]*\w|\{\{[^{}\n]{1,200}\}\}")
_FILLS_IN = ("jinja", "Template(", "envsubst", "gomplate", "chevron")
_SHOWN = 4
"""Other files that the remark points at."""


def is_template(text: str) -> bool:
    """Is an unparsable text one with blocks or fields of Jinja?"""
    return _TEMPLATE.search(text) is not None


def template_findings(work: Assembly) -> Iterator[Finding]:
    """What is said of the templates that a walk met."""
    met = dict(work.project.templates)
    if not met:
        return
    for path in _opened(work):
        if path in met:
            yield met.pop(path)
    if len(met) > 1 or _is_filled_in(work, met):
        yield _remark(met)
    else:
        yield from met.values()


def _opened(work: Assembly) -> Iterator[str]:
    """The files that launches hand to programs."""
    for entry in list(work.project.entries.values()):
        for launch in entry.launches:
            yield from filter(None, (place_of(work, reference) for reference in launch.configs))


def _is_filled_in(work: Assembly, met: Mapping[str, Finding]) -> bool:
    """Is there a program that fills templates in: among what is read of the project, or in the folder of one or above it?"""
    texts = [entry.source.text for entry in work.project.entries.values() if entry.source is not None and entry.path not in met]
    if any(word in text for text in texts for word in _FILLS_IN):
        return True
    folders = dict.fromkeys(folder for path in met for folder in _above(path))
    beside = (path for folder in folders for path in work.files.glob(posixpath.join(folder, f"*{PYTHON_SUFFIX}")))
    return any(isinstance(found := work.files.read(path), SourceFile) and any(word in found.text for word in _FILLS_IN) for path in beside)


def _above(path: str) -> Iterator[str]:
    """The folder of a file, and those above it in the project."""
    folder = posixpath.dirname(path)
    while folder and not folder.startswith(("/", "..")):
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _remark(met: Mapping[str, Finding]) -> Finding:
    first, *others = met.values()
    what = f"{len(met)} files are templates" if others else "this file is a template"
    return replace(
        first,
        severity=Severity.INFO,
        message=f"{what}: nothing in {'them' if others else 'it'} is checked before {'they are' if others else 'it is'} filled in",
        help=f"render {'them' if others else 'it'} first, and check what comes of it",
        related=tuple(Related(one.location, "another one") for one in others[:_SHOWN]),
    )
