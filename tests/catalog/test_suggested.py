"""Names of folders and of fine-tunes: which model each names, which it only suggests, and which say nothing."""

from __future__ import annotations

import pytest

from budgetlint.catalog.models import known_model
from budgetlint.catalog.stored import storage
from budgetlint.catalog.suggested import suggested

IS = [
    ("/data/hub/Qwen2.5-7B", "qwen2.5-7b"),
    ("/data/hub/Qwen2.5-7B/", "qwen2.5-7b"),
    ("~/models/qwen2.5_7b", "qwen2.5-7b"),
    ("../Qwen2.5-7B/model", "qwen2.5-7b"),
    ("../Qwen2.5-7B/main/", "qwen2.5-7b"),
    ("C:\\models\\Qwen2.5-7B", "qwen2.5-7b"),
    ("/mnt/modelscope/Qwen/Qwen2___5-7B", "qwen2.5-7b"),
    ("models--Qwen--Qwen2.5-7B", "qwen2.5-7b"),
    ("/cache/hub/models--Qwen--Qwen2.5-7B/", "qwen2.5-7b"),
    ("/cache/hub/models--Qwen--Qwen2.5-7B/snapshots/d149729398750b98c0af14eb82c78cfe92750796", "qwen2.5-7b"),
    ("/cache/hub/models--Qwen--Qwen2.5-7B/snapshots/d149729398750b98c0af14eb82c78cfe92750796/", "qwen2.5-7b"),
    ("/share/openai/whisper-small", "whisper-small"),
]

SUGGESTS = [
    # what was trained, beside the name
    ("models/llama-3.1-8b-sft-merged", "llama-3.1-8b"),
    ("/project/lt/boss/llama_2_7b_fixed_resized", "llama-2-7b"),
    ("someone/whisper-small-belarusian", "whisper-small"),
    ("someone/Qwen2.5-0.5B-open-r1-distill", "qwen2.5-0.5b"),
    ("someone/qwen2_5_7b_sft", "qwen2.5-7b"),
    ("out/qwen-2-5-7b-sft", "qwen2.5-7b"),
    ("/data/me/sotopia-rl/sft_qwen25_7b/checkpoint-4000/", "qwen2.5-7b"),
    ("out/llama31-8b-dpo", "llama-3.1-8b"),
    ("my_qwen2.5-1.5b-grpo-v3", "qwen2.5-1.5b"),
    ("ft-Llama-3.2-1B-Instruct-2024-11-02", "llama-3.2-1b"),
    ("someone/llama3.1-8b-alpaca", "llama-3.1-8b"),
    ("someone/Llama-3.1-8B-Instruct-abliterated", "llama-3.1-8b"),
    ("someone/bert-base-uncased-finetuned-squad", "bert-base-uncased"),
    ("someone/t5-base-finetuned-xsum", "t5-base"),
    ("outputs/gpt2-medium-wikitext", "gpt2-medium"),
    ("outputs/mixtral-8x7b-sft", "mixtral-8x7b-v0.1"),
    ("outputs/qwen3-30b-a3b-sft", "qwen3-30b-a3b"),
    ("outputs/qwen2.5-coder-7b-sft", "qwen2.5-coder-7b"),
    ("outputs/qwen2.5-vl-7b-sft", "qwen2.5-vl-7b"),
    ("ckpt/deepseek-r1-distill-qwen-7b-grpo", "deepseek-r1-distill-qwen-7b"),
    # in the folder above
    ("./models/Qwen2.5-1.5B_tuned/gsm8k_unk_s1", "qwen2.5-1.5b"),
    ("./models/Llama-3.2-3B_tuned/gsm8k_var_s1", "llama-3.2-3b"),
    ("outputs/qwen2.5-7b-sft/checkpoint-500", "qwen2.5-7b"),
    ("qwen2.5-7b-sft/checkpoint-500", "qwen2.5-7b"),
    ("/ckpts/qwen2.5-7b-grpo/global_step_120/actor/huggingface", "qwen2.5-7b"),
    ("/ckpts/Qwen2.5-7B/checkpoint-500", "qwen2.5-7b"),
    ("runs/llama-3.1-8b-dpo/final", "llama-3.1-8b"),
    ("/home/me/llama-3.1-8b-run/epoch_3", "llama-3.1-8b"),
    ("saves/llama3-8b/full/sft", "llama-3-8b"),
    ("../models/out/whisper-large-v3-20251008-1047/best-checkpoint", "whisper-large-v3"),
    # a name without its version, where the size leaves one shape
    ("./0421-qwen3b-question-only/checkpoint-175", "qwen2.5-3b"),
    ("qwen3b-it-old-prompt/checkpoint-400", "qwen2.5-3b"),
    ("./checkpoints/sft/sokoban-1.5b-sft-qwen-2.5-1.5b-base-full-sft/global_step_225", "qwen2.5-1.5b"),
    ("outputs/llama-7b-sft", "llama-7b"),
    # a merged adapter is the model again
    ("out/llama-3.1-8b-lora-merged", "llama-3.1-8b"),
    ("/out/lora/merged/qwen2.5-7b-sft", "qwen2.5-7b"),
    # how it is stored is told by the same name
    ("someone/llama-3.1-8b-sft-bnb-4bit", "llama-3.1-8b"),
]

