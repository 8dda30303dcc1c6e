"""The models: found by catalog name, alias, hub id or the last part of a path. Rows in `FILES`, a line each.

A check needs one row of hundreds: `INDEX` says on which line a name's row stands, so that the others are not even parsed.
``python -m budgetlint.catalog.models`` writes it anew after a change of the rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from budgetlint.base.record import fields, replace
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.names import NoMatch, fold, near, prefixed, squeeze
from budgetlint.catalog.paths import last_part, named

QUANTISED = (
    "-unsloth-bnb-4bit",
    "-bnb-4bit",
    "-bnb-8bit",
    "-bnb-nf4-bf16",
    "-bnb-nf4",
    "-4bit",
    "-8bit",
    "-gptq",
    "-awq",
    "-fp8",
    "-gptq-int4",
    "-gptq-int8",
    "-int4",
    "-int8",
    "-4bits", "-8bits", "-w4a16", "-w8a16", "-w8a8", "-quantized.w4a16", "-quantized.w8a16", "-quantized.w8a8", "-fp8-dynamic", "-nvfp4",
    "-g128", "-128g",
)  # fmt: skip
"""Endings of hub ids that say how a checkpoint is stored: the shape is the base model's."""

FILES = ("models.json", "models_encoders.json")
"""The rows. The second file, of encoders, encoder-decoders, speech and vision models, is read for a name that the first does not have."""

INDEX = "models.index.json"

SAME_SHAPE = ("-hf", "-bf16", "-fp16", *QUANTISED)


def find_model(text: str) -> Architecture | NoMatch:
    """`known_model`, or the rows that may be meant."""
    found = known_model(text)
    if found is not None:
        return found
    last = last_part(named(text))
    every = all_names()
    longer = prefixed(last, every)
    if len(longer) > 1:
        return NoMatch(text, suggestions=longer[:3])
    return NoMatch(text, suggestions=longer or near(_stripped(last), every))


def known_model(text: str) -> Architecture | None:
    """The one architecture that ``text`` names; a hub id or a path is judged by its last part, unless a row names the owner too.

    ``-hf`` and endings that only say how the checkpoint is stored (``-bnb-4bit``, ``-GPTQ``, ``-AWQ``) are dropped:
    `stored_as` tells which.
    """
    path = named(text)
    last = last_part(path)
    return _known(path, last) or _by_another_name(path, last)


def _by_another_name(path: str, last: str) -> Architecture | None:
    from budgetlint.catalog.stored import plain  # most names are those of rows

    for name in dict.fromkeys((fold(last), _stripped(last), _without_endings(plain(fold(last))))):
        found = _known(path, name) or _renamed(path, name)
        if found is not None:
            return found
    return None


def _known(path: str, name: str) -> Architecture | None:
    for file in FILES:
        index = _index(file)
        row = index["owned"].get(_stripped(path), index["keys"].get(squeeze(name)))
        if row is not None:
            return _model(file, row) if row else None
    return None


def _renamed(path: str, name: str) -> Architecture | None:
    """The row whose sizes a checkpoint of another name has. Its longest context is not known: fine-tunes stretch rotary positions."""
    from budgetlint.catalog.renamed import renamed  # most names are those of rows

    owner = last_part(path.replace("\\", "/").rstrip("/").rpartition("/")[0])
    row = renamed(owner, name)
    model = _model(next(file for file in FILES if row in _index(file)["lines"]), row) if row is not None else None
    return replace(model, max_positions=None) if model is not None and model.position == "rope" else model


def stored_as(text: str) -> str | None:
    """The ending that tells a quantised checkpoint (``bnb-4bit`` of ``unsloth/…-bnb-4bit``), None for a plain one."""
    last = last_part(named(text)).lower()
    ending = next((end for end in QUANTISED if last.endswith(end)), None)
    return ending[1:] if ending else None


def all_models() -> tuple[Architecture, ...]:
    """Every row, in the order of `FILES`."""
    return tuple(_model(file, name) for file in FILES for name in _rows(file))


def all_names() -> dict[str, str]:
    """The rows by every folded name that they have without an owner."""
    return {key: name for file in reversed(FILES) for key, name in _folded(file).items()}


