"""What an editor shows of a file: no command, no link and no line that a value brings in; and names that no file can have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from markdown_it import MarkdownIt

Made = Callable[..., Any]
Faults = Callable[..., set[str]]

ATTACK = "\n[run](command:evil) <img src=http://e.x> `x` **b** ##[error]\x1b[31m\u202e\u200b\u2028"
QUOTED = "".join(c if c.isascii() and c.isalnum() else f"\\U{ord(c):08x}" for c in ATTACK).join('""')


def texts(value: Any) -> Iterator[str]:
    """Every text in an answer that is shown: not the edits, and not the addresses."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("uri", "edit", "newText", "changes"):
                yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


def opened(session: Any) -> tuple[str, dict[str, str]]:
    text = session.SFT.replace("logging_steps: 10", f"optim: {QUOTED}\noutput_dir: {QUOTED}\n{QUOTED}: 1\ndeepspeed: {QUOTED}")
    return text, session.open("sft.yaml", text)


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("codeAction", {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}}}),
        ("inlayHint", {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}}}),
        ("codeLens", {}),
        ("documentSymbol", {}),
    ],
)
def test_what_is_shown_is_one_line_of_text(talk: Made, faults: Faults, method: str, more: dict[str, Any]) -> None:
    session = talk(team_budget="device 24GiB\n")
    _, document = opened(session)
    answer = session.answer(f"textDocument/{method}", {"textDocument": document, "context": {"diagnostics": []}, **more})
    assert answer
    assert not any(faults(text) for text in texts(answer))


def test_diagnostics_quote_values_as_text(talk: Made, faults: Faults) -> None:
    session = talk(team_budget="device 24GiB\n")
    opened(session)
    said, _ = session.run()
    shown = [
        one for message in said if message.get("method", "").endswith("publishDiagnostics") for one in message["params"]["diagnostics"]
    ]
    quoting = [one["message"] for one in shown if r"\n[run](command:evil)" in one["message"]]
    assert quoting
    assert not any(faults(text) for text in texts(shown))
    assert all(text.count("\n") <= 1 for text in quoting)


@pytest.mark.parametrize("kind", ["markdown", "plaintext"])
def test_a_hover_shows_a_value_and_makes_nothing_of_it(talk: Made, faults: Faults, kind: str) -> None:
    """The value that a flag of the command has in the place of the file's, and where that stands."""
    capabilities = {"textDocument": {"hover": {"contentFormat": [kind]}}}
    session = talk(capabilities, team_budget="device 24GiB\n", run_sh=f"trl sft --config sft.yaml --model_name_or_path '{ATTACK}'\n")
    document = session.open("sft.yaml", session.SFT)
    found = session.answer("textDocument/hover", {"textDocument": document, "position": {"line": 0, "character": 3}})
    told = found["contents"]["value"]
    assert "overridden by run.sh:1:" in told
    assert r"(\n[run](command:evil) <img src=http://e.x> `x` **b** ##\[error]�[31m���)" in told.replace("``", "")
    assert not faults(told)
    if kind == "markdown":
        tokens = MarkdownIt("commonmark").parse(told)
        inner = [child for token in tokens for child in token.children or ()]
        assert not {"link_open", "image", "html_inline", "html_block"} & {token.type for token in (*tokens, *inner)}


@pytest.mark.parametrize("name", ["a" * 5_000, "a" * 300, "/".join(["a" * 100] * 60)])
@pytest.mark.parametrize("scheme", ["file:///", "untitled:", "git:/"])
def test_a_name_that_no_file_can_have_is_a_text_all_the_same(talk: Made, scheme: str, name: str) -> None:
    session = talk()
    item = {"uri": f"{scheme}{name}.yaml", "languageId": "yaml", "version": 1, "text": f"{session.SFT}fp16: true\n"}
    session.notify("textDocument/didOpen", {"textDocument": item})
    symbols = session.request("textDocument/documentSymbol", {"textDocument": {"uri": item["uri"]}})
    said, code = session.run()
    assert (code, session.logged) == (0, [])
    assert "result" in next(message for message in said if message.get("id") == symbols)
    told = [message["params"] for message in said if message.get("method", "").endswith("publishDiagnostics")]
    assert any("fp16" in one["message"] for params in told if params["uri"] == item["uri"] for one in params["diagnostics"])
