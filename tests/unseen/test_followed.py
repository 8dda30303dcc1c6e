"""Programs of public repositories that nobody had looked at, cut down: what a config means to the program that reads it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from budgetlint.config.config import Config
from budgetlint.engine.check import check
from budgetlint.files.disk import TextFiles
from budgetlint.registry import installed
from budgetlint.resolve.followed import FollowedPrograms
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect, judge_texts
from budgetlint.settings.consumer import ACCEPTED, LAUNCH, OPENED, SEVERAL

DATACLASS = """\
import os, sys
from dataclasses import dataclass, field
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, HfArgumentParser, Trainer, TrainingArguments
from peft import LoraConfig, get_peft_model

@dataclass
class OwnArguments:
    model_name_or_path: str
    train_file: str
    train_mode: str = field(default="qlora")
    lora_rank: int = 64

def main():
    parser = HfArgumentParser((OwnArguments, TrainingArguments))
    if len(sys.argv) == 2 and sys.argv[1].endswith(".json"):
        own, args = parser.parse_json_file(json_file=os.path.abspath(sys.argv[1]))
    else:
        own, args = parser.parse_args_into_dataclasses()
    quantization = BitsAndBytesConfig(load_in_4bit=True) if own.train_mode == "qlora" else None
    model = AutoModelForCausalLM.from_pretrained(own.model_name_or_path, quantization_config=quantization)
    if own.train_mode == "qlora":
        model = get_peft_model(model, LoraConfig(r=own.lora_rank, task_type="CAUSAL_LM"))
    Trainer(model=model, args=args).train()

if __name__ == "__main__":
    main()
"""
QLORA = """{
  "output_dir": "out", "model_name_or_path": "Qwen/Qwen2.5-7B", "train_file": "d.jsonl",
  "per_device_train_batch_size": 2, "gradient_accumulation_steps": 16, "lora_rank": 32, "bf16": true
}"""
FULL = QLORA.replace('"lora_rank": 32', '"train_mode": "full"')

READ = """\
import argparse, yaml
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
p = argparse.ArgumentParser()
p.add_argument("--config", required=True)
cfg = yaml.safe_load(open(p.parse_args().config))
model = AutoModelForCausalLM.from_pretrained(cfg["model"]["name"])
args = SFTConfig(output_dir="out", per_device_train_batch_size=cfg["train"]["mbs"], max_length=cfg["train"]["len"])
SFTTrainer(model=model, args=args).train()
"""
WHOLE = "model: {name: Qwen/Qwen2.5-0.5B}\ntrain:\n  mbs: 4\n  len: 2048\n"
PARTLY = "model: {name: Qwen/Qwen2.5-0.5B}\ntrain:\n  mbs: 4\n"

COMPOSED = """\
import hydra
from hydra.utils import instantiate
from trl import SFTTrainer

@hydra.main(version_base=None, config_path="configs", config_name="sft")
def main(config):
    SFTTrainer(model=config.model, args=instantiate(config.arguments)).train()

main()
"""
HYDRA = {
    "train.py": COMPOSED,
    "configs/sft.yaml": "defaults:\n  - arguments: small\n  - _self_\nowner: Qwen\nmodel: ${owner}/Qwen3-8B\nbatch: 16\nlr: 5e-6\n",
    "configs/arguments/small.yaml": "_target_: trl.SFTConfig\noutput_dir: out\nper_device_train_batch_size: ${batch}\nbf16: true\n"
    "learning_rate: ${lr}\nmax_length: 4096\n",
}
INHERITED = {
    "run.sh": "python -m mine.train --config configs/sft.yaml\n",
    "mine/__init__.py": "",
    "mine/load.py": """\
import os, yaml

def load(path):
    own = yaml.safe_load(open(path))
    base = own.pop("_base_", None)
    if base is None:
        return own
    merged = load(os.path.join(os.path.dirname(path), base))
    merged.update(own)
    return merged
""",
    "mine/train.py": """\
import argparse
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
from mine.load import load

