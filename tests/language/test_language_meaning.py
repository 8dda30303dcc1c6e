"""A budget's statements become targets, runs and settings, each with the place it is written."""

from __future__ import annotations

import datetime

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.language import read_budget
from budgetlint.language.budget import Budget, BudgetRun
from budgetlint.language.custom_model import custom_architecture
from budgetlint.language.placement import placements
from budgetlint.settings.run import OriginKind
from budgetlint.settings.vocabulary import SETTINGS

GIB = 2**30


def budget(text: str, **names: str) -> Budget:
    found = read_budget(SourceFile("demo.budget", text), variables=names)
    assert found.problems == ()
    return found


def run(text: str) -> BudgetRun:
    return budget(text).runs[0]


def test_the_owners_line_means_what_it_says() -> None:
    found = budget("device 32GiB; reserve 3GB; model qwen2.5-1.5b; optimizer adamw8bit; lora r=16")
    device, reserve = found.default_target.device, found.default_target.reserve
    assert device is not None and reserve is not None
    assert (device.usable_low, device.usable_high, device.amount_unit, device.device) == (32 * GIB, 32 * GIB, "GiB", None)
    assert (reserve.of(32 * GIB), reserve.unit) == (3 * 10**9, "GB")
    (only,) = found.runs
    values = {name: setting.value for name, setting in only.settings.items()}
    assert values == {"model": "qwen2.5-1.5b", "optimizer": "adamw8bit", "adapter": "lora", "lora_r": 16}
    assert (found.names_model, found.binds_configs, only.name) == (True, False, None)


