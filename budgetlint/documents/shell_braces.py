"""Words that bash makes several of before it looks at anything else in them: ``{a,b}``, ``x{1..3}``, ``{"a":1,"b":2}`` without quotes.

Source: bash 5.2 manual 3.5.1. What they become is not worked out; who reads them says that it is not known.
"""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.documents.shell_words import Literal, Part

_SEVERAL = expression(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")
_HIDDEN = "\0"


def makes_several(parts: tuple[Part, ...]) -> bool:
    """Are there braces with a comma or two dots between, none of them quoted?"""
    if not any(isinstance(part, Literal) and not part.quoted and "{" in part.text for part in parts):
        return False
    seen = "".join(part.text if isinstance(part, Literal) and not part.quoted else _HIDDEN for part in parts)
    return _SEVERAL.search(seen) is not None
