"""First looks: what is read, drawn, planted, recorded and refused; the record in the repository is never rewritten."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, date, datetime
from pathlib import Path

import first_look
import pytest
from first_looks import Refused, frozen, interval, judging, known, look, rebuilt, record, seeding, sheets, trees
from first_looks.frozen import Linter
from first_looks.page import Share, page, pairs, share
from first_looks.sheets import Row, Sheet

RECORDED: tuple[str, ...] = (
    "fcd5ea60ed15e19eec6fd2b8f8aa7a907ba78db9e7b2adc2dd22a901ec3e05c3",
    "4e3f8b56cd9db3ba19bd07514b12acb0ced1d199ebb8759c9c3ecf22971fb51c",
    "2ceda6cd9ddc9c91471d4301e0dd9bee49ff6c9994207f27652aacbcd74ef573",
    "bfb06da924080a1fd523f9a1d6c962fad1e27be9a775a1847d9c05e0a36474e8",
    "0edad550a478bb428d260b963ada60a2261b00fbf861c4b43378e3a86f833657",
    "f48897fe2da90654c0f7c49a72fdf920ba2d270b3ca2999ed5df82e0b3b7646c",
    "9d30a671ac1b2ea984207861ab399f641032776f762ff3ea4c6ce31b1e346499",
    "3b2c336247e81fd0c2d506ded69c7f4757ba9fffb06cc58e273384b1051b1bbf",
    "0cfc96e3004282f2957d6538597d4e2e4cf14d62b0e34a0f8531eef5955e51a2",
)
"""The digest of each line of `data/first_looks.jsonl`, in order: a batch adds one, and changes none."""

ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_AUTHOR_DATE": "2026-01-02T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-02T00:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "PATH": "/usr/bin:/bin",
}  # fmt: skip


def git(folder: Path, *words: str) -> str:
    ran = subprocess.run(["git", "-C", str(folder), *words], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Path]:
    """Makes a clone of a public repository below a mirror, as `fetch` lays it: ``mirror/owner+name/repo``."""

    def make(name: str = "someone/trains", **files: str) -> Path:
        folder = tmp_path / "mirror" / name.replace("/", "+") / "repo"
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet", "--template=")
        for path, text in {**files, "train.yaml": files.get("train.yaml", "bf16: true\n")}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message", "all")
        return folder

    return make


FAKE = """
import json, pathlib, sys
command, here = sys.argv[1], pathlib.Path(".")
lines = [(str(path), number, line) for path in sorted(here.rglob("*.yaml")) for number, line in enumerate(path.read_text().splitlines(), 1)]
device = "--budget" in sys.argv
def finding(name, severity, path, line):
    return {"name": name, "severity": severity, "file": path, "line": line, "message": f"{name} of {path}", "help": "mend it"}
findings = [finding("bad-line", "warning", path, number) for path, number, line in lines if "bad" in line]
findings += [finding("does-not-fit", "error", path, 1) for path, number, line in lines if device and "large" in line]
findings += [finding("odd-line", "info", path, number) for path, number, line in lines if "--preview" in sys.argv and "odd" in line]
verdict = lambda path: "does-not-fit" if "large" in pathlib.Path(path).read_text() else "fits"
paths = sorted({path for path, _, _ in lines})
runs = [{"name": path, "verdict": verdict(path) if device else "unknown", "need": 2**30, "limit": 2**31} for path in paths]
state = lambda line: "auto" if "open" in line else "known"
settings = [{"name": line.split(":")[0], "text": line.split(":")[1].strip(), "state": state(line), "origin": "file", "file": path,
             "line": number, "note": None} for path, number, line in lines]
