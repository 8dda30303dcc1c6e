"""What reading the scripts of one file may still cost, in counted steps: one account for all its texts, wherever they are expanded.

A step is a piece of an expanded word; a long piece is several, for each of its characters is copied, and one whose blanks part words
may become that many of them. Past the bound a variable is not known, as if the script asked for it elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base import limits
from budgetlint.base.record import field, open_state
from budgetlint.base.source import SourceFile
from budgetlint.documents.shell_words import Atom

LONG, LONG_APART = 64, 2
"""Characters that cost one more step: as one word, and where blanks may part them."""


def cost_of(atoms: Iterable[Atom], *, apart: bool) -> int:
    """The steps of a value; ``apart`` where it is not quoted."""
    long = LONG_APART if apart else LONG
    return sum([1 + len(atom.text) // long for atom in atoms])


@open_state
class ShellWork:
    """``cut`` are the bounds that the file has met, with the place of the first thing that was not read."""

    steps: int = limits.EXPANSIONS.most
    words: int = limits.WORDS.most
    unrolled: int = limits.UNROLLED.most
    """Words of rounds of loops."""
    cut: dict[str, int] = field(default_factory=dict)

    def expands(self, cost: int, at: int) -> bool:
        """May a value of so many steps be put where a variable is taken?"""
        if cost > self.steps:
            self.stop(limits.EXPANSIONS, at)
            return False
        self.steps -= cost
        return True

    def reads(self, at: int) -> bool:
        """May one more word or operator be read, or one more part of a word?"""
        if not self.words:
            self.stop(limits.WORDS, at)
            return False
        self.words -= 1
        return True

    def stop(self, bound: limits.Bound, at: int) -> None:
        self.cut.setdefault(bound.name, at)


def work_of(source: SourceFile, purpose: str, *, again: bool = False) -> ShellWork:
    """The account of a file for one purpose; the documents of a file share it, a script that is read ``again`` begins a new one."""
    accounts: dict[str, ShellWork] = source.facts.setdefault("shell work", {})
    if again or purpose not in accounts:
        accounts[purpose] = ShellWork(cut=source.cut)
    return accounts[purpose]
