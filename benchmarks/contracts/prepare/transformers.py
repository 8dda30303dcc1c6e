# A machine with a GPU that computes bf16, as far as the argument classes ask: what they refuse on a machine without one is another matter.
import transformers.training_args as training_args

for name in ("is_torch_bf16_gpu_available", "is_torch_tf32_available"):
    if hasattr(training_args, name):
        setattr(training_args, name, lambda *_, **__: True)
