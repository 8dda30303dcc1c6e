"""The probe's process: heard, limited, and ended whatever happens."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import pytest

from budgetlint.probe import ask as asking
from budgetlint.probe.ask import Failed, ask, missing

HEAD = "import json, sys, time, os\njson.loads(sys.stdin.readline())\nsay = lambda **m: print(json.dumps(m), flush=True)\n"


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A module that the child runs; gives back what it is called."""

    def of(body: str) -> str:
        (tmp_path / "stand_in_child.py").write_text(HEAD + body, encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.syspath_prepend(tmp_path)
        return "stand_in_child"

    return of


def test_progress_is_heard_and_the_result_comes_back(child) -> None:
    heard: list[str] = []
    module = child("say(progress='one')\nsay(progress='two')\nsay(result={'bytes': 1})\n")
    assert ask({}, 20, heard.append, module) == {"bytes": 1}
    assert heard == ["one", "two"]


def test_the_child_finds_no_program_of_the_checkout(child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """torch and triton start compilers by name; the environment that this Python is of may lie in the checkout."""
    (tmp_path / "repo/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repo")
    own = sysconfig.get_path("scripts")
    monkeypatch.setenv("PATH", os.pathsep.join(("", ".", str(tmp_path / "repo/bin"), own, str(tmp_path / "bin"))))
    module = child("say(result={'path': os.environ['PATH'], 'found': sys.path[0]})\n")
    assert ask({}, 20, print, module) == {"path": os.pathsep.join((own, str(tmp_path / "bin"))), "found": str(tmp_path)}
    monkeypatch.setenv("PATH", "")
    assert ask({}, 20, print, module)["path"] == own


def test_the_child_imports_only_from_where_its_parent_does(child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repo").mkdir()
    monkeypatch.chdir(tmp_path / "repo")
    module = child("say(result={'path': os.environ['PYTHONPATH'], 'found': sys.path})\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), "", "src", str(tmp_path / "repo"))))
    told = ask({}, 20, print, module)
    assert told["path"] == str(tmp_path)
    assert not [place for place in told["found"] if place.startswith(str(tmp_path / "repo"))]


def test_what_the_child_says_against_it_is_the_message(child) -> None:
    with pytest.raises(Failed, match="no model code"):
        ask({}, 20, print, child("say(error='no model code')\n"))


def test_a_crash_says_where_and_why(child) -> None:
    with pytest.raises(Failed, match=r"ended with code 1 \(last: building\): ValueError: too wide"):
        ask({}, 20, lambda _: None, child("say(progress='building')\nraise ValueError('too wide')\n"))


def test_a_killed_child_says_so_and_what_to_try(child) -> None:
    with pytest.raises(Failed, match=r"SIGKILL.*smaller micro batch"):
        ask({}, 20, lambda _: None, child("os.kill(os.getpid(), 9)\n"))


def test_the_time_limit_holds_and_nothing_is_left(child, tmp_path: Path) -> None:
    pid, late = str(tmp_path / "pid"), str(tmp_path / "late")
    module = child(f"open({pid!r}, 'w').write(str(os.getpid()))\nsay(progress='long')\ntime.sleep(60)\nopen({late!r}, 'w')\n")
    with pytest.raises(Failed, match=r"no result within 1\.5 s \(last: long\).*--time-limit"):
        ask({}, 1.5, lambda _: None, module)
    assert not _runs(int((tmp_path / "pid").read_text()))
    assert not (tmp_path / "late").exists()


def test_ctrl_c_leaves_nothing_running(child, tmp_path: Path) -> None:
    module = child(f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nsay(progress='long')\ntime.sleep(60)\n")

    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask({}, 20, interrupted, module)
    assert not _runs(int((tmp_path / "pid").read_text()))


def test_a_child_whose_parent_is_gone_ends(tmp_path: Path) -> None:
    import subprocess

    with subprocess.Popen(
        [sys.executable, "-m", asking.CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait(20) != 0


def test_what_is_not_installed_is_named() -> None:
    assert missing(("json", "surely_not_installed")) == ("surely_not_installed",)


def _runs(pid: int) -> bool:
    path = Path(f"/proc/{pid}/stat")
    return path.exists() and path.read_text().split()[2] != "Z"
