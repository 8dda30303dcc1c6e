"""Whether a condition holds, as far as the text alone tells: ``[ "$X" = a ]``, ``[[ -z $X && $Y == b* ]]``, ``(( N > 4 ))``.

What the machine would have to be asked (``-f``, ``command -v``) is not known. Sources: POSIX.1-2017 ``test``; bash 5.2 manual 3.2.5.2
and 6.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from budgetlint.base.numerals import whole
from budgetlint.base.record import open_state
from budgetlint.documents.shell_arithmetic import computed
from budgetlint.documents.shell_expand import Expander
from budgetlint.documents.shell_parameters import glob
from budgetlint.documents.shell_tokens import Array, Operator, Token
from budgetlint.documents.shell_words import RawWord, is_argument, shifted

LONGEST = 60
"""Tokens of one condition."""
_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda left, right: left == right,
    "-ne": lambda left, right: left != right,
    "-lt": lambda left, right: left < right,
    "-le": lambda left, right: left <= right,
    "-gt": lambda left, right: left > right,
    "-ge": lambda left, right: left >= right,
}


@open_state
class Conditions:
    """``text`` is the script's; ``at`` where the condition stands, ``shifts`` how many arguments are gone by then."""

    expander: Expander
    text: str
    at: int
    shifts: int = 0

    def holds(self, tokens: Sequence[Token]) -> bool | None:
        """None where it is not known."""
        asked = [token for token in tokens if not (isinstance(token, Operator) and token.text in (";", "\n"))]
        if not asked or len(asked) > LONGEST or any(isinstance(token, Array) for token in asked):
            return None
        return self._list(asked)

    def _list(self, tokens: Sequence[Token]) -> bool | None:
        """Commands between ``&&`` and ``||``, from left to right."""
        answer: bool | None = True
        pending: list[Token] = []
        sign = "&&"
        inside = 0
        for token in (*tokens, None):
            ends = token is None or (isinstance(token, Operator) and token.text in ("&&", "||") and not inside)
            if not ends and token is not None:
                pending.append(token)
                word = token.bare if isinstance(token, RawWord) else ""
                inside += (word == "[[") - (word == "]]") + (isinstance(token, Operator) and token.text == "(")
                inside -= isinstance(token, Operator) and token.text == ")"
                continue
            one = self._command(pending)
            answer = _both(answer, one) if sign == "&&" else _either(answer, one)
            pending, sign = [], token.text if isinstance(token, Operator) else ""
        return answer

    def _command(self, tokens: Sequence[Token]) -> bool | None:
        first = tokens[0] if tokens else None
        if isinstance(first, RawWord) and first.bare == "!":
            return _not(self._command(tokens[1:]))
        if isinstance(first, Operator):
            return self._arithmetic(tokens)
        last = tokens[-1]
        if not isinstance(first, RawWord) or not isinstance(last, RawWord):
            return None
        name = first.bare
        if name in ("true", ":", "false") and len(tokens) == 1:
            return name != "false"
        if name == "[[" and last.bare == "]]":
            return self._double(tokens[1:-1])
        if (name == "[" and last.bare == "]") or name == "test":
            return self._single(tokens[1:-1] if name == "[" else tokens[1:])
        word = self._told(first) if len(tokens) == 1 and first.parts else None  # if $USE_LORA; then
        return word == "true" if word in ("true", "false") else None

    def _arithmetic(self, tokens: Sequence[Token]) -> bool | None:
        written = self.text[tokens[0].span.start : tokens[-1].span.end]
        if not (written.startswith("((") and written.endswith("))")):
            return None
        return self.calculated(written[2:-2])

    def calculated(self, body: str) -> bool | None:
        """``(( body ))``"""
        self._ask()
        number = computed(f"$(({body.strip()}))", self._number_of)
        self._done()
        return number != "0" if number is not None else None

    def _number_of(self, name: str) -> str | None:
        if is_argument(name):
            return self.expander.behind(self.shifts)(name)
        return self.expander.text_of_name(name) or ("0" if self.expander.is_nobodys(name) else None)

    def _single(self, tokens: Sequence[Token]) -> bool | None:
        """``test``: its words are parted as those of any command."""
        words: list[str] = []
        for token in tokens:
            if not isinstance(token, RawWord):
                return None
            told = self._fields(token)
            if told is None:
                return None
            words.extend(told)
        return _tested(words)

    def _fields(self, raw: RawWord) -> list[str] | None:
        self._ask()
        found = list(self.expander.words(shifted(raw, self.shifts), self.at))
        self._done()
        return [word.text for word in found] if all(word.is_told for word in found) else None

    def _told(self, raw: RawWord) -> str | None:
        self._ask()
        word = self.expander.text(shifted(raw, self.shifts), self.at)
        self._done()
        return word.text if word.is_told or not word.text else None

    def told(self, raw: RawWord) -> str | None:
        """A word that is not parted; None where it is not known."""
        return self._told(raw)

    def _ask(self) -> None:
        self.expander.asks = True
        self.expander.place(self.at)

    def _done(self) -> None:
        self.expander.asks = False

    def _double(self, tokens: Sequence[Token]) -> bool | None:
        """``[[``: nothing is parted, the right of ``==`` is a pattern, and ``&&`` binds tighter than ``||``."""
        for sign in ("||", "&&"):
            at = _outermost(tokens, sign)
            if at is not None:
                left, right = self._double(tokens[:at]), self._double(tokens[at + 1 :])
                return _either(left, right) if sign == "||" else _both(left, right)
        first = tokens[0] if tokens else None
        if isinstance(first, Operator) and first.text == "(" and isinstance(tokens[-1], Operator) and tokens[-1].text == ")":
            return self._double(tokens[1:-1])
        if isinstance(first, RawWord) and first.bare == "!":
            return _not(self._double(tokens[1:]))
        if any(not isinstance(token, RawWord) for token in tokens):
            return None
        raws = [token for token in tokens if isinstance(token, RawWord)]
        if len(raws) == 3 and raws[1].bare in ("=", "==", "!="):
            return self._matches(raws[0], raws[2], equal=raws[1].bare != "!=")
        words = [self._told(raw) for raw in raws]
        told = [word for word in words if word is not None]
        return _tested(told) if len(told) == len(words) and (len(raws) != 3 or raws[1].bare in _NUMBERS) else None

    def _matches(self, left: RawWord, right: RawWord, *, equal: bool) -> bool | None:
        text, pattern = self._told(left), self._told(right)
        if text is None or pattern is None:
            return None
        answer = self.fits(text, right, pattern)
        return answer if equal else _not(answer)

    def fits(self, text: str, raw: RawWord, pattern: str) -> bool | None:
        """Is a text what a pattern means? What is quoted in it stands for itself."""
        if raw.bare != pattern or not set(pattern) & set("*?[\\"):
            return text == pattern if not set(pattern) & set("*?[\\") or not raw.bare else None
        if pattern == "*":
            return True
        made = glob(pattern)
        return made.fullmatch(text) is not None if made is not None else None


