"""A training under Lightning and Hydra: what the Trainer calls is followed, and what only rank 0 tells changes nothing."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

CONFIG = """\
seed: 1
data: {_target_: torch.utils.data.DataLoader, dataset: [1, 2], batch_size: 12, shuffle: true}
trainer: {_target_: TRAINER, precision: bf16-mixed, accumulate_grad_batches: 4}
model:
  _target_: lit.Lit
  name: t5-base
  optimizer: {_target_: transformers.optimization.Adafactor, _partial_: true, lr: 0.02, betas: null}
"""
MODULE = """\
import torch
from functools import partial
from lightning import LightningModule
from torchmetrics import MeanMetric
from transformers import T5ForConditionalGeneration

class Lit(LightningModule):
    def __init__(self, name, optimizer):
        super().__init__()
        self.save_hyperparameters()
        self.model = T5ForConditionalGeneration.from_pretrained(name)
        self.mean = MeanMetric()

    def training_step(self, batch, at):
        loss = self.model(**batch).loss
        self.mean(loss)
        self.log("lr", self.optimizers().param_groups[0]["lr"])
        return loss

    def configure_optimizers(self):
        made = self.hparams.optimizer
        if isinstance(made, torch.optim.Optimizer):
            return made
        elif hasattr(made, "func"):
            given = {key: value for key, value in made.keywords.items() if value is not None}
            return partial(made.func, **given)(self.parameters())
        return torch.optim.AdamW(self.parameters())
"""
PROGRAM = """\
import hydra
import lightning as L
from lightning_utilities.core.rank_zero import rank_zero_only

@rank_zero_only
def tell(objects):
    print(sum(one.numel() for one in objects["model"].parameters()))

@hydra.main(version_base=None, config_path=".", config_name="config")
def main(cfg):
    L.seed_everything(cfg.seed, workers=True)
    model, trainer = hydra.utils.instantiate(cfg.model), hydra.utils.instantiate(cfg.trainer)
    tell({"model": model})
    trainer.fit(model, hydra.utils.instantiate(cfg.data))

main()
"""
NAMES = ("model", "adapter", "quant", "optimizer", "micro_batch", "grad_accum", "autocast")


@pytest.mark.parametrize("trainer", ["lightning.pytorch.trainer.Trainer", "lightning.pytorch.Trainer", "pytorch_lightning.Trainer"])
def test_the_hooks_of_a_module_are_followed(trainer: str) -> None:
    files = {"config.yaml": CONFIG.replace("TRAINER", trainer), "lit.py": MODULE, "train.py": PROGRAM, "run.sh": "python train.py\n"}
    found = next(run.run.settings for run in judge_texts(files).runs if run.run.name == "run.sh")
    assert tuple(found.value(name) for name in NAMES) == ("t5-base", "none", "none", "adafactor", 12, 4, "bf16")


def test_an_unknown_function_around_leaves_doubt() -> None:
    program = PROGRAM.replace("from lightning_utilities.core.rank_zero", "from somebody.else_")
    files = {
        "config.yaml": CONFIG.replace("TRAINER", "lightning.Trainer"), "lit.py": MODULE, "train.py": program, "run.sh": "python train.py\n",
    }  # fmt: skip
    found = next(run.run.settings for run in judge_texts(files).runs if run.run.name == "run.sh")
    assert not found["adapter"].known and not found["quant"].known
