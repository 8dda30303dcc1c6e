"""Configs that something fills in before they are read: what is said of them, and where."""

from __future__ import annotations

import pytest

TEMPLATE = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: {{ batch }}
learning_rate: 0.00002
num_train_epochs: 1
"""
BLOCKS = "{% if eval %}\neval_strategy: epoch\n{% endif %}\nper_device_train_batch_size: 1\n"
FILLS = "import jinja2\n\nprint(jinja2.Template(open('t.yaml').read()).render(batch=4))\n"

SAID = [
    ("a lone one is a value that was forgotten", {"t.yaml": TEMPLATE}, (), ["t.yaml:2 error"]),
    ("two of them", {"a.yaml": TEMPLATE, "b.yaml": BLOCKS}, (), ["a.yaml:2 info"]),
    ("a program beside it fills it in", {"c/t.yaml": TEMPLATE, "c/launch.py": FILLS}, (), ["c/t.yaml:2 info"]),
    ("a program above it", {"c/d/t.yaml": TEMPLATE, "c/launch.py": FILLS}, (), ["c/d/t.yaml:2 info"]),
    ("a script fills it in", {"t.yaml": TEMPLATE, "go.sh": "envsubst <t.yaml >train.yaml\n"}, (), ["t.yaml:2 info"]),
    ("any other program says nothing of it", {"t.yaml": TEMPLATE, "launch.py": "print('{{')\n"}, (), ["t.yaml:2 error"]),
    ("one that is named", {"a.yaml": TEMPLATE, "b.yaml": TEMPLATE}, ("b.yaml",), ["b.yaml:2 error"]),
    (
        "one that a launch opens",
        {"a.yaml": TEMPLATE, "b.yaml": TEMPLATE, "c.yaml": TEMPLATE, "go.sh": "llamafactory-cli train b.yaml\n"},
        (),
        ["a.yaml:2 info", "b.yaml:2 error"],
    ),
    (
        "no template",
        {"a.yaml": TEMPLATE.replace("{{ batch }}", "[1"), "b.yaml": TEMPLATE, "c.yaml": TEMPLATE},
        (),
        ["a.yaml:3 error", "b.yaml:2 info"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("files", "paths", "said"), [row[1:] for row in SAID], ids=[row[0] for row in SAID])
def test_what_is_said_of_a_template(shell, files: dict[str, str], paths: tuple[str, ...], said: list[str]) -> None:
    for name, text in files.items():
        shell.write(name, text)
    found = [one for one in shell("check", *paths, "--format", "json").json["findings"] if one["name"] == "unparsable-file"]
    assert sorted(f"{one['file']}:{one['line']} {one['severity']}" for one in found) == said


def test_the_remark_counts_them_and_points_at_others(shell) -> None:
    for number in range(7):
        shell.write(f"{number}.yaml", TEMPLATE)
    (found,) = shell("check", "--format", "json").json["findings"]
    assert found["message"].startswith("7 files are templates: ")
    assert [one["file"] for one in found["related"]] == ["1.yaml", "2.yaml", "3.yaml", "4.yaml"]
