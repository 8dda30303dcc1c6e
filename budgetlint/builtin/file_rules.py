"""What is found about files before any rule can run: they cannot be read, are no valid YAML, or name a file that is not there."""

from __future__ import annotations

from budgetlint.base.finding import Confidence, Severity
from budgetlint.rules_api.rule import Rule, never


def builtin_rule(code: str, name: str, severity: Severity, manual: str) -> Rule:
    """A rule of the engine itself: listed, with a level like any other, never run on its own."""
    return Rule(code, name, severity, Confidence.HIGH, "engine", never, manual, "0.1")


UNREADABLE_FILE = builtin_rule(
    "BL910",
    "unreadable-file",
    Severity.ERROR,
    """\
    A file that was named, or that looks like a config, cannot be read as text.

    No permission, not a regular file, larger than any config, binary, or neither UTF-8 nor marked UTF-16.

    ## What it costs

    Nothing in it is checked.

    ## Failing

    `budgetlint check train.yaml` where `train.yaml` is a directory.

    ## Passing

    A regular file in UTF-8.

    ## Sources

    - `budgetlint.base.source` holds the limits.
    """,
)

UNPARSABLE_FILE = builtin_rule(
    "BL911",
    "unparsable-file",
    Severity.ERROR,
    """\
    A training config is no valid YAML, JSON or TOML.

    Told only when the text holds a key that only training configs have; other files are not our business. Templates (`{{ }}`, `{% %}`)
    that a folder holds are one remark with their number where something fills them in: there are several, or a program here works with
    Jinja and the like. One that is named, that a launch opens as it stands, or that stands alone is told as what it is.

    ## What it costs

    The trainer stops when it reads the file, after the job has waited for its machine. Nothing in it is checked.

    ## Failing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    gradient_accumulation_steps: [1, 2
    ```

    ## Passing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    gradient_accumulation_steps: 2
    output_dir: out
    num_train_epochs: 1
    ```

    ## Sources

    - YAML 1.1, RFC 8259, TOML 1.0.
    """,
)

AMBIGUOUS_FORMAT = builtin_rule(
    "BL912",
    "ambiguous-format",
    Severity.WARNING,
    """\
    A file reads equally well as the config of two frameworks.

    ## What it costs

    It is not checked: the same key means different things to them.

    ## Failing

    A file that holds only keys which two trainers share.

    ## Passing

    The same file, named in a budget with its kind: `config train.yaml kind=axolotl`.

    ## Sources

    - `budgetlint.readers`: each reader scores a file by its content.
    """,
)

MISSING_REFERENCE = builtin_rule(
    "BL913",
    "missing-reference",
    Severity.INFO,
    """\
    A config names a file that is not there.

    ## What it costs

    The settings are judged without what the file would have said; where it is missing on the training machine too, the run
    stops at start. Information only: many repositories keep these files elsewhere.

    ## Failing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    learning_rate: 0.0001
    deepspeed: ds/zero3.json
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Passing

    ```yaml train.yaml
    per_device_train_batch_size: 4
    learning_rate: 0.0001
    deepspeed: ds/zero3.json
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ```json ds/zero3.json
    {"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
    ```

    ## Sources

    - transformers `integrations/deepspeed.py`: a path that does not exist raises ValueError.
    """,
)

NO_SUCH_CONFIG = builtin_rule(
    "BL914",
    "no-such-config",
    Severity.ERROR,
    """\
    A `config` or `reads` line of a budget matches no file that can be read so.

    ## What it costs

    The run that it should bind is not judged; what a `reads` should give is unresolved.

    ## Failing

    ```budget
    device 24GiB
    config no/such.yaml
    ```

    ## Passing

    ```budget
    device 24GiB
    config train.yaml
    ```

    ```yaml train.yaml
    per_device_train_batch_size: 4
    learning_rate: 0.0001
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ## Sources

    - Paths are relative to the budget that they stand in.
    """,
)

TOO_LARGE = builtin_rule(
    "BL915",
    "too-large",
    Severity.ERROR,
    """\
    A file holds more of something than is read: documents, values, launches, steps of expansion.

    Work is bounded by counted steps, so that no file can keep a check busy without end, and the same file gives the same answer on
    every machine. What lies within the bound is checked, and so is every other file.

    ## What it costs

    What lies past the bound is not judged. It is an error because a green light says that everything was.

    ## Failing

    A YAML file with 501 documents.

    ## Passing

    The same documents in several files.

    ## Sources

    - `budgetlint.base.limits` holds every bound with its reason; they stand in the manual, "How much is read".
    """,
)

