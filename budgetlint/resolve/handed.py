"""Settings from outside: the document that ``budgetlint estimate --settings --format json`` prints, read strictly.

Of each run ``settings`` is needed, and of each setting ``name`` and ``value``; what else is printed may be left out. A document with a
mistake is refused as a whole, with all that is wrong: it was made by a program, for which a run that is judged in part is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from budgetlint.base.limits import JUDGED
from budgetlint.base.record import field, record, replace, state
from budgetlint.base.source import Location, SourceFile
from budgetlint.base.suggest import did_you_mean, near_names
from budgetlint.documents import Document, Loader, Mapping, Node, Scalar, Sequence, plain
from budgetlint.documents.json import read_json
from budgetlint.language.read_values import optimizer_settings
from budgetlint.readers.hf.length import UNBOUNDED
from budgetlint.readers.stated import stated_by
from budgetlint.resolve.handed_model import custom_numbers
from budgetlint.settings.run import Origin, OriginKind, Reading, Release, Setting, Stack, version_of
from budgetlint.settings.typed import WrongType, shown, typed
from budgetlint.settings.vocabulary import SETTINGS

VERSION = 1
"""Of the document."""

MOST = 20
"""Mistakes that are told: a document with more is none."""

STATES = ("known", "auto", "symbolic", UNBOUNDED)
_NOWHERE = frozenset((OriginKind.DEFAULT, OriginKind.DERIVED))
_BOUND = re.compile(r"\s*(>=|<=|<|==)?\s*([0-9][\w.+!-]*)\s*")


@record
class HandedRun:
    """One run from outside. ``target`` and ``cell`` say for which machine and combination it was resolved, empty where that is open."""

    name: str
    reading: Reading
    stack: Stack
    target: str = ""


@record
class Mistake:
    """``at`` is the path in the document (``runs[0].settings[3].value``)."""

    location: Location
    at: str
    message: str

    def __str__(self) -> str:
        return f"{self.location.file}:{self.location.line}: {self.at or 'the document'}: {self.message}"


class WrongSettings(ValueError):
    """A document of settings that cannot be read; ``mistakes`` are the first of what is wrong."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = mistakes


def handed_runs(source: SourceFile) -> tuple[HandedRun, ...]:
    """The runs of a document. Raises `WrongSettings`."""
    document = read_json(source)[0]
    reader = _Reader(document)
    wrong = (*document.problems, *document.leniencies)
    if wrong or document.root is None:
        location = wrong[0].location if wrong else Location(source.path)
        raise WrongSettings((Mistake(location, "", f"no JSON: {wrong[0].message if wrong else 'it is empty'}"),))
    found = tuple(reader.runs())
    if reader.mistakes:
        raise WrongSettings(tuple(reader.mistakes))
    return found


