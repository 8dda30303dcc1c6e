"""The server as a process, with the client of pytest-lsp, which holds every message against the protocol's types."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

from budgetlint.lsp.uris import uri_of

TEXT = """\
# 𝄞 fine-tune
model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 64
learning_rate: 1e-4
max_length: 4096
logging_steps: 10
evaluation_strategy: 'no'
bf16: true
"""


def _editor() -> LanguageClient:
    """The client, with answers to what an editor is asked by the server."""
    made = make_test_lsp_client()
    made.registered = []

    @made.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        made.registered += [one.method for one in params.registrations]

    return made


SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "budgetlint", "lsp"], client_factory=_editor)
EDITORS = ["visual-studio-code", "neovim@0.11.0", "neovim@0.7.0", "emacs"]


@pytest_lsp.fixture(config=SERVER, params=EDITORS)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    files = {"team.budget": "device 24GiB\n", "sft.yaml": TEXT, "requirements.txt": "transformers==5.0.0\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    folder = types.WorkspaceFolder(uri=uri_of(tmp_path), name="runs")
    capabilities = client_capabilities(request.param)
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities, root_uri=folder.uri, workspace_folders=[folder]))
    yield
    await lsp_client.shutdown_session()


def _place(word: str) -> types.Position:
    line = next(number for number, line in enumerate(TEXT.splitlines()) if word in line)
    return types.Position(line=line, character=3)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_what_an_editor_asks(client: LanguageClient, tmp_path: Path) -> None:
    uri = uri_of(tmp_path / "sft.yaml")
    item = types.TextDocumentItem(uri=uri, language_id="yaml", version=1, text=TEXT)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    await client.wait_for_notification("textDocument/publishDiagnostics")
    codes = {one.code for one in client.diagnostics[uri]}
    assert {"BL101", "BL601"} <= codes

    document = types.TextDocumentIdentifier(uri)
    hover = await client.text_document_hover_async(types.HoverParams(document, _place("per_device")))
    assert hover
    assert isinstance(hover.contents, types.MarkupContent)
    assert "GiB" in hover.contents.value

    place = _place("evaluation_strategy")
    asked = types.CodeActionParams(document, types.Range(place, place), types.CodeActionContext([]))
    actions = await client.text_document_code_action_async(asked)
    assert actions
    assert any(isinstance(one, types.CodeAction) and one.edit and "rename" in one.title for one in actions)

    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert symbols
    assert len(symbols) == TEXT.count("\n") - 1

    watches = client.capabilities.workspace and client.capabilities.workspace.did_change_watched_files
    assert client.registered == (["workspace/didChangeWatchedFiles"] if watches and watches.dynamic_registration else [])
