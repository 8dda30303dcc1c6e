"""Every command on a project whose values, keys, comments, file names and logs want to be commands, colors, links and lines."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgetlint.engine.cache import CachedAnswer

Faults = Callable[..., set[str]]

ATTACK = (
    "\n::add-mask::error\n  ::stop-commands::tok\r\n##[set-output name=exit-code;]0 ##vso[task.x]\x1b[31m\x1b]8;;http://e.x\x1b\\\x07"
    "\x9b2J\u202e\u200b\u2028\x85\xad\ufeff\U000e0041\ufe0f [i](http://e.x/i) @team"
)
LINE = ATTACK.replace("\n", " ").replace("\r", " ").replace("\x85", " ")
"""For comments, scripts and logs, where a line feed is one."""

NAME = f"g{ATTACK}.yaml".replace("/", "")


def quoted(text: str) -> str:
    """In double quotes, as YAML and JSON read it, with everything that needs an escape as one of YAML."""
    return "".join(c if c.isascii() and c.isalnum() else f"\\U{ord(c):08x}" for c in text).join('""')


def yaml_of(text: str, comment: str) -> str:
    """Values that rules quote, a key twice, a key that is none, a suppression; the run itself can be judged."""
    said, comment = quoted(text), re.sub(r"[^ -~\xa0-\u2027\u202a-\ud7ff]", "", comment)  # what YAML takes there as it is
    return (
        f"# {comment}\nmodel_name_or_path: Qwen/Qwen2.5-1.5B\nper_device_train_batch_size: 64\nmax_length: 8192\nlearning_rate: 1e-4\n"
        f"bf16: true\nfp16: true\nnum_train_epochs: 1\ngradient_accumulation_steps: 1\nlr_scheduler_type: {said}\noptim: {said}\n"
        f"output_dir: {said}\noutput_dir: {quoted('x' + text)}\n{quoted('optim' + text)}: 1\nsave_steps: {said}\n"
        f"report_to: none  # budgetlint: allow {comment}\ndeepspeed: {quoted(text + '.json')}\n"
    )


def budget_of(comment: str) -> str:
    quoted = re.sub(r"""["'\\]""", "", comment)
    return (
        f'# {comment}\ndevice 24GiB; reserve 1GiB\nstack transformers@5.24 torch@2.13\nassert peak <= 1GiB, "{quoted}"\n'
        f'allow fp16-bf16-both reason="{quoted}" in="gone.yaml"\n'
    )


def log_of(comment: str) -> str:
    said = f"CUDA out of memory. Tried to allocate 2.00 GiB {comment}. GPU 0 has a total capacity of 24 GiB"
    return (
        f'{comment}\nTraceback (most recent call last):\n  File "{comment}.py", line 1, in {comment}\n'
        f"    logits = self.lm_head({comment})\n"
        f"torch.cuda.OutOfMemoryError: {said}\n"
    )


@pytest.fixture
def hostile(shell):
    shell.write("sft.yaml", yaml_of(ATTACK, LINE))
    shell.write("README.md", f"# {LINE}\n\n```sh\ntrl sft --config sft.yaml\n```\n")
    shell.write("card.budget", budget_of(LINE))
    shell.write("job.log", log_of(LINE))
    shell.write("host.log", f"{LINE} oom-kill: {LINE}\n")
    shell.write("torn.yaml", f"model_name_or_path: [1, {LINE}\nper_device_train_batch_size: 1\nnum_train_epochs: 1\n")
    shell.write("torn/torn.budget", f"device 24GiB\nmodel {LINE}\n{LINE} x={LINE}\nlora r={LINE}\nlet {LINE} = 1\ndevice 24GiB\n")
    shell.write("tidy/tidy.budget", f"# {LINE}\ndevice   24GiB # {LINE}\n")
    shell.write("ds.json", json.dumps({"zero_optimization": {"stage": ATTACK}, "fp16": {"enabled": True}, "bf16": {"enabled": True}}))
    shell.write("run.sh", f"torchrun --nproc_per_node 2 run_clm.py --optim '{ATTACK}' --per_device_train_batch_size 4 --bf16 --x{LINE} 1\n")
    try:
        shell.write(NAME, yaml_of("steps", "fine"))
    except OSError:
        pytest.skip("a file system that takes no such names")
    return shell


FORMATS = ("full", "concise", "json", "github", "gitlab", "sarif", "junit", "markdown")
ON_RUNS = (["estimate"], ["estimate", "--settings"], ["estimate", "--textbook"], ["estimate", "--format", "json"],
    ["estimate", "--settings", "--format", "json"], ["estimate", "--format", "svg"], ["solve"], ["solve", "--format", "json"],
    ["estimate", "--oom", "job.log"], ["estimate", "--oom", "host.log"], ["estimate", "--oom", "job.log", "--format", "json"],
    ["probe", "--from-log", "job.log"])  # fmt: skip
