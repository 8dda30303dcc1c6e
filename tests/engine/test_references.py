"""A reference leads to a file by its path; by its name alone only with a finding, and an absolute path never."""

from __future__ import annotations

import pytest

from budgetlint.files.disk import TextFiles
from budgetlint.resolve.edges import ABOVE, AS_WRITTEN, BASE, BOUND, BY_NAME, CALL, HOLDS, OWN_FOLDER, Edge, by_file, chain, rule_of
from budgetlint.resolve.project import open_project
from budgetlint.resolve.runs import collect, judge_texts

SFT = "model_name_or_path: Qwen/Qwen2.5-0.5B\ndataset_name: a/b\nper_device_train_batch_size: 1\nmax_length: 512\ndeepspeed: {}\n"
ZERO = '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": 1}\n'


@pytest.mark.parametrize(
    ("named_in", "text", "path", "rule"),
    [
        ("a/b/c.yaml", "a/z.json", "a/z.json", AS_WRITTEN),
        ("a/b/c.yaml", "./a/z.json", "a/z.json", AS_WRITTEN),
        ("a/b/c.yaml", "z.json", "a/b/z.json", OWN_FOLDER),
        ("a/b/c.yaml", "../z.json", "a/z.json", OWN_FOLDER),
        ("a/b/c.yaml", "z.json", "a/z.json", ABOVE),
        ("a/b/c.yaml", "z.json", "d/z.json", BY_NAME),
        ("a/b/c.yaml", "${D}/z.json", "d/z.json", BY_NAME),
    ],
)
def test_by_which_rule_a_text_leads_to_a_path(named_in: str, text: str, path: str, rule: str) -> None:
    assert rule_of(named_in, text, path) == rule


CASES = {
    "from the working directory": ("engines/zero.json", {"engines/zero.json": ZERO}, "zero3", []),
    "from the file's own folder": ("zero.json", {"train/zero.json": ZERO}, "zero3", []),
    "by its name alone": ("zero.json", {"engines/zero.json": ZERO}, "zero3", ["guessed-reference"]),
    "in a folder that only the script knows": ("${HERE}/zero.json", {"engines/zero.json": ZERO}, "zero3", []),
    "two of that name": ("x/zero.json", {"a/zero.json": ZERO, "b/zero.json": ZERO}, None, ["missing-reference"]),
    "an absolute path is on another machine": ("/data/zero.json", {"engines/zero.json": ZERO}, None, ["missing-reference"]),
    "so is one from the home folder": ("~/zero.json", {"engines/zero.json": ZERO}, None, ["missing-reference"]),
}


@pytest.mark.parametrize(("text", "files", "shard", "names"), CASES.values(), ids=CASES)
def test_what_a_reference_leads_to(text: str, files: dict[str, str], shard: str | None, names: list[str]) -> None:
    judged = judge_texts({"train/sft.yaml": SFT.format(text), **files})
    (context,) = judged.runs
    assert context.run.settings.value("shard") == shard
    assert [finding.name for finding in judged.findings] == names
    said = [one.text for one in context.estimate.assumptions if "the only one of that name" in one.text] if context.estimate else []
    assert said == (
        [f"{text} leads to no file here; engines/zero.json, the only one of that name, is taken for it"]
        if "guessed-reference" in names
        else []
    )


NEAR = {
    "a sign": ("x/deepspeed-z3-config.json", ["engines/deepspeed_z3_config.json"], "did you mean 'engines/deepspeed_z3_config.json'?"),
    "two of that name": ("x/zero.json", ["a/zero.json", "b/zero.json"], "did you mean 'a/zero.json' or 'b/zero.json'?"),
    "on another machine": ("/data/zero.json", ["engines/zero.json"], "did you mean 'engines/zero.json'?"),
    "another stage": ("x/zero3.json", ["a/zero2.json"], None),
    "another format": ("x/z3_config.yaml", ["a/z3-config.json"], None),
}


