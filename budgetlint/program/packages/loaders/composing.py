"""Hydra's defaults lists: which configs of a search path and a store one is made of, and where each goes.

Source: hydra-core 1.1 to 1.3 ``_internal/defaults_list.py``, ``core/default_element.py`` (_get_final_package, get_override_key),
``_internal/config_loader_impl.py``, ``plugins/config_source.py`` (``# @package``). ``_self_`` stands last where it is not listed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from budgetlint.documents.load import load
from budgetlint.documents.node import Document, Mapping
from budgetlint.documents.scalars import Loader
from budgetlint.program.choices import origins_of
from budgetlint.program.objects import Object
from budgetlint.program.packages.loaders.config import tree
from budgetlint.program.packages.loaders.omegaconf import over
from budgetlint.program.packages.loaders.trees import copied
from budgetlint.program.packages.parsers.options import refused
from budgetlint.program.places import Origin, Place
from budgetlint.program.state import Interpreter, text_of
from budgetlint.program.values import Items, Known, Map, Opaque, Open, Value

STORE = "hydra.<store>"
_HEADER = re.compile(r"^#[ \t]*@package[ \t:]+(\S+)", re.MULTILINE)
_MOST_CONFIGS, _DEEPEST = 60, 12


class Entry(NamedTuple):
    """One line of a defaults list. ``group`` is None for a config that is named by itself. ``names``: the choices; None where they are
    not known."""

    group: str | None
    names: tuple[str, ...] | None
    package: str | None
    is_override: bool = False
    is_optional: bool = False
    origins: tuple[Origin, ...] = ()
    appended: bool = False


class _Config(NamedTuple):
    """A config as it is loaded: its content without its defaults list, that list, and the package that its head names."""

    content: Value
    defaults: Value | None
    header: str | None


class Composer:
    """One composition. ``chosen``: choices of the command line by override key; ``used``: those that the list had;
    ``listed``: all that it has."""

    def __init__(self, it: Interpreter, folders: Sequence[str], place: Place) -> None:
        self.it, self.folders, self.place = it, folders, place
        self.chosen: dict[str, tuple[str, ...] | None] = {}
        self.appended: list[Entry] = []
        self.deleted: dict[str, str] = {}
        self.used: set[str] = set()
        self.listed: set[str] = set()
        self.origins: dict[str, tuple[Origin, ...]] = {}
        self.open = False
        self.parts: list[tuple[str, Value]] = []
        self.count = 0

    # what there is

    def config(self, path: str) -> _Config | None:
        """A config by its path from the root of the search path."""
        name = path.removesuffix(".yaml").removesuffix(".yml")
        for folder in self.folders:
            file = next(
                (
                    one
                    for one in (f"{posixpath.join(folder, name)}.yaml", f"{posixpath.join(folder, name)}.yml")
                    if self.it.modules.files.is_file(one)
                ),
                None,
            )
            if file is not None:
                return self._file(file)
        stored = self._store().get(name)
        if isinstance(stored, Object):
            content = copied(self.it, stored.attributes["node"])
            defaults = content.items.pop("defaults", None) if isinstance(content, Map) else None
            return _Config(content, defaults, text_of(stored.attributes["package"]))
        return None

    def _store(self) -> dict[str, Value]:
        kept = self.it.parts.constants.get(STORE)
        return {str(name): value for name, value in kept.attributes.items()} if isinstance(kept, Object) else {}

    def _file(self, path: str) -> _Config:
        source = self.it.modules.files.source(path)
        documents = load(source) if source is not None else ()
        document = next((one for one in documents if isinstance(one.root, Mapping)), None)
        self.it.opened.append((path, Origin("config", Place(path, 1))))
        self.it.loaders[path] = Loader.OMEGACONF.value
        if document is None or source is None:
            return _Config(Map() if source is not None and not source.text.strip() else Opaque(f"{path} cannot be read"), None, None)
        made = tree(Document(document.source, "yaml", document.root), Loader.OMEGACONF)
        found = _HEADER.search(source.text[:4096])
        defaults = made.items.pop("defaults", None) if isinstance(made, Map) else None
        return _Config(made, defaults, found[1] if found is not None else None)

    def is_group(self, name: str) -> bool:
        """Whether configs lie in this group."""
        inside = any(self.it.modules.files.is_folder(posixpath.join(folder, name)) for folder in self.folders)
        return bool(name) and (inside or any(one.startswith(f"{name}/") for one in self._store()))

    # the list

    def compose(self, name: str) -> Value:
        """All parts of the primary config, one over the other."""
        config = self.config(name)
        if config is None:
            self._missing(name, ())
            return Map(None, Open("field", ""))
        home = Entry(None, (name,), None)
        self._expand(name.rpartition("/")[0], _package(home, name, config.header, ""), config, 0)
        made: Value = Map(None, None)
        for package, content in self.parts:
            made = over(self.it, made, _nested(content, package), self.place)
        if self.open and isinstance(made, Map):
            made.rest = Open("field", "", made.origins)
        self._unused()
        return made

    def _unused(self) -> None:
        for key in [*self.chosen, *self.deleted]:
            if key not in self.used and not self.open:
                refused(self.it, self.place, f"{key} is not in the defaults list", self.origins.get(key, ()), "ConfigCompositionException")

        for one in self.appended:
            if _key(one, "", "") in self.listed and not self.open:
                refused(self.it, self.place, f"{one.group} is in the defaults list", one.origins, "ConfigCompositionException")

    def _missing(self, path: str, origins: tuple[Origin, ...]) -> None:
        if path.startswith("hydra/") or self.open:
            return
        if len(self.folders) == 1:
            chosen = any(one.kind == "flag" for one in origins)  # a file that the list names is often left for everybody to write
            kind = "words" if chosen else "absent"
            refused(self.it, self.place, f"there is no config {path}", origins, "MissingConfigException", kind)
        self.open = True

    def _expand(self, base: str, package: str, config: _Config, depth: int) -> None:
        """The parts of a config in order: what its list names, and itself. ``base``: its group; ``package``: where it goes."""
        entries = list(_entries(config.defaults))
        self.open = self.open or any(one.names is None for one in entries)
        own = any(one.names == ("_self_",) and one.group is None for one in entries)
        if not own:
            entries.append(Entry(None, ("_self_",), None))
        if depth == 0:
            entries += self.appended
        for one in entries:
            if one.is_override and one.names is not None:
                self._override(one, base, package)
        found = [
            self._parts_of(one, base, package, config, depth) for one in reversed(entries) if not one.is_override and one.names is not None
        ]
        self.parts = [part for parts in reversed(found) for part in parts]

    def _parts_of(self, entry: Entry, base: str, package: str, config: _Config, depth: int) -> list[tuple[str, Value]]:
        if entry.group is None and entry.names == ("_self_",):
            return [(package, config.content)]
        names = self._choice(entry, base, package)
        parts: list[tuple[str, Value]] = []
        for name in names:
            parts += self._child(entry, name, base, package, depth)
        return parts

    def _choice(self, entry: Entry, base: str, package: str) -> tuple[str, ...]:
        """The configs of an entry, those that were chosen from elsewhere in place of its own."""
        names = entry.names or ()
        if entry.group is None:
            return names
        key = _key(entry, base, package)
        if not entry.appended:
            self.listed.add(key)
        if key in self.deleted and self.deleted[key] in ("", *names):
            self.used.add(key)
            return ()
        if key in self.chosen and not entry.appended:
            self.used.add(key)
            chosen = self.chosen[key]
            self.open = self.open or chosen is None
            return chosen or ()
        return names

    def _override(self, entry: Entry, base: str, package: str) -> None:
        key = _key(entry, base, package)
        if key.startswith("hydra/"):
            return
        if key not in self.chosen:
            self.chosen[key] = entry.names
            self.origins[key] = entry.origins

    def _child(self, entry: Entry, name: str, base: str, package: str, depth: int) -> list[tuple[str, Value]]:
        if name == "null":
            return []
        if name == "???" or "${" in name or depth >= _DEEPEST or self.count >= _MOST_CONFIGS:
            self.open = True
            return []
        self.count += 1
        whole = f"{entry.group}/{name}" if entry.group is not None else name
        path = whole[1:] if whole.startswith("/") else posixpath.join(base, whole)
        if path.startswith("hydra/"):
            return []
        config = self.config(path)
        if config is None:
            if not entry.is_optional:
                self._missing(path, self.origins.get(_key(entry, base, package), entry.origins))
            return []
        kept, self.parts = self.parts, []
        self._expand(path.rpartition("/")[0], _package(entry, whole, config.header, package), config, depth + 1)
        made, self.parts = self.parts, kept
        return made


def _key(entry: Entry, base: str, package: str) -> str:
    """What a choice is overridden by: its group, and its package where that is not the usual one."""
    group = entry.group or ""
    path = group[1:] if group.startswith("/") else posixpath.join(base, group)
    usual = path.replace("/", ".")
    final = _joined(package, entry.package if entry.package is not None else group.lstrip("/").replace("/", "."))
    return path if usual == final else f"{path}@{final or '_global_'}"


def _package(entry: Entry, whole: str, header: str | None, parent: str) -> str:
    """Where a config goes: the package of its entry, of its head, else its group below its parent's."""
    package = entry.package
    if package is None and header is not None and header != "_group_":
        package = header if header.startswith("_global_") else f"_global_.{header}"
    if package is None:
        package = whole.lstrip("/").rpartition("/")[0].replace("/", ".")
    return _joined(parent, package)