@state
class _Reader:
    document: Document
    mistakes: list[Mistake] = field(default_factory=list)

    def wrong(self, node: Node | None, at: str, message: str) -> None:
        root = node if node is not None else self.document.root
        assert root is not None
        if len(self.mistakes) < MOST:
            self.mistakes.append(Mistake(self.document.source.locate(root.span), at, message))

    # -- the document ----------------------------------------------------------------------------------------------------

    def runs(self) -> Iterator[HandedRun]:
        root = self.document.root
        if not isinstance(root, Mapping):
            self.wrong(root, "", "an object with version and runs belongs here")
            return
        version = root.get("version")
        if self.value(version) != VERSION:
            said = "is missing" if version is None else f"is {shown(self.value(version))}"
            self.wrong(version, "version", f"{said}; this budgetlint reads version {VERSION}")
            return
        runs = self.items(root, "runs", "")
        if len(runs) > JUDGED.most:
            self.wrong(root.get("runs"), "runs", f"{len(runs):,} runs; at most {JUDGED.most} are judged")
            return
        for number, node in enumerate(runs):
            run = self.run(node, f"runs[{number}]", number)
            if run is not None:
                yield run
        if not runs and not self.mistakes:
            self.wrong(root, "runs", "there is no run")

    def value(self, node: Node | None) -> object:
        return plain(node, Loader.JSON)

    def items(self, owner: Mapping, key: str, at: str) -> tuple[Node, ...]:
        """The list under a key that must be there."""
        node, path = owner.get(key), f"{at}.{key}" if at else key
        if node is None:
            self.wrong(owner, path, f"is missing{_instead(key, owner)}")
        elif not isinstance(node, Sequence):
            self.wrong(node, path, f"a list belongs here, not {shown(self.value(node))}")
        return node.items if isinstance(node, Sequence) else ()

    def text(self, owner: Mapping, key: str, at: str) -> str:
        """An optional text; empty for null."""
        node = owner.get(key)
        value = self.value(node)
        if value is None or isinstance(value, str):
            return (value or "")[:200]
        self.wrong(node, f"{at}.{key}", f"a text belongs here, not {shown(value)}")
        return ""

    # -- a run -----------------------------------------------------------------------------------------------------------

    def run(self, node: Node, at: str, number: int) -> HandedRun | None:
        if not isinstance(node, Mapping):
            self.wrong(node, at, f"an object with settings belongs here, not {shown(self.value(node))}")
            return None
        settings: dict[str, Setting] = {}
        for place, item in enumerate(self.items(node, "settings", at)):
            for setting in self.setting(item, f"{at}.settings[{place}]", settings):
                settings.setdefault(setting.name, setting)
        if "lora_r" in settings and "adapter" not in settings:  # as in a budget: whoever says a rank trains a LoRA
            rank = settings["lora_r"]
            settings["adapter"] = replace(rank, name="adapter", value="lora" if rank.known else None, readings=())
        name = self.text(node, "name", at) or f"run {number}"
        reading = stated_by(self.document.source, settings.values())
        return HandedRun(name, reading, self.stack(node, at), self.text(node, "target", at))

    def stack(self, run: Mapping, at: str) -> Stack:
        node = run.get("stack")
        if node is not None and not isinstance(node, Mapping) and self.value(node) is not None:
            self.wrong(node, f"{at}.stack", "an object of packages and versions belongs here")
        releases: dict[str, Release] = {}
        for entry in node.entries if isinstance(node, Mapping) else ():
            text = self.value(entry.value)
            found = release_of(entry.key.text, text, self.origin(entry.value, OriginKind.OUTSIDE, entry.key.text))
            if found is None:
                path = f"{at}.stack.{entry.key.text[:40]}"
                self.wrong(entry.value, path, f'{shown(text)} is no version: write "5.24.0" or ">=4.40,<5"')
            else:
                releases[found.package] = found
        return Stack(releases)

    # -- a setting -------------------------------------------------------------------------------------------------------

    def setting(self, node: Node, at: str, known: dict[str, Setting]) -> list[Setting]:
        if not isinstance(node, Mapping):
            self.wrong(node, at, f"an object with name and value belongs here, not {shown(self.value(node))}")
            return []
        name = self.value(node.get("name"))
        if not isinstance(name, str) or name not in SETTINGS:
            self.unknown(node, at, name)
            return []
        if name in known and "optimizer" not in name:
            self.wrong(node, f"{at}.name", f"'{name}' is given twice")
            return []
        if "value" not in node:
            self.wrong(node, at, f"value is missing{_instead('value', node)}")
            return []
        return self.settings(node, at, name)

    def unknown(self, node: Mapping, at: str, name: object) -> None:
        if len(self.mistakes) >= MOST:  # each is compared with every setting
            return
        if not isinstance(name, str):
            self.wrong(node, at, "name is missing" if name is None else f"name is no text but {shown(name)}")
        else:
            self.wrong(node.get("name"), f"{at}.name", f"there is no setting '{name[:60]}'{did_you_mean(name[:60], SETTINGS)}")

    def settings(self, node: Mapping, at: str, name: str) -> list[Setting]:
        """Its settings: an optimizer's name may say how its step walks too."""
        value_node = node.get("value")
        assert value_node is not None
        value, said = self.value(value_node), self.text(node, "state", at)
        state = said or ("symbolic" if value is None else "known")
        if state not in STATES or (state == "known") is (value is None):
            self.wrong(node, f"{at}.state", f"'{state[:20]}' beside {shown(value)}: a value is known, null is auto, symbolic or unbounded")
            return []
        origin = self.origin_of(node, at, value_node, name)
        text = self.text(node, "text", at)
        if value is None:
            return [Setting(name, None, origin, text, state, readings=self.readings(node, at, name))]
        typed_value = self.typed(value_node, f"{at}.value", name, value)
        if typed_value is None:
            return []
        if name == "optimizer":
            return optimizer_settings(str(typed_value), origin, text or str(typed_value))
        return [Setting(name, typed_value, origin, text or _text(typed_value))]

    def typed(self, node: Node, at: str, name: str, value: object) -> object:
        try:
            return custom_numbers(value) if name == "model_custom" else typed(SETTINGS[name], value)
        except WrongType as wrong:
            self.wrong(node, at, str(wrong))
            return None

    def readings(self, node: Mapping, at: str, name: str) -> tuple[object, ...]:
        """The values that an open setting can have."""
        found = node.get("readings")
        items = found.items if isinstance(found, Sequence) else ()
        values = [self.typed(item, f"{at}.readings[{place}]", name, self.value(item)) for place, item in enumerate(items[:MOST])]
        return tuple(value for value in values if value is not None)

    def origin_of(self, node: Mapping, at: str, value: Node, name: str) -> Origin:
        kinds = {kind.value: kind for kind in OriginKind}
        said = self.text(node, "origin", at)
        if said and said not in kinds:
            self.wrong(node.get("origin"), f"{at}.origin", f"'{said[:40]}' is none of {', '.join(kinds)}")
        kind = kinds.get(said, OriginKind.OUTSIDE)
        note = self.text(node, "note", at)
        return Origin(kind, note=note) if kind in _NOWHERE else self.origin(value, kind, name, note)

    def origin(self, node: Node, kind: OriginKind, key: str, note: str = "") -> Origin:
        return Origin(kind, self.document.source, node.span, key, note, node.span if isinstance(node, Scalar) else None)


def _instead(key: str, owner: Mapping) -> str:
    """The key that may be meant for a missing one."""
    near = next(iter(near_names(key, islice(owner.keys(), MOST))), "")
    return f"; '{near}' is not read" if near else ""


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def release_of(package: str, text: object, origin: Origin) -> Release | None:
    """``5.24.0``, or bounds as they are printed: ``>=0.20,<1.7``."""
    if not isinstance(text, str) or len(text) > 100:
        return None
    low = high = None
    exact = closed = False
    for part in text.split(","):
        match = _BOUND.fullmatch(part)
        version = version_of(match[2]) if match else None
        if match is None or version is None:
            return None
        if match[1] in ("<", "<="):
            high, closed = version, match[1] == "<="
        else:
            low, exact = version, match[1] != ">="
    return Release(package, low, None if exact else high, origin, exact=exact, closed=closed)
