"""Lightning CLI files."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import identify
from budgetlint.readers.base import complete
from budgetlint.readers.lightning.reader import READER
from budgetlint.settings.run import OriginKind, Reading, Setting, Stack

SEEDS = {
    "lightning": "{trainer: {max_epochs: 1, devices: 1, precision: 16}, model: {class_path: a.B}, seed_everything: 1}",
    "lightning fit": "{fit: {trainer: {max_epochs: 1, devices: 1, precision: 16}, model: {class_path: a.B}}, seed_everything: 1}",
}
"""Documents that it claims (`test_marks.py`)."""

BASE = """\
seed_everything: 42
trainer:
  accelerator: gpu
  devices: 4
  strategy: ddp
  precision: bf16-mixed
  max_epochs: 3
model:
  class_path: mine.Model
  init_args:
    model_name_or_path: acme/tiny-1b
data:
  class_path: mine.Data
  init_args:
    batch_size: 8
    max_length: 1024
"""


def document(text: str):
    return load(SourceFile("fit.yaml", dedent(text)))[0]


def reading(text: str) -> Reading:
    return READER.read(document(text))


def full(text: str) -> dict[str, Setting]:
    return dict(complete(READER, reading(text).settings, Stack()))


@pytest.mark.parametrize("text", [BASE, "fit:\n" + indent(BASE, "  "), BASE.replace("seed_everything: 42\n", "")])
def test_files_are_recognised(text):
    assert identify(document(text)) is READER
    assert reading(text).settings.value("micro_batch") == 8


@pytest.mark.parametrize(
    "text",
    [
        BASE + "exp_manager:\n  name: x\n",
        "trainer:\n  devices: 1\n  precision: 16\nmodel:\n  micro_batch_size: 4\n",
        "trainer:\n  n_gpus_per_node: 8\nseed_everything: 1\n",
        "seed_everything: 1\n",
        "",
    ],
)
def test_others_are_not(text):
    assert READER.recognise(document(text)) == 0


def test_the_trainer_is_certain_and_the_projects_arguments_are_assumed():
    found = full(BASE)
    assert [found[name].value for name in ("shard", "devices_per_node", "weights_dtype", "autocast", "num_epochs")] == [
        "ddp", 4, "fp32", "bf16", 3.0,
    ]  # fmt: skip
    assert (found["model"].value, found["seq_len"].value) == ("acme/tiny-1b", 1024)
    assert found["seq_len"].origin.kind is OriginKind.FILE
    assert found["seq_len"].origin.note
    assert not found["num_epochs"].origin.note


@pytest.mark.parametrize(
    ("strategy", "shard", "offload"),
    [
        ("deepspeed_stage_2", "zero2", None),
        ("deepspeed_stage_3_offload", "zero3", "cpu"),
        ("fsdp", "fsdp", None),
        ("auto", None, None),
        ("\n    class_path: lightning.pytorch.strategies.DeepSpeedStrategy\n    init_args:\n      stage: 3", "zero3", None),
        ("\n    class_path: lightning.pytorch.strategies.FSDPStrategy", "fsdp", None),
        ("my_strategy", None, None),
    ],
)
def test_strategies(strategy, shard, offload):
    value = reading(BASE.replace("strategy: ddp", f"strategy: {strategy}")).settings.value
    assert (value("shard"), value("offload_optimizer")) == (shard, offload)


@pytest.mark.parametrize(("text", "devices"), [("[0, 1]", 2), ("'0,1,2'", 3), ("auto", None), ("-1", None), ("'2'", 2)])
def test_devices(text, devices):
    found = reading(BASE.replace("devices: 4", f"devices: {text}")).settings
    assert found.value("devices_per_node") == devices
    assert found["devices_per_node"].state == ("auto" if devices is None else "known")


def test_the_deepspeed_file_of_a_strategy_is_named():
    block = "\n    class_path: lightning.pytorch.strategies.DeepSpeedStrategy\n    init_args:\n      config: ds.json"
    assert [found.text for found in reading(BASE.replace("strategy: ddp", f"strategy: {block}")).references] == ["ds.json"]


def test_an_optimizer_of_a_library_is_known_and_of_the_project_is_not():
    one = reading(BASE + "optimizer:\n  class_path: torch.optim.AdamW\n  init_args:\n    lr: 1e-4\n").settings
    other = reading(BASE + "optimizer:\n  class_path: mine.Optimizer\n").settings
    assert (one.value("optimizer"), one.value("learning_rate"), other["optimizer"].state) == ("adamw", 1e-4, "symbolic")


@pytest.mark.parametrize(("precision", "dtype"), [("16", "fp16"), ("bf16-mixed", "bf16"), ("32-true", None)])
def test_deepspeed_keeps_the_weights_in_the_trainers_type(precision, dtype):
    text = BASE.replace("strategy: ddp", "strategy: deepspeed_stage_2").replace("bf16-mixed", precision)
    assert reading(text).settings.value("engine_dtype") == dtype
