"""A merge of the project writes a model: its folder has the shape of the base, with the chain that leads there."""

from __future__ import annotations

import pytest

from budgetlint.report.setting_why import render
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import RunContext

BASE = "Qwen/Qwen2.5-1.5B"

TRAIN = """model_name_or_path: {model}
stage: dpo
do_train: true
finetuning_type: lora
dataset: mine
template: qwen
cutoff_len: 1024
output_dir: saves/dpo
per_device_train_batch_size: 1
bf16: true
"""
EXPORT = """model_name_or_path: {base}
adapter_name_or_path: saves/lora
template: qwen
finetuning_type: lora
export_dir: {out}
"""
AXOLOTL = """base_model: {base}
adapter: {adapter}
lora_r: 8
sequence_len: 1024
micro_batch_size: 1
output_dir: {out}
datasets:
  - path: data.jsonl
    type: alpaca
"""
MERGE = """import argparse
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

parser = argparse.ArgumentParser()
parser.add_argument("--base", default="Qwen/Qwen2.5-1.5B")
parser.add_argument("--adapter", default="out/adapter")
parser.add_argument("--out", default="out/both")
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained(args.base, torch_dtype=torch.bfloat16)
model = PeftModel.from_pretrained(model, args.adapter)
BODY
AutoTokenizer.from_pretrained(args.base).save_pretrained(args.out)
"""
MERGED = "merged = model.merge_and_unload()\nmerged.save_pretrained(args.out)"


def last(files: dict[str, str], model: str) -> RunContext:
    texts = {**files, "last.yaml": TRAIN.format(model=model), "last.sh": "llamafactory-cli train last.yaml\n"}
    return next(one for one in judge_texts(texts, budget="device a100-80gb").runs if one.run.name == "last.sh")


def merge(body: str = MERGED, words: str = "--base Qwen/Qwen2.5-1.5B --out out/both") -> dict[str, str]:
    files = {"merge.py": MERGE.replace("BODY", body)}
    return {**files, "merge.sh": f"python merge.py {words}\n"} if words else files


@pytest.mark.parametrize(
    ("files", "model", "says"),
    [
        ({"export.yaml": EXPORT.format(base=BASE, out="saves/sft")}, "saves/sft", f"saves/sft is what export.yaml writes: {BASE}, merged"),
        (
            {"sft.yml": AXOLOTL.format(base=BASE, adapter="qlora", out="./out/sft"), "sft.sh": "axolotl train sft.yml\n"},
            "out/sft/merged",
            f"out/sft/merged is what axolotl merge-lora of sft.sh writes: {BASE}, merged",
        ),
        (merge(), "out/both", f"out/both is what merge.py writes: {BASE}, merged"),
        (merge(words=""), "out/both", f"out/both is what merge.py writes: {BASE}, merged"),
        (
            merge("model = model.merge_and_unload().to(torch.float16)\nmodel.save_pretrained(args.out)"),
            "out/both",
            "out/both is what merge.py",
        ),
        (merge(words="--base Qwen/Qwen2.5-1.5B --out runs/c"), "runs/c", "runs/c is what merge.py writes"),
    ],
)
def test_what_a_merge_writes(files: dict[str, str], model: str, says: str) -> None:
    run = last(files, model)
    assert run.architecture is not None
    assert run.architecture.name == "qwen2.5-1.5b"
    assert run.estimate is not None
    assert any(one.text.startswith(says) for one in run.estimate.assumptions)
    assert "written by" in render(run, "model")


AUTO = """from peft import AutoPeftModelForCausalLM

model = AutoPeftModelForCausalLM.from_pretrained("saves/sft/checkpoint-20")
model.merge_and_unload().save_pretrained("out/auto")
"""
LORA = TRAIN.replace("saves/dpo", "saves/{out}")


@pytest.mark.parametrize(("out", "known"), [("sft", True), ("other", False)])
def test_an_adapter_that_brings_its_base_along_is_that_of_its_run(out: str, known: bool) -> None:
    first = {"sft.yaml": LORA.format(model=BASE, out=out), "sft.sh": "llamafactory-cli train sft.yaml\n"}
    assert (last({**first, "auto.py": AUTO}, "out/auto").architecture is not None) is known


@pytest.mark.parametrize(
    ("files", "model"),
    [
        # quantised on the way out
        ({"export.yaml": EXPORT.format(base=BASE, out="saves/sft") + "export_quantization_bit: 4\n"}, "saves/sft"),
        # two exports into one folder
        ({"a.yaml": EXPORT.format(base=BASE, out="o/x"), "b.yaml": EXPORT.format(base="Qwen/Qwen2.5-7B", out="o/x")}, "o/x"),
        # nothing to merge
        ({"sft.yml": AXOLOTL.format(base=BASE, adapter="", out="./out/sft"), "sft.sh": "axolotl train sft.yml\n"}, "elsewhere/merged"),
        # what is saved is the adapter: the merge is thrown away, or never made
        (merge("model.merge_and_unload()\nmodel.save_pretrained(args.out)"), "out/both"),
        (merge("model.save_pretrained(args.out)"), "out/both"),
        # which base?
        (merge(words="--base $BASE --out out/both"), "out/both"),
        (merge(words="--base Qwen/Qwen2.5-1.5B --out $OUT"), "out/both"),
        # another folder
        (merge(), "out/other"),
    ],
)
def test_what_no_merge_writes(files: dict[str, str], model: str) -> None:
    assert last(files, model).architecture is None
