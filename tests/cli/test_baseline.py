"""``check --baseline`` and ``--statistics``: living with what is already there."""

from __future__ import annotations

import json

TRAIN = """model_name_or_path: Qwen/Qwen2.5-1.5B
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 1
fp16: true
bf16: true
"""


def recorded(shell) -> list[str]:
    return [row["name"] for row in json.loads((shell.root / "known.json").read_text())["findings"]]


def test_the_first_run_records_and_the_next_is_clean(shell) -> None:
    shell.write("train.yaml", TRAIN)
    assert shell("check").code == 1
    first = shell("check", "--write-baseline", "known.json")
    assert first.code == 0
    assert "known.json did not exist: 1 finding recorded in it" in first.err
    again = shell("check", "--baseline", "known.json")
    assert (again.code, again.err) == (0, "")
    assert "1 in the baseline" in again.out
    assert recorded(shell) == ["fp16-bf16-both"]


def test_it_knows_a_finding_whose_line_has_moved_and_tells_a_new_one(shell) -> None:
    shell.write("train.yaml", TRAIN)
    shell("check", "--write-baseline", "known.json")
    shell.write("train.yaml", "# moved\n" + TRAIN + "load_in_4bit: true\nload_in_8bit: true\n")
    ran = shell("check", "--write-baseline", "known.json", "--format", "json")
    assert [finding["name"] for finding in ran.json["findings"]] == ["load-4bit-and-8bit"]
    assert ran.json["summary"]["baselined"] == 1


def test_it_shrinks_and_never_grows(shell) -> None:
    shell.write("train.yaml", TRAIN)
    shell.write("other.yaml", TRAIN)
    shell("check", "--write-baseline", "known.json")
    shell.write("train.yaml", TRAIN.replace("fp16: true\n", "load_in_4bit: true\nload_in_8bit: true\n"))
    ran = shell("check", "--write-baseline", "known.json")
    assert "known.json: 1 finding gone, 1 left" in ran.err
    assert "load_in_8bit" in ran.out
    assert recorded(shell) == ["fp16-bf16-both"]


def test_what_was_not_looked_at_stays(shell) -> None:
    shell.write("a/train.yaml", TRAIN)
    shell.write("b/train.yaml", TRAIN)
    shell("check", "--write-baseline", "known.json")
    for words in (["a"], ["--select", "BL3"], ["a/train.yaml"]):
        assert shell("check", "--write-baseline", "known.json", *words).code == 0
        assert len(recorded(shell)) == 2
    (shell.root / "b" / "train.yaml").unlink()
    shell("check", "--write-baseline", "known.json")
    assert len(recorded(shell)) == 1


def test_the_old_flag_makes_it_for_one_release_and_says_so(shell) -> None:
    shell.write("train.yaml", TRAIN)
    made = shell("check", "--baseline", "known.json")
    assert (made.code, "from the next release on only --write-baseline does that" in made.err) == (0, True)
    shell.write("train.yaml", TRAIN.replace("fp16: true\n", ""))
    assert "1 finding gone, 0 left; from the next release on only --write-baseline" in shell("check", "--baseline", "known.json").err


def test_a_missing_one_is_no_answer_on_a_ci_machine(shell) -> None:
    shell.write("train.yaml", TRAIN)
    ci = type(shell)(shell.root, {**shell.environ, "CI": "true"})
    ran = ci("check", "--baseline", "known.json")
    assert (ran.code, "`budgetlint check --write-baseline known.json` makes it" in ran.err) == (2, True)
    assert ci("check", "--write-baseline", "known.json").code == 0
    assert ci("check", "--baseline", "known.json").code == 0


MISUSES = {
    "both": ["--baseline", "a.json", "--write-baseline", "a.json"],
    "with a revision": ["--write-baseline", "a.json", "--compare-with", "HEAD"],
}


def test_what_does_not_go_together(shell) -> None:
    shell.write("train.yaml", TRAIN)
    assert {name: shell("check", *words).code for name, words in MISUSES.items()} == dict.fromkeys(MISUSES, 2)


def test_the_language_is_never_hidden(shell) -> None:
    shell.write("run.budget", "devcie 24GiB\n")
    assert shell("check", "--write-baseline", "known.json").code == 1
    assert recorded(shell) == []


def test_a_broken_baseline_is_refused_by_name(shell) -> None:
    for text, problem in (("{", "is not JSON"), ("[]", "no baseline of version 1"), ('{"version": 1, "findings": [{}]}', "finding 1")):
        shell.write("known.json", text)
        ran = shell("check", "--baseline", "known.json")
        assert ran.code == 2
        assert "--baseline known.json" in ran.err
        assert problem in ran.err


def test_the_settings_can_name_it(shell) -> None:
    shell.write("pyproject.toml", '[tool.budgetlint]\nbaseline = "known.json"\n')
    shell.write("train.yaml", TRAIN)
    missing = shell("check")
    assert missing.code == 2
    assert "baseline known.json of the settings does not exist: `budgetlint check --write-baseline known.json` makes it" in missing.err
    assert shell("check", "--write-baseline", "known.json").code == 0
    assert recorded(shell) == ["fp16-bf16-both"]
    assert shell("check").code == 0


def test_statistics_count_rules_instead_of_findings(shell) -> None:
    shell.write("a.yaml", TRAIN)
    shell.write("b.yaml", TRAIN + "load_in_4bit: true\nload_in_8bit: true\n")
    ran = shell("check", "--statistics")
    rows = [line.split() for line in ran.out.splitlines() if " BL" in line]
    assert [(row[0], row[2]) for row in rows] == [("2", "BL205"), ("1", "BL403")]
    assert "in 2 files" in ran.out
    assert "a.yaml" not in ran.out
    assert ran.code == 1
    statistics = shell("check", "--format", "json").json["statistics"]
    assert [(row["code"], row["findings"]) for row in statistics if row["severity"] == "error"] == [("BL205", 2), ("BL403", 1)]
