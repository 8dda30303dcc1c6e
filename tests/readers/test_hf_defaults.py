"""What transformers and TRL fill in, and how that hangs on the versions."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.settings.run import Origin, OriginKind, Stack, release

PLAIN = "output_dir: out\nnum_train_epochs: 3\nlogging_steps: 5\nbf16: true\nreport_to: none\n"
TRL = "output_dir: out\ndataset_name: d\nnum_train_epochs: 3\nlogging_steps: 5\nreport_to: none\n"


def stack(**versions: str) -> Stack:
    pin = Origin(OriginKind.BUDGET)
    return Stack({name: release(name, version, pin) for name, version in versions.items()})


def completed(text: str, **versions: str):
    (document,) = load(SourceFile("a.yaml", text))
    reader = identify(document)
    return complete(reader, reader.read(document).settings, stack(**versions))


def test_the_plain_trainers_constants():
    settings = completed(PLAIN)
    expected = {"micro_batch": 8, "grad_accum": 1, "eval_batch": 8, "weight_decay": 0.0, "max_grad_norm": 1.0, "learning_rate": 5e-5}
    assert {name: settings.value(name) for name in expected} == expected
    assert settings["micro_batch"].is_default
    assert "per_device_train_batch_size" in settings["micro_batch"].origin.note


VERSIONED = [
    # text on top, versions, setting, value (None: both readings)
    (PLAIN, {"transformers": "4.57"}, "weights_dtype", "fp32"),
    (PLAIN, {"transformers": "5.0"}, "weights_dtype", "auto"),
    (PLAIN, {}, "weights_dtype", None),
    (PLAIN, {"transformers": "4.57.6"}, "recompute_reentrant", True),
    (PLAIN, {"transformers": "5.24"}, "recompute_reentrant", False),
    (PLAIN, {"torch": "2.13", "transformers": "5.24"}, "optimizer", "adamw_torch_fused"),
    (PLAIN, {"torch": "2.7"}, "optimizer", "adamw"),
    (PLAIN, {"torch": "2.13", "transformers": "4.53.3"}, "optimizer", "adamw"),
    (PLAIN, {"torch": "2.13"}, "optimizer", None),
    (PLAIN + "fsdp: full_shard\n", {"transformers": "5.9.0"}, "shard", "fsdp"),
    (PLAIN + "fsdp: full_shard\n", {"transformers": "5.10.0"}, "shard", "fsdp2"),
    (PLAIN + "fsdp: full_shard\n", {}, "shard", None),
    (PLAIN + "fsdp: full_shard\n", {"transformers": "5.9.0"}, "wrap", "none"),
    (PLAIN + "fsdp: full_shard\n", {"transformers": "5.10.0"}, "wrap", "layer"),
    (TRL, {"trl": "0.18.2"}, "autocast", "none"),
    (TRL, {"trl": "0.19.0"}, "autocast", "bf16"),
    (TRL, {"trl": "0.21.0"}, "recompute", "none"),
    (TRL, {"trl": "0.22.0"}, "recompute", "full"),
    (TRL, {"trl": "0.26.2", "transformers": "5.0.0"}, "weights_dtype", "auto"),
    (TRL, {"trl": "0.27.0", "transformers": "5.0.0"}, "weights_dtype", "fp32"),
    (TRL, {"trl": "0.28.0", "transformers": "4.57.6"}, "recompute_reentrant", False),
    (TRL, {"trl": "0.27.2", "transformers": "4.57.6"}, "recompute_reentrant", True),
    (TRL, {"trl": "1.6.0"}, "loss", "full"),
    (TRL, {"trl": "1.7.0"}, "loss", "chunked"),
    (TRL, {}, "loss", None),
    (TRL + "loss_type: nll\n", {"trl": "1.14.2"}, "loss", "full"),
    (TRL + "loss_type: nll\n", {"trl": "1.15.0"}, "loss", "chunked"),
    (TRL + "loss_type: nll\n", {}, "loss", None),
    (TRL + "use_liger_kernel: true\n", {"trl": "1.14.2"}, "loss", "fused"),
    (TRL + "use_liger_kernel: true\n", {"trl": "1.15.0"}, "loss", "chunked"),
    (TRL + "num_generations: 8\n", {"trl": "1.14.2"}, "loss", "full"),
    (TRL + "num_generations: 8\n", {"trl": "1.15.0"}, "loss", "chunked"),
    (TRL + "load_in_4bit: true\nuse_peft: true\n", {"trl": "0.26.0"}, "adapter_dtype", "bf16"),
    (TRL + "load_in_4bit: true\nuse_peft: true\n", {"trl": "0.25.1"}, "adapter_dtype", "fp32"),
]


@pytest.mark.parametrize(("text", "versions", "name", "value"), VERSIONED)
def test_a_default_follows_the_version(text, versions, name, value):
    setting = completed(text, **versions)[name]
    assert setting.value == value
    assert bool(setting.readings) == (value is None)
    assert setting.state == ("auto" if value is None else "known")


def test_readings_name_the_newest_first():
    assert completed(PLAIN)["weights_dtype"].readings == ("auto", "fp32")
    assert completed(TRL)["autocast"].readings == ("bf16", "none")


def test_the_trainers_of_trl_differ():
    assert completed(TRL).value("learning_rate") == 2e-5
    assert completed(TRL).value("seq_len") == 1024
    grpo = completed(TRL + "num_generations: 8\n")
    assert (grpo.value("learning_rate"), grpo["seq_len"].readings) == (1e-6, (None, 768))
    assert completed(TRL + "beta: 0.1\n").value("learning_rate") == 1e-6
    assert "assumed" in completed(TRL)["task"].origin.note


def test_trl_computes_4_bit_weights_in_the_models_dtype():
    text = TRL + "load_in_4bit: true\nuse_peft: true\ntorch_dtype: bfloat16\n"
    assert completed(text).value("quant_compute_dtype") == "bf16"
    assert completed(PLAIN + "load_in_4bit: true\n").value("quant_compute_dtype") == "fp32"


def test_what_is_written_beats_every_default():
    settings = completed(TRL + "bf16: false\nmax_length: null\ngradient_checkpointing: false\n", trl="1.16")
    assert (settings.value("autocast"), settings.value("recompute")) == ("none", "none")
    assert settings["seq_len"].state == "unbounded"


def test_trl_forces_reentrant_checkpointing_for_peft_under_zero3():
    text = TRL + (
        "use_peft: true\ntorch_dtype: bfloat16\ngradient_checkpointing: true\ngradient_checkpointing_kwargs: {use_reentrant: false}\n"
        "deepspeed: {zero_optimization: {stage: 3}}\n"
    )
    forced = completed(text, trl="1.16")
    assert (forced.value("recompute_reentrant"), forced.value("adapter_dtype")) == (True, "bf16")
    assert [lost.value for lost in forced["recompute_reentrant"].overrode] == [False]
    assert completed(text, trl="0.27").value("recompute_reentrant") is False


def test_open_instruct_is_no_trainer():
    settings = completed(PLAIN + "use_slow_tokenizer: true\nmax_seq_length: 4096\n")
    assert (settings.value("optimizer"), settings.value("weights_dtype"), settings.value("attention")) == (
        "adamw_torch_fused",
        "bf16",
        "flash",
    )
    assert "max_grad_norm" not in settings
