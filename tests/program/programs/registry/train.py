import argparse

from methods import METHODS, discover
from transformers import TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("method")
parser.add_argument("--batch", type=int, default=2)
options = parser.parse_args()
discover()
METHODS[options.method](TrainingArguments("out", per_device_train_batch_size=options.batch))
