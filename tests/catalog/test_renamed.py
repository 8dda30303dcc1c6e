"""Checkpoints under other names have the sizes of the row that they are taken for, by what was read of each."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import renamed_models as tool

from budgetlint.catalog import models, renamed
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.ledger import embedding_parameters, head_parameters, parameter_count
from budgetlint.catalog.models import all_models, known_model

LINES: list[dict[str, Any]] = [json.loads(line) for line in tool.DATA.read_text(encoding="utf-8").splitlines()]
ROWS = {model.name: model for model in all_models()}
FAMILIES = {
    "LlamaForCausalLM": "llama", "LLaMAForCausalLM": "llama", "LlaMAForCausalLM": "llama", "MistralForCausalLM": "mistral",
    "GPT2LMHeadModel": "gpt2", "GPTNeoXForCausalLM": "gpt_neox", "T5ForConditionalGeneration": "t5", "MT5ForConditionalGeneration": "mt5",
    "GPTNeoForCausalLM": "gpt_neo", "OPTForCausalLM": "opt", "BloomForCausalLM": "bloom", "FalconForCausalLM": "falcon",
    "RWForCausalLM": "falcon", "GPTBigCodeForCausalLM": "gpt_bigcode", "GPTJForCausalLM": "gptj", "Qwen3MoeForCausalLM": "qwen3_moe",
    "InternLM2ForCausalLM": "internlm2", "CohereForCausalLM": "cohere", "MPTForCausalLM": "mpt",
}  # fmt: skip
SIZES = {
    "hidden": ("hidden_size", "n_embd", "d_model", "n_embed"), "layers": ("num_hidden_layers", "n_layer", "num_layers"),
    "heads": ("num_attention_heads", "n_head", "num_heads"), "intermediate": ("intermediate_size", "d_ff", "ffn_dim", "n_inner"),
    "vocab": ("vocab_size",),
}  # fmt: skip


def test_the_table_is_what_the_data_gives() -> None:
    assert Path(renamed.__file__).with_name(renamed.FILE).read_text(encoding="utf-8") == tool.table(), "python benchmarks/renamed_models.py"
    keys = [line.partition("\t")[0] for line in tool.table().splitlines()]
    assert len(set(keys)) == len(keys) > 2000


def _differences(line: dict[str, Any], row: Architecture) -> dict[str, tuple[int, int]]:
    read = {field: next((line["config"][key] for key in keys if line["config"].get(key)), None) for field, keys in SIZES.items()}
    return {field: (size, getattr(row, field)) for field, size in read.items() if size is not None and size != getattr(row, field)}


def test_a_config_that_was_read_has_the_class_and_the_sizes_of_its_row() -> None:
    read = [(line, ROWS[line["row"]]) for line in LINES if "config" in line]
    assert len(read) > 1500
    assert [line["id"] for line, row in read if FAMILIES[line["config"]["architectures"]] != row.family] == []
    assert {line["id"]: found for line, row in read if (found := _differences(line, row))} == {}
    assert [line["id"] for line, _ in read if "vocab_size" not in line["config"]] == []


def test_a_count_that_was_read_is_its_rows_and_that_of_no_other_shape() -> None:
    counts = [(line, ROWS[line["row"]]) for line in LINES if "params" in line]
    assert len(counts) > 150
    for line, row in counts:
        bare = parameter_count(row) - (head_parameters(row) if row.kind == "decoder" else 0)
        assert line["params"] in (parameter_count(row), bare), line
        assert line.get("embedding", embedding_parameters(row)) == embedding_parameters(row), line
        assert FAMILIES.get(line.get("architectures", ""), row.family) == row.family, line


def test_the_rest_says_where_it_stands() -> None:
    assert [line["id"] for line in LINES if not {"config", "params", "source"} & line.keys()] == []


def test_no_row_has_the_name_already() -> None:
    assert [line["id"] for line in LINES if models._known(line["id"], line["id"].rpartition("/")[2])] == []


@pytest.mark.parametrize(
    ("text", "row", "positions"),
    [
        ("BAAI/bge-base-en-v1.5", "bert-base-uncased", 512),
        ("/data/models/bge-large-en-v1.5", "bert-large-uncased", 512),
        ("AI-ModelScope/e5-mistral-7b-instruct", "mistral-7b-v0.1", None),
        ("lmsys/vicuna-7b-v1.3", "llama-7b", None),
        ("./pretrained/lmsys/vicuna-7b-v1.3/", "llama-7b", None),
        ("models--lmsys--vicuna-7b-v1.3/snapshots/236eeeab96f0", "llama-7b", None),
        ("TheBloke/WizardLM-13B-V1.2-GPTQ", "llama-13b", None),
        ("google/medgemma-4b-it", "gemma-3-4b", None),
        ("openai/whisper-large", "whisper-large-v2", 448),
    ],
)
def test_a_checkpoint_of_another_name_is_found(text: str, row: str, positions: int | None) -> None:
    found = known_model(text)
    assert found is not None and (found.name, found.max_positions) == (row, positions)


@pytest.mark.parametrize(
    "text",
    ["result", "somebody/result", "bge-base-en-v1.5-mine", "vicuna-7b-v1.3x", "a\nb", "lmsys/vicuna-7b-v1.3\tllama-7b", "", "/"],
)
def test_a_name_that_only_resembles_one_is_not(text: str) -> None:
    """``Parth/result`` is in the table: a folder of that last name is anything."""
    assert known_model(text) is None


def test_a_name_of_a_row_with_another_owner_is_the_owners() -> None:
    assert [known_model(text).vocab for text in ("klue/roberta-base", "FacebookAI/roberta-base")] == [32000, 50265]  # type: ignore[union-attr]
