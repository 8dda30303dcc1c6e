# A machine with a GPU that computes bf16, as far as the argument classes ask.
import llamafactory.hparams.parser as parser
import transformers.training_args as training_args

for module in (parser, training_args):
    for name in ("is_torch_bf16_gpu_available", "is_torch_tf32_available"):
        if hasattr(module, name):
            setattr(module, name, lambda *_, **__: True)
