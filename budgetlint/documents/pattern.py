"""A regular expression that is compiled when it is first asked for: most files never meet most of them, and each costs a start."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache


def later(pattern: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    return cache(lambda: re.compile(pattern, flags))
