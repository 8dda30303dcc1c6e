"""What the rules about declared runs share: the fix that writes the hash of what a run was declared from."""

from __future__ import annotations

from budgetlint.measured.watched import Seal, Watched
from budgetlint.rule import Edit, Fix, Safety

__all__ = ["Seal", "sealed"]


def sealed(one: Watched, safety: Safety = Safety.UNSAFE) -> tuple[Fix, ...]:
    """Write the hash as it is now; nothing where the files could not be read."""
    source = one.watch.origin.source
    if source is None or not one.now:
        return ()
    text = one.now if one.watch.seen else f" seen={one.now}"
    return (Fix(f"write seen={one.now}", safety, (Edit(source.path, one.watch.seen_span, text),)),)