COMMANDS = [
    *(["check", "--no-cache", "--info", "--format", format] for format in FORMATS),
    ["check"], ["check", "--statistics"], ["check", "--diff", "--unsafe-fixes"], ["check", "--fix"],
    ["check", "--baseline", f"{ATTACK}.json".replace("/", "")],
    *([*command, *paths] for command in ON_RUNS for paths in ([], ["sft.yaml"], [NAME])),
    ["solve", NAME, "--apply", "1"], ["estimate", "--oom", "sft.yaml"],
    ["files"], ["files", "--format", "json"],
    ["fmt", "torn/torn.budget"], ["fmt", "--diff", "tidy/tidy.budget"], ["fmt", "--format", "json", "tidy/tidy.budget"],
    ["fmt", "tidy/tidy.budget"],
    ["init", "--dry-run"], ["rule", "BL101"], ["devices"], ["models", "--format", "json"],
]  # fmt: skip
ARGUED = [
    [ATTACK], ["check", ATTACK], ["check", f"--{ATTACK}"], ["check", "--format", ATTACK], ["check", "--fail-on", ATTACK],
    ["check", "--select", ATTACK], ["check", "--target", ATTACK], ["check", "--budget", ATTACK], ["check", "--compare-with", ATTACK],
    ["check", "--", ATTACK], ["check", "--", "torchrun", ATTACK, "train.py", ATTACK], ["check", "--stdin-filename", ATTACK, "x"],
    ["check", "--format", f"json=no/{ATTACK}"], ["estimate", ATTACK], ["estimate", "--set", ATTACK],
    ["estimate", "--set", f"optimizer={ATTACK}"], ["estimate", "--oom", ATTACK], ["solve", "--run", ATTACK],
    ["solve", "--maximize", ATTACK], ["rule", ATTACK], ["devices", ATTACK], ["models", ATTACK], ["optimizers", ATTACK], ["fmt", ATTACK],
    ["fmt", f"{ATTACK}.budget"], ["files", ATTACK], ["init", "--device", ATTACK], ["probe", "--run", ATTACK],
    ["probe", "--from-log", ATTACK], ["completion", ATTACK],
]  # fmt: skip


def loaded(argv: list[str], out: str) -> object:
    """What a machine reads."""
    format = argv[argv.index("--format") + 1] if "--format" in argv else ""
    reads = {"json": json.loads, "gitlab": json.loads, "sarif": json.loads, "junit": ET.fromstring, "svg": ET.fromstring}
    return reads[format](out) if format in reads and out else out


def named(argv: list[str]) -> str:
    return " ".join(argv).replace(NAME, "NAME").replace(ATTACK, "ATTACK").replace(ATTACK.replace("/", ""), "ATTACK").replace("/", "|")


@pytest.mark.parametrize("argv", COMMANDS, ids=named)
def test_no_command_prints_what_anybody_obeys(hostile, faults: Faults, argv: list[str]) -> None:
    for color in ("never", "always"):
        ran = hostile(*argv, "--color", color)
        codes, annotations = color == "always", "github" in argv
        assert ran.code in (0, 1, 2)
        assert not faults(ran.out, codes=codes, annotations=annotations)
        assert not faults(ran.err)
        assert loaded(argv, ran.out) is not None


def test_the_attack_is_told_of(hostile) -> None:
    """As a text: in messages, as a run, as a file, in an excerpt."""
    out = hostile("check", "--no-cache", "--info", "--format", "concise").out
    assert len(re.findall(r"^g\\n::add-mask::error\\n  ::stop-commands::tok\\r\\n##\\\[set-output", out, re.MULTILINE)) > 1
    assert len(re.findall(r"^sft\.yaml:.*\\n::add-mask", out, re.MULTILINE)) > 1
    assert r"##\[set-output name=exit-code;]0 ##vso\[task.x]" in hostile("check", "--no-cache").out


@pytest.mark.parametrize("argv", ARGUED, ids=named)
def test_no_complaint_about_an_argument_does(hostile, capsys, faults: Faults, argv: list[str]) -> None:
    ran = hostile(*(argument.replace("\0", "") for argument in argv))
    said = capsys.readouterr().err + ran.err
    assert not faults(ran.out) | faults(said)
    assert ran.code == 2 or argv[1] in ("--budget", "--")
    if said.startswith("budgetlint:"):
        assert said.count("\n") == 1


@pytest.mark.parametrize("command", [["check"], ["estimate"], ["solve"], ["fmt"], ["fmt", "--diff"], ["fmt", "--format", "json"]])
def test_nor_about_standard_input(hostile, faults: Faults, command: list[str]) -> None:
    ran = hostile(
        *command, "-", stdin=f'device   24GiB; model qwen2.5-1.5b; batch 4; seq 512\nassert peak <= 1GiB, "{LINE}"\nmodel {ATTACK}\n'
    )
    assert ran.code in (1, 2)
    assert not faults(ran.out) | faults(ran.err)


