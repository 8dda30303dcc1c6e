"""deepspeed.ops.adam."""

from torch.optim import optimizer

FusedAdam = optimizer("deepspeed.ops.adam.FusedAdam", ("lr",))
DeepSpeedCPUAdam = optimizer("deepspeed.ops.adam.DeepSpeedCPUAdam", ("lr",))