@pytest.mark.parametrize(("text", "files", "cure"), NEAR.values(), ids=NEAR)
def test_a_near_file_is_named(text: str, files: list[str], cure: str | None) -> None:
    judged = judge_texts({"train/sft.yaml": SFT.format(text), **dict.fromkeys(files, ZERO)})
    (missing,) = (one for one in judged.findings if one.name == "missing-reference")
    assert missing.help == (cure or missing.help) and ("did you mean" in missing.help) == (cure is not None)


def test_a_recipe_that_a_command_names_is_guessed_aloud_too() -> None:
    judged = judge_texts({"conf/a.yaml": SFT.format("null"), "jobs/run.sh": "trl sft \\\n  --config recipes/a.yaml\n"})
    assert [(one.name, one.location.file, one.location.line) for one in judged.findings] == [("guessed-reference", "jobs/run.sh", 2)]
    assert [context.run.name for context in judged.runs] == ["jobs/run.sh"]


OWN = """import argparse, json
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--deepspeed_config")
parser.add_argument("--config")
args = parser.parse_args()
rows = json.load(open(args.config))["batch"] if args.config else 1
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
Trainer(model, TrainingArguments("out", deepspeed=args.deepspeed_config, per_device_train_batch_size=rows)).train()
"""
ON_A_MACHINE: dict[str, tuple[str, object, object, list[str]]] = {
    "beside the program": ("python $ROOT/run/train.py --deepspeed_config $ROOT/conf/zero.json", "zero3", 1, []),
    "with a sign": ("python $ROOT/run/train.py --deepspeed_config=$ROOT/conf/zero.json", "zero3", 1, []),
    "what the program opens": ("python $ROOT/run/train.py --config $ROOT/conf/a.json", None, 4, []),
    "beside no program of the project": ("trl sft --config $ROOT/conf/zero.json", None, None, []),
    "in another folder": ("python $ROOT/run/train.py --deepspeed_config /data/conf/zero.json", None, 1, ["missing-reference"]),
    "of a launcher": ("accelerate launch --config_file $ROOT/conf/acc.yaml $ROOT/run/train.py --config $ROOT/conf/a.json", "zero2", 4, []),
}


@pytest.mark.parametrize(("command", "shard", "rows", "names"), ON_A_MACHINE.values(), ids=ON_A_MACHINE)
def test_paths_of_the_machine_that_a_script_was_written_on(command: str, shard: object, rows: object, names: list[str]) -> None:
    accelerate = "distributed_type: DEEPSPEED\nnum_processes: 2\ndeepspeed_config: {zero_stage: 2}\n"
    files = {"run/train.py": OWN, "conf/zero.json": ZERO, "conf/a.json": '{"batch": 4}', "conf/acc.yaml": accelerate}
    judged = judge_texts({**files, "job/go.sh": f"ROOT=/home/me/repo # change this\n{command}\n"})
    runs = [context.run for context in judged.runs if context.run.name == "job/go.sh"]
    assert [(one.settings.value("shard"), one.settings.value("micro_batch")) for one in runs] == ([(shard, rows)] if rows else [])
    assert [finding.name for finding in judged.findings if finding.name.endswith("-reference")] == names


FILES = {
    "all.sh": "echo\nbash run.sh conf/a.yaml\n",
    "run.sh": "trl sft --config $1\n",
    "conf/a.yaml": SFT.format("zero.json"),
    "engines/zero.json": ZERO,
    "bound/b.yaml": SFT.format("null"),
    "bound/x.budget": "device 24GiB\nconfig b.yaml\n",
    "y.budget": "device 24GiB\n",
    "nemo/child.yaml": "defaults: parent.yaml\npolicy: {train_micro_batch_size: 2}\n",
    "nemo/parent.yaml": "policy: {model_name: Qwen/Qwen2.5-1.5B, train_micro_batch_size: 1, train_global_batch_size: 8,"
    " precision: bfloat16, dtensor_cfg: {enabled: true}}\ngrpo: {max_num_steps: 1}\ncluster: {gpus_per_node: 1, num_nodes: 1}\n",
}


