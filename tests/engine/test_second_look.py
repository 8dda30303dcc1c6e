"""The same project looked at again in one process, as an editor does: a run that is remembered tells what it told."""

from __future__ import annotations

from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts

FILES = {
    "run.sh": "python train.py --model Qwen/Qwen2.5-1.5B --extra\n",
    "train.py": """\
import argparse
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import GRPOConfig, GRPOTrainer
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--extra", action="store_true")
    args = parser.parse_args()
    model = AutoModelForCausalLM.from_pretrained(args.model, quantization_config=BitsAndBytesConfig(load_in_4bit=True))
    config = GRPOConfig(output_dir="out", per_device_train_batch_size=2)
    GRPOTrainer(model=args.model, args=config, reward_funcs=[lambda **kept: 1.0]).train()
main()
""",
}


def test_a_second_look_tells_the_same() -> None:
    registry = installed()
    looks = []
    for _ in range(3):
        judged = judge_texts(FILES)
        idle = [(one.made, one.location.line) for run in judged.runs for one in (run.program.idle if run.program is not None else ())]
        looks.append((idle, sorted((one.code, one.location.line) for one in check(judged, registry).findings)))
    assert looks[0][0] == [("AutoModelForCausalLM", 9)]
    assert looks[1:] == looks[:1] * 2
