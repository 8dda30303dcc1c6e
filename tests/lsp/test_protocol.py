"""Messages: framed, malformed, out of order, cancelled. Nothing stops the server but the end."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from budgetlint.lsp.protocol import encoded

Made = Callable[..., Any]


def _frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (_frame(b"{"), -32700),
        (_frame(b" " * (65 * 2**20)), -32600),
        (_frame(b"\xff\xfe"), -32700),
        (_frame(b"[" * 100_000), -32700),
        (_frame(b"[]"), -32600),
        (_frame(b"3"), -32600),
        (_frame(b"{}"), -32600),
        (_frame(b'{"method": 3}'), -32600),
        (_frame(b'{"id": {}, "method": "x"}'), -32600),
        (encoded({"id": "a", "method": "no/such"}), -32601),
        (encoded({"id": "a", "method": "initialize", "params": {}}), -32600),
        (encoded({"id": "a", "method": "textDocument/hover", "params": None}), -32602),
        (encoded({"id": "a", "method": "textDocument/hover", "params": {"textDocument": {"uri": 3}}}), -32602),
        (encoded({"id": "a", "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///gone"}}}), -32602),
    ],
)
def test_what_cannot_be_answered_has_its_error_and_the_rest_goes_on(data: bytes, code: int, talk: Made) -> None:
    session = talk()
    session.raw(data)
    session.open("sft.yaml", session.SFT)
    said, ended = session.run()
    assert [one["error"]["code"] for one in said if "error" in one] == [code]
    assert any(one.get("method") == "textDocument/publishDiagnostics" for one in said)
    assert ended == 0
    assert not session.logged


@pytest.mark.parametrize(
    "data",
    [
        b"garbage\r\n",
        b"\r\n\r\n",
        b"Content-Length: x\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n",
        encoded({"method": "no/such", "params": 3}),
        encoded({"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///gone"}, "contentChanges": []}}),
        encoded({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///x.yaml"}}}),
        encoded({"method": "$/cancelRequest", "params": {"id": []}}),
        encoded({"id": 99, "result": None}),
    ],
)
def test_what_needs_no_answer_gets_none(data: bytes, talk: Made) -> None:
    session = talk()
    session.raw(data)
    identity = session.request("textDocument/documentSymbol", {"textDocument": session.open("sft.yaml", session.SFT)})
    said, ended = session.run()
    assert [one["result"][0]["name"] for one in said if one.get("id") == identity] == ["model_name_or_path"]
    assert not [one for one in said if "error" in one]
    assert ended == 0


def test_before_initialize(talk: Made) -> None:
    session = talk()
    session.messages.insert(0, encoded({"id": "early", "method": "textDocument/hover", "params": {}}))
    said, _ = session.run()
    assert said[0] == {"jsonrpc": "2.0", "id": "early", "error": {"code": -32002, "message": "initialize comes first"}}


@pytest.mark.parametrize(("shutdown", "code"), [(True, 0), (False, 1)])
def test_the_exit_code(shutdown: bool, code: int, talk: Made) -> None:
    session = talk()
    if not shutdown:
        session.notify("exit", None)
    assert session.run(end=shutdown)[1] == code


def test_the_client_goes_away(talk: Made) -> None:
    session = talk()
    session.raw(b"Content-Length: 50\r\n\r\n{")
    assert session.run(end=False)[1] == 1


def test_a_length_that_no_message_has_ends_the_server(talk: Made) -> None:
    session = talk()
    session.raw(b"Content-Length: 99999999999999\r\n\r\n")
    assert session.run(end=False)[1] == 1


def test_after_shutdown_nothing_is_answered(talk: Made) -> None:
    session = talk()
    session.request("shutdown", None)
    late = session.request("textDocument/hover", {})
    session.notify("exit", None)
    said, code = session.run(end=False)
    assert [one["error"]["code"] for one in said if one.get("id") == late] == [-32600]
    assert code == 0


def test_a_cancelled_request_is_not_worked_on(talk: Made) -> None:
    session = talk()
    session.raw(encoded({"method": "$/cancelRequest", "params": {"id": "later"}}))
    session.raw(encoded({"id": "later", "method": "textDocument/hover", "params": {}}))
    said, _ = session.run()
    assert [one["error"]["code"] for one in said if one.get("id") == "later"] == [-32800]


def test_diagnostics_come_before_the_shutdown_is_answered(talk: Made) -> None:
    session = talk()
    session.open("sft.yaml", session.SFT + "fp16: true\n")
    said, _ = session.run()
    kinds = [one.get("method") or ("initialize" if "capabilities" in (one["result"] or {}) else "shutdown") for one in said]
    assert kinds == ["initialize", "textDocument/publishDiagnostics", "shutdown"]


METHODS = (
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave", "textDocument/hover",
    "textDocument/codeAction", "textDocument/inlayHint", "textDocument/codeLens", "textDocument/completion", "textDocument/formatting",
    "textDocument/definition", "textDocument/documentSymbol", "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders",
    "$/cancelRequest", "initialized", "initialize", "no/such",
)  # fmt: skip


KEYS = ("uri", "textDocument", "position", "range", "start", "end", "line", "character", "text", "x", "event")


def _any(chance: random.Random, depth: int = 3) -> Any:
    """Some JSON: what a message might hold, and what it might not."""
    plain = (None, True, -1, 0, 7, 2**40, 1.5, "", "file:///x/a.yaml", "file://[", "untitled:a", "learning_rate: 1\n", "\ud83d", "é𝄞")
    kind = chance.random()
    if depth and kind < 0.4:
        return {chance.choice(KEYS): _any(chance, depth - 1) for _ in range(chance.randrange(4))}
    if depth and kind < 0.55:
        return [_any(chance, depth - 1) for _ in range(chance.randrange(3))]
    return chance.choice(plain)


@pytest.mark.slow
def test_five_thousand_malformed_messages(talk: Made) -> None:
    chance = random.Random(7)
    session = talk()
    document = session.open("sft.yaml", session.SFT)
    for number in range(5000):
        params = _any(chance)
        if isinstance(params, dict) and chance.random() < 0.5:
            params["textDocument"] = document | {"version": number, "text": chance.choice(("", session.SFT, 3))}
        message = {"method": chance.choice(METHODS), "params": params} | ({"id": f"m{number}"} if chance.random() < 0.5 else {})
        data = json.dumps(message).encode()
        if chance.random() < 0.1:
            data = data[: chance.randrange(len(data))]
        session.raw(_frame(data))
    session.messages = [one for one in session.messages if b'"shutdown"' not in one]
    last = session.request("textDocument/documentSymbol", {"textDocument": session.open("b.yaml", session.SFT)})
    said, code = session.run()
    assert code == 0
    assert not session.logged, session.logged[0]
    assert [len(one["result"]) for one in said if one.get("id") == last] == [session.SFT.count("\n")]
