# A machine with a GPU that computes bf16 and fp16, as far as Accelerate asks; each Accelerator is the first of its process.
import accelerate.accelerator as accelerator
import accelerate.state as state
import accelerate.utils.dataclasses as dataclasses
import torch

for module in (accelerator, state):
    for name in ("is_bf16_available", "is_fp16_available"):
        if hasattr(module, name):
            setattr(module, name, lambda *_, **__: True)
dataclasses.is_cuda_available = lambda: True
torch.cuda.current_device = lambda: 0


@kind("accelerator")  # noqa: F821
def make(_name, given):
    for each in (state.AcceleratorState, state.GradientState, state.PartialState):
        each._reset_state() if hasattr(each, "_reset_state") else each._shared_state.clear()
    accelerator.Accelerator(**{"cpu": True, **given})
