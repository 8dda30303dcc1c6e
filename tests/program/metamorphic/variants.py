"""The same project written otherwise: what people change without meaning anything by it. Each change takes files and gives files; one that
does not apply gives them back. The same seed gives the same project."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from random import Random

from tests.program.metamorphic.surfaces import Files

Change = Callable[[Random, Files], Files]
_PROGRAM = re.compile(r"(?<![\w/.])(train)\.py\b")
_OTHERS = {
    "prepare.py": "import json\n\nrows = [json.loads(line) for line in open('rows.jsonl')]\nprint(len(rows))\n",
    "serve.py": "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--port', type=int)\nparser.parse_args()\n",
    "plot.py": "import sys\n\nimport matplotlib.pyplot as plt\n\nplt.plot([1, 2])\nplt.savefig(sys.argv[1])\n",
}


def another_script(random: Random, files: Files) -> Files:
    """A script beside it that trains nothing."""
    name = random.choice(sorted(_OTHERS))
    return {**files, name: _OTHERS[name]}


def comments(random: Random, files: Files) -> Files:
    return {path: _commented(random, path, text) for path, text in files.items()}


def _commented(random: Random, path: str, text: str) -> str:
    if not path.endswith((".yaml", ".sh", ".toml", ".py")):
        return text
    lines = text.splitlines()
    # within a program only in front: a line may go on
    at = 0 if path.endswith((".py", ".sh")) else random.randrange(len(lines) + 1)
    return "\n".join([*lines[:at], "# as in the last run", "", *lines[at:]]) + "\n"


def reordered_keys(random: Random, files: Files) -> Files:
    """Keys of configs, where each stands in a line of its own or the file is JSON."""
    return {path: _reordered(random, path, text) for path, text in files.items()}


def _reordered(random: Random, path: str, text: str) -> str:
    if path.endswith((".yaml", ".json")) and text.startswith("{"):
        values = list(json.loads(text).items())
        return json.dumps(dict(random.sample(values, len(values))), indent=random.choice((None, 1, 4)))
    if path.endswith((".yaml", ".toml")) and all(re.match(r"\w+\s*[:=] ", line) for line in text.splitlines()):
        lines = text.splitlines()
        return "\n".join(random.sample(lines, len(lines))) + "\n"
    return text


def reordered_flags(random: Random, files: Files) -> Files:
    """Flags of the program, each with its words."""
    found = _command(files)
    if found is None:
        return files
    before, words = found
    groups: list[list[str]] = [[]]
    for word in words:
        if word.startswith("--"):
            groups.append([])
        groups[-1].append(word)
    first, *rest = groups
    return _with_command(files, before, [*first, *(word for group in random.sample(rest, len(rest)) for word in group)])


def joined_flags(random: Random, files: Files) -> Files:
    """``--flag value`` as ``--flag=value``; TrlParser looks for the word ``--config`` alone (trl 0.12 to 0.26 ``scripts/utils.py``)."""
    found = _command(files)
    if found is None:
        return files
    before, words = found
    joined: list[str] = []
    for word in words:
        is_flag = joined and joined[-1].startswith("--") and "=" not in joined[-1] and joined[-1] != "--config"
        is_value = is_flag and not word.startswith("--")
        joined = [*joined[:-1], f"{joined[-1]}={word}"] if is_value else [*joined, word]
    return _with_command(files, before, joined)


def _command(files: Files) -> tuple[list[str], list[str]] | None:
    """The launch up to its program, and the program's words; None where the script has more than one line."""
    text = files.get("run.sh", "")
    if text.count("\n") != 1 or "\\" in text or "#" in text:
        return None
    words = shlex.split(text)
    end = next((at for at, word in enumerate(words) if word.endswith((".py", ".yaml")) or word in ("sft", "dpo", "grpo", "train")), None)
    return None if end is None else (words[: end + 1], words[end + 1 :])


def _with_command(files: Files, before: Sequence[str], words: Sequence[str]) -> Files:
    return {**files, "run.sh": shlex.join([*before, *words]) + "\n"}


def continued_lines(random: Random, files: Files) -> Files:
    return _of_script(files, lambda text: re.sub(r" (?=--\w|\w+=)", lambda _: random.choice((" ", " \\\n    ")), text))


def another_python(random: Random, files: Files) -> Files:
    word = random.choice(("python3", "python3.11", "python -u", "/usr/bin/env python", "exec python"))
    return _of_script(files, lambda text: re.sub(r"^python (?=\S+\.py)", f"{word} ", text, flags=re.MULTILINE))


def of_a_shell(random: Random, files: Files) -> Files:
    return _of_script(files, lambda text: f"#!/bin/bash\nset -{random.choice(('e', 'ex', 'euo pipefail'))}\n\n{text}")


def _of_script(files: Files, change: Callable[[str], str]) -> Files:
    return {path: change(text) if path.endswith(".sh") else text for path, text in files.items()}


def renamed_program(random: Random, files: Files) -> Files:
    """The program's file has another name, in the script too."""
    name = random.choice(("finetune", "run_training", "main", "sft_7b"))
    return {
        _PROGRAM.sub(f"{name}.py", path): _PROGRAM.sub(f"{name}.py", text) if path.endswith(".sh") else text for path, text in files.items()
    }


def renamed_script(random: Random, files: Files) -> Files:
    name = random.choice(("launch.sh", "scripts.sh", "go.bash"))
    return {name if path == "run.sh" else path: text for path, text in files.items()}


def moved(random: Random, files: Files) -> Files:
    """Into a folder, with its launcher."""
    folder = random.choice(("experiments", "examples/first", "projects/a/b"))
    return {f"{folder}/{path}": text for path, text in files.items()}


def spelled_truths(random: Random, files: Files) -> Files:
    """YAML's other spellings of true and false."""
    word = random.choice((str.title, str.upper, str.lower))
    return {
        path: re.sub(r"(?m)(?<=: )(true|false)$", lambda one: word(one[1]), text) if path.endswith(".yaml") else text
        for path, text in files.items()
    }


def spelled_words(random: Random, files: Files) -> Files:
    """Words of the script in quotes."""
    quote = random.choice(("'", '"'))
    return _of_script(files, lambda text: re.sub(r"(?<=[ =])(Qwen/[\w.-]+)(?=\s)", lambda one: f"{quote}{one[1]}{quote}", text))


CHANGES: dict[str, Change] = {
    one.__name__: one
    for one in (
        another_script, reordered_keys, comments, reordered_flags, joined_flags, continued_lines, another_python, of_a_shell,
        renamed_program, renamed_script, spelled_truths, spelled_words, moved,
    )
}  # fmt: skip


def varied(random: Random, files: Files, count: int) -> tuple[list[str], Files]:
    """Some changes, in the order of the table, and what they come to."""
    names = sorted(random.sample(list(CHANGES), count), key=list(CHANGES).index)
    for name in names:
        files = CHANGES[name](random, files)
    return names, files
