"""Whatever the grammar takes, the JSON export takes: every terminal of `grammar/budget.lark` against every pattern of pydantic's models."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from budgetlint.base.source import SourceFile
from budgetlint.language import parse

GRAMMAR = (Path(__file__).parents[2] / "grammar" / "budget.lark").read_text(encoding="utf-8")
END = r"(?![^\s;,\]}])", r"(?![^\s;,=\]}])", r"(?=[ \t]*=(?!=))"


def pattern_of(terminal: str) -> str:
    """A terminal's pattern without the look-ahead at its end."""
    found = re.search(rf"^{terminal}(?:\.[0-9])?:[ ]+/(.*)/$", GRAMMAR, re.MULTILINE)
    assert found is not None
    pattern = found[1]
    for end in END:
        pattern = pattern.removesuffix(end)
    return pattern.replace(r"\/", "/")


VALUES = ("DATE", "PERCENT", "NUMBER", "QUANTITY", "REF", "STRING", "WORD")
PLACES = {
    "value": "a {VALUE}",
    "option": "a {OPTION}={VALUE}",
    "keyword": "{WORD} {VALUE} {{ {WORD} [{VALUE}, {VALUE}] }}",
    "let": "let {WORD} = {VALUE}",
    "launch": "launch {COMMAND}",
    "assert": "assert {PERCENT} of {VALUE} - {VALUE} <= {VALUE}, {STRING}",
}


def test_every_terminal_with_a_text_of_its_own_is_tried() -> None:
    named = set(re.findall(r"^([A-Z]+)(?:\.[0-9])?:[ ]+/", GRAMMAR, re.MULTILINE))
    assert named - {"CMP", "SIGN", "RSQB", "NEWLINE", "COMMENT"} == {*VALUES, "OPTION", "COMMAND"}


@st.composite
def budgets(draw: st.DrawFn) -> str:
    def one(terminal: str) -> str:
        name = draw(st.sampled_from(VALUES)) if terminal == "VALUE" else terminal
        return draw(st.from_regex(pattern_of(name), fullmatch=True))

    place = draw(st.sampled_from(sorted(PLACES)))
    return re.sub(r"\{([A-Z]+)\}", lambda found: one(found[1]), PLACES[place]).replace("{{", "{").replace("}}", "}")


@pytest.fixture(scope="module")
def validator() -> object:
    jsonschema = pytest.importorskip("jsonschema")
    from budgetlint.language.export import json_schema

    return jsonschema.Draft202012Validator(json_schema())


@settings(max_examples=150, deadline=None)
@given(text=budgets())
@example(text="device 24GiB; model A½-8")
@example(text="device 24GiB; model ²")
@example(text="a x½=٣ b²")
@example(text="let Ⅷ = ３")
@example(text="a 1e99999999 -0.5e400 9" + "9" * 5000)
@example(text="a " + "9" * 5000 + "%")
def test_what_is_parsed_is_exported_and_comes_back(validator: object, text: str) -> None:
    from budgetlint.language.export import export_text, from_json

    tree, problems = parse(SourceFile("x.budget", text))
    if problems:  # two of the texts may make a third thing of each other
        return
    made = export_text(tree)
    loaded = json.loads(made, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert validator.is_valid(loaded)  # type: ignore[attr-defined]
    again, problems = parse(SourceFile("x.budget", from_json(made)))
    assert problems == () and export_text(again).count('"text"') == made.count('"text"')
