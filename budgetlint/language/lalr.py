"""A budget read with the tables of `tables.folded`, without lark: what is right is read here, what is not is read by lark, which can say
what could have stood there. Importing lark takes twice as long as reading a budget, and brings 50 modules.

The steps are those of lark 1.3 (``parsers/lalr_parser_state.py`` `feed_token`, ``lexer.py`` `ContextualLexer` and `UnlessCallback`): in
each state the terminals that may follow are tried in lark's order, and a word that is a keyword there becomes one.
`tests/language/test_language_lalr.py` compares every tree.
"""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any
from zlib import crc32

from budgetlint.base.record import open_record

NAME = "budget.lalr.json"
END = "$END"


class Token(str):
    """A terminal's text and place, as a `lark.Token` has them."""

    type: str
    start_pos: int
    end_pos: int


class _Inline(list[Any]):
    """What a rule whose name begins with ``_`` gives: its children, which become those of the rule above."""


@open_record
class Tables:
    """``terminals``: the expression of each. ``lexers``: the terminals to try, in order, and the words that are keywords.
    ``states``: the lexer and, by terminal or rule, what follows: the next state, or -1 - the rule that ends here. ``rules``: the rule's
    own name, the method that takes it (None: `_Inline`), its length."""

    grammar: int
    ignored: Sequence[str]
    terminals: Mapping[str, str]
    lexers: Sequence[tuple[Sequence[str], Mapping[str, str]]]
    states: Sequence[tuple[int, Mapping[str, int]]]
    rules: Sequence[tuple[str, str | None, int]]
    starts: Mapping[str, int]
    ends: Mapping[str, int]


def data(name: str) -> bytes:
    """`importlib.resources` would cost 5 ms more, for ``zipfile`` above all."""
    raw = pkgutil.get_data("budgetlint_grammar", name)
    assert raw is not None
    return raw


@cache
def grammar_text() -> str:
    return data("budget.lark").decode("utf-8")


@cache
def tables() -> Tables | None:
    """The tables that ship; None where they are not those of the grammar."""
    shipped = Tables(**json.loads(data(NAME)))
    return shipped if shipped.grammar == crc32(grammar_text().encode("utf-8")) else None


@cache
def _expression(terminal: str) -> re.Pattern[str]:
    """Compiled when a text may first hold it: a budget has use for half of them."""
    found = tables()
    assert found is not None
    return re.compile(found.terminals[terminal])


def read(text: str, start: int, end: int, entry: str, builder: Any) -> Any:
    """What ``builder`` makes of the text between two places; None where it is no ``entry`` of the grammar."""
    known = tables()
    return _Reading(known, text, end, builder).run(start, entry) if known is not None else None


class _Reading:
    """The two stacks of one text."""

    def __init__(self, tables: Tables, text: str, end: int, builder: Any) -> None:
        self.tables, self.text, self.end, self.builder = tables, text, end, builder
        self.states: list[int] = []
        self.values: list[Any] = []

    def run(self, at: int, entry: str) -> Any:
        self.states.append(self.tables.starts[entry])
        while at < self.end:
            token = self._token(at)
            if token is None or not (token.type in self.tables.ignored or self._shift(token)):
                return None
            at = token.end_pos
        last = self.tables.ends[entry]
        return self.values[-1] if self._reduce(END, lambda: self.states[-1] == last) is not None else None

    def _token(self, at: int) -> Token | None:
        names, keywords = self.tables.lexers[self.tables.states[self.states[-1]][0]]
        for name in names:
            found = _expression(name).match(self.text, at, self.end)
            if found is not None:
                token = Token(found[0])
                token.type = keywords.get(token, name) if name == "WORD" else name
                token.start_pos, token.end_pos = at, found.end()
                return token
        return None

    def _shift(self, token: Token) -> bool:
        target = self._reduce(token.type, lambda: False)
        if target is None:
            return False
        self.states.append(target)
        self.values.append(token)
        return True

    def _reduce(self, terminal: str, is_over: Callable[[], bool]) -> int | None:
        """End every rule that ends before the terminal: the state behind it, None where it cannot stand here."""
        action = self._action(terminal)
        while action is not None and action < 0:
            name, method, length = self.tables.rules[-1 - action]
            below = len(self.values) - length
            made = self._made(method, self.values[below:])
            del self.values[below:], self.states[below + 1 :]
            target = self._action(name)
            assert target is not None
            self.states.append(target)
            self.values.append(made)
            if is_over():
                return target
            action = self._action(terminal)
        return action

    def _action(self, name: str) -> int | None:
        return self.tables.states[self.states[-1]][1].get(name)

    def _made(self, method: str | None, parts: list[Any]) -> Any:
        children = _Inline()
        for part in parts:
            if part.__class__ is _Inline:
                children += part
            else:
                children.append(part)
        return children if method is None else getattr(self.builder, method)(list(children))
