"""accelerate launch configs: which section counts, and the words of each."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest
from packaging.version import Version

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers.accelerate.reader import READER
from budgetlint.readers.base import complete, names
from budgetlint.settings.run import Origin, OriginKind, Reading, Release, Role, Setting, Stack
from budgetlint.settings.vocabulary import SETTINGS

SEEDS = {
    "accelerate": "{distributed_type: NO, compute_environment: LOCAL_MACHINE, num_processes: 1, use_cpu: false}",
}
"""Documents that it claims (`test_marks.py`)."""

BASE = "compute_environment: LOCAL_MACHINE\nnum_machines: 1\nnum_processes: 8\n"


def document(text: str, name: str = "accelerate.yaml"):
    return load(SourceFile(name, dedent(text)))[0]


def reading(extra: str) -> Reading:
    return READER.read(document(BASE + dedent(extra)))


def full(extra: str) -> dict[str, Setting]:
    return dict(complete(READER, reading(extra).settings, Stack()))


def values(extra: str, *names: str) -> tuple:
    settings = reading(extra).settings
    return tuple(settings.value(name) for name in names)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("distributed_type: DEEPSPEED\nnum_processes: 8\n", 1.0),
        ("compute_environment: LOCAL_MACHINE\nmixed_precision: bf16\n", 0.9),
        ("distributed_type: FSDP\n", 0.0),
        ("compute_environment: cloud\nnum_processes: 8\n", 0.0),
        ("num_processes: 7\nlearning_rate: 1e-5\nuse_vllm: true\n", 0.0),
        ("base_model: acme/x\nsequence_len: 1\nfsdp_config:\n  offload_params: true\n", 0.0),
        ("", 0.0),
    ],
)
def test_recognition(text, score):
    assert READER.recognise(document(text)) == score


def test_a_trainers_file_with_a_distributed_type_is_not_sure():
    assert READER.recognise(document("distributed_type: NO\nnum_processes: 1\nmodel_name_or_path: acme/x\n")) == 0.5


def test_json_is_read_too():
    text = json.dumps(
        {"compute_environment": "LOCAL_MACHINE", "distributed_type": "FSDP", "num_processes": 4, "fsdp_config": {"fsdp_version": 2}}
    )
    found = document(text, "fsdp.json")
    assert READER.recognise(found) == 1.0
    assert READER.read(found).settings.value("shard") == "fsdp2"


def test_it_is_a_launcher():
    assert reading("distributed_type: MULTI_GPU").role is Role.LAUNCHER


# -- processes and precision


@pytest.mark.parametrize(
    ("kind", "shard", "devices"),
    [("MULTI_GPU", "ddp", 8), ("MULTI_XPU", "ddp", 8), ("'NO'", "none", 1), ("NO", "none", 1), ("no", "none", 1), ("XLA", None, 8)],
)
def test_distributed_types(kind, shard, devices):
    assert values(f"distributed_type: {kind}", "shard", "devices") == (shard, devices)


def test_minus_one_leaves_the_processes_to_the_command():
    text = "distributed_type: MULTI_GPU\nnum_processes: -1\nnum_machines: 2\n"
    settings = READER.read(document(text)).settings
    assert (settings["devices"].state, settings.value("nodes")) == ("auto", 2)


@pytest.mark.parametrize(
    ("keys", "autocast"),
    [
        ("mixed_precision: bf16", "bf16"),
        ("mixed_precision: 'no'", "none"),
        ("mixed_precision: no", "none"),
        ("fp16: true", "fp16"),
        ("mixed_precision: fp8", "fp8"),
    ],
)
def test_mixed_precision(keys, autocast):
    assert values(f"distributed_type: MULTI_GPU\n{keys}", "autocast") == (autocast,)


def test_unset_precision_is_none():
    assert full("distributed_type: MULTI_GPU")["autocast"].value == "none"


@pytest.mark.parametrize(
    ("keys", "on"),
    [
        ("dynamo_config:\n  dynamo_backend: INDUCTOR", True),
        ("dynamo_config:\n  backend: 'NO'", False),
        ("dynamo_backend: NO", False),
        ("dynamo_backend: EAGER", False),
        ("dynamo_backend: AOT_EAGER", False),
        ("dynamo_backend: INDUCTOR", True),
        ("dynamo_config: {}", None),
    ],
)
def test_dynamo(keys, on):
    assert values(f"distributed_type: MULTI_GPU\n{keys}", "compile") == (on,)


@pytest.mark.parametrize(("said", "parts"), [("true", ("layers",)), ("false", None)])
def test_regions_are_the_repeated_blocks(said, parts):
    keys = f"dynamo_config:\n  dynamo_backend: INDUCTOR\n  dynamo_use_regional_compilation: {said}"
    assert values(f"distributed_type: MULTI_GPU\n{keys}", "compile", "compile_parts") == (True, parts)


@pytest.mark.parametrize(
    ("backend", "releases", "value", "readings"),
    [
        ("INDUCTOR", {"accelerate": "1.0.0"}, False, ()),
        ("INDUCTOR", {"accelerate": "1.1.0"}, None, (True, False)),
        ("INDUCTOR", {"accelerate": "1.1.0", "deepspeed": "0.14.4"}, True, ()),
        ("INDUCTOR", {"accelerate": "1.1.0", "deepspeed": "0.14.3"}, False, ()),
        ("INDUCTOR", {}, None, (True, False)),
        ("EAGER", {}, False, ()),
    ],
)
def test_a_deepspeed_engine_is_compiled_by_newer_releases_only(backend, releases, value, readings):
    origin = Origin(OriginKind.FLAG, note="test")
    stack = Stack({name: Release(name, Version(text), None, origin, exact=True) for name, text in releases.items()})
    found = complete(READER, reading(f"distributed_type: DEEPSPEED\ndynamo_backend: {backend}").settings, stack)["compile"]
    assert (found.value, found.readings) == (value, readings)


# -- DeepSpeed

ZERO = """
distributed_type: DEEPSPEED
mixed_precision: bf16
deepspeed_config:
  zero_stage: 3
  offload_optimizer_device: cpu
  offload_param_device: none
  gradient_accumulation_steps: 4
  gradient_clipping: 1.0
