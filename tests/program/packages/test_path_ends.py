"""Paths of which only the last part is known: what it is that lies there is known then, where is not."""

from __future__ import annotations

import pytest

from budgetlint.program.values import Ending, Known
from budgetlint.resolve.runs import judge_texts

from .following import followed

HEAD = "import os\nfrom pathlib import Path\nx = input()\n"
ENDS = {
    "f'{x}/Qwen2.5-7B'": "Qwen2.5-7B",
    "f'{x}/models/{\"Qwen2.5\"}-7B/'": "Qwen2.5-7B",
    "x + '/Qwen2.5-7B'": "Qwen2.5-7B",
    "x + '/models' + '/Qwen2.5-7B'": "Qwen2.5-7B",
    "os.path.join(x, 'Qwen2.5-7B')": "Qwen2.5-7B",
    "os.path.join(os.environ['HF_HOME'], 'a', 'Qwen2.5-7B')": "Qwen2.5-7B",
    "os.path.join(os.path.join(x, 'models'), 'Qwen2.5-7B')": "Qwen2.5-7B",
    "os.path.expanduser('~/models/Qwen2.5-7B')": "Qwen2.5-7B",
    "os.path.expandvars('$HOME/Qwen2.5-7B')": "Qwen2.5-7B",
    "os.path.abspath(os.path.expanduser('~/Qwen2.5-7B'))": "Qwen2.5-7B",
    "Path.home() / 'models' / 'Qwen2.5-7B'": "Qwen2.5-7B",
    "str(Path(x) / 'Qwen2.5-7B')": "Qwen2.5-7B",
    "Path(x, 'Qwen2.5-7B')": "Qwen2.5-7B",
    "Path('~/Qwen2.5-7B').expanduser()": "Qwen2.5-7B",
    # nothing is said of these
    "f'{x}-7B'": "",
    "f'{x}/Qwen2.5-{x}'": "",
    "x + 'Qwen2.5-7B'": "",
    "os.path.join('models', x)": "",
    "os.path.join(x, '..')": "",
    "os.path.join(x, 'Qwen2.5-7B').upper()": "",
    "os.path.realpath(os.path.expanduser('~/Qwen2.5-7B'))": "",
    "os.path.expandvars('/models/$NAME')": "",
    "os.path.dirname(f'{x}/Qwen2.5-7B')": "",
}
MODEL = "Qwen/Qwen2.5-0.5B"
TRAIN = """
import os, sys
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer
root = os.environ["MODELS"]
local = "/data/Qwen2.5-0.5B"
model = AutoModelForCausalLM.from_pretrained({path}, torch_dtype="float32")
SFTTrainer(model, SFTConfig("o", per_device_train_batch_size=2, bf16=True, max_length=512)).train()
"""
NAMED = {
    "f'{root}/Qwen2.5-0.5B'": "Qwen2.5-0.5B",
    f"local if os.path.isdir(local) else '{MODEL}'": MODEL,
    "f'{root}/checkpoint-500'": None,
    "f'{root}/Qwen2.5-0.5B' if os.path.isdir(root) else 'gpt2'": None,
    f"'/data/gpt2' if os.path.isdir(local) else '{MODEL}'": None,
    "f'{root}-0.5B'": None,
}


@pytest.mark.parametrize(("text", "end"), ENDS.items())
def test_the_last_part(text: str, end: str) -> None:
    out = followed(f"{HEAD}out = {text}")["out"]
    assert not isinstance(out, Known)
    assert (out.end if isinstance(out, Ending) else "") == end


@pytest.mark.parametrize(("path", "model"), NAMED.items())
def test_the_model_of_a_run(path: str, model: str | None) -> None:
    (context,) = judge_texts({"train.py": TRAIN.format(path=path), "run.sh": "python train.py\n"}, budget="device 80GiB").runs
    assert context.run.settings.value("model") == model
    assert (context.estimate is not None and context.estimate.params is not None) == (model is not None)


FLAGS = "accelerate launch sft.py --output_dir o --per_device_train_batch_size 1 --max_length 512 --model_name_or_path"


@pytest.mark.parametrize(
    ("word", "model"),
    [
        ("$ROOT/Qwen2.5-0.5B", "Qwen2.5-0.5B"),
        ("${ROOT}/models/Qwen2.5-0.5B/", "Qwen2.5-0.5B"),
        ("/models/${WHO}/Qwen2.5-0.5B", "Qwen2.5-0.5B"),
        ("${ROOT}/Qwen2.5-${SIZE}", None),
        ("${ROOT}/final", None),
        ("${ROOT}", None),
    ],
)
def test_words_of_a_command(word: str, model: str | None) -> None:
    (context,) = judge_texts({"run.sh": f"{FLAGS} {word}\n"}, budget="device 80GiB").runs
    assert context.run.settings.value("model") == model


def test_a_checkpoint_that_is_stored_in_few_bits_says_so() -> None:
    (context,) = judge_texts({"run.sh": f"{FLAGS} $ROOT/Qwen2.5-0.5B-Instruct-bnb-4bit\n"}, budget="device 80GiB").runs
    assert context.run.settings.value("quant") == "nf4"
