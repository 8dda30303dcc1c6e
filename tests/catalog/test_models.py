"""Models are found by catalog name, hub id or path; their counts equal the published ones exactly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from budgetlint.catalog import models
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.ledger import active_parameters, embedding_parameters, head_parameters, linears, parameter_count, weight_tensors
from budgetlint.catalog.models import all_models, find_model, stored_as, verified
from budgetlint.catalog.names import NoMatch, squeeze


def found(text: str) -> Architecture:
    model = find_model(text)
    assert isinstance(model, Architecture), model
    return model


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("qwen2.5-1.5b", "qwen2.5-1.5b"),
        ("meta-llama/Llama-2-7b-hf", "llama-2-7b"),
        ("meta-llama/Llama-2-7b-chat-hf", "llama-2-7b"),
        ("meta-llama/Llama-3.1-8B", "llama-3.1-8b"),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b"),
        ("unsloth/Qwen2.5-7B-Instruct-bnb-4bit", "qwen2.5-7b"),
        ("unsloth/Meta-Llama-3.1-8B-Instruct-unsloth-bnb-4bit", "llama-3.1-8b"),
        ("TheBloke/Llama-2-70B-GPTQ", "llama-2-70b"),
        ("./models/mistral-7b-v0.1/", "mistral-7b-v0.1"),
        ("C:\\models\\gpt2", "gpt2"),
        ("/home/ann/.cache/huggingface/hub/models--meta-llama--Llama-2-7b-hf/snapshots/8cca527612d8", "llama-2-7b"),
        ("models--gpt2/snapshots/607a30d783df/", "gpt2"),
        ("/mnt/workspace/.cache/modelscope/hub/Qwen/Qwen2___5-7B-Instruct", "qwen2.5-7b"),
        ("microsoft/phi-1_5", "phi-1.5"),
        ("Qwen/Qwen-1_8B-Chat", "qwen-1.8b"),
        ("ibm/PowerLM-3b", "powerlm-3b"),
        ("timm/vit_huge_patch14_224.orig_in21k", "vit-huge-patch14-224"),
        ("bigcode/gpt_bigcode-santacoder", "gpt-bigcode-santacoder"),
        ("google/gemma-2-9b-it", "gemma-2-9b"),
        ("allenai/Olmo-3-7B-Instruct", "olmo-3-7b"),
        ("microsoft/Phi-4-reasoning-plus", "phi-4-reasoning"),
        ("hugging-quants/Meta-Llama-3.1-405B-BNB-NF4-BF16", "llama-3.1-405b"),
        ("modelscope/Llama-2-13b-chat-ms", "llama-2-13b"),
        ("deepseek-ai/deepseek-llm-7b-chat", "deepseek-llm-7b"),
        ("roberta-large", "roberta-large"),
        ("bigscience/bloomz-7b1-mt", "bloom-7b1"),
        ("openlm-research/open_llama_3b_v2", "open-llama-3b"),
        ("/models/internlm2_5-20b-chat/", "internlm2-20b"),
    ],
)
def test_a_name_a_hub_id_or_a_path_finds_its_row(text: str, name: str) -> None:
    assert found(text).name == name


@pytest.mark.parametrize(("text", "suggestion"), [("qwen2.5-1.6b", "qwen2.5-1.5b"), ("llama-3", "llama-3-8b"), ("qwen2.5", "qwen2.5-0.5b")])
def test_a_near_miss_is_suggested_and_not_taken(text: str, suggestion: str) -> None:
    missing = find_model(text)
    assert isinstance(missing, NoMatch)
    assert suggestion in missing.suggestions


@pytest.mark.parametrize("file", models.FILES)
def test_the_index_is_that_of_the_rows(file: str) -> None:
    assert models._index(file) == models.index_of(file)
    assert json.loads(models._raw(models.INDEX))[file] == models.index_of(file), "run python -m budgetlint.catalog.models"


@pytest.mark.parametrize("file", models.FILES)
def test_the_line_of_a_row_is_the_row(file: str) -> None:
    rows = json.loads((Path(models.__file__).with_name(file)).read_text(encoding="utf-8"))["models"]
    assert [models._model(file, row["name"]) for row in rows] == [models.architecture_of(row) for row in rows]


def test_an_index_of_other_rows_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody adds a row, and tries it before the index is written anew; their checkout ends its lines as Windows does."""
    raw = models._raw(models.FILES[0]).replace(b"\n", b"\r\n").replace(b'"qwen2.5-0.5b",', b'"my-model-0.5b",', 1)
    for name, text in ((models.FILES[0], raw), (models.FILES[1], models._raw(models.FILES[1])), (models.INDEX, models._raw(models.INDEX))):
        (tmp_path / name).write_bytes(text)
    monkeypatch.setattr(models, "__file__", str(tmp_path / "models.py"))
    cached = (models._raw, models._index, models._document, models._rows, models._model, models._owned, models._folded, models._keys)
    for one in cached:
        one.cache_clear()
    try:
        assert (found("org/my-model-0.5b").name, found("org/my-model-0.5b").hidden) == ("my-model-0.5b", 896)
    finally:
        for one in cached:
            one.cache_clear()


