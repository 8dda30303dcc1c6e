"""Code actions: the fixes of the findings at a place, remedies, a suppression for each finding, and all safe fixes of a file.

A suppression is offered where it works: the changed text is checked first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from budgetlint.base.finding import Edit, Finding, Safety
from budgetlint.base.record import replace
from budgetlint.base.source import Span
from budgetlint.documents.edit import apply
from budgetlint.engine.fix import fix_all
from budgetlint.files.wanted import SHELL_SUFFIXES
from budgetlint.lsp.card import named_card
from budgetlint.lsp.diagnostics import diagnostics_of
from budgetlint.lsp.edits import whole_text, workspace_edit
from budgetlint.lsp.remedies import QUICK_FIX, REWRITE, remedies_at
from budgetlint.lsp.session import EditorSession, member
from budgetlint.lsp.texts import Text
from budgetlint.results.report import Report

FIX_ALL = "source.fixAll"
COMMENTED = (".yaml", ".yml", ".toml", ".budget", ".py", *SHELL_SUFFIXES)
"""Files in which a comment begins with #."""


def answer(session: EditorSession, params: Any) -> list[dict[str, Any]]:
    """LSP 3.17 ``textDocument/codeAction``."""
    text = session.text(member(params, "textDocument"))
    span = session.positions(text).span(params.get("range"))
    lines = text.source.position(span.start)[0], text.source.position(span.end)[0]
    only = _only(params.get("context"))
    wanted = partial(_wanted, only=only)
    findings = list(_at(session, text, lines)) if wanted(QUICK_FIX) or wanted(REWRITE) else []
    found: list[dict[str, Any]] = []
    if wanted(QUICK_FIX):
        found += [action for finding in findings for action in _fixes(session, text, finding)]
    if wanted(QUICK_FIX) or wanted(REWRITE):
        found += remedies_at(session, text, lines, findings, wanted)
    if wanted(QUICK_FIX):
        found += [action for finding in findings if (action := _suppression(session, text, finding))]
    if wanted(FIX_ALL):
        found += _fix_all(session, text)
    return found


def _only(context: Any) -> list[str] | None:
    """The kinds that the editor wants; None for every kind."""
    only = context.get("only") if isinstance(context, Mapping) else None
    return [kind for kind in only if isinstance(kind, str)] if isinstance(only, list) else None


def _wanted(kind: str, only: list[str] | None) -> bool:
    """Kinds are hierarchical: ``source`` asks for ``source.fixAll`` too. What works on a whole file is offered on request."""
    if only is None:
        return kind in (QUICK_FIX, REWRITE)
    return any(kind == asked or kind.startswith(f"{asked}.") or not asked for asked in only)


def _at(session: EditorSession, text: Text, lines: tuple[int, int]) -> Iterator[Finding]:
    """The findings on the lines of a range: a finding stands on its value, a cursor often on the key."""
    for finding in session.checked(text).report.findings:
        at = finding.location
        if at.file == text.path and at.line <= lines[1] and lines[0] <= at.end_line:
            yield finding


def _fixes(session: EditorSession, text: Text, finding: Finding) -> Iterator[dict[str, Any]]:
    for fix in finding.fixes:
        edit = workspace_edit(session, text, fix.edits) if fix.edits else None
        if edit is not None:
            careful = "" if fix.safety is Safety.SAFE else " (changes the run)"
            yield _action(session, text, finding, f"{fix.title}{careful}", edit) | {"isPreferred": fix.safety is Safety.SAFE}
    named = named_card(session, text, finding) if _takes_comments(text) else None
    if named is not None:
        yield _action(session, text, finding, named["title"], named["edit"])


def _action(session: EditorSession, text: Text, finding: Finding, title: str, edit: dict[str, Any]) -> dict[str, Any]:
    places = partial(session.place_beside, text)
    return {"title": title, "kind": QUICK_FIX, "edit": edit, "diagnostics": diagnostics_of([finding], text.path, places)}


def _takes_comments(text: Text) -> bool:
    return text.path.lower().endswith(COMMENTED)


def _suppression(session: EditorSession, text: Text, finding: Finding) -> dict[str, Any] | None:
    """A comment line above, as far in as the line that it is about."""
    if not _takes_comments(text) or finding.code.startswith("BL0"):
        return None
    line = text.source.line(finding.location.line)
    indent = line[: len(line) - len(line.lstrip())]
    start = text.source.line_span(finding.location.line).start
    edit = Edit(text.path, Span(start, start), f"{indent}# budgetlint: allow-next {finding.name} say why\n")
    if not _silences(session, text, finding, edit):
        return None
    changes = workspace_edit(session, text, [edit])
    return _action(session, text, finding, f"allow {finding.name} here", changes) if changes else None


def _silences(session: EditorSession, text: Text, finding: Finding, edit: Edit) -> bool:
    before = session.alone(text).report
    after = session.tried(text, {text.path: apply(text.source.text, [edit])})
    gone = _count(after.findings, finding) < _count(before.findings, finding)
    return gone and len(after.findings) < len(before.findings)


def _count(findings: tuple[Finding, ...], like: Finding) -> int:
    return sum(1 for one in findings if one.fingerprint == like.fingerprint)


def _fix_all(session: EditorSession, text: Text) -> Iterator[dict[str, Any]]:
    fixed = fix_all(_fixable(session.alone(text).report, text), lambda texts: _fixable(session.tried(text, texts), text))
    new = fixed.texts.get(text.path)
    if new is not None and set(fixed.texts) == {text.path}:
        edit = {"changes": {text.uri: whole_text(session, text, new)}}
        yield {"title": "apply all safe fixes of budgetlint", "kind": f"{FIX_ALL}.budgetlint", "edit": edit}


def _fixable(report: Report, text: Text) -> Report:
    """The same findings, with the fixes of one text only: nobody wants another file changed when this one is saved."""
    findings = (one if one.location.file == text.path else replace(one, fixes=()) for one in report.findings)
    return replace(report, findings=tuple(findings))
