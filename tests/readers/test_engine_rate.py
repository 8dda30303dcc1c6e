"""DeepSpeed's warm-up writes the learning rate itself: up to its own maximum, not up to the optimizer's rate."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

TRAIN = "output_dir: out\nper_device_train_batch_size: 2\nnum_train_epochs: 1\nlearning_rate: 5.0e-7\ndeepspeed: ds.json\n"
OLD, NEW, ANY = "deepspeed==0.16.9\n", "deepspeed==0.17.2\n", ""


def rate(kind: str, params: str, pin: str, optimizer: str = "5e-7", train: str = TRAIN):
    config = (
        '{"zero_optimization": {"stage": 1}, "train_micro_batch_size_per_gpu": "auto", '
        f'"optimizer": {{"type": "AdamW", "params": {{"lr": {optimizer}}}}}, '
        f'"scheduler": {{"type": "{kind}", "params": {{{params}}}}}}}'
    )
    (context,) = judge_texts({"train.yaml": train, "ds.json": config, "requirements.txt": pin}).runs
    found = context.run.settings["learning_rate"]
    return found.value, found.readings


@pytest.mark.parametrize(
    ("kind", "params", "pin", "expected"),
    [
        ("WarmupLR", '"warmup_num_steps": 10', OLD, (0.001, ())),
        ("WarmupLR", '"warmup_num_steps": 10', NEW, (5e-7, ())),
        ("WarmupLR", '"warmup_num_steps": 10', ANY, (None, (5e-7, 0.001))),
        ("WarmupDecayLR", '"total_num_steps": 100', OLD, (0.001, ())),
        ("WarmupDecayLR", '"total_num_steps": 100', NEW, (0.001, ())),
        ("WarmupDecayLR", '"total_num_steps": 100', ANY, (0.001, ())),
        ("WarmupLR", '"warmup_max_lr": 3e-6', OLD, (3e-6, ())),
        ("WarmupLR", '"warmup_max_lr": 3e-6', NEW, (3e-6, ())),
        ("WarmupLR", '"warmup_max_lr": "auto"', OLD, (5e-7, ())),
        ("WarmupCosineLR", '"total_num_steps": 100', OLD, (5e-7, ())),
    ],
)
def test_the_schedule_writes_the_rate(kind: str, params: str, pin: str, expected: tuple) -> None:
    assert rate(kind, params, pin) == expected


def test_an_automatic_optimizer_is_written_over_too() -> None:
    assert rate("WarmupLR", "", OLD, '"auto"') == (0.001, ())


def test_a_program_of_its_own_that_hands_over_no_schedule() -> None:
    program = (
        "import deepspeed\nfrom transformers import AutoModelForCausalLM\n"
        'model = AutoModelForCausalLM.from_pretrained("gpt2")\n'
        'engine, _, loader, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds.json", training_data=x)\n'
        "for batch in loader:\n    engine.backward(engine(**batch).loss)\n    engine.step()\n"
    )
    config = (
        '{"zero_optimization": {"stage": 1}, "train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW", "params": {"lr": 5e-7}}, '
        '"scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 1}}}'
    )
    (context,) = judge_texts({"train.py": program, "ds.json": config, "requirements.txt": OLD}).runs
    assert context.run.settings.value("learning_rate") == 0.001


@pytest.mark.parametrize(
    ("offload", "forced", "expected"),
    [("cpu", "", None), ("nvme", "", None), ("none", "", "fused"), ("cpu", ', "zero_force_ds_cpu_optimizer": false', "fused")],
)
def test_an_offloaded_optimizer_runs_no_kernel_of_the_card(offload: str, forced: str, expected: str | None) -> None:
    zero = f'"zero_optimization": {{"stage": 2, "offload_optimizer": {{"device": "{offload}"}}}}'
    config = f'{{"train_micro_batch_size_per_gpu": "auto", {zero}{forced}}}'
    (context,) = judge_texts({"train.yaml": f"{TRAIN}optim: adamw_torch_fused\n", "ds.json": config}).runs
    assert context.run.settings.value("optimizer_impl") == expected
