"""Arguments as a located mapping: ``--per-device-batch 4``, ``--flag=value``, ``section.key=value``.

One entry per flag, named as the program's parser names it (argparse ``dest``: dashes become underscores), dotted names nested, the last
of repeated flags counts; those before it stay in sight, as duplicates of a file's key do. A bare flag is true. Sources: CPython 3.13
``argparse.py`` ``_parse_optional``, transformers 5.24 ``hf_argparser.py``, Hydra 1.3 ``core/override_parser``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from budgetlint.base.limits import DEPTH
from budgetlint.base.record import field, open_record, open_state, replace
from budgetlint.base.source import SourceFile, Span
from budgetlint.documents import Entry, Mapping, Node, Scalar
from budgetlint.documents import Sequence as Items
from budgetlint.documents.json import read_json
from budgetlint.documents.shell_words import Word
from budgetlint.readers.base import names

TRUE, NULL = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null"
_FLAG = re.compile(r"--?[A-Za-z]")
_OVERRIDE = re.compile(r"(\+{0,2})([A-Za-z_][\w.@/-]*)=")
_MAX_JSON = 4096


_SAME = names(
    """output out output_dir out_dir output_path save_dir save_path log_dir logging_dir run_name exp_name
        experiment_name wandb_name wandb_run_name wandb_run_id master_port main_process_port port hydra.run.dir"""
)
"""Flags whose values take no memory, beside seeds: rounds of a loop that differ in nothing else are one run."""
_SEED = re.compile(r"(?:^|[_.])seeds?(?:_|$)")


def telling(words: Sequence[Word]) -> tuple[str, ...]:
    """The arguments of a launch without what makes no difference to its memory."""
    found: list[str] = []
    hidden = False
    for word in words:
        name, equals, _ = word.text.lstrip("-+").partition("=")
        is_flag = _FLAG.match(word.text) is not None
        bare = name.replace("-", "_").lower()
        same = (bare in _SAME or _SEED.search(bare) is not None) and (is_flag or bool(equals))
        if not (hidden and not is_flag):
            found.append(name if same else word.text)
        hidden = same and not equals
    return tuple(found)


@open_record
class Arguments:
    """``root`` holds the flags and ``key=value`` overrides; ``positional`` is the rest."""

    root: Mapping
    positional: tuple[Word, ...]


@open_state
class _Branch:
    key: Scalar
    children: dict[str, _Branch | Entry] = field(default_factory=dict)
    repeated: list[Entry] = field(default_factory=list)


def parse(words: Sequence[Word], span: Span, *, bare: frozenset[str] = frozenset()) -> Arguments:
    """Flags and positional words. ``bare`` flags (without dashes) take no value even if a word follows."""
    top = _Branch(Scalar("", span))
    positional: list[Word] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        found = _OVERRIDE.match(word.text)
        if word.text == "--":
            positional.extend(words[at:])
            break
        if _FLAG.match(word.text):
            at += _flag(top, word, words, at, bare)
        elif found is not None:
            value = word.after(found.end())
            _put(top, found[2], Span(word.place(len(found[1])), word.place(found.end() - 1)), _override(value))
        else:
            positional.append(word)
    return Arguments(_mapping(top, span), tuple(positional))


def _flag(top: _Branch, word: Word, words: Sequence[Word], at: int, bare: frozenset[str]) -> int:
    """Enter one flag; returns how many of the words from ``at`` on are its values."""
    name, equals, _ = word.text.partition("=")
    dest = name[2:].replace("-", "_") if name.startswith("--") else name
    key_span = Span(word.place(0), word.place(len(name) - 1) + 1) if word.known else word.span
    if equals:
        _put(top, dest, key_span, _value(word.after(len(name) + 1)))
        return 0
    values = [] if dest in bare else _values(words, at)
    if not values:
        _put(top, dest, key_span, Scalar("true", key_span, tag=TRUE))
    elif len(values) == 1:
        _put(top, dest, key_span, _value(values[0]))
    else:
        items = tuple(_scalar(value) for value in values)
        _put(top, dest, key_span, Items(items, Span(items[0].span.start, max(items[0].span.start, items[-1].span.end))))
    return len(values)


def _values(words: Sequence[Word], at: int) -> list[Word]:
    """The words up to the next flag or override. A word nobody can know counts only as a first value: it may be flags."""
    values: list[Word] = []
    for index in range(at, len(words)):
        word = words[index]
        if _FLAG.match(word.text) or word.text == "--":
            break
        if values and (_OVERRIDE.match(word.text) or (not word.known and word.text.startswith("$"))):
            break
        values.append(word)
    return values


def _scalar(word: Word) -> Scalar:
    return Scalar(word.text, word.span)


def _value(word: Word) -> Node:
    """The value as text; JSON objects and lists as what they hold."""
    if word.known and word.text[:1] in ("{", "[") and word.text[-1:] in ("}", "]") and len(word.text) <= _MAX_JSON:
        start = word.place(0)
        if word.place(len(word.text) - 1) == start + len(word.text) - 1:
            (document, *_) = read_json(SourceFile("", word.text))
            if document.root is not None and not document.problems:
                return _moved(document.root, start)
    return _scalar(word)


def _moved(node: Node, by: int) -> Node:
    """The tree of a text of its own, where that text stands in the file."""
    span = Span(node.span.start + by, node.span.end + by)
    if isinstance(node, Scalar):
        return replace(node, span=span)
    if isinstance(node, Items):
        return replace(node, items=tuple(_moved(item, by) for item in node.items), span=span)
    entries = tuple(Entry(replace(one.key, span=_moved(one.key, by).span), _moved(one.value, by)) for one in node.entries)
    return replace(node, entries=entries, span=span)


def _override(word: Word) -> Node:
    """Hydra's values: ``null``, and lists such as ``[q_proj,v_proj]``."""
    text = word.text
    if text == "null":
        return Scalar(text, word.span, tag=NULL)
    if text[:1] != "[" or text[-1:] != "]" or not word.known or len(text) > _MAX_JSON:
        return _value(word)
    items: list[Node] = []
    at = 1
    for piece in text[1:-1].split(","):
        bare = piece.strip().strip("'\"")
        start = word.place(at + piece.find(bare)) if bare else word.place(at)
        if bare:
            items.append(Scalar(bare, Span(start, start + len(bare))))
        at += len(piece) + 1
    return Items(tuple(items), word.span)


def _put(top: _Branch, name: str, key_span: Span, value: Node) -> None:
    branch = top
    *sections, last = name.split(".") if name.count(".") < DEPTH.most and all(name.split(".")) else [name]
    for section in sections:
        child = branch.children.get(section)
        if not isinstance(child, _Branch):
            child = _Branch(Scalar(section, key_span))
            branch.children[section] = child
        branch = child
    before = branch.children.pop(last, None)
    if isinstance(before, Entry):
        branch.repeated.append(before)
    branch.children[last] = Entry(Scalar(last, key_span), value)


def _mapping(branch: _Branch, span: Span) -> Mapping:
    living = (
        child if isinstance(child, Entry) else Entry(child.key, _mapping(child, child.key.span)) for child in branch.children.values()
    )
    return Mapping((*branch.repeated, *living), span)


def entries_of(pairs: Iterable[tuple[str, Word]], span: Span) -> Mapping:
    """A mapping from names and words, such as the environment in front of a command."""
    return Mapping(tuple(Entry(Scalar(name, word.span), _scalar(word)) for name, word in pairs), span)
