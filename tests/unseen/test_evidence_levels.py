"""What may be said of a class by the way that its object takes, of several programs that read a file, of a script that is not here."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts
from budgetlint.rules_api.context import Judged

SCRIPT = """\
from dataclasses import dataclass
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

@dataclass
class ModelArguments:
    model_name_or_path: str = "gpt2"

def main():
    parser = HfArgumentParser((ModelArguments, TrainingArguments))
    model_args, training_args = parser.parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
    Trainer(model=model, args=training_args).train()

main()
"""
IMPORTS = SCRIPT.replace("def main", "from mine import loop, prepare\n\ndef main")
FLAGS = "--model_name_or_path Qwen/Qwen2.5-0.5B --output_dir o --per_device_train_batch_size 4\n"
OF_THE_CLASS = {"grad_accum": 1, "recompute": "none", "autocast": "none", "learning_rate": 5e-5, "max_grad_norm": 1.0, "micro_batch": 4}
OF_THE_SCRIPT = {"weights_dtype": "varies", "adapter": "none", "quant": "none"}
NOTHING = {"grad_accum": None, "recompute": "unresolved", "autocast": None, "learning_rate": None, "optimizer": "unresolved"}

PLAIN = {
    "the class at the sink": (SCRIPT, {**OF_THE_CLASS, **OF_THE_SCRIPT, "optimizer": "varies"}),
    "by the library's name": (
        SCRIPT.replace("from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments", "import transformers")
        .replace("HfArgumentParser", "transformers.HfArgumentParser")
        .replace(" TrainingArguments)", " transformers.TrainingArguments)")
        .replace(" Trainer(", " transformers.Trainer(")
        .replace(" AutoModel", " transformers.AutoModel"),
        OF_THE_CLASS,
    ),
    "parsed in one go": (
        SCRIPT.replace("    parser = ", "    model_args, training_args = ")
        .replace("TrainingArguments))\n", "TrainingArguments)).parse_args_into_dataclasses()\n")
        .replace("    model_args, training_args = parser.parse_args_into_dataclasses()\n", ""),
        OF_THE_CLASS,
    ),
    "TRL's own class": (
        SCRIPT.replace(", Trainer, TrainingArguments\n", "\nfrom trl import SFTConfig, SFTTrainer\n")
        .replace("TrainingArguments)", "SFTConfig)")
        .replace("Trainer(model", "SFTTrainer(model"),
        {"grad_accum": 1, "recompute": "varies", "autocast": "varies", **OF_THE_SCRIPT},
    ),
    "a field that the script sets": (
        SCRIPT.replace("    model = ", "    training_args.gradient_checkpointing = True\n    model = "),
        {**OF_THE_CLASS, "recompute": "full"},
    ),
    "checkpointing by the model's own method": (
        SCRIPT.replace("    Trainer", "    model.gradient_checkpointing_enable()\n    Trainer"), {**OF_THE_CLASS, "recompute": "full"}
    ),
    "an optimizer of its own": (
        SCRIPT.replace("args=training_args)", "args=training_args, optimizers=(mine, None))"), {**OF_THE_CLASS, "optimizer": "unresolved"}
    ),
    "a subclass": (
        SCRIPT.replace("def main", "@dataclass\nclass TrainingArguments(TrainingArguments):\n    bf16: bool = True\n\ndef main"),
        {**OF_THE_CLASS, "autocast": "bf16"},
    ),
    "a trainer of its own": (SCRIPT.replace("def main", "class Trainer(Trainer):\n    pass\n\ndef main"), OF_THE_CLASS),
    "a class from elsewhere": (
        SCRIPT.replace(", TrainingArguments\n", "\nfrom mine import TrainingArguments\n"), NOTHING
    ),
    "handed to what is not here": (
        IMPORTS.replace("    model = ", "    prepare(training_args)\n    model = "), NOTHING
    ),
    "made anew": (SCRIPT.replace("    model = ", "    training_args = change(model_args)\n    model = "), NOTHING),
    "two parsers": (SCRIPT.replace("    model = ", "    other = HfArgumentParser((ModelArguments,))\n    model = "), OF_THE_CLASS),
    "no trainer": (IMPORTS.replace("    Trainer(model=model, args=training_args).train()", "    loop(model).backward()"), NOTHING),
    "no Python": (SCRIPT + "    (\n", NOTHING),
}  # fmt: skip


def settings(found: Judged, names: dict[str, object]) -> dict[str, object]:
    (context,) = found.runs
    told = {name: context.setting(name) for name in names}
    return {name: None if one is None else one.value if one.known else one.certainty for name, one in told.items()}


@pytest.mark.parametrize(("script", "expected"), PLAIN.values(), ids=PLAIN)
def test_the_class_fills_in_what_the_script_leaves_alone(script: str, expected: dict[str, object]) -> None:
    found = judge_texts({"run.sh": f"torchrun --nproc_per_node 2 train.py {FLAGS}", "train.py": script}, budget="device t4")
    assert settings(found, expected) == expected
    assert not [one for one in check(found, installed()).findings if one.severity.value == "error"]


def test_a_file_that_the_script_opens_has_the_class_too() -> None:
    script = SCRIPT.replace("parse_args_into_dataclasses()", "parse_json_file('args.json')")
    found = judge_texts({"train.py": script, "args.json": '{"output_dir": "o", "per_device_train_batch_size": 4, "warmup_ratio": 0.1}'})
    assert settings(found, OF_THE_CLASS) == OF_THE_CLASS


COMMON = """\
model_name_or_path: Qwen/Qwen2.5-0.5B
dataset_name: a/b
output_dir: o
per_device_train_batch_size: 4
num_train_epochs: 1
save_strategy: steps
"""
TRL = "trl sft --config other.yaml\n"
OTHER = {"other.yaml": COMMON + "max_length: 512\n"}


@dataclass(frozen=True)
class Several:
    """``consumer``: evidence and program of ``a.yaml``, None for nobody's; ``settings`` of its run."""

    files: dict[str, str]
    consumer: tuple[str, str] | None
    settings: dict[str, object] = field(default_factory=dict)


