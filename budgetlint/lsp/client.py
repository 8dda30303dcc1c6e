"""What the editor at the other end can do, by the capabilities that it names (LSP 3.17, "ClientCapabilities")."""

from __future__ import annotations

from typing import Any

from budgetlint.base.record import record
from budgetlint.lsp.positions import chosen
from budgetlint.lsp.protocol import Message

WATCHED = (
    "**/*.{yaml,yml,json,conf,toml,budget,sh,bash,slurm,sbatch,mk,dockerfile,py,lock}",
    "**/{requirements*.txt,Makefile,GNUmakefile,Dockerfile*,Containerfile*,setup.cfg,Pipfile}",
)
"""Files that a run is made of, or that say its versions: what is saved elsewhere counts too."""

REFRESHED = {"inlayHint": "workspace/inlayHint/refresh", "codeLens": "workspace/codeLens/refresh"}
"""A budget in one window changes the verdicts in another."""


@record
class Client:
    """``markdown``: in a hover. ``hints``: inlay hints. ``watches``: files, for a server that asks for it. ``refreshes``: the requests
    after which it asks for verdicts again."""

    encoding: str
    markdown: bool
    hints: bool
    watches: bool
    refreshes: tuple[str, ...]


def client_of(params: dict[str, Any]) -> Client:
    """Of the parameters of ``initialize``."""
    refreshes = (method for name, method in REFRESHED.items() if told(params, "workspace", name).get("refreshSupport") is True)
    return Client(
        encoding=chosen(told(params, "general").get("positionEncodings")),
        markdown="markdown" in _listed(told(params, "textDocument", "hover").get("contentFormat"), ["markdown"]),
        hints="inlayHint" in told(params, "textDocument"),
        watches=told(params, "workspace", "didChangeWatchedFiles").get("dynamicRegistration") is True,
        refreshes=tuple(refreshes),
    )


def told(params: Any, *names: str) -> dict[str, Any]:
    found = params.get("capabilities") if isinstance(params, dict) else None
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _listed(value: Any, unsaid: list[str]) -> list[Any]:
    return value if isinstance(value, list) else unsaid


def watching() -> Message:
    """LSP 3.17 ``client/registerCapability`` for ``workspace/didChangeWatchedFiles``."""
    method = "workspace/didChangeWatchedFiles"
    options = {"watchers": [{"globPattern": pattern} for pattern in WATCHED]}
    return {"registrations": [{"id": "budgetlint-files", "method": method, "registerOptions": options}]}
