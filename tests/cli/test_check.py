"""``budgetlint check``: what it prints, what its options do, and the exit code a gate depends on."""

from __future__ import annotations

import json

import pytest

BIG = "device 8GiB; model qwen2.5-1.5b; optimizer adamw; batch 4; seq 1024\n"
FITS = "device 24GiB; model qwen2.5-1.5b; lora r=8; batch 1; seq 512; recompute full; attention sdpa; stack transformers@5.24 torch@2.13\n"
DOUBLE = "BL922"


def codes(ran) -> list[str]:
    return [finding["code"] for finding in ran.json["findings"]]


# -- exit codes --------------------------------------------------------------------------------------------------------


EXITS = [
    ("clean", FITS, [], 0),
    ("an error", BIG, [], 1),
    ("an error, nothing fails", BIG, ["--ignore", "BL101"], 0),
    (
        "a warning",
        "device 24GiB; model qwen2.5-1.5b; optimizer adamw; batch 1; seq 1024; allow logits-spike\n",
        ["--fail-on", "warning"],
        1,
    ),
    ("a remark", "device rtx-4090; reserve 3GB; " + FITS.partition("; ")[2], [], 0),
    ("a remark that fails", "device rtx-4090; reserve 3GB; " + FITS.partition("; ")[2], ["--fail-on", "info"], 1),
    ("no verdict", "device 24GiB; model qwen2.5-1.5b; lora r=8\n", [], 0),
    ("no verdict, where one is required", "device 24GiB; model qwen2.5-1.5b; lora r=8\n", ["--require-verdict"], 1),
    ("nothing at all, where a verdict is required", "", ["--require-verdict"], 1),
    ("a budget that is no budget", "devcie 24GiB\n", [], 1),
]


@pytest.mark.parametrize(("budget", "options", "code"), [row[1:] for row in EXITS], ids=[row[0] for row in EXITS])
def test_exit_code(shell, budget: str, options: list[str], code: int) -> None:
    shell.write("run.budget", budget)
    ran = shell("check", *options)
    assert (ran.code, ran.err) == (code, ""), ran.out


MISUSES = [
    (["check", "no-such.yaml"], "no-such.yaml does not exist"),
    (["check", "--format", "sarfi"], "unknown format 'sarfi'; known: full, concise, json"),
    (["check", "--format", "json=no/such/folder/out.json"], "cannot be written"),
    (["check", "--select", "does-not-fitt"], "did you mean 'does-not-fit'?"),
    (["check", "--ignore", "BL997"], "no rule or family is called 'BL997'"),
    (["check", "--set", "micro_batch"], "write KEY=VALUE"),
    (["check", "--set", "microbatch=2"], "did you mean 'micro_batch'?"),
    (["check", "--set", "micro_batch=two"], "micro_batch is a number"),
    (["check", "--set", "micro_batch=0"], "at least 1"),
    (["check", "--set", "seq_len=99999999999999999999"], "seq_len is a number"),
    (["check", "--set", "learning_rate=nan"], "learning_rate is a number"),
    (["check", "--set", "recompute=fulll"], "recompute is one of none, selective, full"),
    (["check", "--set", "optimizer=adamw_8bitt"], "did you mean adamw8bit"),
    (["check", "--set", "model=qwen2.5-1.5"], "did you mean qwen2.5-1.5b"),
    (["check", "--set", "packing=perhaps"], "write on or off"),
    (["check", "--target", "laptop"], "no run is on target 'laptop'"),
    (["estimate", "no-such.budget"], "no-such.budget does not exist"),
    (["estimate", "notes.txt"], "nothing to estimate"),
    (["fmt", "sft.yaml"], "sft.yaml is no budget"),
    (["fmt"], "name the budget files"),
    (["fmt", "gone.budget"], "gone.budget"),
    (["rule", "does-not-fti"], "did you mean 'does-not-fit'?"),
    (["devices", "rtx-4909"], "did you mean"),
    (["models", "qwen2.5-1.5"], "did you mean"),
    (["optimizers", "adamww"], "did you mean"),
    (["chek"], "did you mean 'check'?"),
]


