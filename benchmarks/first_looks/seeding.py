"""Recall: known mistakes, planted one at a time into fresh configs; precision alone rewards silence.

`data/first_look_seeds.jsonl` holds a kind of mistake a line: ``needs`` (keys of the file, each with a pattern of its value), ``change``
(one of `CHANGES` and its words), ``mistake`` (what is wrong then), ``source`` (why), ``names`` (rules that would say it), ``files``
(surfaces). A kind with ``batch`` is meant for that batch alone, which then takes no other; it stands ``at`` one repository and file,
where a program was read that makes it wrong, says ``right`` (what should stand there), and leaves ``names`` empty: nobody looked up
whether a rule would say it. A key may stand as a line of YAML or JSON, or as a flag of a shell script. Nothing is parsed: the file must
stay what its author wrote.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from first_looks import Refused, frozen, sheets
from first_looks.frozen import Linter
from first_looks.look import Source
from first_looks.sheets import Row
from first_looks.trees import materialise, texts

MOST = 12
"""Mistakes that are planted in a batch that has none of its own: ten, and two that may turn out to be none."""
LEFT_BEHIND = {"adapter_config.json", "config.json", "tokenizer_config.json", "trainer_state.json", "wandb", "mlruns", "lightning_logs"}
"""Files and folders that runs leave behind: nobody's mistake stands there."""
SEED = "first look"
SURFACES: Mapping[str, str] = {
    ".yaml": r"^(?P<before>[ \t]*(?:- )?KEY[ \t]*:[ \t]+)(?P<value>[^\s#][^#\n]*?)(?P<after>[ \t]*(?:#.*)?)$",
    ".json": r"^(?P<before>[ \t]*\"KEY\"[ \t]*:[ \t]*)(?P<value>[^\s,][^,\n]*?)(?P<after>[ \t]*,?[ \t]*)$",
    ".sh": r"^(?:[^#\n]*\s)?(?P<before>--KEY(?:=|[ \t]+))(?P<value>[^\s\\-][^\s\\]*)(?P<after>)",
}
"""How ``KEY: value`` is written in each kind of file."""
SAME = {".yml": ".yaml", ".sbatch": ".sh", ".slurm": ".sh", ".bash": ".sh"}