@pytest.mark.parametrize(
    "argv", [["check", "--format", format] for format in FORMATS] + [["estimate", "--format", f] for f in ("text", "json", "markdown")]
)
def test_nor_a_comparison(hostile, faults: Faults, argv: list[str]) -> None:
    (hostile.root / ".git").rmdir()
    environ = {**os.environ, **{f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=hostile.root, check=True, env=environ)
    hostile.write(NAME, yaml_of("steps", "fine").replace("batch_size: 64", "batch_size: 2"))
    hostile.write("sft.yaml", yaml_of(f"more{ATTACK}", LINE))
    ran = hostile(*argv, "--compare-with", "HEAD", environ=os.environ)
    assert not faults(ran.out, annotations="github" in argv) | faults(ran.err)
    assert loaded(argv, ran.out)


def test_a_report_in_a_file_is_as_clean(hostile, faults: Faults) -> None:
    hostile("check", *(word for name in FORMATS for word in ("--format", f"{name}=out.{name}")))
    for name in FORMATS:
        assert not faults((hostile.root / f"out.{name}").read_text(encoding="utf-8"), annotations=name == "github")


def test_a_remembered_answer_is_as_clean(
    project, faults: Faults, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whoever wrote it."""
    monkeypatch.setattr("budgetlint.engine.cache.recall", lambda *_: CachedAnswer(ATTACK, ATTACK, 0))
    ran = project("check", environ={"HOME": str(tmp_path_factory.mktemp("home"))})
    assert "add-mask" in ran.out
    assert "add-mask" in ran.err
    assert not faults(ran.out) | faults(ran.err)


def test_a_line_break_in_a_value_makes_no_line(shell) -> None:
    shell.write("card.budget", "device 24GiB\n")
    counts = []
    for text in ("a b", "a\nb", "a\r\nb::c", "\n::error::a\n"):
        shell.write("sft.yaml", yaml_of(text, "x"))
        ran = [shell("check", "--no-cache", "--info", "--format", format) for format in ("concise", "github")]
        counts.append(
            [one.out.count("\n") for one in ran] + [shell("files").out.count("\n"), shell("check", "--statistics").out.count("\n")]
        )
    assert counts == [counts[0]] * 4


def test_a_name_is_a_cell_of_its_line(shell) -> None:
    shell.write("日本語.yaml", "a: 1\n")
    shell.write("two\nlines.yaml", "a: 1\n")
    shell.write("a.yaml", "a: 1\n")
    assert shell("files").out.splitlines() == ["a.yaml           -", "two\\nlines.yaml  -", "日本語.yaml      -"]


def test_what_people_write_for_people_is_still_there(shell) -> None:
    shell.write("sft.yaml", yaml_of("é 日本語 👩‍💻 ❤️ “x”", "ñ"))
    shell.write("card.budget", "device 24GiB\n")
    assert "é 日本語 👩💻 ❤ “x”" in shell("check", "--no-cache", "--info").out


PIECES = st.sampled_from(
    ("\n", "\r\n", "\r", "\x1b[2J", "\x07", "\x7f", "\x9b", "\u202e", "\u200b", "\u2028", "\xad", "\ufeff", "\U000e0041", "::", "::error::",
     "##[", "##vso[", "]", "[a](http://b)", "<b>", "`", "@x", "é", "👩‍💻", "|", "${x}", "'", '"', "\\", ": ", "- ", "{{", "%", " ", "#")
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=3), min_size=1, max_size=8).map("".join).map(lambda text: text.replace("\0", ""))


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(TEXTS, TEXTS, TEXTS)
def test_whatever_stands_in_a_project(shell, faults: Faults, value: str, comment: str, name: str) -> None:
    for path in shell.root.rglob("*.*"):
        if path.is_file():
            path.unlink()
    line = re.sub(r"[\r\n\x0b\x0c\x85\u2028\u2029]", " ", comment)
    whole = f"n{re.sub('[/]', '', name)[:40]}.yaml"
    Path(shell.root / os.fsdecode(whole.encode("utf-8", "replace"))).write_text(yaml_of(value, line), encoding="utf-8", errors="replace")
    shell.write("card.budget", budget_of(line).encode("utf-8", "replace"))
    shell.write("job.log", log_of(comment).encode("utf-8", "replace"))
    for argv in (
        *(["check", "--no-cache", "--info", "--format", format] for format in FORMATS),
        *ON_RUNS[:-1],
        ["files"],
        ["check", "--diff"],
    ):
        ran = shell(*argv)
        assert not faults(ran.out, annotations="github" in argv) - {"\t"}, argv
        assert not faults(ran.err), argv
        assert loaded(argv, ran.out) is not None
