"""What a reader is: it recognises a document from its content and turns it into settings with origins.

A reader is a package with a `Reader` value named ``READER`` in its module ``reader`` (or several in ``READERS``), and a manifest. Key
tables, not code: a `Key` says which key path becomes which setting and how the text is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any

from budgetlint.base import numerals
from budgetlint.base.numerals import LARGEST
from budgetlint.base.record import field, record
from budgetlint.base.source import SpanIn
from budgetlint.documents import Document, Entry, Loader, Mapping, Node, Scalar, Sequence
from budgetlint.readers.sound import soundly
from budgetlint.settings.run import Misread, Origin, OriginKind, Reading, Reference, Role, Setting, Settings, Stack, over


@record
class Reader:
    """``recognise`` returns 0 (not ours) to 1 (certain); ``defaults`` yields what the framework fills in, by version.

    ``since`` is the oldest release of ``package`` that the defaults were read in: an older one has none that are known.

    ``settle`` decides written values whose meaning hangs on the framework version (TRL ``loss_type: nll``); it runs before
    the defaults. `complete` does both.
    """

    format: str
    role: Role
    loader: Loader
    recognise: Callable[[Document], float]
    read: Callable[[Document], Reading]
    defaults: Callable[[Settings, Stack], Iterable[Setting]] = lambda _settings, _stack: ()
    package: str = ""
    settle: Callable[[Settings, Stack], Settings] = lambda settings, _stack: settings
    since: str = ""
    of_program: Callable[[Iterable[Setting], str], Iterable[Setting]] = lambda filled, _program: filled
    """What the defaults come to where this program reads the document (empty: nobody knows which)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "read", soundly(self.read))


def complete(reader: Reader, settings: Settings, stack: Stack, program: str = "") -> Settings:
    """The settings with version-dependent values decided and everything the framework fills in."""
    settled = reader.settle(settings, stack)
    filled = reader.of_program(reader.defaults(settled, stack), program)
    release = stack.releases.get(reader.package) if reader.since else None
    if release is not None and release.at_least(reader.since) is False:
        filled = too_old(filled, reader.package, release.said, reader.since)
    return settled.filled(filled)


def too_old(filled: Iterable[Setting], package: str, said: str, since: str) -> Iterable[Setting]:
    """What a package fills in that is older than the defaults that are known."""
    note = f"{package} {said} is older than the defaults that are known, from {since} on"
    return (hidden(setting.name, ENDS.get(setting.name, ()), note) for setting in filled)


@record
class Raw:
    """One value on its way into a setting: its node, the value its loader gives, and where it stands."""

    path: str
    node: Node
    value: Any
    origin: Origin

    @property
    def text(self) -> str:
        return self.node.text if isinstance(self.node, Scalar) else ""


__all__ = ["AUTO", "Key", "Misread", "Raw", "Reader", "Reading", "Reference", "Role", "complete"]


class _Auto(str):
    """Equal to the text ``auto``, and told from it by identity: ``torch_dtype: auto`` is a value, not a gap to fill."""


AUTO = _Auto("auto")


class Unreadable(ValueError):
    """Raised by a converter: message says what is wrong with the value, ``cure`` what to write."""

    def __init__(self, message: str, cure: str) -> None:
        super().__init__(message)
        self.cure = cure


@record
class Key:
    """``path`` (dotted) of the document becomes ``setting``; ``convert`` maps the loader's value into our domain.

    A converter returns the value, `AUTO` where the framework fills it in, or None to say nothing; it raises `Unreadable`
    for an illegal value. Symbolic text (``${VAR}``, ``{{x}}``, ``???``) never reaches a converter.
    """

    path: str
    setting: str
    convert: Callable[[Any], Any] = field(default=lambda value: value)
    above: str = field(init=False, compare=False, repr=False)
    last: str = field(init=False, compare=False, repr=False)
    """``path`` in two: the block and the key in it."""

    def __post_init__(self) -> None:
        above, _, last = self.path.rpartition(".")
        object.__setattr__(self, "above", above)
        object.__setattr__(self, "last", last)


def names(text: str) -> frozenset[str]:
    """Blank-separated words as a set, so that a table of keys stays a paragraph."""
    return frozenset(text.split())


def origin_of(document: Document, path: str, node: Node, key: Scalar | None = None) -> Origin:
    span = node.span
    source = span.source if isinstance(span, SpanIn) else document.source
    kind = _FLAG if document.is_command and source is document.source else _FILE
    return Origin(kind, source, span, path, "", key.span if key is not None else None)


