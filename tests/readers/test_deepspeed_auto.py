"""Who fills in DeepSpeed's ``auto``, and with what."""

from __future__ import annotations

import pytest

from budgetlint.readers.base import default, unsettled
from budgetlint.readers.deepspeed.auto import engine_over_trainer, fill_auto, fill_engine_dtype
from budgetlint.settings.run import Origin, OriginKind, Setting, Settings

FILE = Origin(OriginKind.FILE, key="somewhere")


def auto(name: str) -> Setting:
    return Setting(name, None, FILE, "auto", "auto")


def written(name: str, value) -> Setting:
    return Setting(name, value, FILE, str(value))


BUCKETS = [auto(name) for name in ("zero_bucket", "zero_prefetch", "zero_persistence")]


@pytest.mark.parametrize("hidden", [768, 4096, 5120])
def test_bucket_sizes_follow_the_hidden_size(hidden):
    filled = fill_auto(Settings([written("shard", "zero3"), *BUCKETS]), hidden)
    assert filled.value("zero_bucket") == hidden * hidden
    assert filled.value("zero_prefetch") == int(0.9 * hidden * hidden)
    assert filled.value("zero_persistence") == 10 * hidden
    assert filled["zero_bucket"].origin.kind is OriginKind.DERIVED
    assert filled["zero_bucket"].origin.key == "somewhere"


def test_below_stage_3_only_the_reduce_bucket_is_filled():
    filled = fill_auto(Settings([written("shard", "zero2"), *BUCKETS]), 1024)
    assert filled.value("zero_bucket") == 1024 * 1024
    assert filled["zero_prefetch"].state == "auto"


def test_without_a_model_nothing_is_guessed():
    settings = Settings([written("shard", "zero3"), *BUCKETS])
    assert fill_auto(settings, None) is settings


def test_a_literal_size_stays():
    assert fill_auto(Settings([written("shard", "zero3"), written("zero_bucket", 7)]), 1024).value("zero_bucket") == 7


def test_auto_takes_the_trainers_value():
    merged = engine_over_trainer(Settings([written("micro_batch", 2)]), Settings([auto("micro_batch"), auto("learning_rate")]))
    assert merged.value("micro_batch") == 2
    assert [lost.state for lost in merged["micro_batch"].overrode] == ["auto"]
    assert "learning_rate" not in merged, "left to the trainer's default"


def test_the_engines_literal_wins_and_the_loser_stays_in_sight():
    merged = engine_over_trainer(Settings([written("optimizer", "adamw8bit")]), Settings([written("optimizer", "fused_adam")]))
    assert merged.value("optimizer") == "fused_adam"
    assert [lost.value for lost in merged["optimizer"].overrode] == ["adamw8bit"]


def test_the_engines_dtype_is_the_trainers_precision():
    assert fill_engine_dtype(Settings([written("autocast", "bf16"), auto("engine_dtype")])).value("engine_dtype") == "bf16"
    assert fill_engine_dtype(Settings([written("autocast", "fp16")])).value("engine_dtype") == "fp16"
    assert fill_engine_dtype(Settings([default("autocast", "none", "n"), auto("engine_dtype")])).value("engine_dtype") == "fp32"
    kept = fill_engine_dtype(Settings([written("autocast", "bf16"), written("engine_dtype", "fp16")]))
    assert kept.value("engine_dtype") == "fp16"
    open_ended = fill_engine_dtype(Settings([unsettled("autocast", ("bf16", "none"), "n"), auto("engine_dtype")]))
    assert open_ended["engine_dtype"].readings == ("bf16", "fp32")
