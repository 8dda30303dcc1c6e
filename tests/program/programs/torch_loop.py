import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, get_linear_schedule_with_warmup


class Texts(Dataset):
    def __init__(self, tokenizer, length):
        self.tokenizer, self.length, self.texts = tokenizer, length, ["a", "b"]

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, at):
        return self.tokenizer(self.texts[at], max_length=self.length, padding="max_length", truncation=True, return_tensors="pt")


parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--length", type=int, default=256)
parser.add_argument("--amp", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tokenizer = AutoTokenizer.from_pretrained("org/base")
model = AutoModelForCausalLM.from_pretrained("org/base").to(device)
loader = DataLoader(Texts(tokenizer, args.length), args.batch, shuffle=True, num_workers=2)
decay = [p for n, p in model.named_parameters() if "norm" not in n]
groups = [{"params": decay, "weight_decay": 0.1}, {"params": [p for n, p in model.named_parameters() if "norm" in n], "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=2e-5, betas=(0.9, 0.95))
schedule = get_linear_schedule_with_warmup(optimizer, 10, len(loader) * 3)
scaler = torch.amp.GradScaler("cuda", enabled=args.amp)
for epoch in range(3):
    for step, batch in enumerate(loader):
        with torch.autocast("cuda", dtype=torch.float16, enabled=args.amp):
            loss = model(**batch).loss / 4
        scaler.scale(loss).backward()
        if (step + 1) % 4 == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            schedule.step()
            optimizer.zero_grad(set_to_none=True)
F.relu(torch.zeros(2))
