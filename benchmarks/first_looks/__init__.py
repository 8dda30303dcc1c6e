"""First looks: what the linter says about what nobody had shown it, judged by hand and recorded. See `first_look.py`."""

from __future__ import annotations


class Refused(Exception):
    """What the record may not hold, or what cannot be looked at; the text says why, and what to do."""
