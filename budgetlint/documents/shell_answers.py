"""What small commands inside of ``$(...)`` answer about texts that are known: ``seq``, ``bc``, ``cut``, ``tr``, ``printf``.

Nothing is run; what a command would look up on the machine stays open. Sources: POSIX.1-2017 ``bc``, ``cut``, ``printf``, ``tr``; GNU
coreutils 9 ``seq``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from budgetlint.base.expression import expression
from budgetlint.base.numerals import small, whole
from budgetlint.documents.shell_arithmetic import computed
from budgetlint.documents.shell_lexer import Lexer
from budgetlint.documents.shell_paths import LONGEST, inside
from budgetlint.documents.shell_tokens import Operator
from budgetlint.documents.shell_words import RawWord

MOST = 64
"""Numbers of one ``seq``."""
_DIRECTIVE = expression(r"%[sd]|%%|\\n|\\t")
_SUM = expression(r"[0-9+*/() \t%-]+")


def answered(substitution: str, text: Callable[[RawWord], str | None]) -> str | None:
    """The answer, without the line ends at its end; None for what is not followed, or hangs on what nobody knows."""
    body = inside(substitution)
    commands = _piped(body, text) if len(body) <= LONGEST and not substitution.startswith("$((") else None
    if not commands or not all(commands):
        return None
    told = _first(commands[0])
    for words in commands[1:]:
        told = _filtered(words, told) if told is not None else None
    return told.rstrip("\n") if told is not None else None


def _piped(body: str, text: Callable[[RawWord], str | None]) -> list[list[str]] | None:
    """The commands of a pipe, word by word."""
    found: list[list[str]] = [[]]
    for token in Lexer(body).tokens():
        if isinstance(token, Operator):
            if token.text != "|":
                return None
            found.append([])
            continue
        word = text(token) if isinstance(token, RawWord) and not _may_part(token) else None
        if word is None:
            return None
        found[-1].append(word)
    return found


def _may_part(raw: RawWord) -> bool:
    """Braces, stars and the like are nothing that a word says by itself."""
    return any(mark in raw.bare for mark in "{*?[~")


def _first(words: Sequence[str]) -> str | None:
    name, given = words[0], words[1:]
    if name == "seq":
        return _sequence(given)
    if name == "echo" and not any(one.startswith("-") or "\\" in one for one in given[:1]):
        return " ".join(given) + "\n"
    return _printed(given) if name == "printf" and given else None


def _sequence(given: Sequence[str]) -> str | None:
    numbers = [whole(one) for one in given]
    told = [number for number in numbers if number is not None]
    if len(told) != len(numbers) or not 1 <= len(told) <= 3:
        return None
    first, step, last = {1: (1, 1, *told), 2: (told[0], 1, told[-1]), 3: tuple(told)}[len(told)][:3]
    if not step:
        return None
    every = range(first, last + (1 if step > 0 else -1), step)
    return "".join(f"{number}\n" for number in every) if len(every) <= MOST else None


def _printed(given: Sequence[str]) -> str | None:
    return printed(given[0], given[1:])


def printed(form: str, given: Sequence[str]) -> str | None:
    """What ``printf FORM ARGUMENT...`` writes; None for directives that are not followed."""
    if "\\" in _DIRECTIVE.sub("", form) or "%" in _DIRECTIVE.sub("", form):
        return None
    left = list(given)
    takes = sum(one in ("%s", "%d") for one in _DIRECTIVE.findall(form))
    rounds = max(1, -(-len(left) // takes)) if takes else 1
    if any(one == "%d" for one in _DIRECTIVE.findall(form)) and not all(whole(one) is not None for one in left):
        return None
    pieces: list[str] = []
    for _ in range(min(rounds, MOST)):
        at = 0
        for found in _DIRECTIVE.finditer(form):
            pieces.append(form[at : found.start()])
            pieces.append({"%%": "%", "\\n": "\n", "\\t": "\t"}.get(found[0]) or (left.pop(0) if left else "" if found[0] == "%s" else "0"))
            at = found.end()
        pieces.append(form[at:])
    return "".join(pieces) if rounds <= MOST else None


def _filtered(words: Sequence[str], told: str) -> str | None:
    name, given = words[0], list(words[1:])
    line = told.rstrip("\n")
    if name == "bc" and not given:
        return computed(f"$(({line}))", lambda _: None) if _SUM.fullmatch(line) else None
    if name == "cut" and "\n" not in line:
        return _cut(given, line)
    if name == "tr" and len(given) == 2 and all(len(one) == 1 for one in given) and "\\" not in given:
        return told.replace(given[0], given[1])
    if name == "tr" and given == ["[:upper:]", "[:lower:]"]:
        return told.lower()
    if name == "tr" and given == ["[:lower:]", "[:upper:]"]:
        return told.upper()
    if name == "wc" and given == ["-w"]:
        return str(len(told.split()))
    return str(told.count("\n")) if name == "wc" and given == ["-l"] else None


def _cut(given: list[str], line: str) -> str | None:
    """``cut -d/ -f2``"""
    options = "".join(f" {one}" for one in given)
    found = _CUT.fullmatch(options) or _CUT_BACK.fullmatch(options)
    if found is None:
        return None
    mark, field = found["mark"], small(found["field"])
    pieces = line.split(mark)
    if len(pieces) == 1:
        return line
    return None if not field else pieces[field - 1] if field <= len(pieces) else ""


_CUT = expression(r" -d ?(?P<mark>.) -f ?(?P<field>[0-9]{1,3})")
_CUT_BACK = expression(r" -f ?(?P<field>[0-9]{1,3}) -d ?(?P<mark>.)")
