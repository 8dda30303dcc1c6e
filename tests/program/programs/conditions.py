import argparse

from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--method", choices=["full", "lora", "qlora"], default="lora")
parser.add_argument("--size", default="7b")
parser.add_argument("--long", action="store_true")
args = parser.parse_args()

kwargs = {}
batch, lr = 8, 1e-5
if args.method == "qlora":
    kwargs["quantization_config"] = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype="bfloat16")
    lr = 2e-4
elif args.method == "lora":
    lr = 1e-4
else:
    batch = 1
if args.long and not args.method == "full":
    batch = max(1, batch // 4)
if "70" in args.size or args.size in {"65b", "72b"}:
    batch, optim = 1, "paged_adamw_8bit"
else:
    optim = "adamw_torch"
model = AutoModelForCausalLM.from_pretrained("org/base-" + args.size, **kwargs)
if args.method != "full":
    model = get_peft_model(model, LoraConfig(r=64 if args.method == "qlora" else 8))
Trainer(
    model=model,
    args=TrainingArguments("out", per_device_train_batch_size=batch, learning_rate=lr, optim=optim, gradient_checkpointing=args.long or batch == 1),
).train()
