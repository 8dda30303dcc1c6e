"""A launch whose program is followed, and only evaluates or predicts with the trainer that it makes, is no training."""

from __future__ import annotations

import pytest

from budgetlint.files.disk import TextFiles
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect

SWITCHED = """\
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments

(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
trainer = Trainer(model=AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B"), args=args)
if args.do_train:
    trainer.train()
    trainer.save_model()
if args.do_eval:
    trainer.log_metrics("eval", trainer.evaluate())
if args.do_predict:
    trainer.predict([])
"""
ALWAYS = SWITCHED.replace("if args.do_train:", "if True:")
ELSEWHERE = SWITCHED.replace("    trainer.train()\n", "    pass\n") + "from acme import fit\nfit(trainer)\n"
BY_ANOTHER_METHOD = SWITCHED.replace("    trainer.train()\n", "    pass\n") + "trainer.hyperparameter_search()\n"
OWN = SWITCHED.replace("trainer = Trainer(", "class Own(Trainer):\n    def train(self):\n        loop()\n\ntrainer = Own(")
NEVER = SWITCHED.replace("if args.do_train:\n    trainer.train()\n    trainer.save_model()\n", "")

CASES = {
    "it predicts": (SWITCHED, "--do_predict --per_device_eval_batch_size 4", False),
    "it evaluates": (SWITCHED, "--do_eval --do_predict", False),
    "it trains": (SWITCHED, "--do_train --do_eval", True),
    "it trains whatever is said": (ALWAYS, "--do_eval", True),
    "nobody knows what is said": (SWITCHED, "$MORE --do_eval", True),
    "unknown code has the trainer": (ELSEWHERE, "--do_eval", True),
    "another method trains": (BY_ANOTHER_METHOD, "--do_eval", True),
    "its own training": (OWN, "--do_eval", True),
    "there is no training in it": (NEVER, "--do_eval", False),
}


@pytest.mark.parametrize(("program", "words", "trains"), CASES.values(), ids=CASES)
def test_only_a_trainer_that_is_told_to_train_is_a_run(program: str, words: str, trains: bool) -> None:
    files = {"run.sh": f"python t.py --output_dir o {words}\n", "t.py": program}
    work = collect(open_project(TextFiles(files), ["."]))
    assert [run.name for run in work.runs] == ["run.sh"] * trains
    assert [told for _, told in work.idle.get("run.sh", [])] == ["evaluates"] * (not trains)


def test_a_program_that_nothing_starts_and_that_only_evaluates_is_no_run() -> None:
    program = NEVER.replace("if args.do_eval:", "if True:").replace("parse_args_into_dataclasses()", "parse_dict({'output_dir': 'o'})")
    work = collect(open_project(TextFiles({"t.py": program}), ["."]))
    assert work.runs == []


VERL = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B data.train_batch_size=16"


@pytest.mark.parametrize(
    ("words", "trains"),
    [("trainer.val_only=True", False), ("trainer.val_only=False", True), ("trainer.val_only=$V", True), ("", True)],
)
def test_verl_that_only_validates_trains_nothing(words: str, trains: bool) -> None:
    """verl 0.8 ``trainer/ppo/ray_trainer.py`` fit: returns behind the first validation where ``trainer.val_only`` is true."""
    work = collect(open_project(TextFiles({"run.sh": f"{VERL} {words}\n"}), ["."]))
    assert [run.name for run in work.runs] == ["run.sh"] * trains
    assert [told for _, told in work.idle.get("run.sh", [])] == ["evaluates"] * (not trains)