SETTINGS_OF = [
    ("precision bf16 master=fp32", {"precision": "bf16", "master_dtype": "fp32"}),
    ("precision bf16-autocast weights=fp32 grads=fp32", {"precision": "bf16-autocast", "weights_dtype": "fp32", "grads_dtype": "fp32"}),
    ("precision fp16 autocast=on", {"precision": "fp16", "autocast": "fp16"}),
    ("precision fp32 autocast=off", {"precision": "fp32", "autocast": "none"}),
    (
        "quant nf4 double=on compute=bf16 storage=uint8 upcast=norms",
        {"quant": "nf4", "quant_double": True, "quant_compute_dtype": "bf16", "quant_storage": "uint8", "quant_upcast": "norms"},
    ),
    ("kernels none", {"kernels": ()}),
    ("kernels liger", {"kernels": ("rms_norm", "rope", "swiglu", "linear_cross_entropy")}),
    ("kernels [rms_norm, rope]", {"kernels": ("rms_norm", "rope")}),
    ("compile on", {"compile": True}),
    ("compile off", {"compile": False}),
    ("compile model", {"compile": True, "compile_parts": ("model",)}),
    ("compile [layers, loss]", {"compile": True, "compile_parts": ("layers", "loss")}),
    ("compile loss", {"compile": False, "compile_parts": ("loss",)}),
    ("compile step", {"compile": True, "compile_parts": ("step",)}),
    ("optimizer adamw impl=for-loop state=bf16", {"optimizer": "adamw", "optimizer_impl": "for-loop", "optimizer_state": "bf16"}),
    ("optimizer adamw_torch_fused", {"optimizer": "adamw_torch_fused", "optimizer_impl": "fused"}),
    (
        "lora r=16 alpha=32 targets=all dropout=0.05 dtype=bf16 dora=on rslora=off save=[lm_head]",
        {
            "adapter": "lora", "lora_r": 16, "lora_alpha": 32.0, "lora_targets": ("all-linear",), "lora_dropout": 0.05,
            "adapter_dtype": "bf16", "lora_dora": True, "lora_rslora": False, "lora_modules_to_save": ("lm_head",),
        },
    ),
    ("lora targets=attention", {"adapter": "lora", "lora_targets": ("q_proj", "k_proj", "v_proj", "o_proj")}),
    ("lora targets=[q_proj, Wqkv]", {"adapter": "lora", "lora_targets": ("q_proj", "Wqkv")}),
    ("adapter ia3", {"adapter": "other", "adapter_kind": "ia3"}),
    ("freeze a; freeze b c", {"freeze": ("a", "b", "c")}),
    ("batch 2 accum=8 images=4 audio=30s", {"micro_batch": 2, "grad_accum": 8, "images": 4, "audio_seconds": 30.0}),
    ("seq 4_096 packing=on", {"seq_len": 4096, "packing": True}),
    (
        "recompute full every=2 reentrant=on offload=off",
        {"recompute": "full", "recompute_every": 2, "recompute_reentrant": True, "recompute_offload": False},
    ),
    ("attention flash; loss chunked", {"attention": "flash", "loss": "chunked"}),
    (
        "shard zero3 offload=[optimizer, params] bucket=500_000_000",
        {"shard": "zero3", "offload_optimizer": "cpu", "offload_params": "cpu", "zero_bucket": 500_000_000},
    ),
    (
        "shard fsdp grad-op reshard=off wrap=layer",
        {"shard": "fsdp", "shard_strategy": "grad-op", "reshard_after_forward": False, "wrap": "layer"},
    ),
    ("shard hsdp", {"shard": "fsdp", "shard_strategy": "hybrid"}),
    ("shard hsdp grad-op", {"shard": "fsdp", "shard_strategy": "hybrid-grad-op"}),
    (
        "parallel tp=8 pp=2 dp=2 cp=4 ep=3",
        {"tensor_parallel": 8, "pipeline_parallel": 2, "data_parallel": 2, "context_parallel": 4, "expert_parallel": 3},
    ),
    ("device 8x h100-80gb", {"devices_per_node": 8, "devices": 8}),
    ("device 8x h100-80gb; nodes 4", {"nodes": 4, "devices_per_node": 8, "devices": 32}),
    ("device h100-80gb", {}),
    ("model llama-3.1-8b head=regression", {"model": "llama-3.1-8b", "model_head": "regression"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "values"), SETTINGS_OF, ids=[row[0] for row in SETTINGS_OF])
def test_a_statement_becomes_settings(text: str, values: dict[str, object]) -> None:
    settings = run(text).settings
    assert {name: setting.value for name, setting in settings.items()} == values
    assert set(settings) <= set(SETTINGS)
    for name, setting in settings.items():
        choices = SETTINGS[name].choices
        assert not choices or setting.value in choices


def test_a_setting_says_exactly_where_its_value_stands() -> None:
    setting = run("seq 10\nlora r=16 targets=[q_proj,\n v_proj]").settings["lora_targets"]
    assert setting.origin.kind is OriginKind.BUDGET
    assert setting.origin.key == "lora.targets"
    assert str(setting.origin.location) == "demo.budget:2:19"
    assert setting.origin.source is not None and setting.origin.span is not None
    assert setting.origin.source.text[setting.origin.span.start : setting.origin.span.end] == "[q_proj,\n v_proj]"


DEVICES = [
    ("device rtx-4090", "rtx-4090", None),
    ('device "NVIDIA GeForce RTX 4090"', "rtx-4090", None),
    ("device 2080ti", "rtx-2080-ti", None),
    ("device 8x h200", "h200", 8),
    ("device 80GB", None, None),
    ("device 2x 24GiB", None, 2),
]


@pytest.mark.parametrize(("text", "name", "count"), DEVICES, ids=[row[0] for row in DEVICES])
def test_a_card_is_found_by_any_name_or_size(text: str, name: str | None, count: int | None) -> None:
    spec = budget(text).default_target.device
    assert spec is not None
    assert (spec.device.name if spec.device else None, spec.count) == (name, count)
    assert spec.usable_low <= spec.usable_high


def test_a_stated_usable_wins_over_the_catalog() -> None:
    spec = budget("device 32GiB usable=29.8GiB").default_target.device
    assert spec is not None
    assert (spec.nominal, spec.usable_low, spec.usable_high) == (32 * GIB, 31997506355, 31997506355)


def test_ecc_costs_memory_on_a_gddr_card() -> None:
    on, off = (budget(f"device rtx-a6000 ecc={state}").default_target.device for state in ("on", "off"))
    assert on is not None and off is not None
    assert on.usable_high < off.usable_low


def test_a_share_is_held_back_from_what_is_usable() -> None:
    reserve = budget("device t4; reserve 5%").default_target.reserve
    assert reserve is not None
    assert (reserve.of(1000), reserve.unit, reserve.ppm) == (50, "%", 50_000)


def test_a_run_wins_over_the_target_and_the_target_over_the_top_level() -> None:
    found = budget(
        "seq 1; batch 1; precision bf16; device l4\n"
        "target ci { device t4; precision fp16; batch 2 }\n"
        "run a { on ci; batch 3 }\nrun b { seq 5 }"
    )
    first, second = found.runs
    (on_ci,) = placements(found, first)
    assert {name: on_ci.settings.value(name) for name in ("seq_len", "micro_batch", "precision")} == {
        "seq_len": 1,
        "micro_batch": 3,
        "precision": "fp16",
    }
    assert on_ci.target.name == "ci"
    (top,) = placements(found, second)
    assert (top.target.name, top.settings.value("seq_len"), top.settings.value("precision")) == (None, 5, "bf16")


def test_the_device_count_follows_the_target() -> None:
    found = budget("target a { device 8x h200; nodes 2 }; target b { device t4 }; run r { on a b; model phi-4 }")
    counts = [place.settings.value("devices") for place in placements(found, found.runs[0])]
    assert counts == [16, None]


def test_a_run_without_on_runs_on_every_target_where_no_device_is_named() -> None:
    found = budget("target a { device t4 }; target b { device l4 }; run r { model phi-4 }")
    assert [place.target.name for place in placements(found, found.runs[0])] == ["a", "b"]


def test_what_a_run_says_about_the_machine_is_laid_over_the_target() -> None:
    found = budget("reserve 1GiB; target a { device t4; host 8GiB pinned=1GiB }; run r { on a; reserve 5% }")
    (place,) = placements(found, found.runs[0])
    assert place.target.device is not None and place.target.reserve is not None
    assert (place.target.device.text, place.target.reserve.text, place.target.host_bytes) == ("t4", "5%", 8 * GIB)


def test_a_matrix_is_every_combination_by_name() -> None:
    found = budget("let long = 4096\ndevice t4\nrun sft { matrix seq=[1024, $long] optimizer=[adamw, adamw_8bit]; lora r=8 }")
    cells = found.runs[0].cells
    assert [cell.text for cell in cells] == [
        "seq=1024 optimizer=adamw",
        "seq=1024 optimizer=adamw_8bit",
        "seq=4096 optimizer=adamw",
        "seq=4096 optimizer=adamw_8bit",
    ]
    assert [(cell.settings.value("seq_len"), cell.settings.value("optimizer")) for cell in cells[1:3]] == [
        (1024, "adamw8bit"),
        (4096, "adamw"),
    ]
    assert len(placements(found, found.runs[0])) == 4


def test_top_level_statements_are_only_defaults_where_there_are_runs() -> None:
    found = budget("model phi-4; config a.yaml; run x { config b.yaml kind=trl }; run y { seq 1 }")
    assert [run.name for run in found.runs] == ["x", "y"]
    assert [(ref.path, ref.kind) for ref in found.runs[0].configs] == [("a.yaml", ""), ("b.yaml", "trl")]
    assert found.binds_configs


def test_a_budget_of_rules_only_binds_nothing() -> None:
    found = budget('deny BL2*; allow unit-mixup reason="why" until=2027-01-31 in="ds/*.json" key="zero.*"')
    assert (found.binds_configs, found.names_model) == (False, False)
    assert [(level.level, level.pattern) for level in found.levels] == [("error", "BL2*"), ("off", "unit-mixup")]
    assert found.levels[1].until == datetime.date(2027, 1, 31)
    assert (found.levels[1].in_files, found.levels[1].key) == ("ds/*.json", "zero.*")


def test_a_runs_levels_are_its_own() -> None:
    found = budget("deny a; run x { warn b }")
    assert [level.pattern for level in found.levels] == ["a"]
    assert [(level.level, level.pattern) for level in found.runs[0].levels] == [("warning", "b")]


def test_the_stack_is_versions_and_whose_model_code_runs() -> None:
    found = budget("stack transformers@5.24 torch@2.13; run a { stack litgpt trl@1.16 }; run b { stack torch@2.12 }")
    first, second = (run.stack for run in found.runs)
    assert (first.model_code, second.model_code) == ("litgpt", "transformers")
    assert (first.at_least("transformers", "5.23"), first.at_least("trl", "1.17"), first.at_least("peft", "1")) == (True, False, None)
    assert (str(second.releases["torch"].low), str(second.releases["transformers"].low)) == ("2.12", "5.24")


def test_a_measurement_keeps_figures_and_facts() -> None:
    (record,) = run('measured peak=11.42GiB seq=4096 device="NVIDIA L4" torch="2.13.0" date=2026-11-29 config=sha256:3f7a').measured
    assert record.figures == {"peak": 12262131630}
    assert record.facts == {"seq": "4096", "device": "NVIDIA L4", "torch": "2.13.0", "date": "2026-11-29", "config": "sha256:3f7a"}
    assert record.outcome == "ok"


def test_further_models_and_engines() -> None:
    found = run("also qwen2.5-1.5b role=reference precision=bf16 offload=on; rollout vllm share=30% on=other; tolerance 8%")
    assert [(also.model, also.role, also.precision, also.offload) for also in found.also] == [("qwen2.5-1.5b", "reference", "bf16", True)]
    assert found.rollout is not None
    assert (found.rollout.engine, found.rollout.share_ppm) == ("vllm", 300_000)
    assert found.tolerance_ppm == 80_000


def test_an_assert_is_kept_with_its_references_replaced() -> None:
    (held,) = run("let spare = 4GiB; assert peak + $spare <= 90% of usable, 'why'").asserts
    assert [term.value.text for term in held.left] == ["peak", "4GiB"]  # type: ignore[union-attr]
    assert held.right[0].share is not None and held.right[0].share.text == "90%"
    assert held.message is not None and held.message.content == "why"


def test_the_right_side_is_read_in_the_settings_domain() -> None:
    (held,) = run("assert optimizer == adamw_8bit").asserts
    assert held.right[0].value.text == "adamw8bit"  # type: ignore[union-attr]


def test_a_runs_asserts_add_to_the_top_levels() -> None:
    found = budget("assert peak <= 5GiB; run a { assert host <= 9GiB }")
    assert len(found.runs[0].asserts) == 2


def test_a_custom_model_is_an_architecture() -> None:
    settings = run("model custom hidden=1024 layers=12 heads=16 kv_heads=4 intermediate=2816 vocab=32000 tied=on").settings
    found = custom_architecture(settings.value("model_custom"))
    assert settings.value("model") == "custom"
    assert (found.hidden, found.layers, found.head_dim, found.kv_heads, found.tied, found.family) == (1024, 12, 64, 4, True, "llama")


def test_a_variable_can_be_set_from_outside() -> None:
    found = budget("let ctx = 4096; seq $ctx", ctx="8192")
    assert found.runs[0].settings.value("seq_len") == 8192
    assert found.variables == {"ctx": "8192"}


def test_a_path_is_no_catalog_name() -> None:
    assert run('model "./checkpoints/my-7b/config.json"').settings.value("model") == "./checkpoints/my-7b/config.json"
