"""Slips of a followed program that decide no memory: flags that do not arrive, keys that a default replaces, schedules at odds with the
loop."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from budgetlint.program.values import Known, Value
from budgetlint.resolve.program_places import at
from budgetlint.resolve.stepped_schedules import stepped_schedules
from budgetlint.settings.program import ProgramSlip

if TYPE_CHECKING:
    from budgetlint.base.source import Location
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Files, Trees
    from budgetlint.program.noted import Dropped, Watched
    from budgetlint.program.places import Place

DROPPED, BEGUN, REPLACED, TEMPLATE, STEPPED = "dropped", "begun", "replaced", "template", "stepped"
_PARSES = re.compile(r"\.parse_(?:known_)?(?:intermixed_)?args\w*\(")
_ARGV = re.compile(r"\bargv\b|\b(?:fire|tyro|typer|click|absl|hydra|simple_parsing|jsonargparse|OmegaConf\.from_cli)\b")
_OF_LAUNCHERS = frozenset({"--local_rank", "--local-rank"})


def slips(followed: Followed, trees: Trees, text: Callable[[], Iterable[str]]) -> tuple[ProgramSlip, ...]:
    """``text`` gives all Python of the project."""
    files = trees.files
    found = [*_dropped(followed, trees, text), *_begun(followed, files), *_replaced(followed, files), *_watched(followed, files)]
    found += [ProgramSlip(STEPPED, name, at(place, files), at(loop, files)) for name, place, loop in stepped_schedules(followed, trees)]
    return tuple(dict.fromkeys(found))


# flags


def _dropped(followed: Followed, trees: Trees, text: Callable[[], Iterable[str]]) -> Iterator[ProgramSlip]:
    """Where one parser alone reads the words, and what it leaves is thrown away."""
    left = followed.slips.dropped
    if not left or followed.stopped or followed.refusals or any(one.is_of_all for one in followed.doubts):
        return
    texts = list(text())
    if sum(len(_PARSES.findall(one)) for one in texts) != 1 or any(_ARGV.search(one) for one in texts):
        return
    for one in left:
        if _is_thrown_away(one, trees):
            for flag, place in _flags(one.words):
                yield ProgramSlip(DROPPED, flag, at(place, trees.files), at(one.place, trees.files))


def _flags(words: Iterable[Value]) -> Iterator[tuple[str, Place]]:
    for word in words:
        flag = str(word.value).partition("=")[0] if isinstance(word, Known) else ""
        if flag.startswith("--") and len(flag) > 2 and flag not in _OF_LAUNCHERS and word.origins:
            yield flag, word.origins[0].place


def _is_thrown_away(one: Dropped, trees: Trees) -> bool:
    """``args, _ = …``, with a name that nobody asks for; ``….parse_known_args()[0]``."""
    tree = trees.tree(one.place.path)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Subscript) and node.value is one.place.node:
            return isinstance(node.slice, ast.Constant) and node.slice.value == 0
        if isinstance(node, ast.Assign) and node.value is one.place.node:
            return len(node.targets) == 1 and tree is not None and _is_unasked(node.targets[0], tree)
    return False


def _is_unasked(target: ast.expr, tree: ast.Module) -> bool:
    names = target.elts if isinstance(target, ast.Tuple) else []
    rest = names[1] if len(names) == 2 else None
    if not isinstance(rest, ast.Name):
        return False
    return not any(isinstance(one, ast.Name) and one.id == rest.id and isinstance(one.ctx, ast.Load) for one in ast.walk(tree))


def _begun(followed: Followed, files: Files) -> Iterator[ProgramSlip]:
    for one in followed.slips.begun:
        yield ProgramSlip(BEGUN, one.origin.key, at(one.origin.place, files), names=one.names, owner=one.kind)


# values


def _replaced(followed: Followed, files: Files) -> Iterator[ProgramSlip]:
    """The last step of a default's way is where it is written."""
    if followed.stopped:
        return
    for one in followed.slips.replaced:
        old, new = one.old.origins[0], one.new.origins[0]
        assert isinstance(one.old, Known) and isinstance(one.new, Known)
        yield ProgramSlip(
            REPLACED, one.key, at(old.place, files), at(one.place, files), (str(one.old.value), str(one.new.value)), at(new.place, files)
        )


def _watched(followed: Followed, files: Files) -> Iterator[ProgramSlip]:
    for one in followed.slips.watched:
        if not one.sure:
            continue
        template = one.arguments.get("response_template")
        if one.name.startswith("trl.") and isinstance(template, Known) and isinstance(template.value, str) and _ends_blank(template.value):
            yield ProgramSlip(TEMPLATE, template.value, _place(template, one, files), at(one.place, files))


def _ends_blank(text: str) -> bool:
    return text.endswith(" ") and bool(text.strip())


def _place(value: Value, call: Watched, files: Files) -> Location:
    origin = next((one for one in value.origins if one.kind in ("flag", "config", "option", "source")), None)
    return at(origin.place if origin is not None else call.place, files)
