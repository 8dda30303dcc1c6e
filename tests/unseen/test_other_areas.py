"""Other areas: pins in files of other kinds, evaluation, encoders, shapes that cannot be."""

from __future__ import annotations

import pytest

from budgetlint.engine.check import check
from budgetlint.registry import installed
from budgetlint.resolve.runs import judge_texts

ARGUMENTS = """\
model_name_or_path: meta-llama/Llama-3.1-8B
per_device_train_batch_size: 1
learning_rate: 1.0e-5
evaluation_strategy: "no"
output_dir: o
num_train_epochs: 1
bf16: true
do_train: true
"""


def codes(files: dict[str, str], budget: str = "") -> set[str]:
    return {finding.code for finding in check(judge_texts(files, budget=budget or None), installed()).findings}


# -- pins --------------------------------------------------------------------------------------------------------------

PINS = {
    "pip inside of conda": ("environment.yml", "name: x\ndependencies:\n  - python=3.9\n  - pip:\n    - transformers==4.32.0\n"),
    "conda's own": ("environment.yaml", "dependencies:\n- pytorch=2.1\n- conda-forge::transformers=4.32.0=pyhd8ed1ab_0  # why\n"),
    "setup.py": ("setup.py", "from setuptools import setup\nsetup(name='x', install_requires=['torch', 'transformers==4.32.0'])\n"),
    "setup.py with a name": ("setup.py", "REQUIREMENTS = ['transformers==4.32.0']\nsetup(install_requires=REQUIREMENTS)\n"),
    "setup.cfg": (
        "setup.cfg",
        "[options]\ninstall_requires =\n    torch\n    transformers==4.32.0\n[options.extras]\n",
    ),
}


@pytest.mark.parametrize(("name", "text"), PINS.values(), ids=PINS.keys())
def test_a_pin_is_read_wherever_it_stands(name: str, text: str) -> None:
    (run,) = judge_texts({"args.yaml": ARGUMENTS, name: text}).runs
    assert run.run.stack.at_least("transformers", "4.32.0") is True
    assert run.run.stack.at_least("transformers", "4.33.0") is False
    assert "BL601" not in codes({"args.yaml": ARGUMENTS, name: text})


def test_a_key_is_renamed_where_the_pin_says_so() -> None:
    assert "BL601" in codes({"args.yaml": ARGUMENTS, "environment.yml": "dependencies:\n- pip:\n  - transformers==4.57.0\n"})


def test_the_nearest_file_wins() -> None:
    files = {
        "a/args.yaml": ARGUMENTS,
        "a/requirements.txt": "transformers==4.40.0\n",
        "environment.yml": "dependencies:\n- transformers=4.32.0\n",
    }
    (run,) = judge_texts(files).runs
    assert run.run.stack.at_least("transformers", "4.39.0") is True


@pytest.mark.parametrize("text", ["setup(", "import os\nos.system('x')\n", "setup(install_requires=open('r').read())\n", "\0"])
def test_a_setup_that_tells_nothing_is_no_pin(text: str) -> None:
    (run,) = judge_texts({"args.yaml": ARGUMENTS, "setup.py": text}).runs
    assert not run.run.stack.releases


# -- precision ---------------------------------------------------------------------------------------------------------

SCRIPT = """\
import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B", torch_dtype=torch.float16)
args = TrainingArguments(output_dir="out", per_device_train_batch_size=2, {}, learning_rate=1e-5)
Trainer(model=model, args=args).train()
"""


@pytest.mark.parametrize(("half", "told"), [("bf16=True", True), ("fp16=True", False)])
def test_fp16_weights_have_no_loss_scaling_under_bf16(half: str, told: bool) -> None:
    """``fp16=True`` is another mistake, of its own rule: the scaler refuses fp16 gradients."""
    assert ("BL201" in codes({"train.py": SCRIPT.format(half)}, "device a100-40gb; seq 512")) is told


# -- encoders ----------------------------------------------------------------------------------------------------------

ENCODER = """\
{"model_name_or_path": "FacebookAI/xlm-roberta-large", "per_device_train_batch_size": 16, "output_dir": "o", "num_train_epochs": 1,
 "fp16": true, "do_train": true, "max_seq_length": 256, "learning_rate": 1e-5, "save_strategy": "epoch", "overwrite_output_dir": true}
"""


def weights_of(model: str, stack: str) -> set[int]:
    """Bytes of a weight in the readings of the run."""
    from budgetlint.catalog.models import find_model
    from budgetlint.memory.planner import plan_run

    (run,) = judge_texts({"bert.json": ENCODER.replace("FacebookAI/xlm-roberta-large", model)}, budget=f"device 24GiB\n{stack}").runs
    found = find_model(model)
    return {plan.precision.weights for plan in plan_run(run.run.settings, run.run.stack, found, None).plans}  # type: ignore[arg-type]


def test_an_encoder_is_loaded_in_fp32_before_5_and_in_its_own_dtype_since() -> None:
    """transformers 4.57 ``from_pretrained``: torch_dtype None is fp32; 5.0: ``auto``. The row of XLM-R does not say its own."""
    assert weights_of("FacebookAI/xlm-roberta-large", "stack transformers@4.50") == {4}
    assert weights_of("FacebookAI/xlm-roberta-large", "stack transformers@5.2") == {4, 2}
    assert weights_of("FacebookAI/xlm-roberta-large", "") == {4, 2}


