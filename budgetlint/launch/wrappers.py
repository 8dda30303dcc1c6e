"""Programs around a launch that start what they are given: which they are, what they set for it, and the texts that they hand to a shell.

Sources: POSIX.1-2017 ``env``, ``nohup``; sudo 1.9 ``sudo(8)``; Slurm 24.11 ``sbatch(1)``, ``srun(1)``; Open MPI 5 ``mpirun(1)`` (``-x``),
MPICH 4 ``mpiexec(1)`` (``-env``, ``-genv``); docker 28 ``docker run``; apptainer 1.4 ``apptainer exec``; uv 0.9 ``uv run``; coverage 7
``coverage run``; OpenSSH 10 ``ssh(1)``; tmux 3.5 ``tmux(1)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from budgetlint.base.expression import expression
from budgetlint.documents.shell import Command
from budgetlint.documents.shell_words import Atom, Word
from budgetlint.files.wanted import SHELL_SUFFIXES
from budgetlint.readers.base import names

SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
WRAPPERS = names(
    """env nohup time exec sudo stdbuf nice ionice numactl taskset timeout srun mpirun mpiexec mpiexec.hydra orterun ibrun horovodrun
        jsrun aprun uv uvx poetry pipenv pixi conda mamba micromamba hatch pdm rye coverage singularity apptainer docker podman
        nvidia-docker enroot shifter ch-run ray nsys ncu compute-sanitizer setsid screen tmux command builtin xvfb-run caffeinate
        torchx sky kubectl pdsh ssh deepspeed_mpi flock unbuffer run then do rocprof accelerate-launch dstack modal gpu-run with-proxy
        ts tsp bsub qsub salloc chrt proxychains proxychains4 dotenv doppler op tini dumb-init gosu systemd-run py-spy catchsegv
        cgexec prlimit runai gantry ddtrace-run opentelemetry-instrument script coproc parallel xargs"""
)
HANDED = frozenset(("parallel", "xargs"))
"""Those that put words of their own into the command."""
COUNTED = {
    "srun": "srun",
    "ibrun": "mpirun",
    **dict.fromkeys(("mpirun", "mpiexec", "mpiexec.hydra", "orterun", "horovodrun"), "mpirun"),
}
"""Those that say how many processes they start."""
_SUBCOMMANDS = {
    **dict.fromkeys(names("uv poetry pipenv pixi conda mamba micromamba hatch pdm rye coverage dotenv doppler op"), ("run",)),
    **dict.fromkeys(("singularity", "apptainer"), ("exec", "run")),
}
"""Wrappers that start a program only by a subcommand."""
_NO_FILES = names("docker podman nvidia-docker enroot ray torchx sky kubectl pdsh ssh screen tmux dstack modal runai gantry script")
"""Those whose arguments may name a file that they do not start."""
_MODULES = names("uv coverage pdm")
"""``uv run -m pkg.train``: they take a module as Python does."""
MODULE_WRAPPERS = names(
    """debugpy pdb ipdb pudb cProfile profile trace memory_profiler line_profiler kernprof coverage viztracer scalene pyinstrument
        torch.utils.bottleneck"""
)
"""Modules of ``python -m`` that run the program behind their options."""
_SUBMITTERS = names("sbatch qsub bsub oarsub")
_TEXTS = _SUBMITTERS | names("tmux screen su flock ssh pdsh nix-shell script gcloud xterm parallel runai ngc dsub watch")
"""Programs that hand a text to a shell: one of their arguments, or the value of one."""
_IN_FRONT = names("sudo nohup time exec command env")
_OF_TEXT = expression(r"--(?:wrap|command|commandline|run)=")
_ELSEWHERE = names("ssh pdsh gcloud")
_OF_SSH = frozenset(("-p", "-i", "-l", "-o", "-F", "-J", "-c", "-b", "-e", "-m", "-L", "-R", "-D", "-W", "-w"))
"""Options of ``ssh`` that take the next word."""
GAP = "${...}"
_OF_PARALLEL = expression(r"\{(?:[0-9]*[./#%+]*|=.*=)\}")
_ASSIGNED = expression(r"([A-Za-z_]\w*)=")
_SETS = {
    **dict.fromkeys(("docker", "podman", "nvidia-docker", "enroot"), ("-e", "--env")),
    **dict.fromkeys(("singularity", "apptainer"), ("--env",)),
    **dict.fromkeys(("mpirun", "orterun", "mpiexec"), ("-x",)),
}
"""Options that set a variable of the program: ``-x NAME=VALUE``."""
_PAIRS = frozenset(("-env", "-genv"))
"""MPICH's, whose name and value are two words."""


def base(word: Word) -> str:
    return word.text.rpartition("/")[2]


def is_script_of_somebody(word: Word) -> bool:
    """``./with_env.sh``: what may run the command behind it."""
    return word.text.endswith((".sh", ".bash"))


