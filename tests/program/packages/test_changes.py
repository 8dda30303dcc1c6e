"""Programs that change lists, dicts, sets and objects, beside Python itself: what is claimed to be known is what Python has at the end."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from budgetlint.program.heap import perhaps_absent
from budgetlint.program.values import Choice, Items, Known, Map

from .following import Unknown, as_python, followed
from .test_expressions import same

HERE = Path(__file__).parent


def blocks(text: str) -> dict[str, str]:
    """Programs by their names: ``== name`` and what is below."""
    found = [one.partition("\n") for one in re.split(r"^== ", text, flags=re.MULTILINE)[1:]]
    return {name: body for name, _, body in found}


PROGRAMS = blocks((HERE / "changes.txt").read_text(encoding="utf-8"))
MAY_BE_UNKNOWN = {"sum of lists", "equal members", "str of an object"}


def python_has(text: str) -> object:
    names: dict[str, object] = {"__name__": "__main__"}
    exec(text, names)  # a text of this folder
    return names["out"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_known_and_what_python_has(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = followed(PROGRAMS[name])
    assert seen.stopped == ""
    for one in ("MY_OWN", "MY_OTHER"):
        monkeypatch.setenv(one, "")
        monkeypatch.delenv(one)
    try:
        found = as_python(seen["out"])
    except Unknown:
        assert name in MAY_BE_UNKNOWN
        return
    wanted = python_has(PROGRAMS[name])
    assert same(found, wanted), f"{found!r} is not {wanted!r}"


CALLS = (HERE / "calls.txt").read_text(encoding="utf-8").splitlines()


START = """import os, copy
class O: pass
a, b, s, d, e, n, m, o, p = [1, 2], [3], {1}, {'k0': 0}, {}, {}, {'l1': [7]}, O(), O()
i, k = iter([5, 6]), d.keys()
UNKNOWN = os.environ.get('NOBODY_SAYS_THIS')
"""


BLOCKS = (
    "if UNKNOWN == '{v}':\n    {one}\n    {two}", "if UNKNOWN == '{v}':\n    {one}\nelse:\n    {two}",
    "for _ in range(int(UNKNOWN)):\n    {one}",
    "try:\n    {one}\nexcept Exception:\n    {two}", "for _ in range(int(UNKNOWN)):\n    if UNKNOWN == '{v}':\n        break\n    {one}",
    "if UNKNOWN == '{v}':\n    {one}",
)  # fmt: skip


def random_program(seed: int, length: int, conditions: int = 0) -> str:
    """Calls in any order; the first few in blocks of which nobody knows how they go."""
    draw = random.Random(seed)

    def call() -> str:
        return draw.choice(CALLS).format(n=draw.randrange(4), m=draw.randrange(4))

    blocks = [draw.choice(BLOCKS).format(v=draw.randrange(2), one=call(), two=call()) for _ in range(conditions)]
    return "\n".join([*START.splitlines(), *blocks, *(call() for _ in range(length - conditions))])


def names_after(text: str, unknown: str) -> dict[str, object] | None:
    """What Python has at the end; None where the program fails."""
    names: dict[str, object] = {"__name__": "__main__"}
    try:
        exec(text.replace("os.environ.get('NOBODY_SAYS_THIS')", repr(unknown)), names)  # made here
    except Exception:  # whatever Python says
        return None
    return {key: names[key] for key in "absdenm"}


@pytest.mark.parametrize("seed", range(150))
def test_programs_of_calls(seed: int) -> None:
    """Nothing that is claimed to be known differs, whatever the condition is."""
    text = random_program(seed, 12, conditions=3 if seed % 3 == 0 else 0)
    seen = followed(text)
    for unknown in "012":
        wanted = names_after(text, unknown)
        if wanted is None:
            continue
        assert seen.stopped == "", text
        for name, there in wanted.items():
            assert held(seen[name], there), f"{text}\n{name}: {seen[name]!r}, Python has {there!r}"


def held(value: object, there: object) -> bool:
    """Whether what is claimed allows what Python has."""
    if isinstance(value, Known):
        return same(value.value, there)
    if isinstance(value, Choice):
        return any(held(way.value, there) for way in value.ways)
    if isinstance(value, Items):
        return _held_items(value, there)
    if isinstance(value, Map):
        return _held_map(value, there)
    return True


def _held_items(value: object, there: object) -> bool:
    assert isinstance(value, Items)
    if type(there).__name__ != value.kind:
        return False
    known = list(value.items)
    if isinstance(there, set):
        return value.more is not None or (len({repr(one) for one in known}) >= len(there) if not any(map(perhaps_absent, known)) else True)
    if any(map(perhaps_absent, known)):
        return True
    assert isinstance(there, list | tuple)
    fits = len(there) == len(known) if value.more is None else len(there) >= len(known)
    return fits and all(held(one, other) for one, other in zip(known, there, strict=False))


def _held_map(value: object, there: object) -> bool:
    assert isinstance(value, Map) and isinstance(there, dict)
    if value.rest is None and any(key not in value.items for key in there):
        return False
    return all(held(one, there[key]) if key in there else perhaps_absent(one) for key, one in value.items.items())
