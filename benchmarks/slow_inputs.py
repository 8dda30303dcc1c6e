"""What hostile files cost: CPU seconds of ``budgetlint check`` on each kind of input that asks for much work, and how they grow.

``python benchmarks/slow_inputs.py [--large] [NAME ...]`` prints a row for each kind: seconds just under 1 MB, what twice the size
costs (the ratio; 2 is linear), and with ``--large`` seconds just under the size limit. Exit 1 where a promise of `docs/limits.md` is
broken. The kinds are made by rule here; every one that once was slow stays.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from budgetlint.base.limits import FILE_BYTES
from budgetlint.base.record import record

SMALL, LARGE = 990_000, FILE_BYTES.most - 4096
MOST = {SMALL: 2.0, LARGE: 10.0}
"""CPU seconds that a file of this size may take."""
STEEP = 2.8
"""Twice the size may cost at most this, where it costs enough to be measured."""
MEASURABLE = 0.4
KILLED = int(os.environ.get("KILLED", "60"))

HF = (
    "model_name_or_path: Qwen/Qwen2.5-7B\nper_device_train_batch_size: 1\nnum_train_epochs: 1\n"
    "gradient_accumulation_steps: 4\noutput_dir: x\n"
)
JSON = '"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3}, "gradient_accumulation_steps": 1'
AXOLOTL = "base_model: Qwen/Qwen2.5-7B\nmicro_batch_size: 1\nsequence_len: 512\nnum_epochs: 1\n"
LAUNCH = "torchrun train.py --output_dir $A --per_device_train_batch_size 1 --model_name_or_path gpt2\n"
SKY = "resources:\n  accelerators: A100:8\n"
TITAN = '[training]\nlocal_batch_size = 1\nseq_len = 512\n[model]\nname = "llama3"\nflavor = "8B"\n'
TRAIN_PY = "from transformers import TrainingArguments, Trainer\nargs = TrainingArguments(output_dir='x', per_device_train_batch_size=1)\n"
BUDGET = "device t4\n"


@record
class Kind:
    """``make`` gives the files of about so many bytes."""

    name: str
    make: Callable[[int], Mapping[str, str]]


def filled(name: str, file: str, head: str, piece: str | Callable[[int], str], tail: str = "", most: int = LARGE) -> Kind:
    """One file: a head, as many pieces as there is room for, a tail. A file that is read in part only is not made larger."""

    def make(size: int) -> Mapping[str, str]:
        room = min(size, most) - len(head) - len(tail)
        parts: list[str] = []
        for number in count():
            part = piece if isinstance(piece, str) else piece(number)
            room -= len(part)
            if room < 0:
                return {file: "".join([head, *parts, tail])}
            parts.append(part)
        raise AssertionError

    return Kind(name, make)


def fixed(name: str, files: Mapping[str, str]) -> Kind:
    return Kind(name, lambda _: files)


def numbered(pattern: str) -> Callable[[int], str]:
    """The piece with its number for ``§``, and the one before for ``@``."""
    return lambda number: pattern.replace("§", str(number + 1)).replace("@", str(number))


def deep(opening: str, closing: str, size: int) -> str:
    times = size // (len(opening) + len(closing))
    return opening * times + closing * times


YAML = (
    filled("documents", "a.yaml", HF, "---\n"),
    filled("documents of a key", "a.yaml", HF, "---\nx: 1\n"),
    filled("documents that are configs", "a.yaml", HF, "---\n" + HF),
    filled("documents that are jobs", "a.yaml", SKY, "---\n" + SKY + "run: |\n  " + LAUNCH.replace("$A", "x")),
    filled("a key said again", "a.yaml", HF, "bf16: true\n"),
    filled("every key said twice", "a.yaml", HF, lambda n: f"k{n // 2}: 1\n"),
    filled("a key said again in many mappings", "a.yaml", HF, numbered("s§: {bf16: 1, bf16: 2}\n")),
    filled("unknown keys", "a.yaml", HF, numbered("k§: §\n")),
    filled("unknown keys of Axolotl", "a.yaml", AXOLOTL, numbered("k§: §\n")),
    filled("misspelt keys", "a.yaml", HF, numbered("per_device_train_batch_siz§: 1\n")),
    filled("misspelt keys of Axolotl", "a.yaml", AXOLOTL, numbered("gradient_accumulation_step§: 1\n")),
    filled("misread values", "a.yaml", HF, numbered("learning_rate§: 1e-5\n")),
    filled("words that YAML takes for others", "a.yaml", HF, numbered("k§: off\n")),
    filled("a list of numbers", "a.yaml", HF + "x:\n", "- 1\n"),
    filled("a list in one line", "a.yaml", HF + "x: [", "1,", "1]\n"),
    filled("a list of mappings", "a.yaml", HF + "x:\n", "- a: 1\n  b: 2\n"),
    filled("data sets of Axolotl", "a.yaml", AXOLOTL + "datasets:\n", "- path: x\n  type: alpaca\n"),
    filled("one long value", "a.yaml", HF + "x: ", "abcdefgh"),
    filled("one long quoted value", "a.yaml", HF + 'x: "', "\\u0041", '"\n'),
    filled("one long text", "a.yaml", HF + "x: |\n", "  some text\n"),
    filled("many texts", "a.yaml", HF, numbered("x§: |\n  some text\n")),
    filled("an unclosed list", "a.yaml", HF + "x: [\n", "1,\n"),
    filled("a template in every line", "a.yaml", HF, numbered("x§: {{ a }}\n")),
    filled("anchors and aliases", "a.yaml", HF, numbered("a§: &a§ 1\nb§: *a§\n")),
    filled("aliases of one mapping", "a.yaml", HF + "a: &a {b: 1, c: 2}\n", numbered("b§: *a\n")),
    filled("merge keys", "a.yaml", HF + "a: &a {" + "".join(f"x{n}: 1, " for n in range(50)) + "}\n", numbered("b§: {<<: *a, c: 1}\n")),
    filled("merge keys in one mapping", "a.yaml", HF + "a: &a {b: 1}\nc:\n", "  <<: *a\n"),
    filled("tags", "a.yaml", HF, numbered("x§: !!str 1\n")),
    filled("version directives", "a.yaml", "", "%YAML 1.1\n", HF),
    filled("comments", "a.yaml", HF, "# some words\n"),
    filled("blank lines", "a.yaml", HF, "\n"),
    filled("tabs", "a.yaml", HF, numbered("x§:\t1\t# x\n")),
    filled("references in a chain", "a.yaml", HF + "k0: 1\n", numbered("k§: ${k@}\n")),
    filled("references that double", "a.yaml", HF + "k0: 1\n", numbered("k§: ${k@}${k@}\n")),
    filled("references to what is not there", "a.yaml", HF, numbered("k§: ${no.such.key}\n")),
    filled("relative references", "a.yaml", HF + "k: 1\nx:\n", "- {a: '${..k}', b: '${.a}'}\n"),
    filled("references in one value", "a.yaml", HF + "k: 1\nx: '", "${k}", "'\n"),
    filled("a reference opened again and again", "a.yaml", HF + "x: '", "${a.", "'\n"),
    fixed("deep lists", {"a.yaml": f"{HF}x: {deep('[', ']', 900_000)}\n"}),
)

ALLOWED = (
    filled("one unknown suppression", "a.yaml", HF, "# budgetlint: allow x, y reason\n"),
    filled("unknown suppressions", "a.yaml", HF, numbered("# budgetlint: allow x§y§ reason\n")),
    filled("unused suppressions", "a.yaml", HF, "# budgetlint: allow bf16-pre-ampere reason\n"),
    filled("suppressions of the next line", "a.yaml", HF, "# budgetlint: allow-next bf16-pre-ampere reason\n"),
    filled("suppressions of the file", "a.yaml", HF, "# budgetlint: allow-file duplicate-key reason\n", "bf16: true\nbf16: true\n" * 100),
    filled("suppressed findings", "a.yaml", HF, "bf16: true # budgetlint: allow duplicate-key r\n"),
    filled("names in one suppression", "a.yaml", HF + "# budgetlint: allow x", numbered(",x§"), " reason\n"),
    filled("blanks behind a suppression", "a.yaml", HF + "# budgetlint: allow x", " ", "x\n"),
    filled("unknown suppressions in JSON", "a.json", "{\n" + JSON + "\n", "// budgetlint: allow x reason\n", "}\n"),
    filled("unknown suppressions in a budget", "a.budget", BUDGET, numbered("# budgetlint: allow x§ reason\n"), most=260_000),
)

OTHERS = (
    filled("a list in JSON", "a.json", "{" + JSON + ', "x": [', "1,", "1]}"),
    filled("keys in JSON", "a.json", "{" + JSON, numbered(', "k§": 1'), "}"),
    filled("misspelt keys in JSON", "a.json", "{" + JSON, numbered(', "gradient_accumulation_step§": 1'), "}"),
    filled("a key said again in JSON", "a.json", "{" + JSON, ',\n"bf16": 1', "}"),
    filled("comments in one line of JSON", "a.json", "{" + JSON, "/* budgetlint: allow x y */", "}"),
    filled("commas too many in JSON", "a.json", "{" + JSON + ', "x": [', "[1,],\n", "1]}"),
    filled("comments in JSON", "a.json", "{" + JSON, "\n// x", "}"),
    filled("escapes in JSON", "a.json", "{" + JSON + ', "x": "', "\\n", '"}'),
    filled("strings of hjson", "a.json", "{" + JSON + ", x: [", "'''a\nb''',\n", "1]}"),
    filled("blanks in JSON", "a.json", "{" + JSON, " ", "}"),
    filled("keys in TOML", "a.toml", TITAN, numbered("k§ = 1\n")),
    filled("a key said again in TOML", "a.toml", TITAN, "k = 1\n"),
    filled("tables in TOML", "a.toml", TITAN, numbered("[t§]\na = 1\n")),
    filled("lists of tables in TOML", "a.toml", TITAN, "[[t]]\na = 1\n"),
    filled("a table said again in TOML", "a.toml", TITAN, "[t]\n"),
    filled("tables below tables in TOML", "a.toml", TITAN, numbered("[t.a§.b.c]\nx = 1\n")),
    filled("a long dotted key in TOML", "a.toml", TITAN + "a", ".b", " = 1\n"),
    filled("dotted keys in TOML", "a.toml", TITAN, numbered("a.b§.c.d.e = 1\n")),
    filled("an inline table in TOML", "a.toml", TITAN + "x = {a = 1", numbered(", k§ = 1"), "}\n"),
    filled("a list in TOML", "a.toml", TITAN + "x = [", "1,", "1]\n"),
    filled("a text in TOML", "a.toml", TITAN + 'x = """', "text\n", '"""\n'),
    fixed("deep tables in TOML", {"a.toml": f"{TITAN}x = {'{a = ' * 100_000}1{'}' * 100_000}\n"}),
    filled("a Python dict", "train.py", TRAIN_PY + "x = {", numbered("'k§': 1,"), "}\n"),
    filled("Python names", "train.py", "", numbered("a§ = a@\n"), TRAIN_PY, most=2**17 - 8),
    filled("Python sums", "train.py", "a = 1", "+a", "\n" + TRAIN_PY, most=2**17 - 8),
    filled("Python functions", "train.py", TRAIN_PY, numbered("def f§():\n  return f@()\n"), most=2**17 - 8),
    filled("Python calls", "train.py", TRAIN_PY, "Trainer(args=args)\n", most=2**17 - 8),
    filled("Python lists of configs", "train.py", TRAIN_PY, numbered("c = TrainingArguments(output_dir=[[[a§]]])\n"), most=2**17 - 8),
    filled("Python builders that fill a mapping", "c.py",
           "from torchtitan.trainer import Trainer\ndef f():\n  c = Trainer.Config()\n",
           numbered("  c.k§ = 1\n"), "  return c\n", most=2**17 - 8),
    filled("statements of a budget", "a.budget", BUDGET, numbered("let x§ = 1\n"), most=260_000),
    filled("mistakes of a budget", "a.budget", BUDGET, numbered("lett x§ = 1\n"), most=260_000),
    filled("requirements", "requirements.txt", "transformers==4.50\n", "torch==2.6\n"),
    filled("levels of the settings", "pyproject.toml", "[tool.budgetlint]\nignore = [", numbered('"x§",'), "]\n"),
    filled("files of the settings", "pyproject.toml", "[tool.budgetlint.per-file-ignores]\n", numbered('"a§*b*c" = ["x"]\n')),
)  # fmt: skip

SHELL = (
    filled("commands", "a.sh", "A=x\n", "echo x\n", LAUNCH),
    filled("launches", "a.sh", "A=x\n", LAUNCH),
    filled("launches that differ", "a.sh", "A=x\n", numbered("torchrun train.py --seed § --per_device_train_batch_size 1\n")),
    filled("flags of a launch", "a.sh", "A=x\ntorchrun train.py --per_device_train_batch_size 1", numbered(" --f§ §"), "\n"),
    filled("wrappers of a launch", "a.sh", "A=x\n", "nohup ", LAUNCH),
    filled("launchers in launchers", "a.sh", "A=x\n", "python -m accelerate.commands.launch ", LAUNCH),
    filled("commands behind dashes", "a.sh", "A=x\n", "python a.py -- ", LAUNCH),
    filled("a flag of many sections", "a.sh", "A=x\ntorchrun train.py --a", ".b", "=1 --per_device_train_batch_size 1\n"),
    filled("flags of JSON", "a.sh", "A=x\ntorchrun train.py --per_device_train_batch_size 1", numbered(" --f§ '{\"a\": 1}'"), "\n"),
    filled("a list as an override", "a.sh", "A=x\ntorchrun train.py --per_device_train_batch_size 1 x=[", "a\\,b,", "c]\n"),
    filled("one word of many parts", "a.sh", "A=x\n", "$A'b'", "\n" + LAUNCH),
    filled("words of a list", "a.sh", "A=(", "x ", ")\n" + LAUNCH),
    filled("a continued line", "a.sh", "A=x\ntorchrun train.py --per_device_train_batch_size 1 ", "\\\n ", "\n"),
    filled("variables", "a.sh", "A0=x\n", numbered("A§=$A@\n"), LAUNCH),
    filled("variables that double", "a.sh", "A0=x\n", numbered("A§=$A@$A@\n"), "A=$A79\n" + LAUNCH),
    filled("exported variables that double", "a.sh", "export A0=x\n", numbered("export A§=$A@$A@\n"), "A=$A79\n" + LAUNCH),
    filled("one variable appended to", "a.sh", "A=x\n", "A+=y\n", LAUNCH),
    filled("a list appended to", "a.sh", "A=(x)\n", "A+=(y)\n", "torchrun train.py ${A[@]}\n"),
    filled("launches of a long list", "a.sh", f"A=({'x ' * 4000})\n", numbered("torchrun train.py --seed § ${A[*]}\n")),
    filled("a long variable taken often", "a.sh", f"B={'x' * 20_000}\nA=$B\n", "echo $B$B$B$B\n", LAUNCH),
    filled("a long variable split often", "a.sh", f"B='{'x ' * 20_000}'\nA=1\n", "echo $B $B $B $B\n", LAUNCH),
    filled("defaults in defaults", "a.sh", "A=", "${X:-", "\n" + LAUNCH),
    filled("commands in commands", "a.sh", "A=", "$(echo ", "\n" + LAUNCH),
    filled("backquotes", "a.sh", "A=", "`echo`", "\n" + LAUNCH),
    filled("arithmetic", "a.sh", "A=1\n", numbered("B§=$((A + § * (2 - A)))\n"), LAUNCH),
    filled("arithmetic of chains", "a.sh", "A0=1\n", numbered("A§=$((A@ + A@))\n"), LAUNCH.replace("$A", "$A90")),
    filled("braces in arithmetic", "a.sh", "A=$((", "(", "\n" + LAUNCH),
    filled("patterns", "a.sh", f"A={'a' * 50_000}\nB=${{A//*a*a*a*a*a*b/x}}\n", numbered("C§=${A##*a*a*b}\n"), LAUNCH),
    filled("a long pattern", "a.sh", f"A={'a' * 50_000}\nB=${{A//", "*a", "b/x}\n" + LAUNCH.replace("$A", "$B")),
    filled("cases", "a.sh", "A=x\n", "case $A in a|b|c) B=1;; *) B=2;; esac\n", LAUNCH),
    filled("cases in cases", "a.sh", "A=x\n", "case $A in a)\n", LAUNCH),
    filled("loops in loops", "a.sh", "A=x\n", "for a in x; do\n", LAUNCH),
    filled("groups in groups", "a.sh", "A=x\n", "( ", LAUNCH),
    filled("closing words", "a.sh", "A=x\n" + "( " * 10_000, "fi\n", LAUNCH),
    filled("here documents", "a.sh", "A=x\n", numbered("cat <<E§\ntext\nE§\n"), LAUNCH),
    filled("here documents that never end", "a.sh", "A=x\n", numbered("cat <<E§\n"), LAUNCH),
    filled("here documents on one line", "a.sh", "A=x\ncat ", numbered("<<E§ "), "\n" + LAUNCH),
    filled("texts read into variables", "a.sh", "A=x\n", numbered("read -r -d '' X§ <<E\n$A\nE\n"), LAUNCH),
    filled("quotes that never close", "a.sh", "A=x\n", "'a' \"b\" ", '"\n' + LAUNCH),
    filled("shells in shells", "a.sh", "A=x\n", "bash -c 'torchrun train.py --per_device_train_batch_size 1'\n"),
    filled("shells of a long text", "a.sh", "A=x\nbash -c '", "echo $A\n", "torchrun train.py'\n"),
    filled("eval", "a.sh", "A=x\n", "eval torchrun train.py $A\n"),
    filled("functions", "a.sh", "A=x\n", numbered("f§() { f@; }\n"), LAUNCH),
    filled("scripts that are started", "a.sh", "A=x\n", numbered("bash b§.sh $A\n"), LAUNCH),
    filled("comments of a script", "a.sh", "A=x\n", "# text\n", LAUNCH),
    filled("Slurm lines", "a.slurm", "#!/bin/bash\n", "#SBATCH --gres=gpu:8\n", "A=x\n" + LAUNCH),
    filled("braces and sequences", "a.sh", "A={1..1000000000}\n", "B=$(seq 1 1000000000) {1..99}{1..99}{1..99}\n", LAUNCH),
    filled("ENV lines", "Dockerfile", "FROM x\nENV A=x\n", numbered("ENV A§=$A@\n"), "CMD " + LAUNCH),
    filled("ENV lines that double", "Dockerfile", "FROM x\nENV A0=x\n", numbered("ENV A§=$A@$A@\n"), "CMD " + LAUNCH.replace("$A", "$A79")),
    filled("ENV pairs", "Dockerfile", "FROM x\nENV A=x", numbered(" A§=$A"), "\nCMD " + LAUNCH),
    filled("RUN lines", "Dockerfile", "FROM x\n", "RUN " + LAUNCH),
    filled("words of CMD", "Dockerfile", 'FROM x\nCMD ["torchrun", "train.py"', numbered(', "--f§", "1"'), "]\n"),
    filled("make variables", "Makefile", "A0 = x\n", numbered("A§ = $(A@)\n"), "a:\n\t" + LAUNCH.replace("$A", "$(A90)")),
    filled("make variables that double", "Makefile", "A0 = x\n", numbered("A§ = $(A@)$(A@)\n"), "a:\n\t" + LAUNCH.replace("$A", "$(A79)")),
    filled("recipes", "Makefile", "A = x\n", numbered("a§:\n\ttorchrun train.py --seed § --x $(A)\n")),
    filled("recipes of a long variable", "Makefile", f"A = {'x ' * 4000}\n", numbered("a§:\n\ttorchrun train.py --seed § --x $(A)\n")),
    filled("envs of a job", "a.yaml", SKY + "run: " + LAUNCH + "envs:\n", numbered("  A§: $A@\n")),
    filled("envs of a job that double", "a.yaml", f"{SKY}run: {LAUNCH.replace('$A', '$A79')}envs:\n  A0: x\n", numbered("  A§: $A@$A@\n")),
    filled("the text of a job", "a.yaml", SKY + "envs: {A: x}\nrun: |\n", "  " + LAUNCH),
    filled("a folded text of a job", "a.yaml", SKY + "envs: {A: x}\nrun: >\n", "  " + LAUNCH),
    filled("containers", "a.yaml", "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n",
           numbered("  - command: [torchrun, t.py, --seed, '§']\n")),
    filled("a shell in a container", "a.yaml",
           "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - command: [bash, -c]\n    args:\n    - |\n", "      " + LAUNCH),
)  # fmt: skip


def _defaults(size: int) -> Mapping[str, str]:
    """Every file names all that come after it."""
    files = {}
    for number in range(40):
        names = "".join(f"  - c{other}\n" for other in range(number + 1, 40))
        files[f"c{number}.yaml"] = f"defaults:\n{names}  - _self_\n{HF}" + f"k{number}: 1\n" * (size // 4000)
    return files


def _scripts(size: int) -> Mapping[str, str]:
    return {f"s{n}.sh": f"A=$1\nbash s{n + 1}.sh x $1\nbash s{n + 2}.sh\n{LAUNCH}" for n in range(size // 2000)}


SEVERAL = (
    Kind("defaults lists", _defaults),
    Kind("scripts that start scripts", _scripts),
    filled("a long defaults list", "a.yaml", HF + "defaults:\n", numbered("  - c§\n")),
)

KINDS = (*YAML, *ALLOWED, *OTHERS, *SHELL, *SEVERAL)


def seconds(files: Mapping[str, str], command: tuple[str, ...] = ("check", "--no-cache")) -> tuple[float, str]:
    """CPU seconds of a check of these files, and what it came to."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        called = [sys.executable, "-P", "-m", "budgetlint", *command, "."]
        done = subprocess.run(called, cwd=folder, capture_output=True, check=False, text=True, preexec_fn=_short)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, _came_to(done)


