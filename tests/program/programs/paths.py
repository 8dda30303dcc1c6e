import os
from pathlib import Path

from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

ROOT = Path(__file__).resolve().parent
models = Path("models") / "base"
checkpoint = models / "step-10"
local = ROOT / "models"
name = str(checkpoint) if not local.exists() else local.as_posix()
stem = Path("configs/llama-7b.v2.yaml").stem
folder, file = os.path.split("a/b/c.json")
base = os.path.splitext(os.path.basename(__file__))[0]
latest = sorted(Path("nowhere").glob("checkpoint-*")) if Path("nowhere").is_dir() else []
model = AutoModelForCausalLM.from_pretrained(name, revision=stem, subfolder=folder, variant=base)
args = TrainingArguments(output_dir=os.path.join("out", file), logging_dir=os.path.normpath("a/../logs"), run_name=checkpoint.parts[1])
Trainer(model, args).train(resume_from_checkpoint=latest[-1] if latest else None)
