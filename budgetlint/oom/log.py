"""The first out-of-memory message of a log, read line by line: a log of many gigabytes takes no more memory than its longest lines."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator

from budgetlint.base.record import record
from budgetlint.oom.message import OOM, Message, read_message

KEPT = 400
"""Lines before the message that may hold its traceback; interleaved tracebacks of eight ranks take that many."""

LONGEST = 8_192
"""Characters of a line that are looked at."""

_PREFIX = re.compile(
    r"^(?P<clock>\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]?\d*\]?[ :]*|\d\d:\d\d:\d\d[.,]?\d*[ :]*)?"
    r"(?P<rank>\[?(?:rank|RANK|local_rank|default|train|worker|node)?[ _:=-]?\d+\]?:(?:\[rank\d+\]:)?)?[ ]?"
)
_RANK = re.compile(r"\[?(?:rank|RANK)[ _:=]?(\d+)\]?|^(\d+): |^\[default(\d+)\]:")
_HOST = re.compile(
    r"oom[-_ ]kill|Out of memory: Kill|exitcode\s*[:=]?\s*-9\b|exit code:? (?:-9|137)\b|Signal 9 \(SIGKILL\)|SIGKILL|signal 9"
    r"|DefaultCPUAllocator: (?:can't allocate|not enough) memory|Cannot allocate memory|returned exit status -9"
    r"|\bOOMKilled\b|return code = -9|Exceeded (?:job|step) memory limit",
    re.IGNORECASE,
)
"""Linux' and Slurm's killer, what torchrun, DeepSpeed's launcher and Kubernetes say of a killed process, and torch's CPU allocator."""


_TELLING = ("emory", "EMORY", "oom", "OOM", "SIGKILL", "ignal 9", "-9", "137", "ALLOC", "llocat")
"""One of these is in every line that either pattern finds: a plain search is fifty times faster than theirs."""


@record
class Found:
    """``message`` None: the host killed it. ``lines`` precede the message, innermost last, of its rank where ranks are told apart; ``at``
    its line from 1; ``ranks`` how many ran out; ``read`` how many lines the log has."""

    message: Message | None
    at: int
    lines: tuple[str, ...]
    ranks: int
    read: int
    host: str = ""


def find(lines: Iterable[str]) -> Found | None:
    """The first message of a device; else the first sign that the host ran out; else None."""
    before: deque[str] = deque(maxlen=KEPT)
    best: tuple[Message, int, tuple[str, ...]] | None = None
    host: tuple[str, int] | None = None
    ranks, number = set[str](), 0
    for number, line in enumerate(lines, 1):
        line = line[:LONGEST].rstrip("\r\n")
        if not any(word in line for word in _TELLING):
            before.append(line)
            continue
        if OOM.search(line) and not _HOST.search(line) and (message := read_message(line)) is not None:
            ranks.add(_rank(line) or f"gpu {message.gpu}")
            if _better(message, best[0] if best else None):
                best = message, number, tuple(_of_rank(before, line))
        elif host is None and _HOST.search(line):
            host = line.strip(), number
        before.append(line)
    if best is not None:
        return Found(best[0], best[1], best[2], len(ranks), number)
    return Found(None, host[1], (), 1, number, host[0]) if host else None


def _better(new: Message, old: Message | None) -> bool:
    """The first that quotes an allocation; before it one that only says that memory is out."""
    return old is None or (old.requested is None and new.requested is not None)


def _rank(line: str) -> str:
    found = _RANK.search(line)
    return next((group for group in found.groups() if group), "") if found else ""


def _of_rank(before: Iterable[str], line: str) -> Iterator[str]:
    """The lines of the rank that the message is of, without their prefix; from its last traceback on."""
    rank = _rank(line)
    mine = [one for one in before if _rank(one) == rank] if rank else list(before)
    return (_bare(one) for one in (*mine[_last_traceback(mine) :], line))


FRAMES = 4
"""A traceback with fewer frames before the message is another rank's that has just begun."""


def _last_traceback(lines: list[str]) -> int:
    starts = [index for index, one in enumerate(lines) if "Traceback (most recent call last)" in one]
    whole = (start for start in reversed(starts) if sum(_is_frame(one) for one in lines[start:]) >= FRAMES)
    return next(whole, starts[0] if starts else 0)


def _is_frame(line: str) -> bool:
    return 'File "' in line


def _bare(line: str) -> str:
    found = _PREFIX.match(line)
    return line[found.end() :] if found else line
