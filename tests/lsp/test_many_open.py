"""With many texts open the one that is typed in is told first, and then everything: never less, never something else."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from budgetlint.lsp.session import MANY, EditorSession
from budgetlint.lsp.uris import uri_of

Made = Callable[..., Any]
Params = dict[str, Any]

ENGINE = '{"zero_optimization": {"stage": %d}, "train_micro_batch_size_per_gpu": %d}'


def _session(root: Path, text: str, count: int = MANY + 1) -> EditorSession:
    """A budget, an engine's file that the first five runs name, and the runs, all of them open and checked."""
    session = EditorSession([root])
    texts = {"team.budget": "device 24GiB\n", "ds.json": '{"zero_optimization": {"stage": 2}}'}
    texts |= {
        f"run-{number}.yaml": f"{text}seed: {number}\n{'deepspeed: ds.json' if number < 5 else ''}\n"
        for number in range(count - len(texts))
    }
    for name, body in texts.items():
        (root / name).write_text(body, encoding="utf-8")
        session.opened({"textDocument": {"uri": uri_of(root / name), "languageId": "yaml", "version": 1, "text": body}})
    list(session.published())
    return session


def _type(session: EditorSession, uri: str, text: str) -> None:
    version = (session.texts[uri].version or 0) + 1
    session.changed({"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]})


def _codes(params: Params) -> list[str]:
    return [one["code"] for one in params["diagnostics"]]


def test_the_text_that_is_typed_in_comes_first(tmp_path: Path, talk: Made) -> None:
    session, uri = _session(tmp_path, talk().SFT), uri_of(tmp_path / "run-3.yaml")
    _type(session, uri, session.texts[uri].source.text + "fp16: true\n")
    (first,) = list(session.published_first())
    assert (first["uri"], first["version"], "BL205" in _codes(first)) == (uri, 2, True)
    assert list(session.published_first()) == []
    assert session.stale
    assert uri not in [params["uri"] for params in list(session.published())]
    assert not session.stale


def test_a_budget_is_told_of_first_and_its_runs_after(tmp_path: Path, talk: Made) -> None:
    session, uri = _session(tmp_path, talk().SFT), uri_of(tmp_path / "team.budget")
    _type(session, uri, "device 1GiB\n")
    list(session.published_first())
    after = {params["uri"]: _codes(params) for params in list(session.published())}
    assert all("BL101" in after[uri_of(tmp_path / f"run-{number}.yaml")] for number in range(5, MANY - 1))


@pytest.mark.parametrize("count", [3, MANY])
def test_with_few_open_all_are_told_at_once(count: int, tmp_path: Path, talk: Made) -> None:
    session, uri = _session(tmp_path, talk().SFT, count), uri_of(tmp_path / "run-0.yaml")
    _type(session, uri, session.texts[uri].source.text + "fp16: true\n")
    assert session.hurried is None


@pytest.mark.slow
def test_what_is_told_first_is_what_a_check_of_all_says(tmp_path: Path, talk: Made) -> None:
    chance, text = random.Random(5), talk().SFT
    session = _session(tmp_path, text)
    lines = (
        "fp16: true\n",
        "deepspeed: ds.json\n",
        "gradient_checkpointing: true\n",
        "max_length: 8192\n",
        "# budgetlint: allow-file BL1 x\n",
        "{",
    )
    for _ in range(60):
        name = chance.choice(("ds.json", "team.budget", *(f"run-{number}.yaml" for number in range(5))))
        uri = uri_of(tmp_path / name)
        old = session.texts[uri].source.text
        texts = {
            "team.budget": f"device {chance.choice((1, 8, 24, 80))}GiB\n",
            "ds.json": ENGINE % (chance.randrange(4), chance.randrange(1, 9)),
        }
        new = texts.get(name, old + chance.choice(lines) if len(old) < 600 else text)
        _type(session, uri, new)
        if session.hurried is None:  # another text was typed in before
            list(session.published())
            continue
        assert [params["uri"] for params in session.published_first()] == [uri]
        if chance.random() < 0.7:
            assert uri not in [params["uri"] for params in session.published()]


def test_all_fixes_of_one_text_leave_the_others_alone(talk: Made) -> None:
    session = talk(requirements_txt="transformers==5.0.0\n")
    wrong = session.SFT + "evaluation_strategy: 'no'\n"
    session.open("other.yaml", wrong)
    document = session.open("sft.yaml", wrong)
    place = {"line": 0, "character": 0}
    asked = {"textDocument": document, "range": {"start": place, "end": place}, "context": {"diagnostics": [], "only": ["source.fixAll"]}}
    (action,) = session.answer("textDocument/codeAction", asked)
    assert list(action["edit"]["changes"]) == [document["uri"]]
