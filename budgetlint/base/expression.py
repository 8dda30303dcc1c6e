"""Regular expressions, compiled when they are first asked: of a hundred that a hook imports it asks twenty."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile as expression
else:

    class expression:
        """A pattern with the methods of `re.Pattern`, each its own attribute once it was asked for."""

        def __init__(self, pattern: str, flags: int = 0) -> None:
            self._made = pattern, flags

        def __getattr__(self, name: str) -> Any:
            method = getattr(re.compile(*self._made), name)  # the next method has it from the cache of `re`
            setattr(self, name, method)
            return method


__all__ = ["expression"]
