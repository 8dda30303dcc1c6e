"""Programs that evaluate, prepare, convert or serve start no training run; what computes with JAX is refused by name."""

from __future__ import annotations

import pytest

from budgetlint.files.disk import TextFiles
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect, judge_texts

FLAGS = "--model_name_or_path Qwen/Qwen2.5-0.5B --output_dir out --bf16 --lr_scheduler_type cosine --save_total_limit 1"
TRAIN = f"{FLAGS} --per_device_train_batch_size 4"
SFT = "model_name_or_path: Qwen/Qwen2.5-0.5B\ndataset_name: a/b\nper_device_train_batch_size: 1\nmax_length: 512\n"
AXOLOTL = "base_model: Qwen/Qwen2.5-0.5B\nsequence_len: 512\nmicro_batch_size: 1\ndatasets: [{path: a/b, type: alpaca}]\n"
STEPS = "trainer = make()\ntrainer.train()\n"
SCORES = "from transformers import HfArgumentParser, pipeline\nprint(pipeline('x')(1))\n"

NO_RUN = {
    "a script that evaluates": (f"python run_eval.py {FLAGS} --per_device_eval_batch_size 4\n", {}, "evaluates"),
    "its code is here and trains nothing": (f"python run_eval.py {FLAGS}\n", {"run_eval.py": SCORES}, "evaluates"),
    "a harness": (f"accelerate launch -m lm_eval {FLAGS}\n", {}, "evaluates"),
    "a server": (f"python -m vllm.entrypoints.openai.api_server {FLAGS}\n", {}, "generates or serves"),
    "labels for a training to come": (f"accelerate launch run_pseudo_labelling.py {FLAGS}\n", {}, "generates or serves"),
    "data": (f"python tools/preprocess.py {FLAGS}\n", {}, "prepares data"),
    "merged adapters": (f"python scripts/merge_lora.py {FLAGS}\n", {}, "converts weights"),
    "told not to": (f"python run_sum.py {TRAIN} --do_train False\n", {}, "is told not to train"),
    "an official example without --do_train": (f"python run_clm.py {TRAIN} --do_eval\n", {}, "is told not to train"),
    "a converter takes the training's flags": (f"python convert_it.py {TRAIN}\n", {}, "converts weights"),
}
RUN = {
    "its flags are of a training": (f"python run_eval.py {TRAIN}\n", {}),
    "its code trains": (f"python generate.py {FLAGS}\n", {"generate.py": STEPS}),
    "what trains and converts behind it": (f"python train_and_convert.py {TRAIN}\n", {}),
    "a model that is called so": (f"python run_convbert_converted.py {TRAIN}\n", {}),
    "its name is of both": (f"python train_eval.py {FLAGS}\n", {}),
    "data for a training": (f"python generate_and_train.py {FLAGS}\n", {}),
    "an official example that does both": (f"python run_clm.py {TRAIN} --do_eval --do_train\n", {}),
    "TRL trains whatever it says": (f"trl sft {TRAIN} --do_train false\n", {}),
}


@pytest.mark.parametrize(("script", "files", "does"), NO_RUN.values(), ids=NO_RUN)
def test_no_run(script: str, files: dict[str, str], does: str) -> None:
    work = collect(open_project(TextFiles({"run.sh": script, **files}), ["."]))
    assert work.runs == []
    assert [told for _, told in work.idle["run.sh"]] == [does]


@pytest.mark.parametrize(("script", "files"), RUN.values(), ids=RUN)
def test_a_run(script: str, files: dict[str, str]) -> None:
    work = collect(open_project(TextFiles({"run.sh": script, **files}), ["run.sh", *files]))
    assert [run.name for run in work.runs if run.name == "run.sh"] == ["run.sh"]
    assert work.idle == {}


def test_a_file_of_such_a_program_is_no_run_either_but_a_strict_trainers_recipe_is() -> None:
    script = "python evaluate.py --config a.yaml\npython -m axolotl.cli.preprocess x.yaml\n"
    work = collect(open_project(TextFiles({"a.yaml": SFT, "x.yaml": AXOLOTL, "run.sh": script}), ["."]))
    assert [run.name for run in work.runs] == ["x.yaml"]


def test_a_file_that_a_training_takes_too_is_its_run() -> None:
    script = "python evaluate.py --config a.yaml\ntrl sft --config a.yaml\n"
    work = collect(open_project(TextFiles({"a.yaml": SFT, "run.sh": script}), ["."]))
    assert [run.name for run in work.runs] == ["run.sh"]


OF_PACKAGES = {
    "axolotl.cli.preprocess": "prepares data",
    "axolotl.cli.merge_lora": "converts weights",
    "axolotl.cli.vllm_serve": "generates or serves",
    "swift.cli.eval": "evaluates",
    "swift.cli.export": "converts weights",
    "swift.cli.rollout": "generates or serves",
    "openrlhf.cli.lora_combiner": "converts weights",
    "openrlhf.cli.serve_rm": "generates or serves",
    "verl.trainer.main_eval": "evaluates",
    "verl.model_merger": "converts weights",
    "verl.trainer.main_generation_server": "generates or serves",
    "trl.scripts.vllm_serve": "generates or serves",
    "transformers.onnx": "converts weights",
    "lighteval": "evaluates",
    "optimum.exporters.onnx": "converts weights",
    "sglang.launch_server": "generates or serves",
}


@pytest.mark.parametrize(("module", "does"), OF_PACKAGES.items())
def test_a_module_of_a_package_that_trains_nothing(module: str, does: str) -> None:
    """Whatever flags stand there: a package's own modules are known by name."""
    work = collect(open_project(TextFiles({"run.sh": f"python -m {module} {TRAIN}\n"}), ["."]))
    assert (work.runs, [told for _, told in work.idle["run.sh"]]) == ([], [does])


JAX = {
    "transformers' own by its name": ("run_clm_flax.py", {}),
    "by its code": ("run_distillation.py", {"run_distillation.py": "import jax\nimport optax\nstep = jax.value_and_grad(loss)\n"}),
}


@pytest.mark.parametrize(("program", "files"), JAX.values(), ids=JAX)
def test_what_computes_with_jax_is_not_modelled(program: str, files: dict[str, str]) -> None:
    judged = judge_texts({"run.sh": f"python {program} --do_train {TRAIN}\n", **files}, budget="device 24GiB")
    (context,) = judged.runs
    assert context.estimate is not None
    assert (context.estimate.reason, "jax" in context.estimate.missing) == ("not-modelled", True)
    assert "devices" not in context.run.settings


def test_a_torch_program_that_speaks_of_jax_is_torchs() -> None:
    files = {"train.py": "import torch\n# as in the JAX version, without flax\nloss.backward()\n"}
    (context,) = judge_texts({"run.sh": f"python train.py {TRAIN}\n", **files}).runs
    assert "unmodelled" not in context.run.settings


def test_files_lists_what_trains_nothing(shell) -> None:
    shell.write("eval.sh", f"\npython run_eval.py {FLAGS}\n")
    assert shell("files").out.splitlines() == ["eval.sh  hf_training_arguments  no training run: run_eval.py evaluates (line 2)"]
    row = shell("files", "--format", "json").json["files"][0]
    assert row["trains_nothing"] == [{"line": 2, "program": "run_eval.py", "does": "evaluates"}]
    assert shell("check", "--info", "--budget", "device 24GiB", "--format", "json").json["findings"] == []
