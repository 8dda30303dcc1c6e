"""Flags of a launch that no parser of its program has, and that the program drops: ``args, _ = parser.parse_known_args()``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from budgetlint.base.suggest import near_names
from budgetlint.settings.program import ClosedFlag

if TYPE_CHECKING:
    from budgetlint.program.follow import Followed
    from budgetlint.program.modules import Files

_ALIKE = 0.75
_OTHERS = re.compile(
    r"\bsys\.argv\b|HfArgumentParser|TrlParser|\b(?:hydra|absl|megatron|fire|click|typer|tyro|jsonargparse|simple_parsing|colossalai|gin)\b"
)
"""What may read the words of the launch besides."""
_OF_LAUNCHERS = frozenset({"--local_rank", "--local-rank", "--deepspeed", "--deepspeed_config"})


def dropped_flags(followed: Followed, files: Files) -> tuple[ClosedFlag, ...]:
    return tuple(_of(followed, files)) if followed.dropped and not followed.stopped else ()


def _of(followed: Followed, files: Files) -> Iterator[ClosedFlag]:
    texts = (source.text for path in followed.modules if (source := files.source(path)) is not None)
    if any(_OTHERS.search(text) for text in texts):
        return
    known = [flag for flags in followed.flags.values() for flag in flags if flag.startswith("--")]
    for one in followed.dropped:
        flag = str(one.value).partition("=")[0]
        place = one.origins[0].place if one.origins else None
        if flag in known or flag in _OF_LAUNCHERS or place is None or place.source is None or place.span is None:
            continue
        near = next(iter(near_names(flag, known, alike=_ALIKE)), "")
        yield ClosedFlag(flag, place.source.locate(place.span), near=near, is_dropped=True)