# -- shapes ------------------------------------------------------------------------------------------------------------

NEOX = """\
{"pipe-parallel-size": 1, "model-parallel-size": 4, "num-layers": 40, "hidden-size": 5120, "num-attention-heads": %s, "seq-length": 2048,
 "max-position-embeddings": 2048, "norm": "layernorm", "pos-emb": "rotary", "no-weight-tying": true, "train_micro_batch_size_per_gpu": 8,
 "gradient_accumulation_steps": 2, "optimizer": {"type": "Adam", "params": {"lr": 0.00012}}, "train-iters": 143000,
 "tokenizer_type": "HFTokenizer", "vocab-file": "/fsx/pile/20B_tokenizer.json"}
"""
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads {} --seq-length 2048 "
    "--max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 8 --lr 1e-4 --train-iters 10 --bf16 "
    "--tokenizer-type GPT2BPETokenizer --vocab-file v --merge-file m {}"
)
UNEVEN = {
    "heads of NeoX": ({"a.yml": NEOX % 36}, "36: hidden_size 5120"),
    "query groups": ({"a.yml": (NEOX % 40).replace('"norm"', '"num-kv-heads": 3, "norm"')}, "3: num_attention_heads 40"),
}


@pytest.mark.parametrize(("files", "said"), UNEVEN.values(), ids=UNEVEN.keys())
def test_a_shape_that_cannot_be_is_told(files: dict[str, str], said: str) -> None:
    messages = [finding.message for finding in check(judge_texts(files), installed()).findings if finding.code == "BL907"]
    assert [said in message for message in messages] == [True]


@pytest.mark.parametrize(
    "files", [{"a.yml": NEOX % 40}, {"run.sh": MEGATRON.format(16, "")}, {"run.sh": MEGATRON.format(20, "--kv-channels 128")}]
)
def test_a_shape_that_can_be_is_not(files: dict[str, str]) -> None:
    assert "BL907" not in codes(files)


# -- evaluation --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (ARGUMENTS, 1),
        (ARGUMENTS.replace("do_train: true", "do_train: false\ndo_eval: true"), 0),
        (ARGUMENTS.replace("do_train: true\n", "do_eval: true\n"), 1),
        (ARGUMENTS.replace("do_train: true", "do_train: false\ndataset_name: d\nmax_length: 512\npacking: true"), 1),
    ],
    ids=["trains", "says that it does not", "leaves it open", "TRL trains whatever it says"],
)
def test_a_file_that_only_evaluates_is_no_run(text: str, runs: int) -> None:
    assert len(judge_texts({"args.yaml": text}).runs) == runs


def test_flags_that_only_evaluate_are_no_run() -> None:
    flags = "python run_glue.py --model_name_or_path a/b --output_dir o --per_device_train_batch_size 8 --learning_rate 1e-5 --do_train {}"
    assert [len(judge_texts({"run.sh": flags.format(word)}).runs) for word in ("True", "False")] == [1, 0]


# -- references --------------------------------------------------------------------------------------------------------

ENGINE = '{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 7}'
GRPO = """\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
args = TrainingArguments(output_dir="out", per_device_train_batch_size=1, bf16=True, deepspeed="NAME")
Trainer(model=model, args=args).train()
"""
PLACES = {
    "another part's file of this name": ("llama/rl/train.py", "zero2.json", "audio/sft/zero2.json", "warning"),
    "the same part": ("llama/rl/train.py", "zero2.json", "llama/configs/zero2.json", "warning"),
    "beside": ("llama/rl/train.py", "zero2.json", "llama/rl/zero2.json", "error"),
    "another folder than the text names": ("scripts/train.py", "ds_configs/zero2.json", "training/old/zero2.json", "warning"),
    "another machine's": ("scripts/train.py", "/ds_configs/zero2.json", "scripts/zero2.json", None),
}


@pytest.mark.parametrize(("program", "name", "engine", "most"), PLACES.values(), ids=PLACES.keys())
def test_what_is_found_by_its_name_alone_makes_no_error(program: str, name: str, engine: str, most: str | None) -> None:
    found = check(judge_texts({program: GRPO.replace("NAME", name), engine: ENGINE}), installed()).findings
    assert next((one.severity.value for one in found if one.code == "BL501"), None) == most


# -- evaluation while training -----------------------------------------------------------------------------------------------

CLOSE = """\
output_dir: o
model_name_or_path: Qwen/Qwen2.5-1.5B
learning_rate: 1.0e-5
per_device_train_batch_size: 1
max_length: 4096
packing: true
optim: adamw_bnb_8bit
bf16: true
gradient_checkpointing: true
loss_type: nll
per_device_eval_batch_size: 1
logging_steps: 5
"""
CARD = "device 20.5GiB; config a.yaml kind=trl; stack torch@2.13 transformers@5.24 trl@1.16 accelerate@1.15"


@pytest.mark.parametrize(("evaluates", "told"), [("steps", True), ("no", False)])
def test_a_run_that_is_close_and_evaluates_is_told_so(evaluates: str, told: bool) -> None:
    files = {"a.yaml": f"{CLOSE}eval_strategy: '{evaluates}'\n", "run.sh": "trl sft --config a.yaml\n"}
    found = check(judge_texts(files, budget=CARD), installed()).findings
    (tight,) = [one for one in found if one.name == "tight-fit"]
    assert ("evaluates while it trains" in tight.help) is told