parser = argparse.ArgumentParser()
parser.add_argument("--config")
config = load(parser.parse_args().config)
model = AutoModelForCausalLM.from_pretrained(config["model"], torch_dtype="bfloat16")
SFTTrainer(model=model, args=SFTConfig(output_dir="o", bf16=config["bf16"], per_device_train_batch_size=config["mbs"])).train()
""",
    "configs/base.yaml": "model: Qwen/Qwen2.5-1.5B-Instruct\nbf16: true\nmbs: 8\n",
    "configs/sft.yaml": "_base_: base.yaml\nmbs: 2\n",
}
NEEDS_A_MODEL = """\
import argparse
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
p = argparse.ArgumentParser()
p.add_argument("--model", required=True)
a = p.parse_args()
SFTTrainer(model=AutoModelForCausalLM.from_pretrained(a.model), args=SFTConfig(output_dir="o", max_length=512)).train()
"""


@dataclass(frozen=True)
class Case:
    """``runs``: by name, settings of it; ``readers``: by file, the program and the evidence."""

    files: dict[str, str]
    runs: dict[str, dict[str, object]]
    readers: dict[str, tuple[str, str]] = field(default_factory=dict)


CASES = {
    "one program takes each of its files": Case(
        {"train.py": DATACLASS, "a.json": QLORA, "b.json": FULL},
        {
            "a.json": {"model": "Qwen/Qwen2.5-7B", "micro_batch": 2, "grad_accum": 16, "quant": "fp4", "adapter": "lora", "lora_r": 32},
            "b.json": {"model": "Qwen/Qwen2.5-7B", "quant": "none", "adapter": "none"},
        },
        {"a.json": ("train.py", ACCEPTED), "b.json": ("train.py", ACCEPTED)},
    ),
    "a required field is not there": Case({"train.py": DATACLASS, "a.json": QLORA.replace('"train_file": "d.jsonl",', "")}, {}),
    "a key is no field": Case({"train.py": DATACLASS, "a.json": QLORA.replace('"lora_rank"', '"rank"')}, {}),
    "a file holds all that is read": Case(
        {"t.py": READ, "x.yaml": WHOLE},
        {"x.yaml": {"model": "Qwen/Qwen2.5-0.5B", "micro_batch": 4, "seq_len": 2048, "adapter": "none"}},
        {"x.yaml": ("t.py", ACCEPTED)},
    ),
    "a key that is read is not there": Case({"t.py": READ, "x.yaml": PARTLY}, {}),
    "two programs take it": Case(
        {"t.py": DATACLASS, "u.py": DATACLASS, "a.json": QLORA}, {"a.json": {}}, {"a.json": ("t.py or u.py", SEVERAL)}
    ),
    "a README shows the command": Case(
        {"t.py": READ, "x.yaml": WHOLE, "README.md": "```\npython t.py --config x.yaml\n```\n"},
        {"x.yaml": {"model": "Qwen/Qwen2.5-0.5B", "micro_batch": 4}},
        {"x.yaml": ("t.py", LAUNCH)},
    ),
    "a launch names it": Case(
        {"t.py": READ, "x.yaml": WHOLE, "run.sh": "python t.py --config x.yaml\n"},
        {"run.sh": {"model": "Qwen/Qwen2.5-0.5B", "micro_batch": 4, "seq_len": 2048, "devices": 1}},
        {"x.yaml": ("t.py", LAUNCH)},
    ),
    "a program opens it by its default": Case(
        {"t.py": READ.replace("required=True", 'default="x.yaml"'), "x.yaml": WHOLE},
        {"t.py": {"model": "Qwen/Qwen2.5-0.5B", "micro_batch": 4, "seq_len": 2048}},
        {"x.yaml": ("t.py", OPENED)},
    ),
    "Hydra composes it": Case(
        HYDRA,
        {"train.py": {"model": "Qwen/Qwen3-8B", "micro_batch": 16, "seq_len": 4096}},
        {"configs/sft.yaml": ("train.py", OPENED), "configs/arguments/small.yaml": ("train.py", OPENED)},
    ),
    "the program's own word for a base": Case(
        INHERITED,
        {"run.sh": {"model": "Qwen/Qwen2.5-1.5B-Instruct", "micro_batch": 2, "autocast": "bf16"}},
        {"configs/base.yaml": ("mine.train", LAUNCH), "configs/sft.yaml": ("mine.train", LAUNCH)},
    ),
    "nobody names its model": Case({"t.py": NEEDS_A_MODEL}, {}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_program_says_what_its_files_mean(case: Case) -> None:
    found = {one.run.name: one.run.settings for one in judge_texts(case.files).runs}
    told = {run: {name: found[run].value(name) for name in wanted} for run, wanted in case.runs.items() if run in found}
    assert (set(found), told) == (set(case.runs), case.runs)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_file_has_the_program_that_opens_it(case: Case) -> None:
    entries = collect(open_project(TextFiles(case.files), ["."])).project.entries
    consumers = {path: entries[path].consumer for path in case.readers}
    assert {path: (one.program, one.evidence) for path, one in consumers.items() if one is not None} == case.readers


def test_the_findings_of_a_run_stand_in_the_file_that_said_it() -> None:
    """The batch of the file is what is too large, and its lines are named; no key of a dict that the program reads is a slip."""
    text = WHOLE.replace("mbs: 4", "mbs: 4000\n  per_device_train_batch_sise: 2")
    report = check(
        judge_texts({"t.py": READ, "x.yaml": text, "run.sh": "python t.py --config x.yaml\n"}, budget="device 8GiB"), installed()
    )
    said = {(one.name, one.location.file) for one in report.findings}
    assert ("does-not-fit", "x.yaml") in said
    assert "unknown-key" not in {name for name, _ in said}


LOADED = {
    "PyYAML takes the last": ("import yaml", "yaml.safe_load(open(p.parse_args().config))", "the last one counts"),
    "OmegaConf stops": ("from omegaconf import OmegaConf", "OmegaConf.load(p.parse_args().config)", "OmegaConf stops"),
}


@pytest.mark.parametrize(("imported", "call", "said"), LOADED.values(), ids=LOADED)
def test_the_call_that_opens_a_file_is_its_loader(imported: str, call: str, said: str) -> None:
    program = READ.replace("import argparse, yaml", f"import argparse\n{imported}").replace(
        "yaml.safe_load(open(p.parse_args().config))", call
    )
    files = {"t.py": program, "x.yaml": WHOLE.replace("mbs: 4", "mbs: 4\n  mbs: 8"), "run.sh": "python t.py --config x.yaml\n"}
    report = check(judge_texts(files), installed())
    (found,) = [one for one in report.findings if one.name == "duplicate-key"]
    assert said in found.message


DOUBTED = """\
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
from acme.patches import apply
from acme.models import shrink

