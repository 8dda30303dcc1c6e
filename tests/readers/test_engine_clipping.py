"""Under DeepSpeed the engine clips: what its file does not say, the Trainer does not fill in."""

from __future__ import annotations

import pytest

from budgetlint.resolve.runs import judge_texts

TRAIN = "output_dir: out\nper_device_train_batch_size: 2\nnum_train_epochs: 1\nlearning_rate: 1.0e-5\ndeepspeed: ds.json\n"
SILENT, AUTO, SAYS = "", ', "gradient_clipping": "auto"', ', "gradient_clipping": 0.5'
PINS = {"0.14.4": "deepspeed==0.14.4\n", "0.19.3": "deepspeed==0.19.3\n", None: ""}


def clipping(train: str, engine: str, version: str | None):
    config = f'{{"zero_optimization": {{"stage": 2}}, "train_micro_batch_size_per_gpu": "auto"{engine}}}'
    texts = {"train.yaml": train, "ds.json": config, "requirements.txt": PINS[version]}
    (context,) = judge_texts(texts).runs
    found = context.run.settings["max_grad_norm"]
    return found.value, found.readings, [lost.value for lost in found.overrode]


@pytest.mark.parametrize(
    ("extra", "engine", "version", "expected"),
    [
        ("", SILENT, "0.14.4", (0.0, (), [])),
        ("", SILENT, "0.19.3", (1.0, (), [])),
        ("", SILENT, None, (None, (1.0, 0.0), [])),
        ("max_grad_norm: 0.3\n", SILENT, "0.14.4", (0.0, (), [0.3])),
        ("", AUTO, "0.14.4", (None, (), [])),
        ("max_grad_norm: 0.3\n", AUTO, "0.14.4", (0.3, (), [None])),
        ("", SAYS, "0.14.4", (0.5, (), [])),
    ],
)
def test_the_engine_clips_by_its_own_file(extra, engine, version, expected):
    assert clipping(TRAIN + extra, engine, version) == expected


def test_without_deepspeed_the_trainer_clips():
    (context,) = judge_texts({"train.yaml": TRAIN.replace("deepspeed: ds.json\n", "")}).runs
    assert context.run.settings.value("max_grad_norm") == 1.0
