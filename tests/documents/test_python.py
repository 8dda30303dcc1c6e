"""Python scripts as documents: what is literal is read where it stands, the rest is symbolic, and nothing stops the reading."""

from __future__ import annotations

import sys

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Loader, Mapping, load, plain
from budgetlint.documents.python import MAX_CHARACTERS
from budgetlint.documents.python_marks import is_open

HEAD = "import torch\nfrom transformers import TrainingArguments, AutoModelForCausalLM, BitsAndBytesConfig, AutoTokenizer\n"


def document(text: str) -> Document:
    (found,) = load(SourceFile("train.py", text))
    return found


def value(expression: str, before: str = "", after: str = "") -> object:
    """``expression`` as the argument ``x``; ``?`` where it is symbolic."""
    found = document(f"{HEAD}{before}\nTrainingArguments(x={expression})\n{after}\n").get("TrainingArguments.x")
    return "?" if is_open(found) else plain(found, Loader.PYTHON)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("4", 4),
        ("-1", -1),
        ("- 1", -1),
        ("1_000", 1000),
        ("0x10", 16),
        ("2e-5", 2e-5),
        (".5", 0.5),
        ("True", True),
        ("None", None),
        ("'no'", "no"),
        ("'True'", "True"),
        ("'1'", "1"),
        ("'a' 'b'", "ab"),
        ("(3)", 3),
        ("torch.bfloat16", "torch.bfloat16"),
        ("['q', 'v']", ["q", "v"]),
        ("('q',)", ["q"]),
        ("{'a': {'b': 1}}", {"a": {"b": 1}}),
        ("dict(a=1)", {"a": 1}),
        ("{'a': 1, 'a': 2}", {"a": 2}),
        ("BitsAndBytesConfig(load_in_4bit=True)", {"load_in_4bit": True}),
    ],
)
def test_literals(expression: str, expected: object) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize(
    "expression",
    ["args.lr", "f'{a}'", "f'a'", "2 * 4", "a if b else c", "foo()", "['q', x]", "b'x'", "...", "1j", "not True", "-x", "x[0]", "lambda: 1",
     "torch.device('cuda')", "getattr(torch, 'bfloat16')", "os.environ['X']", "other.bfloat16", "-True", "~1",
     "AutoTokenizer.from_pretrained('x')"],
)  # fmt: skip
def test_everything_else_is_symbolic(expression: str) -> None:
    assert value(expression) == "?"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("LR = 1e-4", "", 1e-4),
        ("LR: float = 1e-4", "", 1e-4),
        ("LR = OTHER\nOTHER = 3", "", 3),
        ("LR = 1\nLR = 2", "", "?"),
        ("LR = 1", "LR = 1", "?"),
        ("LR = 1\nLR += 1", "", "?"),
        ("LR = 1\nif x: LR = 2", "", "?"),
        ("for LR in [1]: pass", "", "?"),
        ("LR, x = 1, 2", "", "?"),
        ("LR = 1\ndel LR", "", "?"),
        ("LR = 1\ndef f(LR): pass", "", "?"),
        ("LR = 1\nimport LR", "", "?"),
        ("LR = 1\n[0 for LR in x]", "", "?"),
        ("LR = 1\nprint(LR := 2)", "", "?"),
        ("LR = 1\nwith a as LR: pass", "", "?"),
        ("LR = 1\nmatch a:\n  case {'b': LR}: pass", "", "?"),
        ("LR = LR", "", "?"),
        ("LR = ['a']", "", ["a"]),
        ("LR = ['a']", "LR.append('b')", "?"),
        ("LR = {'a': 1}", "LR['a'] = 2", "?"),
        ("from somewhere import LR", "", "?"),
        ("", "", "?"),
    ],
)
def test_names(before: str, after: str, expected: object) -> None:
    assert value("LR", before, after) == expected


@pytest.mark.parametrize(
    ("arguments", "before", "expected"),
    [
        ("**{'a': 1}, b=2", "", {"a": 1, "b": 2}),
        ("**more, b=2", "more = {'a': 1}", {"a": 1, "b": 2}),
        ("**more, b=2", "more = dict(a=1)", {"a": 1, "b": 2}),
        ("**more", "more = {**less, 'a': 2}\nless = {'a': 1, 'b': 0}", {"a": 2, "b": 0}),
        ("**more, b=2", "more = load()", {"**": "?", "b": 2}),
        ("**one, **two", "", {"**": "?"}),
        ("**{key: 1}", "", {"**": "?"}),
        ("*more, b=2", "", {"**": "?", "b": 2}),
        ("'out', b=2", "", {"0": "out", "b": 2}),
    ],
)
def test_arguments_by_position_and_by_stars(arguments: str, before: str, expected: dict[str, object]) -> None:
    block = document(f"{HEAD}{before}\nTrainingArguments({arguments})").get("TrainingArguments")
    assert isinstance(block, Mapping)
    found = {entry.key.text: "?" if is_open(entry.value) else plain(entry.value, Loader.PYTHON) for entry in block.entries}
    assert found == expected


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("from transformers import TrainingArguments as A\nA(x=1)", ["TrainingArguments"]),
        ("import transformers\ntransformers.TrainingArguments(x=1)", ["TrainingArguments"]),
        ("import transformers as t\nt.TrainingArguments(x=1)", ["TrainingArguments"]),
        ("TrainingArguments(x=1)", []),
        ("from mine import TrainingArguments\nTrainingArguments(x=1)", []),
        ("from transformers import TrainingArguments\nclass TrainingArguments: pass\nTrainingArguments(x=1)", []),
        ("from transformers import AutoModel, AutoTokenizer as T\nAutoModel.from_pretrained('m')\nT.from_pretrained('m')", ["AutoModel"]),
        ("from peft import get_peft_model\nget_peft_model(model, c)", ["get_peft_model"]),
        ("model.config.use_cache = False", ["model_config"]),
        ("def compute_loss(self): ...", ["compute_loss"]),
        ("print('TrainingArguments(x=1)')  # TrainingArguments(x=2)", []),
    ],
)  # fmt: skip
def test_only_what_the_packages_define_is_a_section(text: str, sections: list[str]) -> None:
    mapping = document(text).mapping
    assert (list(mapping.keys()) if mapping else []) == sections


