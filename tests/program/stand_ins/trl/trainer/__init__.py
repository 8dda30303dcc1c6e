"""trl.trainer."""

from trl import DPOTrainer, GRPOTrainer, SFTTrainer
from trl.configs import DPOConfig, GRPOConfig, ModelConfig, SFTConfig
