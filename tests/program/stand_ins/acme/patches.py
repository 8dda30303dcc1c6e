"""Changes what other packages do, and what it is given."""

from typing import Any


def apply(model: Any = None) -> Any:
    """Called without a model: every TrainingArguments made later has a batch of 3. With one: its projections are LoRA's from now on."""
    if model is not None:
        return _adapted(model)
    from transformers import TrainingArguments

    made = TrainingArguments.__post_init__

    def patched(self: Any) -> None:
        made(self)
        self.per_device_train_batch_size = 3

    TrainingArguments.__post_init__ = patched
    return None


def _adapted(model: Any) -> Any:
    from peft import LoraConfig, get_peft_model

    return get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj"]))


def tune(arguments: Any) -> Any:
    """The settings that suit the company's machines, written into what was given: a dict, a namespace or an object."""
    for name, value in (("batch_size", 3), ("per_device_train_batch_size", 3), ("model_name", "acme/base"), ("learning_rate", 3e-3)):
        if isinstance(arguments, dict):
            arguments[name] = value
        else:
            setattr(arguments, name, value)
    return arguments


def patch_environment() -> None:
    import os

    os.environ["BATCH_SIZE"] = "3"
