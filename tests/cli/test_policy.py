"""``check --policy``: what of a repository counts is said by whoever owns the gate."""

from __future__ import annotations

from pathlib import Path

import pytest

CLASH = (
    "model_name_or_path: Qwen/Qwen2.5-1.5B\noutput_dir: x\nlearning_rate: 1.0e-4\nper_device_train_batch_size: 4\nfp16: true\nbf16: true\n"
)
"""One error that no memory decides about: fp16-bf16-both."""
BIG = "device 8GiB; model qwen2.5-1.5b; optimizer adamw; batch 4; seq 1024\n"
"""One run that does not fit."""
WE_KNOW = f"# budgetlint: allow-file fp16-bf16-both we know\n{CLASH}"
V = "version = 1\n"
TABLE = "[tool.budgetlint]\n"

# policy, files, is the error told?, is the waiver refused?
COUNTS = {
    "no policy, a waiver": (None, {"t.yaml": WE_KNOW}, False, False),
    "strict, a waiver in a comment": ("strict", {"t.yaml": WE_KNOW}, True, True),
    "strict, a waiver in a budget": ("strict", {"t.budget": BIG + 'allow does-not-fit reason="x"\n'}, True, True),
    "strict, a level in a budget": ("strict", {"t.budget": BIG + "warn does-not-fit\n"}, True, False),
    "strict, a stricter level": ("strict", {"t.budget": BIG + "deny does-not-fit\n"}, True, False),
    "strict, a rule ignored": ("strict", {"t.yaml": CLASH, "pyproject.toml": TABLE + 'ignore = ["BL2"]\n'}, True, False),
    "strict, other rules selected": ("strict", {"t.yaml": CLASH, "pyproject.toml": '[tool.budgetlint]\nselect = ["BL4"]\n'}, True, False),
    "strict, files ignored": (
        "strict",
        {"t.yaml": CLASH, "pyproject.toml": '[tool.budgetlint]\nper-file-ignores = {"*.yaml" = ["BL2"]}\n'},
        True,
        False,
    ),
    "strict, files excluded": ("strict", {"t.yaml": CLASH, "pyproject.toml": '[tool.budgetlint]\nexclude = ["t.yaml"]\n'}, True, False),
    "strict, a level of the settings": (
        "strict",
        {"t.yaml": CLASH, "pyproject.toml": '[tool.budgetlint]\nlevels = {"fp16-bf16-both" = "off"}\n'},
        True,
        False,
    ),
    "strict, a waiver of the settings": (
        "strict",
        {"t.yaml": CLASH, "pyproject.toml": '[[tool.budgetlint.allow]]\nrule = "fp16-bf16-both"\nreason = "x"\n'},
        True,
        True,
    ),
    "who may waive, does": (
        V + '[waivers]\nby = ["ana"]\n', {"t.yaml": f"# budgetlint: allow-file fp16-bf16-both by=ana we know\n{CLASH}"}, False, False,
    ),
    "who may not waive, does": (
        V + '[waivers]\nby = ["ana"]\n', {"t.yaml": f"# budgetlint: allow-file fp16-bf16-both by=bo we know\n{CLASH}"}, True, True,
    ),
    "nobody says who": (V + '[waivers]\nby = ["ana"]\n', {"t.yaml": WE_KNOW}, True, True),
    "too long": (V + "[waivers]\ndays = 30\n", {"t.yaml": WE_KNOW.replace("we know", "until=2099-01-01 x")}, True, True),
    "without an end": (V + "[waivers]\ndays = 30\n", {"t.yaml": WE_KNOW}, True, True),
    "without a reason": (V, {"t.yaml": f"# budgetlint: allow-file fp16-bf16-both\n{CLASH}"}, True, True),
    "a rule that may be waived": (
        V + '[waivers]\nrules = ["BL2"]\n', {"t.yaml": WE_KNOW}, False, False,
    ),
    "a rule that may not": (
        V + '[waivers]\nrules = ["BL4"]\n', {"t.yaml": WE_KNOW}, True, True,
    ),
    "a family of which some may not": (
        V + '[waivers]\nrules = ["fp16-bf16-both"]\n', {"t.yaml": f"# budgetlint: allow-file BL2 we know\n{CLASH}"}, True, True,
    ),
    "a rule that is required": (
        V + 'require = ["fp16-bf16-both"]\n', {"t.yaml": CLASH, "pyproject.toml": TABLE + 'ignore = ["BL2"]\n'}, True, False,
    ),
    "a required rule that is waived": (
        V + 'require = ["fp16-bf16-both"]\n', {"t.yaml": WE_KNOW}, True, True,
    ),
    "one key of the settings counts": (
        V + 'settings = ["ignore"]\n', {"t.yaml": CLASH, "pyproject.toml": TABLE + 'ignore = ["BL2"]\n'}, False, False,
    ),
    "another key does not": (
        V + 'settings = ["select"]\n', {"t.yaml": CLASH, "pyproject.toml": TABLE + 'ignore = ["BL2"]\n'}, True, False,
    ),
    "a machine that binds": (V + 'budget = "device 8GiB"\n', {"t.budget": BIG.replace("8GiB", "180GiB")}, True, False),
    "a machine for whoever has none": (V + 'budget = "device 8GiB"\n', {"t.budget": BIG.replace("device 8GiB; ", "")}, True, False),
    "a machine in a target": (
        V + 'budget = "device 8GiB"\n', {"t.budget": "target a { device 180GiB }\n" + BIG.replace("device 8GiB; ", "")}, True, False,
    ),
    "a machine in a run": (
        V + 'budget = "device 8GiB"\n', {"t.budget": "run a { " + BIG.strip().replace("8GiB", "180GiB") + " }\n"}, True, False,
    ),
    "an assert that binds": (V + 'budget = "assert micro_batch <= 2"\n', {"t.budget": BIG.replace("8GiB", "180GiB")}, True, False),
}  # fmt: skip


