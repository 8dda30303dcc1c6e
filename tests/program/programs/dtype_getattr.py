import argparse

import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
parser = argparse.ArgumentParser()
parser.add_argument("--dtype", default="bfloat16")
parser.add_argument("--compute", default="fp16")
parser.add_argument("--auto", action="store_true")
args = parser.parse_args()
dtype = "auto" if args.auto else getattr(torch, args.dtype, None) or DTYPES[args.dtype]
quant = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=DTYPES.get(args.compute, torch.float32))
model = AutoModelForCausalLM.from_pretrained("org/base", torch_dtype=dtype, quantization_config=quant)
if dtype == torch.float16:
    model = model.half()
elif dtype is torch.float32:
    model.to(torch.bfloat16)
Trainer(model, TrainingArguments("out", fp16=dtype == torch.float16, bf16=str(dtype) == "torch.bfloat16")).train()
