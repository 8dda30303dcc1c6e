"""What a program finds when it starts: its words and its environment. Made anew for each program: it may change them."""

from __future__ import annotations

from collections.abc import Mapping

from budgetlint.program.packages.variables import ENVIRONMENT
from budgetlint.program.state import Launched
from budgetlint.program.values import Items, Known, Map, Opaque, Open, Value


def constants(started: Launched, entry: str) -> Mapping[str, Value]:
    """``sys.argv`` and ``os.environ``."""
    environment = Map(dict(started.environment), Open("environment", ""))
    environment.loader = ENVIRONMENT
    words = started.words
    return {
        "sys.argv": Items((Known(entry), *(words or ())), "list", Opaque("words that nobody gives here") if words is None else None),
        "os.environ": environment,
    }
