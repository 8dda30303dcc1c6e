import sys

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def check(batch):
    if batch > 8:
        return False
    return True


def main(argv):
    batch = 4
    for word in argv:
        if word.startswith("--batch="):
            batch = int(word.split("=")[1])
        elif word == "--dry":
            print("dry")
            AutoModelForCausalLM.from_pretrained("org/dry")
            return 0
    if not check(batch):
        return 2
    try:
        model = AutoModelForCausalLM.from_pretrained("org/base")
        if batch == 7:
            raise RuntimeError("seven")
        Trainer(model, TrainingArguments("out", per_device_train_batch_size=batch)).train()
    except RuntimeError:
        Trainer(AutoModelForCausalLM.from_pretrained("org/fallback"), TrainingArguments("out", per_device_train_batch_size=1)).train()
    return 0


sys.exit(main(sys.argv[1:]))
