"""Bad input ends in a value that says what is wrong, in bounded time and memory, never in an exception."""

from __future__ import annotations

import os
import socket
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from budgetlint.base.source import MAX_BYTES, SourceFile, UnreadableFile, read_source
from budgetlint.documents import Document, Loader, load, plain, walk

CALLS = 5_000_000
"""Functions entered, the most by far where the slow parser says what is wrong: 3.9 million."""
MEGABYTES = 200


@pytest.fixture(autouse=True)
def bounded(calls) -> Iterator[None]:
    tracemalloc.start()
    with calls:
        yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert calls.count < CALLS and peak < MEGABYTES * 10**6


def _bomb(levels: int, width: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]" for level in range(1, levels)]
    return "\n".join(lines)


def _merge_bomb(levels: int) -> str:
    return "\n".join(["m0: &m0 {k0: 1}", *(f"m{n}: &m{n} {{<<: *m{n - 1}, k{n}: 1}}" for n in range(1, levels))])


DEEP = 10_000
TEXTS: list[tuple[str, str, str]] = [
    ("bomb.yaml", _bomb(9, 9), "alias-bomb"),
    ("wide.yaml", "a: &a [x, y]\nb: [" + "*a, " * 200_000 + "]", "alias-bomb"),
    ("merge.yaml", _merge_bomb(2_000), "alias-bomb"),
    ("merges.yaml", "a: &a {x: 1}\nb: {<<: [" + "*a, " * 100_000 + "]}", "alias-bomb"),
    ("loop.yaml", "a: &a {b: *a}", "recursive-alias"),
    ("flow.yaml", "[" * DEEP + "]" * DEEP, "too-deep"),
    ("flow-map.yaml", "{a: " * DEEP + "}" * DEEP, "too-deep"),
    ("block.yaml", "\n".join(" " * n + "a:" for n in range(2_000)), "too-deep"),
    ("dashes.yaml", "- " * DEEP + "x", "too-deep"),
    ("pure.yaml", "[a:b, " + "[" * DEEP, "too-deep"),
    ("x.json", "[" * DEEP + "]" * DEEP, "too-deep"),
    ("objects.json", '{"a":' * DEEP + "1" + "}" * DEEP, "too-deep"),
    ("x.toml", "a = " + "[" * DEEP + "]" * DEEP, "too-deep"),
    ("tables.toml", "[" + ".".join(["a"] * DEEP) + "]", "too-deep"),
    ("open.json", '{"a": "' + "x" * 10**6, "syntax"),
    ("comments.json", "/* " * 10**6, "syntax"),
    ("tab.yaml", "a:\n\tb: 1\n", "tab"),
    ("tab2.yaml", "a: 1\n\t- 2\n", "tab"),
    ("control.yaml", "a: \x07\n", "control-character"),
    ("surrogate.yaml", "a: \ud800\n", "control-character"),
    ("helm.yaml", "a: {{ .Values.x }}\n", "syntax"),
    ("jinja.yaml", "{% for x in y %}\na: 1\n{% endfor %}\n", "syntax"),
]


SLOW = {"pure.yaml"}


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [pytest.param(*case, marks=[pytest.mark.slow] * (case[0] in SLOW), id=case[0]) for case in TEXTS],
)
def test_text(name: str, text: str, kind: str) -> None:
    *_, document = load(SourceFile(name, text))
    (problem,) = document.problems
    assert problem.kind == kind and problem.message and problem.cure
    assert problem.location.line >= 1 and document.root is None


HARMLESS: list[tuple[str, str, Callable[[Document], bool]]] = [
    ("many-keys.yaml", "".join(f"k{n}: {n}\n" for n in range(20_000)), lambda document: len(list(walk(document.root))) == 20_000),
    ("crlf.yaml", "a: 1\r\nb: 2\r\n", lambda document: plain(document.root, Loader.PYYAML) == {"a": 1, "b": 2}),
    ("cr.yaml", "a: 1\rb: 2\r", lambda document: plain(document.root, Loader.PYYAML) == {"a": 1, "b": 2}),
    ("digits.json", "[" + "1" * 50_000 + "]", lambda document: plain(document.root, Loader.JSON) == ["1" * 50_000]),
    ("surrogate.json", '["\\ud800"]', lambda document: plain(document.root, Loader.JSON) == ["\ud800"]),
    ("brackets.yaml", "a: '" + "[" * DEEP + "'", lambda document: document.root is not None),
]


@pytest.mark.parametrize(("name", "text", "holds"), HARMLESS, ids=[case[0] for case in HARMLESS])
def test_odd_but_right(name: str, text: str, holds: Callable[[Document], bool]) -> None:
    (document,) = load(SourceFile(name, text))
    assert not document.problems and holds(document)


def _big(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(50 * 2**20)


def _link_loop(path: Path) -> None:
    path.symlink_to(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as unix:
        before = Path.cwd()
        os.chdir(path.parent)  # the address of a socket is at most 107 bytes long
        try:
            unix.bind(path.name)
        finally:
            os.chdir(before)


FILES: list[tuple[str, Callable[[Path], object], str]] = [
    ("50 MB", _big, "52,428,800 bytes"),
    ("directory", Path.mkdir, "directory"),
    ("missing", lambda path: None, "cannot be read"),
    ("link loop", _link_loop, "cannot be read"),
    ("dangling link", lambda path: path.symlink_to("nowhere"), "cannot be read"),
    ("pipe", os.mkfifo, "not a regular file"),
    ("socket", _socket, "cannot be read"),
    ("device", lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
    ("binary", lambda path: path.write_bytes(bytes(range(256)) * 64), "binary"),
    ("nul", lambda path: path.write_bytes(b"a: 1\0\n"), "binary"),
    ("latin-1", lambda path: path.write_bytes(b"a: 1\nb: caf\xe9\n"), "line 2"),
    ("utf-16 without mark", lambda path: path.write_bytes("a: 1".encode("utf-16-le")), "NUL"),
    ("odd utf-16", lambda path: path.write_bytes(b"\xff\xfea\0b"), "UTF-16"),
    ("utf-32", lambda path: path.write_bytes("a: 1".encode("utf-32")), "NUL"),
]


@pytest.mark.parametrize(("what", "make", "words"), FILES, ids=[case[0] for case in FILES])
def test_file(tmp_path: Path, what: str, make: Callable[[Path], object], words: str) -> None:
    path = tmp_path / "x.yaml"
    make(path)
    found = read_source(path, "x.yaml")
    assert isinstance(found, UnreadableFile), what
    assert found.path == "x.yaml" and words in found.problem and found.cure


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\n")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    found = read_source(path)
    assert isinstance(found, UnreadableFile) and "Permission denied" in found.problem


def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: 1\n" * 10)
    assert isinstance(read_source(path, limit=20), UnreadableFile)
    assert MAX_BYTES < 50 * 2**20


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_byte_order_marks_are_fine(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes("a: ü\r\nb: 2\r\n".encode(encoding))
    source = read_source(path)
    assert isinstance(source, SourceFile)
    (document,) = load(source)
    node = document.get("b")
    assert node is not None and source.text[node.span.start : node.span.end] == "2"
    assert source.position(node.span.start) == (2, 4)
