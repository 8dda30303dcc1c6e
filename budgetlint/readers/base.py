"""What a reader is: it recognises a document from its content and turns it into settings with origins.

A reader is a module with one `Reader` value named ``READER``; ``readers/__init__.py`` lists them. Key tables, not code: a
`Key` says which key path becomes which setting and how the text is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from budgetlint.documents import Document, Loader, Mapping, Node, Scalar, Sequence
from budgetlint.run import Misread, Origin, OriginKind, Reading, Reference, Role, Setting, Settings, Stack


@dataclass(frozen=True)
class Reader:
    """``recognise`` returns 0 (not ours) to 1 (certain); ``defaults`` yields what the framework fills in, by version."""

    format: str
    role: Role
    loader: Loader
    recognise: Callable[[Document], float]
    read: Callable[[Document], Reading]
    defaults: Callable[[Settings, Stack], Iterable[Setting]] = lambda settings, stack: ()
    package: str = ""


@dataclass(frozen=True, slots=True)
class Raw:
    """One value on its way into a setting: its node, the value its loader gives, and where it stands."""

    path: str
    node: Node
    value: Any
    origin: Origin

    @property
    def text(self) -> str:
        return self.node.text if isinstance(self.node, Scalar) else ""


__all__ = ["AUTO", "Key", "Misread", "Raw", "Reader", "Reading", "Reference", "Role"]

AUTO = "auto"


class Unreadable(ValueError):
    """Raised by a converter: message says what is wrong with the value, ``cure`` what to write."""

    def __init__(self, message: str, cure: str) -> None:
        super().__init__(message)
        self.cure = cure


@dataclass(frozen=True, slots=True)
class Key:
    """``path`` (dotted) of the document becomes ``setting``; ``convert`` maps the loader's value into our domain.

    A converter returns the value, `AUTO` where the framework fills it in, or None to say nothing; it raises `Unreadable`
    for an illegal value. Symbolic text (``${VAR}``, ``{{x}}``, ``???``) never reaches a converter.
    """

    path: str
    setting: str
    convert: Callable[[Any], Any] = field(default=lambda value: value)


def origin_of(document: Document, path: str, node: Node, key: Scalar | None = None) -> Origin:
    return Origin(OriginKind.FILE, document.source, node.span, path, key_span=key.span if key else None)


def is_symbolic(value: object) -> bool:
    """Text that something else fills in later: ``${...}``, ``$VAR``, ``{{...}}``, ``???``, ``<placeholder>``."""
    if not isinstance(value, str):
        return False
    return (
        "${" in value
        or "{{" in value
        or value == "???"
        or (value[:1] == "$" and value[1:2].isalpha())
        or (value[:1] == "<" and value[-1:] == ">")
    )


def raws(document: Document, loader: Loader, paths: Iterable[str]) -> Iterable[Raw]:
    """The values present at these dotted paths."""
    for path in paths:
        entry = document.entry(path)
        if entry is None:
            continue
        value = entry.value.value(loader) if isinstance(entry.value, Scalar) else entry.value
        yield Raw(path, entry.value, value, origin_of(document, path, entry.value, entry.key))


def read_keys(document: Document, loader: Loader, keys: Iterable[Key]) -> tuple[list[Setting], list[Misread]]:
    """Settings from a key table. A null value says nothing; later keys of the same setting win over earlier ones."""
    settings: dict[str, Setting] = {}
    misreads: list[Misread] = []
    for key in keys:
        for raw in raws(document, loader, (key.path,)):
            setting = _setting(key, raw, misreads)
            if setting is not None:
                settings[key.setting] = setting
    return list(settings.values()), misreads


def _setting(key: Key, raw: Raw, misreads: list[Misread]) -> Setting | None:
    if raw.value is None:
        return None
    if is_symbolic(raw.value):
        return Setting(key.setting, None, raw.origin, raw.text, state="symbolic")
    try:
        value = key.convert(raw.value)
    except Unreadable as wrong:
        misreads.append(Misread(f"{key.path}: {wrong}", wrong.cure, raw.origin))
        return None
    if value is None:
        return None
    if value is AUTO:
        return Setting(key.setting, None, raw.origin, raw.text, state="auto")
    return Setting(key.setting, value, raw.origin, raw.text or str(value))


def default(name: str, value: Any, note: str) -> Setting:
    """A framework default; ``note`` names framework, version and place (``transformers 5.24 TrainingArguments.optim``)."""
    return Setting(name, value, Origin(OriginKind.DEFAULT, note=note), str(value))


# -- converters that every reader shares -------------------------------------------------------------------------------


def to_int(value: Any) -> Any:
    if value == AUTO:
        return AUTO
    number = to_float(value)
    if not isinstance(number, (int, float)) or number != int(number):
        raise Unreadable(f"{_shown(value)} is not a whole number", "write a whole number")
    return int(number)


def to_count(value: Any) -> Any:
    number = to_int(value)
    if isinstance(number, int) and number < 1:
        raise Unreadable(f"{number} is not a positive count", "write 1 or more")
    return number


def to_float(value: Any) -> Any:
    """Numbers, and numbers in strings: the frameworks' own argument parsers convert those too."""
    if value == AUTO:
        return AUTO
    if isinstance(value, bool) or isinstance(value, (Mapping, Sequence)):
        raise Unreadable(f"{_shown(value)} is not a number", "write a number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise Unreadable(f"{_shown(value)} is not a number", "write a number") from None
    if number != number or number in (float("inf"), float("-inf")):
        raise Unreadable(f"{_shown(value)} is not a finite number", "write a finite number")
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
    raise Unreadable(f"{_shown(value)} is neither true nor false", "write true or false")


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
        raise Unreadable(f"{_shown(value)} is not a floating dtype", "write bfloat16, float16, float32 or auto")
    return _DTYPES[word]


def to_words(value: Any) -> Any:
    """A list of words from a sequence, or from one comma- or blank-separated text."""
    if isinstance(value, Sequence):
        return tuple(item.text for item in value.items if isinstance(item, Scalar))
    if isinstance(value, Mapping):
        raise Unreadable("a block stands where a list belongs", "write a list of names")
    return tuple(word for word in str(value).replace(",", " ").split() if word)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a block"
    if isinstance(value, Sequence):
        return "a list"
    return f"'{value}'"