_FLAG, _FILE = OriginKind.FLAG, OriginKind.FILE


def is_symbolic(value: object) -> bool:
    """Text that something else fills in later: ``${...}``, ``$VAR``, ``{{...}}``, ``???``, ``<placeholder>``."""
    if not isinstance(value, str):
        return False
    if "$" in value and ("${" in value or "$(" in value or (value[0] == "$" and value[1:2].isalpha())):
        return True
    return "{{" in value or value == "???" or (value[-1:] == ">" and value[0] == "<")


def loader_of(document: Document, otherwise: Loader) -> Loader:
    """How a framework that takes YAML and JSON loads this document: a ``.json`` file goes through a JSON parser, flags stay text."""
    return {"json": Loader.JSON, "shell": Loader.SHELL, "python": Loader.PYTHON}.get(document.format, otherwise)


def entry_under(node: Node | None, path: str) -> Entry | None:
    """The entry at a dotted path of keys below a node."""
    if "." not in path:
        return node.entry(path) if isinstance(node, Mapping) else None
    found: Entry | None = None
    for part in path.split("."):
        if not isinstance(node, Mapping):
            return None
        found = (node._by_key or node.by_key()).get(part)
        if found is None:
            return None
        node = found.value
    return found


def raw_at(document: Document, loader: Loader, path: str) -> Raw | None:
    """The value at this dotted path; a mapping or sequence is its own value."""
    entry = entry_under(document.root, path)
    return None if entry is None else raw_of(document, loader, path, entry)


def raw_of(document: Document, loader: Loader, path: str, entry: Entry) -> Raw:
    """The value of this entry; ``path`` is where it stands."""
    node = entry.value
    value = node.value(loader) if isinstance(node, Scalar) else node
    return Raw(path, node, value, origin_of(document, path, node, entry.key))


def read_keys(document: Document, loader: Loader, keys: Iterable[Key], prefix: str = "") -> tuple[list[Setting], list[Misread]]:
    """Settings from a key table, its paths below ``prefix``. A null value says nothing.

    Later keys of the same setting win over earlier ones; the losers stay in ``overrode``.
    """
    above = entry_under(document.root, prefix) if prefix else None
    home = above.value if above is not None else None if prefix else document.root
    settings: dict[str, Setting] = {}
    misreads: list[Misread] = []
    for key, entry in _present(home, keys):
        node, name = entry.value, key.setting
        value = node.value(loader) if isinstance(node, Scalar) else node
        if value is None:
            continue
        path = f"{prefix}.{key.path}" if prefix else key.path
        setting = _setting(name, value, node, path, origin_of(document, path, node, entry.key), key.convert, misreads)
        if setting is not None:
            settings[name] = over(setting, settings[name]) if name in settings else setting
    return list(settings.values()), misreads


def _present(home: Node | None, keys: Iterable[Key]) -> Iterable[tuple[Key, Entry]]:
    """The keys of a table that are there, in the table's order."""
    found = home.by_key() if isinstance(home, Mapping) else {}
    block, asked = found, ""  # the keys of a block stand together in a table
    for key in keys if found else ():
        if key.above != asked:
            asked = key.above
            block = _block(found, asked) if asked else found
        if key.last in block:
            yield key, block[key.last]


def _block(found: dict[str, Entry], path: str) -> dict[str, Entry]:
    """The entries of the mapping at a dotted path; none where there is none."""
    for part in path.split("."):
        entry = found.get(part)
        if entry is None or not isinstance(entry.value, Mapping):
            return {}
        found = entry.value.by_key()
    return found


def read_raw(raw: Raw, name: str, convert: Callable[[Any], Any], misreads: list[Misread]) -> Setting | None:
    """One value as a setting; an illegal one goes to ``misreads``. None where the value says nothing."""
    return None if raw.value is None else _setting(name, raw.value, raw.node, raw.path, raw.origin, convert, misreads)


def _setting(
    name: str, read: Any, node: Node, path: str, origin: Origin, convert: Callable[[Any], Any], misreads: list[Misread]
) -> Setting | None:
    text = node.text if isinstance(node, Scalar) else ""
    if isinstance(read, str) and is_symbolic(read):
        return Setting(name, None, origin, text, "symbolic")
    try:
        value = convert(read)
    except Unreadable as wrong:
        misreads.append(Misread(f"{path}: {wrong}", wrong.cure, origin))
        return None
    if value is None:
        return None
    if value is AUTO:
        return Setting(name, None, origin, text, "auto")
    return Setting(name, value, origin, text or _plainly(value))


