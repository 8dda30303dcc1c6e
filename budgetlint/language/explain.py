"""A syntax error for people: what was found, what could stand there, and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from lark import TextSlice
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from budgetlint.base.record import record
from budgetlint.base.source import Span
from budgetlint.language.grammar import parser
from budgetlint.language.slices import MAX_DEPTH, MAX_LIST_DEPTH, Slice
from budgetlint.language.statements import STATEMENTS

_VALUES = frozenset({"QUANTITY", "PERCENT", "NUMBER", "DATE", "STRING", "WORD", "REF", "LSQB"})
_NAMES = {
    "OF": "'of'", "OPTION": "key=value", "SIGN": "'+' or '-'", "CMP": "a comparison such as '<='", "COMMA": "','", "EQUALS": "'='",
    "RSQB": "']'", "LSQB": "'['", "LBRACE": "'{'", "RBRACE": "'}'", "STRING": "a text in quotes", "WORD": "a name", "LET": "'let'",
    "ASSERT": "'assert'", "QUANTITY": "an amount", "PERCENT": "a percentage", "NUMBER": "a number", "DATE": "a date", "REF": "$name",
    "COMMAND": "a command", "LAUNCH": "'launch'",
}  # fmt: skip
_ENDS = frozenset({"$END", "SEMICOLON", "NEWLINE"})
_RUN = re.compile(r"[^\s;]+")

_STRUCTURE = {
    "stray-close": ("unexpected '}'; no block is open here", "remove it, or open the block with '{' at the end of its statement"),
    "unclosed": ("the block that opens here is never closed", "write '}' after its last statement"),
    "orphan-brace": ("unexpected '{'; expected a statement", "a '{' belongs at the end of the line that opens the block"),
    "glued-brace": ("unexpected '{' right after a word", "put a blank before '{'"),
    "glued": ("unexpected statement after '}'; expected ';', a new line or '}'", "start a new line after '}'"),
    "too-deep": (f"blocks nest deeper than {MAX_DEPTH}", "a budget needs one level: target and run stand at the top"),
    "list-too-deep": (f"lists nest deeper than {MAX_LIST_DEPTH}", "write one flat list: [a, b]"),
}


@record
class Failure:
    """What the hints look at: the text found (empty at the end of the statement), where, what came before, what could stand."""

    found: str
    before: str
    rest: str
    expected: frozenset[str]

    @property
    def keyword(self) -> str:
        words = self.before.split(None, 1)
        return words[0] if words else ""


def explain_structure(kind: str) -> tuple[str, str]:
    return _STRUCTURE[kind]


def explain(error: UnexpectedInput, text: str, slice_: Slice) -> tuple[Span, str, str]:
    """The span, the message and the help for a statement that could not be read."""
    start = _position(error, slice_)
    run = _RUN.match(text, start, slice_.end)
    end = run.end() if run else min(start + 1, slice_.end)
    failure = Failure(text[start:end], text[slice_.start : start], text[start : slice_.end], _expected(error, text, slice_.start, start))
    span = Span(start, end) if end > start else Span(max(slice_.start, start - 1), start)
    for hint in _HINTS:
        answer = hint(failure)
        if answer is not None:
            message, help = answer
            return span, message or _message(failure), help
    return span, _message(failure), _usage(failure)


def _position(error: UnexpectedInput, slice_: Slice) -> int:
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return slice_.end
    at = error.pos_in_stream
    return slice_.end if at is None else min(at, slice_.end)


def _expected(error: UnexpectedInput, text: str, start: int, at: int) -> frozenset[str]:
    """The terminals that can really follow: the lexer's own list holds those of every statement in this LALR state."""
    if isinstance(error, UnexpectedToken) and error.accepts:
        return frozenset(error.accepts)
    interactive = parser().parse_interactive(TextSlice(text, start, at), start="statement")
    try:
        interactive.exhaust_lexer()
    except UnexpectedInput:
        return frozenset(error.allowed or ()) if isinstance(error, UnexpectedCharacters) else frozenset()
    accepted: set[str] = interactive.accepts()  # type: ignore[no-untyped-call]
    return frozenset(accepted)


def _message(failure: Failure) -> str:
    found = f"unexpected '{_short(failure.found)}'" if failure.found else "the statement ends too early"
    return f"{found}; expected {_listed(failure.expected)}"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _listed(expected: Iterable[str]) -> str:
    names = set(expected)
    words = ["a value"] if names >= _VALUES else []
    left = names - _VALUES if words else names
    words += [_NAMES[name] for name in _NAMES if name in left]
    if names & _ENDS:
        words += ["';'", "a new line", "the end of the file"]
    return ", ".join(words[:-1]) + (f" or {words[-1]}" if len(words) > 1 else words[0] if words else "something else")


def _usage(failure: Failure) -> str:
    spec = STATEMENTS.get(failure.keyword)
    return f"write it like this: {spec.example}" if spec else "write a keyword, its values and key=value options: lora r=16 alpha=32"


# -- hints, the most particular first; each returns (message or "", help), or None where it does not apply ---------------

Answer = tuple[str, str] | None