@pytest.mark.parametrize(("policy", "files", "told", "refused"), COUNTS.values(), ids=COUNTS)
def test_what_counts(shell, tmp_path_factory, policy: str | None, files: dict[str, str], told: bool, refused: bool) -> None:
    for name, text in files.items():
        shell.write(name, text)
    asked = [] if policy is None else ["--policy", policy if policy == "strict" else str(written(tmp_path_factory, policy))]
    report = shell("check", *asked, "--format", "json").json
    names = {one["name"] for one in report["findings"] if one["severity"] == "error"}
    assert bool(names & {"fp16-bf16-both", "does-not-fit", "assert-broken"}) is told, names
    assert any(one["code"] == "BL931" for one in report["findings"]) is refused


def written(tmp_path_factory, text: str) -> Path:
    path = tmp_path_factory.mktemp("owners") / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


WRONG = {
    "no such file": (None, "no such file, and no policy of an installed package; did you mean 'strict'?"),
    "no TOML": ("version = \n", "is not valid TOML"),
    "no version": ("require = []\n", "version"),
    "an unknown key": (V + "requires = []\n", "line 2: no key 'requires'; did you mean 'require'?"),
    "an unknown key of waivers": (V + "[waivers]\nowner = 1\n", "no key 'owner'"),
    "a budget with errors": (V + 'budget = "devcie t4"\n', "budget: "),
}


@pytest.mark.parametrize(("text", "told"), WRONG.values(), ids=WRONG)
def test_half_a_policy_is_none(shell, tmp_path_factory, text: str | None, told: str) -> None:
    shell.write("t.yaml", CLASH)
    name = "stritc" if text is None else str(written(tmp_path_factory, text))
    ran = shell("check", "--policy", name)
    assert (ran.code, told in ran.err) == (2, True), ran.err


def test_waivers_are_listed_as_the_policy_sees_them(shell) -> None:
    shell.write("t.yaml", f"# budgetlint: allow-file fp16-bf16-both we know\n{CLASH}")
    states = [shell("waivers", *asked, "--format", "json").json["waivers"][0]["state"] for asked in ([], ["--policy", "strict"])]
    assert states == ["holds", "without effect"]


def test_a_verdict_may_be_required(shell, tmp_path_factory) -> None:
    shell.write("t.budget", "model qwen2.5-1.5b; lora r=8\n")
    assert shell("check", "--policy", str(written(tmp_path_factory, V + "require-verdict = true\n"))).code == 1
