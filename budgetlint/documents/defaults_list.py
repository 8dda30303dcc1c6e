"""The files that a config is composed of: Hydra's ``defaults:`` list, and NeMo-RL's ``defaults: PATH``.

Sources: hydra-core 1.3 ``_internal/defaults_list.py``, ``core/default_element.py`` (groups, packages, ``override``, ``optional``, a
missing ``_self_`` stands last), ``plugins/config_source.py`` (``# @package``); NeMo-RL ``nemo_rl/utils/config.py``
``load_config_with_inheritance`` (a path or a list of paths, each below what follows).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from collections.abc import Mapping as Map

from budgetlint.base.expression import expression
from budgetlint.base.record import open_record
from budgetlint.documents.node import Document, Entry, Mapping, Node, Scalar, Sequence

_HEADER = expression(r"^#[ \t]*@package[ \t:]+(\S+)", re.MULTILINE)
_SUFFIXES = (".yaml", ".yml")


@open_record
class DefaultsEntry:
    """A file by its path from the folder of the one that names it (``/group/name`` from the root of the configs).

    ``package`` are the keys that its content goes below, None where its own header decides; ``is_above``: it beats the file that
    names it. ``is_plain``: named by itself, not as the choice of a group.
    """

    path: str
    package: tuple[str, ...] | None
    node: Scalar
    is_above: bool = False
    is_plain: bool = False


def bases(document: Document, chosen: Map[str, str] | None = None) -> tuple[DefaultsEntry, ...]:
    """In the order in which they are merged. ``chosen`` are choices of groups that a file above overrides."""
    if document.format != "yaml":
        return ()
    entry, inherited = document.entry("defaults"), tuple(_inherited(document))
    if entry is None:
        return inherited
    if isinstance(entry.value, Scalar):
        return (*inherited, _plain(entry.value)) if _is_name(entry.value.text) else inherited
    if not isinstance(entry.value, Sequence):
        return inherited
    return (*inherited, *_listed(entry.value, {**overrides(document), **(chosen or {})}))


INHERITING = ("_base_", "extends", "inherits", "base")
"""Words by which loaders of their own name a file below this one, or several: mmengine 0.10 ``config/config.py`` (``_base_``)."""


def is_composed(document: Document) -> bool:
    """Does a document name files that it is composed of?"""
    return document.format == "yaml" and (document.entry("defaults") is not None or any(_inherited(document)))


def _inherited(document: Document) -> Iterator[DefaultsEntry]:
    for word in INHERITING:
        entry = document.entry(word)
        nodes = (entry.value,) if entry is not None else ()
        for node in nodes[0].items if nodes and isinstance(nodes[0], Sequence) else nodes:
            if isinstance(node, Scalar) and node.text.endswith(_SUFFIXES) and _is_name(node.text):
                yield DefaultsEntry(node.text, (), node, is_plain=True)


def overrides(document: Document) -> dict[str, str]:
    """``override group: name`` of a list, by group."""
    found = (one for item in _items(document) if isinstance(item, Mapping) for one in item.entries)
    return {
        _group(one.key.text): one.value.text
        for one in found
        if isinstance(one.value, Scalar) and one.key.text.startswith("override ") and _is_name(one.value.text)
    }


def package_of(document: Document) -> tuple[str, ...] | None:
    """What ``# @package`` in the head of the file says; empty for ``_global_``, None where nothing is said."""
    found = _HEADER.search(document.source.text[:4096])
    if found is None or found[1] == "_group_":
        return None
    return tuple(part for part in found[1].split(".") if part != "_global_")


def _items(document: Document) -> tuple[Node, ...]:
    entry = document.entry("defaults")
    return entry.value.items if entry is not None and isinstance(entry.value, Sequence) else ()


def _listed(items: Sequence, chosen: Map[str, str]) -> Iterator[DefaultsEntry]:
    above = False
    for item in items.items:
        if isinstance(item, Scalar):
            above = above or item.text == "_self_"
            if _is_name(item.text) and item.text != "_self_":
                yield _plain(item, above)
        elif isinstance(item, Mapping):
            for entry in item.entries:
                yield from _chosen(entry, chosen, above)


def _plain(node: Scalar, above: bool = False) -> DefaultsEntry:
    name, _, package = node.text.removeprefix("optional ").partition("@")
    keys = tuple(part for part in package.split(".") if part and part not in ("_here_", "_global_"))
    return DefaultsEntry(_file(name), keys if package else None, node, above, is_plain=True)


def _chosen(entry: Entry, chosen: Map[str, str], above: bool) -> Iterator[DefaultsEntry]:
    if not isinstance(entry.value, Scalar) or entry.key.text.startswith("override "):
        return
    name = chosen.get(_group(entry.key.text), entry.value.text)
    group, _, package = entry.key.text.removeprefix("optional ").strip().partition("@")
    if not _is_name(name):
        return
    keys = tuple(part for part in package.split(".") if part and part not in ("_here_", "_global_")) if package else None
    path = posixpath.join(group, _file(name))
    yield DefaultsEntry(path, keys, entry.value, above)


def group_keys(base: DefaultsEntry) -> tuple[str, ...]:
    """The package of a group's choice where neither the list nor the file's header names another: the group's own path."""
    folder = posixpath.dirname(posixpath.normpath(base.path)).strip("/")
    return () if base.is_plain else tuple(part for part in folder.split("/") if part not in ("", ".", ".."))


def _group(key: str) -> str:
    """``override /a/b@pkg`` and ``a/b@pkg`` mean the same group."""
    return key.removeprefix("override ").removeprefix("optional ").strip().lstrip("/")


def _file(name: str) -> str:
    return name if name.endswith(_SUFFIXES) else f"{name}.yaml"


def _is_name(text: str) -> bool:
    """Something that names a file, and that nothing fills in later."""
    name = text.removeprefix("optional ")
    return name not in ("", "null", "~", "None", "???") and not any(mark in name for mark in "${}<> \n")
