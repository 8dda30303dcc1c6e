"""Commands that a Markdown text shows: in fences, those of list items too, and in blocks that four blanks make."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.launch.fenced import shown_calls, shown_launches

FENCED = "Train it:\n\n```bash\npython train.py --lr 1\n```\n"
IN_A_LIST = "1. First:\n    ```bash\n    cd sft/ && deepspeed train.py --lr 1\n    ```\n2. Then rest.\n"
INDENTED = "Run it:\n\n    python -u train.py --lr 1\n\nand wait.\n"
AT_THE_END = "Run it:\n\n    python train.py --lr 1"
TEXT_OF_AN_ITEM = "* one\n\n    python train.py is what you start\n"
NO_BLOCK = "Run it:\n    python train.py --lr 1\n"
IN_A_FENCE = "```python\n\n    python train.py --lr 1\n```\n"


@pytest.mark.parametrize(
    ("text", "programs", "folder"),
    [
        (FENCED, ["train.py"], ""),
        (IN_A_LIST, ["train.py"], "sft"),
        (INDENTED, ["train.py"], ""),
        (AT_THE_END, ["train.py"], ""),
        (TEXT_OF_AN_ITEM, [], ""),
        (NO_BLOCK, [], ""),
        (IN_A_FENCE, [], ""),
    ],
)
def test_commands_of_a_text(text: str, programs: list[str], folder: str) -> None:
    found = shown_launches(SourceFile("README.md", text))
    assert [one.program.program for one in found] == programs
    assert [one.folder for one in found] == [folder] * len(programs)


SYNTAX = "python train.py --model <model_path> --lr 1"
SHOWN = {
    "syntax alone": ([SYNTAX], [SYNTAX]),
    "syntax and an example": ([SYNTAX, "python train.py --model gpt2"], ["python train.py --model gpt2"]),
    "an example of another program": ([SYNTAX, "python eval.py --model gpt2"], [SYNTAX, "python eval.py --model gpt2"]),
    "a redirection": (["python train.py --model gpt2 < rows.txt > out.txt"], ["python train.py --model gpt2"]),
}


@pytest.mark.parametrize(("lines", "kept"), SHOWN.values(), ids=SHOWN)
def test_words_in_angle_brackets_are_syntax(lines: list[str], kept: list[str]) -> None:
    found = shown_launches(SourceFile("README.md", "\n".join(("```bash", *lines, "```\n"))))
    assert [" ".join(("python", one.program.program, *(word.text for word in one.words))) for one in found] == kept


def test_a_script_is_not_called_with_them() -> None:
    text = "```bash\nsbatch run.sh <model> <output_dir>\nsbatch run.sh gpt2 out\nbash run.sh x\n```\n"
    assert [one.arguments for one in shown_calls(SourceFile("README.md", text))] == [("gpt2", "out"), ("x",)]
