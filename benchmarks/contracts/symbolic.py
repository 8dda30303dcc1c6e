"""What a function refuses, as conditions over the fields it was given: its body walked once, each name holding an expression.

Branches are walked both and joined (``a if test else b``), so that a field that a validator rewrites is known in terms of what was
written. After a ``raise`` under a condition the way goes on as if it had not been raised: whoever meets both conditions is told the
first. What is not followed (a call that is not known, a loop that changes something) becomes `OPAQUE`, and a row over it is listed as
undecided, never guessed.
"""

from __future__ import annotations

from .calls import Calls
from .expressions import Expressions
from .statements import Statements


class Walker(Statements, Expressions, Calls):
    """Walks functions of one release."""
