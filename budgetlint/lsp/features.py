"""What the editor may ask, and the module that answers: each has ``answer(session, params)``."""

from __future__ import annotations

from typing import Any

FEATURES: dict[str, str] = {
    "textDocument/hover": "hover",
    "textDocument/codeAction": "actions",
    "textDocument/inlayHint": "hints",
    "textDocument/codeLens": "lenses",
    "textDocument/completion": "completion",
    "textDocument/formatting": "formatting",
    "textDocument/definition": "definition",
    "textDocument/documentSymbol": "symbols",
}
"""Method to module of `budgetlint.lsp`."""

_CAPABILITIES: dict[str, Any] = {
    "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
    "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    "hoverProvider": True,
    "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor.rewrite", "source.fixAll.budgetlint"]},
    "completionProvider": {"triggerCharacters": [" ", "="]},
    "documentFormattingProvider": True,
    "definitionProvider": True,
    "documentSymbolProvider": True,
}


def capabilities(*, hints: bool) -> dict[str, Any]:
    """What `initialize` answers (LSP 3.17, "ServerCapabilities"). Code lenses say what inlay hints say: to editors without those."""
    shown: dict[str, Any] = {"inlayHintProvider": True} if hints else {"codeLensProvider": {}}
    return _CAPABILITIES | shown
