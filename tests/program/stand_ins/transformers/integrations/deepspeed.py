"""transformers.integrations.deepspeed."""

from typing import Any

from recorder import sink


class HfDeepSpeedConfig:
    @sink("transformers.integrations.HfDeepSpeedConfig")
    def __init__(self, config_file_or_dict: Any) -> None:
        self.config = config_file_or_dict


def is_deepspeed_zero3_enabled() -> bool:
    return False