apply()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", torch_dtype="bfloat16")
shrink(model)
SFTTrainer(model=model, args=SFTConfig(output_dir="o", per_device_train_batch_size=2, max_length=2048, optim="adamw_torch")).train()
"""
PLAIN = DOUBTED.replace("apply()\n", "\n").replace("shrink(model)\n", "\n")
DOUBTS = {
    "nothing else is called": (PLAIN, "", {"adapter": "default", "quant": "default", "loss": "varies", "optimizer": "stated"}, ()),
    "unknown code has the model": (
        DOUBTED.replace("apply()\n", "\n"),
        "",
        {"adapter": "unresolved", "quant": "unresolved", "optimizer": "stated"},
        ("hands the model to acme.models.shrink",),
    ),
    "unknown code may change a framework": (
        DOUBTED.replace("shrink(model)\n", "\n"),
        "",
        {"adapter": "unresolved", "quant": "unresolved", "loss": "unresolved", "optimizer": "stated", "micro_batch": "stated"},
        ("calls acme.patches.apply: what it changes is not known",),
    ),
    "a build of somebody's own": (
        PLAIN.replace(', optim="adamw_torch"', ""),
        "transformers==4.57.1+acme\n",
        {"optimizer": "unresolved", "micro_batch": "stated"},
        ("transformers 4.57.1+acme is a build of somebody's own",),
    ),
    "a public build": (
        PLAIN.replace(', optim="adamw_torch"', ""),
        "transformers==4.57.1\ntorch==2.9.0+cu128\n",
        {"optimizer": "default"},
        (),
    ),
}


@pytest.mark.parametrize(("program", "pins", "certain", "assumed"), DOUBTS.values(), ids=DOUBTS)
def test_what_unknown_code_may_have_changed_is_unresolved(
    program: str, pins: str, certain: dict[str, str], assumed: tuple[str, ...]
) -> None:
    files = {"t.py": program, **({"requirements.txt": pins} if pins else {})}
    (context,) = judge_texts(files, budget="device 80GiB").runs
    settings = {name: context.setting(name) for name in certain}
    assert {name: one.certainty for name, one in settings.items() if one is not None} == certain
    assert context.estimate is not None
    said = [one.text for one in context.estimate.assumptions]
    doubts = [one for one in said if "not known" in one and ("acme" in one)]
    assert len(doubts) == len(assumed)
    assert all(words in one for words, one in zip(assumed, doubts, strict=True))


def test_another_program_of_a_name_takes_no_flags() -> None:
    """``train.py`` is elsewhere; the only one here has a run of its own, without a parser."""
    files = {"a/run.sh": "python train.py --per_device_train_batch_size 8 --output_dir o\n", "b/train.py": PLAIN}
    found = {one.run.name: one.run.settings.value("micro_batch") for one in judge_texts(files).runs}
    assert found == {"a/run.sh": 8, "b/train.py": 2}


TINY = """\
import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
p = argparse.ArgumentParser()
p.add_argument("--batch", type=int, default=8)
a = p.parse_args()
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
Trainer(model=model, args=TrainingArguments(output_dir="out", per_device_train_batch_size=a.batch), train_dataset=d).train()
"""


@pytest.mark.parametrize(
    ("launch", "batch"),
    [
        ("python src/train_tiny.py --batch 3", 3),  # the folder that the project lies in
        ("python src/train_tiny.py --batch 3 --other 1", None),  # flags of another file of that name
        ("python src/train_tiny.py", None),
    ],
)
def test_a_launch_may_have_a_folder_too_many(launch: str, batch: int | None) -> None:
    found = {one.run.name: one.run.settings.value("micro_batch") for one in judge_texts({"train_tiny.py": TINY, "run.sh": launch}).runs}
    assert found.get("run.sh") == batch


def test_a_parser_that_knows_its_fields_refuses_a_slip_at_its_line() -> None:
    """`HfArgumentParser.parse_json_file` ends the run; a dict that a program reads is asked for what it has."""
    slip = QLORA.replace('"lora_rank"', '"lora_rnak"')
    files = {"train.py": DATACLASS, "a.json": slip, "b.json": QLORA, "run.sh": "python train.py a.json\n"}
    project = judge_texts(files)
    report = check(project, installed(), Config(preview=True))
    (found,) = [one for one in report.findings if one.name == "unrecognized-argument"]
    assert (found.location.file, found.location.line, "lora_rank" in found.help) == ("a.json", 3, True)
    assert {one.run.name for one in project.runs} == {"run.sh", "b.json"}


TWO = {
    "main.py": "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\nfrom parts import NAME\nimport json\n"
    "own = json.load(open('a.json'))\nmodel = AutoModelForCausalLM.from_pretrained(NAME)\n"
    "Trainer(model=model, args=TrainingArguments(output_dir='o', per_device_train_batch_size=own['mbs'])).train()\n",
    "parts.py": "NAME = 'Qwen/Qwen2.5-0.5B'\n",
    "a.json": '{"mbs": 2}',
    "other.yaml": "a: 1\n",
}
CHANGES: dict[str, tuple[dict[str, str], bool]] = {
    "nothing": ({}, True),
    "a file that it does not read": ({"other.yaml": "a: 2\n"}, True),
    "its config": ({"a.json": '{"mbs": 3}'}, False),
    "a module": ({"parts.py": "NAME = 'Qwen/Qwen2.5-1.5B'\n"}, False),
    "itself": ({"main.py": TWO["main.py"] + "\n"}, False),
    "which modules there are": ({"more.py": "A = 1\n"}, False),
    "a folder of that name": ({"parts/__init__.py": "NAME = 'gpt2'\n"}, False),
}


@pytest.mark.parametrize(("change", "is_kept"), CHANGES.values(), ids=CHANGES)
def test_a_program_is_followed_again_only_where_something_that_it_read_has_changed(change: dict[str, str], is_kept: bool) -> None:
    first = FollowedPrograms(TextFiles(TWO)).alone("main.py")
    again = FollowedPrograms(TextFiles({**TWO, **change})).alone("main.py")
    assert first is not None
    assert again is not None
    assert (again.followed is first.followed) is is_kept


RATE = READ.replace("max_length=", 'learning_rate=cfg["train"]["lr"], max_length=')
BY_OMEGACONF = RATE.replace("import argparse, yaml", "import argparse\nfrom omegaconf import OmegaConf").replace(
    "yaml.safe_load(open(", "OmegaConf.load(("
)
TEXTS = {
    "PyYAML's text arrives": (RATE, [("x.yaml", 5)]),
    "OmegaConf's number arrives": (BY_OMEGACONF, []),
    "the program converts it": (RATE.replace('cfg["train"]["lr"]', 'float(cfg["train"]["lr"])'), []),
}  # fmt: skip


@pytest.mark.parametrize(("program", "told"), TEXTS.values(), ids=TEXTS)
def test_a_number_that_its_loader_takes_for_text_is_told_where_it_arrives(program: str, told: list[tuple[str, int]]) -> None:
    files = {"t.py": program, "x.yaml": WHOLE + "  lr: 2e-5\n", "run.sh": "python t.py --config x.yaml\n"}
    found = [one for one in check(judge_texts(files), installed()).findings if one.name == "yaml-float-as-string"]
    assert [(one.location.file, one.location.line) for one in found] == told