def _short() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (KILLED, KILLED))
    os.nice(10)


def _came_to(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode not in (0, 1):
        return f"exit {done.returncode} {done.stderr[-200:]}"
    return "too-large" if "too-large" in done.stdout else f"{len(done.stdout):,} characters"


def measured(kind: Kind, large: bool) -> tuple[str, list[str]]:
    """A row, and the promises that it breaks."""
    whole, told = seconds(kind.make(SMALL))
    broken = [f"{whole:.1f} s at 1 MB"] if whole > MOST[SMALL] else []
    ratio = whole / seconds(kind.make(SMALL // 2))[0] if whole > MEASURABLE else 1.0
    if ratio > STEEP:
        broken.append(f"x {ratio:.1f} for twice the size")
    row = f"{kind.name:<40} {whole:7.2f} s  x{ratio:4.1f}"
    if large:
        most, told = seconds(kind.make(LARGE))
        row += f" {most:7.2f} s"
        broken += [f"{most:.1f} s at the limit"] if most > MOST[LARGE] else []
    if told.startswith("exit"):
        broken.append(told)
    return f"{row}  {told.splitlines()[0]}", broken


def main() -> int:
    parser = argparse.ArgumentParser(description="What hostile files cost.")
    parser.add_argument("--large", action="store_true", help="just under the size limit, too")
    parser.add_argument("names", nargs="*", help="only kinds with one of these words in their names")
    asked = parser.parse_args()
    wrong = 0
    for kind in KINDS:
        if not asked.names or any(word in kind.name for word in asked.names):
            row, broken = measured(kind, asked.large)
            print(row, "  BROKEN: " + "; ".join(broken) if broken else "", flush=True)
            wrong += bool(broken)
    print(f"{wrong} of the promises broken" if wrong else "every promise is kept")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
