import sys

import acme_sft
from acme_sft import BATCH, defaults
from transformers import Trainer, TrainingArguments

from .models.load import load as load_model


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    model = load_model(argv[0] if argv else "1b", half="--full" not in argv)
    Trainer(model, TrainingArguments(acme_sft.NAME, per_device_train_batch_size=BATCH, learning_rate=defaults.LR)).train()


if __name__ == "__main__":
    main()
