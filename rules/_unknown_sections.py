"""Keys that LitGPT, torchtitan, ms-swift, PEFT and torchtune do not know, or no more: one row of a table each.

Who refuses and who ignores:

- LitGPT 0.5.13 ``__main__.py``: jsonargparse makes keys of the parameters of ``setup`` and of the fields of ``TrainArgs``,
  ``EvalArgs`` and ``LogArgs`` (``args.py``), and stops at any other.
- torchtitan 0.2.2 ``config/manager.py`` ``_dict_to_dataclass``: "Invalid field names"; 0.1.0 ``config_manager.py`` passed over them.
- ms-swift 4.6.0 ``cli/main.py`` makes flags of a file's keys, ``pipelines/base.py`` stops: "remaining_argv". Flags may be cut short.
- PEFT 0.14.0 to 0.21.2 ``config.py`` ``from_peft_type``: "Unexpected keyword arguments", a warning; 0.6.0 to 0.13.2 give every key
  to the class, which raises TypeError; 0.4.0 and 0.5.0 set only attributes that it has.
- torchtune 0.6.1 recipes ask for the keys they know (``cfg.get``); nobody looks at the rest.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache

from budgetlint.base.expression import expression
from budgetlint.base.record import open_record
from budgetlint.catalog.vocabulary import gone, groups, keys, misspelt
from budgetlint.rule import Confidence, DocumentContext, Entry, Finding, Mapping, Severity

from ._unknown import misspelt_key
from ._unknown_dropped import dropped_key
from ._unknown_renames import BEFORE, RENAMED


@open_record
class Vocabulary:
    """What one framework takes. ``sections`` are paths of the document, with a group of the table each (``top`` for the whole);
    none stands for every group. ``meant`` and ``also`` are groups of other tables whose names are known; slips for those in
    ``meant`` are told too. ``prefixes``: the beginning of a name stands for it. ``free``: a name that the document explains."""

    table: str
    package: str
    cost: str
    sections: tuple[str, ...] = ()
    meant: tuple[tuple[str, str], ...] = ()
    also: tuple[tuple[str, str], ...] = ()
    severity: Severity = Severity.ERROR
    confidence: Confidence = Confidence.HIGH
    prefixes: bool = False
    free: Callable[[DocumentContext, str], bool] = lambda _document, _name: False

    def wanted(self, group: str) -> frozenset[str]:
        return _all(self.table, group, self.meant)

    def known(self, group: str) -> frozenset[str]:
        return _all(self.table, group, (*self.meant, *self.also))

    def elsewhere(self) -> frozenset[str]:
        return _names((*self.meant, *self.also))


@cache
def _all(table: str, group: str, others: tuple[tuple[str, str], ...]) -> frozenset[str]:
    return keys(table, group) | _names(others)


@cache
def _in_order(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


@cache
def _names(groups: tuple[tuple[str, str], ...]) -> frozenset[str]:
    return frozenset[str]().union(*(keys(*pair) for pair in groups))


def _extended(document: DocumentContext, _name: str) -> bool:
    """The job brings a ``JobConfig`` of its own, whose fields we do not see."""
    return any(document.entry(path) is not None for path in ("job.custom_config_module", "experimental.custom_args_module"))


def _interpolated(document: DocumentContext, name: str) -> bool:
    """A name that the file itself uses: ``${name}``, ``${name.part}``."""
    facts = document.reading.document.source.facts
    if "interpolated" not in facts:
        facts["interpolated"] = frozenset(_REFERENCE.findall(document.reading.document.source.text))
    return name in facts["interpolated"]


_REFERENCE = expression(r"\$\{([^{}.$]+)[}.]")


VOCABULARIES = {
    "litgpt": Vocabulary("litgpt", "litgpt", "LitGPT stops at start"),
    "torchtitan": Vocabulary("torchtitan", "torchtitan", "torchtitan stops at start (0.1 ignores it)", free=_extended),
    "ms_swift": Vocabulary(
        "ms_swift",
        "ms-swift",
        "ms-swift stops at start",
        meant=(("hf", "training_arguments"),),
        also=(("hf", "trl"), ("hf", "trl_script")),
        prefixes=True,
    ),
    "peft_adapter_config": Vocabulary(
        "peft", "peft", "PEFT ignores it (0.6 to 0.13 stop)", ("top",), also=(("peft", "any"),), severity=Severity.WARNING
    ),
    "torchtune": Vocabulary(
        "torchtune",
        "torchtune",
        "torchtune's recipes ignore it",
        ("top",),
        also=(("torchtune", "asked"),),
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        free=_interpolated,
    ),
}


def check_sections(document: DocumentContext) -> Iterator[Finding]:
    row = VOCABULARIES[document.format]
    for group in row.sections or groups(row.table):
        node = document.reading.document.root if group == "top" else document.node(group)
        since = _since(document, row, "top", group)
        if isinstance(node, Mapping) and not (since and document.at_least(row.package, since)):
            for entry in node.entries:
                yield from _key(document, row, group, node, entry)


def _key(document: DocumentContext, row: Vocabulary, group: str, section: Mapping, entry: Entry) -> Iterator[Finding]:
    name = entry.key.text
    since = _since(document, row, group, name)
    if (name in row.known(group) and not since) or _taken(row, group, name) or row.free(document, name):
        return
    if since:
        if document.at_least(row.package, since):
            prefix = "" if group == "top" else f"{group}."
            yield dropped_key(document, entry, row.package, since, prefix, section, row.severity, row.confidence)
    elif (meant := misspelt(name, row.wanted(group))) and meant not in section:
        yield misspelt_key(document, entry, meant, row.cost, row.severity, row.confidence)


def _since(document: DocumentContext, row: Vocabulary, group: str, name: str) -> str | None:
    """The release that dropped this key; None for one that is known, or never was."""
    if name in row.known(group):
        return None if name in row.elsewhere() else gone(row.table, group).get(name)
    return BEFORE.get(document.format) if f"{group}.{name}" in RENAMED.get(document.format, {}) else None


def _taken(row: Vocabulary, group: str, name: str) -> bool:
    """argparse takes the beginning of a flag's name for the flag."""
    if not row.prefixes:
        return False
    known = _in_order(row.known(group))
    after = bisect_right(known, name)
    return after < len(known) and known[after].startswith(name)
