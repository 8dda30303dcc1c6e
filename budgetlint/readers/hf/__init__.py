"""Hugging Face trainers: TrainingArguments scripts, TRL, alignment-handbook, open-r1, open-instruct."""