answers = {
    "check": {"findings": findings, "runs": runs},
    "files": {"files": [{"path": path, "format": "trl"} for path in paths]},
    "estimate": {"runs": [{"name": path, "settings": [one for one in settings if one["file"] == path],
                           "device_total": {"low": 2**29, "high": 2**31}} for path in paths]},
}
print(json.dumps(answers[command]))
"""


@pytest.fixture
def linter(tmp_path: Path) -> Linter:
    """Something that answers as budgetlint does, by a few words in the files."""
    program = tmp_path / "fake.py"
    program.write_text(FAKE, encoding="utf-8")
    return Linter("0" * 40, (sys.executable, str(program)))


# -- the interval ------------------------------------------------------------------------------------------------------


def test_wilson_by_hand() -> None:
    # 8 of 10 with z = 1.96: z^2 = 3.8416; (0.8 + 0.19208 +- 1.96 sqrt(0.016 + 0.009604)) / 1.38416 = (0.99208 +- 0.31363) / 1.38416
    assert interval.wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


@pytest.mark.parametrize(
    ("right", "asked", "low", "high"), [(0, 0, 0, 1), (0, 10, 0, 0.2775), (10, 10, 0.7225, 1), (4, 27, 0.0592, 0.3248)]
)
def test_wilson_at_its_ends(right: int, asked: int, low: float, high: float) -> None:
    # none of n: high = (z^2/n) / (1 + z^2/n), so for 10 it is 0.38415 / 1.38415 = 0.2775
    assert interval.wilson(right, asked) == pytest.approx((low, high), abs=1e-4)


# -- trees -------------------------------------------------------------------------------------------------------------


def test_a_tree_is_written_without_a_work_tree(repository: Callable[..., Path], tmp_path: Path) -> None:
    folder = repository(**{"a/b.yaml": "x: 1\n"})
    bare = tmp_path / "bare"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(folder), str(bare)], check=True, env=ENVIRONMENT)
    into = tmp_path / "into"
    into.mkdir()
    assert trees.materialise(bare, trees.commit_of(bare), into) == (2, 0)
    assert (into / "a" / "b.yaml").read_text(encoding="utf-8") == "x: 1\n"
    assert git(into, "ls-files").splitlines() == ["a/b.yaml", "train.yaml"]


def test_links_and_paths_that_lead_out_are_left_out(repository: Callable[..., Path], tmp_path: Path) -> None:
    folder = repository()
    blob = git(folder, "hash-object", "-w", "train.yaml")
    tree = subprocess.run(
        ["git", "-C", str(folder), "mktree"], env=ENVIRONMENT, capture_output=True, check=True,
        input=f"100644 blob {blob}\tok.yaml\n120000 blob {blob}\tlink.yaml\n".encode(),
    ).stdout.decode().strip()  # fmt: skip
    commit = git(folder, "commit-tree", tree, "-m", "links")
    into = tmp_path / "into"
    into.mkdir()
    assert trees.materialise(folder, commit, into) == (1, 1)
    assert not (into / "link.yaml").exists()
    assert [path for path in ("../x", "a/../x", "/x", ".git/hooks/x", "a/.GIT/x", "a/x") if trees._inside(path)] == ["a/x"]


def test_nothing_of_the_repository_runs(repository: Callable[..., Path], linter: Linter, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    folder = repository(**{"conftest.py": f"open({str(trap)!r}, 'w')", ".gitattributes": "* filter=trap\n"})
    git(folder, "config", "filter.trap.smudge", f"touch {trap}")
    git(folder, "config", "core.fsmonitor", f"touch {trap}")
    look.look_at(linter, look.source("someone/trains", tmp_path / "mirror"), "device t4")
    assert not trap.exists()


# -- looks -------------------------------------------------------------------------------------------------------------


def test_a_look_gives_findings_once_with_and_without_a_device(repository: Callable[..., Path], linter: Linter, tmp_path: Path) -> None:
    repository(**{"train.yaml": "lr: bad\nseq: 8\n", "big.yaml": "model: large\nrank: open\n"})
    facts, rows = look.look(linter, [look.source("someone/trains", tmp_path / "mirror")], "device t4")
    assert facts[0]["runs"] == {"does-not-fit": 1, "fits": 1}
    assert (facts[0]["claimed"], facts[0]["consumers"]) == ({"trl": 2}, {"not told": 2})
    assert [(row.kind, row.rule, row.path, row.line, row.budget) for row in rows if row.kind != "setting"] == [
        ("finding", "does-not-fit", "big.yaml", 1, "device t4"),
        ("finding", "bad-line", "train.yaml", 1, ""),
        ("verdict", "fits", "train.yaml", 0, "device t4"),
    ]
    assert {(row.path, row.rule) for row in rows if row.kind == "setting"} == {
        ("big.yaml", "model"), ("train.yaml", "lr"), ("train.yaml", "seq"),
    }  # fmt: skip


def test_what_only_preview_rules_say_stands_apart(repository: Callable[..., Path], linter: Linter, tmp_path: Path) -> None:
    repository(**{"train.yaml": "a: odd\nb: bad\n"})
    source = look.source("someone/trains", tmp_path / "mirror")
    rows = [row for row in look.look(linter, [source], "")[1] if row.kind in ("finding", "preview")]
    assert [(row.kind, row.rule, row.line) for row in rows] == [("finding", "bad-line", 2), ("preview", "odd-line", 1)]
    _, seeds = seeding.look(linter, [source], [{**KIND, "needs": {"b": "bad"}, "change": ["set", "b", "odd"]}], "")
    assert seeds[0].said == "(preview) info odd-line train.yaml:2: odd-line of train.yaml"
    _, causes = rebuilt.look(linter, [{**REPORT, "files": {"train.yaml": "x: odd\n"}}], date(2026, 2, 2))
    assert causes[0].said == "(preview) info odd-line train.yaml:1: odd-line of train.yaml"


def test_of_many_alike_some_are_drawn_the_same_each_time(repository: Callable[..., Path], linter: Linter, tmp_path: Path) -> None:
    repository(**{"train.yaml": "".join(f"key{number}: bad\n" for number in range(40))})
    source = look.source("someone/trains", tmp_path / "mirror")
    once, again = (look.look(linter, [source], "")[1] for _ in range(2))
    found = [row for row in once if row.kind == "finding"]
    assert once == again
    assert len(found) == look.EACH
    assert {row.of for row in found} == {40}
    assert {row.line for row in found} != set(range(1, look.EACH + 1))


def test_a_crash_is_recorded(repository: Callable[..., Path], tmp_path: Path) -> None:
    repository()
    broken = Linter("0" * 40, (sys.executable, "-c", "raise SystemExit('no')"))
    facts, rows = look.look(broken, [look.source("someone/trains", tmp_path / "mirror")], "")
    assert rows == []
    assert facts[0]["crashes"][0].startswith("check: exit code 1")


# -- seeds -------------------------------------------------------------------------------------------------------------

KIND = {"id": "k", "needs": {"lr": ".*"}, "mistake": "m", "source": "s", "names": ["bad-line"]}

PLANTED = [
    (".yaml", "a: 1\nlr: 1e-5 # low\n", ["set", "lr", "bad"], "a: 1\nlr: bad # low\n", 2),
    (".yml", "t:\n  lr: 2\n", ["rename", "lr", "rl"], "t:\n  rl: 2\n", 2),
    (".yaml", "lr: 2\n", ["beside", "lr", "fp16", "true"], "fp16: true\nlr: 2\n", 1),
    (".yaml", "a: 1\nlr: 2\nb: 3\n", ["drop", "lr"], "a: 1\nb: 3\n", 2),
    (".yaml", "a: 1\nlr: 2\nb: 3\n", ["again", "lr", "9"], "a: 1\nlr: 2\nlr: 9\nb: 3\n", 3),
    (".sh", "python t.py --lr 2 --x\n", ["again", "lr", "9"], "python t.py --lr 2 --lr 9 --x\n", 1),
    (".json", '{\n  "lr": 2\n}', ["again", "lr", "9"], '{\n  "lr": 2,\n  "lr": 9\n}', 3),
    (".json", '{\n  "lr": 2,\n  "x": 1\n}', ["set", "lr", '"auto"'], '{\n  "lr": "auto",\n  "x": 1\n}', 2),
    (".json", '{\n  "lr": 2\n}', ["beside", "lr", "x", "1"], '{\n  "x": 1,\n  "lr": 2\n}', 2),
    (".sh", "python t.py --lr 2 \\\n  --x\n", ["set", "lr", "9"], "python t.py --lr 9 \\\n  --x\n", 1),
    (".sh", "python t.py --lr=2\n", ["rename", "lr", "rl"], "python t.py --rl=2\n", 1),
    (".sh", "python t.py --lr 2 \\\n  --x\n", ["beside", "lr", "fp16", "true"], "python t.py --lr 2 --fp16 true \\\n  --x\n", 1),
    (".slurm", "python t.py \\\n  --lr 2 \\\n  --x\n", ["comment", "lr"], "python t.py \\\n  # tuned\n  --lr 2 \\\n  --x\n", 2),
]


@pytest.mark.parametrize(("suffix", "text", "change", "wanted", "line"), PLANTED)
def test_a_mistake_is_planted_in_one_line(suffix: str, text: str, change: Sequence[str], wanted: str, line: int) -> None:
    assert seeding.planted(text, suffix, {**KIND, "change": change}) == (wanted, line)


@pytest.mark.parametrize(
    ("suffix", "text", "change"),
    [
        (".yaml", "rate: 2\n", ["set", "lr", "9"]),  # not what it needs
        (".toml", "lr = 2\n", ["set", "lr", "9"]),  # no surface
        (".yaml", "lr: 9\n", ["set", "lr", "9"]),  # there already
        (".yaml", "fp16: no\nlr: 9\n", ["beside", "lr", "fp16", "true"]),
        (".sh", "python t.py --lr 2\n", ["comment", "lr"]),  # nothing is continued there
        (".sh", "python t.py \\\n#  --lr 2 \\\n", ["set", "lr", "9"]),  # a comment
        (".sh", "python t.py --lower-lr 2\n", ["set", "lr", "9"]),  # another flag
    ],
)
def test_a_mistake_that_does_not_fit_is_not_planted(suffix: str, text: str, change: Sequence[str]) -> None:
    assert seeding.planted(text, suffix, {**KIND, "change": change}) is None


def test_what_a_run_left_behind_holds_no_mistake(repository: Callable[..., Path], tmp_path: Path) -> None:
    repository(**{"wandb/run-1/files/config.yaml": "lr: 1\n", "out/adapter_config.json": '{\n "lr": 1\n}', "sft.yaml": "lr: 1\n"})
    source = look.source("someone/trains", tmp_path / "mirror")
    assert [path for path, _ in seeding._texts(source)] == ["sft.yaml", "train.yaml"]


def test_seeds_are_spread_over_kinds_and_repositories(repository: Callable[..., Path], tmp_path: Path) -> None:
    names = ["a/one", "b/two", "c/three"]
    for name in names:
        repository(name, **{"train.yaml": "lr: 1\nbatch: 2\n"})
    table = [{**KIND, "id": key, "needs": {key: ".*"}, "change": ["set", key, "bad"]} for key in ("lr", "batch")]
    found = seeding.places([look.source(name, tmp_path / "mirror") for name in names], table)
    assert len(found) == 6
    chosen = seeding.spread(found, 3)
    assert len({one.source.name for one in chosen}) == 3
    assert {one.kind["id"] for one in chosen} == {"lr", "batch"}


@pytest.mark.parametrize(("batch", "wanted"), [(None, ["any"]), (1, ["any"]), (2, ["own"])])
def test_a_batch_with_kinds_of_its_own_takes_no_other(batch: int | None, wanted: list[str], tmp_path: Path) -> None:
    path = tmp_path / "seeds.jsonl"
    path.write_text("".join(json.dumps(kind) + "\n" for kind in ({**KIND, "id": "any"}, {**KIND, "id": "own", "batch": 2})))
    assert [kind["id"] for kind in seeding.kinds(path, batch)] == wanted


def test_a_kind_that_is_meant_for_a_place_stands_there_alone(repository: Callable[..., Path], linter: Linter, tmp_path: Path) -> None:
    files = {"train.yaml": "lr: 1\n", "read.yaml": "lr: 1\n"}
    for name in ("a/one", "b/two"):
        repository(name, **files)
    kind = {**KIND, "change": ["set", "lr", "bad"], "at": ["a/one", "read.yaml"], "right": "a number"}
    _, rows = seeding.look(linter, [look.source(name, tmp_path / "mirror") for name in ("a/one", "b/two")], [kind], "")
    assert [(row.source, row.path, row.truth) for row in rows] == [("a/one", "read.yaml", "m (s); right is: a number")]


def test_a_seed_row_tells_only_what_is_new(repository: Callable[..., Path], linter: Linter, tmp_path: Path) -> None:
    repository(**{"train.yaml": "old: bad\nlr: 1\n"})
    kind = {**KIND, "change": ["set", "lr", "bad"]}
    facts, rows = seeding.look(linter, [look.source("someone/trains", tmp_path / "mirror")], [kind], "")
    assert facts[0]["seed"] == "k"
    assert [(row.line, row.said) for row in rows] == [(2, "warning bad-line train.yaml:2: bad-line of train.yaml")]


# -- reports -----------------------------------------------------------------------------------------------------------

REPORT = {
    "url": "https://github.com/a/b/issues/7", "batch": 0, "kind": "ignored", "files": {"train.yaml": "x: bad\n"}, "happened": "it ran out",
    "cause": "x is not read", "source": "a comment of 2026-01-01", "written": "2026-02-01", "memory": True,
}  # fmt: skip


def test_a_report_gives_a_row_for_the_cause_and_one_for_the_outcome(linter: Linter) -> None:
    facts, rows = rebuilt.look(linter, [REPORT], date(2026, 2, 2))
    assert facts[0]["name"] == REPORT["url"]
    assert [(row.kind, row.said, row.truth) for row in rows] == [
        ("cause", "warning bad-line train.yaml:1: bad-line of train.yaml", "x is not read (a comment of 2026-01-01)"),
        ("verdict", "train.yaml: unknown", "it ran out"),
    ]


@pytest.mark.parametrize("lacking", ["cause", "source", "happened", "files", "written"])
def test_a_report_without_its_cause_is_refused(lacking: str, tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    path.write_text(json.dumps({**REPORT, lacking: ""}) + "\n", encoding="utf-8")
    with pytest.raises(Refused, match=f"{lacking} must be written before"):
        rebuilt.reports(path)


def test_a_cause_that_is_younger_than_the_look_is_refused(linter: Linter) -> None:
    with pytest.raises(Refused, match="after this look"):
        rebuilt.look(linter, [REPORT], date(2026, 1, 31))


# -- what is known -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Owner/Name", "owner/name"),
        ("https://github.com/Owner/Name.git", "owner/name"),
        ("https://github.com/hiyouga/LLaMA-Factory/issues/12", "llamafactory#12"),
        ("verl-project/verl#3", "verl#3"),
        ("https://github.com/a/b/pull/4#issuecomment-1", "b#4"),
    ],
)
def test_sources_are_known_by_another_spelling(text: str, key: str) -> None:
    assert known.key(text) == key


def test_what_was_looked_at_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "looked_at.txt"
    path.write_text("# seen\nSome/Repo\nvolcengine/verl#3\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"some/repo, https://github.com/verl-project/verl/issues/3"):
        known.refuse_known(["a/fresh", "some/repo", "https://github.com/verl-project/verl/issues/3"], path)


def test_the_lists_of_what_comes_next_are_fresh_and_large_enough() -> None:
    """Each batch that is gathered is whole, its names are not known yet, and every cause is written."""
    done = len(record.batches(first_look.RECORD))
    reports = rebuilt.reports(first_look.REPORTS)
    for batch in {row["batch"] for row in reports if row["batch"] >= done}:
        names = [name for path in sorted(first_look.DATA.glob("first_look_[0-9]*.txt")) for name, _ in first_look.listed(path, batch)]
        urls = [row["url"] for row in reports if row["batch"] == batch]
        known.refuse_known([*names, *urls], first_look.KNOWN)
        assert min(len(set(names)), len(set(urls))) >= 10


# -- the record --------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one commit of a linter, of 2026-01-02."""
    folder = tmp_path / "project"
    (folder / "budgetlint").mkdir(parents=True)
    (folder / "budgetlint" / "a.py").write_text("", encoding="utf-8")
    (folder / "known.txt").write_text("seen/before\n", encoding="utf-8")
    git(folder, "init", "--quiet", "--template=")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "linter")
    return folder