def _plainly(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


ENDS: dict[str, tuple[Any, ...]] = {
    "weights_dtype": ("auto", "fp32"),
    "optimizer": ("sgd", "adamw"),
    "adapter": ("other", "none"),
    "quant": ("nf4", "none"),
    "recompute": ("full", "none"),
    "loss": ("fused", "full"),
}
"""The least and the most memory that code commonly chooses where the file is silent. An adapter of an unknown kind leaves the
high end open, so that only what is too large in any case gets a verdict."""


def default(name: str, value: Any, note: str) -> Setting:
    """A framework default; ``note`` names framework, version and place (``transformers 5.24 TrainingArguments.optim``)."""
    return Setting(name, value, Origin(OriginKind.DEFAULT, note=note), str(value))


def unsettled(name: str, readings: tuple[Any, ...], note: str) -> Setting:
    """A default that differs between framework versions where the stack does not tell which; newest version's first."""
    return Setting(name, None, Origin(OriginKind.DEFAULT, note=note), " or ".join(map(str, readings)), "auto", readings=readings)


def hidden(name: str, readings: tuple[Any, ...], note: str) -> Setting:
    """What a program decides where its text does not tell, with the readings of the least and the most memory."""
    return Setting(name, None, Origin(OriginKind.DEFAULT, note=note), " or ".join(map(str, readings)), "symbolic", readings=readings)


# -- converters that every reader shares -------------------------------------------------------------------------------


def to_int(value: Any) -> Any:
    if type(value) is int and -LARGEST <= value <= LARGEST:
        return value
    if value == AUTO:
        return AUTO
    number = to_float(value)
    if number != int(number):
        raise Unreadable(f"{shown(value)} is not a whole number", "write a whole number")
    if abs(number) > LARGEST:
        raise Unreadable(f"{shown(value)} is more than any run has", "write the number itself, not bytes")
    return int(number)


def to_count(value: Any) -> Any:
    number = to_int(value)
    if isinstance(number, int) and number < 1:
        raise Unreadable(f"{number} is not a positive count", "write 1 or more")
    return number


def to_float(value: Any) -> Any:
    """Numbers, and numbers in strings: the frameworks' own argument parsers convert those too."""
    if type(value) is float and isfinite(value):
        return value
    if value == AUTO:
        return AUTO
    number = numerals.finite(value)
    if number is None:
        kind = "finite number" if numerals.is_endless(value) else "number"
        raise Unreadable(f"{shown(value)} is not a {kind}", f"write a {kind}")
    return number


_TRUE, _FALSE = {"true", "yes", "y", "t", "on", "1"}, {"false", "no", "n", "f", "off", "0", "none", ""}


def to_bool(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word == AUTO:
        return AUTO
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise Unreadable(f"{shown(value)} is neither true nor false", "write true or false")


def to_text(value: Any) -> Any:
    if isinstance(value, (Mapping, Sequence)):
        raise Unreadable("a block stands where a text belongs", "write a single value")
    return str(value)


_DTYPES = {
    "float32": "fp32", "float": "fp32", "fp32": "fp32", "32": "fp32",
    "bfloat16": "bf16", "bf16": "bf16",
    "float16": "fp16", "half": "fp16", "fp16": "fp16", "16": "fp16",
    "fp8": "fp8", "float8": "fp8",
    "auto": "auto",
}  # fmt: skip


def to_dtype(value: Any) -> Any:
    word = str(value).removeprefix("torch.").lower()
    if word not in _DTYPES:
        raise Unreadable(f"{shown(value)} is not a floating dtype", "write bfloat16, float16, float32 or auto")
    return _DTYPES[word]


def to_words(value: Any) -> Any:
    """A list of words from a sequence, or from one comma- or blank-separated text."""
    if isinstance(value, Sequence):
        return tuple(item.text for item in value.items if isinstance(item, Scalar))
    if isinstance(value, Mapping):
        raise Unreadable("a block stands where a list belongs", "write a list of names")
    return tuple(word for word in str(value).replace(",", " ").split() if word)


def shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a block"
    if isinstance(value, Sequence):
        return "a list"
    text = str(value)
    return f"'{text}'" if len(text) <= _SHORT else f"'{text[: _SHORT - 3]}...', {len(text):,} characters,"


_SHORT = 60
"""A longer value says nothing more in a message; the line shows it whole."""
