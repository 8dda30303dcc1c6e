"""A fix is safe only where it is safe for everybody who reads the place: other runs, other versions, aliases, flags."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgetlint.base.finding import Confidence, Edit, Finding, Fix, Safety, Severity
from budgetlint.base.record import replace
from budgetlint.base.source import Location, Span
from budgetlint.engine.other_readers import by_label, disturbed
from budgetlint.resolve.runs import judge_texts

ARGUMENTS = (
    "model_name_or_path: Qwen/Qwen2.5-1.5B\noutput_dir: out\nper_device_train_batch_size: 1\nsave_strategy: epoch\nnum_train_epochs: 1\n"
)
UNREAD = f"{ARGUMENTS}adam_beta2: 0.95\n"
ADAFACTOR = "python run_clm.py train.yaml --optim adafactor\n"
ADAMW = "python run_clm.py train.yaml --optim adamw_torch\n"
QLORA = (
    "base_model: Qwen/Qwen2.5-1.5B\nsequence_len: 2048\nmicro_batch_size: 1\nnum_epochs: 1\n"
    "datasets: [{path: data.jsonl, type: alpaca}]\nadapter: qlora\n"
)


def fixed(shell: Any, files: dict[str, str], *argv: str, path: str = "train.yaml") -> str:
    for name, text in files.items():
        shell.write(name, text)
    ran = shell("check", "--fix", "--no-cache", *argv)
    assert ran.code in (0, 1), ran.err
    return (shell.root / path).read_bytes().decode("utf-8")


def safeties(shell: Any, rule: str, *argv: str) -> list[str]:
    report = shell("check", "--format", "json", "--info", "--no-cache", *argv).json
    return [fix["safety"] for finding in report["findings"] if finding["name"] == rule for fix in finding["fixes"]]


# -- other runs ------------------------------------------------------------------------------------------------------------------


def test_a_value_that_one_run_does_not_read_goes(shell: Any) -> None:
    assert fixed(shell, {"train.yaml": UNREAD, "a.sh": ADAFACTOR}) == ARGUMENTS


def test_not_where_another_run_of_the_file_reads_it(shell: Any) -> None:
    assert fixed(shell, {"train.yaml": UNREAD, "a.sh": ADAFACTOR, "b.sh": ADAMW}) == UNREAD
    assert safeties(shell, "adam-hparams-without-adam") == ["unsafe"]


def test_nor_where_the_other_run_is_another_command_of_the_script(shell: Any) -> None:
    assert fixed(shell, {"train.yaml": UNREAD, "a.sh": ADAFACTOR + ADAMW}) == UNREAD


def test_a_flag_of_one_command_is_nobody_elses(shell: Any) -> None:
    files = {"train.yaml": ARGUMENTS, "a.sh": f"{ADAFACTOR.strip()} --adam_beta2 0.95\n{ADAMW.strip()} --adam_beta2 0.95\n"}
    assert fixed(shell, files, path="a.sh") == f"{ADAFACTOR}{ADAMW.strip()} --adam_beta2 0.95\n"


def test_flags_that_two_commands_share_are_both_theirs(shell: Any) -> None:
    text = 'ARGS="--adam_beta2 0.95"\npython run_clm.py train.yaml $ARGS --optim adafactor\npython run_clm.py train.yaml $ARGS\n'
    assert fixed(shell, {"train.yaml": ARGUMENTS, "a.sh": text}, path="a.sh") == text


def test_both_runs_alike_are_fixed_together(shell: Any) -> None:
    assert fixed(shell, {"train.yaml": UNREAD, "a.sh": ADAFACTOR, "b.sh": ADAFACTOR}) == ARGUMENTS


def test_unsafe_fixes_are_applied_all_the_same(shell: Any) -> None:
    assert fixed(shell, {"train.yaml": UNREAD, "a.sh": ADAFACTOR, "b.sh": ADAMW}, "--unsafe-fixes") == ARGUMENTS


# -- a check that does not see everything ------------------------------------------------------------------------------------------


def test_a_check_of_one_script_edits_no_file_whose_other_runs_it_does_not_judge(shell: Any) -> None:
    files = {"train.yaml": UNREAD, "a.sh": ADAFACTOR, "b.sh": ADAMW}
    assert fixed(shell, files, "a.sh") == UNREAD


def test_a_check_of_the_file_sees_all_its_runs(shell: Any) -> None:
    assert fixed(shell, {"train.yaml": UNREAD, "a.sh": ADAFACTOR, "b.sh": ADAMW}, "train.yaml") == UNREAD


def test_a_setting_of_the_command_line_is_no_reason_to_edit_a_file(shell: Any) -> None:
    assert fixed(shell, {"train.yaml": UNREAD, "a.sh": ADAMW}, "--set", "optimizer=adafactor") == UNREAD


def test_nor_is_one_command(shell: Any) -> None:
    assert fixed(shell, {"train.yaml": UNREAD, "b.sh": ADAMW}, "--", *ADAFACTOR.split()) == UNREAD


# -- versions ------------------------------------------------------------------------------------------------------------------------


def _bound(old: str, new: str) -> dict[str, str]:
    files = {f"{name}.budget": f"config train.yaml\nstack transformers@{version}\n" for name, version in (("a", old), ("b", new))}
    return files | {"train.yaml": f"{ARGUMENTS}evaluation_strategy: epoch\n"}


def test_a_name_that_one_run_needs_stays(shell: Any) -> None:
    files = _bound("4.57.6", "4.40.0")
    assert fixed(shell, files) == files["train.yaml"]


def test_a_name_that_both_runs_know_is_written(shell: Any) -> None:
    files = _bound("4.57.6", "4.57.6")
    assert fixed(shell, files) == f"{ARGUMENTS}eval_strategy: epoch\n"


def test_warm_up_follows_the_versions_of_each_run(shell: Any) -> None:
    text = f"{ARGUMENTS}warmup_steps: 100\nwarmup_ratio: 0.1\n"
    files = _bound("4.57.6", "5.3.0") | {"train.yaml": text}
    assert fixed(shell, files) == text


def test_a_run_of_unknown_versions_is_asked_too(shell: Any) -> None:
    text = f"{ARGUMENTS}warmup_steps: 100\nwarmup_ratio: 0.1\n"
    files = {"a.budget": "config train.yaml\nstack transformers@4.57.6\n", "b.budget": "config train.yaml\n", "train.yaml": text}
    assert fixed(shell, files) == text


# -- flags over a file ---------------------------------------------------------------------------------------------------------------


def test_a_flag_that_makes_the_run_start_leaves_the_file_alone(shell: Any) -> None:
    files = {"axolotl.yaml": QLORA, "a.sh": "axolotl train axolotl.yaml --adapter lora\n"}
    assert fixed(shell, files, path="axolotl.yaml") == QLORA


def test_a_flag_of_the_launcher_too(shell: Any) -> None:
    text = (
        "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n"
        "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_cpu_ram_efficient_loading: true\n  fsdp_sync_module_states: false\n"
    )
    files = {"fsdp.yaml": text, "train.yaml": ARGUMENTS}
    launch = "accelerate launch --config_file fsdp.yaml {} run_clm.py train.yaml\n"
    files["a.sh"] = launch.format("--fsdp_cpu_ram_efficient_loading false")
    assert fixed(shell, files, path="fsdp.yaml") == text
    files["a.sh"] = launch.format("--num_machines 1")
    assert fixed(shell, files, path="fsdp.yaml") == text.replace("states: false", "states: true")


def test_without_a_flag_it_is_edited(shell: Any) -> None:
    files = {"axolotl.yaml": QLORA, "a.sh": "axolotl train axolotl.yaml\n"}
    assert fixed(shell, files, path="axolotl.yaml") == f"{QLORA}load_in_4bit: true\n"


def test_a_flag_over_the_file_is_no_obstacle_where_the_settings_stay(shell: Any) -> None:
    files = {"train.yaml": f"{ARGUMENTS}seed: 1\nseed: 2\n", "a.sh": ADAMW}
    assert fixed(shell, files) == f"{ARGUMENTS}seed: 2\n"


def test_the_new_name_as_a_flag_beats_the_new_name_in_the_file(shell: Any) -> None:
    text = f"{ARGUMENTS}evaluation_strategy: epoch\n"
    files = {
        "train.yaml": text,
        "a.sh": "python run_clm.py train.yaml --eval_strategy no\n",
        "requirements.txt": "transformers==4.44.0\n",
    }
    assert fixed(shell, files) == text


# -- the schedule that started it -------------------------------------------------------------------------------------------------


def test_a_warm_up_is_not_switched_on_by_a_safe_fix(shell: Any) -> None:
    text = f"{ARGUMENTS}lr_scheduler_type: constant\nwarmup_steps: 100\n"
    assert fixed(shell, {"train.yaml": text}) == text
    assert "lr_scheduler_type: constant_with_warmup" in fixed(shell, {"train.yaml": text}, "--unsafe-fixes")


# -- anchors, aliases, merge keys -----------------------------------------------------------------------------------------------------

SHARED = {
    "a value": f"{ARGUMENTS}learning_rate: &lr 2e-5\nrates: [*lr]\n",
    "a value that another program takes": f"{ARGUMENTS}learning_rate: &lr 2e-5\nother: {{rate: *lr}}\n",
    "a block": f"train: &t\n{''.join(f'  {line}{chr(10)}' for line in ARGUMENTS.splitlines())}  learning_rate: 2e-5\nother: *t\n",
    "a merge key": f"base: &t\n  learning_rate: 2e-5\n<<: *t\n{ARGUMENTS}",
    "a block that is merged elsewhere": f"{ARGUMENTS}learning_rate: 2.0e-5\nlr_scheduler_kwargs: &k {{min_lr: '1e-6'}}\nother:\n  <<: *k\n",
}


@pytest.mark.parametrize("text", SHARED.values(), ids=list(SHARED))
def test_what_an_alias_brings_elsewhere_is_not_edited_as_safe(shell: Any, text: str) -> None:
    assert fixed(shell, {"train.yaml": text}) == text
    assert "safe" not in safeties(shell, "yaml-float-as-string")


def test_an_anchor_elsewhere_in_the_file_is_no_obstacle(shell: Any) -> None:
    text = f"{ARGUMENTS}learning_rate: 2e-5\nother: &o {{a: 1}}\nmore: *o\n"
    assert fixed(shell, {"train.yaml": text}) == text.replace("2e-5", "2.0e-05")


def test_an_alias_itself_is_written_out(shell: Any) -> None:
    text = f"other: &lr 2e-5\n{ARGUMENTS}learning_rate: *lr\n"
    assert fixed(shell, {"train.yaml": text}) == text.replace("*lr", "2.0e-05")


# -- a key twice -------------------------------------------------------------------------------------------------------------------------

TWICE = {
    "yaml": ("train.yaml", f"{ARGUMENTS}seed: 1\nseed: 2\n", f"{ARGUMENTS}seed: 2\n"),
    "far apart among arguments": ("train.yaml", f"seed: 1\n{ARGUMENTS}seed: 2\n", f"{ARGUMENTS}seed: 2\n"),
    "json": (
        "ds.json",
        '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2, "stage": 3}}\n',
        '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3}}\n',
    ),
    "order that counts": ("train.yaml", f"{ARGUMENTS}dataset_mixer:\n  a: 1\n  b: 1\n  a: 2\n", None),
    "order that stays": (
        "train.yaml",
        f"{ARGUMENTS}dataset_mixer:\n  a: 1\n  a: 2\n  b: 1\n",
        f"{ARGUMENTS}dataset_mixer:\n  a: 2\n  b: 1\n",
    ),
    "a number and a text": ("train.yaml", f"{ARGUMENTS}id2label:\n  1: one\n  '1': two\n", None),
    "a truth and a text": ("train.yaml", f"{ARGUMENTS}labels:\n  yes: one\n  'yes': two\n", None),
    "an anchor in the first": ("train.yaml", f"{ARGUMENTS}seed: &s 1\ndata_seed: *s\nseed: 2\n", None),
}


@pytest.mark.parametrize(("path", "text", "expected"), TWICE.values(), ids=list(TWICE))
def test_of_a_key_twice_the_loader_s_one_stays(shell: Any, path: str, text: str, expected: str | None) -> None:
    assert fixed(shell, {path: text}, path=path) == (text if expected is None else expected)


def test_the_last_one_is_what_json_takes() -> None:
    assert json.loads('{"a": 1, "a": 2}') == {"a": 2}


# -- texts ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("learning_rate: 2e-5  # why\r\n", "learning_rate: 2.0e-05  # why\r\n"),
        ("logging_steps:\t1e1\r\n", "logging_steps:\t10.0\r\n"),
        ("logging_strategy: no\r\n", 'logging_strategy: "no"\r\n'),
        ("logging_strategy: off # no\r\n", 'logging_strategy: "no" # no\r\n'),
        ("max_steps: 1e3\r\n", "max_steps: 1000\r\n"),
        ("lr_scheduler_kwargs: {min_lr: '1e-6', x: \"a\"}\r\n", 'lr_scheduler_kwargs: {min_lr: 1.0e-06, x: "a"}\r\n'),
    ],
)
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_marks_tabs_and_comments_are_kept(shell: Any, bom: str, before: str, after: str) -> None:
    head = bom + ARGUMENTS.replace("\n", "\r\n")
    assert fixed(shell, {"train.yaml": head + before}) == head + after


def test_a_ratio_of_the_whole_run_is_no_single_step(shell: Any) -> None:
    text = f"{ARGUMENTS}warmup_ratio: 1.0\n"
    assert fixed(shell, {"train.yaml": text, "requirements.txt": "transformers==5.24.0\n"}, "--unsafe-fixes") == text


# -- a command that YAML folds --------------------------------------------------------------------------------------------------

FLAGS = "--model_name_or_path gpt2 --output_dir out --per_device_train_batch_size 8 --num_train_epochs 1 --logging_steps 5"
FOLDED = {
    "folded": "entrypoint: >-\n  python run_clm.py\n  {1}\n  --save_strategy epoch\n{0}  --seed 1\nmax_restarts: 0\n",
    "last": "entrypoint: >-\n  python run_clm.py\n  {1}\n  --save_strategy epoch\n{0}max_restarts: 0\n",
}
HEAD = "name: a\nsearcher:\n  name: single\n  metric: eval_loss\nresources:\n  slots_per_trial: 1\nhyperparameters: {a: 1}\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("text", FOLDED.values(), ids=list(FOLDED))
def test_no_empty_line_ends_a_folded_command(shell: Any, text: str, end: str) -> None:
    before, after = (f"{HEAD}{text.format(flag, FLAGS)}".replace("\n", end) for flag in ("  --save_steps 20\n", ""))
    assert fixed(shell, {"job.yaml": before}, path="job.yaml") == after


def test_an_edit_that_cuts_the_command_is_no_safe_fix() -> None:
    before = f"entrypoint: >-\n  python run_clm.py\n  {FLAGS}\n  --save_steps 20\n  --trust_remote_code true\n"
    at = before.index("--save_steps 20")
    edit = Edit("job.yaml", Span(at, at + len("--save_steps 20")), "")
    runs = [by_label(judge_texts({"job.yaml": f"{HEAD}{text}"}).runs) for text in (before, before.replace("  --save_steps 20", ""))]
    assert [len(one) for one in runs] == [1, 1]
    edit = replace(edit, span=Span(edit.span.start + len(HEAD), edit.span.end + len(HEAD)))
    finding = Finding("XY999", "any", Severity.INFO, Confidence.HIGH, "any", Location("job.yaml"), runs=tuple(runs[0]))
    assert disturbed(runs[0], runs[1], [(finding, Fix("any", Safety.SAFE, (edit,)))])
    assert not disturbed(runs[0], runs[0], [(finding, Fix("any", Safety.SAFE, (edit,)))])


def test_a_continued_line_stays_where_the_next_command_would_be_drawn_in(shell: Any) -> None:
    text = f"python run_clm.py {FLAGS} --save_strategy epoch \\\n  --save_steps 20\necho done\n"
    assert fixed(shell, {"a.sh": text}, path="a.sh") == text.replace("  --save_steps 20", "")