SUGGESTS_TWO = [
    ("outputs/gemma-2b-sft", {"gemma-2b", "gemma-2-2b"}),
    ("outputs/llama-3.1-8b-to-qwen2.5-1.5b", {"llama-3.1-8b", "qwen2.5-1.5b"}),
    ("outputs/qwen-0.5b-sft", {"qwen2.5-0.5b", "qwen1.5-0.5b"}),
    ("outputs/mistral-7b-sft", {"mistral-7b-v0.1", "mistral-7b-v0.3"}),
]

SAYS_NOTHING = [
    "",
    ".",
    "./",
    "/",
    "model",
    "YOUR_BASE_MODEL",
    "/groups/x/checkpoints/sft-1960947055",
    "checkpoints/sft_v3_merged",
    "data_impairedSpeech",
    "llama-stage1-model-path",
    "${MODEL_DIR}/x",
    # no family, no size, or a family of several
    "openthaigpt/openthaigpt-1.0.0-alpha-7b-chat",
    "my-8b-model",
    "out/llama-sft",
    "out/llama3-sft",
    "out/gpt2-run3",
    "out/bert-mine",
    "out/qwen-7b-sft",
    "a/llama-3.1-8b-qwen2.5-1.5b-whisper-small",
    "/home/xx/pretrained_model/deberta-large",
    "indobenchmark/indobert-base-p1",
    "GermanT5/t5-efficient-gc4-german-base-nl36",
    "out/qwen-8b5",
    # a size that is another
    "out/llama-3.1-18b-sft",
    "out/llama-3.1-8b5-sft",
    "out/qwen2.5-7bsft",
    "out/xqwen2.5-7b-sft",
    "out/sheared-llama-3.1-2.7b-sft",
    "out/qwen2.5-1.7b-sft",
    "out/qwen2.5-15b-sft",
    "out/llama-3.1-8b-pruned-4b",
    "out/llama-3.1-8b-4b",
    # another architecture around it
    "out/llava-llama-3.1-8b-sft",
    "out/Qwen2.5-7B-VL-mine",
    "out/qwen2.5-7b-embedding-mine",
    "out/eagle-llama-3.1-8b-head",
    "out/qwen2.5-7b-moe-upcycled",
    "out/distil-whisper-small-x",
    "out/qwen2.5-7b-2layers",
    "out/tiny-llama-3.1-8b",
    "models/llama3-8b-pro",
    # files of another program, differences
    "../models/whisper-small-ct2/",
    "out/qwen2.5-7b-sft-gguf",
    "out/llama-2-7b-delta",
    # adapters
    "out/llama-3.1-8b-lora",
    "out/qwen2.5-7b-qlora-sft",
    "out/qwen2.5-7b-adapter",
    "out/lora/qwen2.5-7b-sft/checkpoint-10",
    "out/qwen2.5-7b_adapters/final",
    # too far above, or behind another family's name
    "/exp/qwen2.5-7b-study/a/b/c/out",
    "/exp/qwen2.5-7b-study/llama-ckpt",
    "qwen2.5-7b-fans/some-model",
]


@pytest.mark.parametrize(("name", "row"), IS)
def test_a_folder_with_a_models_name_is_that_model_and_suggests_nothing(name: str, row: str) -> None:
    found = known_model(name)
    assert found is not None and found.name == row
    assert suggested(name) == ()


@pytest.mark.parametrize(("name", "row"), SUGGESTS)
def test_a_name_beside_other_words_suggests_its_model(name: str, row: str) -> None:
    expected = known_model(row)
    assert expected is not None
    assert known_model(name) is None
    assert suggested(name) == (expected.name,)


@pytest.mark.parametrize(("name", "rows"), SUGGESTS_TWO)
def test_a_name_that_fits_two_models_suggests_both(name: str, rows: set[str]) -> None:
    assert set(suggested(name)) == rows


@pytest.mark.parametrize("name", SAYS_NOTHING)
def test_other_names_suggest_nothing(name: str) -> None:
    assert suggested(name) == ()


def test_a_quantised_checkpoint_below_its_name_stays_quantised() -> None:
    assert storage("/x/Qwen2.5-7B-Instruct-AWQ/model") == storage("/x/Qwen2.5-7B-Instruct-AWQ") == ("awq", "awq")


def test_a_long_name_is_looked_at_once_and_says_nothing() -> None:
    assert suggested("llama-" * 5000) == ()
