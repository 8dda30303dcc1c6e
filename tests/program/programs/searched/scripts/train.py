import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src"))

from trainlib.recipes import RECIPES  # noqa: E402
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments  # noqa: E402

recipe = RECIPES[sys.argv[1]]
Trainer(AutoModelForCausalLM.from_pretrained(recipe.model), TrainingArguments("out", **recipe.training)).train()
