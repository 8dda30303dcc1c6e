"""The words of what is judged: the keys that its files write, and its settings.

Most rules are about one key, and most files do not have it. A rule that names its `Rule.words` is asked only where one of them is; in a
check of one file 50 of 125 modules of rules are then not loaded, and in one of a thousand files half of the calls are not made.
"""

from __future__ import annotations

from budgetlint.documents.node import Mapping, Node, Sequence
from budgetlint.settings.run import Reading, Run


class Words:
    """The words of one check's documents, each collected once."""

    def __init__(self) -> None:
        self._known: dict[int, frozenset[str]] = {}
        self._same: dict[frozenset[str], frozenset[str]] = {}

    def of(self, reading: Reading) -> frozenset[str]:
        """Every key of the document, at any depth, and the settings that were read from it."""
        found = self._known.get(id(reading))
        if found is None:
            words = frozenset([*keys(reading.document.root), *reading.settings])
            found = self._known[id(reading)] = self._same.setdefault(words, words)  # a family of configs has one set
        return found

    def of_run(self, run: Run) -> frozenset[str]:
        return frozenset(run.settings).union(*map(self.of, run.readings))


def keys(root: Node | None) -> list[str]:
    """The text of every key, what merge keys bring included; a node that aliases share is entered once."""
    found: list[str] = []
    blocks: list[Mapping | Sequence] = [root] if isinstance(root, (Mapping, Sequence)) else []
    entered: set[int] = set()
    for block in blocks:  # grows as it is read
        if id(block) in entered:
            continue
        entered.add(id(block))
        if isinstance(block, Sequence):
            blocks += [item for item in block.items if isinstance(item, (Mapping, Sequence))]
            continue
        for entry in (*block.entries, *block.merged) if block.merged else block.entries:
            found.append(entry.key.text)
            if isinstance(entry.value, (Mapping, Sequence)):
                blocks.append(entry.value)
    return found
