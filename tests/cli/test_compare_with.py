"""``--compare-with REV`` on real git repositories: what a change costs, which findings it brings, and that nothing is touched."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from budgetlint.commands import compare_with, touched
from budgetlint.schemas import schemas

AUTHOR = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c"}
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PATH": os.environ["PATH"]}

TRAIN = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: a/b
per_device_train_batch_size: 1
gradient_accumulation_steps: 1
learning_rate: 1.0e-5
num_train_epochs: 1
max_length: 512
gradient_checkpointing: true
bf16: true
"""
ZERO = '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}\n'
BUDGET = "device 8x 24GiB; reserve 1GiB\nstack transformers@5.24 trl@1.16 torch@2.13\n"


@dataclass(frozen=True)
class Repo:
    """A repository, and budgetlint in one of its folders."""

    shell: object

    @property
    def root(self) -> Path:
        return self.shell.root

    def git(self, *words: str, folder: str = ".") -> str:
        ran = subprocess.run(
            ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words],
            cwd=self.root / folder, env={**QUIET, **AUTHOR}, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    def write(self, path: str, text: str | bytes) -> Path:
        return self.shell.write(path, text)

    def change(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a change")
        return self.git("rev-parse", "HEAD")

    def __call__(self, *argv: str, folder: str = ".", environ: Mapping[str, str] | None = None, **more: str):
        where = type(self.shell)((self.root / folder).resolve(), QUIET if environ is None else environ)
        return where(*argv, **more)

    def compare(self, *argv: str, folder: str = "."):
        return self("check", *argv, "--compare-with", "HEAD", "--format", "json", folder=folder).json["compare"]


@pytest.fixture
def empty(shell) -> Repo:
    made = Repo(shell)
    made.git("init", "-q")
    return made


STARTED = (
    "a.yaml", "b.yaml", "d/small.yaml", "d/new.yaml", "d/next.yaml", "d/up.yaml", "e/train.yaml", "e/one.yaml", "e/two.yaml",
    "more/x.yaml", "more/y.yaml", "glob/one.yaml", *(f"many/{number}.yaml" for number in range(20)),
)  # fmt: skip
README = "# Training\n\n```bash\n" + "".join(f"trl sft --config {path}\n" for path in STARTED) + "```\n"
"""Whose the files are; it starts no run."""


@pytest.fixture
def repo(empty: Repo) -> Repo:
    """Four runs: two share a DeepSpeed file, one is started by a script, one lies in a folder with a budget of its own."""
    empty.write("a.yaml", TRAIN + "deepspeed: ds/zero.json\n")
    empty.write("b.yaml", TRAIN + "deepspeed: ds/zero.json\n")
    empty.write("c.yaml", TRAIN.replace("1.5B", "0.5B"))
    empty.write("run_c.sh", "trl sft --config c.yaml\n")
    empty.write("README.md", README)
    empty.write("d/small.yaml", TRAIN.replace("1.5B", "0.5B"))
    empty.write("d/card.budget", "device 16GiB; reserve 1GiB\n")
    empty.write("ds/zero.json", ZERO)
    empty.write("node.budget", BUDGET)
    empty.commit()
    return empty


@pytest.fixture
def beside(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder that is not there yet, outside the repository."""
    return str(tmp_path_factory.mktemp("beside") / "copy")


def told(comparison) -> dict[str, tuple[str, str | None, str | None]]:
    """Of each run: what became of it, its verdict before and after."""
    sides = ((one["name"], one["change"], one["before"], one["after"]) for one in comparison["runs"])
    return {name: (change, was and was["verdict"], now and now["verdict"]) for name, change, was, now in sides}


# -- what a change costs -----------------------------------------------------------------------------------------------------

CHANGES = [
    ("nothing", {}, {}),
    ("a line", {"d/small.yaml": ("batch_size: 1", "batch_size: 2")}, {"d/small.yaml": ("changed", "fits", "fits")}),
    ("a line that costs nothing", {"d/small.yaml": ("1.0e-5", "2.0e-5")}, {"d/small.yaml": ("changed", "fits", "fits")}),
    ("a comment", {"d/small.yaml": ("bf16: true", "bf16: true  # half")}, {}),
    ("a line that breaks it", {"d/small.yaml": ("0.5B", "7B")}, {"d/small.yaml": ("changed", "fits", "does-not-fit")}),
    ("a shared file", {"ds/zero.json": ("3", "2")}, {"a.yaml": ("changed", "fits", "fits"), "b.yaml": ("changed", "fits", "fits")}),
    ("a config of a script", {"c.yaml": ("512", "1024")}, {"run_c.sh": ("changed", "fits", "fits")}),
    ("a budget", {"d/card.budget": ("16GiB", "4GiB")}, {"d/small.yaml": ("changed", "fits", "does-not-fit")}),
    ("a run that goes", {"d/small.yaml": None}, {"d/small.yaml": ("removed", "fits", None)}),
    ("a run that comes", {"new.yaml": TRAIN}, {"new.yaml": ("added", None, "unknown")}),
    (
        "a run that moves",
        {"d/small.yaml": None, "d/other.yaml": TRAIN.replace("1.5B", "0.5B")},
        {"d/other.yaml": ("changed", "fits", "fits")},
    ),
    (
        "a run that moves and grows",
        {"d/small.yaml": None, "d/other.yaml": TRAIN.replace("1.5B", "7B")},
        {"d/other.yaml": ("changed", "fits", "does-not-fit")},
    ),
]


def apply(repo: Repo, edits) -> None:
    for path, edit in edits.items():
        if edit is None:
            (repo.root / path).unlink()
        elif isinstance(edit, tuple):
            repo.change(path, *edit)
        else:
            repo.write(path, edit)


@pytest.mark.parametrize(("edits", "runs"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_runs_before_and_after(repo: Repo, edits, runs) -> None:
    apply(repo, edits)
    found = repo.compare()
    assert told(found) == runs
    assert found["unchanged"] == 4 - sum(1 for change, *_ in runs.values() if change != "added")


@pytest.mark.parametrize("edits", [row[1] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_differences_add_up(repo: Repo, edits) -> None:
    apply(repo, edits)
    for run in repo.compare()["runs"]:
        need = [(run[side] or {}).get("need") or 0 for side in ("before", "after")]
        assert run["difference_bytes"] == need[1] - need[0]
        for part in (run["terms"], run["lines"], run["buckets"].values()):
            assert sum(one["difference_bytes"] for one in part) == run["difference_bytes"]


def test_a_changed_setting_has_its_line_on_both_sides(repo: Repo) -> None:
    repo.change(
        "d/small.yaml", "dataset_name: a/b\nper_device_train_batch_size: 1\n", "per_device_train_batch_size: 32\ndataset_name: a/b\n"
    )
    (run,) = repo.compare()["runs"]
    (setting,) = [one for one in run["settings"] if one["name"] == "micro_batch"]
    before, after = ({key: setting[side][key] for key in ("value", "file", "line", "key")} for side in ("before", "after"))
    assert before == {"value": "1", "file": "d/small.yaml", "line": 3, "key": "per_device_train_batch_size"}
    assert after == {"value": "32", "file": "d/small.yaml", "line": 2, "key": "per_device_train_batch_size"}
    assert run["lines"][0]["settings"][0]["name"] == "micro_batch"
    assert ["micro_batch"] in [term["changed"] for term in run["terms"]]


def test_what_breaks_stands_first(repo: Repo) -> None:
    repo.change("c.yaml", "512", "1024")
    repo.change("d/small.yaml", "0.5B", "7B")
    repo.write("d/new.yaml", TRAIN.replace("1.5B", "14B"))
    runs = repo.compare()["runs"]
    assert [run["broke"] for run in runs] == [True, True, False]
    assert runs[-1]["name"] == "run_c.sh"


def test_a_new_pin_changes_the_runs_beside_it(repo: Repo) -> None:
    repo.write("e/train.yaml", TRAIN)
    repo.write("e/card.budget", "device 80GiB\n")
    repo.write("e/requirements.txt", "transformers==4.56.0\ntorch==2.6.0\n")
    repo.commit()
    repo.change("e/requirements.txt", "4.56.0", "5.2.0")
    (run,) = repo.compare()["runs"]
    (pin,) = [one for one in run["settings"] if one["name"] == "stack transformers"]
    assert (run["name"], pin["before"]["value"], pin["after"]["value"]) == ("e/train.yaml", "4.56.0", "5.2.0")
    assert (pin["after"]["file"], pin["after"]["line"]) == ("e/requirements.txt", 1)


# -- findings ----------------------------------------------------------------------------------------------------------------

NEW = [
    ("an old mistake", {"d/small.yaml": ("512", "513")}, [], 0),
    ("a comment above an old mistake", {"d/small.yaml": ("dataset_name", "# more\n# lines\ndataset_name")}, [], 0),
    ("a new mistake", {"c.yaml": ("bf16: true", "bf16: true\nfp16: true")}, ["BL205"], 1),
    ("a run that does not fit", {"d/small.yaml": ("0.5B", "7B")}, ["BL101"], 1),
    ("a file that a config names is gone", {"d/card.budget": "device 16GiB; reserve 1GiB\nconfig gone.yaml\n"}, ["BL914"], 1),
]


@pytest.mark.parametrize(("edits", "codes", "code"), [row[1:] for row in NEW], ids=[row[0] for row in NEW])
def test_only_new_findings_count(repo: Repo, edits, codes: list[str], code: int) -> None:
    repo.change("d/small.yaml", "bf16: true", "bf16: true\nfp16: true\nsave_steps: 10")
    repo.commit()
    assert repo("check").code == 1
    apply(repo, edits)
    ran = repo("check", "--compare-with", "HEAD", "--format", "json")
    errors = [one["code"] for one in ran.json["findings"] if one["severity"] == "error"]
    assert (errors, ran.code) == (codes, code)
    assert ran.json["compare"]["known"] > 0


def test_what_is_repaired_is_counted(repo: Repo) -> None:
    repo.change("c.yaml", "bf16: true", "bf16: true\nfp16: true")
    repo.commit()
    repo.change("c.yaml", "\nfp16: true", "")
    ran = repo("check", "--compare-with", "HEAD")
    assert "1 fixed since HEAD" in ran.out
    assert repo.compare()["fixed"] == 1


def test_a_run_that_joins_a_shared_file_counts_for_itself(repo: Repo) -> None:
    repo.change("a.yaml", "1.5B", "72B")
    repo.commit()
    known = repo("check", "--compare-with", "HEAD", "--format", "json")
    assert (known.code, known.json["findings"]) == (0, [])
    repo.change("b.yaml", "1.5B", "72B")
    ran = repo("check", "--compare-with", "HEAD", "--format", "json")
    assert ran.code == 1
    assert {"BL101"} == {one["code"] for one in ran.json["findings"] if one["severity"] == "error"}
    assert any("b.yaml" in one["runs"] for one in ran.json["findings"])


def test_a_finding_moves_with_its_file(repo: Repo) -> None:
    repo.change("d/small.yaml", "bf16: true", "bf16: true\nfp16: true")
    repo.commit()
    (repo.root / "d/small.yaml").rename(repo.root / "d/tiny.yaml")
    ran = repo("check", "--compare-with", "HEAD", "--format", "json")
    assert (ran.code, ran.json["findings"]) == (0, [])
    assert ran.json["compare"]["runs"][0]["renamed_from"] == "d/small.yaml"


def test_settings_are_those_of_the_revision(repo: Repo) -> None:
    """A rule that is asked for now told nothing before."""
    repo.change("c.yaml", "bf16: true", "bf16: true\nfp16: true")
    repo.write("pyproject.toml", '[tool.budgetlint]\nignore = ["BL2"]\n')
    repo.commit()
    repo.write("pyproject.toml", "[tool.budgetlint]\n")
    ran = repo("check", "--compare-with", "HEAD", "--format", "json")
    assert ran.code == 1
    assert "BL205" in {one["code"] for one in ran.json["findings"]}


@pytest.mark.parametrize("format", ["full", "concise", "github", "gitlab", "sarif", "junit", "markdown", "json"])
def test_every_format_tells_only_what_is_new(repo: Repo, format: str) -> None:
    repo.change("d/small.yaml", "bf16: true", "bf16: true\nfp16: true")
    repo.commit()
    repo.change("c.yaml", "learning_rate: 1.0e-5", "learning_rate: 1e-5")
    found = repo("check", "--format", format).out, repo("check", "--compare-with", "HEAD", "--format", format).out
    assert ["BL205" in text for text in found] == [True, False]


def test_fixes_are_made_for_new_findings_only(repo: Repo) -> None:
    twice = "output_dir: tmp\noutput_dir: out\n"
    repo.write("d/small.yaml", TRAIN.replace("1.5B", "0.5B") + twice)
    repo.commit()
    repo.write("d/next.yaml", TRAIN.replace("1.5B", "0.5B").replace("512", "256") + twice)
    repo("check", "--compare-with", "HEAD", "--fix")
    assert "tmp" in (repo.root / "d/small.yaml").read_text(encoding="utf-8")
    assert "tmp" not in (repo.root / "d/next.yaml").read_text(encoding="utf-8")


def test_nothing_is_remembered(repo: Repo) -> None:
    repo.change("d/small.yaml", "0.5B", "7B")
    first = repo("check", "--compare-with", "HEAD")
    repo.commit()
    again = repo("check", "--compare-with", "HEAD")
    assert (first.code, again.code) == (1, 0)


def test_a_baseline_is_read_and_left_alone(repo: Repo) -> None:
    repo.change("c.yaml", "bf16: true", "bf16: true\nfp16: true")
    repo("check", "--baseline", "known.json")
    before = (repo.root / "known.json").read_bytes()
    ran = repo("check", "--baseline", "known.json", "--compare-with", "HEAD", "--format", "json")
    assert ran.code == 0
    assert (repo.root / "known.json").read_bytes() == before
    missing = repo("check", "--baseline", "none.json", "--compare-with", "HEAD")
    assert (missing.code, "make it without --compare-with" in missing.err) == (2, True)


PROGRAM = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
from parts import LENGTH

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
args = SFTConfig(output_dir="out", max_length=LENGTH, per_device_train_batch_size=1, bf16=True)
SFTTrainer(model=model, args=args, train_dataset=load_dataset("a/b", split="train")).train()
"""


def write_program(repo: Repo) -> None:
    """Its length stands in a module, which no config and no budget names."""
    repo.write("p/finetune.py", PROGRAM)
    repo.write("p/parts.py", "LENGTH = 512\n")
    repo.write("p/card.budget", "device 40GiB; reserve 1GiB\nstack transformers@5.24 trl@1.16 torch@2.13\n")


@pytest.mark.slow
def test_a_module_of_a_program_is_part_of_its_run(repo: Repo) -> None:
    write_program(repo)
    repo.commit()
    repo.change("p/parts.py", "512", "8192")
    assert list(told(repo.compare())) == ["p/finetune.py"]
    assert [one["name"] for one in repo("check", "p/parts.py", "--format", "json").json["runs"]] == ["p/finetune.py"]


# -- judged where it can differ, the answer is that of everything ----------------------------------------------------------

SAME = [
    *[(row[0], row[1]) for row in CHANGES],
    ("a second file of the same name", {"other/zero.json": ZERO.replace("3", "0")}),
    ("a file that goes", {"ds/zero.json": None}),
    ("a script that comes", {"run_d.sh": "trl sft --config d/small.yaml\n"}),
    ("a script that goes", {"run_c.sh": None}),
    ("a budget that comes", {"ds/z.budget": "device 8GiB\n", "d/e/x.yaml": TRAIN}),
    ("a budget that goes", {"d/card.budget": None}),
    ("a nearer file", {"d/small.yaml": ("bf16: true", "bf16: true\ndeepspeed: zero.json"), "d/zero.json": ZERO.replace("3", "1")}),
    ("two edits", {"a.yaml": ("512", "2048"), "d/small.yaml": ("512", "2048")}),
    ("a broken file", {"d/small.yaml": "per_device_train_batch_size: [1, 2\n"}),
    ("settings", {"pyproject.toml": '[tool.budgetlint]\nignore = ["BL9"]\n'}),
    ("pins", {"requirements.txt": "torch==2.4.0\n"}),
    ("a program that comes", {"t.py": "from trl import SFTTrainer\nSFTTrainer(model=m).train()\n"}),
    (
        "a program that opens a file",
        {"t.py": "from trl import SFTTrainer\nSFTTrainer(**read('other/x.yaml')).train()\n", "other/x.yaml": TRAIN},
    ),
    ("a module of a program", {"p/parts.py": ("512", "8192")}),
    ("a module that goes", {"p/parts.py": None}),
    ("a README that says less", {"README.md": "# Nothing\n"}),
    ("a comment that allows", {"ds/zero.json": ZERO.replace("{", "{// budgetlint: allow BL501 known\n", 1)}),
]


@pytest.mark.parametrize("edits", [row[1] for row in SAME], ids=[row[0] for row in SAME])
def test_what_is_not_touched_is_not_judged_twice(repo: Repo, edits, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is the same where every run is."""
    repo.write("more/x.yaml", TRAIN.replace("1.5B", "0.5B") + "fp16: true\n")
    repo.write("more/y.yaml", TRAIN.replace("1.5B", "3B") + "save_steps: 0.5\ndeepspeed: ds/zero.json\n")
    repo.write("glob/all.budget", "device 40GiB\nconfig *.yaml\n")
    repo.write("glob/one.yaml", TRAIN)
    write_program(repo)
    repo.commit()
    apply(repo, edits)
    quick = repo("check", "--compare-with", "HEAD", "--format", "json", "--info").json
    monkeypatch.setattr(compare_with._Work, "narrowed", lambda self: None)
    whole = repo("check", "--compare-with", "HEAD", "--format", "json", "--info").json
    assert quick["findings"] == whole["findings"]
    assert quick["compare"] == whole["compare"]


@pytest.mark.slow
@pytest.mark.parametrize("edits", [row[1] for row in SAME], ids=[row[0] for row in SAME])
def test_what_is_not_touched_is_not_judged_at_all(repo: Repo, edits, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a repository of many files: the answer about what differs is the same where every run is judged."""
    repo.write("more/x.yaml", TRAIN.replace("1.5B", "0.5B") + "fp16: true\n")
    repo.write("more/y.yaml", TRAIN.replace("1.5B", "3B") + "save_steps: 0.5\ndeepspeed: ds/zero.json\n")
    repo.write("glob/all.budget", "device 40GiB\nconfig *.yaml\n")
    repo.write("glob/one.yaml", TRAIN)
    write_program(repo)
    repo.commit()
    apply(repo, edits)
    whole = repo("check", "--compare-with", "HEAD", "--format", "json", "--info")
    monkeypatch.setattr(touched, "MANY", 0)
    monkeypatch.setattr(touched, "SHARE", 0)
    quick = repo("check", "--compare-with", "HEAD", "--format", "json", "--info")
    assert (quick.json["findings"], quick.code) == (whole.json["findings"], whole.code)
    same = ("revision", "commit", "runs")
    assert [quick.json["compare"][key] for key in same] == [whole.json["compare"][key] for key in same]
    assert whole.json["compare"]["untouched"] == 0


FAR = [
    ("a config", {"many/7.yaml": ("batch_size: 1", "batch_size: 2")}, ["many/7.yaml"]),
    ("a file that nothing lists", {"many/notes.bin": "x"}, []),
    ("a module that a program imports", {"p/parts.py": ("LENGTH = 512", "LENGTH = 8192")}, ["p/finetune.py"]),
    ("notes", {"p/NOTES.txt": "a word\n"}, []),
]


@pytest.mark.slow
@pytest.mark.parametrize(("edits", "differs"), [row[1:] for row in FAR], ids=[row[0] for row in FAR])
def test_of_many_files_few_are_judged(repo: Repo, edits, differs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        repo.write(f"many/{number}.yaml", TRAIN.replace("512", str(600 + number)))
    write_program(repo)
    repo.commit()
    apply(repo, edits)
    monkeypatch.setattr(touched, "MANY", 10)
    found = repo.compare()
    assert list(told(found)) == differs
    assert (found["untouched"] > 20, found["unchanged"] <= 1) == (True, True)


@pytest.mark.slow
def test_a_verdict_is_required_of_what_differs(repo: Repo) -> None:
    repo.write("e/train.yaml", TRAIN)
    repo.write("e/up.budget", "stack trl@1.16\n")
    repo.commit()
    repo.change("c.yaml", "512", "1024")
    required = ("check", "--require-verdict", "--compare-with", "HEAD")
    assert (repo("check", "--require-verdict").code, repo(*required).code) == (1, 0)
    repo.change("e/train.yaml", "512", "1024")
    ran = repo(*required)
    assert (ran.code, "A verdict is required of every run that differs." in ran.out) == (1, True)


def test_most_runs_are_judged_once(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        repo.write(f"many/{number}.yaml", TRAIN.replace("512", str(600 + number)))
    repo.commit()
    repo.change("many/7.yaml", "batch_size: 1", "batch_size: 2")
    judged: list[int] = []
    real = compare_with.on_target
    monkeypatch.setattr(compare_with, "on_target", lambda found, name: judged.append(len(found.runs)) or real(found, name))
    found = repo.compare()
    assert (judged, found["unchanged"], list(told(found))) == ([1], 23, ["many/7.yaml"])


# -- where it runs -------------------------------------------------------------------------------------------------------------


def test_in_a_folder_of_the_repository(repo: Repo) -> None:
    repo.write("d/up.yaml", TRAIN.replace("1.5B", "0.5B") + "deepspeed: ../ds/zero.json\n")
    repo.write("d/card.budget", "device 2x 16GiB; reserve 1GiB\n")
    repo.commit()
    repo.change("ds/zero.json", "3", "2")
    found = repo.compare(folder="d")
    assert told(found) == {"up.yaml": ("changed", "fits", "fits")}
    assert any(one["before"]["file"] == "../ds/zero.json" for one in found["runs"][0]["settings"] if one["before"])


NAMED = [
    (["d"], ["d/small.yaml"]),
    (["d/small.yaml"], ["d/small.yaml"]),
    (["a.yaml"], []),
    (["c.yaml"], ["run_c.sh"]),
    (["--", "trl", "sft", "--config", "c.yaml"], ["<command>"]),
]


@pytest.mark.parametrize(("named", "runs"), NAMED, ids=[" ".join(row[0]) for row in NAMED])
def test_named_files_and_commands(repo: Repo, named: list[str], runs: list[str]) -> None:
    repo.change("d/small.yaml", "512", "1024")
    repo.change("c.yaml", "512", "1024")
    assert list(told(repo("check", "--compare-with", "HEAD", "--format", "json", *named).json["compare"])) == runs


def test_a_budget_from_standard_input(repo: Repo) -> None:
    repo.write("team.budget", "device 80GiB\n")
    repo.commit()
    repo.write("team.budget", "device 40GiB\n")
    line = 'include "team.budget"\nmodel qwen2.5-1.5b; lora r=8; batch 1; seq 512\n'
    found = repo("estimate", "-", "--compare-with", "HEAD", "--format", "json", stdin=line).json["compare"]
    by_name = {run["name"]: run for run in found["runs"]}
    assert by_name["stdin"]["before"]["limit"] > by_name["stdin"]["after"]["limit"]


def test_a_target_that_came_with_the_change(repo: Repo) -> None:
    repo.write("d/card.budget", "target big { device 80GiB }\ntarget small { device 16GiB }\n")
    found = repo.compare("--target", "big")
    assert {run["target"] for run in found["runs"]} == {"big"}


def test_links_and_odd_names(repo: Repo) -> None:
    repo.write("e/real.json", ZERO)
    (repo.root / "e/link.json").symlink_to("real.json")
    (repo.root / "e/folder").symlink_to("../ds")
    repo.write("e/one.yaml", TRAIN + "deepspeed: link.json\n")
    repo.write("e/two.yaml", TRAIN + "deepspeed: folder/zero.json\n")
    (repo.root / os.fsdecode(b"e/caf\xe9.yaml")).write_text(TRAIN, encoding="utf-8")
    repo.commit()
    assert told(repo.compare()) == {}
    repo.change("e/real.json", "3", "2")
    assert list(told(repo.compare())) == ["e/one.yaml"]
    repo.git("checkout", "-q", "e/real.json")
    repo.change("ds/zero.json", "3", "2")
    assert sorted(told(repo.compare())) == ["a.yaml", "b.yaml", "e/two.yaml"]


def test_line_ends_are_no_change(repo: Repo) -> None:
    text = (repo.root / "a.yaml").read_text(encoding="utf-8")
    repo.write("a.yaml", text.replace("\n", "\r\n"))
    ran = repo("check", "--compare-with", "HEAD", "--format", "json").json
    assert (ran["compare"]["runs"], ran["findings"]) == ([], [])


def test_what_git_ignores_is_there_before_and_after(repo: Repo) -> None:
    repo.write(".gitignore", "/local\n")
    repo.commit()
    repo.write("local/mine.yaml", TRAIN)
    repo.write("local/zero.json", ZERO)
    assert told(repo.compare()) == {}


def test_submodules_are_not_compared(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "sub.yaml").write_text(TRAIN, encoding="utf-8")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        repo.git(*words, folder=str(other))
    repo.git("submodule", "--quiet", "add", str(other), "sub")
    repo.commit()
    repo.change("sub/sub.yaml", "512", "1024")
    assert told(repo.compare()) == {}
    assert list(told(repo.compare(folder="sub"))) == ["sub.yaml"]


def test_a_worktree(repo: Repo, beside: str) -> None:
    repo.git("worktree", "add", "-q", beside)
    Path(beside, "d", "small.yaml").write_text(TRAIN, encoding="utf-8")
    assert list(told(repo.compare(folder=beside))) == ["d/small.yaml"]


def test_a_shallow_clone_that_has_the_revision(repo: Repo, beside: str) -> None:
    repo.git("clone", "-q", "--depth=1", f"file://{repo.root}", beside)
    assert told(repo.compare(folder=beside)) == {}


def test_nothing_in_the_repository_is_touched(repo: Repo) -> None:
    repo.change("d/small.yaml", "0.5B", "7B")
    repo.write("fresh.yaml", TRAIN)
    hook = repo.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch pwned\n")
    hook.chmod(0o755)
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in repo.root.rglob("*") if path.is_file()}
    assert repo("check", "--compare-with", "HEAD").code == 1
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in repo.root.rglob("*") if path.is_file()} == before


# -- what can be wrong -------------------------------------------------------------------------------------------------------

WRONG = [
    ("no such revision", ["nothing"], "no branch, tag or commit has this name"),
    ("nearly a branch", ["mian"], "did you mean 'main'?"),
    ("a range", ["main...HEAD"], "git merge-base main HEAD"),
    ("an option", ["--help"], ""),
    ("a file", ["HEAD:a.yaml"], "no branch, tag or commit has this name"),
    ("nothing at all", [""], "no branch, tag or commit has this name"),
]


@pytest.mark.parametrize("command", ["check", "estimate"])
@pytest.mark.parametrize(("name", "said"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_revision_that_is_none(repo: Repo, command: str, name: list[str], said: str) -> None:
    ran = repo(command, f"--compare-with={name[0]}")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_remote_branch_is_offered(repo: Repo) -> None:
    repo.git("update-ref", "refs/remotes/origin/develop", "HEAD")
    assert "did you mean 'origin/develop'?" in repo("check", "--compare-with", "develop").err


def test_a_shallow_clone_without_the_revision(repo: Repo, beside: str) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.change("a.yaml", "512", "1024")
    repo.commit()
    repo.git("clone", "-q", "--depth=1", f"file://{repo.root}", beside)
    ran = repo("check", "--compare-with", first, folder=beside)
    assert ran.code == 2
    assert "shallow" in ran.err
    assert "fetch-depth: 0" in ran.err


def test_a_partial_clone_fetches_nothing(repo: Repo, beside: str) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.change("node.budget", "24GiB", "48GiB")
    repo.commit()
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.root}", beside)
    ran = repo("check", "--compare-with", "HEAD~1", folder=beside)
    assert ran.code == 2
    assert "partial clone" in ran.err
    assert repo("check", "--compare-with", "HEAD", folder=beside).code == repo("check").code


PLACES = [
    ("no repository", [], "in no git repository"),
    ("a bare one", ["init", "-q", "--bare", "."], "without files"),
    ("one without a commit", ["init", "-q", "."], "no commit yet"),
]


@pytest.mark.parametrize(("made", "said"), [row[1:] for row in PLACES], ids=[row[0] for row in PLACES])
def test_a_place_without_revisions(empty: Repo, tmp_path_factory: pytest.TempPathFactory, made: list[str], said: str) -> None:
    folder = tmp_path_factory.mktemp("place")
    if made:
        empty.git(*made, folder=str(folder))
    ran = empty("check", "--compare-with", "HEAD", folder=str(folder))
    assert (ran.code, said in ran.err) == (2, True), ran.err


def test_without_git(repo: Repo) -> None:
    ran = repo("check", "--compare-with", "HEAD", environ={"PATH": "/nowhere"})
    assert ran.code == 2
    assert "not on PATH" in ran.err


# -- reports -----------------------------------------------------------------------------------------------------------------


def test_the_text_says_what_a_line_costs(repo: Repo) -> None:
    repo.change("d/small.yaml", "batch_size: 1", "batch_size: 64")
    repo.change("d/small.yaml", "512", "4096")
    ran = repo("estimate", "--compare-with", "HEAD")
    lines = ran.out.splitlines()
    assert lines[0].startswith("d/small.yaml: fits -> does not fit, needs ")
    assert "  changed  per_device_train_batch_size: 1 -> 64  d/small.yaml:3" in lines
    assert lines[-1] == "1 run changed since HEAD, 3 unchanged."
    assert any(line.endswith("  need") for line in lines)
    assert max(map(len, lines)) <= 100


def test_the_step_summary_has_the_bill_before_and_after(repo: Repo) -> None:
    repo.change("d/small.yaml", "batch_size: 1", "batch_size: 64")
    for ran in (
        repo("check", "--compare-with", "HEAD", "--format", "markdown"),
        repo("estimate", "--compare-with", "HEAD", "--format=markdown"),
    ):
        assert "### What this change costs" in ran.out
        assert "| `per_device_train_batch_size` | `1` | `64` | d/small.yaml:3 |" in ran.out
        assert "| bucket | before | after | difference |" in ran.out


def test_a_summary_of_many_changes_fits_a_comment(repo: Repo) -> None:
    for number in range(300):
        repo.write(f"many/{'long' * 20}{number}.yaml", TRAIN.replace("512", str(600 + number)))
    text = repo("check", "--compare-with", "HEAD", "--format", "markdown").out
    assert "280 runs not shown" in text
    assert len(text.encode()) < 65_536


@pytest.mark.parametrize("command", ["check", "estimate"])
def test_the_schema_knows_the_comparison(repo: Repo, command: str) -> None:
    repo.change("a.yaml", "1.5B", "7B")
    repo.change("d/small.yaml", "512", "1024")
    repo.write("new.yaml", TRAIN)
    document = repo(command, "--compare-with", "HEAD", "--format", "json").json
    checker = jsonschema.Draft202012Validator(schemas()[command])
    assert [error.message for error in checker.iter_errors(document)] == []
    assert len(document["compare"]["runs"]) == 3
    document["compare"]["runs"][0]["terms"] = None
    assert list(checker.iter_errors(document)) != []


def test_what_does_not_go_together(repo: Repo) -> None:
    for options in (["--settings"], ["--textbook"], ["--format", "svg"]):
        ran = repo("estimate", "--compare-with", "HEAD", *options)
        assert (ran.code, "does not go with" in ran.err) == (2, True)
    alone = repo("estimate", "--format", "markdown")
    assert (alone.code, "--compare-with" in alone.err) == (2, True)


def test_a_declaration_is_compared_like_a_config(empty: Repo) -> None:
    """A watched text, and the command of a budget: what hangs on them is judged again, also files that the new command may read."""
    whole = "declared; model qwen2.5-1.5b; precision bf16-pure; lora r=16; quant none; optimizer adamw; batch 1; seq 512\n"
    rest = "recompute full; attention sdpa; loss full\nwatches x.gin\n"
    empty.write("jobs/gpu.budget", f"device 24GiB\n{whole}{rest}")
    empty.write("jobs/x.gin", "a = 1\n")
    empty.write("jobs/a.yaml", TRAIN)
    empty.shell("check", "--fix")
    empty.git("add", "-A")
    empty.git("commit", "-qm", "before")
    empty.write("jobs/x.gin", "a = 2\n")
    empty.write("jobs/run.budget", "device 24GiB\nlaunch python -m acme.train --size 7b\n")
    ran = empty.shell("check", "--compare-with", "HEAD", "--format", "json")
    found = told(ran.json["compare"])
    assert found["jobs/gpu.budget"][1:] == ("fits", "unknown")
    assert "jobs/a.yaml" in found
    assert [one["name"] for one in ran.json["findings"] if one["severity"] != "info"] == ["declaration-stale"]