"""


def test_flat_deepspeed_fields():
    names = ("shard", "offload_optimizer", "offload_params", "grad_accum", "max_grad_norm", "engine_dtype")
    assert values(ZERO, *names) == ("zero3", "cpu", "none", 4, 1.0, "bf16")


def test_the_section_needs_its_distributed_type():
    assert values(ZERO.replace("DEEPSPEED", "MULTI_GPU"), "shard", "offload_optimizer", "grad_accum") == ("ddp", None, None)


@pytest.mark.parametrize(("stage", "shard"), [("0", "ddp"), ("1", "zero1"), ("2", "zero2")])
def test_stages(stage, shard):
    assert values(ZERO.replace("zero_stage: 3", f"zero_stage: {stage}"), "shard") == (shard,)


def test_no_stage_is_stage_two_even_beside_a_nested_dict():
    extra = "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_optimization:\n    stage: 3\n"
    assert values(extra, "shard") == ("zero2",)
    assert values("distributed_type: DEEPSPEED", "shard") == ("zero2",)


def test_a_deepspeed_file_decides_alone():
    found = reading(
        "distributed_type: DEEPSPEED\nmixed_precision: bf16\ndeepspeed_config:\n  deepspeed_config_file: ds/zero3.json\n  zero_stage: 2\n"
    )
    assert [(reference.role, reference.text) for reference in found.references] == [(Role.ENGINE, "ds/zero3.json")]
    assert "shard" not in found.settings and "engine_dtype" not in found.settings


def test_auto_stays_auto():
    assert reading(ZERO.replace("steps: 4", "steps: auto")).settings["grad_accum"].state == "auto"


# -- FSDP

FSDP = """
distributed_type: FSDP
fsdp_config:
  fsdp_sharding_strategy: {strategy}
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_offload_params: true
  fsdp_state_dict_type: FULL_STATE_DICT
  fsdp_activation_checkpointing: {checkpointing}
