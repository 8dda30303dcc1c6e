"""What is wrong with a budget is told where it stands, with a cure, and the rest is still checked."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from budgetlint.base.finding import Confidence, Severity
from budgetlint.base.source import SourceFile, UnreadableFile
from budgetlint.language import parse, read_budget
from budgetlint.language.budget import Budget
from budgetlint.language.problems import MAX_PROBLEMS, PROBLEMS
from budgetlint.rules_api.manual import REQUIRED, read_manual

HERE = Path(__file__).parent
RULES = HERE.parent / "rules"


def missing(path: str) -> UnreadableFile:
    return UnreadableFile(path, "cannot be read: No such file or directory", "check the path")


def budget(text: str) -> Budget:
    return read_budget(SourceFile("demo.budget", text), missing)


def said(text: str) -> list[str]:
    return [f"{problem.location.line}:{problem.location.column} {problem.code}" for problem in budget(text).problems]


@pytest.mark.parametrize("path", sorted((HERE / "budgets").glob("*.budget")), ids=lambda path: path.stem)
def test_every_example_is_free_of_problems(path: Path) -> None:
    def load(name: str) -> SourceFile:
        return SourceFile(name, (HERE / "budgets" / name).read_text(encoding="utf-8"))

    assert read_budget(SourceFile(path.name, path.read_text(encoding="utf-8")), load).problems == ()


BROKEN = [
    ("01_typo_keyword", "1:1 BL002", "did you mean 'device'?"),
    ("02_bad_unit_case", "1:8 BL005", "32GiB (34,359,738,368 bytes) or 32GB (32,000,000,000 bytes)"),
    ("03_bare_suffix", "1:8 BL005, 1:21 BL005", "3GiB (3,221,225,472 bytes) or 3GB (3,000,000,000 bytes)"),
    ("04_unknown_model", "2:7 BL010", "did you mean qwen2.5-1.5b"),
    ("05_unknown_device", "1:8 BL010", "did you mean a100-80gb"),
    ("06_brace_on_new_line", "2:1 BL001", "a '{' belongs at the end of the line that opens the block"),
    ("07_missing_brace", "1:9 BL001", "write '}'"),
    ("08_missing_value", "2:7 BL001", "lora r=16"),
    ("09_assert_missing_of", "1:19 BL001", "a percentage in assert needs 'of': 90% of device"),
    ("10_undefined_ref", "1:9 BL008", "let headroom ="),
    ("11_unknown_option", "1:6 BL004", "did you mean 'r='?"),
    ("12_space_in_quantity", "1:8 BL005", "write 32GiB"),
    ("13_open_string", "1:11 BL001", 'write the closing "'),
    ("14_duplicate", "2:1 BL007", "keep one of them"),
    ("15_millibytes", "1:8 BL005", "400MiB (419,430,400 bytes) or 400MB (400,000,000 bytes)"),
    ("17_and", "1:30 BL001", "write two asserts"),
    ("18_allow_without_reason", "1:1 BL013", 'reason="'),
    ("19_no_unit", "1:8 BL005, 1:20 BL005", "3GiB (3,221,225,472 bytes) or 3GB (3,000,000,000 bytes)"),
    ("20_count_after", "1:8 BL003", "write 8x h100-80gb"),
    ("21_ambiguous_device", "1:8 BL010", "write a100-40gb or a100-80gb"),
    ("22_bare_number_device", "1:8 BL010", "rtx-4090"),
    ("23_minus_without_space", "1:23 BL001", "usable - 2GiB"),
]


@pytest.mark.parametrize(("name", "places", "cure"), BROKEN, ids=[row[0] for row in BROKEN])
def test_a_broken_budget_gets_a_place_and_a_cure(name: str, places: str, cure: str) -> None:
    text = (HERE / "broken" / f"{name}.budget").read_text(encoding="utf-8")
    assert ", ".join(said(text)) == places
    assert cure in budget(text).problems[-1].help


def test_every_broken_budget_is_in_the_table() -> None:
    assert sorted(path.stem for path in (HERE / "broken").glob("*.budget")) == [row[0] for row in BROKEN]


LIKELY = [
    ("batch 2x8", "1:7 BL003", "batch 2 accum=8"),
    ("seq 4k", "1:5 BL003", "4096 or 4000"),
    ("tolerance 0.08", "1:11 BL003", "8%"),
    ("tolerance 8", "1:11 BL003", "8%"),
    ("tolerance 120%", "1:11 BL003", "0% to 100%"),
    ("shard zero 3", "1:7 BL003", "zero3"),
    ("shard zero-3", "1:7 BL003", "zero3"),
    ("shard zero3 full", "1:13 BL003", "shard fsdp full"),
    ("lora r=16 r=32", "1:11 BL007", "matrix lora.r="),
    ("lora r=8; adapter ia3", "1:11 BL007", "keep one"),
    ("adapter lora r=8", "1:9 BL003", "lora r=16"),
    ("lora 16", "1:6 BL006", "r=16"),
    ("lora seq=3", "1:6 BL004", "seq 4096"),
    ("lora targets=[[a]]", "1:15 BL003", "not a list"),
    ("lora targets=[]", "1:14 BL006", "write"),
    ('allow x reason="a" until=2027-13-45', "1:26 BL003", "2027-01-31"),
    ("device 8xH100", "1:8 BL003", "8x h100-80gb"),
    ("device H100 x8", "1:8 BL003", "8x h100-80gb"),
    ("device H100:8", "1:8 BL003", "8x h100-80gb"),
    ("device 8 h100", "1:8 BL003", "8x h100-80gb"),
    ("device 4xa100", "1:8 BL010", "4x a100-40gb or 4x a100-80gb"),
    ("device 8x", "1:8 BL006", "8x h100-80gb"),
    ("device 0x t4", "1:8 BL003", "8x"),
    ("device NVIDIA L4", "1:8 BL006", '"NVIDIA L4" or l4'),
    ("device [t4, l4]", "1:8 BL003", "a target for each"),
    ("device t4 { nodes 2 }", "1:1 BL011", "device 8x"),
    ("device: t4", "1:1 BL002", "no ':'"),
    ("vram 32GiB", "1:1 BL002", "'device'"),
    ("gradient_checkpointing on", "1:1 BL002", "'recompute'"),
    ("recompute true", "1:11 BL003", "'full'"),
    ("attention flash_attention_2", "1:11 BL003", "'flash'"),
    ("precision bfloat16", "1:11 BL003", "'bf16'"),
    ("quant 4bit", "1:7 BL003", "'nf4'"),
    ("compile true", "1:9 BL003", "did you mean 'on'"),
    ("compile [layers, model]", "1:9 BL003", "any of layers or model"),
    ("compile [on, loss]", "1:9 BL003", "write compile on"),
    ("batch 0", "1:7 BL003", "1 or more"),
    ("batch 1e3", "1:7 BL003", "1000"),
    ("batch 1 audio=30", "1:15 BL003", "30s"),
    ("batch 99999999999999999999999999999999", "1:7 BL003", "a size"),
    ("reserve 3000000GiB", "1:9 BL005", "a machine can have"),
    ("host 64", "1:6 BL005", "64GiB"),
    ("optimizer adamww", "1:11 BL010", "adamw"),
    ("optimizer adam w", "1:16 BL006", "quote"),
    ("model foo/bar", "1:7 BL010", "config.json"),
    ("model qwen2.5-7b hidden=3", "1:18 BL004", "model custom"),
    ("model custom hidden=3", "1:7 BL006", "layers="),
    ("model custom hidden=96 layers=1 heads=16 kv_heads=5 vocab=9 intermediate=9", "1:51 BL003", "whole number"),
    ("model custom hidden=96 layers=1 heads=16 vocab=9 intermediate=9 family=siglip", "1:72 BL003", "qwen2"),
    ("model custom hidden=96 layers=1 heads=16 vocab=9 intermediate=9 family=albert", "1:72 BL003", "cannot be estimated"),
    ("model custom hidden=97 layers=1 heads=16 vocab=9 intermediate=9", "1:7 BL003", "head_dim"),
    ("also qwen2.5-7b", "1:1 BL006", "role="),
    ("rollout vllm share=0.3", "1:20 BL003", "30%"),
    ("stack transformers 5.24", "1:7 BL006", "transformers@5.24"),
    ("stack transformers==5.24", "1:19 BL001", "transformers@5.24"),
    ("stack peft", "1:7 BL003", "peft@"),
    ("stack torch@2.13 torch@2.12", "1:18 BL007", "one version"),
    ("measured peak=1GiB torch=2.10", "1:26 BL003", 'torch="2.10"'),
    ("measured peek=1GiB", "1:10 BL004", "'peak='"),
    ("matrix foo=[1, 2]", "1:8 BL004", "lora.r"),
    (f"matrix seq=[{', '.join('1' * 40)}] batch=[{', '.join('1' * 40)}]", "1:1 BL015", "ends"),
    ("parallel", "1:1 BL006", "tp=8"),
    ("run a", "1:1 BL006", "run a { … }"),
    ("run a { let x = 3 }", "1:9 BL011", "top level"),
    ("run a { seq 1 }; run a { seq 2 }", "1:22 BL007", "own name"),
    ("target a { config x.yaml }", "1:12 BL011", "a run"),
    ("target a { assert peak <= 3GiB }", "1:12 BL011", "a run"),
    ("run a { on cloud }", "1:12 BL008", "target cloud"),
    ("target cloud { device t4 }; run a { on clowd }", "1:40 BL008", "'cloud'"),
    ("let a = 1; let a = 2", "1:16 BL007", "another name"),
    ("let a = $b; let b = $a; seq $a", "1:29 BL008", "value of its own"),
    ("let a = [$b]; let b = [1]; matrix seq=$a", "1:39 BL008", "flat"),
    ("assert peek <= 3GiB", "1:8 BL014", "'peak'"),
    ("assert peak == 3GiB", "1:1 BL014", "<="),
    ("assert peak <= 3", "1:16 BL005", "3GiB"),
    ("assert peak <= 90%", "1:16 BL014", "90% of usable"),
    ("assert peak + seq <= 3GiB", "1:15 BL014", "alone on the left"),
    ("assert params <= 8B", "1:18 BL014", "8_000_000_000"),
    ("assert precision < bf16", "1:8 BL014", "=="),
    ("assert optimizer == adamww", "1:21 BL010", "adamw"),
    ("assert shard == hsdp", "1:17 BL014", "shard == fsdp"),
    ("assert kernels == liger", "1:8 BL014", "one value"),
    ("assert seq <= 4k", "1:15 BL003", "4096"),
    ("assert peak<=3GiB", "1:8 BL001", "peak <= 3GiB"),
    ("assert peak <= usable * 2", "1:23 BL001", "90% of usable"),
    ("assert peak = 3GiB", "1:13 BL001", "'=='"),
    ("assert peak", "1:11 BL001", "assert peak <= 90% of usable"),
    ("budget 2; foo", "1:8 BL012", "newer"),
    ('include "https://x.org/a.budget"', "1:9 BL009", "relative path"),
    ('include "/etc/passwd"', "1:9 BL009", "relative path"),
    ("config configs/[ab]*.yaml", "1:8 BL001", '"configs/[ab]*.yaml"'),
    ("config [ab]*.yaml", "1:11 BL001", "quoted"),
    ("config configs/{a,b}.yaml", "1:8 BL001", '"configs/{a,b}.yaml"'),
    ("config a,b", "1:9 BL001", "[a, b]"),
    ("seq ${CTX}", "1:5 BL001", "let name = value"),
    ('model "C:\\qwen"', "1:7 BL001", "single quotes"),
    ("device = t4", "1:8 BL001", "no '='"),
    ("lora targets=[a, b\nseq 1", "1:18 BL001", "']'"),
    ("device t4 }", "1:11 BL001", "'{'"),
    ("run a{ seq 1 }", "1:6 BL001", "a blank before '{'"),
    ("run a { seq 1 } run b { seq 2 }", "1:17 BL001", "new line"),
    ("device\u00a0t4", "1:7 BL001", "a space or a tab"),
    ("run a { run b { x { y { z { seq 1 } } } } }", "1:27 BL015", "one level"),
    ("device rtx-4090\ndevice rtx-3060", "2:1 BL007", "the smallest decides"),
]


@pytest.mark.parametrize(("text", "place", "cure"), LIKELY, ids=[row[0][:40] for row in LIKELY])
def test_a_mistake_is_answered_with_what_was_meant(text: str, place: str, cure: str) -> None:
    problems = budget(text).problems
    assert place in said(text)
    assert any(cure in problem.help for problem in problems if problem.code == place[-5:]), problems


def test_a_word_that_starts_with_digits_stays_one_value() -> None:
    run = budget("config 01_sft.yaml; model 01-ai/Yi-34B").runs[0]
    assert [ref.path for ref in run.configs] == ["01_sft.yaml"]
    assert run.settings.value("model") == "01-ai/Yi-34B"


def test_each_broken_statement_is_told_and_the_rest_holds() -> None:
    text = "device t4\nlora r=\noptimzer adamw\nbatch 2\nassert peak < 5% usable\nrun_x\nseq 512"
    found = budget(text)
    assert said(text) == ["2:7 BL001", "3:1 BL002", "5:18 BL001", "6:1 BL002"]
    assert found.default_target.device is not None
    assert (found.runs[0].settings.value("micro_batch"), found.runs[0].settings.value("seq_len")) == (2, 512)


def test_a_block_with_a_mistake_keeps_its_other_statements() -> None:
    found = budget("run a {\n  seq 1k\n  batch 4\n  lora r=\n}\nrun b { batch 8 }")
    assert [(run.name, run.settings.value("micro_batch")) for run in found.runs] == [("a", 4), ("b", 8)]


def test_a_brace_on_its_own_line_still_belongs_to_its_run() -> None:
    found = budget("run a\n{\n  batch 4\n}")
    assert [(run.name, run.settings.value("micro_batch")) for run in found.runs] == [("a", 4)]


def test_only_a_hub_id_and_a_missing_reason_are_warnings() -> None:
    levels = {problem.code: problem.severity for problem in budget("model foo/bar; allow x; lora rank=3").problems}
    assert levels == {"BL010": Severity.WARNING, "BL013": Severity.WARNING, "BL004": Severity.ERROR}


def test_a_finding_names_its_rule_and_is_sure() -> None:
    problem = budget("devise 32GiB").problems[0]
    assert (problem.name, problem.confidence, problem.value) == ("unknown-statement", Confidence.HIGH, "devise")
    assert [(fix.safety.value, fix.edits[0].text) for fix in problem.fixes] == [("unsafe", "device")]


def test_a_second_statement_points_at_the_first() -> None:
    assert [str(related.location) for related in budget("device t4\ndevice l4").problems[0].related] == ["demo.budget:1:1"]


def test_a_file_that_is_no_budget_is_not_reported_for_ever() -> None:
    problems = budget("x\n" * 5000).problems
    assert len(problems) == MAX_PROBLEMS
    assert {problem.code for problem in problems} == {"BL002", "BL015"}


def test_a_huge_file_is_refused_at_once() -> None:
    tree, problems = parse(SourceFile("x.budget", "device t4\n" * 30_000))
    assert [problem.code for problem in problems] == ["BL015"]
    assert tree.items == ()


def test_a_later_version_is_the_only_problem() -> None:
    found = budget("budget 3\nfoo bar\ndevice 32gb")
    assert [problem.code for problem in found.problems] == ["BL012"]
    assert found.runs == ()


@pytest.mark.parametrize("row", PROBLEMS.values(), ids=lambda row: row.name)
def test_the_manual_of_a_problem_shows_it(row: object) -> None:
    spec = PROBLEMS[row.code]  # type: ignore[attr-defined]
    page = read_manual(spec.manual)
    assert page.missing() == ()
    assert set(REQUIRED) <= set(page.sections)
    failing, passing = page.example("Failing"), page.example("Passing")
    assert failing is not None and failing.budget is not None
    assert passing is not None and passing.budget is not None
    assert spec.code in {problem.code for problem in budget(failing.budget).problems}
    assert budget(passing.budget).problems == ()


@pytest.mark.parametrize("name", [row.name for row in PROBLEMS.values()])
def test_the_case_file_of_a_problem_holds(name: str) -> None:
    cases = yaml.safe_load((RULES / f"{name}.yaml").read_text(encoding="utf-8"))
    code = next(row.code for row in PROBLEMS.values() if row.name == name)
    assert any(case["expect"] for case in cases)
    assert any(not case["expect"] for case in cases)
    for case in cases:
        problems = read_budget(SourceFile("test.budget", case["budget"]), missing).problems
        assert [f"{problem.location} {problem.code}" for problem in problems if problem.code == code] == case["expect"], case["name"]
