"""What each framework says of the vision tower and its images."""

from __future__ import annotations

from typing import Any

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Settings

MODEL = "Qwen/Qwen2.5-VL-7B-Instruct"
LLAMAFACTORY = f"model_name_or_path: {MODEL}\nstage: sft\ndo_train: true\nfinetuning_type: lora\ntemplate: qwen2_vl\n"
OUMI = f"model:\n  model_name: {MODEL}\n{{}}training:\n  trainer_type: TRL_SFT\n  per_device_train_batch_size: 1\n  output_dir: out\n"
SWIFT = f"swift sft --model {MODEL} --dataset a --tuner_type lora --per_device_train_batch_size 1 {{}}\n"
INTERN = (
    "torchrun --nproc_per_node 8 internvl/train/internvl_chat_finetune.py --model_name_or_path OpenGVLab/InternVL2-2B --output_dir out "
    "--bf16 True --num_train_epochs 1 --per_device_train_batch_size 4 --learning_rate 4e-5 --max_seq_length 4096 --do_train True {}\n"
)


def settings_of(name: str, text: str) -> Settings:
    (run,) = judge_texts({name: text}).runs
    return run.run.settings


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("a.yaml", LLAMAFACTORY, {"train_vision": False, "train_projector": False, "image_max_pixels": None}),
        ("a.yaml", LLAMAFACTORY + "freeze_vision_tower: false\n", {"train_vision": True, "train_projector": False}),
        (
            "a.yaml",
            LLAMAFACTORY + "freeze_multi_modal_projector: false\nimage_max_pixels: 262144\n",
            {"train_projector": True, "image_max_pixels": 262144},
        ),
        ("a.sh", SWIFT.format(""), {"train_vision": False, "train_projector": False}),
        ("a.sh", SWIFT.format("--freeze_vit false --max_pixels 602112"), {"train_vision": True, "image_max_pixels": 602112}),
        ("a.yaml", OUMI.format("  freeze_layers: [visual]\n"), {"freeze": ("visual",)}),
        (
            "a.sh",
            INTERN.format("--freeze_llm False --freeze_mlp True --freeze_backbone True"),
            {"train_vision": False, "train_projector": False},
        ),
        ("a.sh", INTERN.format("--freeze_llm True --freeze_backbone True --use_llm_lora 16"), {"adapter": "lora", "lora_r": 16}),
    ],
)
def test_what_trains_and_how_large_images_are(name: str, text: str, wanted: dict[str, Any]) -> None:
    found = settings_of(name, text)
    assert {key: found.value(key) for key in wanted} == wanted


def test_a_full_run_of_internvl_is_no_adapter() -> None:
    found = settings_of("a.sh", INTERN.format("--freeze_llm False --freeze_mlp False --freeze_backbone True"))
    assert found.value("adapter", "none") == "none"
    assert "adapter" not in found or found["adapter"].known


def test_the_megatron_back_end_of_llamafactory_has_degrees_of_its_own() -> None:
    keys = "tensor_model_parallel_size: 4\npipeline_model_parallel_size: 2\nsequence_parallel: true\n"
    keys += "use_distributed_optimizer: true\nbf16: true\n"
    text = LLAMAFACTORY.replace("lora", "full") + keys
    found = settings_of("a.yaml", text)
    wanted = {
        "tensor_parallel": 4,
        "pipeline_parallel": 2,
        "sequence_parallel": True,
        "model_code": "megatron",
        "engine_dtype": "bf16",
        "shard": "zero1",
    }
    assert {key: found.value(key) for key in wanted} == wanted
    (run,) = judge_texts({"a.yaml": text}, budget="device 80GiB").runs
    assert run.estimate is not None
    assert run.estimate.verdict.value != "does-not-fit"
    assert run.estimate.trainable_params == 7_615_616_512
