import json
import sys
from pathlib import Path
from types import SimpleNamespace

from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

here = Path(__file__).parent
name = sys.argv[1] if len(sys.argv) > 1 else "small"
with (here / "args" / f"{name}.json").open() as f:
    raw = json.load(f, object_hook=lambda d: SimpleNamespace(**d))
shared = json.loads((here / "args" / "shared.json").read_text())
quant = BitsAndBytesConfig(**vars(raw.quant)) if hasattr(raw, "quant") else None
model = AutoModelForCausalLM.from_pretrained(raw.model, quantization_config=quant)
Trainer(model=model, args=TrainingArguments(per_device_train_batch_size=raw.batch, **shared)).train()
