"""Engine files that trainers ship: found by name or by the end of a path, with what they say."""

from __future__ import annotations

import pytest

from budgetlint.catalog.presets import PRESETS, Versions, find_preset
from budgetlint.readers.presets import preset
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Origin, OriginKind
from budgetlint.settings.vocabulary import SETTINGS

LINE = Origin(OriginKind.FILE, key="deepspeed")


@pytest.mark.parametrize(
    ("framework", "text", "name"),
    [
        ("ms_swift", "zero2", "zero2"),
        ("ms_swift", "default-zero3", "zero3"),
        ("ms_swift", "fsdp2", "fsdp2"),
        ("llamafactory", "examples/deepspeed/ds_z3_config.json", "ds_z3_config.json"),
        ("llamafactory", "/data/llamafactory/ds_z2_offload_config.json", "ds_z2_offload_config.json"),
        ("axolotl", "deepspeed_configs/zero3_bf16.json", "zero3_bf16.json"),
    ],
)
def test_presets_are_found(framework, text, name):
    found = find_preset(framework, text)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("framework", "text"),
    [
        ("ms_swift", "ds/zero2.json"),
        ("ms_swift", "zero4"),
        ("trl", "zero2"),
        ("axolotl", "zero2"),
        ("llamafactory", "ds_config.json"),
        ("axolotl", ""),
    ],
)
def test_other_names_are_files_of_the_users_own(framework, text):
    assert find_preset(framework, text) is None
    assert preset(framework, text, LINE) is None


def test_every_row_speaks_the_vocabulary():
    for found in PRESETS:
        for name, value in found.rows:
            spec = SETTINGS[name]
            said = (value.newer, value.older) if isinstance(value, Versions) else (value,)
            assert not spec.choices or all(one in spec.choices for one in said if one != "auto"), (found.name, name)


def test_settings_point_at_the_line_that_names_the_preset():
    settings = preset("axolotl", "deepspeed_configs/zero2.json", LINE)
    assert settings is not None
    assert (settings.value("shard"), settings.value("offload_optimizer")) == ("zero2", "cpu")
    assert settings["shard"].origin.key == "deepspeed"
    assert "deepspeed_configs/zero2.json" in settings["shard"].origin.note


def test_values_that_changed_keep_both_readings():
    settings = preset("ms_swift", "zero3_offload", LINE)
    assert settings is not None
    assert settings["offload_optimizer"].readings == ("cpu", "none")
    assert settings["engine_dtype"].state == "auto"


FACTORY = """\
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
do_train: true
finetuning_type: full
template: qwen
cutoff_len: 2048
bf16: true
deepspeed: examples/deepspeed/ds_z3_config.json
"""


def shard_of(files):
    (context,) = judge_texts(files).runs
    return context.run.settings["shard"]


def test_a_file_that_the_trainer_ships_joins_the_run():
    shard = shard_of({"train.yaml": FACTORY})
    assert (shard.value, shard.origin.key) == ("zero3", "deepspeed")
    assert not judge_texts({"train.yaml": FACTORY}).findings


def test_a_file_of_that_name_in_the_project_comes_first():
    own = '{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"}'
    shard = shard_of({"train.yaml": FACTORY, "examples/deepspeed/ds_z3_config.json": own})
    assert shard.value == "zero2"
