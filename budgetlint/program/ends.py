"""How a way ends before its time: in an error, by the program's own will, at a bound."""

from __future__ import annotations

from budgetlint.program.values import External, Opaque, Value

ANY_ERROR = Opaque("an error")


class Dead(Exception):
    """This way ends in an error: no run comes of it, save where it is caught.

    ``error``: what is raised, a class's name of Python, or a value.
    """

    def __init__(self, error: Value | str = "") -> None:
        super().__init__()
        self.error = error if isinstance(error, Value) else External(error) if error else ANY_ERROR
        self.signal = "raise"


class Exits(Dead):
    """This way ends by the program's own will."""

    def __init__(self) -> None:
        super().__init__("SystemExit")


class TooLong(Exception):
    """A bound was reached: what comes after is not known."""
