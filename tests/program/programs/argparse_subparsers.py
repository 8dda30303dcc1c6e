import argparse

from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, Trainer, TrainingArguments


def sft(args):
    model = AutoModelForCausalLM.from_pretrained(args.model)
    Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=args.batch)).train()


def reward(args):
    model = AutoModelForSequenceClassification.from_pretrained(args.model, num_labels=args.labels)
    Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=args.batch)).train()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="org/base")
    parser.set_defaults(batch=1)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("sft", aliases=["tune"])
    one.add_argument("--batch", type=int, default=4)
    one.set_defaults(run=sft)
    two = commands.add_parser("reward")
    two.add_argument("--labels", type=int, default=1)
    two.set_defaults(run=reward, batch=16)
    args = parser.parse_args()
    args.run(args)


main()
