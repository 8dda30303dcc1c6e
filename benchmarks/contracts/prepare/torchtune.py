# A recipe of torchtune up to its model, on a machine with a GPU that computes bf16, as far as the recipe asks; processes are mocks.
import functools
import importlib.util
import pathlib
import sys
from unittest import mock

import torch
from omegaconf import OmegaConf
from torchtune import training, utils

ROOT = next(pathlib.Path(one) / "recipes" for one in sys.path if (pathlib.Path(one) / "recipes").is_dir())
utils.get_device = lambda device=None: torch.device(device or "cuda")
training.get_dtype = lambda dtype=None, **_: {"fp16": torch.float16, "bf16": torch.bfloat16}.get(dtype, torch.float32)


@functools.cache
def recipe(name):
    """The folder of recipes is no package: a file is run as a program."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for each in ("init_process_group", "CheckpointClient"):
        if hasattr(module, each):
            setattr(module, each, mock.MagicMock())
    return module


@kind("torchtune")  # noqa: F821
def make(name, given):
    _, module, attribute = name.split(".")
    getattr(recipe(module), attribute)(OmegaConf.create(given))