def test_every_edge_is_data() -> None:
    work = collect(open_project(TextFiles(FILES), ["."]))
    assert set(work.edges) >= {
        Edge("run.sh", "all.sh", 2, "run.sh", CALL),
        Edge("conf/a.yaml", "run.sh", 1, "conf/a.yaml", AS_WRITTEN),
        Edge("engines/zero.json", "conf/a.yaml", 5, "zero.json", BY_NAME),
        Edge("bound/b.yaml", "bound/x.budget", 2, "b.yaml", BOUND),
        Edge("y.budget", "run.sh", 0, "", HOLDS),
        Edge("nemo/parent.yaml", "nemo/child.yaml", 1, "parent.yaml", BASE),
    }
    told = [(depth, edge.by, edge.certainty) for depth, edge in chain(by_file(work.edges), "engines/zero.json")]
    assert told == [(0, "conf/a.yaml", "assumed"), (1, "run.sh", "sure"), (2, "all.sh", "sure")]


@pytest.mark.parametrize("made", ["tune cp full ./mine/a.yaml", "cp base.yaml mine/a.yaml", "curl -o mine/a.yaml $URL"])
def test_a_file_that_the_script_makes_first_is_no_wrong_path(made: str) -> None:
    judged = judge_texts({"conf/a.yaml": SFT.format("null"), "jobs/run.sh": f"{made}\ntrl sft --config mine/a.yaml\n"})
    assert not judged.findings


def test_a_circle_of_edges_ends() -> None:
    edges = by_file([Edge("a", "b", 1, "a", BASE), Edge("b", "a", 1, "b", BASE)])
    assert [edge.by for _, edge in chain(edges, "a")] == ["b", "a"]


AFTER_CD = {
    # the script, the file of the run, where only its name leads there
    "a folder of the project": ("cd train/big\n", "train/big/sft.yaml", []),
    "one from the script's": ("cd ../train\n", "train/sft.yaml", []),
    "two, one after the other": ("cd train\ncd big\n", "train/big/sft.yaml", []),
    "one on another machine's disk": ("cd /data/repo/train\n", "train/sft.yaml", []),
    "one below the home folder": ("cd ~/repo/train\n", "train/sft.yaml", []),
    "the project's own": ("git clone x/repo\ncd repo\n", "sft.yaml", []),
    "another": ("cd other\n", "train/sft.yaml", ["guessed-reference"]),
    "none": ("", "train/sft.yaml", ["guessed-reference"]),
    "one that is not known": ("cd $WHERE\n", "train/sft.yaml", ["guessed-reference"]),
}


@pytest.mark.parametrize(("script", "config", "names"), AFTER_CD.values(), ids=AFTER_CD)
def test_a_cd_says_where_a_file_lies(script: str, config: str, names: list[str]) -> None:
    judged = judge_texts({config: SFT.format("null"), "jobs/run.sh": f"{script}trl sft --config sft.yaml\n"})
    assert [one.name for one in judged.findings] == names
    assert {context.run.name: context.run.settings.value("seq_len") for context in judged.runs} == {"jobs/run.sh": 512}


def test_of_two_files_a_cd_says_which() -> None:
    judged = judge_texts(
        {
            "sft.yaml": SFT.format("null"),
            "train/sft.yaml": SFT.format("null").replace("512", "256"),
            "run.sh": "cd train\ntrl sft --config sft.yaml\n",
        }
    )
    assert {context.run.name: context.run.settings.value("seq_len") for context in judged.runs}["run.sh"] == 256


def test_a_cd_says_where_a_program_lies_that_is_not_followed_to_its_end() -> None:
    program = (
        "import torch\nfrom transformers import TrainingArguments\nint('x')\nTrainingArguments('o', max_steps=3, learning_rate=1e-4)\n"
    )
    judged = judge_texts({"a/b/trainer.py": program, "run.sh": "cd a/b\npython trainer.py\n"})
    assert ([one.name for one in judged.findings], [context.run.name for context in judged.runs]) == ([], ["run.sh"])
