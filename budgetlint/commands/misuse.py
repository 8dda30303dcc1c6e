"""How a command says that it was called wrongly."""

from __future__ import annotations


class Misuse(Exception):
    """The command was called wrongly: its message, of one line, says what to do; exit code 2."""
