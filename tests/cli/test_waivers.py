"""``budgetlint waivers``, and the waivers that every summary counts."""

from __future__ import annotations

import pytest

CLASH = (
    "model_name_or_path: Qwen/Qwen2.5-1.5B\noutput_dir: x\nlearning_rate: 1.0e-4\nper_device_train_batch_size: 4\nfp16: true\nbf16: true\n"
)
SETTINGS = '[[tool.budgetlint.allow]]\nrule = "fp16-bf16-both"\nreason = "an old card"\nby = "ana"\nuntil = 2099-01-31\nin = "*.yaml"\n'

# files, the fields of its one waiver: rule, form, by, until, held, state
FORMS = {
    "a comment": (
        {"t.yaml": f"# budgetlint: allow-file fp16-bf16-both by=ana until=2099-01-31 an old card\n{CLASH}"},
        ("fp16-bf16-both", "comment", "ana", "2099-01-31", 1, "holds"),
    ),
    "a comment whose owner is two words": (
        {"t.yaml": f'# budgetlint: allow-file fp16-bf16-both by="team nlp" an old card\n{CLASH}'},
        ("fp16-bf16-both", "comment", "team nlp", None, 1, "holds"),
    ),
    "the settings": ({"t.yaml": CLASH, "pyproject.toml": SETTINGS}, ("fp16-bf16-both", "settings", "ana", "2099-01-31", 1, "holds")),
    "a budget": (
        {"t.yaml": CLASH, "t.budget": 'allow fp16-bf16-both reason="an old card" by=ana until=2099-01-31\nconfig t.yaml\n'},
        ("fp16-bf16-both", "budget", "ana", "2099-01-31", 1, "holds"),
    ),
    "one with nothing to hold back": (
        {"t.yaml": f"# budgetlint: allow-file ds-ga-missing an old card\n{CLASH}"},
        ("ds-ga-missing", "comment", None, None, 0, "unused"),
    ),
    "one whose last day is over": (
        {"t.yaml": f"# budgetlint: allow-file fp16-bf16-both until=2026-01-31 an old card\n{CLASH}"},
        ("fp16-bf16-both", "comment", None, "2026-01-31", 0, "expired"),
    ),
    "one that names no rule": (
        {"t.yaml": f"# budgetlint: allow-file fp16-bf16-bth an old card\n{CLASH}"},
        ("fp16-bf16-bth", "comment", None, None, 0, "without effect"),
    ),
}


@pytest.mark.parametrize(("files", "expected"), FORMS.values(), ids=FORMS)
def test_each_form_is_listed(shell, files: dict[str, str], expected: tuple[object, ...]) -> None:
    for name, text in files.items():
        shell.write(name, text)
    (row,) = shell("waivers", "--format", "json").json["waivers"]
    assert tuple(row[name] for name in ("rule", "form", "by", "until", "held", "state")) == expected


def test_what_ends_first_stands_first_and_what_is_missing_is_counted(shell) -> None:
    shell.write("t.yaml", f"# budgetlint: allow-file fp16-bf16-both\n{CLASH}")
    shell.write("u.yaml", f"# budgetlint: allow-file fp16-bf16-both by=ana until=2099-01-31 an old card\n{CLASH}")
    first, second, third, last = shell("waivers").out.splitlines()
    assert first.split() == ["until", "rule", "by", "holds", "back", "where", "reason"]
    assert (second.startswith("2099-01-31"), third.startswith("never ends")) == (True, True)
    assert last == "2 waivers: 1 without an owner, 1 without an end, 1 without a reason."


def test_a_repository_without_waivers_says_so(shell) -> None:
    shell.write("t.yaml", CLASH)
    assert shell("waivers").out == "No waiver is written down here.\n"


SUMMARIES = [
    ("fp16-bf16-both an old card", "1 suppressed by 1 waiver", 1),
    ("fp16-bf16-both until=2026-01-31 an old card", None, 0),
    ("ds-ga-missing an old card", "1 waiver in force", 1),
]


@pytest.mark.parametrize(("waiver", "told", "counted"), SUMMARIES, ids=[row[0] for row in SUMMARIES])
def test_every_summary_counts_waivers(shell, waiver: str, told: str | None, counted: int) -> None:
    shell.write("t.yaml", f"# budgetlint: allow-file {waiver}\n{CLASH}")
    out = shell("check").out
    assert told in out if told else "waiver" not in out.splitlines()[-2]
    assert shell("check", "--format", "json").json["summary"]["waivers"] == counted
