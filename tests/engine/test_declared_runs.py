"""`declared` and `watches`: a run that no file states is what its budget says, and holds as long as the texts that it was written from."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgetlint.base.limits import WATCHED_BYTES, WATCHED_FILES
from budgetlint.base.source import SourceFile
from budgetlint.engine.check import check
from budgetlint.files.disk import DiskFiles, TextFiles
from budgetlint.language import read_budget
from budgetlint.measured.watched import Seal, texts_hash
from budgetlint.memory.estimate import UNSEALED
from budgetlint.registry import installed
from budgetlint.resolve.membership import takes_part
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect, judge, judge_texts
from budgetlint.rules_api.context import Judged, RunContext

WHOLE = (
    "declared; model qwen2.5-1.5b; precision bf16-pure; lora r=16; quant none; optimizer adamw; batch 2; seq 1024; recompute full; "
    "attention sdpa; loss full\n"
)
SFT = "model_name_or_path: Qwen/Qwen2.5-1.5B\nper_device_train_batch_size: {}\nmax_length: 1024\ngradient_checkpointing: true\n"


def judged(budget: str, **texts: str) -> Judged:
    return judge_texts({"gpu.budget": budget, **{name.replace("__", "."): text for name, text in texts.items()}})


def only(result: Judged) -> RunContext:
    (run,) = result.runs
    assert run.estimate is not None
    return run


def findings(result: Judged) -> list[str]:
    report = check(result, installed())
    return [f"{one.location.file}:{one.location.line} {one.name}" for one in report.findings if one.severity.value != "info"]


def test_what_the_budget_says_is_all_there_is() -> None:
    run = only(judged("device l4\n" + WHOLE))
    assert run.estimate is not None
    assert (run.estimate.verdict.value, run.estimate.missing, run.estimate.forks) == ("fits", (), ())
    assert {one.certainty for one in run.run.settings.values()} == {"stated"}


@pytest.mark.parametrize(
    ("statement", "setting"),
    [
        ("precision bf16-pure; ", "weights_dtype"),
        ("lora r=16; ", "adapter"),
        ("quant none; ", "quant"),
        ("optimizer adamw; ", "optimizer"),
        ("recompute full; ", "recompute"),
        ("attention sdpa; ", "attention"),
        ("; loss full", "loss"),
    ],
)
def test_what_it_leaves_out_is_unresolved_and_never_a_default(statement: str, setting: str) -> None:
    text = WHOLE.replace("attention sdpa\n", "attention sdpa; \n").replace(statement, "")
    assert text != WHOLE
    run = only(judged("device l4\n" + text.replace(statement, "")))
    left = run.setting(setting)
    assert left is not None
    assert (left.certainty, left.known) == ("unresolved", False)
    assert left.origin.note.startswith("nobody says")


def test_no_version_of_a_framework_changes_a_declared_run() -> None:
    bare = judged("device l4\n" + WHOLE)
    for stack in ("stack trl@0.9 transformers@4.44\n", "stack trl@1.16 transformers@5.24\n"):
        told = only(judged("device l4\n" + stack + WHOLE))
        assert {name: one.value for name, one in told.run.settings.items()} == {
            name: one.value for name, one in only(bare).run.settings.items()
        }


def test_how_several_devices_share_the_model_is_unresolved_too() -> None:
    open_ = only(judged("device 4x l4\n" + WHOLE))
    assert open_.run.settings["shard"].certainty == "unresolved"
    said = only(judged("device 4x l4; shard ddp\n" + WHOLE))
    assert said.estimate is not None
    assert said.estimate.verdict.value == "fits"


def test_a_file_that_it_names_is_compared_and_decides_nothing() -> None:
    budget = "device l4\nconfig sft.yaml\n" + WHOLE
    run = only(judged(budget, sft__yaml=SFT.format(8)))
    assert run.value("micro_batch") == 2
    assert findings(judged(budget, sft__yaml=SFT.format(8))) == ["gpu.budget:3 budget-config-mismatch"]
    assert findings(judged(budget, sft__yaml=SFT.format(2))) == []
    assert run.run.readings == ()
    quiet = judged("device l4\nconfig sft.yaml\ndeclared; model qwen2.5-1.5b\n", sft__yaml=SFT.format(8))
    assert "micro_batch" not in only(quiet).run.settings


def test_what_reads_the_file_is_not_guessed() -> None:
    work = collect(open_project(TextFiles({"gpu.budget": "config sft.yaml\n" + WHOLE, "sft.yaml": SFT.format("8 # 1e-4")}), ["."]))
    consumer = work.project.entries["sft.yaml"].consumer
    assert consumer is not None
    assert consumer.is_nobody
    assert [run.name for run in work.runs] == ["gpu.budget"]


def test_a_run_is_declared_or_launched() -> None:
    (problem,) = read_budget(SourceFile("gpu.budget", "declared\nlaunch torchrun train.py\n")).problems
    assert (problem.code, problem.location.line) == ("BL007", 1)


# -- watches -------------------------------------------------------------------------------------------------------------------

FILES = {"train__py": "print(1)\n", "conf/a__gin": "batch = 2\n"}
SEEN = texts_hash([("train.py", "print(1)\n"), ("conf/a.gin", "batch = 2\n")])


@pytest.mark.parametrize(
    ("line", "change", "seal", "verdict", "told"),
    [
        (f"watches train.py conf/*.gin seen={SEEN}", {}, Seal.FRESH, "fits", []),
        (f"watches conf/*.gin train.py seen={SEEN}", {}, Seal.FRESH, "fits", []),
        (f"watches conf/*.gin train.py seen={SEEN}", {"conf/a__gin": "batch = 2\r\n"}, Seal.FRESH, "fits", []),
        (f"watches conf/*.gin train.py seen={SEEN}", {"conf/a__gin": "batch = 4\n"}, Seal.STALE, "unknown", ["declaration-stale"]),
        (f"watches conf/*.gin train.py seen={SEEN}", {"conf/b__gin": ""}, Seal.STALE, "unknown", ["declaration-stale"]),
        ("watches conf/*.gin train.py", {}, Seal.UNSEALED, "fits", ["declaration-unsealed"]),
    ],
)
def test_a_declaration_holds_while_its_texts_do(line: str, change: dict[str, str], seal: Seal, verdict: str, told: list[str]) -> None:
    result = judged(f"device l4\n{line}\n{WHOLE}", **{**FILES, **change})
    run = only(result)
    assert run.estimate is not None
    assert ([one.seal for one in run.watched], run.estimate.verdict.value) == ([seal], verdict)
    assert [one.partition(" ")[2] for one in findings(result)] == told
    assert (UNSEALED in run.estimate.missing) == (verdict == "unknown")


def test_the_hash_is_of_paths_from_the_folder_of_the_budget() -> None:
    texts = {"jobs/gpu.budget": f"device l4\nwatches train.py conf/*.gin seen={SEEN}\n{WHOLE}"}
    texts |= {"jobs/train.py": "print(1)\n", "jobs/conf/a.gin": "batch = 2\n"}
    assert [one.seal for one in only(judge_texts(texts)).watched] == [Seal.FRESH]


def test_a_watched_file_takes_part_in_the_run() -> None:
    work = collect(open_project(TextFiles({"gpu.budget": "watches conf/*.gin\n" + WHOLE, "conf/a.gin": "x"}), ["."]))
    assert takes_part(work.runs[0], frozenset({"conf/a.gin"}))


def test_what_nobody_can_read_does_not_hold(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "blob.pt").write_bytes(b"\0\xff" * 100)
    (tmp_path / "gpu.budget").write_text(f"device l4\nwatches blob.pt seen={SEEN}\n{WHOLE}")
    run = only(judge(open_project(DiskFiles(tmp_path), ["."])))
    assert [one.seal for one in run.watched] == [Seal.UNREAD]
    assert run.estimate is not None
    assert run.estimate.verdict.value == "unknown"


def test_what_is_watched_is_bounded() -> None:
    many = {f"m/{number}__py": "" for number in range(WATCHED_FILES.most + 1)}
    large = {f"m/{number}__py": "x" * 2**22 for number in range(WATCHED_BYTES.most // 2**22 + 1)}
    for texts in (many, large):
        (one,) = only(judged(f"device l4\nwatches m/*.py seen={SEEN}\n{WHOLE}", **texts)).watched
        assert (one.seal, one.now) == (Seal.UNREAD, "")


def test_what_is_no_hash_and_what_leads_out_is_told() -> None:
    (problem,) = read_budget(SourceFile("gpu.budget", "watches a.py seen=yesterday\n")).problems
    assert (problem.code, problem.location.column) == ("BL003", 19)
    result = judged(f"device l4\nwatches ../../etc/pass* none.py\n{WHOLE}")
    assert [(one.code, one.location.line) for one in result.findings] == [("BL914", 2), ("BL914", 2)]
