"""``fmt`` changes blanks and line ends, and nothing that means anything; JSON goes there and back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetlint.base.source import SourceFile
from budgetlint.language import format_text, parse
from budgetlint.language.tree import SyntaxTree

BUDGETS = sorted((Path(__file__).parent / "budgets").glob("*.budget"))


def formatted(text: str) -> str:
    return format_text(text)


def shape(node: Any) -> Any:
    """A tree without places."""
    if isinstance(node, tuple):
        return tuple(shape(item) for item in node)
    if hasattr(node, "__dataclass_fields__"):
        fields = [name for name in node.__dataclass_fields__ if not name.endswith("span") and name not in ("source", "comments")]
        return type(node).__name__, tuple((name, shape(getattr(node, name))) for name in fields)
    return node


def comments(tree: SyntaxTree) -> list[str]:
    return [tree.source.text[span.start : span.end].rstrip() for span in tree.comments]


PAIRS = [
    ("launch   torchrun  --x 1   # a\n", "launch torchrun  --x 1  # a\n"),
    ("run a {\nlaunch torchrun \\\n      --x 1 \\\n\tt.py; seq 1}\n", "run a {\n  launch torchrun \\\n    --x 1 \\\n    t.py; seq 1\n}\n"),
    ("launch a \\\r\n b\r\n", "launch a \\\r\n  b\r\n"),
    ("run a { launch python t.py --c {config} ; config a.yaml }\n", "run a { launch python t.py --c {config}; config a.yaml }\n"),
    ("device   32GiB ;reserve 3GB;\n", "device 32GiB; reserve 3GB\n"),
    ("a\n\n\n\nb", "a\n\nb\n"),
    ("\n\n# one\n\n\n# two\na # three   \n", "# one\n\n# two\na  # three\n"),
    ("run x {device t4;seq 1}", "run x { device t4; seq 1 }\n"),
    ("run x { # why\n\n\n    device t4\n\nseq 1; batch 2\n\n }", "run x {  # why\n  device t4\n\n  seq 1; batch 2\n}\n"),
    ("run x {\n}", "run x { }\n"),
    ("run x {\n# nothing yet\n}", "run x {\n  # nothing yet\n}\n"),
    ("lora r = 16 targets=[ a,b , c,]", "lora r=16 targets=[a, b, c]\n"),
    ("lora targets=[a, b,\n c # last\n] r=3", "lora targets=[\n  a, b,\n  c,  # last\n] r=3\n"),
    ("assert peak  +  1GiB  <=9GiB", "assert peak + 1GiB <= 9GiB\n"),
    ("assert 5% of usable - 1GiB > peak , 'x  y'", "assert 5% of usable - 1GiB > peak, 'x  y'\n"),
    ("let   a=1", "let a = 1\n"),
    ("seq 04_096; batch 1.50", "seq 04_096; batch 1.50\n"),
    ("a\r\nb  c\r\n", "a\r\nb c\r\n"),
    ("run x { device t4 }  ;  seq 3", "run x { device t4 }; seq 3\n"),
    (f"run x {{ model {'a' * 60}; optimizer {'b' * 40} }}", f"run x {{\n  model {'a' * 60}\n  optimizer {'b' * 40}\n}}\n"),
    ("", ""),
    ("  ;; \n", ""),
]


@pytest.mark.parametrize(("text", "canonical"), PAIRS)
def test_one_canonical_text(text: str, canonical: str) -> None:
    assert formatted(text) == canonical
    assert formatted(canonical) == canonical


def test_a_budget_with_syntax_errors_is_left_alone() -> None:
    assert format_text("seq  1\nlora r=") == "seq  1\nlora r="


@pytest.mark.parametrize("path", BUDGETS, ids=lambda path: path.stem)
def test_the_examples_keep_their_meaning_and_comments(path: Path) -> None:
    assert not faults(path.read_text(encoding="utf-8"))


def faults(text: str) -> list[str]:
    """What formatting would spoil; nothing where the text keeps its meaning and its comments."""
    before, problems = parse(SourceFile("x.budget", text))
    once = formatted(text)
    after, more = parse(SourceFile("x.budget", once))
    kept = {
        "it parses": problems == () == more,
        "its statements are the same": shape(after.items) == shape(before.items),
        "its comments are the same": comments(after) == comments(before),
        "formatting it again changes nothing": formatted(once) == once,
        "no line ends in spaces": not re.search(r"[ \t]+$", once, re.MULTILINE),
    }
    return [name for name, holds in kept.items() if not holds]


# -- random budgets ------------------------------------------------------------------------------------------------------

blank = st.sampled_from(["", " ", "   ", "\t"])
gap = st.sampled_from([" ", "  ", "\t "])
word = st.sampled_from(
    ["t4", "qwen2.5-1.5b", "01-ai/Yi-34B", "configs/*.yaml", "2.13.0", "a@b", "let", "of", "assert", "transformers@5.24"]
)
scalar = st.one_of(word, st.sampled_from(["32GiB", "8x", "5%", "16", "-1", "1e-5", "2027-01-31", '"a # b"', "'c; {'", "$x"]))
comment = st.sampled_from(["# why", "#", "#a ; { [", "# ünï   "])
separator = st.one_of(
    st.sampled_from([";", "; ", " ;;  ", "\n", "\n\n", "\n \n\n\n", ";\n"]),
    st.builds(lambda a, c, n: f"{a}{c}\n{n}", gap, comment, st.sampled_from(["", "\n", "  # two\n", "\n\n"])),
)


@st.composite
def lists(draw: st.DrawFn) -> str:
    items = draw(st.lists(scalar, max_size=4))
    between = draw(st.lists(st.sampled_from(["", " ", "\n ", " # c\n", "\n\n# d\n "]), min_size=len(items) + 1, max_size=len(items) + 1))
    return (
        "["
        + between[0]
        + "".join(f"{item}{', ' if draw(st.booleans()) else ','}{gap}" for item, gap in zip(items, between[1:], strict=True))
        + "]"
    )


value = st.one_of(scalar, scalar, lists())
option = st.builds(lambda key, a, b, value: f"{key}{a}={b}{value}", st.sampled_from(["r", "alpha", "in", "lora.r"]), blank, blank, value)


@st.composite
def sums(draw: st.DrawFn) -> str:
    term = st.sampled_from(["peak", "4GiB", "90% of usable", "$x"])
    return "  + ".join(draw(st.lists(term, min_size=1, max_size=3)))


@st.composite
def statements(draw: st.DrawFn, depth: int = 0) -> str:
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return f"let{draw(gap)}name{draw(blank)}={draw(blank)}{draw(value)}"
    if kind == 1:
        why = draw(st.sampled_from(["", ', "why"', " ,'x'"]))
        return f"assert {draw(sums())} <= {draw(sums())}{why}"
    parts = draw(st.lists(st.one_of(value, value, option), max_size=4))
    head = draw(st.sampled_from(["device", "run", "target", "x", "let.it"])) + "".join(f"{draw(gap)}{part}" for part in parts)
    if kind < 5 and depth < 3:
        return f"{head} {{{draw(bodies(depth + 1))}}}"
    return head


@st.composite
def bodies(draw: st.DrawFn, depth: int = 0) -> str:
    found = draw(st.lists(statements(depth), max_size=4))
    text = draw(st.one_of(st.just(""), st.just(" "), separator)) + "".join(f"{item}{draw(separator)}" for item in found)
    return text if depth == 0 or not found or draw(st.booleans()) else text.rstrip("\n; \t") + ("\n" if "#" in text else " ")


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(bodies())
def test_formatting_changes_nothing_that_means_anything(text: str) -> None:
    _, problems = parse(SourceFile("x.budget", text))
    if not problems:
        assert not faults(text)


@settings(max_examples=60, deadline=None)
@given(bodies())
def test_json_goes_there_and_back(text: str) -> None:
    from budgetlint.language.export import export_text, from_json

    tree, problems = parse(SourceFile("x.budget", text))
    if problems:
        return
    again, problems = parse(SourceFile("x.budget", from_json(export_text(tree))))
    assert problems == ()
    assert shape(again.items) == shape(tree.items)


def test_the_export_types_every_value() -> None:
    from budgetlint.language.export import export_text

    tree, _ = parse(
        SourceFile("x.budget", 'device 32GiB\nrun a { reserve 5% for="x"; on [b, c]; seq 4_096 }\nassert peak <= 90% of $y, "z"')
    )
    first, second, third = json.loads(export_text(tree))["statements"]
    assert first == {
        "type": "statement",
        "keyword": "device",
        "values": [{"type": "amount", "text": "32GiB", "bytes": 34359738368}],
        "options": [],
        "block": None,
        "line": 1,
    }
    reserve, on, seq = second["block"]
    assert reserve["values"] == [{"type": "percent", "text": "5%", "ppm": 50000}]
    assert reserve["options"] == [{"key": "for", "value": {"type": "string", "text": '"x"', "value": "x"}}]
    assert on["values"][0]["items"][1] == {"type": "word", "text": "c"}
    assert (seq["values"][0], seq["line"]) == ({"type": "number", "text": "4_096", "value": 4096}, 2)
    assert third["right"][0]["share"] == {"type": "percent", "text": "90%", "ppm": 900000}
    assert third["message"]["value"] == "z"


@pytest.mark.parametrize("path", BUDGETS, ids=lambda path: path.stem)
def test_the_schema_accepts_every_export(path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")

    from budgetlint.language.export import export_text, json_schema

    tree, _ = parse(SourceFile(path.name, path.read_text(encoding="utf-8")))
    assert jsonschema.Draft202012Validator(json_schema()).is_valid(json.loads(export_text(tree)))


ODD_WORDS = "device 24GiB\nmodel A½-8²\nseq 4é\nrun ١x { lora r=1 ªb=2 a½=3 }\nlet x² = 1\nhost 5GiBé\nbatch $aé\nnotes 日本-語/é*.yaml\n"


def test_what_the_grammar_takes_for_a_word_is_exported() -> None:
    """Python's ``\\w`` has numbers (½, ²) that Rust's has not, and Rust's has marks that Python's has not."""
    from budgetlint.language.export import export_text, from_json, json_schema

    tree, problems = parse(SourceFile("x.budget", ODD_WORDS))
    assert not [problem for problem in problems if problem.name == "syntax"]
    made = export_text(tree)
    assert made.isascii()
    assert shape(parse(SourceFile("x.budget", from_json(made)))[0].items) == shape(tree.items)
    jsonschema = pytest.importorskip("jsonschema")
    assert jsonschema.Draft202012Validator(json_schema()).is_valid(json.loads(made))
    assert "\\w" not in json.dumps(json_schema())  # ECMA-262, by which a schema is read, has ASCII there


@pytest.mark.parametrize("word", ["a\u0301b", "a\u200db", "a b", "€", "a\n", "x\x85y"])
def test_what_the_grammar_takes_for_none_is_refused(word: str) -> None:
    from pydantic import ValidationError

    from budgetlint.language.export import from_json

    broken = {"version": 1, "statements": [{"type": "statement", "keyword": "a", "values": [{"type": "word", "text": word}]}]}
    with pytest.raises(ValidationError):
        from_json(json.dumps(broken))


def test_an_export_with_a_word_that_is_none_is_refused() -> None:
    from pydantic import ValidationError

    from budgetlint.language.export import from_json

    broken = {"version": 1, "statements": [{"type": "statement", "keyword": "a", "values": [{"type": "word", "text": "b; deny *"}]}]}
    with pytest.raises(ValidationError):
        from_json(json.dumps(broken))
