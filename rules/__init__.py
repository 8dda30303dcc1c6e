"""The built-in rules: one module each, listed in `RULES` in order of code.

The tuple is written out: a walk over the folder would bring back rules that were deleted from a stale build.
"""

from __future__ import annotations

from budgetlint.rule import Rule

RULES: tuple[Rule, ...] = ()
