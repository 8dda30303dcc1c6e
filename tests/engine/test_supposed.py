"""A model that its name only suggests: judged under the supposition, and the verdict depends on it."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from budgetlint.engine.check import check
from budgetlint.memory.estimate import DEPENDS, INCOMPLETE, Estimate, Verdict
from budgetlint.registry import installed
from budgetlint.report.answer import fork_lines, short
from budgetlint.report.bill import render as bill
from budgetlint.report.estimate_json import document
from budgetlint.report.setting_why import render, render_json
from budgetlint.report.terms import render as terms
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

PATH = "./models/Qwen2.5-1.5B_tuned"
PINS = "trl==1.16\ntransformers==5.24\ntorch==2.13\n"


def files(model: str = PATH, **more: str) -> dict[str, str]:
    keys = {"dataset_name": "a/b", "dtype": "bfloat16", "bf16": "true", "max_length": "1024", "packing": "true", "loss_type": "nll",
            "per_device_train_batch_size": "1", "model_name_or_path": model} | more  # fmt: skip
    config = "".join(f"{key}: {value}\n" for key, value in keys.items() if value)
    return {"train.yaml": config, "train.sh": "trl sft --config train.yaml\n", "requirements.txt": PINS}


def judged(texts: Mapping[str, str], budget: str = "device a100-80gb") -> RunContext:
    (run,) = judge_texts(dict(texts), budget=budget).runs
    return run


def answer(run: RunContext) -> Estimate:
    assert run.answer is not None
    return run.answer


@pytest.mark.parametrize(("device", "verdict"), [("a100-80gb", Verdict.FITS), ("12GiB", Verdict.DOES_NOT_FIT)])
def test_the_verdict_depends_on_what_the_folder_holds(device: str, verdict: Verdict) -> None:
    found = answer(judged(files(), f"device {device}"))
    assert (found.verdict, found.reason, found.missing) == (Verdict.UNKNOWN, DEPENDS, ())
    first, other = found.forks[0].readings
    assert (first.values, first.verdict) == (("qwen2.5-1.5b",), verdict)
    assert (other.values, other.verdict, other.need.high) == (("another model",), Verdict.UNKNOWN, None)
    assert found.leaning is None


def test_it_is_said_with_the_path_and_the_name() -> None:
    found = answer(judged(files()))
    assert short(found) == "depends on model"
    assert fork_lines(found)[0].startswith(f"fits if {PATH} is qwen2.5-1.5b (")
    assert len(fork_lines(found)) == 1


def test_the_need_is_that_of_the_model_itself() -> None:
    known = judged(files("Qwen/Qwen2.5-1.5B"))
    assert known.estimate is not None
    assert answer(judged(files())).need == known.estimate.need


def test_rules_are_given_no_plan_and_no_bill() -> None:
    run = judged(files())
    assert run.plan is None
    assert run.estimate is not None
    assert (run.estimate.missing, run.estimate.bill, run.estimate.reason) == (("model",), (), INCOMPLETE)


def test_two_models_are_two_readings() -> None:
    found = answer(judged(files("outputs/llama-3.1-8b-to-qwen2.5-1.5b"), "device 24GiB"))
    assert [(one.values[0], one.verdict.value) for one in found.forks[0].readings] == [
        ("llama-3.1-8b", "does-not-fit"),
        ("qwen2.5-1.5b", "fits"),
        ("another model", "unknown"),
    ]


def test_what_else_the_verdict_depends_on_is_read_along() -> None:
    """One number that nobody states: how far it fits, if it is that model."""
    found = answer(judged(files(per_device_train_batch_size="${BATCH}")))
    assert found.reason == DEPENDS
    assert [one.name for one in found.forks[0].settings] == ["model", "micro_batch"]
    assert fork_lines(found)[0].startswith(f"if {PATH} is qwen2.5-1.5b: fits with up to ")
    assert found.forks[0].readings[-1].values == ("another model", "any")


def test_what_lacks_beside_it_is_told_with_it() -> None:
    found = answer(judged(files(per_device_train_batch_size="${BATCH}", max_length="${LENGTH}")))
    assert found.reason == INCOMPLETE
    assert found.missing[0] == "model"
    assert {"micro_batch", "seq_len"} <= set(found.missing)


def test_without_a_device_there_is_a_bill_and_no_verdict() -> None:
    found = answer(judged(files(), ""))
    assert found.missing == ("model", "device")
    assert found.bill


CONFIG = json.dumps({
    "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 896, "num_hidden_layers": 24, "num_attention_heads": 14,
    "num_key_value_heads": 2, "intermediate_size": 4864, "vocab_size": 151936, "tie_word_embeddings": True,
    "max_position_embeddings": 32768,
})  # fmt: skip


def test_a_config_beside_the_run_wins_over_the_name() -> None:
    run = judged({**files(), "models/Qwen2.5-1.5B_tuned/config.json": CONFIG})
    assert run.supposed is None
    assert run.plan is not None
    assert run.plan.arch.hidden == 896


def test_what_another_run_writes_wins_over_the_name() -> None:
    first = files("Qwen/Qwen2.5-0.5B", output_dir="models/Qwen2.5-1.5B_tuned")
    texts = {**files(), "first.yaml": first["train.yaml"], "first.sh": "trl sft --config first.yaml\n"}
    run = next(one for one in judge_texts(texts, budget="device a100-80gb").runs if one.run.name == "train.sh")
    assert run.supposed is None
    assert run.plan is not None
    assert run.plan.arch.hidden == 896


@pytest.mark.parametrize("model", ["out/qwen2.5-1.5b-lora", "YOUR_BASE_MODEL", "out/sft-17"])
def test_a_name_that_suggests_nothing_stays_incomplete(model: str) -> None:
    run = judged(files(model))
    assert run.supposed is None
    assert answer(run).missing == ("model",)


# -- what settles it -------------------------------------------------------------------------------------------------------------


def test_the_line_that_is_told_settles_it() -> None:
    run = judged(files())
    assert run.supposed is not None
    assert run.supposed.supposes is not None
    (line,) = run.supposed.supposes.statements
    assert line == "config train.yaml; model qwen2.5-1.5b"
    settled = judged(files(), f"device a100-80gb; {line}")
    assert settled.supposed is None
    assert settled.estimate is not None
    assert settled.estimate.verdict is Verdict.FITS
    assert f"the budget says that {PATH} is qwen2.5-1.5b" in [one.text for one in settled.estimate.assumptions]


def test_in_a_budget_that_names_the_config_it_is_the_model_alone() -> None:
    run = judged({**files(), "run.budget": "device a100-80gb\nconfig train.yaml\n"}, "")
    assert run.supposed is not None
    assert run.supposed.supposes is not None
    assert run.supposed.supposes.statements == ("model qwen2.5-1.5b",)
    settled = judged({**files(), "run.budget": "device a100-80gb\nconfig train.yaml\nmodel qwen2.5-1.5b\n"}, "")
    assert settled.estimate is not None
    assert settled.estimate.verdict is Verdict.FITS


def test_the_line_quotes_a_path_that_needs_it() -> None:
    texts = {
        "my runs/train it.sh": "trl sft --config ../train.yaml\n",
        **{name: text for name, text in files().items() if name != "train.sh"},
    }
    run = judged(texts)
    assert run.supposed is not None
    assert run.supposed.supposes is not None
    (line,) = run.supposed.supposes.statements
    settled = judged(texts, f"device a100-80gb; {line}")
    assert settled.estimate is not None
    assert settled.estimate.verdict is Verdict.FITS


def test_a_script_of_several_models_has_no_line_for_one_of_them() -> None:
    flags = "--dataset_name a/b --dtype bfloat16 --bf16 true --max_length 1024 --packing true --per_device_train_batch_size 1"
    lines = [f"trl sft --model_name_or_path {model} {flags}\n" for model in ("Qwen/Qwen2.5-0.5B", PATH)]
    runs = judge_texts({"all.sh": "".join(lines), "requirements.txt": PINS}, budget="device a100-80gb").runs
    (found,) = [one.supposed.supposes for one in runs if one.supposed is not None and one.supposed.supposes is not None]
    assert (found.statements, found.cure) == ((), "put its config.json at that path")


def test_a_budget_may_name_a_config_for_the_path() -> None:
    texts = {**files("./ckpt/sft-17"), "shapes/config.json": CONFIG}
    report = judge_texts(texts, budget="device a100-80gb; config train.yaml; model shapes/config.json")
    assert report.runs[0].architecture is not None
    assert report.runs[0].architecture.hidden == 896
    assert [one for one in check(report, installed()).findings if one.code == "BL104"] == []


def test_a_budget_that_says_what_the_name_does_not_settles_nothing() -> None:
    run = judged(files(), "device a100-80gb; config train.yaml; model llama-3.2-1b")
    assert answer(run).reason == DEPENDS


# -- what people see -------------------------------------------------------------------------------------------------------------


def test_the_bill_says_first_what_it_supposes() -> None:
    lines = bill(judged(files())).splitlines()
    assert lines[0].startswith("train.sh: DEPENDS ON model: fits if ")
    assert lines[1] == f"  supposes {PATH} is qwen2.5-1.5b, by its name"
    assert any("config train.yaml; model qwen2.5-1.5b" in line for line in lines)


def test_the_bill_by_tensors_says_it_too() -> None:
    assert terms(judged(files())).splitlines()[1] == f"  supposes {PATH} is qwen2.5-1.5b, by its name"


def test_json_has_what_is_supposed_and_all_that_it_had() -> None:
    (run,) = document([judged(files())])["runs"]
    assert run["supposes"] == {"text": PATH, "models": ["qwen2.5-1.5b"], "statements": ["config train.yaml; model qwen2.5-1.5b"]}
    assert (run["verdict"], run["reason"], run["leaning"], run["missing"]) == ("unknown", "depends", None, [])
    (known,) = document([judged(files("Qwen/Qwen2.5-1.5B"))])["runs"]
    assert known["supposes"] is None
    assert run.keys() == known.keys()


def test_why_tells_the_name_and_the_line() -> None:
    told = render(judged(files()), "model")
    assert "suggests" in told
    assert "qwen2.5-1.5b" in told
    assert "would settle it: config train.yaml; model qwen2.5-1.5b" in told
    (run,) = json.loads(render_json([judged(files())], "model"))["runs"]
    assert run["unsettled"]["statement"] == "config train.yaml; model qwen2.5-1.5b"


def test_a_folder_with_a_models_name_is_that_model_and_the_bill_says_how() -> None:
    run = judged(files("/data/hub/Qwen2.5-1.5B"))
    assert run.estimate is not None
    assert run.estimate.verdict is Verdict.FITS
    assert "/data/hub/Qwen2.5-1.5B is qwen2.5-1.5b, by the name of its folder" in [one.text for one in run.estimate.assumptions]
