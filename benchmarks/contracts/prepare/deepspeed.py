# One process without devices: what DeepSpeed's config asks of a machine is the number of processes.
import os

os.environ["DS_ACCELERATOR"] = "cpu"

from deepspeed.runtime.config import DeepSpeedConfig


@kind("deepspeed")  # noqa: F821
def make(_name, given):
    tree = {}
    for key, value in given.items():
        *owners, last = key.split(".")
        block = tree
        for owner in owners:
            block = block.setdefault(owner, {})
        block[last] = value
    DeepSpeedConfig(tree)
