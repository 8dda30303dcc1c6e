"""The hash of the settings that matter: a measurement holds for a run as long as this is the same."""

from __future__ import annotations

import hashlib
import json

from budgetlint.memory.reuse import NEVER_ASKED
from budgetlint.settings.run import Setting, Settings

PREFIX = "sha256:"
DIGITS = 16
LEAST = 8
"""A shorter hash, as somebody may have copied it, is compared as far as it goes; below this it says nothing."""

ELSEWHERE = frozenset({"device"})
"""What a measured line says by a name of its own."""


def settings_hash(settings: Settings, model_code: str) -> str:
    """``sha256:3f7a90c1…`` of what is said, in files, flags and budget, about anything that the estimate asks. Defaults are left out:
    they follow from the versions, which a line names, and a newer budgetlint that knows more of them must not make lines stale."""
    asked = {setting.name: _said(setting) for setting in settings.values() if _matters(setting)}
    text = json.dumps([model_code, asked], sort_keys=True, default=str)
    return PREFIX + hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def same(one: str, other: str) -> bool:
    """Do these hashes agree, as far as both go?"""
    short, long = sorted((one.removeprefix(PREFIX).lower(), other.removeprefix(PREFIX).lower()), key=len)
    return len(short) >= LEAST and long.startswith(short)


def _matters(setting: Setting) -> bool:
    return not setting.is_default and setting.name not in NEVER_ASKED and setting.name not in ELSEWHERE


def _said(setting: Setting) -> object:
    """The value, however it is spelled; of one that nobody knows, its text."""
    if not setting.known:
        return [setting.state, setting.text]
    value = setting.value
    return str(int(value)) if isinstance(value, float) and value.is_integer() else repr(value)