SEVERAL = {
    "one program": Several({"run.sh": TRL, "a.yaml": COMMON}, ("accepted", "trl sft"), {"adapter": "none"}),
    "two programs that take it": Several(
        {"run.sh": TRL, "clm.sh": "python run_clm.py other.json\n", "a.yaml": COMMON},
        ("several", "run_clm.py or trl sft"),
        {"micro_batch": 4, "grad_accum": 1, "recompute": "unresolved", "adapter": "unresolved", "learning_rate": None},
    ),
    "two commands of one tool": Several({"run.sh": TRL + TRL.replace("sft", "dpo"), "a.yaml": COMMON}, ("accepted", "trl dpo")),
    "the keys tell which command": Several(
        {"run.sh": TRL + TRL.replace("sft", "grpo"), "a.yaml": COMMON + "num_generations: 8\nmax_completion_length: 64\n"},
        ("accepted", "trl grpo"),
        {"task": "grpo"},
    ),
    "a key that the second refuses": Several(
        {"run.sh": TRL, "clm.sh": "python run_clm.py other.json\n", "a.yaml": COMMON + "packing: true\n"}, ("accepted", "trl sft")
    ),
    "another tool with keys of its own": Several(
        {"run.sh": TRL, "lf.sh": "llamafactory-cli train lf.yaml\n", "a.yaml": COMMON}, ("accepted", "trl sft")
    ),
    "a script of its own beside them": Several({"run.sh": TRL + "python train.py --config mine.yaml\n", "a.yaml": COMMON}, None),
}


@pytest.mark.parametrize("case", SEVERAL.values(), ids=SEVERAL)
def test_a_file_that_several_programs_take_is_what_they_agree_on(case: Several) -> None:
    found = judge_texts({**OTHER, **case.files}, budget="device t4")
    (document,) = [one for one in found.documents if one.reading.document.path == "a.yaml"]
    consumer = document.reading.consumer
    assert consumer is not None
    told = consumer.as_json()
    assert (None if told is None else (told["evidence"], told["program"])) == case.consumer
    runs = [one for one in found.runs if one.run.name == "a.yaml"]
    assert bool(runs) == (case.consumer is not None)
    for context in runs:
        mine = {name: context.setting(name) for name in case.settings}
        assert {name: None if one is None else one.value if one.known else one.certainty for name, one in mine.items()} == case.settings


def test_of_several_programs_findings_are_remarks() -> None:
    files = {**OTHER, **SEVERAL["two programs that take it"].files, "a.yaml": COMMON + "bf16: true\n"}
    findings = [one for one in check(judge_texts(files, budget="device t4"), installed()).findings if one.location.file == "a.yaml"]
    assert {(one.name, one.severity.value) for one in findings} >= {("bf16-pre-ampere", "info")}
    assert {one.severity.value for one in findings} == {"info"}


LARGE = "--model_name_or_path Qwen/Qwen2.5-7B --dataset_name d --output_dir o --max_length 2048\n"
OFFICIAL = {
    "the command": (f"trl sft {LARGE}", {}, False),
    "the module": (f"python -m trl.scripts.sft {LARGE}", {}, False),
    "by a path that is not here": (f"python trl/scripts/sft.py {LARGE}", {}, True),
    "an example that is not here": (f"python examples/scripts/sft.py {LARGE}", {}, True),
    "a copy that is here": (f"python trl/scripts/sft.py {LARGE}", {"trl/__init__.py": "", "trl/scripts/sft.py": "main()\n"}, False),
}


@pytest.mark.parametrize(("command", "files", "told"), OFFICIAL.values(), ids=OFFICIAL)
def test_an_official_script_that_is_not_here_is_taken_for_the_one_of_its_path_and_the_bill_says_so(
    command: str, files: dict[str, str], told: bool
) -> None:
    found = judge_texts({"run.sh": command, **files}, budget="device t4")
    (finding,) = [one for one in check(found, installed()).findings if one.name == "does-not-fit"]
    assert (finding.severity.value, finding.confidence.value) == ("error", "high")
    (context,) = found.runs
    assert context.estimate is not None
    assert any("is not here" in one.text for one in context.estimate.assumptions) is told