def _odd_blank(failure: Failure) -> Answer:
    if not failure.found or failure.found.strip():
        return None
    return f"a blank that is no plain blank (U+{ord(failure.found[0]):04X})", "type it again: a space or a tab"


def _open_string(failure: Failure) -> Answer:
    quote = failure.found[:1]
    if quote not in ("'", '"'):
        return None
    body = re.match(r'"(?:\\.|[^"\\\r\n])*"' if quote == '"' else r"'[^'\r\n]*'", failure.rest)
    if body is None:
        return f"the text that opens here with {quote} is not closed on its line", f"write the closing {quote}"
    if quote == '"' and re.search(r'\\[^"\\]', body.group().replace("\\\\", "")):
        return 'a backslash in double quotes stands only before \\ or "', "single quotes keep backslashes as they are: 'C:\\models'"
    after = failure.rest[body.end() : body.end() + 1]
    return (f"unexpected '{after}' right after a text in quotes", "put a blank between them") if after.strip() else None


def _percent_without_of(failure: Failure) -> Answer:
    if failure.keyword != "assert" or "OF" not in failure.expected:
        return None
    percent = failure.before.split()[-1]
    return "", f"a percentage in assert needs 'of': {percent} of {failure.found or 'usable'}"


def _glued_sign(failure: Failure) -> Answer:
    if failure.keyword != "assert" or not re.match(r"[+-]\S", failure.found):
        return None
    sign, value = failure.found[0], failure.found[1:]
    return "", f"put a blank on both sides of '{sign}': {failure.before.split()[-1]} {sign} {value}"


def _logic(failure: Failure) -> Answer:
    if failure.keyword != "assert" or failure.found.lower() not in ("and", "or", "&&", "||", "not"):
        return None
    return "", "write two asserts: each gets its own finding and message"


def _arithmetic(failure: Failure) -> Answer:
    if failure.keyword != "assert" or failure.found[:1] not in ("*", "/", "(", ")"):
        return None
    return "", "assert knows sums and one product, a percentage: 90% of usable"


def _comparison(failure: Failure) -> Answer:
    if failure.keyword != "assert":
        return None
    if failure.found == "=":
        return "", "'==' compares, '<=' is the usual limit"
    glued = re.fullmatch(r"([\w.-]+)(<=|>=|==|!=|<|>)(\S*)", failure.found)
    return ("", f"put blanks around '{glued[2]}': {glued[1]} {glued[2]} {glued[3]}".rstrip()) if glued else None


def _environment(failure: Failure) -> Answer:
    if not failure.found.startswith("${"):
        return None
    return "", "a budget means the same on every machine: 'let name = value', used as $name, and --set name=value change it"


def _quotable(failure: Failure) -> Answer:
    if failure.found[:1] in "=,]})" or not re.search(r"[\[\](){}!&|%^<>\"'\\`#$@:,=?]", failure.found):
        return None
    if not re.match(r"[\w.~*/\\$\[({-]", failure.found):
        return None
    return "", f'a word is never split: quote it if it is one, "{_short(failure.found.rstrip(","))}"'


def _closing_bracket(failure: Failure) -> Answer:
    if not failure.found.startswith("]") or ("RSQB" in failure.expected and failure.found == "]"):
        return None
    if "[" in failure.before:
        return "", "a word with brackets must be quoted, and a list ends with a blank after ']'"
    return "", "remove it, or open the list with '['"


def _missing_value(failure: Failure) -> Answer:
    option = re.search(r"([\w.-]+)[ \t]*=[ \t]*$", failure.before)
    if option is None or failure.found:
        return None
    spec = STATEMENTS.get(failure.keyword)
    slot = spec.option(option[1]) if spec else None
    return f"'{option[1]}=' has no value; expected {slot.shown if slot else 'a value'}", _usage(failure)


def _open_list(failure: Failure) -> Answer:
    if failure.found or "RSQB" not in failure.expected:
        return None
    return "", "close the list with ']'"


def _equals(failure: Failure) -> Answer:
    if not failure.found.startswith("="):
        return None
    if failure.keyword == "stack":
        return "", "write package@version: transformers@5.24"
    if failure.keyword in STATEMENTS and len(failure.before.split()) == 1:
        return "", f"a statement has no '=': {STATEMENTS[failure.keyword].example}"
    return "", "an option is one key, '=' and one value: r=16"


def _comma(failure: Failure) -> Answer:
    if not failure.found.startswith(","):
        return None
    return "", "values are separated by blanks; a list stands in brackets: [a, b]"


def _let(failure: Failure) -> Answer:
    return ("", "write it like this: let ctx = 4096") if failure.keyword == "let" else None


def _assert(failure: Failure) -> Answer:
    return ("", "write it like this: assert peak <= 90% of usable") if failure.keyword == "assert" else None


_HINTS: tuple[Callable[[Failure], Answer], ...] = (
    _odd_blank, _open_string, _percent_without_of, _glued_sign, _logic, _arithmetic, _comparison, _environment, _missing_value, _open_list,
    _closing_bracket, _equals, _comma, _quotable, _let, _assert,
)  # fmt: skip
