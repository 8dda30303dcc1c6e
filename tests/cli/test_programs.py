"""What budgetlint starts comes from outside the checkout: git, and what the probe's process finds."""

from __future__ import annotations

import io
import ntpath
import os
import shutil
import subprocess
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from budgetlint.base.record import replace
from budgetlint.commands.console import Console
from budgetlint.commands.revision import git_of
from budgetlint.isolation.executables import HERE, WINDOWS, System, find_program, lies_in, usable_path, whole_checkout

REAL_GIT = shutil.which("git")


def program(place: Path, text: str = "#!/bin/sh\ntouch pwned\nexit 1\n") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    place.chmod(0o755)
    return place


def linked(place: Path, target: Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    return place


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a folder of a repository that holds a ``git`` of its own, at its top and in ``tools``."""
    (tmp_path / "repo/.git").mkdir(parents=True)
    folder = tmp_path / "repo/sub"
    folder.mkdir()
    for place in ("repo/git", "repo/tools/git", "repo/sub/git", "repo/sub/node_modules/.bin/git"):
        program(tmp_path / place)
    monkeypatch.chdir(folder)
    return folder


HOSTILE = {
    "the working directory": ".",
    "an empty entry": "",
    "a folder above": "..",
    "a relative folder": "node_modules/.bin",
    "an absolute folder of the checkout": "{sub}/node_modules/.bin",
    "the top of the repository": "{sub}/..",
    "another folder of the repository": "{sub}/../tools",
    "a link into the checkout": "{outside}/link",
    "a tilde that no shell has replaced": "~/bin",
}


@pytest.mark.parametrize("entry", HOSTILE.values(), ids=list(HOSTILE))
def test_an_entry_that_leads_into_the_checkout_is_passed_over(checkout: Path, tmp_path: Path, entry: str) -> None:
    linked(tmp_path / "outside/link", checkout.parent / "tools")
    program(checkout / "~/bin/git")
    right = program(tmp_path / "right/git")
    path = os.pathsep.join((entry.format(sub=checkout, outside=tmp_path / "outside"), str(right.parent)))
    assert find_program("git", path, whole_checkout(checkout)) == str(right)


def test_a_file_that_is_a_link_into_the_checkout_is_passed_over(checkout: Path, tmp_path: Path) -> None:
    linked(tmp_path / "bin/git", checkout.parent / "tools/git")
    assert find_program("git", str(tmp_path / "bin"), whole_checkout(checkout)) is None


def test_a_link_of_the_checkout_is_passed_over_wherever_it_leads(checkout: Path, tmp_path: Path) -> None:
    right = program(tmp_path / "right/git")
    linked(checkout / "link", right.parent)
    assert find_program("git", str(checkout / "link"), whole_checkout(checkout)) is None


def test_what_is_no_program_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a/git").mkdir(parents=True)
    program(tmp_path / "b/git").chmod(0o644)
    right = program(tmp_path / "c/git")
    path = os.pathsep.join(str(tmp_path / name) for name in "abc")
    assert find_program("git", path, str(tmp_path / "repo")) == str(right)


def test_a_folder_that_only_begins_alike_is_outside(tmp_path: Path) -> None:
    assert not lies_in(str(tmp_path / "repository"), str(tmp_path / "repo"))


def test_the_checkout_is_the_repository_around_a_folder(checkout: Path, tmp_path: Path) -> None:
    assert whole_checkout(checkout) == str(tmp_path / "repo")
    assert whole_checkout(linked(tmp_path / "link", checkout)) == str(tmp_path / "repo")


def test_a_submodule_belongs_to_the_repository_around_it(checkout: Path, tmp_path: Path) -> None:
    (checkout / ".git").write_text("gitdir: ../.git/modules/sub\n", encoding="utf-8")
    assert whole_checkout(checkout) == str(tmp_path / "repo")


def test_a_repository_in_another_is_one_of_its_own(checkout: Path) -> None:
    (checkout / ".git").mkdir()
    assert whole_checkout(checkout) == str(checkout)


def test_without_a_repository_it_is_the_folder(tmp_path: Path) -> None:
    assert whole_checkout(tmp_path) == str(tmp_path)


# -- Windows, by its rules on a disk that is told -----------------------------------------------------------------------------


def windows(files: set[str], links: Mapping[str, str] | None = None) -> System:
    known, leads = {ntpath.normcase(file) for file in files}, {ntpath.normcase(one): to for one, to in (links or {}).items()}
    return replace(
        WINDOWS,
        resolve=lambda place: leads.get(ntpath.normcase(ntpath.normpath(place)), ntpath.normpath(place)),
        same=lambda one, other: ntpath.normcase(one) == ntpath.normcase(other),
        starts=lambda place: ntpath.normcase(place) in known,
    )


GIT = r"C:\Program Files\Git\cmd\git.exe"
REPO = r"C:\code\repo"
ON_WINDOWS: dict[str, tuple[str, set[str], str | None]] = {
    "the working directory is not asked": (r"C:\Program Files\Git\cmd", {r"C:\code\repo\git.exe", GIT}, GIT),
    "an empty entry": (r";C:\Program Files\Git\cmd", {r"\git.exe", "git.exe", GIT}, GIT),
    "a dot": (r".;C:\Program Files\Git\cmd", {r".\git.exe", GIT}, GIT),
    "a folder of the current drive": (r"\tools;C:\Program Files\Git\cmd", {r"\tools\git.exe", GIT}, GIT),
    "a folder relative to a drive": (r"C:tools;C:\Program Files\Git\cmd", {r"C:tools\git.exe", GIT}, GIT),
    "the checkout in other letters": (r"c:\CODE\Repo\tools;C:\Program Files\Git\cmd", {r"c:\CODE\Repo\tools\git.exe", GIT}, GIT),
    "the checkout with other slashes": ("C:/code/repo/tools;C:/Program Files/Git/cmd", {r"C:/code/repo/tools\git.exe", GIT}, None),
    "a junction into the checkout": (r"D:\junction;C:\Program Files\Git\cmd", {r"D:\junction\git.exe", GIT}, GIT),
    "a batch file is not started": (r"D:\shims;C:\Program Files\Git\cmd", {r"D:\shims\git.bat", r"D:\shims\git.cmd", GIT}, GIT),
    "nothing but batch files": (r"D:\shims", {r"D:\shims\git.bat", r"D:\shims\git"}, None),
    "a share": (r"\\host\share\git", {r"\\host\share\git\git.exe"}, r"\\host\share\git\git.exe"),
}


@pytest.mark.parametrize(("path", "files", "found"), ON_WINDOWS.values(), ids=list(ON_WINDOWS))
def test_windows(path: str, files: set[str], found: str | None) -> None:
    told = find_program("git", path, REPO, windows(files, {r"D:\junction": r"C:\code\repo\tools"}))
    expected = found or (ntpath.join("C:/Program Files/Git/cmd", "git.exe") if GIT in files else None)
    assert (told and ntpath.normcase(told)) == (expected and ntpath.normcase(expected))


def test_another_drive_ends() -> None:
    assert not lies_in(r"D:\a\b", REPO, windows(set()))


# -- git, as --compare-with starts it ------------------------------------------------------------------------------------------


def git(folder: Path, *words: str) -> int:
    assert REAL_GIT
    quiet = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run([REAL_GIT, *words], cwd=folder, env=quiet, capture_output=True, timeout=60, check=False).returncode


@pytest.fixture
def repo(shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """A repository with one commit and hostile programs, and budgetlint in it with a PATH."""
    (tmp_path / ".git").rmdir()
    monkeypatch.chdir(tmp_path)
    shell.write("a.yaml", "learning_rate: 1.0e-5\n")
    for words in ("init -q .", "add -A", "-c user.name=a -c user.email=a@b.c commit -qm x"):
        assert git(tmp_path, *words.split()) == 0
    for name in ("git", "bin/git", "evil"):
        program(tmp_path / name, f"#!/bin/sh\ntouch '{tmp_path}/pwned'\n")
    return lambda *entries: shell("check", "--compare-with", "HEAD", environ={"PATH": os.pathsep.join(entries), "HOME": str(tmp_path)})


def test_only_git_from_outside_is_started(repo, tmp_path: Path) -> None:
    assert REAL_GIT
    ran = repo("", ".", "bin", str(tmp_path / "bin"), str(Path(REAL_GIT).parent))
    assert (ran.code, ran.err) == (0, "")
    assert not (tmp_path / "pwned").exists()


def test_where_only_the_checkout_has_git_that_is_said(repo, tmp_path: Path) -> None:
    ran = repo(".", str(tmp_path / "bin"))
    assert ran.code == 2
    assert "git, which is not on PATH outside this repository" in ran.err
    assert not (tmp_path / "pwned").exists()


CONFIG = """\
[core]
    fsmonitor = {evil}
    hooksPath = {folder}
    pager = {evil}
    sshCommand = {evil}
    alternateRefsCommand = {evil}
[pager]
    ls-tree = {evil}
    cat-file = {evil}
[alias]
    rev-parse = !{evil}
    ls-tree = !{evil}
    cat-file = !{evil}
[filter "evil"]
    smudge = {evil}
    process = {evil}
    required = true
[diff "evil"]
    textconv = {evil}
    command = {evil}
[credential]
    helper = !{evil}
[protocol]
    allow = always
[protocol "ext"]
    allow = always
[remote "origin"]
    url = ext::{evil}
    promisor = true
    partialclonefilter = blob:none
[extensions]
    partialClone = origin
"""


def test_a_hostile_configuration_starts_nothing(repo, shell, tmp_path: Path) -> None:
    """Of the configuration of the repository itself, with a missing blob that a promisor would fetch. git(1) alone starts both kinds."""
    shell.write(".gitattributes", "* filter=evil diff=evil\n")
    with (tmp_path / ".git/config").open("a", encoding="utf-8") as config:
        config.write(CONFIG.format(evil=tmp_path / "evil", folder=tmp_path))
    (blob,) = (path for path in (tmp_path / ".git/objects").glob("??/*") if b"learning_rate" in zlib.decompress(path.read_bytes()))
    blob.unlink()
    marker = tmp_path / "pwned"
    for words in (("status",), ("cat-file", "-e", blob.parent.name + blob.name)):
        git(tmp_path, *words)
        marker.unlink()
    shell.write("a.yaml", "learning_rate: 2.0e-5\n")
    ran = repo(str(Path(REAL_GIT or "").parent))
    assert (ran.code, "is not in this clone" in ran.err) == (2, True)
    assert not marker.exists()


def test_git_finds_nothing_in_the_checkout_and_keeps_the_variables_of_the_user(tmp_path: Path) -> None:
    assert REAL_GIT
    environ = {"PATH": os.pathsep.join((".", str(Path(REAL_GIT).parent))), "GIT_CEILING_DIRECTORIES": "/"}
    found = git_of(Console(io.StringIO(), io.StringIO(), io.StringIO(), environ, tmp_path)).environ
    assert found["PATH"] == str(Path(REAL_GIT).parent)
    assert found["GIT_CEILING_DIRECTORIES"] == "/"


def test_usable_entries_keep_their_order(tmp_path: Path) -> None:
    entries = [str(tmp_path / name) for name in ("b", "a")]
    assert usable_path(os.pathsep.join((entries[0], ".", entries[1], "")), str(tmp_path / "repo"), HERE) == entries
