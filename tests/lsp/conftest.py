"""A client without an editor: a script of messages in, everything that the server said out."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from budgetlint.lsp.protocol import encoded, read_message
from budgetlint.lsp.server import Server
from budgetlint.lsp.uris import uri_of

Message = dict[str, Any]

SFT = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 4
gradient_accumulation_steps: 2
learning_rate: 1e-4
max_length: 1024
packing: true
lr_scheduler_type: cosine
logging_steps: 10
bf16: true
"""


class Talk:
    """Messages for one session; `run` sends them, shuts the server down and gives what came back."""

    SFT = SFT

    def __init__(self, root: Path, capabilities: Message | None = None) -> None:
        self.root = root
        self.logged: list[str] = []
        self._ids = 0
        self.messages: list[bytes] = []
        self.request("initialize", {"capabilities": capabilities or {}, "rootUri": uri_of(root)})
        self.notify("initialized", {})

    def request(self, method: str, params: Any) -> int:
        self._ids += 1
        self.messages.append(encoded({"id": self._ids, "method": method, "params": params}))
        return self._ids

    def notify(self, method: str, params: Any) -> None:
        self.messages.append(encoded({"method": method, "params": params}))

    def raw(self, data: bytes) -> None:
        self.messages.append(data)

    def uri(self, path: str) -> str:
        return uri_of(self.root / path)

    def open(self, path: str, text: str, version: int = 1) -> dict[str, str]:
        item = {"uri": self.uri(path), "languageId": "yaml", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return {"uri": self.uri(path)}

    def change(self, path: str, version: int, changes: list[Message]) -> None:
        self.notify("textDocument/didChange", {"textDocument": {"uri": self.uri(path), "version": version}, "contentChanges": changes})

    def run(self, *, end: bool = True) -> tuple[list[Message], int]:
        if end:
            self.request("shutdown", None)
            self.notify("exit", None)
        out = io.BytesIO()
        code = Server(io.BytesIO(b"".join(self.messages)), out, self.logged.append).run()
        out.seek(0)
        said: list[Message] = []
        while isinstance(message := read_message(out), dict):
            said.append(message)
        return said, code

    def answer(self, method: str, params: Any) -> Any:
        """The result of one more request."""
        identity = self.request(method, params)
        said, _ = self.run()
        assert not self.logged, self.logged
        found = next(message for message in said if message.get("id") == identity)
        assert "error" not in found, found
        return found["result"]

    def diagnostics(self) -> dict[str, list[Message]]:
        """The last that was said of each file, by path."""
        said, _ = self.run()
        assert not self.logged, self.logged
        return self.last_of(said)

    def last_of(self, said: list[Message]) -> dict[str, list[Message]]:
        told = [message["params"] for message in said if message.get("method") == "textDocument/publishDiagnostics"]
        return {one["uri"].removeprefix(uri_of(self.root) + "/"): one["diagnostics"] for one in told}

    @staticmethod
    def codes(diagnostics: list[Message]) -> list[str]:
        return [one["code"] for one in diagnostics]


@pytest.fixture
def talk(tmp_path: Path) -> Callable[..., Talk]:
    """A session in a folder with these files."""

    def made(capabilities: Message | None = None, **files: str) -> Talk:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Talk(tmp_path, capabilities)

    return made
