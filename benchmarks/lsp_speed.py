"""What the language server costs: ``python benchmarks/lsp_speed.py [--files 1000]``.

CPU time, user and system, of a server process (``budgetlint lsp``) that a client of a few lines talks to, and its peak resident
memory:

- *first diagnostic*: from the start of the process to the diagnostics of one opened config, the cheapest of some repeats;
  and the same with a budget in its folder;
- *a keystroke*: one character more or less in a config of 300 lines, to the diagnostics of the new text, the mean of many;
- *a workspace*: the folder with the files of ``read_speed.py`` and one of them opened, and all of them opened one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from read_speed import TEMPLATES, write_files

MIB = 2**20
BUDGET = "device rtx-4090\nreserve 1GiB\n"


class Client:
    """Speaks to one server; keeps the last diagnostics of each file."""

    def __init__(self, command: list[str], environment: dict[str, str], root: Path) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=root)
        assert self.process.stdin
        assert self.process.stdout
        self._to, self._from = self.process.stdin, self.process.stdout
        self.versions: dict[str, int] = {}
        self._ids = 0
        self.ask("initialize", {"capabilities": {}, "rootUri": root.as_uri(), "processId": None})
        self.tell("initialized", {})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._to.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._to.flush()

    def _receive(self) -> dict[str, Any]:
        length = 0
        while (line := self._from.readline()).strip():
            length = int(line.partition(b":")[2])
        message: dict[str, Any] = json.loads(self._from.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.versions[message["params"]["uri"]] = message["params"].get("version", 0)
        return message

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self._ids += 1
        self._send({"id": self._ids, "method": method, "params": params})
        while (message := self._receive()).get("id") != self._ids or "method" in message:
            pass
        assert "error" not in message, message
        return message["result"]

    def open(self, path: Path, version: int = 1) -> str:
        uri = path.as_uri()
        item = {"uri": uri, "languageId": "yaml", "version": version, "text": path.read_text(encoding="utf-8")}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return uri

    def until(self, uri: str, version: int) -> None:
        while self.versions.get(uri) != version:
            self._receive()

    @property
    def cpu(self) -> float:
        """Seconds of every thread (Linux: the CPU clock of a process, ``MAKE_PROCESS_CPUCLOCK`` of posix-timers.h)."""
        return time.clock_gettime(~self.process.pid << 3 | 2)

    @property
    def peak(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))

    def close(self) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        assert self.process.wait(30) == 0
        self._to.close()
        self._from.close()


@contextmanager
def serving(root: Path, cache: Path) -> Iterator[Client]:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    client = Client([str(Path(sys.executable).with_name("budgetlint")), "lsp"], environment, root)
    try:
        yield client
    finally:
        client.close()


def first(folder: Path, cache: Path, repeats: int, budget: str = "") -> float:
    """The cheapest of ``repeats`` servers, after one that compiles."""
    found = []
    (folder / "team.budget").unlink(missing_ok=True)
    if budget:
        (folder / "team.budget").write_text(budget, encoding="utf-8")
    path = folder / "sft.yaml"
    path.write_text(TEMPLATES["trl"].format(n=1, length=1024, batch=2, rank=16), encoding="utf-8")
    for _ in range(repeats + 1):
        with serving(folder, cache) as client:
            client.until(client.open(path), 1)
            found.append(client.cpu)
    return min(found[1:])


def bare(repeats: int) -> float:
    """Python alone, for scale: what else runs on the machine makes everything dearer."""
    found = []
    for _ in range(repeats):
        before = os.times()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        after = os.times()
        found.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(found)


def keystroke(folder: Path, cache: Path, count: int) -> float:
    """Characters come and go in a comment's place of a config with 300 lines."""
    path = folder / "long.yaml"
    head = TEMPLATES["trl"].format(n=1, length=1024, batch=2, rank=16)
    more = [f"  name_{number}: {number}\n" for number in range(300 - head.count("\n") - 1)]
    path.write_text("".join([head, "extra_settings:\n", *more]), encoding="utf-8")
    with serving(folder, cache) as client:
        uri = client.open(path)
        client.until(uri, 1)
        before = client.cpu
        start = {"line": 0, "character": 0}
        for version in range(2, count + 2):
            end = {"line": 0, "character": version % 2}
            change = {"range": {"start": start, "end": end}, "text": "" if version % 2 else "#"}
            document = {"uri": uri, "version": version}
            client.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
            client.until(uri, version)
        return (client.cpu - before) / count


def workspace(folder: Path, cache: Path, every: bool) -> tuple[float, int, float]:
    """CPU seconds and peak bytes until every opened file has its diagnostics; then CPU seconds of a keystroke in one of them."""
    paths = sorted(folder.glob("*.yaml"))
    with serving(folder, cache) as client:
        uris = [client.open(path) for path in (paths if every else paths[:1])]
        for uri in uris:
            client.until(uri, 1)
        opened = client.cpu
        change = {"text": paths[0].read_text(encoding="utf-8") + "#"}
        client.tell("textDocument/didChange", {"textDocument": {"uri": uris[0], "version": 2}, "contentChanges": [change]})
        client.until(uris[0], 2)
        return opened, client.peak, client.cpu - opened


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        one, many, cache = (Path(name, part) for part in ("one", "many", "cache"))
        one.mkdir()
        many.mkdir()
        write_files(many, asked.files)
        print(f"python that does nothing        {bare(20):8.3f} s CPU")
        print(f"first diagnostic                {first(one, cache, asked.repeats):8.3f} s CPU")
        print(f"with a budget beside the config {first(one, cache, asked.repeats, BUDGET):8.3f} s CPU")
        print(f"a keystroke, 300 lines          {keystroke(one, cache, 100) * 1000:8.1f} ms CPU")
        for words, every in (("one opened", False), ("all opened", True)):
            cpu, peak, key = workspace(many, cache, every)
            told = f"{cpu:8.3f} s CPU {peak / MIB:6.0f} MiB peak {key * 1000:6.0f} ms CPU a keystroke then"
            print(f"{asked.files:,} configs, {words:<17} {told}")


if __name__ == "__main__":
    main()
