"""Colours for budgets, and consoles in which only ``$`` is a prompt (pygments takes a ``#`` at the head of a line for one)."""

from __future__ import annotations

import re

from pygments import lexers, token
from pygments.lexer import RegexLexer, bygroups
from pygments.lexers.shell import BashSessionLexer


class Budget(RegexLexer):
    """A statement starts with a keyword; amounts carry their unit."""

    name = "Budget"
    aliases = ("budget",)
    tokens = {  # noqa: RUF012
        "root": [
            (r"(^|[;{])([ \t]*)([a-z]\w*)", bygroups(token.Punctuation, token.Whitespace, token.Keyword)),
            (r"(?<!\S)#.*", token.Comment.Single),
            (r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', token.String),
            (r"([\w.]+)(=)(?!=)", bygroups(token.Name.Attribute, token.Operator)),
            (r"(?<![\w.-])\d[\d_.]*(?:[kMGT]i?B|B|%)?(?![\w-])", token.Number),
            (r"\$\w+", token.Name.Variable),
            (r"[<>=!]=?", token.Operator),
            (r"[^\s;{}\[\],=\"'#]+", token.Text),
            (r"[ \t]+|\s", token.Whitespace),
            (r".", token.Punctuation),
        ]
    }
    flags = re.MULTILINE


lexers.LEXERS["Budget"] = ("", Budget.name, Budget.aliases, (), ())
lexers._lexer_cache[Budget.name] = Budget
BashSessionLexer._ps1rgx = re.compile(r"^(\$ )(.*\n?)")  # type: ignore[attr-defined]
