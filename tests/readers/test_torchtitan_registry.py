"""torchtitan's jobs as Python functions."""

from __future__ import annotations

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import load
from budgetlint.readers import identify
from budgetlint.readers.torchtitan.reader import READER
from budgetlint.resolve.runs import judge_texts
from budgetlint.settings.run import Run

PATH = "torchtitan/models/llama3/config_registry.py"
HEAD = """\
from torchtitan.components.loss import ChunkedLossWrapper, CrossEntropyLoss
from torchtitan.components.lora import LoRAConverter
from torchtitan.components.optimizer import default_adamw, OptimizersContainer
from torchtitan.components.quantization import Float8LinearConverter
from torchtitan.config import CompileConfig, ParallelismConfig, TrainingConfig
from torchtitan.distributed.activation_checkpoint import FullAC, SelectiveAC
from torchtitan.trainer import Trainer
from . import model_registry


"""


def job(arguments: str, before: str = "") -> str:
    return f"{HEAD}def llama3_8b() -> Trainer.Config:\n    {before or 'pass'}\n    return Trainer.Config({arguments})\n"


def run_of(arguments: str, before: str = "", path: str = PATH) -> Run:
    (context,) = judge_texts({path: job(arguments, before)}).runs
    return context.run


WRITTEN: dict[str, dict[str, object]] = {
    "training=TrainingConfig(local_batch_size=1, seq_len=8192, steps=1000)": {"micro_batch": 1, "seq_len": 8192, "max_steps": 1000},
    'model_spec=model_registry("8B")': {"model": "llama-3-8b"},
    "optimizer=default_adamw(lr=3e-4)": {"optimizer": "adamw", "learning_rate": 3e-4, "weight_decay": 0.1},
    "optimizer=OptimizersContainer.Config(param_groups=groups)": {"optimizer": None},
    "activation_checkpoint=FullAC.Config()": {"recompute": "full"},
    "activation_checkpoint=SelectiveAC.Config()": {"recompute": "selective"},
    "activation_checkpoint=None": {"recompute": "none"},
    "activation_checkpoint=mine()": {"recompute": None},
    "dump_folder='x'": {"recompute": "selective", "micro_batch": 8, "shard": "fsdp2", "weights_dtype": "fp32", "loss": "full"},
    "training=TrainingConfig(local_batch_size=len(x), steps=5)": {"micro_batch": None, "max_steps": 5},
    "training=mine(local_batch_size=3)": {"micro_batch": None, "seq_len": None},
    "parallelism=ParallelismConfig(tensor_parallel_degree=8)": {"tensor_parallel": 8},
    "compile=CompileConfig(enable=True)": {"compile": True},
    "loss=ChunkedLossWrapper.Config(loss_fn=CrossEntropyLoss.Config())": {"loss": None},
    'model_spec=model_registry("8B", converters=[Float8LinearConverter.Config()])': {"autocast": "fp8"},
    'model_spec=model_registry("8B", converters=[LoRAConverter.Config(rank=16)])': {"adapter": "lora", "lora_r": 16},
}


@pytest.mark.parametrize("arguments", WRITTEN)
def test_what_a_function_says(arguments: str) -> None:
    settings = run_of(f"model_spec=model_registry('8B'), {arguments}" if "model_spec" not in arguments else arguments).settings
    assert {name: settings.value(name) for name in WRITTEN[arguments]} == WRITTEN[arguments]


def test_a_call_in_place_of_a_number_is_no_wrong_value() -> None:
    run = run_of("training=TrainingConfig(local_batch_size=len(x)), optimizer=default_adamw(lr=rate())")
    assert not any(reading.misreads for reading in run.readings)


def test_values_have_their_places() -> None:
    run = run_of("training=TrainingConfig(local_batch_size=4), model_spec=model_registry('8B')")
    assert str(run.settings["micro_batch"].origin) == f"{PATH}:13:68"


def test_a_registry_that_is_imported() -> None:
    text = job("model_spec=model_registry('8B')").replace("from . import", "from torchtitan.models.qwen3 import")
    (context,) = judge_texts({"mine.py": text}).runs
    assert context.run.settings.value("model") == "qwen3-8b"


def test_a_name_in_between() -> None:
    assert run_of("model_spec=spec", "spec = model_registry('70B')").settings.value("model") == "llama-3-70b"


@pytest.mark.parametrize(
    "text", ["class Trainer:\n    pass\n", "def f():\n    return Other.Trainer.Config(lr=1)\n", "x = 'Trainer.Config('\n"]
)
def test_other_programs_are_not_its(text: str) -> None:
    assert all(identify(one) is not READER for one in load(SourceFile("a.py", text)) if one.root is not None)
