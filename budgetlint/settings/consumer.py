"""Who reads a file, or a command's flags, and how that is known. What may be claimed of it hangs on this."""

from __future__ import annotations

from typing import Any

from budgetlint.base.record import record

LAUNCH, OPENED, ACCEPTED, FORMAT, SEVERAL, NOBODY, LONE, BUDGET = "A", "B", "C", "D", "E", "F", "L", "R"
"""A launch names it; a program of the project opens it; one program's interface takes it; a key that one strict program alone has; several
programs take it; nobody is known; no program is here, and its keys are one command line tool's; a budget reads
keys of it."""

WORDS = {LAUNCH: "launch", OPENED: "opened", ACCEPTED: "accepted", FORMAT: "format", SEVERAL: "several", LONE: "lone", BUDGET: "budget"}


@record
class Sink:
    """The class of training arguments that several programs fill in, with its library (``transformers.TrainingArguments``). ``changed`` are
    the fields in which they differ."""

    arguments: str
    changed: frozenset[str] = frozenset()


@record
class Consumer:
    """``program`` as people call it; ``evidence`` is one of the letters above; ``file`` and ``line`` say where it stands (line 0:
    nowhere). ``followed``: what the program does with what it reads is known, its defaults too. ``says`` is the sentence for a run that
    is read so by assumption; ``settles`` the line that would tell whose it is."""

    program: str
    evidence: str
    file: str = ""
    line: int = 0
    followed: bool = True
    says: str = ""
    settles: str = ""
    sink: Sink | None = None
    """What several programs that could read it agree on (`budgetlint.resolve.claims.takers`)."""
    task: str = ""
    """What it trains, where its name or a trainer of TRL's that it makes says so."""
    when: str = ""
    """The condition of one of several trainings that a program may come to, where nothing here decides which."""

    @property
    def is_nobody(self) -> bool:
        return self.evidence == NOBODY

    def as_json(self) -> dict[str, Any] | None:
        if self.is_nobody:
            return None
        return {"program": self.program, "evidence": WORDS[self.evidence], "file": self.file or None, "line": self.line or None}

    def __str__(self) -> str:
        return f"read by {self.program}" + (f" ({self.file}:{self.line})" if self.line else "")
