"""Where a document belongs, however the editor names it; and what is saved, made or deleted outside the editor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from budgetlint.lsp.places import NOWHERE, folders, placed
from budgetlint.lsp.protocol import encoded
from budgetlint.lsp.session import EditorSession
from budgetlint.lsp.uris import path_of, uri_of

Made = Callable[..., Any]


@pytest.mark.parametrize(
    ("uri", "language", "found"),
    [
        ("file:///w/a/sft.yaml", "yaml", (Path("/w/a"), "sft.yaml")),
        ("file:///w/sub/sft.yaml", "yaml", (Path("/w"), "sub/sft.yaml")),
        ("file:///elsewhere/sft.yaml", "yaml", (Path("/elsewhere"), "sft.yaml")),
        ("file://localhost/w/sft.yaml", "yaml", (Path("/w"), "sft.yaml")),
        ("untitled:Untitled-1", "yaml", (Path("/w"), "Untitled-1.yaml")),
        ("untitled:Untitled-1", "budget", (Path("/w"), "Untitled-1.budget")),
        ("untitled:new.yaml", "plaintext", (Path("/w"), "new.yaml")),
        ('git:/w/sft.yaml?{"ref":"~"}', "yaml", (NOWHERE, "sft.yaml")),
        ("nonsense", "yaml", (NOWHERE, "untitled")),
    ],
)
def test_where_a_document_belongs(uri: str, language: str, found: tuple[Path, str]) -> None:
    assert placed(uri, language, [Path("/w"), Path("/w/a")]) == found


def test_a_file_outside_the_workspace_belongs_to_its_repository(tmp_path: Path) -> None:
    (tmp_path / "repo/.git").mkdir(parents=True)
    assert placed(uri_of(tmp_path / "repo/configs/sft.yaml"), "yaml", []) == (tmp_path / "repo", "configs/sft.yaml")


@pytest.mark.parametrize("linked_root", [True, False])
def test_one_folder_under_two_names(linked_root: bool, tmp_path: Path) -> None:
    real, link = tmp_path / "private/tmp", tmp_path / "tmp"
    real.mkdir(parents=True)
    link.symlink_to(real)
    root, document = (link, real) if linked_root else (real, link)
    assert placed(uri_of(document / "sft.yaml"), "yaml", [root]) == (root, "sft.yaml")


def test_a_whole_disk_or_a_home_is_no_workspace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folders([Path("/"), tmp_path, tmp_path / "work"]) == [tmp_path / "work"]


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/runs/a.yaml", "c:/runs/a.yaml"),
        ("file:///C:/runs/a.yaml", "C:/runs/a.yaml"),
        ("file://server/share/a.yaml", "//server/share/a.yaml"),
        ("file:///a%00b", None),
        ("file:///a\ud83d", None),
        ("http://host/a.yaml", None),
    ],
)
def test_odd_uris(uri: str, path: str | None) -> None:
    found = path_of(uri)
    assert (None if found is None else str(found)) == path


# -- files that the editor does not hold ------------------------------------------------------------------------------------


def _alone(path: Path, text: str, talk: Made) -> Any:
    """A session without a folder, with one document open."""
    session = talk()
    session.messages[0] = encoded({"id": 1, "method": "initialize", "params": {"capabilities": {}, "rootUri": None}})
    session.open(str(path.relative_to(session.root)), text)
    return session


def test_a_single_file_is_judged_with_those_beside_it_and_not_with_those_below(talk: Made, tmp_path: Path) -> None:
    (tmp_path / "a/below").mkdir(parents=True)
    (tmp_path / "a/team.budget").write_text("device 1GiB\n", encoding="utf-8")
    (tmp_path / "a/below/run.sh").write_text("accelerate launch train.py sft.yaml --fp16 true\n", encoding="utf-8")
    found = _alone(tmp_path / "a/sft.yaml", talk().SFT, talk).diagnostics()["a/sft.yaml"]
    messages = "".join(one["message"] for one in found)
    assert "[does-not-fit]" in messages
    assert "[fp16-bf16-both]" not in messages


@pytest.mark.parametrize(("language", "text"), [("yaml", None), ("json", '{"zero_optimization": {"stage": 9}}')])
def test_a_text_that_was_never_saved_and_has_no_name(language: str, text: str | None, talk: Made) -> None:
    session = talk()
    item = {"uri": "untitled:Untitled-1", "languageId": language, "version": 1, "text": text or session.SFT + "fp16: true\n"}
    session.notify("textDocument/didOpen", {"textDocument": item})
    assert session.diagnostics()["untitled:Untitled-1"]


def test_files_are_watched_where_the_editor_can(talk: Made) -> None:
    session = talk({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
    said, _ = session.run()
    (asked,) = [one for one in said if one.get("method") == "client/registerCapability"]
    (registration,) = asked["params"]["registrations"]
    assert registration["method"] == "workspace/didChangeWatchedFiles"
    assert not [one for one in talk().run()[0] if one.get("method") == "client/registerCapability"]


@pytest.mark.parametrize(
    ("before", "after"),
    [(None, "device 1GiB\n"), ("device b200\n", "device 1GiB\n"), ("device 1GiB\n", None)],
    ids=["made", "changed", "deleted"],
)
def test_what_happens_outside_the_editor_counts(before: str | None, after: str | None, tmp_path: Path, talk: Made) -> None:
    def write(text: str | None) -> None:
        budget = tmp_path / "team.budget"
        budget.unlink(missing_ok=True) if text is None else budget.write_text(text, encoding="utf-8")

    def told() -> list[str]:
        return [finding["code"] for params in session.published() for finding in params["diagnostics"]]

    write(before)
    session = EditorSession([tmp_path])
    uri = uri_of(tmp_path / "sft.yaml")
    session.opened({"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": talk().SFT}})
    assert ("BL101" in told()) is (before == "device 1GiB\n")
    write(after)
    session.disk_changed()
    assert ("BL101" in told()) is (after == "device 1GiB\n")


def test_diagnostics_of_a_file_that_is_gone_go_too(tmp_path: Path, talk: Made) -> None:
    engine = tmp_path / "ds.json"
    engine.write_text('{"train_micro_batch_size_per_gpu": 8, "zero_optimization": {"stage": 2}}', encoding="utf-8")
    session = EditorSession([tmp_path])
    uri = uri_of(tmp_path / "sft.yaml")
    text = talk().SFT + "deepspeed: ds.json\n"
    session.opened({"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
    assert [one["diagnostics"] for one in list(session.published()) if one["uri"] == uri_of(engine)] != [[]]
    engine.unlink()
    session.disk_changed()
    assert [one["diagnostics"] for one in list(session.published()) if one["uri"] == uri_of(engine)] == [[]]


def test_verdicts_of_other_windows_are_asked_for_again(talk: Made) -> None:
    session = talk({"workspace": {"inlayHint": {"refreshSupport": True}}})
    session.open("sft.yaml", session.SFT)
    session.open("team.budget", "device 24GiB\n")
    methods = [one.get("method") for one in session.run()[0]]
    assert "workspace/inlayHint/refresh" in methods
    assert "workspace/codeLens/refresh" not in methods


# -- texts ----------------------------------------------------------------------------------------------------------------------


def test_lines_that_end_as_on_windows(talk: Made) -> None:
    session = talk(requirements_txt="transformers==5.0.0\n")
    text = (session.SFT + "evaluation_strategy: 'no'\n").replace("\n", "\r\n")
    document = session.open("sft.yaml", text)
    span = {"start": {"line": 10, "character": 99}, "end": {"line": 10, "character": 99}}
    asked = {"textDocument": document, "range": span, "context": {"diagnostics": []}}
    actions = session.answer("textDocument/codeAction", asked)
    rename = next(one for one in actions if one["title"].startswith("rename"))
    (edits,) = rename["edit"]["changes"].values()
    assert edits == [{"range": {"start": {"line": 10, "character": 0}, "end": {"line": 10, "character": 19}}, "newText": "eval_strategy"}]


def test_a_file_above_the_folder_has_one_name(talk: Made, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()  # above the folder, in its checkout
    (tmp_path / "runs").mkdir()
    shared = tmp_path / "ds.json"
    shared.write_text('{"train_micro_batch_size_per_gpu": 8, "zero_optimization": {"stage": 2}}', encoding="utf-8")
    session = EditorSession([tmp_path / "runs"])
    text = talk().SFT + "deepspeed: ../ds.json\n"
    item = {"uri": uri_of(tmp_path / "runs/sft.yaml"), "languageId": "yaml", "version": 1, "text": text}
    session.opened({"textDocument": item})
    assert uri_of(shared) in [params["uri"] for params in list(session.published())]


def test_folders_come_and_go(tmp_path: Path, talk: Made) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "team.budget").write_text("device 1GiB\n", encoding="utf-8")
    session = EditorSession([tmp_path / "a"])
    item = {"uri": uri_of(tmp_path / "a/sft.yaml"), "languageId": "yaml", "version": 1, "text": talk().SFT}
    session.opened({"textDocument": item})

    def codes() -> list[str]:
        return [one["code"] for params in list(session.published()) for one in params["diagnostics"]]

    assert "BL101" not in codes()
    session.folders_changed([tmp_path], [tmp_path / "a"])
    assert "BL101" in codes()
    session.folders_changed([], [tmp_path])
    assert "BL101" not in codes()


def test_a_text_too_large_for_a_config_is_left_alone(talk: Made) -> None:
    session = talk()
    document = session.open("data.json", "[" + "1," * (5 * 2**20) + "1]")
    assert session.answer("textDocument/documentSymbol", {"textDocument": document}) == []


def test_an_editor_that_shows_no_markdown(talk: Made) -> None:
    session = talk({"textDocument": {"hover": {"contentFormat": ["plaintext"]}}})
    place = {"textDocument": session.open("sft.yaml", session.SFT), "position": {"line": 2, "character": 3}}
    contents = session.answer("textDocument/hover", place)["contents"]
    assert contents["kind"] == "plaintext"
    assert contents["value"].startswith("micro_batch: sequences")
    assert "`" not in contents["value"]