"""


@pytest.mark.parametrize(
    ("strategy", "ours"),
    [
        ("FULL_SHARD", "full"),
        ("1", "full"),
        ("2", "grad-op"),
        ("'4'", "hybrid"),
        ("HYBRID_SHARD_ZERO2", "hybrid-grad-op"),
        ("NO_SHARD", "no-shard"),
    ],
)
def test_strategies_by_name_and_number(strategy, ours):
    extra = FSDP.format(strategy=strategy, checkpointing="true")
    names = ("shard", "shard_strategy", "wrap", "offload_params", "offload_optimizer", "state_dict_type", "recompute")
    assert values(extra, *names) == ("fsdp", ours, "layer", "cpu", "cpu", "FULL_STATE_DICT", "full")


def test_switched_off_checkpointing_leaves_the_trainers_alone():
    assert values(FSDP.format(strategy="1", checkpointing="false"), "recompute") == (None,)


def test_version_two_reads_resharding_not_the_strategy():
    extra = "distributed_type: FSDP\nfsdp_config:\n  version: 2\n  reshard_after_forward: false\n  sharding_strategy: NO_SHARD\n"
    assert values(extra, "shard", "reshard_after_forward", "shard_strategy") == ("fsdp2", False, None)


def test_version_one_ignores_resharding():
    extra = "distributed_type: FSDP\nfsdp_config:\n  fsdp_reshard_after_forward: false\n"
    assert values(extra, "shard", "reshard_after_forward") == ("fsdp", None)


def test_fsdp_keys_of_another_type_do_nothing():
    assert values(FSDP.format(strategy="1", checkpointing="true").replace(": FSDP", ": MULTI_GPU"), "wrap", "recompute") == (None, None)


@pytest.mark.parametrize(("version", "saved"), [("1", "FULL_STATE_DICT"), ("2", "SHARDED_STATE_DICT")])
def test_fsdp_defaults(version, saved):
    settings = full(f"distributed_type: FSDP\nfsdp_config:\n  fsdp_version: {version}\n")
    names = ("shard_strategy", "wrap", "offload_params", "reshard_after_forward", "state_dict_type")
    assert [settings[name].value for name in names] == ["full", "none", "none", True, saved]


def test_parallelism_belongs_to_version_two():
    extra = """
    distributed_type: FSDP
    fsdp_config:
      fsdp_version: 2
    parallelism_config:
      parallelism_config_dp_replicate_size: 2
      parallelism_config_tp_size: 4
      parallelism_config_cp_size: 2
    """
    assert values(extra, "tensor_parallel", "context_parallel", "shard_strategy") == (4, 2, "hybrid")


def test_megatron():
    extra = """
    distributed_type: MEGATRON_LM
    megatron_lm_config:
      megatron_lm_tp_degree: 2
      megatron_lm_pp_degree: 2
      megatron_lm_recompute_activations: true
    """
    assert values(extra, "tensor_parallel", "pipeline_parallel", "recompute") == (2, 2, "selective")


@pytest.mark.parametrize(
    "keys",
    [
        "mixed_precision: bfloat",
        "deepspeed_config:\n  zero_stage: 5",
        "deepspeed_config:\n  offload_param_device: disk",
        "num_machines: several",
    ],
)
def test_illegal_values_are_reported_with_a_cure(keys):
    text = f"compute_environment: LOCAL_MACHINE\nnum_processes: 1\ndistributed_type: DEEPSPEED\n{keys}\n"
    wrong = READER.read(document(text)).misreads
    assert wrong and all(misread.cure for misread in wrong)


ODD = ("", "null", "[]", "[1, {a: 1}]", "{}", "{a: {b: 1}}", "${X}", "???", "1e999", ".nan", "-3", "'true'", "no", "2020-01-01", "auto")
TOUCHED = names("""
distributed_type mixed_precision num_processes num_machines deepspeed_config fsdp_config parallelism_config
dynamo_config megatron_lm_config compute_environment
""")


@pytest.mark.parametrize("kind", ["DEEPSPEED", "FSDP", "MEGATRON_LM", "NO", "MULTI_GPU"])
@pytest.mark.parametrize("key", sorted(TOUCHED))
def test_odd_values_never_crash(kind, key):
    for value in ODD:
        found = document(f"distributed_type: {kind}\n{BASE}{key}: {value}\n")
        READER.recognise(found)
        assert set(complete(READER, READER.read(found).settings, Stack())) <= set(SETTINGS)