def looks(project: Path, **changes: object) -> list[Sheet]:
    """Three sheets of a whole batch, all judged."""
    head = git(project, "rev-parse", "HEAD")
    row = Row("finding", "a/r0", "c", "train.yaml", 1, "bad-line", "warning", "bad", judged="right", reason="train.py:3 reads it")
    names = {"repositories": "a/r{}", "seeds": "a/r{}", "reports": "https://github.com/a/b/issues/{}"}
    return [
        replace(
            Sheet(kind, head, "2026-01-03T00:00:00+00:00", tuple({"name": name.format(number)} for number in range(10)), (row,)), **changes
        )  # type: ignore[arg-type]
        for kind, name in names.items()
    ]


def append(project: Path, sheets_of: list[Sheet], day: date = date(2026, 1, 4), short: str = "") -> str:
    return record.append(sheets_of, day, project, project / "record.jsonl", project / "known.txt", short)


def test_a_batch_is_appended_and_its_sources_are_known_from_then_on(project: Path) -> None:
    digest = append(project, looks(project))
    batch = record.batches(project / "record.jsonl")[0]
    assert (batch["batch"], batch["date"], batch["judged_by"]) == (0, "2026-01-04", "by hand, from the framework's code")
    assert digest == record.line_digest((project / "record.jsonl").read_text(encoding="utf-8").rstrip("\n"))
    with pytest.raises(Refused, match=r"looked at before.*a/r0"):
        append(project, looks(project))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"looked_at": tuple({"name": f"seen/{word}"} for word in ("before", *"abcdefghi"))}, "looked at before"),
        ({"looked": "2026-01-01T00:00:00+00:00"}, "later than the look"),
        ({"looked": "2026-01-09T00:00:00+00:00"}, "judged on 2026-01-04, before the look"),
        ({"looked_at": ({"name": "a/r0"},)}, "1 repositories, and 10 at least make a batch"),
        ({"rows": (Row("finding", "a/r0", "", "x", 1, "r", "error", "s"),)}, "line 2: judged is ''"),
        ({"rows": (Row("finding", "a/r0", "", "x", 1, "r", "error", "s", judged="right"),)}, "line 2: right without a reason"),
        ({"rows": (Row("seed", "a/r0", "", "x", 1, "r", "", "s", judged="right", reason="y"),)}, "one of found, preview, missed, open"),
    ],
)
def test_what_is_no_first_look_is_refused(project: Path, changes: dict[str, object], why: str) -> None:
    with pytest.raises(Refused, match=why):
        append(project, looks(project, **changes))
    assert not (project / "record.jsonl").exists()
    assert (project / "known.txt").read_text(encoding="utf-8") == "seen/before\n"


