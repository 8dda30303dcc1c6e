"""Text of a checked file, a file name, a log or a command line as anything may show it: the one place where it is cleaned.

`one_line` is for a value or a name: whatever it holds, it is a piece of one line. `sentence` is for a message with values in it. `page` is
for what is printed: lines and colors that budgetlint wrote itself stay, anything else that a terminal or a runner of CI jobs
would obey is broken. `ascii_json` keeps every character, as an escape. Texts that are plain already, nearly all, cost one look.

Commands of runners: GitHub's takes ``::name …::`` at the start of a line, blanks before it or not, and ``##[name …]`` anywhere in it
(github.com/actions/runner, src/Runner.Common/ActionCommand.cs, ``TryParseV2`` and ``TryParse``), Azure's ``##vso[``
(github.com/microsoft/azure-pipelines-agent, src/Microsoft.VisualStudio.Services.Agent/Command.cs), TeamCity's ``##teamcity[``; GitLab's
``section_start:…`` needs a carriage return and an ESC (https://docs.gitlab.com/ci/jobs/job_logs/#custom-collapsible-sections).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

REPLACEMENT = "\ufffd"

_FORMATS = (
    "\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What has no look of its own, or moves and hides what has: categories Cf, Zl, Zp and Cs, noncharacters, and the rest of
Default_Ignorable_Code_Point (https://www.unicode.org/Public/17.0.0/ucd/DerivedCoreProperties.txt), variation selectors and fillers."""

_PICTURES = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff"
)
"""Blocks of the characters with Emoji=Yes (https://www.unicode.org/Public/17.0.0/ucd/emoji/emoji-data.txt), without ASCII."""

# compiled when a text first needs one: most checks meet none, and each takes a millisecond
_hidden = cache(lambda: re.compile(f"[\x00-\x1f\x7f-\x9f{_FORMATS}]"))
_hidden_on_a_page = cache(lambda: re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_FORMATS}]"))
_emoji = cache(lambda: re.compile(f"(?<=[{_PICTURES}])(?:\ufe0f?\u200d(?=[{_PICTURES}])|[\ufe0e\ufe0f])|(?<=[0-9#*])\ufe0f(?=\u20e3)"))
"""The joiner between two pictures, and the selector behind one: left out, and each picture is still seen."""
_bracketed = cache(lambda: re.compile(r"##(\w*)\["))
_own_command = cache(lambda: re.compile("::(?:error|warning|notice) "))
_codes = cache(lambda: re.compile(r"\x1b\[[0-9;]{1,8}m|\x1b\]8;;(?:https?://[!-~]+)?\x1b\\"))
"""What `budgetlint.report.style` writes: colors, and links to pages of rules."""

_SHOWN = {"\n": "\\n", "\r": "\\r", "\t": " "}

_PLAIN_ASCII = bytes((*range(0x20, 0x7F), *b"\t\n"))


def one_line(text: str) -> str:
    """The text as a piece of one line: line breaks are shown as ``\\n``, a tab as a blank, what is hidden as U+FFFD."""
    if not (text.isascii() and text.isprintable()) and _hidden().search(text):
        text = _hidden().sub(lambda found: _SHOWN.get(found[0], REPLACEMENT), _emoji().sub("", text))
    return _bracketed().sub(r"##\1\\[", text) if "##" in text else text


def sentence(text: str) -> str:
    """`one_line` for what programs print on a line of its own, such as a message: nor is it a command there."""
    said = one_line(text)
    return _without_commands(said, own=False) if "::" in said else said


class Page(str):
    """A text that can be printed: it is not looked at again."""

    __slots__ = ()


def page(text: str, *, codes: bool = False, commands: bool = False) -> Page:
    """Lines as they may be printed. ``codes``: budgetlint's own colors and links stay; ``commands``: so do its own annotations."""
    if isinstance(text, Page):
        return text
    return Page(_without_commands(visible(text, codes=codes), own=commands))


def visible(text: str, *, codes: bool = False) -> str:
    """The text with nothing hidden in it: lines and tabs stay, and a line ends with a line feed alone."""
    if text.isascii() and not text.encode("ascii").translate(None, _PLAIN_ASCII):
        return text
    bare = _codes().sub("", text) if codes else text
    if not _hidden_on_a_page().search(bare):
        return text
    if codes:
        between, own = _codes().split(text), [*_codes().findall(text), ""]
        return "".join(visible(piece) + code for piece, code in zip(between, own, strict=True))
    return _hidden_on_a_page().sub(REPLACEMENT, _emoji().sub("", text.replace("\r\n", "\n")))


def _without_commands(text: str, *, own: bool) -> str:
    if "##" in text:
        text = _bracketed().sub(r"##\1\\[", text)
    if "::" not in text:
        return text
    starts = list(_colons_at_line_starts(text, own=own))
    return "\\".join(text[start:end] for start, end in zip([0, *starts], [*starts, len(text)], strict=True))


def _colons_at_line_starts(text: str, *, own: bool) -> Iterator[int]:
    """Where a line begins with two colons, blanks before them or not. Three are none: the name of a command has no colon."""
    at = text.find("::")
    while at >= 0:
        before = text[text.rfind("\n", 0, at) + 1 : at]
        ours = own and not before and _own_command().match(text, at)
        if not ours and text[at + 2 : at + 3] != ":" and not _codes().sub("", before).strip():
            yield at
        ended = text.find("\n", at)
        at = text.find("::", ended) if ended >= 0 else -1


def ascii_json(value: object, indent: int | None = None) -> Page:
    """JSON in ASCII, which no stream's encoding spoils; on one line unless ``indent`` is given, which takes four times as long."""
    import json  # a check that writes no JSON does without

    return Page(escaped_json(_whole(json.dumps(value, indent=indent, ensure_ascii=False))) + "\n")


def _whole(text: str) -> str:
    """Without lone surrogates, which file names that are no UTF-8 bring in, and whose escapes strict parsers refuse."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", REPLACEMENT, text)
    return text


def escaped_json(text: str) -> str:
    """JSON with everything but ASCII as escapes, also the bracket of what a runner would obey."""
    import json

    text = re.sub(r"[^\n\x20-\x7e]", lambda found: json.dumps(found[0])[1:-1] if found[0] != "\x7f" else "\\u007f", text)
    return _bracketed().sub(r"##\1\\u005b", text) if "##" in text else text
