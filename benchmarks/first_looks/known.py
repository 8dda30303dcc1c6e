"""What was looked at already, and is not fresh any more: `data/looked_at.txt`, a repository or a thread a line.

Repositories are compared by owner and name, threads by the repository's name and the number: repositories change their owners
(volcengine/verl, verl-project/verl) and their spelling (LLaMA-Factory, LlamaFactory).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from first_looks import Refused

THREAD = re.compile(
    r"(?:https?://github\.com/)?(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:/(?:issues|pull|discussions)/|#)(?P<number>\d+)\b.*"
)
REPOSITORY = re.compile(r"(?:https?://github\.com/)?(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?")


def key(text: str) -> str:
    """``owner/name`` or ``name#number``. Raises `Refused` for anything else."""
    if thread := THREAD.fullmatch(text):
        return f"{re.sub(r'[^a-z0-9]', '', thread['name'].lower())}#{thread['number']}"
    if repository := REPOSITORY.fullmatch(text):
        return f"{repository['owner']}/{repository['name']}".lower()
    raise Refused(f"{text}: neither OWNER/NAME nor the address of a thread on GitHub")


def looked_at(path: Path) -> set[str]:
    lines = (line.partition(" ")[0] for line in path.read_text(encoding="utf-8").splitlines())
    return {key(line) for line in lines if line and not line.startswith("#")}


def refuse_known(sources: Iterable[str], path: Path) -> None:
    """Raises `Refused` naming every source that was looked at before."""
    known = looked_at(path)
    stale = [source for source in sources if key(source) in known]
    if stale:
        raise Refused(f"looked at before, so no first look ({path.name}): {', '.join(stale)}")


def remember(sources: Iterable[str], path: Path, title: str) -> None:
    with path.open("a", encoding="utf-8") as lines:
        lines.write("\n".join([f"# {title}", *sources]) + "\n")
