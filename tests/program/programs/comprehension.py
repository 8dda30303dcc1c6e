import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
attention = [name for name in ALL if name[0] in "qkvo"]
mlp = [name for name in ALL if name not in attention and not name.startswith("gate")]
ranks = {name: 8 * (at + 1) for at, name in enumerate(ALL) if name in attention}
options = {key: value for key, value in {"bf16": True, "fp16": None, "seed": 0, "optim": ""}.items() if value is not None}
flat = [x for row in [[1, 2], [3]] for x in row if x != 2]
model = AutoModelForCausalLM.from_pretrained("org/base")
found = sorted({n.split(".")[-1] for n, m in model.named_modules() if isinstance(m, torch.nn.Linear)} - {"lm_head"})
model = get_peft_model(model, LoraConfig(r=max(ranks.values()), target_modules=mlp + attention[:2], modules_to_save=found))
Trainer(model, TrainingArguments("out", per_device_train_batch_size=sum(flat), **{k: v for k, v in options.items() if v or k == "seed"})).train()
