"""ray.train.huggingface."""

from ray.train.huggingface import transformers
