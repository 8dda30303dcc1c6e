"""How the process ends: without the interpreter's teardown, and as if it had been torn down."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FITS = "device 24GiB\n"
BROKEN = "device 24GiB {\n"
RUN = "import sys; sys.argv = ['budgetlint', 'devices']; from budgetlint.__main__ import run"
UNWOUND = "try:\n run()\nexcept SystemExit as end:\n print('unwound', end.code)"


def ended(arguments: list[str], folder: Path, **streams: int) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}  # what is buffered must arrive too
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=not streams, text=True, timeout=60, **streams)  # type: ignore[call-overload]


@pytest.mark.parametrize(("text", "code"), [(FITS, 0), (BROKEN, 1)], ids=["clean", "a finding"])
def test_the_exit_code_is_the_verdict(tmp_path: Path, text: str, code: int) -> None:
    (tmp_path / "card.budget").write_text(text, encoding="utf-8")
    assert ended(["-m", "budgetlint", "check"], tmp_path).returncode == code


@pytest.mark.parametrize("words", [["chekc"], ["check", "--no-such-option"], ["check", "absent.yaml"]], ids=" ".join)
def test_wrong_use_is_two(tmp_path: Path, words: list[str]) -> None:
    ran = ended(["-m", "budgetlint", *words], tmp_path)
    assert ran.returncode == 2
    assert ran.stderr


def test_all_that_was_printed_arrives(tmp_path: Path) -> None:
    """More than a pipe or a buffer holds, and the last line whole."""
    ran = ended(["-m", "budgetlint", "devices", "--format", "json"], tmp_path)
    assert len(ran.stdout) > 20_000
    assert ran.stdout.endswith("}\n")


WATCHERS = {
    "nobody": ("", False),
    "a tracer": ("sys.settrace(lambda *_: None)", True),
    "a profiler": ("sys.setprofile(lambda *_: None)", True),
    "a thread": ("import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()", True),
}


@pytest.mark.parametrize("name", WATCHERS)
def test_who_waits_for_the_end_sees_it(tmp_path: Path, name: str) -> None:
    prepared, sees = WATCHERS[name]
    ran = ended(["-c", "\n".join((RUN, prepared, UNWOUND))], tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("unwound 0\n") == sees


@pytest.mark.parametrize("flag", [["-X", "dev"], ["-m", "cProfile"]], ids=" ".join)
def test_python_s_own_watchers(tmp_path: Path, flag: list[str]) -> None:
    """A profile is printed at the end, and the development mode says which files stayed open."""
    ran = ended([*flag, "-m", "budgetlint", "devices"], tmp_path)
    assert ran.returncode == 0
    assert ("function calls" in ran.stdout) == ("cProfile" in flag)


@pytest.mark.parametrize(
    ("handler", "told"),
    [("lambda: print('saved')", "saved\n"), ("lambda: 1 // 0", "ZeroDivisionError")],
    ids=["prints", "raises"],
)
def test_exit_handlers_run_once_at_the_end(tmp_path: Path, handler: str, told: str) -> None:
    """Coverage and logging save what they hold there."""
    ran = ended(["-c", f"import atexit; atexit.register({handler})\n{RUN}; run()"], tmp_path)
    assert ran.returncode == 0
    assert (ran.stdout + ran.stderr).count(told) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
@pytest.mark.parametrize(("words", "code"), [(["devices"], 2), (["--help"], 120)], ids=["a command", "argparse"])
def test_a_full_disk_is_an_error(tmp_path: Path, words: list[str], code: int) -> None:
    """120 is the interpreter's own code for what it could not write."""
    with Path("/dev/full").open("wb") as full:
        ran = ended(["-m", "budgetlint", *words], tmp_path, stdout=full.fileno(), stderr=subprocess.PIPE)
    assert ran.returncode == code
    assert "No space left" in ran.stderr


def test_a_reader_that_went_away_is_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "budgetlint", "devices", "--format", "json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ran:
        assert ran.stdout is not None and ran.stderr is not None
        ran.stdout.close()
        told = ran.stderr.read()
    assert (ran.returncode, told) == (2, b"")


def test_an_interrupt_is_130(tmp_path: Path) -> None:
    interrupted = "import budgetlint.commands.devices as d\ndef stopped(*_): raise KeyboardInterrupt\nd.run = stopped"
    ran = ended(["-c", "\n".join((RUN, interrupted, "run()"))], tmp_path)
    assert (ran.returncode, ran.stderr) == (130, "")
