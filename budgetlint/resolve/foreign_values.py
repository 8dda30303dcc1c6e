"""One key of a ``reads``, as the document has it: the settings, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable

from budgetlint.base.expression import expression
from budgetlint.base.limits import READ_VALUE
from budgetlint.base.record import record
from budgetlint.base.source import Span
from budgetlint.documents import Document, Loader, Mapping, Scalar, Sequence
from budgetlint.documents.dotted import Reached, follow
from budgetlint.language.budget import KeyPath, ReadKey
from budgetlint.language.read_slots import slot_of
from budgetlint.language.read_values import settings_from
from budgetlint.language.statements import setting_owners
from budgetlint.language.tree import Value
from budgetlint.language.values import Wrong
from budgetlint.readers.base import is_symbolic
from budgetlint.settings.run import Origin, OriginKind, Setting

LOADERS = {"yaml": Loader.PYYAML, "json": Loader.JSON, "toml": Loader.TOML}

_NUMBER = expression(r"-?[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?")


@record
class Missing:
    """The file has no such key, or null there."""

    path: str
    at: Reached
    is_null: bool = False


@record
class Unfit:
    """A value that the setting cannot have."""

    wrong: Wrong
    origin: Origin


@record
class _Text:
    """A value as text, where it stands; ``listed``: one of a list."""

    text: str
    span: Span


def settings_at(document: Document, key: ReadKey) -> list[Setting] | Missing | Unfit:
    """The settings that one key becomes. A text that something else fills in (``${SIZE}``) makes them unresolved."""
    texts: list[str] = []
    places: list[Origin] = []
    for part in key.parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        found = follow(document.root, part.text)
        if found.node is None:
            return Missing(part.text, found)
        places.append(_origin(document, part, found))
        if len(key.parts) == 1 and isinstance(found.node, Sequence):
            return _listed(document, key, found.node, places[0])
        text = _text(document, found)
        if text is None:
            return Missing(part.text, found, is_null=True)
        if isinstance(text, Wrong):
            return Unfit(text, places[-1])
        texts.append(text)
    return _typed(key, [_Text("".join(texts), places[0].span or Span(0, 0))], _joined(places), listed=False)


def _origin(document: Document, path: KeyPath, found: Reached) -> Origin:
    assert found.node is not None
    return Origin(OriginKind.READ, document.source, found.node.span, path.text, key_span=found.key.span if found.key else None)


def _joined(places: list[Origin]) -> Origin:
    """A text made of several keys stands at the first of them."""
    first = places[0]
    return Origin(first.kind, first.source, first.span, ", ".join(place.key for place in places), key_span=first.key_span)


def _text(document: Document, found: Reached) -> str | Wrong | None:
    """The value as this language writes it; None for null."""
    node = found.node
    if not isinstance(node, Scalar):
        return Wrong("BL003", f"{'a block' if isinstance(node, Mapping) else 'a list'} stands where one value belongs", "write one value")
    if len(node.text) > READ_VALUE.most:
        return Wrong("BL003", f"a value of {len(node.text):,} {READ_VALUE.counted}", f"at most {READ_VALUE.most:,} are read")
    value = node.value(LOADERS[document.format])
    if isinstance(value, bool):
        return "on" if value else "off"
    return None if value is None else str(value)


def _listed(document: Document, key: ReadKey, node: Sequence, origin: Origin) -> list[Setting] | Missing | Unfit:
    texts: list[_Text] = []
    for item in node.items[: READ_VALUE.most]:
        text = _text(document, Reached(item))
        if not isinstance(text, str):
            return Unfit(text or Wrong("BL003", "a list with null in it", "write names"), origin)
        texts.append(_Text(text, item.span))
    return _typed(key, texts, origin, listed=True)


def _typed(key: ReadKey, texts: list[_Text], origin: Origin, *, listed: bool) -> list[Setting] | Unfit:
    if any(is_symbolic(one.text) for one in texts):
        return unresolved(key, origin, ", ".join(one.text for one in texts))
    values = [Value("number" if _NUMBER.fullmatch(one.text) else "word", one.text, one.span) for one in texts]
    found = settings_from(key.name, values, origin, listed=listed)
    return Unfit(found, origin) if isinstance(found, Wrong) else found


def unresolved(key: ReadKey, origin: Origin, text: str = "") -> list[Setting]:
    """The setting of a key whose value nobody can know here."""
    slot = slot_of(key.name)
    assert slot is not None
    return [Setting(slot.setting or key.name, None, origin, text or f"{{{origin.key}}}", "symbolic")]


def implied_adapter(keys: Iterable[ReadKey], settings: Iterable[Setting]) -> list[Setting]:
    """Whoever reads ``lora.r`` trains a LoRA, as whoever writes ``lora r=16`` does; not known where none of its keys is."""
    named = {key.name for key in keys if (owner := setting_owners().get(key.name)) is not None and owner[0].keyword == "lora"}
    if not named or any(key.name == "adapter" for key in keys):
        return []
    of_lora = [setting for setting in settings if setting.name in {slot.setting for name in named if (slot := slot_of(name))}]
    known = next((setting for setting in of_lora if setting.known), None)
    if known is not None:
        return [Setting("adapter", "lora", known.origin, "lora")]
    return [Setting("adapter", None, of_lora[0].origin, of_lora[0].text, "symbolic")] if of_lora else []
