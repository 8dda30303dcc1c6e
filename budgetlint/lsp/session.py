"""What the server knows: the folders, the open texts, what their last check said. It answers; `server` talks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from budgetlint.base.finding import Finding
from budgetlint.base.source import SourceFile
from budgetlint.lsp.diagnostics import diagnostics_of
from budgetlint.lsp.places import folders, is_searched, placed
from budgetlint.lsp.positions import UTF_16, Positions
from budgetlint.lsp.protocol import INVALID_PARAMS, ResponseError
from budgetlint.lsp.texts import Text, changed, too_large
from budgetlint.lsp.uris import path_of, uri_of
from budgetlint.lsp.workspace import CheckedWorkspace, Workspace

if TYPE_CHECKING:
    from budgetlint.results.report import Report


MANY = 20
"""A check of all open texts takes about 1.3 ms for each: with more of them the one that is typed in is checked first."""


class EditorSession:
    """One editor. Methods named after the protocol's notifications take their parameters."""

    def __init__(self, roots: list[Path], encoding: str = UTF_16, *, markdown: bool = True) -> None:
        self.encoding = encoding
        self.markdown = markdown
        self.roots = folders(roots)
        self.texts: dict[str, Text] = {}
        self._workspaces: dict[Path, Workspace] = {}
        self._checked: dict[Path, CheckedWorkspace] = {}
        self._stale: set[Path] = set()
        self._untold = False
        self._published: dict[str, Any] = {}
        self._typed: str | None = None
        self._moves = 0
        self._alone: tuple[str, int, CheckedWorkspace] | None = None

    # -- notifications --------------------------------------------------------------------------------------------------

    def opened(self, params: Any) -> None:
        document = member(params, "textDocument")
        uri, text = document.get("uri"), document.get("text")
        if not isinstance(uri, str) or not isinstance(text, str):
            raise ResponseError(INVALID_PARAMS, "an opened document has a uri and a text")
        root, path = placed(uri, document.get("languageId"), self.roots)
        version = document.get("version")
        self.texts[uri] = Text(uri, root, path, SourceFile(path, text), version if type(version) is int else None)
        self._workspace(root).forget_disk()
        self._moved(root)

    def changed(self, params: Any) -> None:
        document = member(params, "textDocument")
        text = self.text(document)
        self.texts[text.uri] = changed(text, document.get("version"), params.get("contentChanges"), self.encoding)
        self._moved(text.root, typed=text.uri)

    def closed(self, params: Any) -> None:
        text = self.text(member(params, "textDocument"))
        del self.texts[text.uri]
        self.disk_changed()

    def disk_changed(self) -> None:
        """A file was saved, made, renamed or deleted."""
        for workspace in self._workspaces.values():
            workspace.forget_disk()
        self._moved(*self._workspaces)

    def folders_changed(self, added: list[Path], removed: list[Path]) -> None:
        """Texts of a folder that goes are judged where they lie."""
        self.roots = folders([*(root for root in self.roots if root not in removed), *added])
        self.texts = {uri: self._placed_anew(text) for uri, text in self.texts.items()}
        self._moved(*self._workspaces, *(text.root for text in self.texts.values()))
        self._workspaces.clear()

    def _moved(self, *roots: Path, typed: str | None = None) -> None:
        """What was known of these folders is old. ``typed``: because of this text alone."""
        self._typed = typed if not self._stale or self._typed == typed else None
        self._moves += 1
        self._stale.update(roots)

    def _placed_anew(self, text: Text) -> Text:
        root, path = placed(text.uri, None, self.roots)
        if path_of(text.uri) is None:
            path = text.path
        return Text(text.uri, root, path, SourceFile(path, text.source.text), text.version)

    def give_up(self) -> None:
        """Nothing more is known of what could not be checked, until it changes."""
        self._stale.clear()
        self._untold = False

    # -- what is asked about ----------------------------------------------------------------------------------------------

    def text(self, document: Mapping[str, Any]) -> Text:
        """The open text that a message is about."""
        text = self.texts.get(document.get("uri", "")) if isinstance(document.get("uri"), str) else None
        if text is None:
            raise ResponseError(INVALID_PARAMS, "this document is not open")
        return text

    def checked(self, text: Text) -> CheckedWorkspace:
        """What is known of the text as it is now."""
        if self.hurried is text:
            return self.alone(text)
        if text.root in self._stale or text.root not in self._checked:
            self._check(text.root)
        return self._checked[text.root]

    def alone(self, text: Text) -> CheckedWorkspace:
        """The runs of one text as it is now, whatever else is open: all that is said of it."""
        if self._alone is None or self._alone[:2] != (text.uri, self._moves):
            checked = self._workspace(text.root).check(self._sources(text.root), frozenset({text.path}))
            self._alone = (text.uri, self._moves, checked)
        return self._alone[2]

    def tried(self, text: Text, texts: Mapping[str, str]) -> Report:
        """What a check of `alone` would say if files of the same folder had these texts."""
        changed = {path: SourceFile(path, new) for path, new in texts.items()}
        return self._workspace(text.root).check(self._sources(text.root) | changed, frozenset({text.path})).report

    def positions(self, text: Text) -> Positions:
        return Positions(text.source, self.encoding)

    def place_beside(self, text: Text, path: str) -> tuple[str, Positions] | None:
        """URI and positions of a file, open or not, of the same folder as an open text."""
        return self._place(text.root, path, self.checked(text), self._in(text.root))

    def _place(self, root: Path, path: str, checked: CheckedWorkspace, texts: Mapping[str, Text]) -> tuple[str, Positions] | None:
        opened = texts.get(path)
        if opened is not None:
            return opened.uri, Positions(opened.source, self.encoding)
        source = checked.report.sources.get(path) or checked.files.read(path)
        whole = Path(os.path.normpath(root / path))
        if not isinstance(source, SourceFile) or not whole.is_file():
            return None
        return uri_of(whole), Positions(source, self.encoding)

    # -- diagnostics --------------------------------------------------------------------------------------------------------

    @property
    def stale(self) -> bool:
        """Is there a text that was not checked as it is now, or a check that the editor was not told of?"""
        return bool(self._stale) or self._untold

    @property
    def hurried(self) -> Text | None:
        """The text that somebody types in, where so many are open that a check of all would keep them waiting."""
        text = self.texts.get(self._typed) if self._typed is not None and self._stale else None
        return text if len(self.texts) > MANY else None

    def published_first(self) -> Iterator[dict[str, Any]]:
        """As `published`, only of the text that is typed in; the others are as stale as before."""
        text = self.hurried
        if text is not None:
            yield from self._told(text.uri, dict(self._diagnostics(text.root, self.alone(text))).get(text.uri, []))

    def published(self) -> Iterator[dict[str, Any]]:
        """Check what changed; the parameters of ``textDocument/publishDiagnostics`` of each file whose diagnostics are others."""
        for root in sorted(self._stale):
            self._check(root)
        self._untold = False
        now = {uri: found for root, checked in self._checked.items() for uri, found in self._diagnostics(root, checked)}
        for uri in sorted({*now, *self._published, *self.texts}):
            yield from self._told(uri, now.get(uri, []))
        self._published = {uri: told for uri, told in self._published.items() if told[0] or uri in self.texts}

    def _told(self, uri: str, found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """What the editor does not know yet."""
        text = self.texts.get(uri)
        told = (found, text.version if text else None)
        if self._published.get(uri, None if text else ([], None)) != told:
            version = {} if text is None or text.version is None else {"version": text.version}
            yield {"uri": uri, "diagnostics": found, **version}
        self._published[uri] = told

    def _diagnostics(self, root: Path, checked: CheckedWorkspace) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        texts = self._in(root)
        by_file: dict[str, list[Finding]] = {}
        for finding in checked.report.findings:
            by_file.setdefault(finding.location.file, []).append(finding)
        places = {path: self._place(root, path, checked, texts) for path in _mentioned(checked.report.findings)}
        for path, findings in by_file.items():
            place = places.get(path)
            if place is not None:
                yield place[0], diagnostics_of(findings, path, places.get)

    def _check(self, root: Path) -> None:
        """A folder in which nothing is open any more is forgotten."""
        if self._in(root):
            self._checked[root] = self._workspace(root).check(self._sources(root))
        else:
            self._checked.pop(root, None)
            self._workspaces.pop(root, None)
        self._stale.discard(root)
        self._untold = True

    def _in(self, root: Path) -> dict[str, Text]:
        """The open texts of a folder, by path."""
        return {text.path: text for text in self.texts.values() if text.root == root}

    def _sources(self, root: Path) -> dict[str, SourceFile]:
        return {path: text.source for path, text in self._in(root).items() if not too_large(text.source)}

    def _workspace(self, root: Path) -> Workspace:
        if root not in self._workspaces:
            self._workspaces[root] = Workspace(root, deep=is_searched(root, self.roots))
        return self._workspaces[root]


def _mentioned(findings: tuple[Finding, ...]) -> set[str]:
    return {at.file for one in findings for at in (one.location, *(related.location for related in one.related))}


def member(params: Any, name: str) -> Mapping[str, Any]:
    found = params.get(name) if isinstance(params, Mapping) else None
    if not isinstance(found, Mapping):
        raise ResponseError(INVALID_PARAMS, f"the parameters have no {name}")
    return found