@pytest.mark.parametrize(("argv", "said"), MISUSES, ids=[" ".join(argv) for argv, _ in MISUSES])
def test_wrong_use_says_what_to_write(project, argv: list[str], said: str) -> None:
    project.write("notes.txt", "nothing\n")
    ran = project(*argv)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("budgetlint: ")
    assert said in ran.err


@pytest.mark.parametrize("argv", [["check", "--no-such-option"], ["check", "--fail-on", "fatal"], ["estimate", "--format", "svgg"]])
def test_options_that_do_not_exist(shell, argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert shell(*argv).code == 2
    assert "usage:" in capsys.readouterr().err


def test_help_and_version(shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert [shell("--version").code, shell("--help").code, shell("check", "--help").code] == [0, 0, 0]
    shown = capsys.readouterr().out
    assert "budgetlint 0." in shown
    assert all(command in shown for command in ("check", "estimate", "files", "fmt", "rule", "devices", "models", "optimizers"))


def test_no_command_shows_help(shell) -> None:
    ran = shell()
    assert (ran.code, "budgetlint check" in ran.out) == (2, True)


# -- what is judged ----------------------------------------------------------------------------------------------------


LAST_LINES = [
    ("", "No run was judged: no training config and no budget with a model was found."),
    (FITS, "1 run judged: 1 fits."),
    (BIG, "1 run judged: 1 does not fit."),
    ("device 24GiB; model qwen2.5-1.5b; lora r=8\n", "No run was judged: not known: micro_batch, seq_len."),
    (
        "target a { device 24GiB }\ntarget b { device 4GiB }\nrun r { on a b; " + FITS.partition("; ")[2].rstrip() + " }\n"
        "run s { on a; model qwen2.5-1.5b; lora r=8 }\n",
        "2 runs judged of 3: 1 fits, 1 does not fit, 1 unknown (not known: micro_batch, seq_len).",
    ),
]


@pytest.mark.parametrize(("budget", "last"), LAST_LINES)
def test_the_last_line_counts_verdicts(shell, budget: str, last: str) -> None:
    if budget:
        shell.write("run.budget", budget)
    for style in ("full", "concise"):
        assert shell("check", "--format", style).last == last


def test_a_config_without_a_budget_says_what_to_write(project) -> None:
    (project.root / "card.budget").unlink()
    assert project("check").last.endswith("(budgetlint init, or --budget 'device 24GiB').")


def test_the_owners_line(shell) -> None:
    """Issue 2: the line parses, estimates, and 3GB beside a device in GiB is told as 2.79 GiB."""
    line = "device 32GiB; reserve 3GB; model qwen2.5-1.5b; optimizer adamw8bit; lora r=16"
    ran = shell("check", "--budget", line, "--format", "concise")
    assert ran.code == 0
    assert "--budget:1:23: warning BL105 unit-mixup: reserve 3GB is 2.79 GiB beside a device in GiB" in ran.out
    bill = shell("estimate", "-", stdin=line)
    assert bill.code == 0
    assert "limit 29.21 GiB = 32GiB: 32.00 GiB (34.36 GB) usable - 2.79 GiB reserved" in bill.out
    (run,) = shell("estimate", "-", "--format", "json", stdin=line).json["runs"]
    assert (run["name"], run["limit_bytes"], run["missing"]) == ("stdin", 32 * 2**30 - 3 * 10**9, ["micro_batch", "seq_len"])
    assert (run["params"], run["trainable_params"]) == (1_543_714_304, 18_464_768)


# -- choosing ----------------------------------------------------------------------------------------------------------


def test_select_and_ignore(project) -> None:
    assert DOUBLE in codes(project("check", "--format", "json"))
    assert codes(project("check", "--format", "json", "--select", "BL1")) == []
    assert codes(project("check", "--format", "json", "--select", "BL1,duplicate-key")) == [DOUBLE]
    assert codes(project("check", "--format", "json", "--select", "BL9", "--ignore", DOUBLE)) == []


def test_remarks_are_counted_and_shown_when_asked(shell) -> None:
    shell.write("run.budget", "device rtx-4090; reserve 3GB; " + FITS.partition("; ")[2])
    assert "No problem in 1 budget; 1 remark not shown (--info)." in shell("check").out
    assert "info BL105 unit-mixup" in shell("check", "--info", "--format", "concise").out


def test_set_overrides_every_file(project) -> None:
    one, four = (project("check", "--format", "json", "--set", f"micro_batch={n}").json["runs"][0]["need"] for n in (1, 4))
    assert one < four
    assert project("check", "--format", "json").json["runs"][0]["need"] == one


def test_target_chooses_runs(shell) -> None:
    shell.write(
        "fleet.budget", "target a { device 24GiB }\ntarget b { device 4GiB }\nrun r { on a b; " + FITS.partition("; ")[2].rstrip() + " }\n"
    )
    assert [run["target"] for run in shell("check", "--format", "json").json["runs"]] == ["a", "b"]
    assert [run["target"] for run in shell("check", "--format", "json", "--target", "a").json["runs"]] == ["a"]
    assert shell("check", "--target", "a").code == 0
    ran = shell("check", "--target", "c")
    assert (ran.code, ran.err) == (2, "budgetlint: no run is on target 'c'; targets: a, b\n")


def test_paths_are_files_and_folders(project, sft: str) -> None:
    project.write("other/more.yaml", sft)
    assert [run["name"] for run in project("check", "--format", "json").json["runs"]] == ["other/more.yaml", "sft.yaml"]
    assert [run["name"] for run in project("check", "other", "--format", "json").json["runs"]] == ["other/more.yaml"]
    assert [run["name"] for run in project("check", "sft.yaml", "--format", "json").json["runs"]] == ["sft.yaml"]


def test_a_budget_from_standard_input(shell) -> None:
    assert shell("check", "-", stdin=BIG).code == 1


# -- where budgets stand -----------------------------------------------------------------------------------------------


def limit(ran) -> int:
    (run,) = ran.json["runs"]
    return run["limit"]


def test_a_budget_on_the_command_line(project) -> None:
    (project.root / "card.budget").unlink()
    assert limit(project("check", "--format", "json", "--budget", "device 10GiB")) == 10 * 2**30


def test_a_budget_in_a_comment_of_the_config(project, sft: str) -> None:
    project.write("sft.yaml", "# budget: device 12GiB; reserve 2GiB\n" + sft)
    assert limit(project("check", "--format", "json")) == 10 * 2**30


def test_a_budget_in_pyproject(project) -> None:
    (project.root / "card.budget").unlink()
    project.write("pyproject.toml", '[tool.budgetlint]\nbudget = "device 9GiB; reserve 1GiB"\n')
    assert limit(project("check", "--format", "json")) == 8 * 2**30


def test_settings_in_pyproject(project) -> None:
    project.write("pyproject.toml", '[tool.budgetlint]\nignore = ["duplicate-key"]\nfail-on = "warning"\n')
    assert codes(project("check", "--format", "json")) == []
    project.write("pyproject.toml", '[tool.budgetlint.levels]\nduplicate-key = "info"\n')
    assert (project("check").code, project("check", "--fail-on", "info").code) == (0, 1)
    project.write("pyproject.toml", "[tool.budgetlint]\nrequire-verdict = true\n")
    (project.root / "card.budget").unlink()
    assert project("check", "--ignore", "duplicate-key").code == 1


def test_settings_hold_in_folders_below(project) -> None:
    project.write("pyproject.toml", '[tool.budgetlint]\nignore = ["duplicate-key"]\n')
    below = project.root / "configs"
    below.mkdir()
    (project.root / "sft.yaml").rename(below / "sft.yaml")
    inside = type(project)(below)
    assert DOUBLE not in codes(inside("check", "--format", "json"))


def test_suppression_in_the_config(project, sft: str) -> None:
    project.write("sft.yaml", sft.replace("output_dir: tmp", "output_dir: tmp  # budgetlint: allow duplicate-key kept for the old script"))
    ran = project("check")
    assert (ran.code, "1 suppressed" in ran.out) == (0, True)


# -- output ------------------------------------------------------------------------------------------------------------


def test_several_formats(project) -> None:
    ran = project("check", "--format", "json=out/report.json", "--format", "concise")
    assert ran.code == 2  # the folder is not there
    ran = project("check", "--format", "json=report.json", "--format", "full=report.txt", "--format", "concise")
    assert ran.code == 1
    assert ran.out.startswith("sft.yaml:12:1: error BL922 duplicate-key: output_dir stands twice")
    assert codes_in(project.root / "report.json") == [DOUBLE]
    assert "12 | output_dir: tmp" in (project.root / "report.txt").read_text(encoding="utf-8")


def codes_in(path) -> list[str]:
    return [finding["code"] for finding in json.loads(path.read_text(encoding="utf-8"))["findings"]]


def test_the_full_format_shows_line_cause_and_cure(project) -> None:
    out = project("check").out
    for part in ("error[BL922]", "--> sft.yaml:12:1", "12 | output_dir: tmp", "^^^^^^^^^^", "= help: ", "= fix: ", "budgetlint rule BL922"):
        assert part in out


ESCAPE = "\x1b["
COLORS = [
    ([], False, {}, False),
    ([], True, {}, True),
    ([], True, {"NO_COLOR": "1"}, False),
    ([], True, {"TERM": "dumb"}, False),
    (["--color", "always"], False, {}, True),
    (["--color", "never"], True, {}, False),
]


@pytest.mark.parametrize("command", [["check"], ["estimate"]])
@pytest.mark.parametrize(("options", "terminal", "environ", "colored"), COLORS)
def test_color(project, command: list[str], options: list[str], terminal: bool, environ: dict[str, str], colored: bool) -> None:
    ran = project(*command, *options, terminal=terminal, environ=environ)
    assert (ESCAPE in ran.out) is colored


def test_a_file_never_gets_color(project) -> None:
    project("check", "--color", "always", "--format", "full=report.txt")
    assert ESCAPE not in (project.root / "report.txt").read_text(encoding="utf-8")


# -- fixes -------------------------------------------------------------------------------------------------------------


def text(project) -> str:
    return (project.root / "sft.yaml").read_text(encoding="utf-8")


def test_fix_applies_safe_fixes_and_leaves_the_rest_of_the_text(project, sft: str) -> None:
    ran = project("check", "--fix")
    assert text(project) == sft.replace("output_dir: tmp\n", "")
    assert (ran.code, ran.err) == (0, "budgetlint: 1 fix applied in sft.yaml\n")
    assert ran.last == "1 run judged: 1 fits."
    again = project("check", "--fix")
    assert (again.code, again.err, text(project)) == (0, "", sft.replace("output_dir: tmp\n", ""))


def test_diff_shows_the_fix_and_changes_nothing(project, sft: str) -> None:
    ran = project("check", "--diff")
    assert text(project) == sft
    assert ran.code == 1, "the error is still in the file"
    assert ran.out.startswith("--- sft.yaml\n+++ sft.yaml\n@@ ")
    assert "\n-output_dir: tmp\n" in ran.out
    assert "\n+" not in ran.out.replace("\n+++ sft.yaml", "")


def test_unsafe_fixes_only_when_asked(project, sft: str) -> None:
    project.write("sft.yaml", sft.replace("gradient_checkpointing", "gradient_checkpoiting").replace("output_dir: tmp\n", ""))
    before = text(project)
    assert project("check", "--fix").err == ""
    assert text(project) == before
    assert "applied in sft.yaml" in project("check", "--fix", "--unsafe-fixes").err
    assert text(project) == sft.replace("output_dir: tmp\n", "")


def test_fixes_are_judged_with_everything_that_lies_beside(project) -> None:
    """The checkpoint's config.json and the pinned versions are read again when a fix is tried."""
    config = '{"model_type": "llama", "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, '
    config += '"num_attention_heads": 4, "vocab_size": 1000}'
    project.write("models/tiny/config.json", config)
    project.write("configs/sft.yaml", text(project).replace("Qwen/Qwen2.5-1.5B", "models/tiny"))
    project.write("requirements.txt", "transformers==5.24.0\ntrl==1.16.0\n")
    project.write("configs/card.budget", "device 24GiB\n")
    before = project("check", "configs/sft.yaml", "--budget", "device 24GiB", "--format", "json").json["runs"]
    after = project("check", "configs/sft.yaml", "--budget", "device 24GiB", "--format", "json", "--fix").json["runs"]
    assert before == after
    assert after[0]["verdict"] == "fits"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_fix_keeps_encoding_and_line_ends(project, sft: str, encoding: str) -> None:
    path = project.write("sft.yaml", sft.replace("\n", "\r\n").encode(encoding))
    assert project("check", "--fix").code == 0
    assert path.read_bytes() == sft.replace("output_dir: tmp\n", "").replace("\n", "\r\n").encode(encoding)


def test_a_file_that_cannot_be_written_is_told(project) -> None:
    path = project.root / "sft.yaml"
    target = project.root / "real.txt"
    path.rename(target)
    path.symlink_to("real.txt")
    ran = project("check", "--fix")
    assert "Traceback" not in ran.err
    assert ran.code in (0, 1, 2)


UNJUDGED = [
    ("an empty repository", {}, "No run was judged: no training config and no budget with a model was found."),
    ("no budget", {"sft.yaml": None}, "No run was judged: no budget names a device (budgetlint init, or --budget 'device 24GiB')."),
]


@pytest.mark.parametrize(("files", "told"), [row[1:] for row in UNJUDGED], ids=[row[0] for row in UNJUDGED])
@pytest.mark.parametrize("format", ["full", "concise", "github"])
def test_a_gate_that_could_judge_nothing_says_so(shell, sft: str, files: dict[str, None], told: str, format: str) -> None:
    for path in files:
        shell.write(path, sft)
    gate = shell("check", "--require-verdict", "--format", format)
    assert gate.code == 1
    assert f"{told} A verdict is required of every run." in " ".join(gate.out.split())
    assert "is required" not in shell("check", "--format", format).out


def test_what_no_file_holds_is_not_written(shell) -> None:
    """A budget of the command line, one of the settings, a command: where a file has the same mistake, only that is mended."""
    whole = "device l4; declared; model qwen2.5-1.5b; batch 1; watches x.yaml"
    shell.write("x.yaml", "steps: 1\n")
    shell.write("gpu.budget", f"{whole}\n")
    for argv in (
        ("check", "--fix", "--budget", whole),
        ("check", "--fix", "--unsafe-fixes", "--", "trl", "sft", "--evaluation_strategy", "no"),
    ):
        shell(*argv)
    settings = f"[tool.budgetlint]\nbudget = '''{whole}'''\n"
    shell.write("pyproject.toml", settings)
    shell.write("gpu.budget", f"{whole}\n")
    assert "applied in gpu.budget\n" in shell("check", "--fix").err
    assert (shell.root / "pyproject.toml").read_text(encoding="utf-8") == settings
    assert sorted(path.name for path in shell.root.iterdir() if path.is_file()) == ["gpu.budget", "pyproject.toml", "x.yaml"]
