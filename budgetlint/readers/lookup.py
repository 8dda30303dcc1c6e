"""Values of one section by key, for what a key table cannot say: several keys that decide one setting together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from budgetlint.documents import Document, Loader
from budgetlint.readers.base import Misread, Raw, raw_at, raws, read_raw, to_bool
from budgetlint.run import Setting


@dataclass(frozen=True, slots=True)
class Lookup:
    """The section at ``prefix`` of a document. Illegal values that are asked for are collected in ``misreads``."""

    document: Document
    loader: Loader
    prefix: str = ""
    misreads: list[Misread] = field(default_factory=list)
    flag: Callable[[Any], Any] = to_bool

    def under(self, path: str) -> Lookup:
        """The section at this path below."""
        return replace(self, prefix=self.path(path))

    def path(self, key: str) -> str:
        return f"{self.prefix}.{key}" if self.prefix else key

    def raw(self, *keys: str) -> Raw | None:
        """The first of these keys that is there and not null."""
        for key in keys:
            found = raw_at(self.document, self.loader, self.path(key))
            if found is not None and found.value is not None:
                return found
        return None

    def raws(self, *keys: str) -> Iterable[Raw]:
        """Each of these keys that is there, nulls too."""
        return raws(self.document, self.loader, map(self.path, keys))

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