def test_a_variant_of_another_shape_is_another_row() -> None:
    assert found("deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B").tied is False
    assert found("Qwen/Qwen2.5-1.5B").tied is True


@pytest.mark.parametrize(
    ("text", "ending"), [("TheBloke/Llama-2-70B-GPTQ", "gptq"), ("x/y-bnb-4bit", "bnb-4bit"), ("Qwen/Qwen2.5-7B", None)]
)
def test_the_stored_form_is_told_apart(text: str, ending: str | None) -> None:
    assert stored_as(text) == ending


@pytest.mark.parametrize(
    ("text", "family", "count"),
    [
        ("unsloth/phi-4", "llama", 14_659_507_200),
        ("unsloth/phi-4-unsloth-bnb-4bit", "llama", 14_659_507_200),
        ("microsoft/phi-4", "phi3", 14_659_507_200),
        ("./unsloth/x/phi-4", "phi3", 14_659_507_200),
        ("unsloth/Phi-3-mini-4k-instruct-bnb-4bit", "llama", 3_821_079_552),
        ("microsoft/Phi-3-mini-4k-instruct", "phi3", 3_821_079_552),
    ],
)
def test_a_conversion_is_told_from_what_it_was_made_from_by_its_owner(text: str, family: str, count: int) -> None:
    assert found(text).family == family
    assert parameter_count(found(text)) == count


def test_every_row_is_found_by_each_of_its_names_and_shares_none() -> None:
    owners: dict[str, str] = {}
    for model in all_models():
        for name in filter(None, (model.name, *model.aliases, model.hub_id)):
            assert find_model(name) == model, name
            assert owners.setdefault(squeeze(name), model.name) == model.name


UNPUBLISHED = {
    "powerlm-3b",
    "qwen-1.8b",
    "qwen-14b",
    "baichuan2-7b",
    "baichuan2-13b",
    "stablelm-base-alpha-3b",
    "mistral-7b-v0.2",
    "gpt-bigcode-santacoder",
    "gpt-48x7168",
    "gpt-64x8192",
    "gpt-64x9216",
    "gpt-64x12288",
}
"""Shapes for which no public total was read: nothing to compare the ledger with."""


@pytest.mark.parametrize("model", all_models(), ids=lambda m: m.name)
def test_the_ledger_sums_to_the_published_count(model: Architecture) -> None:
    assert (model.params_published is None) == (model.name in UNPUBLISHED)
    assert parameter_count(model) == (model.params_published or parameter_count(model))


