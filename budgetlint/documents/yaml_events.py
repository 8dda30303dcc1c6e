"""The YAML event stream: libyaml's where ruamel.yaml.clib is installed, ruamel.yaml's own parser otherwise, and its refusals.

Both give the same events with marks in code points. A line end CR LF counts as two; a byte order mark is not counted, so it
is replaced by an empty line (`tests/documents/test_yaml.py` proves both).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, DocumentStartEvent, MappingStartEvent, ScalarEvent, SequenceStartEvent, StreamEndEvent
from ruamel.yaml.reader import ReaderError

from budgetlint.base.expression import expression
from budgetlint.documents.failure import Refused
from budgetlint.documents.node import Problem

__all__ = ["AliasEvent", "DocumentStartEvent", "MappingStartEvent", "ScalarEvent", "SequenceStartEvent", "StreamEndEvent", "YAMLError"]

try:
    from ruamel.yaml.cyaml import CParser  # type: ignore[attr-defined]
except ImportError:  # pragma: no cover - wheels exist for every platform we know
    CParser = None


@cache
def _not_yaml() -> re.Pattern[str]:
    """YAML 1.1 c-printable, as PyYAML's ``yaml/reader.py`` ``NON_PRINTABLE``. Takes 3 ms to compile: most texts are ASCII."""
    return re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_ANY_VERSION = expression(r"^%YAML +0*1\.[0-9]+(?=[ \t\r\n]|\Z)", re.MULTILINE)


def next_event(text: str, pure: bool = False) -> Callable[[], Any]:
    """A function that gives the next event on each call, last a `StreamEndEvent`. It raises `YAMLError` or `Refused`."""
    if text.startswith("\ufeff"):
        text = "\n" + text[1:]
    if "%YAML" in text:  # PyYAML takes any minor version (yaml/parser.py process_directives), libyaml and ruamel.yaml 1 and 2
        text = _ANY_VERSION.sub(lambda found: "%YAML 1.1".ljust(len(found[0])), text)
    if not text.isascii() and (bad := _not_yaml().search(text)):
        raise _control_character(bad)
    if CParser is None or pure:
        return _pure_events(text)
    take: Callable[[], Any] = CParser(text).get_event
    return take


def _pure_events(text: str) -> Callable[[], Any]:
    from ruamel.yaml import YAML

    stream = YAML(typ="safe", pure=True)
    stream.version = (1, 1)
    events = iter(stream.parse(text))

    return lambda: next(events)


def _control_character(bad: re.Match[str]) -> Refused:
    code = f"U+{ord(bad[0]):04X}"
    return Refused(
        "control-character",
        f"YAML does not allow the character {code}",
        "delete it, or write it as an escape in double quotes",
        bad.start(),
    )


def refused(error: Exception, text: str) -> Refused:
    """What libyaml did not accept, with the place it names and what to do about it."""
    if isinstance(error, ReaderError):
        bad = _not_yaml().search(text)
        return _control_character(bad) if bad else Refused("syntax", str(error.reason), "save the file as UTF-8", 0)
    if not isinstance(error, MarkedYAMLError) or (mark := error.problem_mark or error.context_mark) is None:
        return Refused("syntax", str(error), "check the YAML syntax", 0)
    at = mark.index
    kind, message, cure = _explain(str(error.problem or error.context), text, at)
    if message == _OPEN_QUOTE and error.context_mark is not None:
        at = error.context_mark.index
    return Refused(kind, message, cure, at)


def is_old_libyaml_refusal(problems: tuple[Problem, ...]) -> bool:
    """ruamel.yaml.clib 0.2.15 carries a libyaml before 0.2.2, which refuses ``{A100:8}`` and ``[http://x]``; PyYAML takes them."""
    return bool(problems) and problems[0].message == "found unexpected ':'"


def _explain(problem: str, text: str, at: int) -> tuple[str, str, str]:
    line = text[text.rfind("\n", 0, at) + 1 : _line_end(text, at)]
    if "{{" in line or "{%" in line:
        return "syntax", f"a template ({problem})", "render the template first, or quote the value that holds it"
    if text[at : at + 1] == "\t" or ("tab" in problem and "\t" in line):
        return "tab", "a tab where YAML wants spaces", "indent with spaces"
    return next(
        (("syntax", message or problem, cure) for word, message, cure in _CURES if word in problem),
        ("syntax", problem, "check indentation, quotes and brackets here"),
    )


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


_ALIGN = "align this line with its siblings, or close the quote or bracket before it"
_OPEN_QUOTE = "a quote that is not closed"
_OPEN_LIST = "a list that is not closed"
_OPEN_MAPPING = "a mapping that is not closed"
_CURES: tuple[tuple[str, str, str], ...] = (
    (
        "mapping values are not allowed",
        "a second ': ' in one value, or a wrong indent",
        "quote the value, or align the key with its siblings",
    ),
    ("could not find expected ':'", "a key without ':'", "write 'key: value' with a blank after the colon"),
    ("did not find expected key", "a line that fits no open block", _ALIGN),
    ("expected <block end>", "a line that fits no open block", _ALIGN),
    ("did not find expected '-' indicator", "a line that is no '- ' item of the list above", _ALIGN),
    ("expected ',' or ']'", _OPEN_LIST, "add ',' between items or ']' at the end"),
    ("expected ',' or '}'", _OPEN_MAPPING, "add ',' between entries or '}' at the end"),
    ("found unexpected end of stream", _OPEN_QUOTE, "close the quote"),
    ("found unexpected document", _OPEN_QUOTE, "close the quote"),
    ("unknown escape character", "", "double the backslash, or use single quotes"),
    ("cannot start any token", "a value that starts with a reserved character", "quote the value"),
    ("sequence entries are not allowed", "a '- ' item where no list can start", "put the list on the next line"),
    ("expected alphabetic or numeric", "a '*' or '&' that begins no plain name", "quote the value"),
    ("undefined tag handle", "", "declare the tag with %TAG, or quote the value"),
    ("expected <document start>", "text after the end of the document", "indent it into the document, or separate documents with '---'"),
)
"""Word of libyaml's or ruamel.yaml's message, what to say (empty: theirs), the cure. The first that fits."""
