# verl's config as its program composes it, and what looks at it before anything is started. A model's files are no part of a config.
import copy
import functools
import pathlib

import hydra
import verl.trainer.main_ppo as program
from omegaconf import OmegaConf, open_dict
from verl.workers.config import HFModelConfig

HFModelConfig.__post_init__ = lambda _self: None


@functools.cache
def composed(name):
    folder = pathlib.Path(program.__file__).parent / "config"
    with hydra.initialize_config_dir(str(folder), version_base=None):
        return hydra.compose(name)


@kind("verl")  # noqa: F821
def verl(name, given):
    config = copy.deepcopy(composed(name))
    with open_dict(config):
        for key, value in given.items():
            OmegaConf.update(config, key, value)
    program.validate_config(config, program.need_reference_policy(config), program.need_critic(config))