COMMAND_CUT_SHORT = builtin_rule(
    "BL916",
    "command-cut-short",
    Severity.WARNING,
    """\
    A launch command ends before flags that were meant for it.

    A comment between continued lines ends the command, and so does a blank line or a blank behind a backslash. The flags below are then a
    command of their own. It is an error where the program gets no flags at all. A blank behind `=` ends a flag as well:
    `--config= run.yaml` gives it an empty value.

    ## What it costs

    The run goes on without the flags: without ZeRO-3, at another length, on one device. bash says "--max_length: command not found" when
    the run is over.

    ## Failing

    ```sh run.sh
    swift sft \\
        --model Qwen/Qwen2.5-7B-Instruct \\
        # --target_modules all-linear \\
        --max_length 20480
    ```

    ## Passing

    ```sh run.sh
    # --target_modules all-linear
    swift sft \\
        --model Qwen/Qwen2.5-7B-Instruct \\
        --max_length 20480
    ```

    ## Sources

    - bash 5.2 manual 3.1.2.1 (a backslash takes the line end away) and 3.1.3 (a comment goes to the end of its line).
    - modelscope/ms-swift#5199 and #3504 (out of memory: zero3, length and processes were lost).
    """,
)

GUESSED_REFERENCE = builtin_rule(
    "BL917",
    "guessed-reference",
    Severity.INFO,
    """\
    A path leads to no file, and the only file of that name in the repository is taken for it.

    Paths are tried from the working directory, from the folder of the file that names them and from those above it. What is found by
    its name alone may be another file; an absolute path is never looked for by its name.

    ## What it costs

    The run is judged with settings that may not be its own. Where the path leads nowhere on the training machine too, it stops at start.

    ## Failing

    ```yaml train/sft.yaml
    per_device_train_batch_size: 4
    learning_rate: 0.0001
    deepspeed: zero3.json
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ```json engines/zero3.json
    {"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
    ```

    ## Passing

    ```yaml train/sft.yaml
    per_device_train_batch_size: 4
    learning_rate: 0.0001
    deepspeed: engines/zero3.json
    gradient_accumulation_steps: 8
    output_dir: out
    num_train_epochs: 1
    ```

    ```json engines/zero3.json
    {"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
    ```

    ## Sources

    - transformers `integrations/deepspeed.py`: a path that does not exist raises ValueError.
    """,
)

MISSING_KEY = builtin_rule(
    "BL926",
    "missing-key",
    Severity.ERROR,
    """\
    A `reads` line of a budget names a key that its file does not have, or that is null there.

    The budget says that a setting of the run stands at this key. A key that was renamed or taken out in the file is told at the place
    where it would stand, with the key that is spelled most alike.

    ## What it costs

    The setting is unresolved: the run is judged without it, or not at all. Nothing is filled in from a framework.

    ## Failing

    ```yaml launch.yaml
    overrides:
      model: Qwen/Qwen2.5-1.5B
      micro_bs: 2
    ```

    ```budget
    device 24GiB; lora r=16; seq 2048
    reads launch.yaml { model=overrides.model; batch=overrides.micro_batch }
    ```

    ## Passing

    ```yaml launch.yaml
    overrides:
      model: Qwen/Qwen2.5-1.5B
      micro_batch: 2
    ```

    ```budget
    device 24GiB; lora r=16; seq 2048
    reads launch.yaml { model=overrides.model; batch=overrides.micro_batch }
    ```

    ## Sources

    - The budget itself: `reads` in the reference of the language.
    """,
)

LAUNCH_WITHOUT_RUN = builtin_rule(
    "BL918",
    "launch-without-run",
    Severity.ERROR,
    """\
    A `launch` line of a budget starts nothing that trains, as far as can be told.

    The command is read as one of a shell script is, never run. A launcher that nobody knows, a program that evaluates, or a known program
    whose configuration is not here make no run.

    ## What it costs

    What the budget declares is not judged, and nobody would see that it is not.

    ## Failing

    ```budget
    device h100-80gb
    launch acme-submit --queue train job-7b
    ```

    ## Passing

    ```yaml sft.yaml
    model_name_or_path: Qwen/Qwen2.5-0.5B
    dtype: bfloat16
    per_device_train_batch_size: 1
    max_length: 1024
    ```

    ```budget
    device h100-80gb
    stack trl@1.16 transformers@5.24 torch@2.13
    launch trl sft --config sft.yaml
    ```

    ## Sources

    - `budgetlint.launch.commands`: the launchers and programs that are known.
    """,
)

FILE_RULES = (
    UNREADABLE_FILE, UNPARSABLE_FILE, AMBIGUOUS_FORMAT, MISSING_REFERENCE, NO_SUCH_CONFIG, TOO_LARGE, COMMAND_CUT_SHORT, GUESSED_REFERENCE,
    LAUNCH_WITHOUT_RUN, MISSING_KEY,
)  # fmt: skip