PUBLISHED = {
    "llama-13b": 13_015_864_320,
    "deepseek-llm-7b": 6_910_365_696,
    "deepseek-coder-1.3b": 1_346_471_936,
    "deepseek-coder-6.7b": 6_740_512_768,
    "yi-9b": 8_829_407_232,
    "qwen1.5-7b": 7_721_324_544,
    "qwen1.5-14b": 14_167_290_880,
    "qwen1.5-32b": 32_512_218_112,
    "mistral-small-24b-2501": 23_572_403_200,
    "magistral-small": 23_572_403_200,
    "phi-3-medium": 13_960_238_080,
    "olmo-2-1b": 1_484_916_736,
    "olmo-3-7b": 7_298_011_136,
    "olmo-3-32b": 32_233_522_176,
    "opt-350m": 331_196_416,
    "bloom-1b1": 1_065_314_304,
    "bloom-1b7": 1_722_408_960,
    "bloom-3b": 3_002_557_440,
    "pythia-14m": 14_067_712,
    "distilgpt2": 81_912_576,
    "starcoderbase": 15_517_456_384,
    "starcoderbase-1b": 1_137_207_296,
    "gpt-neo-125m": 125_198_592,
    "falcon-rw-1b": 1_311_625_216,
    "deepseek-v2": 235_741_434_880,
    "olmoe-1b-7b": 6_919_161_856,
    "seed-oss-36b": 36_151_104_512,
    "internlm2-1.8b": 1_889_110_016,
    "internlm2-20b": 19_861_149_696,
    "bert-base-cased": 108_310_272,
    "bert-large-cased": 333_579_264,
    "bert-base-multilingual-cased": 177_853_440,
    "bert-base-chinese": 102_267_648,
    "roberta-base": 124_645_632,
    "roberta-large": 355_359_744,
    "xlm-roberta-base": 278_043_648,
    "xlm-roberta-large": 559_890_432,
    "modernbert-large": 394_781_696,
    "t5-large": 737_668_096,
    "t5-3b": 2_851_598_336,
    "t5-11b": 11_307_321_344,
    "flan-t5-small": 76_961_152,
    "flan-t5-base": 247_577_856,
    "flan-t5-large": 783_150_080,
}
"""Totals read in public files; models.json names the file of each."""


@pytest.mark.parametrize(("name", "count"), PUBLISHED.items())
def test_a_total_that_was_read_is_the_ledgers(name: str, count: int) -> None:
    assert parameter_count(found(name)) == count
    assert "published" in verified(name)


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("Qwen/Qwen3-4B", 40960),
        ("Qwen/Qwen3-4B-Thinking-2507", 262144),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", 262144),
        ("Qwen/Qwen3-235B-A22B-Thinking-2507", 262144),
        ("Qwen/Qwen2.5-7B-Instruct-1M", 1010000),
        ("Qwen/Qwen2.5-Math-7B", 4096),
        ("microsoft/phi-4", 16384),
        ("microsoft/Phi-4-reasoning", 32768),
        ("01-ai/Yi-34B-200K", None),
        ("THUDM/chatglm3-6b-32k", 32768),
    ],
)
def test_a_variant_with_other_positions_is_another_row(text: str, positions: int | None) -> None:
    assert found(text).max_positions == positions


def test_more_than_two_hundred_counts_are_those_of_the_transformers_classes() -> None:
    """models.json: an instance of the 5.24.0 class on the meta device has as many parameters as `params_published`."""
    checked = [model for model in all_models() if "code" in verified(model.name)]
    assert len(checked) >= 205
    assert all(parameter_count(model) == model.params_published for model in checked)


@pytest.mark.parametrize(
    ("name", "active"),
    [("mixtral-8x7b", 12_879_925_248), ("qwen3-30b-a3b", 3_353_032_704), ("deepseek-v3", 37_552_282_624), ("gpt-oss-20b", 4_187_440_704)],
)
def test_active_parameters_of_mixtures(name: str, active: int) -> None:
    assert active_parameters(found(name)) == active