Kind = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a kind of mistake can be planted: the text before and after, and the line that changes."""

    source: Source
    path: str
    kind: Kind
    text: str
    line: int


def kinds(path: Path, batch: int | None = None) -> list[Kind]:
    """The kinds of a batch; those that are of no batch, where it has none of its own."""
    table = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    own = [kind for kind in table if "batch" in kind and kind["batch"] == batch]
    return own or [kind for kind in table if "batch" not in kind]


def planted(text: str, suffix: str, kind: Kind) -> tuple[str, int] | None:
    """The text with the mistake in it, and its line; None where it does not fit the file."""
    surface = SURFACES.get(SAME.get(suffix, suffix))
    if surface is None or suffix not in _suffixes(kind):
        return None
    if any(not (found := _find(text, surface, key)) or not re.fullmatch(value, found["value"]) for key, value in kind["needs"].items()):
        return None
    word, *rest = kind["change"]
    return CHANGES[word](text, surface, *rest)


def _suffixes(kind: Kind) -> set[str]:
    wanted = kind.get("files", list(SURFACES))
    return {*wanted, *(alias for alias, suffix in SAME.items() if suffix in wanted)}


def _find(text: str, surface: str, key: str) -> re.Match[str] | None:
    return re.search(surface.replace("KEY", re.escape(key)), text, re.MULTILINE)


def _at(text: str, start: int) -> int:
    return text.count("\n", 0, start) + 1


def _set(text: str, surface: str, key: str, value: str) -> tuple[str, int] | None:
    """Another value for a key that is there."""
    found = _find(text, surface, key)
    if found is None or found["value"] == value:
        return None
    return text[: found.start("value")] + value + text[found.end("value") :], _at(text, found.start("value"))


def _rename(text: str, surface: str, key: str, name: str) -> tuple[str, int] | None:
    found = _find(text, surface, key)
    if found is None:
        return None
    before = found["before"].replace(key, name)
    return text[: found.start("before")] + before + text[found.end("before") :], _at(text, found.start("before"))


def _beside(text: str, surface: str, key: str, name: str, value: str) -> tuple[str, int] | None:
    """One key more after one that is there, written as that one is."""
    found = _find(text, surface, key)
    if found is None or _find(text, surface, name):
        return None
    written = found["before"].replace(key, name) + value
    if "--" in found["before"]:
        return f"{text[: found.end()]} {written.strip()}{text[found.end() :]}", _at(text, found.start("before"))
    comma = "," if found["before"].lstrip().startswith('"') else ""
    return f"{text[: found.start('before')]}{written}{comma}\n{text[found.start('before') :]}", _at(text, found.start("before"))


def _again(text: str, surface: str, key: str, value: str) -> tuple[str, int] | None:
    """The key once more, with another value: what reads it takes the last."""
    found = _find(text, surface, key)
    if found is None or found["value"] == value:
        return None
    written = found["before"] + value
    if "--" in found["before"]:
        return f"{text[: found.end()]} {written.strip()}{text[found.end() :]}", _at(text, found.start("before"))
    comma = "," if '"' in found["before"] and not found["after"].strip() else ""
    last = "," if found["after"].strip() == "," else ""
    return f"{text[: found.end()]}{comma}\n{written}{last}{text[found.end() :]}", _at(text, found.start("before")) + 1


def _drop(text: str, surface: str, key: str) -> tuple[str, int] | None:
    """The whole line of a key goes."""
    found = _find(text, surface, key)
    if found is None or "--" in found["before"]:
        return None
    return text[: found.start("before")] + text[found.end() :].removeprefix("\n"), _at(text, found.start("before"))


def _comment(text: str, surface: str, key: str) -> tuple[str, int] | None:
    """A line of comment between the continued lines of a command, before the line of a flag: bash ends the command there."""
    found = _find(text, surface, key)
    if found is None:
        return None
    start = text.rfind("\n", 0, found.start("before")) + 1
    if not text[:start].endswith("\\\n"):
        return None
    return f"{text[:start]}  # tuned\n{text[start:]}", _at(text, start)


CHANGES: Mapping[str, Callable[..., tuple[str, int] | None]] = {
    "set": _set,
    "rename": _rename,
    "beside": _beside,
    "again": _again,
    "drop": _drop,
    "comment": _comment,
}


def places(sources: Sequence[Source], table: Iterable[Kind]) -> list[Place]:
    """Everywhere that a kind can be planted, one file for each repository and kind."""
    table = list(table)
    found = []
    for source in sources:
        read = _texts(source)
        for kind in table:
            open_to = [(path, text) for path, text in read if kind.get("at", [source.name, path]) == [source.name, path]]
            here = [Place(source, path, kind, *made) for path, text in open_to if (made := planted(text, Path(path).suffix, kind))]
            found += sheets.drawn(here, 1, _name, SEED)
    return found


def _name(place: Place) -> str:
    return "\0".join((place.source.name, place.path, place.kind["id"]))


def _texts(source: Source) -> list[tuple[str, str]]:
    found = texts(source.git, source.commit, {*SURFACES, *SAME})
    return [(path, text.decode("utf-8", "replace")) for path, text in found if not LEFT_BEHIND.intersection(Path(path).parts)]


def spread(found: Sequence[Place], most: int = MOST) -> list[Place]:
    """So many places, kinds and repositories as different as may be: the kind, then the repository, that was taken least comes next."""
    lots = sheets.drawn(found, len(found), _name, SEED)
    taken: list[Place] = []
    while lots and len(taken) < most:
        least = min(lots, key=lambda one: (_taken(taken, one, kind=True), _taken(taken, one, kind=False)))
        taken.append(least)
        lots.remove(least)
    return taken


def _taken(taken: Sequence[Place], place: Place, *, kind: bool) -> int:
    return sum(one.kind is place.kind if kind else one.source.name == place.source.name for one in taken)


def look(linter: Linter, sources: Sequence[Source], table: Iterable[Kind], budget: str) -> tuple[list[Mapping[str, Any]], list[Row]]:
    """Plants, checks before and after, and tells what is new. Raises `Refused` where nothing can be planted."""
    table = list(table)
    chosen = spread(places(sources, table), max(MOST, sum("batch" in kind for kind in table)))
    if not chosen:
        raise Refused("none of the kinds fits a file of these repositories")
    rows = [_row(linter, place, budget) for place in chosen]
    facts: list[Mapping[str, Any]] = [
        {"name": one.source.name, "commit": one.source.commit, "path": one.path, "seed": one.kind["id"]} for one in chosen
    ]
    return facts, rows


def _row(linter: Linter, place: Place, budget: str) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        materialise(place.source.git, place.source.commit, tree)
        before = frozen.check(linter, tree, budget, preview=True)
        (tree / place.path).write_text(place.text, encoding="utf-8")
        after, plain = frozen.check(linter, tree, budget, preview=True), frozen.check(linter, tree, budget)
    preview = [id(one) for one in frozen.beyond(plain, after)]
    new = [sheets.told(one, preview=id(one) in preview) for one in frozen.beyond(before, after)]
    kind, source = place.kind["id"], place.source
    said = after.get("crashed") or " || ".join(new) or "nothing new"
    return Row("seed", source.name, source.commit, place.path, place.line, kind, "", said, budget, truth=_truth(place.kind))


def _truth(kind: Kind) -> str:
    told = f"{kind['mistake']} ({kind['source']})"
    if "right" in kind:
        return f"{told}; right is: {kind['right']}"
    return f"{told}; rules that would say it: {', '.join(kind['names']) or 'none yet'}"