def starts_programs(words: Sequence[Word]) -> bool:
    """Is the wrapper told to run a program at all: ``uv run``, not ``uv pip``?"""
    wanted = _SUBCOMMANDS.get(base(words[0]))
    return wanted is None or any(word.text in wanted for word in words[1:4])


def starts_files(words: Sequence[Word]) -> bool:
    """Is a Python file among its arguments one that it starts?"""
    name = base(words[0])
    return name in WRAPPERS and name not in _NO_FILES and starts_programs(words)


def starts_modules(words: Sequence[Word]) -> bool:
    return base(words[0]) in _MODULES and starts_programs(words)


def variables(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """What wrappers set for the program behind them; ``words`` are their own."""
    options: tuple[str, ...] = ()
    assigns = False
    for index, word in enumerate(words):
        if word.text.startswith("--export=") and base(words[0]) in ("sbatch", "srun"):
            yield from _listed(word.after(len("--export=")))
            continue
        name, before = base(word), words[index - 1].text if index else ""
        options, assigns = _SETS.get(name, options), assigns or name in ("env", "sudo")
        if before in _PAIRS and index + 1 < len(words):
            yield word.text, words[index + 1]
            continue
        begin = next((len(one) + 1 for one in options if one.startswith("--") and word.text.startswith(f"{one}=")), 0)
        found = _ASSIGNED.match(word.text, begin)
        if found is not None and (begin or assigns or before in options):
            yield found[1], word.after(found.end())


def _listed(word: Word) -> Iterator[tuple[str, Word]]:
    """``ALL,A=x,B=y``"""
    at = 0
    for piece in word.text.split(","):
        found = _ASSIGNED.match(piece)
        if found is not None:
            rest = word.after(at + found.end())
            yield found[1], Word(piece[found.end() :], rest.span, rest.known, rest.atoms)
        at += len(piece) + 1


def with_gaps(words: Sequence[Word], at: int) -> tuple[Word, ...]:
    """The command behind ``parallel`` and ``xargs``, from word ``at`` on: what they put in is not known."""
    command = words[at : next((index for index, word in enumerate(words) if word.text.startswith(":::")), len(words))]
    mark = next((words[index + 1].text for index, word in enumerate(words[:at]) if word.text in ("-I", "-i") and index + 1 < at), "{}")
    found = [_gap(word) if mark in word.text or _OF_PARALLEL.search(word.text) else word for word in command]
    is_put_in = any(not word.known and word.text == GAP for word in found)
    return tuple(found) if is_put_in else (*found, _gap(command[-1]))


def _gap(word: Word) -> Word:
    return Word(GAP, word.span, False, (Atom(GAP, word.span.start, known=False),))


def is_elsewhere(words: Sequence[Word]) -> bool:
    """Does it run on another machine, with files and variables of its own?"""
    for word in words:
        if base(word) in _ELSEWHERE:
            return True
        if base(word) not in WRAPPERS and not word.text.startswith("-"):
            return False
    return False


def texts_within(words: Sequence[Word]) -> Iterator[Word]:
    """Arguments that may be a text for a shell: they hold blanks, or stand behind ``--wrap=``."""
    while words and (base(words[0]) in _IN_FRONT or words[0].text.startswith("-")):
        words = words[1:]
    if not words or base(words[0]) not in _TEXTS:
        return
    for word in words[1:]:
        option = _OF_TEXT.match(word.text)
        text = word.after(option.end()) if option is not None else word
        if " " in text.text.strip() or "\n" in text.text:
            yield text


def reads_commands(command: Command) -> Word | None:
    """The text that a shell or a submitter reads from a here-document; None where it is given a script, or is no shell."""
    words = command.words
    if command.text is None or not words:
        return None
    name = base(words[0])
    if name in _SUBMITTERS:
        return command.text if not any(_is_file(word) for word in words[1:]) else None
    if name in _ELSEWHERE:
        return command.text if len(_plain(words)) == 1 else None
    at = next((index for index, word in enumerate(words) if base(word) in SHELLS), None)
    if at is None or (at and name not in WRAPPERS):
        return None
    options = words[at + 1 :]
    given = not options or all(word.text.startswith("-") for word in options) or options[0].text in ("-s", "-")
    return command.text if given and not any(word.text.startswith("-") and word.text.endswith("c") for word in options[:2]) else None


def _plain(words: Sequence[Word]) -> list[str]:
    """The words of ``ssh [options] HOST [COMMAND]`` that are no options; a shell behind the host is nothing more."""
    left = list(words[1 : -1 if base(words[-1]) in SHELLS or words[-1].text in ("-s", "-") else None])
    return [word.text for at, word in enumerate(left) if word.text[:1] != "-" and (at == 0 or left[at - 1].text not in _OF_SSH)]


def _is_file(word: Word) -> bool:
    return word.text.endswith((*SHELL_SUFFIXES, ".pbs"))
