"""transformers.integrations."""

from transformers.integrations.deepspeed import HfDeepSpeedConfig
