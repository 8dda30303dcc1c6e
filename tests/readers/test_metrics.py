"""Whether an evaluation keeps the logits: the Trainer that is built says so, never the default of its arguments alone."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Setting

SCRIPT = """from transformers import AutoModelForCausalLM, Trainer, Seq2SeqTrainer, TrainingArguments, Seq2SeqTrainingArguments
from trl import SFTConfig, SFTTrainer, GRPOConfig, GRPOTrainer, RewardConfig, RewardTrainer
{before}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B")
args = {arguments}(output_dir="out", per_device_train_batch_size=2, eval_strategy="steps"{more})
trainer = {trainer}(model=model, args=args, train_dataset=rows, eval_dataset=held{given})
trainer.train()
"""
OWN = "class Mine(Trainer):\n    def evaluate(self, *rest, **more):\n        return {'loss': self.score(rows)}\n"
BESIDE = "class Mine(Trainer):\n    def evaluate(self, *rest, **more):\n        return super().evaluate(*rest, **more)\n"
"""What the base's does is what happens."""
METRICS = "def metrics(found):\n    return {}\n"


def keeps(
    trainer: str = "Trainer", given: str = "", more: str = "", arguments: str = "TrainingArguments", before: str = METRICS
) -> Setting:
    text = SCRIPT.format(trainer=trainer, given=given, more=more, arguments=arguments, before=before)
    (run,) = judge_texts({"t.py": text}, budget="device 24GiB; config t.py").runs
    return run.run.settings["prediction_loss_only"]


@pytest.mark.parametrize(
    ("case", "value"),
    [
        ({}, True),
        ({"more": ", prediction_loss_only=False"}, True),
        ({"given": ", compute_metrics=None"}, True),
        ({"given": ", compute_metrics=metrics"}, False),
        ({"given": ", compute_metrics=metrics", "more": ", prediction_loss_only=True"}, True),
        ({"trainer": "Seq2SeqTrainer", "arguments": "Seq2SeqTrainingArguments", "more": ", predict_with_generate=True"}, True),
        ({"trainer": "Mine", "before": BESIDE}, True),
        ({"trainer": "SFTTrainer", "arguments": "SFTConfig"}, True),
        ({"trainer": "SFTTrainer", "arguments": "SFTConfig", "given": ", compute_metrics=metrics"}, False),
        ({"trainer": "GRPOTrainer", "arguments": "GRPOConfig", "given": ", reward_funcs=[score]"}, True),
    ],
)
def test_a_trainer_that_is_seen_to_be_given_metrics_or_none(case: dict[str, str], value: bool):
    setting = keeps(**case)
    assert setting.known
    assert setting.value is value


@pytest.mark.parametrize(
    "case",
    [
        {"given": ", **more"},
        {"given": ", compute_metrics=metrics if scores else None"},
        {"trainer": "Mine", "before": OWN},
        {"trainer": "RewardTrainer", "arguments": "RewardConfig"},  # metrics of its own in older releases
    ],
)
def test_one_that_may_have_been_given_some_leaves_it_open(case: dict[str, str]):
    assert not keeps(**case).known


def test_a_program_that_evaluates_for_itself_has_its_own_batch():
    text = SCRIPT.format(trainer="Mine", given="", more=", per_device_eval_batch_size=4", arguments="TrainingArguments", before=OWN)
    (run,) = judge_texts({"t.py": text}, budget="device 24GiB; config t.py").runs
    assert not run.run.settings["eval_batch"].known


CONFIG = "model_name_or_path: Qwen/Qwen2.5-1.5B\nper_device_train_batch_size: 2\nlearning_rate: 1e-5\neval_strategy: steps\n"


@pytest.mark.parametrize(("more", "value"), [("", None), ("max_length: 512\n", None), ("prediction_loss_only: true\n", True)])
def test_a_file_does_not_say_what_its_program_gives(more: str, value: bool | None):
    (run,) = judge_texts({"t.yaml": CONFIG + more}, budget="device 24GiB; config t.yaml").runs
    setting = run.run.settings["prediction_loss_only"]
    assert (setting.value if setting.known else None) is value