def verified(name: str) -> tuple[str, ...]:
    """How the row's count was checked: ``code``, ``published``, both or neither."""
    return tuple(next(_rows(file)[name]["verified"] for file in FILES if name in _rows(file)))


def _stripped(name: str) -> str:
    """Without the endings that say nothing about the shape."""
    return _without_endings(fold(name))


def _without_endings(folded: str) -> str:
    while folded.endswith(SAME_SHAPE):
        folded = folded.removesuffix(next(end for end in SAME_SHAPE if folded.endswith(end)))
    return folded


@cache
def _raw(file: str) -> bytes:
    return Path(__file__).with_name(file).read_bytes()


@cache
def _lines(file: str) -> list[bytes]:
    return _raw(file).splitlines()


@cache
def _index(file: str) -> Mapping[str, Any]:
    """``owned`` and ``keys``: the row of each name; ``lines``: where it stands. Made here where the rows have changed since."""
    shipped: Mapping[str, Any] = json.loads(_raw(INDEX))[file]
    return shipped if shipped["crc32"] == crc32(_raw(file)) else index_of(file)


def index_of(file: str) -> dict[str, Any]:
    """The index of a file of rows. ``lines``: of the rows that stand on one line."""
    rows = ((at, _on_one_line(line)) for at, line in enumerate(_lines(file)))
    lines = {row["name"]: at for at, row in rows if row and _rows(file).get(row.get("name", "")) == row}
    return {"crc32": crc32(_raw(file)), "owned": _owned(file), "keys": _keys(file), "lines": lines}


def _on_one_line(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line.rstrip(b","))
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


@cache
def _document(file: str) -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(_raw(file))
    return document


@cache
def _rows(file: str) -> dict[str, Mapping[str, Any]]:
    return {row["name"]: row for row in _document(file)["models"]}


@cache
def _model(file: str, name: str) -> Architecture:
    """The architecture of a row."""
    line = _index(file)["lines"].get(name)
    row = None if line is None else _on_one_line(_lines(file)[line])
    return architecture_of(row or _rows(file)[name])


@cache
def _owned(file: str) -> dict[str, str]:
    """Aliases with an owner: a conversion that keeps the name of what it was made from (``unsloth/phi-4`` runs Llama's code). ``others`` of
    the file: ids that are called as a row is, and have other sizes: those of the row that is named, "" where they are no row's."""
    owned = {fold(alias): name for name, row in _rows(file).items() for alias in row.get("aliases", ()) if "/" in alias}
    return {**owned, **{_stripped(alias): name for alias, name in _document(file).get("others", {}).items()}}


@cache
def _folded(file: str) -> dict[str, str]:
    keys: dict[str, str] = {}
    for model, row in _rows(file).items():
        for name in (model, *row.get("aliases", ()), last_part(row.get("hub_id", ""))):
            if name and "/" not in name:
                keys.setdefault(fold(name), model)
    return keys


@cache
def _keys(file: str) -> dict[str, str]:
    """By `squeeze`, of what is folded already."""
    keys = {key.replace("-", ""): name for key, name in _folded(file).items()}
    return {**{_without_endings(key).replace("-", ""): name for key, name in _folded(file).items()}, **keys}


_TUPLES = frozenset({"aliases", "sources"})
_PAIRS = frozenset({"extra", "mla"})
_FIELDS = frozenset(field.name for field in fields(Architecture))


def architecture_of(row: Mapping[str, Any]) -> Architecture:
    """An `Architecture` from one row of `models.json`: lists become tuples, mappings pairs, unknown keys are dropped."""
    values = {key: _value(key, value) for key, value in row.items() if key in _FIELDS}
    return Architecture(**values)


def _value(key: str, value: Any) -> Any:
    if key in _TUPLES:
        return tuple(value)
    if key in _PAIRS:
        return tuple(value.items())
    if key == "parts":
        return tuple((name, architecture_of(part)) for name, part in value.items())
    return value


if __name__ == "__main__":
    indexed = json.dumps({file: index_of(file) for file in FILES}, separators=(",", ":"), ensure_ascii=False)
    Path(__file__).with_name(INDEX).write_text(indexed + "\n", encoding="utf-8")
