"""What the toolbox answers, asked as a rule asks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.rule import (
    TRAINERS,
    TRL_FORMATS,
    Location,
    Reading,
    RunContext,
    as_written,
    capability_of,
    card_words,
    decides,
    device_line,
    effect_words,
    first_located,
    is_off,
    is_on,
    keys_under,
    last_key,
    matters,
    may_hide_arguments,
    number_of,
    number_text,
    optimizer_of,
    stated,
    trainer_of,
    written_by,
    written_in,
)

CONFIG = {"train.yaml": "output_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\noptim: adamw_torch\nlearning_rate: 2e-5\n"}
LAUNCHED = {**CONFIG, "run.sh": "trl sft --config train.yaml --learning_rate 3e-5\n"}
FLAGS = {"run.sh": "python run_clm.py --output_dir out --per_device_train_batch_size 4 --learning_rate 3e-5\n"}
SCRIPT = {
    "train.py": "from transformers import Trainer, TrainingArguments\n"
    "args = TrainingArguments(output_dir='out', learning_rate=4e-5, per_device_train_batch_size=4)\n"
    "Trainer(model=model, args=args, train_dataset=data).train()\n"
}
HIDDEN = {"train.py": SCRIPT["train.py"].replace("learning_rate=4e-5", "**more")}
ENGINE = {
    "train.yaml": CONFIG["train.yaml"] + "deepspeed: zero.json\n",
    "zero.json": '{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}\n',
}
BLOCK = {"train.yaml": CONFIG["train.yaml"] + "lr_scheduler_kwargs:\n  min_lr: 1e-6\n  num_cycles: 2\n"}


def run_of(files: Mapping[str, str], budget: str = "") -> RunContext:
    return judge_texts(files, budget=budget or None).runs[0]


def key_of(files: Mapping[str, str], key: str) -> str | None:
    found = written_by(run_of(files), key)
    return found and found.text


@pytest.mark.parametrize(
    ("files", "key", "text"),
    [
        (CONFIG, "learning_rate", "2e-5"),
        (CONFIG, "warmup_ratio", None),
        (FLAGS, "learning_rate", "3e-5"),
        (LAUNCHED, "learning_rate", "3e-5"),  # a flag beats the file
        (LAUNCHED, "optim", "adamw_torch"),
        (SCRIPT, "learning_rate", "4e-5"),
        (ENGINE, "zero_optimization.stage", None),  # the engine's file is no trainer's
        ({"train.yaml": CONFIG["train.yaml"] + "seed: null\n"}, "seed", None),
    ],
)
def test_what_a_run_writes(files: Mapping[str, str], key: str, text: str | None) -> None:
    assert key_of(files, key) == text


def test_the_first_key_that_stands_there_wins_and_gives_its_name() -> None:
    found = written_by(run_of(CONFIG), "lr", "learning_rate", "optim")
    assert found is not None
    assert found.name == "learning_rate"
    assert found.origin.location == Location("train.yaml", 5, 16, 5, 20)


def test_what_one_document_writes() -> None:
    engine = run_of(ENGINE).reading("deepspeed")
    assert engine is not None
    stage, where = written_in(engine, "zero_optimization.stage"), written_in(engine, "zero_optimization.offload_optimizer.device")
    assert stage is not None and where is not None
    assert (stage.value, where.value) == (3, "cpu")
    assert written_in(engine, "learning_rate") is None


def test_the_keys_of_a_block() -> None:
    assert keys_under(run_of(BLOCK), "lr_scheduler_kwargs") == {"min_lr": "1e-6", "num_cycles": "2"}
    assert keys_under(run_of(CONFIG), "lr_scheduler_kwargs") == {}
    assert keys_under(run_of(BLOCK), "optim") is None


@pytest.mark.parametrize(
    ("text", "on", "off", "number"),
    [
        ("true", True, False, None), ("yes", True, False, None), ("'on'", True, False, None), ("false", False, True, None),
        ("off", False, True, None), ("3e-2", False, False, 0.03), ("auto", False, False, None), ("${X}", False, False, None),
        ("[1]", False, False, None), ("100", False, False, 100.0), (".inf", False, False, None),
    ],
)  # fmt: skip
def test_on_off_and_numbers(text: str, on: bool, off: bool, number: float | None) -> None:
    found = written_by(run_of({"train.yaml": CONFIG["train.yaml"] + f"extra: {text}\n"}), "extra")
    assert (is_on(found), is_off(found), number_of(found)) == (on, off, number)


def test_nothing_is_neither_on_nor_off_nor_stated() -> None:
    assert (is_on(None), is_off(None), stated(None), number_of(None)) == (False, False, False, None)


@pytest.mark.parametrize(("value", "text"), [(2e-5, "2e-05"), (100.0, "100"), (0.5, "0.5"), (2e6, "2,000,000"), (-3.0, "-3")])
def test_a_number_in_a_message(value: float, text: str) -> None:
    assert number_text(value) == text


def test_a_setting_in_a_message() -> None:
    run = run_of(CONFIG, "device 24GiB\nprecision bf16-pure\n")
    rate, optimizer, precision = run.setting("learning_rate"), run.setting("optimizer"), run.claim("precision")
    assert rate is not None and optimizer is not None
    assert as_written(rate) == "learning_rate: 2e-5"
    assert (last_key(optimizer), optimizer.name) == ("optim", "optimizer")
    assert precision is None or as_written(precision) == "precision bf16-pure"
    default = run.setting("grad_accum")
    assert default is not None
    assert first_located([default, rate]) is rate
    assert (stated(default), stated(rate)) == (False, True)


@pytest.mark.parametrize(
    ("files", "formats", "found"),
    [(CONFIG, TRAINERS, True), (CONFIG, TRL_FORMATS, False), (SCRIPT, TRAINERS, True)],
)
def test_whose_trainer_it_is(files: Mapping[str, str], formats: tuple[str, ...], found: bool) -> None:
    assert (trainer_of(run_of(files), formats) is not None) is found


@pytest.mark.parametrize(("files", "hides"), [(SCRIPT, False), (HIDDEN, True), (CONFIG, False)])
def test_arguments_that_are_not_seen(files: Mapping[str, str], hides: bool) -> None:
    trainer: Reading | None = run_of(files).run.trainer
    assert trainer is not None
    assert may_hide_arguments(trainer) is hides


def test_the_device_and_the_optimizer() -> None:
    run = run_of(CONFIG, "device a100-80gb\n")
    assert capability_of(run) == (8, 0)
    assert card_words(run).endswith("(compute capability 8.0)")
    assert len(device_line(run)) == 1
    bare = run_of(CONFIG, "device 24GiB\n")
    assert (capability_of(bare), device_line(bare)) == (None, ())
    optimizer = optimizer_of(run.setting("optimizer"))
    assert optimizer is not None
    assert optimizer.adam_like
    assert optimizer_of(None) is None


@pytest.mark.parametrize(
    ("question", "cost", "answer"),
    [
        (decides, 10**9, False), (decides, 10**12, True),  # 7.6 billion parameters in full on 24 GiB: over by far more than 1 GB
        (matters, 10**9, False), (matters, 3 * 2**30, True),  # a tenth of 24 GiB is 2.4 GiB
    ],
)  # fmt: skip
def test_whether_a_cost_matters(question: Callable[..., bool], cost: int, answer: bool) -> None:
    files = {"train.yaml": "model_name_or_path: Qwen/Qwen2.5-7B\nbf16: true\nmax_length: 1024\n" + CONFIG["train.yaml"]}
    estimate = run_of(files, "device 24GiB\n").estimate
    assert estimate is not None
    assert question(estimate, cost) is answer
    assert effect_words(estimate, cost) == ("; without it the run would fit" if decides(estimate, cost) else "")