def test_a_short_batch_says_why(project: Path) -> None:
    append(project, looks(project, looked_at=({"name": "a/r0"},)), short="the mirror was down")
    assert record.batches(project / "record.jsonl")[0]["short"] == "the mirror was down"


def test_a_commit_that_is_dirty_or_unknown_is_refused(project: Path) -> None:
    assert frozen.frozen_commit(project, "HEAD") == git(project, "rev-parse", "HEAD")
    with pytest.raises(Refused, match="dirty"):
        frozen.frozen_commit(project, "abc-dirty")
    with pytest.raises(Refused, match="rev-parse"):
        append(project, looks(project, commit="f" * 40))
    (project / "budgetlint" / "a.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"budgetlint/a.py is not committed"):
        frozen.frozen_commit(project, "HEAD")


def test_inputs_that_are_not_committed_are_refused(project: Path) -> None:
    frozen.committed_data(project, project / "known.txt")
    (project / "known.txt").write_text("other\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"known.txt is not committed as it stands"):
        frozen.committed_data(project, project / "known.txt")


def test_a_rewritten_batch_is_noticed(project: Path) -> None:
    path = project / "record.jsonl"
    append(project, looks(project))
    second = [replace(sheet, looked_at=tuple({"name": f"b/{sheet.kind}{number}"} for number in range(10))) for sheet in looks(project)]
    append(project, second)
    assert [batch["batch"] for batch in record.batches(path)] == [0, 1]
    path.write_text(path.read_text(encoding="utf-8").replace('"judged": "right"', '"judged": "wrong"', 1), encoding="utf-8")
    with pytest.raises(Refused, match="an earlier batch was rewritten"):
        record.batches(path)


def test_sheets_keep_what_was_seen(tmp_path: Path, project: Path) -> None:
    sheet = looks(project)[0]
    sheets.write(sheet, tmp_path / "sheet.jsonl")
    assert sheets.read(tmp_path / "sheet.jsonl") == sheet
    head, row = (tmp_path / "sheet.jsonl").read_text(encoding="utf-8").splitlines()
    judged = {**asdict(sheet.rows[0]), "judged": "wrong", "reason": "it is not read"}
    (tmp_path / "sheet.jsonl").write_text(f"{head}\n{json.dumps(judged)}\n", encoding="utf-8")
    assert sheets.read(tmp_path / "sheet.jsonl").rows[0].judged == "wrong"
    for text in (f"{head}\n", f"{head}\n{row}\n{row}\n", f"{head}\n{json.dumps({**judged, 'said': 'nicer'})}\n"):
        (tmp_path / "sheet.jsonl").write_text(text, encoding="utf-8")
        with pytest.raises(Refused, match="a row was changed, added or dropped"):
            sheets.read(tmp_path / "sheet.jsonl")
    with pytest.raises(Refused, match="is there already"):
        sheets.write(sheet, tmp_path / "sheet.jsonl")


def test_judgements_are_lines(project: Path) -> None:
    row = Row("finding", "a/r0", "c", "train.yaml", 1, "bad-line", "warning", "bad", of=7)
    sheet = replace(looks(project)[0], rows=(row, row, replace(row, kind="seed", truth="lr is far too high")))
    found = judging.judged(
        sheet, ["# first look", "", "1-2 wrong train.py:3 reads it", "2 right no, it does not", "3 missed nothing of it"]
    )
    assert [(one.judged, one.reason) for one in found.rows] == [
        ("wrong", "train.py:3 reads it"), ("right", "no, it does not"), ("missed", "nothing of it"),
    ]  # fmt: skip
    assert sheets.digest(found) == sheets.digest(sheet)
    text = list(judging.shown(found))
    assert text[0].split() == ["1", "wrong", "finding", "warning", "bad-line", "a/r0", "train.yaml:1"]
    assert text[1:3] == ["     bad (1 of 7)", "     because: train.py:3 reads it"]
    assert "     so it is: lr is far too high" in text


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("1 right", "is not NUMBER WORD REASON"),
        ("2 right so", "rows 1 to 1"),
        ("0 right so", "rows 1 to 1"),
        ("1 found so", "one of right, wrong-bill"),
    ],
)
def test_a_line_that_is_no_judgement_is_refused(project: Path, line: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        judging.judged(looks(project)[0], [line])


def test_no_recorded_batch_was_ever_rewritten() -> None:
    lines = first_look.RECORD.read_text(encoding="utf-8").splitlines() if first_look.RECORD.exists() else []
    assert tuple(map(record.line_digest, lines)) == RECORDED
    assert len(record.batches(first_look.RECORD)) == len(RECORDED)


# -- the page ----------------------------------------------------------------------------------------------------------


def judged(kind: str, rule: str, word: str, source: str = "a/b", level: str = "") -> Row:
    return Row(kind, source, "", "p", 1, rule, level, "", judged=word, reason="r")


def test_counts_leave_out_what_is_open() -> None:
    rows = [judged("finding", "r", word) for word in ("right", "right", "wrong", "noise", "open")]
    assert share(rows, ("right",)) == (2, 4)


def test_a_pair_is_right_where_all_of_it_is() -> None:
    rows = [
        judged("finding", "r", "right"),
        judged("finding", "r", "wrong"),
        judged("finding", "s", "right"),
        judged("finding", "r", "right", "c/d"),
    ]
    assert pairs(rows) == (2, 3)


def test_a_share_is_told_with_its_interval() -> None:
    assert Share(8, 10).text == "8 of 10 (49 to 94 %)"
    assert Share(0, 0).text == "none"


def test_the_page_pools_batches(project: Path) -> None:
    rows = (judged("finding", "does-not-fit", "wrong-bill", level="error"), judged("seed", "k", "found"), judged("cause", "oom", "partly"))
    facts = tuple({"name": f"a/r{number}", "runs": {"fits": 1, "depends": 3}} for number in range(10))
    append(project, [replace(sheet, looked_at=facts, rows=rows if sheet.kind == "repositories" else ()) for sheet in looks(project)])
    text = page(record.batches(project / "record.jsonl"), {})
    cells = {line.split("|")[1].strip(): line.split("|")[2].strip() for line in text.splitlines() if line.startswith("| ")}
    assert cells["errors right, by finding"] == "0 of 1 (0 to 79 %)"
    assert cells["*does not fit* that is so"] == "1 of 1 (21 to 100 %)"
    assert cells["planted mistakes found"] == "1 of 1 (21 to 100 %)"
    assert cells["reports whose cause is named"] == "0 of 1 (0 to 79 %)"
    assert cells["reports whose cause is named, or partly"] == "1 of 1 (21 to 100 %)"
    assert cells["runs judged (fits, tight or does not fit)"].startswith("10 of 40")
    assert "| does-not-fit | 1 | 1 |" in text
    assert "| does-not-fit | 0 of 1 | 0 | 0 of 1 |" in text, "by rule: all batches, the newest that met it, and there"


def test_an_empty_record_has_a_page() -> None:
    text = page([], {"repositories": 20, "reports": 20})
    assert "No batch is recorded yet" in text
    assert "20 repositories, 20 reports" in text
    assert "|" not in text.partition("## How they are judged")[0]


def test_the_page_in_docs_is_what_the_record_says() -> None:
    found = record.batches(first_look.RECORD)
    assert first_look.PAGE.read_text(encoding="utf-8") == page(found, first_look.pending(found))


# -- the door ----------------------------------------------------------------------------------------------------------


def test_a_known_repository_is_refused_at_the_door(capsys: pytest.CaptureFixture[str]) -> None:
    assert first_look.main(["OpenRLHF/OpenRLHF"]) == 2
    assert "refused: looked at before" in capsys.readouterr().err


def test_the_door_writes_a_sheet(
    repository: Callable[..., Path], linter: Linter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(**{"train.yaml": "lr: bad\n"})
    listing = tmp_path / "list.txt"
    listing.write_text(
        f"# fresh\nsomeone/trains {git(folder, 'rev-parse', 'HEAD')} batch=0 trl\nother/one {'0' * 40} batch=1\n", encoding="utf-8"
    )
    monkeypatch.setattr(first_look, "_linter", lambda asked: linter)
    words = ["look", "--repositories", str(listing), "--batch", "0", "--mirror", str(tmp_path / "mirror"), "--out", str(tmp_path / "out")]
    assert first_look.main(words) == 0
    assert "of 1 repositories" in capsys.readouterr().out
    sheet = sheets.read(tmp_path / "out" / "repositories.jsonl")
    assert [row.rule for row in sheet.rows if row.kind == "finding"] == ["bad-line"]
    assert datetime.fromisoformat(sheet.looked).tzinfo == UTC
    assert first_look.main(words) == 2  # never over its judgements
    (tmp_path / "said.txt").write_text("1-3 right train.py reads it\n", encoding="utf-8")
    assert first_look.main(["judge", str(tmp_path / "out" / "repositories.jsonl"), str(tmp_path / "said.txt")]) == 0
    assert "0 rows left to judge" in capsys.readouterr().out
    assert first_look.main(["show", str(tmp_path / "out" / "repositories.jsonl")]) == 0
    assert "because: train.py reads it" in capsys.readouterr().out
