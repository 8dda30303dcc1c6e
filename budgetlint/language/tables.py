"""The parser's LALR tables, as JSON that ships beside the grammar: nothing is unpickled, nothing is kept in a cache folder.

Building the tables costs 0.6 s of CPU, reading them 14 ms. Only a lark that is known to read them does; another one builds its own.
The same tables, `folded`, are read by `budgetlint.language.lalr` without lark. ``python -m budgetlint.language.tables`` writes both anew
after a change of the grammar.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zlib import crc32

import lark

from budgetlint.language import lalr
from budgetlint.language.lalr import data, grammar_text

READ_BY = frozenset({"1.3.0", "1.3.1"})
"""Versions of lark in which ``Lark._load_from_dict`` (lark/lark.py, made for lark's own standalone parsers) was seen to give the parser
that the grammar gives."""

OPTIONS: dict[str, Any] = {"parser": "lalr", "lexer": "contextual", "start": ["start", "statement"]}
NAME = "budget.tables.json"


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
    return json.loads(data(NAME))


def _with_numbers(whole: Any) -> Any:
    """JSON has only texts for keys; those of the parse table are numbers."""
    table = whole["parser"]["parser"]
    table["tokens"] = {int(number): name for number, name in table["tokens"].items()}
    table["states"] = {int(state): {int(token): action for token, action in actions.items()} for state, actions in table["states"].items()}
    return whole


def made() -> str:
    """The tables of today's grammar, as text. The options are those given above: lark's own defaults differ between its versions."""
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    made, memo = lark.Lark(grammar_text(), **OPTIONS).memo_serialize([TerminalDef, Rule])
    made["parser"]["parser"] = _in_order(made["parser"]["parser"])
    whole = {
        "grammar": crc32(grammar_text().encode("utf-8")),
        "lark": lark.__version__,
        "data": made | {"options": OPTIONS},
        "memo": [memo[number] for number in range(len(memo))],
    }
    return json.dumps(whole, separators=(",", ":")) + "\n"


def folded() -> str:
    """The tables for `budgetlint.language.lalr`, as text, from the parser that lark makes of `made`'s."""
    front: Any = parser(None).parser
    table, rules = front.parser._parse_table, front.parser_conf.rules
    lexers = [_lexer(lexer) for _, lexer in sorted(front.lexer.lexers.items())]
    distinct = [lexer for at, lexer in enumerate(lexers) if lexer not in lexers[:at]]
    whole = {
        "grammar": crc32(grammar_text().encode("utf-8")),
        "ignored": front.lexer_conf.ignore,
        "terminals": {one.name: one.pattern.to_regexp() for one in sorted(front.lexer_conf.terminals, key=lambda one: one.name)},
        "lexers": distinct,
        "states": [(distinct.index(lexers[at]), _actions(row, rules)) for at, row in sorted(table.states.items())],
        "rules": [_rule(rule) for rule in rules],
        "starts": table.start_states,
        "ends": table.end_states,
    }
    return json.dumps(whole, separators=(",", ":"), sort_keys=True) + "\n"


def _lexer(lexer: Any) -> tuple[list[str], dict[str, str]]:
    """The terminals that lark's scanner tries, in its order, and the words among them that are keywords."""
    order = [one.name for one in lexer.scanner.terminals]
    keywords = {one.pattern.value: one.name for callback in lexer.callback.values() for one in callback.scanner.terminals}
    assert set(lexer.callback) <= {"WORD"}, "only words are looked up"
    return order, keywords


def _actions(row: Any, rules: list[Any]) -> dict[str, int]:
    return {name: target if isinstance(target, int) else -1 - rules.index(target) for name, (_, target) in sorted(row.items())}


def _rule(rule: Any) -> tuple[str, str | None, int]:
    assert not any(getattr(part, "filter_out", False) for part in rule.expansion), "every terminal has a name of its own"
    method = None if rule.origin.name.startswith("_") else rule.alias or rule.origin.name
    return rule.origin.name, method, len(rule.expansion)


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

    for name, text in ((NAME, made), (lalr.NAME, folded)):
        Path(str(resources.files("budgetlint_grammar").joinpath(name))).write_text(text(), encoding="utf-8")
