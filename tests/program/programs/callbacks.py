import atexit
import threading
from concurrent.futures import ThreadPoolExecutor

from transformers import AutoModelForCausalLM, Trainer, TrainerCallback, TrainingArguments

settings = {"batch": 4, "accum": 1, "seed": 1}


class Watch(TrainerCallback):
    def on_train_begin(self, args, state, control, **kwargs):
        args.per_device_train_batch_size = 1


def later():
    settings["batch"] = 8


def pooled(value):
    settings["accum"] = value
    return value


thread = threading.Thread(target=later)
thread.start()
thread.join()
with ThreadPoolExecutor(1) as pool:
    results = list(pool.map(pooled, [2, 3]))
sorted([3, 1], key=lambda n: settings.__setitem__("seed", n) or n)
atexit.register(lambda: settings.clear())
Trainer(
    AutoModelForCausalLM.from_pretrained("org/base"),
    TrainingArguments("out", per_device_train_batch_size=settings["batch"], gradient_accumulation_steps=settings["accum"], seed=settings["seed"]),
    callbacks=[Watch()],
).train()
