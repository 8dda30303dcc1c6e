"""Values of one section by key, for what a key table cannot say: several keys that decide one setting together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from budgetlint.base.record import field, record, replace
from budgetlint.documents import Document, Entry, Loader, Mapping, Node
from budgetlint.readers.base import Misread, Raw, entry_under, raw_of, read_raw, to_bool
from budgetlint.settings.run import Setting


@record
class Lookup:
    """The section at ``prefix`` of a document. Illegal values that are asked for are collected in ``misreads``."""

    document: Document
    loader: Loader
    prefix: str = ""
    misreads: list[Misread] = field(default_factory=list)
    flag: Callable[[Any], Any] = to_bool
    _home: Node | None = field(init=False, repr=False, compare=False)
    _there: dict[str, Entry] = field(init=False, repr=False, compare=False)
    """The section's node, and its keys: most of what is asked for is not there, and costs one look."""

    def __post_init__(self) -> None:
        above = entry_under(self.document.root, self.prefix) if self.prefix else None
        home = above.value if above is not None else None if self.prefix else self.document.root
        object.__setattr__(self, "_home", home)
        object.__setattr__(self, "_there", home.by_key() if isinstance(home, Mapping) else {})

    def under(self, path: str) -> Lookup:
        """The section at this path below."""
        return Lookup(self.document, self.loader, self.path(path), self.misreads, self.flag)

    def path(self, key: str) -> str:
        return f"{self.prefix}.{key}" if self.prefix else key

    def raw(self, *keys: str) -> Raw | None:
        """The first of these keys that is there and not null."""
        above, there = self.prefix, self._there
        for key in keys:
            entry = entry_under(self._home, key) if "." in key else there.get(key)
            if entry is not None:
                found = raw_of(self.document, self.loader, f"{above}.{key}" if above else key, entry)
                if found.value is not None:
                    return found
        return None

    def raws(self, *keys: str) -> Iterable[Raw]:
        """Each of these keys that is there, nulls too."""
        there = [(key, entry_under(self._home, key) if "." in key else self._there.get(key)) for key in keys]
        return [raw_of(self.document, self.loader, self.path(key), entry) for key, entry in there if entry is not None]

    def has(self, *keys: str) -> bool:
        return self.raw(*keys) is not None

    def setting(self, name: str, convert: Callable[[Any], Any], *keys: str) -> Setting | None:
        raw = self.raw(*keys)
        return read_raw(raw, name, convert, self.misreads) if raw else None

    def switch(self, *keys: str) -> Setting | None:
        """The first of these keys as a true-or-false setting of no name; symbolic and ``auto`` states are kept."""
        return self.setting("", self.flag, *keys)


def renamed(switch: Setting, name: str, value: Any) -> Setting:
    """What a switch means in our vocabulary: origin and text stay, a state that is not known stays unknown."""
    return replace(switch, name=name, value=value if switch.known else None)


def freed(look: Lookup, switches: Iterable[tuple[str, str]]) -> list[Setting]:
    """``rollout_frees`` of switches that each move something to the host: pairs of a key and what it moves."""
    on = [(switch, what) for switch, what in ((look.switch(key), what) for key, what in switches) if switch is not None and switch.value]
    if not on:
        return []
    names = tuple(what for _, what in on)
    return [Setting("rollout_frees", names, on[0][0].origin, ", ".join(names))]
