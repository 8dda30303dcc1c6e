"""A data file that a run names bounds the length of its rows: where it is sure to be all of them, and only there."""

from __future__ import annotations

import json

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.resolve.data_rows import longest_row
from budgetlint.testing import settings_of

ROWS = [{"instruction": "x" * size, "input": "", "output": "y"} for size in (10, 900, 30)]
LISTED, LINES = json.dumps(ROWS), "\n".join(map(json.dumps, ROWS))
LONGEST = len(json.dumps(ROWS[1]))
BOUND = 1472
"""947 bytes, 512 tokens of template, padded to a multiple of 64."""

FACTORY = """model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
finetuning_type: lora
lora_target: all
dataset: {dataset}
template: qwen
cutoff_len: {length}
output_dir: out
per_device_train_batch_size: 8
learning_rate: 1.0e-4
bf16: true
{more}
"""
INFO = {"mine": {"file_name": "mine.json"}, "hub": {"hf_hub_url": "a/b", "file_name": "mine.json"}, "gone": {"file_name": "gone.json"}}
AXOLOTL = """base_model: Qwen/Qwen2.5-7B
datasets: [{{path: {path}, type: {type}}}]
sequence_len: 16384
adapter: lora
lora_r: 16
lora_target_linear: true
micro_batch_size: 2
num_epochs: 1
bf16: true
{more}
"""


def _length(files: dict[str, str]) -> object:
    data = {"data/dataset_info.json": json.dumps(INFO), "data/mine.json": LISTED, "mine.jsonl": LINES}
    (found,) = settings_of({**data, **files})
    return found.get("seq_len")


@pytest.mark.parametrize(
    ("dataset", "length", "more", "wanted"),
    [
        ("mine", 16384, "", BOUND),
        ("mine", 1024, "", 1024),  # the limit is less
        ("mine,gone", 16384, "", 16384),  # one that is not here may be longer
        ("hub", 16384, "", 16384),  # a hub's address beats the file
        ("mine", 16384, "packing: true", 16384),
        ("mine", 16384, "eval_dataset: gone", 16384),
        ("mine", 16384, "dataset_dir: other", 16384),
        ("mine", 16384, "tokenized_path: saved", 16384),
        ("mine", 16384, f"default_system: {'z' * 64}", BOUND + 64),
    ],
)
def test_llamafactory(dataset: str, length: int, more: str, wanted: int) -> None:
    assert _length({"train.yaml": FACTORY.format(dataset=dataset, length=length, more=more)}) == wanted


@pytest.mark.parametrize(
    ("path", "type", "more", "wanted"),
    [
        ("mine.jsonl", "alpaca", "", BOUND),
        ("mine.jsonl", "my_prompts", "", 16384),  # a module of the project's may write what it likes around a row
        ("somebody/mine", "alpaca", "", 16384),
        ("mine.jsonl", "alpaca", "sample_packing: true", 16384),
        ("mine.jsonl", "alpaca", "plugins: [mine.Plugin]", 16384),
    ],
)
def test_axolotl(path: str, type: str, more: str, wanted: int) -> None:
    assert _length({"train.yaml": AXOLOTL.format(path=path, type=type, more=more)}) == wanted


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        ("--dataset mine.jsonl", BOUND),  # no limit is written
        ("--dataset mine.jsonl#2 --max_length 8192", BOUND),
        ("--dataset mine.jsonl AI-ModelScope/alpaca", None),
        ("--dataset mine.jsonl --custom_register_path own.py", None),
        ("--dataset mine.jsonl --system prompt.txt", None),
    ],
)
def test_ms_swift(flags: str, wanted: int | None) -> None:
    command = f"swift sft --model Qwen/Qwen2.5-7B-Instruct --train_type lora --learning_rate 1e-4 {flags}\n"
    assert _length({"run.sh": command}) == wanted


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("a.json", LISTED, (2, LONGEST)),
        ("a.jsonl", LINES, (2, LONGEST)),
        ("a.json", LINES, (2, LONGEST)),
        ("a.jsonl", '{"text": "ä"}', (1, 14)),
        ("a.jsonl", '{"text": "\u0958"}', (1, 18)),  # NFC makes two letters of it
        ("a.csv", 'text,label\n"a\nb",1\nlonger,0\n', (2, 8)),
        ("a.json", '{"data": [{"text": "a"}, {"text": "b"}]}', (1, 40)),  # whatever is taken out of it is no longer
        ("a.json", '{\n"data": [{"text": "a"}]\n}', None),
        ("a.json", '[{"text": "a"}', None),
        ("a.json", "[" * 100_000, None),
        ("a.jsonl", '{"text": "a", "images": ["a.png"]}', None),
        ("a.csv", "image,text\na,b\n", None),
        ("a.csv", "", None),
        ("a.txt", "a", None),
    ],
)
def test_the_longest_row(name: str, text: str, wanted: tuple[int, int] | None) -> None:
    found = longest_row(SourceFile(name, text))
    assert (found and (found.row, found.bytes)) == wanted
