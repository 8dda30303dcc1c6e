"""Calls of the packages' classes that a followed program surely makes, with the arguments that it surely gives by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.program.document import best
from budgetlint.program.heap import perhaps_absent
from budgetlint.resolve.program_places import at
from budgetlint.settings.program import PlainCall

if TYPE_CHECKING:
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Files
    from budgetlint.program.places import Place
    from budgetlint.program.sinks import Sink
    from budgetlint.program.values import Value

_KINDS = frozenset({"arguments", "adapter_config", "trainer"})


def plain_calls(followed: Followed, files: Files) -> tuple[PlainCall, ...]:
    """Those of classes of the repository's own are left out: they may take what they like."""
    sure = (one for one in followed.sinks if one.kind in _KINDS and not one.base and not one.tried and not one.may_be_skipped)
    return tuple(PlainCall(one.name, tuple((name, at(place, files)) for name, place in _named(one))) for one in sure)


def _named(call: Sink) -> Iterator[tuple[str, Place]]:
    """A positional argument has a name of its own here, which is that of some releases only."""
    node = call.place.node
    written = {one.arg: one for one in node.keywords} if isinstance(node, ast.Call) else {}
    for name, value in call.arguments.items():
        keyword = written.get(name)
        if perhaps_absent(value):
            continue
        if keyword is not None or (isinstance(node, ast.Call) and not node.args and None in written):
            yield name, _given(value, call.place, keyword)


def _given(value: Value, call: Place, keyword: ast.keyword | None) -> Place:
    """Where its value was decided, as in the program's document, else in the call itself."""
    origin = best(value.origins)
    if origin is not None:
        return origin.place
    return call._replace(node=keyword.value, line=keyword.value.lineno) if keyword is not None else call
