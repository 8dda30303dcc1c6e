"""The server's loop: one message after the other, and diagnostics as soon as nothing else is waiting.

A thread reads, so that a keystroke which comes during a check is seen before the next one, and a request that was cancelled is not
worked on. Source of the order of messages: Language Server Protocol 3.17, "Server lifecycle".
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from budgetlint import __version__
from budgetlint.base.plain_text import one_line
from budgetlint.isolation import search_path
from budgetlint.lsp import protocol
from budgetlint.lsp.client import Client, client_of, watching
from budgetlint.lsp.features import FEATURES, capabilities
from budgetlint.lsp.protocol import Broken, Message, ResponseError, encoded, failure, notification, read_message, response
from budgetlint.lsp.session import EditorSession
from budgetlint.lsp.uris import path_of

QUIET_SECONDS, QUIET_FOR_EACH, LONGEST_QUIET = 0.02, 0.0005, 0.25
"""So long nothing may come before what changed is checked: a burst of keystrokes is one check, and an editor that opens a thousand files
is waited for, since each of them makes the check longer."""

REST_SECONDS = 1.0
"""So long nobody may type before everything is checked, where the text that is typed in was checked first."""

MOST_CANCELLED = 1000
"""Editors take back what was answered already: so many are remembered. One that is forgotten is answered, which the protocol allows."""

Arrived = Message | Broken | None


class Server:
    """``log`` gets the traceback of a bug."""

    def __init__(self, reading: BinaryIO, writing: BinaryIO, log: Callable[[str], None]) -> None:
        self._reading, self._writing, self._log = reading, writing, log
        self._arrived: queue.Queue[Arrived] = queue.Queue()
        self._cancelled: set[Any] = set()
        self._session: EditorSession | None = None
        self._client: Client | None = None
        self._asked = 0
        self._shut = False

    def run(self) -> int:
        """Serve until the client says exit or goes away; the exit code that the protocol asks for."""
        threading.Thread(target=self._read, daemon=True).start()
        while True:
            message = self._next()
            if message is None and self._session is None:
                return 0  # nobody ever spoke
            if message is None or (isinstance(message, Broken) and message.fatal):
                return 0 if self._shut else 1
            if isinstance(message, Broken):
                self._send(failure(None, message.code, message.why))
            elif message.get("method") == "exit":
                return 0 if self._shut else 1
            elif "method" in message:
                self._take(message)

    def _read(self) -> None:
        while True:
            message = read_message(self._reading)
            if isinstance(message, dict) and message.get("method") == "$/cancelRequest":
                self._cancel(message.get("params"))
                continue
            self._arrived.put(message)
            if message is None or (isinstance(message, Broken) and message.fatal):
                return

    def _cancel(self, params: Any) -> None:
        identity = params.get("id") if isinstance(params, dict) else None
        if len(self._cancelled) > MOST_CANCELLED:
            self._cancelled.clear()
        if isinstance(identity, (int, str)):
            self._cancelled.add(identity)

    def _next(self) -> Arrived:
        """The next message; while none is there, what changed is checked."""
        for quiet, publish in self._pauses():
            try:
                return self._arrived.get(timeout=quiet)
            except queue.Empty:
                publish()
        return self._arrived.get()

    def _pauses(self) -> Iterator[tuple[float, Callable[[], None]]]:
        """How long to wait, and what to do when nothing came."""
        session = self._session
        if session is None or not session.stale:
            return
        if session.hurried is not None:
            yield QUIET_SECONDS, lambda: self._tell(session.published_first)
            yield REST_SECONDS, self._publish
        else:
            yield min(LONGEST_QUIET, QUIET_SECONDS + QUIET_FOR_EACH * len(session.texts)), self._publish

    # -- messages -------------------------------------------------------------------------------------------------------------

    def _take(self, message: Message) -> None:
        method, identity = message["method"], message.get("id")
        asks = "id" in message
        try:
            if asks and identity in self._cancelled:
                raise ResponseError(protocol.CANCELLED, "cancelled")
            result = None
            if asks:
                result = self._answer(method, message.get("params"))
            else:
                self._note(method, message.get("params"))
        except ResponseError as refusal:
            if asks:
                self._send(failure(identity, refusal.code, str(refusal)))
        except Exception as error:  # a bug here must not take the editor's server away
            self._report(method)
            if asks:
                self._send(failure(identity, protocol.INTERNAL_ERROR, one_line(f"{type(error).__name__}: {error}")))
        else:
            if asks:
                self._send(response(identity, result))
        self._cancelled.discard(identity)

    def _answer(self, method: str, params: Any) -> Any:
        if method == "initialize":
            return self._initialize(params)
        if self._session is None:
            raise ResponseError(protocol.NOT_INITIALIZED, "initialize comes first")
        if self._shut:
            raise ResponseError(protocol.INVALID_REQUEST, "the server was shut down")
        if method == "shutdown":
            self._publish()
            self._shut = True
            return None
        if method not in FEATURES:
            raise ResponseError(protocol.METHOD_NOT_FOUND, f"{method} is not known here")
        module = import_module(f"budgetlint.lsp.{FEATURES[method]}")
        return module.answer(self._session, params)

    def _note(self, method: str, params: Any) -> None:
        session = self._session
        if session is None or self._shut:
            return
        if method == "textDocument/didOpen":
            session.opened(params)
        elif method == "textDocument/didChange":
            session.changed(params)
        elif method == "textDocument/didClose":
            session.closed(params)
        elif method in ("textDocument/didSave", "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration"):
            session.disk_changed()
        elif method == "workspace/didChangeWorkspaceFolders":
            event = params.get("event") if isinstance(params, dict) else None
            session.folders_changed(_roots_in(event, "added"), _roots_in(event, "removed"))
        elif method == "initialized":
            self._start()

    def _initialize(self, params: Any) -> Any:
        if self._session is not None:
            raise ResponseError(protocol.INVALID_REQUEST, "initialize comes once")
        if not isinstance(params, dict):
            raise ResponseError(protocol.INVALID_PARAMS, "initialize has parameters")
        for root in _roots(params):
            search_path.check(str(root))  # before any plugin is loaded
        self._client = client_of(params)
        self._session = EditorSession(_roots(params), self._client.encoding, markdown=self._client.markdown)
        return {
            "capabilities": {**capabilities(hints=self._client.hints), "positionEncoding": self._client.encoding},
            "serverInfo": {"name": "budgetlint", "version": __version__},
        }

    def _start(self) -> None:
        """What the first check needs is loaded while the editor draws its window."""
        if self._client is not None and self._client.watches:
            self._ask("client/registerCapability", watching())
        _warm_up()

    # -- output -------------------------------------------------------------------------------------------------------------------

    def _publish(self) -> None:
        if self._session is None or self._shut or not self._session.stale:
            return
        self._tell(self._session.published)
        if self._client is not None and len(self._session.texts) > 1:
            for method in self._client.refreshes:
                self._ask(method, None)

    def _tell(self, published: Callable[[], Iterator[dict[str, Any]]]) -> None:
        try:
            for params in published():
                self._send(notification("textDocument/publishDiagnostics", params))
        except Exception:
            if self._session is not None:
                self._session.give_up()  # else the same text is checked again and again
            self._report("a check")

    def _ask(self, method: str, params: Any) -> None:
        """A request whose answer says nothing that matters."""
        self._asked += 1
        self._send({"id": f"budgetlint-{self._asked}", "method": method, "params": params})

    def _report(self, what: str) -> None:
        import traceback

        self._log(f"{what} failed: a bug in budgetlint\n{traceback.format_exc()}")

    def _send(self, message: Message) -> None:
        self._writing.write(encoded(message))
        self._writing.flush()


def _warm_up() -> None:
    for name in ("resolve.runs", "rules_api.context", "engine.check", "resolve.related_files", "resolve.membership", "resolve.judged_runs"):
        import_module(f"budgetlint.{name}")
    import_module("budgetlint.engine.registry").installed()


def _roots(params: dict[str, Any]) -> list[Path]:
    """The workspace's folders; else its root, by URI or, of old, by path."""
    folders = _roots_in(params, "workspaceFolders")
    if folders:
        return folders
    root, old = params.get("rootUri"), params.get("rootPath")
    path = path_of(root) if isinstance(root, str) else Path(old) if isinstance(old, str) else None
    return [path] if path is not None else []


def _roots_in(params: Any, name: str) -> list[Path]:
    folders = params.get(name) if isinstance(params, dict) else None
    uris = [folder.get("uri") for folder in folders if isinstance(folder, dict)] if isinstance(folders, list) else []
    return [path for uri in uris if isinstance(uri, str) and (path := path_of(uri)) is not None]
