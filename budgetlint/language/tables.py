"""The parser's LALR tables, as JSON that ships beside the grammar: nothing is unpickled, nothing is kept in a cache folder.

Building the tables costs 0.6 s of CPU, reading them 14 ms. Only a lark that is known to read them does; another one builds its own.
``python -m budgetlint.language.tables`` writes them anew after a change of the grammar.
"""

from __future__ import annotations

import json
import pkgutil
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import lark

READ_BY = frozenset({"1.3.0", "1.3.1"})
"""Versions of lark in which ``Lark._load_from_dict`` (lark/lark.py, made for lark's own standalone parsers) was seen to give the parser
that the grammar gives."""

OPTIONS: dict[str, Any] = {"parser": "lalr", "lexer": "contextual", "start": ["start", "statement"]}
NAME = "budget.tables.json"


@cache
def grammar_text() -> str:
    return _data("budget.lark").decode("utf-8")


def parser(transformer: Any) -> lark.Lark:
    """A parser that hands what it reads to ``transformer``."""
    tables = _tables() if lark.__version__ in READ_BY else None
    if tables is None or tables["grammar"] != crc32(grammar_text().encode("utf-8")):
        return lark.Lark(grammar_text(), transformer=transformer, **OPTIONS)
    numbered = dict(enumerate(tables["memo"]))
    load: Any = lark.Lark._load_from_dict
    loaded: lark.Lark = load(_with_numbers(tables["data"]), numbered, transformer=transformer)
    return loaded


def _tables() -> Any:
    return json.loads(_data(NAME))


def _data(name: str) -> bytes:
    """`importlib.resources` would cost 5 ms more, for ``zipfile`` above all."""
    raw = pkgutil.get_data("budgetlint_grammar", name)
    assert raw is not None
    return raw


def _with_numbers(data: Any) -> Any:
    """JSON has only texts for keys; those of the parse table are numbers."""
    table = data["parser"]["parser"]
    table["tokens"] = {int(number): name for number, name in table["tokens"].items()}
    table["states"] = {int(state): {int(token): action for token, action in actions.items()} for state, actions in table["states"].items()}
    return data


def made() -> str:
    """The tables of today's grammar, as text. The options are those given above: lark's own defaults differ between its versions."""
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    data, memo = lark.Lark(grammar_text(), **OPTIONS).memo_serialize([TerminalDef, Rule])
    data["parser"]["parser"] = _in_order(data["parser"]["parser"])
    whole = {
        "grammar": crc32(grammar_text().encode("utf-8")),
        "lark": lark.__version__,
        "data": data | {"options": OPTIONS},
        "memo": [memo[number] for number in range(len(memo))],
    }
    return json.dumps(whole, separators=(",", ":")) + "\n"


def _in_order(table: Any) -> Any:
    """The same table for the same grammar: lark numbers tokens and states by the hashes of texts, which differ from run to run. Tokens
    are numbered by name here, states as they are reached from the start states."""
    names = sorted(table["tokens"].values())
    by_name = {state: sorted((table["tokens"][token], action) for token, action in row.items()) for state, row in table["states"].items()}
    order: dict[int, int] = {}
    queue = list(table["start_states"].values())
    for state in queue:
        if state not in order:
            order[state] = len(order)
            queue.extend(target for _, (reduces, target) in by_name[state] if not reduces)
    rows = {order[state]: {names.index(name): _renumbered(action, order) for name, action in row} for state, row in by_name.items()}
    return table | {
        "tokens": dict(enumerate(names)),
        "states": dict(sorted(rows.items())),
        "start_states": {name: order[state] for name, state in table["start_states"].items()},
        "end_states": {name: order[state] for name, state in table["end_states"].items()},
    }


def _renumbered(action: tuple[int, Any], order: dict[int, int]) -> tuple[int, Any]:
    reduces, target = action
    return (reduces, target if reduces else order[target])


if __name__ == "__main__":
    from importlib import resources

    Path(str(resources.files("budgetlint_grammar").joinpath(NAME))).write_text(made(), encoding="utf-8")
