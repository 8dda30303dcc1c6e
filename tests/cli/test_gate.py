"""A change is judged by the gate that it did not write: what ``check --compare-with`` says of pull requests of every kind."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.cli.test_compare_with import Repo, empty  # noqa: F401 the fixture

TRAIN = """\
model_name_or_path: Qwen/Qwen2.5-1.5B
dataset_name: a/b
per_device_train_batch_size: 1
gradient_accumulation_steps: 1
learning_rate: 1.0e-5
num_train_epochs: 1
max_length: 512
gradient_checkpointing: true
bf16: true
"""
"""Needs some 25 GiB on one card (states alone), and fits on 32."""

CARD = "device 32GiB; reserve 1GiB\nstack transformers@5.24 trl@1.16 torch@2.13\n"
SMALL = "device 16GiB; reserve 1GiB\nstack transformers@5.24 trl@1.16 torch@2.13\n"
"""Too small for the run."""
BAD = ("1.5B", "7B")
"""A change of the config that fits no longer."""
CLASH = TRAIN + "fp16: true\n"
"""An error of its own: fp16 and bf16."""
SETTINGS = '[tool.budgetlint]\nlevels = {"does-not-fit" = "error"}\nrequire-verdict = true\n'
WAIVER = 'allow does-not-fit reason="known" by=ana until=2099-01-31\n'
OWN = (
    "device 32GiB; reserve 4GiB; model qwen2.5-1.5b; optimizer adamw; batch 1; seq 512\n"
    "recompute full; attention sdpa; stack transformers@5.24 torch@2.13\n"
)
DECLARED = (
    CARD + "declared; watches conf.gin; model qwen2.5-1.5b; precision bf16; optimizer adamw; batch 1; seq 65536; recompute full\n"
    "lora r=8; attention sdpa; loss full\n"
)
FILES = {"t.yaml": TRAIN, "run.sh": "trl sft --config t.yaml\n", "card.budget": CARD}

Change = str | None | tuple[str, str]
"""A new text, none at all, or what replaces what."""

# what the pull request is: files at the revision, what it changes, exit code, how many gate-loosened are errors, how many only listed
PULLS: dict[str, tuple[dict[str, str], dict[str, Change], int, int, int]] = {
    # -- nothing about the gate
    "nothing": (FILES, {}, 0, 0, 0),
    "a config that still fits": (FILES, {"t.yaml": ("1.0e-5", "2.0e-5")}, 0, 0, 0),
    "a config that fits no longer": (FILES, {"t.yaml": BAD}, 1, 0, 0),
    "a readme": (FILES, {"README.md": "# hello\n"}, 0, 0, 0),
    "a budget written in another way": (
        FILES,
        {"card.budget": ("32GiB; reserve", "32GiB\nreserve"), "t.yaml": ("1.0e-5", "2.0e-5")},
        0,
        0,
        0,
    ),
    "a comment in a budget": (FILES, {"card.budget": CARD + "# ours\n", "t.yaml": ("1.0e-5", "2.0e-5")}, 0, 0, 0),
    # -- loosenings beside a change that they would let through
    "a larger card": (FILES, {"t.yaml": BAD, "card.budget": ("32GiB", "180GiB")}, 1, 1, 0),
    "a smaller reserve": (FILES, {"t.yaml": ("1.0e-5", "2.0e-5"), "card.budget": ("reserve 1GiB", "reserve 0GiB")}, 1, 1, 0),
    "no reserve": (FILES, {"t.yaml": ("1.0e-5", "2.0e-5"), "card.budget": ("; reserve 1GiB", "")}, 1, 1, 0),
    "no budget": (FILES, {"t.yaml": BAD, "card.budget": None}, 1, 1, 0),
    "a budget with errors": (FILES, {"t.yaml": BAD, "card.budget": "devcie 32GiB {\n"}, 1, 1, 0),
    "a nearer budget": (
        {"d/t.yaml": TRAIN, "d/run.sh": "trl sft --config t.yaml\n", "card.budget": CARD},
        {"d/t.yaml": BAD, "d/mine.budget": "device 180GiB\n"},
        1,
        1,
        0,
    ),
    "a waiver in the budget": (FILES, {"t.yaml": BAD, "card.budget": CARD + WAIVER}, 1, 1, 0),
    "a waiver in a comment": (FILES, {"t.yaml": "# budgetlint: allow-file fp16-bf16-both we know\n" + CLASH}, 1, 1, 0),
    "a waiver that ends later": (
        {**FILES, "card.budget": SMALL + WAIVER.replace("2099", "2098")},
        {"t.yaml": ("1.0e-5", "2.0e-5"), "card.budget": ("2098", "2099")},
        1,
        1,
        0,
    ),
    "a waiver for more files": (
        {**FILES, "card.budget": SMALL + WAIVER.replace("by=", 'in="t.yaml" by=')},
        {"t.yaml": ("1.0e-5", "2e-5"), "card.budget": (' in="t.yaml"', "")},
        1,
        1,
        0,
    ),
    "a waiver on another line": (
        {**FILES, "t.yaml": "a: 1  # budgetlint: allow fp16-bf16-both we know\n" + CLASH},
        {"u.yaml": TRAIN, "t.yaml": "a: 1\n" + CLASH.replace("fp16: true", "fp16: true  # budgetlint: allow fp16-bf16-both we know")},
        1,
        1,
        0,
    ),
    "an assert that is gone": (
        {**FILES, "card.budget": CARD + "assert global_batch <= 4\n"},
        {"t.yaml": ("batch_size: 1", "batch_size: 1\n# x"), "card.budget": ("assert global_batch <= 4\n", ""), "u.yaml": TRAIN},
        1,
        1,
        0,
    ),
    "an assert with a wider bound": (
        {**FILES, "card.budget": CARD + "assert learning_rate <= 0.0002\n"},
        {"t.yaml": ("1.0e-5", "3.0e-4"), "card.budget": ("0.0002", "0.0004")},
        1,
        1,
        0,
    ),
    "a rule that is no error any more": (FILES, {"t.yaml": BAD, "card.budget": CARD + "warn does-not-fit\n"}, 1, 1, 0),
    "a rule that was made an error": (
        {**FILES, "card.budget": CARD + "deny pure-bf16-adamw\n"},
        {"t.yaml": ("1.0e-5", "2e-5"), "card.budget": ("deny pure-bf16-adamw\n", "")},
        1,
        1,
        0,
    ),
    "a measurement": (FILES, {"t.yaml": BAD, "card.budget": CARD + 'measured peak=4GiB device="x"\n'}, 1, 1, 0),
    "a wider tolerance": (
        {**FILES, "card.budget": CARD + "tolerance 5%\n"},
        {"t.yaml": ("1.0e-5", "2.0e-5"), "card.budget": ("5%", "50%")},
        1,
        1,
        0,
    ),
    "shorter rows by word": (
        {"conf.gin": "steps = 10\n", "d.budget": DECLARED},
        {"u.yaml": TRAIN, "d.budget": ("seq 65536", "seq 512")},
        1,
        1,
        0,
    ),
    "fewer targets": (
        {
            "t.yaml": TRAIN,
            "n.budget": "target a { device 32GiB }\ntarget b { device 16GiB }\nrun x { config t.yaml kind=trl; on a b }\n"
            + CARD.split("\n")[1],
        },
        {"t.yaml": ("1.0e-5", "2.0e-5"), "n.budget": ("on a b", "on a")},
        1,
        1,
        0,
    ),
    "a rule ignored in the settings": (FILES, {"t.yaml": BAD, "pyproject.toml": '[tool.budgetlint]\nignore = ["does-not-fit"]\n'}, 1, 1, 0),
    "a selection in the settings": (FILES, {"t.yaml": BAD, "pyproject.toml": '[tool.budgetlint]\nselect = ["BL2"]\n'}, 1, 1, 0),
    "a level in the settings": ({**FILES, "pyproject.toml": SETTINGS}, {"t.yaml": BAD, "pyproject.toml": ('"error"', '"info"')}, 1, 1, 0),
    "no verdict required any more": (
        {**FILES, "pyproject.toml": SETTINGS},
        {"t.yaml": ("Qwen/Qwen2.5-1.5B", "acme/own"), "pyproject.toml": ("true", "false")},
        1,
        1,
        0,
    ),
    "files excluded": (FILES, {"t.yaml": BAD, "pyproject.toml": '[tool.budgetlint]\nexclude = ["t.yaml", "run.sh"]\n'}, 1, 1, 0),
    "files ignored": (
        FILES,
        {"t.yaml": CLASH, "pyproject.toml": '[tool.budgetlint]\nper-file-ignores = {"*.yaml" = ["fp16-bf16-both"]}\n'},
        1,
        1,
        0,
    ),
    "a launch that is removed": (FILES, {"run.sh": "echo nothing\n", "u.yaml": "a: 1\n"}, 1, 1, 0),
    # -- legitimate: the gate alone
    "a smaller reserve alone": (FILES, {"card.budget": ("reserve 1GiB", "reserve 0GiB")}, 0, 0, 1),
    "a larger card alone": (FILES, {"card.budget": ("32GiB", "180GiB")}, 0, 0, 1),
    "a waiver alone": (FILES, {"card.budget": CARD + WAIVER.replace("does-not-fit", "pure-bf16-adamw")}, 0, 0, 1),
    "a waiver in a comment alone": (
        {**FILES, "t.yaml": CLASH},
        {"t.yaml": "# budgetlint: allow-file fp16-bf16-both we know\n" + CLASH},
        0,
        0,
        1,
    ),
    "settings alone": ({**FILES, "pyproject.toml": SETTINGS}, {"pyproject.toml": ("require-verdict = true\n", "")}, 0, 0, 1),
    # -- tightenings
    "a larger reserve": (FILES, {"t.yaml": ("1.0e-5", "2.0e-5"), "card.budget": ("reserve 1GiB", "reserve 2GiB")}, 0, 0, 0),
    "a smaller card": (FILES, {"t.yaml": ("1.0e-5", "2.0e-5"), "card.budget": ("32GiB", "31GiB")}, 0, 0, 0),
    "a waiver that is gone": (
        {**FILES, "card.budget": CARD + WAIVER},
        {"t.yaml": ("1.0e-5", "2.0e-5"), "card.budget": (WAIVER, "")},
        0,
        0,
        0,
    ),
    "a waiver that ends sooner": (
        {**FILES, "card.budget": SMALL + WAIVER},
        {"t.yaml": ("1.0e-5", "2.0e-5"), "card.budget": ("2099", "2098")},
        0,
        0,
        0,
    ),
    "a narrower assert": (
        {**FILES, "card.budget": CARD + "assert learning_rate <= 0.0004\n"},
        {"t.yaml": ("1.0e-5", "2e-5"), "card.budget": ("0.0004", "0.0002")},
        0,
        0,
        0,
    ),
    "a verdict required": (
        FILES,
        {"t.yaml": ("1.0e-5", "2.0e-5"), "pyproject.toml": "[tool.budgetlint]\nrequire-verdict = true\n"},
        0,
        0,
        0,
    ),
    # -- new runs, and budgets that are runs
    "a new run under the old budget": (FILES, {"u.yaml": TRAIN.replace(*BAD), "run2.sh": "trl sft --config u.yaml\n"}, 1, 0, 0),
    "a new run with its own budget": (
        {"d/t.yaml": TRAIN, "d/run.sh": "trl sft --config t.yaml\n", "d/card.budget": CARD},
        {"e/u.yaml": TRAIN, "e/run.sh": "trl sft --config u.yaml\n", "e/card.budget": CARD},
        0,
        0,
        1,
    ),
    "a budget that is a run, and fits no longer": (
        {"own.budget": OWN},
        {"own.budget": ("qwen2.5-1.5b", "qwen2.5-7b"), "x.sh": "echo\n"},
        1,
        0,
        0,
    ),
    "a budget that is a run, on a larger card": (
        {"own.budget": OWN},
        {"own.budget": OWN.replace("qwen2.5-1.5b", "qwen2.5-7b").replace("32GiB", "180GiB"), "x.sh": "echo\n"},
        1,
        1,
        0,
    ),
    "the first budget of all": ({k: v for k, v in FILES.items() if k != "card.budget"}, {"card.budget": CARD}, 0, 0, 0),
}


def applied(repo: Repo, changes: Mapping[str, Change]) -> None:
    for path, change in changes.items():
        if change is None:
            (repo.root / path).unlink()
        elif isinstance(change, str):
            repo.write(path, change)
        else:
            repo.change(path, *change)


def gate(report) -> tuple[int, int]:
    severities = [one["severity"] for one in report["findings"] if one["code"] == "BL930"]
    return severities.count("error"), severities.count("info")


@pytest.mark.slow
@pytest.mark.parametrize(("files", "changes", "code", "errors", "listed"), PULLS.values(), ids=PULLS)
def test_pull_requests(empty: Repo, files, changes, code: int, errors: int, listed: int) -> None:  # noqa: F811
    for path, text in files.items():
        empty.write(path, text)
    empty.commit()
    applied(empty, changes)
    ran = empty("check", "--compare-with", "HEAD", "--format", "json")
    assert (ran.code, *gate(ran.json)) == (code, errors, listed), [(one["severity"], one["message"]) for one in ran.json["findings"]]


@pytest.mark.slow
def test_the_excerpt_is_what_the_change_wrote(empty: Repo) -> None:  # noqa: F811
    for path, text in FILES.items():
        empty.write(path, text)
    empty.commit()
    applied(empty, {"t.yaml": ("1.0e-5", "2.0e-5"), "card.budget": ("reserve 1GiB", "reserve 0GiB")})
    assert "1 | device 32GiB; reserve 0GiB" in empty("check", "--compare-with", "HEAD").out


LOOSENINGS = {name: row for name, row in PULLS.items() if row[3]}


@pytest.mark.slow
@pytest.mark.parametrize(("files", "changes"), [row[:2] for row in LOOSENINGS.values()], ids=LOOSENINGS)
def test_what_is_accepted_is_only_listed(empty: Repo, files, changes) -> None:  # noqa: F811
    for path, text in files.items():
        empty.write(path, text)
    empty.commit()
    applied(empty, changes)
    errors, listed = gate(empty("check", "--compare-with", "HEAD", "--accept-loosening", "--format", "json").json)
    assert errors == 0
    assert listed >= 1
