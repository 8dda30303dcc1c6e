"""DeepSpeed JSON as settings."""

from __future__ import annotations

import json

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.settings.run import Origin, OriginKind, Role, Stack, release

SEEDS = {
    "deepspeed": "{zero_optimization: {stage: 2}, train_micro_batch_size_per_gpu: 1, bf16: {enabled: true}, gradient_clipping: 1.0}",
}
"""Documents that it claims (`test_marks.py`)."""

BASE = {"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}}


def read(config: dict):
    (document,) = load(SourceFile("ds.json", json.dumps(config, indent=1)))
    return identify(document).read(document)


def values(config: dict) -> dict:
    return {setting.name: setting.value for setting in read(config).settings.values() if setting.known}


def zero(**fields) -> dict:
    return {**BASE, "zero_optimization": {"stage": 3, **fields}}


ADAM = {"type": "Adam", "params": {"lr": "auto", "betas": [0.8, 0.99], "weight_decay": 3e-7}}
CPU = {"offload_optimizer": {"device": "cpu"}}

SAYS = [
    ({**BASE, "train_batch_size": 32, "gradient_accumulation_steps": 4}, {"global_batch": 32, "grad_accum": 4, "micro_batch": 1}),
    ({**BASE, "gradient_clipping": 0.5}, {"max_grad_norm": 0.5}),
    ({**BASE, "zero_optimization": {"stage": 0}}, {"shard": "ddp"}),
    ({**BASE, "zero_optimization": True}, {"shard": "zero1"}),
    (zero(), {"shard": "zero3"}),
    (zero(**CPU, offload_param={"device": "nvme"}), {"offload_optimizer": "cpu", "offload_params": "nvme"}),
    (zero(offload_optimizer={"device": "none"}), {"offload_optimizer": "none"}),
    ({**BASE, "zero_optimization": {"stage": 2, "cpu_offload": True}}, {"offload_optimizer": "cpu"}),
    (zero(reduce_bucket_size=5e8, allgather_bucket_size="2e8"), {"zero_bucket": 500_000_000, "zero_allgather_bucket": 200_000_000}),
    (zero(stage3_max_live_parameters=1e9, sub_group_size=1e12), {"zero_max_live": 10**9, "zero_sub_group": 10**12}),
    (zero(param_persistence_threshold=7), {"zero_persistence": 7}),
    (zero(overlap_comm=True, contiguous_gradients=False), {"zero_overlap": True, "zero_contiguous": False}),
    ({**BASE, "bf16": {"enabled": True}}, {"engine_dtype": "bf16"}),
    ({**BASE, "bfloat16": {"enabled": True}}, {"engine_dtype": "bf16"}),
    ({**BASE, "fp16": {"enabled": True, "loss_scale": 0}}, {"engine_dtype": "fp16", "loss_scale": 0.0}),
    ({**BASE, "fp16": {"enabled": False}, "bf16": {"enabled": True}}, {"engine_dtype": "bf16"}),
    ({**BASE, "fp16": {"enabled": False}}, {"engine_dtype": "fp32"}),
    ({**BASE, "bf16": {"enabled": True, "bf16_master_weights_and_grads": True, "bf16_optimizer_states": True}}, {"master_dtype": "none"}),
    ({**BASE, "data_types": {"grad_accum_dtype": "fp32"}}, {"grads_dtype": "fp32"}),
    ({**BASE, "torch_autocast": {"enabled": True, "dtype": "torch.bfloat16"}}, {"autocast": "bf16"}),
    ({**BASE, "optimizer": ADAM}, {"optimizer": "fused_adam", "adam_beta1": 0.8, "adam_beta2": 0.99, "weight_decay": 3e-7}),
    ({**BASE, "optimizer": {"type": "AdamW", "params": {"torch_adam": True}}}, {"optimizer": "adamw"}),
    ({**BASE, "optimizer": {"type": "Adam", "params": {"adam_w_mode": False}}}, {"optimizer": "adam"}),
    ({**zero(**CPU), "optimizer": {"type": "Adam"}}, {"optimizer": "cpu_adam"}),
    ({**zero(**CPU), "optimizer": {"type": "Adam", "params": {"adam_w_mode": False}}}, {"optimizer": "cpu_adam_l2"}),
    ({**BASE, "optimizer": {"type": "OneBitAdam"}}, {"optimizer": "onebit_adam"}),
]


@pytest.mark.parametrize(("config", "expected"), SAYS, ids=[str(expected) for _, expected in SAYS])
def test_what_a_section_says(config, expected):
    found = values(config)
    assert {name: found.get(name) for name in expected} == expected


def test_auto_stays_open():
    settings = read(
        {**zero(reduce_bucket_size="auto"), "gradient_clipping": "auto", "fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}}
    ).settings
    assert {settings[name].state for name in ("zero_bucket", "max_grad_norm", "engine_dtype")} == {"auto"}
    assert settings["engine_dtype"].value is None


def test_both_precisions_on_stay_in_sight():
    dtype = read({**BASE, "fp16": {"enabled": True}, "bf16": {"enabled": True}}).settings["engine_dtype"]
    assert (dtype.value, [lost.origin.key for lost in dtype.overrode]) == ("fp16", ["bf16.enabled"])


def test_the_reading_is_the_engines():
    reading = read(BASE)
    assert (reading.format, reading.role, reading.references) == ("deepspeed", Role.ENGINE, ())


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({**BASE, "zero_optimization": {"stage": 4}}, "no ZeRO stage"),
        (zero(offload_optimizer={"device": "gpu"}), "no offload device"),
        (zero(reduce_bucket_size=-1), "negative"),
        (zero(sub_group_size="big"), "not a number"),
        ({**BASE, "gradient_accumulation_steps": 0}, "not a positive count"),
        ({**BASE, "optimizer": {"type": "Adamm2"}}, "no optimizer"),
        ({**BASE, "optimizer": {"type": "Adam", "params": {"betas": [0.9]}}}, "no pair"),
    ],
)
def test_an_illegal_value_is_told(config, message):
    (wrong, *_) = read(config).misreads
    assert message in wrong.message and wrong.cure and wrong.origin.location


def completed(config: dict, **versions: str):
    (document,) = load(SourceFile("ds.json", json.dumps(config)))
    reader = identify(document)
    pins = {name: release(name, version, Origin(OriginKind.BUDGET)) for name, version in versions.items()}
    return complete(reader, reader.read(document).settings, Stack(pins))


def test_the_constants_of_the_zero_config():
    settings = completed(zero())
    expected = {"zero_bucket": 500_000_000, "zero_prefetch": 50_000_000, "zero_persistence": 100_000, "zero_max_live": 10**9}
    assert {name: settings.value(name) for name in expected} == expected
    assert (settings.value("engine_dtype"), settings.value("offload_optimizer")) == ("fp32", "none")


def test_overlap_follows_the_stage():
    assert completed(zero()).value("zero_overlap") is True
    assert completed(BASE).value("zero_overlap") is False


def test_the_default_clipping_changed():
    assert completed(BASE, deepspeed="0.19.2").value("max_grad_norm") == 0.0
    assert completed(BASE, deepspeed="0.19.3").value("max_grad_norm") == 1.0
    assert completed(BASE)["max_grad_norm"].readings == (1.0, 0.0)
