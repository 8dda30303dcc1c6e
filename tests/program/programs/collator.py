from dataclasses import dataclass
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("org/base", padding_side="left")
tokenizer.pad_token = tokenizer.eos_token


@dataclass
class Collator:
    tokenizer: Any
    length: int = 256
    extra: int = 0

    def __call__(self, rows):
        texts = [row["text"] for row in rows]
        batch = self.tokenizer(texts, padding="max_length", truncation=True, max_length=self.length + self.extra, return_tensors="pt")
        batch["labels"] = batch["input_ids"].clone()
        return batch


data = Dataset.from_list([{"text": "a"}, {"text": "b"}])
model = AutoModelForCausalLM.from_pretrained("org/base")
model.resize_token_embeddings(len(tokenizer))
collator = Collator(tokenizer, extra=64)
collator.length = 1024
Trainer(model=model, args=TrainingArguments("out", remove_unused_columns=False), train_dataset=data, data_collator=collator).train()
DataCollatorForLanguageModeling(tokenizer, mlm=False)
assert torch