def test_embedding_and_head_are_one_matrix_where_they_are_tied() -> None:
    tied, untied = found("qwen2.5-1.5b"), found("qwen2.5-7b")
    assert (embedding_parameters(tied), head_parameters(tied)) == (151936 * 1536, 0)
    assert embedding_parameters(untied) == head_parameters(untied) == 152064 * 3584


@pytest.mark.parametrize(
    ("name", "role", "inputs", "outputs", "count"),
    [
        ("llama-3.1-8b", "k_proj", 4096, 1024, 32),
        ("phi-3-mini", "qkv_proj", 3072, 9216, 32),
        ("gpt2", "qkv_proj", 768, 2304, 12),
        ("mixtral-8x7b", "expert_down_proj", 14336, 4096, 256),
        ("deepseek-v3", "shared_up_proj", 7168, 2048, 58),
        ("deepseek-v3", "gate_proj", 7168, 18432, 3),
        ("t5-base", "cross_k_proj", 768, 768, 12),
    ],
)
def test_linears_have_the_sizes_of_the_real_modules(name: str, role: str, inputs: int, outputs: int, count: int) -> None:
    item = next(item for item in linears(found(name)) if item.role == role)
    assert (item.inputs, item.outputs, item.count) == (inputs, outputs, count)


@pytest.mark.parametrize("model", all_models(), ids=lambda m: m.name)
def test_every_tensor_has_a_size_and_a_name_of_its_own(model: Architecture) -> None:
    tensors = weight_tensors(model)
    assert all(tensor.elements > 0 for tensor in tensors)
    assert len({(tensor.name, tensor.where) for tensor in tensors}) == len(tensors)


def test_every_row_names_its_sources() -> None:
    assert not [model.name for model in all_models() if not model.sources]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("RedHatAI/Qwen2.5-7B-Instruct-FP8-BLOCK", "qwen2.5-7b"),
        ("mlx-community/Meta-Llama-3.1-8B-Instruct-4bit-DWQ", "llama-3.1-8b"),
        ("mlx-community/Qwen3-8B-6bit", "qwen3-8b"),
        ("mlx-community/gemma-3-4b-it-qat-4bit", "gemma-3-4b"),
        ("Qwen/Qwen3-8B-MLX-4bit", "qwen3-8b"),
        ("bartowski/Qwen2.5-7B-Instruct-GGUF", "qwen2.5-7b"),
        ("nytopop/Qwen3-30B-A3B.w4a16", "qwen3-30b-a3b"),
        ("unsloth/gpt-oss-20b-mxfp4", "gpt-oss-20b"),
        ("NVFP4/Qwen3-30B-A3B-Instruct-2507-FP4", "qwen3-30b-a3b-2507"),
        ("Qwen/Qwen3-8B-fp8-sft", None),
        ("Qwen/Qwen3-8B-sft-fp8", None),
        ("fp8-qwen3-8b", None),
        ("4bit", None),
    ],
)
def test_what_was_packed_is_found_and_what_was_trained_is_not(text: str, name: str | None) -> None:
    model = models.known_model(text)
    assert (model.name if model else None) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("reciprocate/tiny-llama", None),
        ("THUMT/mGPT", None),
        ("ai-forever/mGPT", "mgpt"),
        ("LinkSoul/Chinese-Llama-2-7b", "llama-7b"),
        ("LinkSoul/Chinese-Llama-2-7b-4bit", "llama-7b"),
        ("Linly-AI/Chinese-LLaMA-2-7B-hf", None),
        ("ziqingyang/chinese-llama-2-7b", "chinese-llama-2-7b"),
    ],
)
def test_another_owners_model_of_the_same_name_is_not_the_row(text: str, name: str | None) -> None:
    """RahulSChand/gpu_poor public/all_configs.json has the sizes of each."""
    model = models.known_model(text)
    assert (model.name if model else None) == name