def test_spans_are_exact_beside_wide_characters_and_odd_line_ends() -> None:
    text = (
        "# \U0001f600 ü\r\nfrom transformers import TrainingArguments\rname = 'ä\U0001f600'; RATE = 2e-5\n"
        "TrainingArguments('ü', run_name='\U0001f600x', learning_rate=RATE, bf16=\\\r\n  True)\n"
    )
    found = document(text)
    shown = {}
    for key in ("0", "run_name", "learning_rate", "bf16"):
        entry = found.entry(f"TrainingArguments.{key}")
        assert entry is not None
        shown[text[entry.key.span.start : entry.key.span.end]] = text[entry.value.span.start : entry.value.span.end]
    assert shown == {"'ü'": "'ü'", "run_name": "'\U0001f600x'", "learning_rate": "2e-5", "bf16": "True"}


def test_several_calls_keep_what_they_agree_on() -> None:
    found = document(f"{HEAD}TrainingArguments(a=1, b=[2], c=3)\nTrainingArguments(a=1, b=[2], c=4, d=5)")
    assert {key: is_open(found.get(f"TrainingArguments.{key}")) for key in "abcd"} == {"a": False, "b": False, "c": True, "d": True}


@pytest.mark.parametrize(
    ("text", "skipped"),
    [
        ("get_peft_model(m)", False),
        ("def main():\n  get_peft_model(m)", False),
        ("if __name__ == '__main__':\n  get_peft_model(m)", False),
        ("if args.lora:\n  get_peft_model(m)", True),
        ("if a: pass\nelse: get_peft_model(m)", True),
        ("x = get_peft_model(m) if a else m", True),
        ("a and get_peft_model(m)", True),
        ("try: pass\nexcept E: get_peft_model(m)", True),
        ("for x in get_peft_model(m): pass", False),
    ],
)
def test_a_call_that_a_condition_may_skip_is_marked(text: str, skipped: bool) -> None:
    found = document(f"from peft import get_peft_model\n{text}").get("get_peft_model")
    assert isinstance(found, Mapping)
    assert found.tag == f"peft.get_peft_model{'?' if skipped else ''}"


@pytest.mark.parametrize(
    "after",
    ["a.x = 2", "a.x += 1", "setattr(a, name, 2)", "a.x, b = 1, 2"],
)
def test_arguments_that_are_changed_later_are_not_known(after: str) -> None:
    found = document(f"{HEAD}a = TrainingArguments(x=1)\n{after}").get("TrainingArguments")
    assert isinstance(found, Mapping)
    assert is_open(found.get("x")) or "**" in found


HOSTILE = {
    "broken": "def f(:\n",
    "python 2": "print 'TrainingArguments('\n",
    "a template": "{{ cookiecutter.name }} = 1\n",
    "NUL": "x = 1\0\n",
    "a lone surrogate": "x = '\ud800'\n",
    "a byte order mark": "\ufeff\ufeffx = 1",
    "deep brackets": "x = " + "(" * 5_000 + ")" * 5_000,
    "a deep list": "x = " + "[" * 90 + "]" * 90,
    "a chain of operators": "x = " + "1 + " * 20_000 + "1",
    "a chain of attributes": "x = a" + ".b" * 20_000,
    "a chain of calls": "x = a" + "()" * 20_000,
    "unary operators": "x = " + "-" * 20_000 + "1",
    "nested functions": "".join(" " * level + f"def f{level}():\n" for level in range(99)) + " " * 99 + "pass",
    "a huge integer": "x = " + "9" * 10_000,
    "an endless string": "x = '''" + "a" * 1000,
    "a chain of branches": "if a: pass\n" + "elif a: pass\n" * 3_000,
    "too long": "#" * (MAX_CHARACTERS + 1),
    "an invalid escape": "x = '\\d'\n",
    "nothing": "",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("after", ["", f"\n{HEAD}TrainingArguments(x=x)\n"])
def test_hostile_text_is_survived(calls, name: str, after: str) -> None:
    limit = sys.getrecursionlimit()
    with calls:
        found = document(HOSTILE[name] + after)
    assert not found.problems
    assert sys.getrecursionlimit() == limit
    assert calls.count < 500_000


def test_names_that_stand_for_each_other_do_not_grow_without_bound(calls) -> None:
    lines = ["x0 = ['a', 'b']", *(f"x{n} = [{', '.join([f'x{n - 1}'] * 10)}]" for n in range(1, 11))]
    with calls:
        document(f"{HEAD}{chr(10).join(lines)}\nTrainingArguments(x=x10)")
    assert calls.count < 500_000
