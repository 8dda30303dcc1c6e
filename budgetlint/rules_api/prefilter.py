"""The words of what is judged: the keys that its files write, its settings, whose files they are, and what settings are set to.

Most rules are about one key or one value, and most files do not have it. A rule that names its `Rule.words` is asked only where one of
them is; in a check of one file 78 of 106 modules of rules are then not loaded, and in one of a thousand files two of three calls are not
made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from budgetlint.documents.node import Mapping, Node, Sequence
from budgetlint.rules_api.rule import Rule
from budgetlint.settings.run import Reading, Run, Settings


class Words:
    """The words of one check's documents, each collected once. Values are words (``task=grpo``) of the settings that a rule names so."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._known: dict[int, frozenset[str]] = {}
        self._same: dict[frozenset[str], frozenset[str]] = {}
        self._valued = tuple(sorted({name for rule in rules for name, _, value in (word.partition("=") for word in rule.words) if value}))

    def of(self, reading: Reading) -> frozenset[str]:
        """Every key of the document, at any depth, the settings that were read from it, its format and its framework's."""
        found = self._known.get(id(reading))
        if found is None:
            document = reading.document
            of_settings = (*reading.settings, *self._values(reading.settings))
            words = frozenset((*keys(document.root), *of_settings, document.format, reading.format))
            found = self._known[id(reading)] = self._same.setdefault(words, words)  # a family of configs has one set
        return found

    def of_run(self, run: Run) -> frozenset[str]:
        return frozenset(run.settings).union(self._values(run.settings), *map(self.of, run.readings))

    def _values(self, settings: Settings) -> Iterator[str]:
        """What the settings are set to: as it is known, as it was written, and all that it may be."""
        for name in self._valued:
            setting = settings.get(name)
            if setting is not None:
                yield from (f"{name}={value}" for value in (setting.value, setting.text, *setting.readings))


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
