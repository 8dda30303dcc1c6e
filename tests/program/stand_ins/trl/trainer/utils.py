"""trl.trainer.utils."""

from trl import get_kbit_device_map, get_peft_config, get_quantization_config
