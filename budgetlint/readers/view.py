"""A document as one loader gives it: plain values by dotted path, and settings that several keys decide together.

A key table says what one key means. Where a framework decides one thing from several keys (axolotl's ``bf16``, ``fp16`` and
``load_in_8bit`` give one dtype), a reader looks at the values here and names the line that was decisive.
"""

from __future__ import annotations

from typing import Any

from budgetlint.base.record import field, record
from budgetlint.documents import Document, Entry, Loader, Mapping, Scalar, Sequence
from budgetlint.readers.base import is_symbolic, origin_of
from budgetlint.settings.run import Origin, Reference, Role, Setting

_FALSE_WORDS = frozenset(("false", "no", "off", "n", "f", "0", "none", "null", ""))


@record
class View:
    document: Document
    loader: Loader
    _top: dict[str, Entry] = field(init=False, repr=False, compare=False)
    """The keys at the top: most of what is asked for is not there, and costs one look."""

    def __post_init__(self) -> None:
        mapping = self.document.mapping
        object.__setattr__(self, "_top", mapping.by_key() if mapping is not None else {})

    def keys(self) -> tuple[str, ...]:
        """The keys at the top; none where the document is no mapping."""
        return tuple(self._top)

    def entry(self, path: str) -> Entry | None:
        """The key and the value at ``path``."""
        return self.document.entry(path) if "." in path else self._top.get(path)

    def has(self, path: str) -> bool:
        """Is the key there, with or without a value?"""
        return self.entry(path) is not None

    def value(self, path: str) -> Any:
        """The loaded value; a `Mapping` or `Sequence` for a block, None for a missing key and for null."""
        entry = self.document.entry(path) if "." in path else self._top.get(path)
        if entry is None:
            return None
        node = entry.value
        return node.value(self.loader) if isinstance(node, Scalar) else node

    def on(self, path: str) -> bool:
        """Is the value true, as Python and pydantic take it? Empty blocks and the words for false are not; nor is a placeholder."""
        if path not in self._top and "." not in path:
            return False
        value = self.value(path)
        if isinstance(value, str):
            return value.strip().lower() not in _FALSE_WORDS and not is_symbolic(value)
        if isinstance(value, Mapping):
            return bool(value.entries or value.merged)
        return bool(value.items) if isinstance(value, Sequence) else bool(value)

    def word(self, path: str) -> str:
        """The value as a lower-case word; empty for a missing key, null and blocks."""
        value = self.value(path)
        return "" if value is None or isinstance(value, (Mapping, Sequence)) else str(value).strip().lower()

    def words(self, path: str) -> tuple[str, ...]:
        """The scalars of a list, or the one scalar, as text."""
        value = self.value(path)
        if isinstance(value, Sequence):
            return tuple(item.text for item in value.items if isinstance(item, Scalar))
        return () if value is None or isinstance(value, Mapping) else (str(value),)

    def first(self, *paths: str) -> str:
        """The first of these paths that has a value, else empty."""
        return next((path for path in paths if self.value(path) is not None), "")

    def first_on(self, *paths: str) -> str:
        """The first of these paths that is true, else empty."""
        return next((path for path in paths if self.on(path)), "")

    def origin(self, path: str) -> Origin:
        """Where the value at ``path`` stands. The path must be there."""
        entry = self.entry(path)
        if entry is None:
            raise KeyError(path)
        return origin_of(self.document, path, entry.value, entry.key)

    def text(self, path: str) -> str:
        entry = self.entry(path)
        return entry.value.text if entry is not None and isinstance(entry.value, Scalar) else ""

    def setting(self, name: str, value: Any, path: str, text: str = "") -> Setting:
        """``name`` is ``value`` because of the line at ``path``; a placeholder there makes the setting symbolic."""
        written = self.text(path)  # a value that is a text is this one
        if written and is_symbolic(written) and is_symbolic(self.value(path)):
            return self.symbolic(name, path)
        return Setting(name, value, self.origin(path), text or written or str(value))

    def symbolic(self, name: str, path: str, text: str = "") -> Setting:
        """The line at ``path`` decides ``name``, but what it comes to cannot be read from the file."""
        return Setting(name, None, self.origin(path), text or self.text(path), state="symbolic")

    def either(self, name: str, path: str, readings: tuple[Any, ...], text: str) -> Setting:
        """The line at ``path`` means different things to different versions: the newest's first; ``text`` names the bounds."""
        return Setting(name, None, self.origin(path), text, state="auto", readings=readings)

    def reference(self, role: Role, path: str) -> tuple[Reference, ...]:
        """The other file that the text at ``path`` names, if it is a text."""
        value = self.value(path)
        return (Reference(role, value, self.origin(path)),) if isinstance(value, str) and value.strip() else ()
