import argparse

from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments


class Split(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, values.split(","))


shared = argparse.ArgumentParser(add_help=False)
group = shared.add_argument_group("model")
group.add_argument("--model", default="org/base")
group.add_argument("--length", type=lambda text: int(text) * 1024, default=2048)
parser = argparse.ArgumentParser(parents=[shared], fromfile_prefix_chars="@", argument_default=argparse.SUPPRESS)
either = parser.add_mutually_exclusive_group()
either.add_argument("--fp16", action="store_true")
either.add_argument("--bf16", action="store_true")
parser.add_argument("--report", action=Split)
parser.add_argument("--batch", type=int)
args = parser.parse_args()
tokenizer = AutoTokenizer.from_pretrained(args.model)
tokenizer("a text", max_length=args.length, padding="max_length", truncation=True)
given = vars(args)
training = TrainingArguments(
    "out",
    per_device_train_batch_size=given.get("batch", 6),
    fp16=getattr(args, "fp16", False),
    bf16="bf16" in args and args.bf16,
    report_to=given.get("report"),
)
Trainer(AutoModelForCausalLM.from_pretrained(given["model"]), training).train()