def _joined(parent: str, package: str) -> str:
    made = ".".join(part for part in (parent, package) if part and part != "_here_")
    at = made.rfind("_global_")
    return made if at < 0 else made[at + len("_global_") + 1 :]


def _nested(content: Value, package: str) -> Value:
    for name in reversed([part for part in package.split(".") if part]):
        content = Map({name: content}, None, origins_of([content]))
    return content


def _entries(defaults: Value | None) -> Iterator[Entry]:
    """The lines of a defaults list."""
    if defaults is None:
        return
    if not isinstance(defaults, Items) or defaults.more is not None:
        yield Entry(None, None, None)
        return
    for one in defaults.items:
        text = text_of(one)
        if text is not None:
            name, _, package = text.removeprefix("optional ").partition("@")
            yield Entry(None, (name.strip(),), package or None, is_optional=text.startswith("optional "), origins=one.origins)
        elif isinstance(one, Map) and one.rest is None and len(one.items) == 1:
            key, value = next(iter(one.items.items()))
            yield entry(str(key), value)
        else:
            yield Entry(None, None, None)


def entry(key: str, value: Value) -> Entry:
    """``group@package: name``, with the words in front of it."""
    words = key.split()
    group, _, package = words[-1].partition("@") if words else ("", "", "")
    names: tuple[str, ...] | None = None
    if isinstance(value, Known):
        names = ("null" if value.value is None else str(value.value),)
    elif isinstance(value, Items) and value.more is None:
        texts = [text_of(one) for one in value.items]
        names = None if None in texts else tuple(one for one in texts if one is not None)
    return Entry(group, names, package or None, "override" in words[:-1], "optional" in words[:-1], value.origins)
