"""A Trainer of a module that is not here: the arguments that it is handed are followed, what its class may decide is open."""

from __future__ import annotations

import pytest
from budgetlint_rules import argument_not_taken

from budgetlint.registry import build
from budgetlint.resolve.runs import judge_texts
from budgetlint.testing import report_on

PROGRAM = """\
import transformers
from absent import MyDPOTrainer, MyTrainer, make_data
from trl import SFTConfig
parser = transformers.HfArgumentParser((transformers.TrainingArguments,))
(args,) = parser.parse_args_into_dataclasses()
tokenizer = transformers.AutoTokenizer.from_pretrained("Qwen/Qwen2.5-7B")
model = transformers.AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B")
trainer = {call}
trainer.train()
"""
RUN = "deepspeed --num_gpus 8 train.py --output_dir out --per_device_train_batch_size 4 --bf16 True --deepspeed zero.json\n"
ZERO = '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": "auto"}, "train_micro_batch_size_per_gpu": "auto"}'
ONE = build([("test", argument_not_taken.RULE)])
OWN = "MyTrainer(model=model, args=args, tokenizer=tokenizer, **make_data(tokenizer))"
CALLS = {
    "a task of its own": "MyDPOTrainer(model=model, args=args)",
    "more than transformers' takes": "MyTrainer(model=model, args=args, ref_model=tokenizer)",
    "arguments of TRL": "MyTrainer(model=model, args=SFTConfig('out'))",
    "no model": "MyTrainer(args=args)",
}


def judged(call: str) -> dict[str, object]:
    files = {"train.py": PROGRAM.format(call=call), "run.sh": RUN, "zero.json": ZERO, "requirements.txt": "transformers==5.24.0\n"}
    (run,) = judge_texts(files, budget="device 8x a100-80gb").runs
    names = ("model", "adapter", "micro_batch", "grad_accum", "shard", "learning_rate", "loss", "optimizer", "lr_scheduler")
    return {name: run.run.settings.value(name) for name in names}


def test_what_it_is_handed_is_known_and_what_it_may_do_is_open() -> None:
    assert judged(OWN) == {
        "model": "Qwen/Qwen2.5-7B", "adapter": "none", "micro_batch": 4, "grad_accum": 1, "shard": "zero3", "learning_rate": 5e-05,
        "loss": None, "optimizer": None, "lr_scheduler": None,
    }  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_may_be_something_else(call: str) -> None:
    found = judged(call)
    assert (found["adapter"], found["loss"], found["optimizer"]) == (None, None, None)


def test_nobody_knows_which_arguments_it_takes() -> None:
    called = {"none here": OWN, "transformers' own": "transformers.Trainer(model=model, args=args, tokenizer=tokenizer)"}
    found = {}
    for name, call in called.items():
        files = {"train.py": PROGRAM.format(call=call), "run.sh": RUN, "zero.json": ZERO, "requirements.txt": "transformers==5.24.0\n"}
        found[name] = [one.key for one in report_on(files, "", None, ONE, preview=True).findings]
    assert found == {"none here": [], "transformers' own": ["Trainer.tokenizer"]}
