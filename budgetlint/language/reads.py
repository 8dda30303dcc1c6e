"""``reads FILE { setting=key … }``: which keys of a foreign file are settings. What the file holds there is read with the project."""

from __future__ import annotations

from budgetlint.base.expression import expression
from budgetlint.base.finding import Related
from budgetlint.base.limits import READ_PLACES
from budgetlint.base.record import record
from budgetlint.base.source import SourceFile, Span
from budgetlint.language.budget import KeyPath, ReadKey, Reads
from budgetlint.language.check import Checked, Lookup
from budgetlint.language.judgement import origin
from budgetlint.language.problems import Problems
from budgetlint.language.read_slots import readable, slot_of
from budgetlint.language.suggest import nearest, owner_of
from budgetlint.language.tree import Item, Keys, ListValue, Option, Value
from budgetlint.settings.run import Origin, OriginKind

LONGEST_PATH = 200
"""Characters of a dotted path."""

_PATH = expression(r"[^\s.\[\]{}\"']+(?:\.[^\s.\[\]{}\"']+)*")
_PLACE = expression(r"\{([^{}]*)\}")
EXAMPLE = 'batch=overrides.mbs, or shard="zero{overrides.zero}"'


def reads_of(checked: Checked, problems: Problems, lookup: Lookup) -> Reads | None:
    """The files and keys of one statement; None where it has no file."""
    given = checked.first
    if given is None:
        return None
    block = _Block(checked.source, problems, lookup, {})
    for item in checked.statement.block or ():
        block.line(item)
    if not checked.statement.block:
        help = f"write which settings stand in the file: {EXAMPLE}"
        problems.add("BL006", checked.source, checked.statement.keyword_span, "'reads' without keys says nothing", help)
    base = checked.source.path.rpartition("/")[0]
    return Reads(given.value, base, tuple(block.keys.values()), origin(checked, given.span))


@record
class _Block:
    """The lines of one block; ``keys`` are those that are right, by setting."""

    source: SourceFile
    problems: Problems
    lookup: Lookup
    keys: dict[str, ReadKey]

    def line(self, item: Item) -> None:
        if not isinstance(item, Keys):
            self._wrong("BL011", item.span, "a 'reads' holds only settings with their keys", f"write it like this: {EXAMPLE}")
            return
        for option in item.options:
            if not self.problems.full:
                self._option(option)

    def _option(self, option: Option) -> None:
        slot = slot_of(option.key)
        if slot is None:
            self._unknown(option)
            return
        name = slot.setting or option.key
        if name in self.keys:
            related = (Related(self.source.locate(self.keys[name].origin.key_span or option.span), "first read here"),)
            message = f"'{option.key}=' is read twice"
            self.problems.add("BL007", self.source, option.span, message, "keep one of them", related=related)
            return
        value = self.lookup(option.value) if isinstance(option.value, Value) and option.value.kind == "ref" else option.value
        parts = None if value is None else self._parts(value, option)
        if parts:
            where = Origin(OriginKind.BUDGET, self.source, option.value.span, option.key, key_span=option.key_span)
            self.keys[name] = ReadKey(option.key, parts, where)

    def _unknown(self, option: Option) -> None:
        owner = owner_of(option.key)
        meant = owner if owner in readable() else nearest(option.key, readable())
        help = (
            f"did you mean '{meant}='?"
            if meant
            else "settings are named as in a budget (seq, lora.r) or by `budgetlint estimate --settings`"
        )
        message = f"'{option.key[:60]}' is no setting that can be read from a file"
        self.problems.add("BL004", self.source, option.key_span, message, help, write=meant)

    # -- where the value stands ------------------------------------------------------------------------------------------

    def _parts(self, value: Value | ListValue, option: Option) -> tuple[str | KeyPath, ...]:
        """Texts and paths, in order; empty after saying why it is neither a path nor a text with places."""
        if isinstance(value, ListValue):
            self._wrong("BL003", value.span, "a list stands where a key of the file belongs", f"write one key: {EXAMPLE}")
            return ()
        if value.kind == "string":
            return self._text(value, option)
        if value.kind == "number":
            keyword, dot, name = option.key.partition(".")
            statement = f"{keyword} {name}={value.text}" if dot else f"{keyword} {value.text}"
            help = f"what the run always has stands in the budget itself: {statement}"
            self._wrong("BL003", value.span, f"'{value.text[:40]}' is a value, not a key of the file", help)
            return ()
        if value.kind != "word":
            self._wrong("BL003", value.span, f"'{value.text[:40]}' is no key of a file", f"write a dotted path: {EXAMPLE}")
            return ()
        return (KeyPath(value.text),) if self._is_path(value.text, value.span) else ()

    def _text(self, value: Value, option: Option) -> tuple[str | KeyPath, ...]:
        pieces = _PLACE.split(value.content)
        texts, paths = pieces[::2], pieces[1::2]
        if not paths or any("{" in text or "}" in text for text in texts):
            shown = f'{option.key}="{{{value.content.strip("{}")[:40]}}}"'
            self._wrong("BL003", value.span, "a text here holds at least one {path}", f"write a key in braces: {shown}")
            return ()
        if len(paths) > READ_PLACES.most:
            self._wrong("BL003", value.span, f"a text with {len(paths)} {READ_PLACES.counted}", f"at most {READ_PLACES.most} are read")
            return ()
        if not all(self._is_path(path, value.span) for path in paths):
            return ()
        parts: list[str | KeyPath] = [texts[0]]
        for path, text in zip(paths, texts[1:], strict=True):
            parts += (KeyPath(path), text)
        return tuple(part for part in parts if part)

    def _is_path(self, text: str, span: Span) -> bool:
        if len(text) <= LONGEST_PATH and _PATH.fullmatch(text):
            return True
        help = "keys and places in lists, with dots between: runs.0.batch"
        self._wrong("BL003", span, f"'{text[:40]}' is no dotted path", help)
        return False

    def _wrong(self, code: str, span: Span, message: str, help: str) -> None:
        self.problems.add(code, self.source, span, message, help, key="reads")
