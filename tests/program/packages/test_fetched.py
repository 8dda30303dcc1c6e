"""A model that is fetched before it is loaded: what lies there has a name, the path is the machine's."""

from __future__ import annotations

import pytest

from budgetlint.program.values import Choice, Copied, Known, Value
from budgetlint.resolve.runs import judge_texts

from .following import followed

HUB = "from huggingface_hub import snapshot_download\n"
VERL = "from verl.utils.fs import copy_to_local\n"
ID = "Qwen/Qwen2.5-0.5B"
NAMES = {
    f"{HUB}out = snapshot_download('{ID}')": ID,
    f"{HUB}out = snapshot_download(repo_id='{ID}', local_dir='models/qwen')": ID,
    f"import huggingface_hub\nout = huggingface_hub.snapshot_download('{ID}', revision='main')": ID,
    f"from modelscope import snapshot_download\nout = snapshot_download('{ID}', cache_dir='/data')": ID,
    f"from modelscope.hub.snapshot_download import snapshot_download\nout = snapshot_download(model_id='{ID}')": ID,
    f"{VERL}out = copy_to_local('hdfs://h/models/qwen2.5-0.5b')": "hdfs://h/models/qwen2.5-0.5b",
    f"{VERL}out = copy_to_local('{ID}', use_shm=True)": ID,
    f"{HUB}{VERL}out = copy_to_local(snapshot_download('{ID}'))": None,
    f"{HUB}out = snapshot_download('{ID}') + '/text'": None,
    f"{HUB}import os\nout = os.path.join(snapshot_download('{ID}'), 'text')": None,
    f"{HUB}import sys\nout = snapshot_download(sys.argv[1])": None,
}
"""A text, and the name of what lies there: None where nothing is said."""
SAME = {
    f"{VERL}out = copy_to_local('{ID}')": ID,
    f"{VERL}out = copy_to_local(src='/models/x', verbose=True)": "/models/x",
    "from verl.utils.fs import copy_local_path_from_hdfs\nout = copy_local_path_from_hdfs('/models/x')": "/models/x",
}
TRAIN = """
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained({path}, torch_dtype="float32")
Trainer(model, TrainingArguments("o", per_device_train_batch_size=2, bf16=True)).train()
"""


def _out(text: str) -> Value:
    seen = followed(text)
    assert seen.stopped == ""
    return seen["out"]


@pytest.mark.parametrize(("text", "name"), NAMES.items())
def test_what_lies_there(text: str, name: str | None) -> None:
    out = _out(text)
    assert not isinstance(out, Known)
    assert (out.name.value if isinstance(out, Copied) else None) == name


@pytest.mark.parametrize(("text", "path"), SAME.items())
def test_a_path_that_stays_as_it_is(text: str, path: str) -> None:
    out = _out(text)
    assert isinstance(out, Known)
    assert out.value == path


def test_of_several_each_has_its_name() -> None:
    out = _out(f"{HUB}import torch\nout = snapshot_download('a/x' if torch.rand(1) > 0 else 'a/y')")
    assert isinstance(out, Choice)
    assert {way.value.name.value for way in out.ways if isinstance(way.value, Copied)} == {"a/x", "a/y"}


@pytest.mark.parametrize("path", ["snapshot_download('Qwen/Qwen2.5-0.5B')", "copy_to_local('Qwen/Qwen2.5-0.5B')"])
def test_the_run_has_the_model(path: str) -> None:
    (context,) = judge_texts({"train.py": HUB + VERL + TRAIN.format(path=path), "run.sh": "python train.py\n"}, budget="device 80GiB").runs
    assert context.run.settings.value("model") == ID
    assert context.run.settings.value("weights_dtype") == "fp32"