def _outermost(tokens: Sequence[Token], sign: str) -> int | None:
    deep = 0
    for at, token in enumerate(tokens):
        if isinstance(token, Operator):
            deep += (token.text == "(") - (token.text == ")")
            if token.text == sign and not deep:
                return at
    return None


def _tested(words: list[str]) -> bool | None:
    """``test`` by the number of its words (POSIX)."""
    if words[:1] == ["!"] and len(words) > 1:
        return _not(_tested(words[1:]))
    if len(words) > 3:
        for sign in ("-o", "-a"):
            if sign in words[1:-1]:
                at = words.index(sign, 1)
                left, right = _tested(words[:at]), _tested(words[at + 1 :])
                return _either(left, right) if sign == "-o" else _both(left, right)
        return None
    if len(words) == 3:
        return _compared(*words)
    if len(words) == 2:
        return {"-z": not words[1], "-n": bool(words[1])}.get(words[0])
    return bool(words and words[0])


def _compared(left: str, sign: str, right: str) -> bool | None:
    if sign in ("=", "=="):
        return left == right
    if sign == "!=":
        return left != right
    first, second = whole(left), whole(right)
    return _NUMBERS[sign](first, second) if sign in _NUMBERS and first is not None and second is not None else None


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _both(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _either(left: bool | None, right: bool | None) -> bool | None:
    return _not(_both(_not(left), _not(right)))
