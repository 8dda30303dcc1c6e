"""JSON-RPC as the Language Server Protocol 3.17 frames it ("Base Protocol"): headers, an empty line, a JSON body.

Whatever a client sends, reading goes on: what is no message comes back as `Broken`, with the answer that the protocol has for it.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from budgetlint.base.record import record

LARGEST, ABSURD = 64 * 2**20, 2**31
"""A body beyond the first is passed over: no config is that long. Behind the second is no message: waiting for it would be a hang."""

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NOT_INITIALIZED, CANCELLED = -32002, -32800

Message = dict[str, Any]


class ResponseError(Exception):
    """A request that cannot be answered: the error of its response."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@record
class Broken:
    """Something that is no message; ``fatal`` where nobody can tell where the next one begins."""

    code: int
    why: str
    fatal: bool = False


def read_message(stream: BinaryIO) -> Message | Broken | None:
    """The next message; None at the end of the stream. Blocks until it is whole."""
    length = _length(stream)
    if length is None:
        return None
    if length > LARGEST:
        return _passed_over(stream, length)
    body = stream.read(length)
    if len(body) < length:
        return None
    return decoded(body)


def _passed_over(stream: BinaryIO, length: int) -> Broken:
    fatal = length > ABSURD
    left = 0 if fatal else length
    while left and (piece := stream.read(min(left, 2**20))):
        left -= len(piece)
    return Broken(INVALID_REQUEST, f"a message of {length:,} bytes; at most {LARGEST:,} are read", fatal)


def _length(stream: BinaryIO) -> int | None:
    """The length that the headers state. Lines that are no header are passed over until one is."""
    length: int | None = None
    while line := stream.readline(4096):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = _number(value)
        elif not line.strip() and length is not None:
            return length
    return None


def _number(value: bytes) -> int | None:
    text = value.strip()
    return int(text) if text.isdigit() and len(text) < 20 else None


def decoded(body: bytes) -> Message | Broken:
    """A JSON object with the protocol's members, or what is wrong with it."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        return Broken(PARSE_ERROR, f"not JSON: {error}")
    if not isinstance(message, dict):
        return Broken(INVALID_REQUEST, f"a message is a JSON object, not {type(message).__name__}")
    if not isinstance(message.get("id", 0), (int, str)) and not ("error" in message and message["id"] is None):
        return Broken(INVALID_REQUEST, "the id of a request is a number or a text")
    if not isinstance(message.get("method"), str) and not ("id" in message and ("result" in message or "error" in message)):
        return Broken(INVALID_REQUEST, "a message names its method")
    return message


def encoded(message: Message) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def response(identity: Any, result: Any) -> Message:
    return {"id": identity, "result": result}


def failure(identity: Any, code: int, why: str) -> Message:
    return {"id": identity, "error": {"code": code, "message": why}}


def notification(method: str, params: Any) -> Message:
    return {"method": method, "params": params}
