"""Commands that a script runs several times: the rounds of a loop and the calls of a function, each with its own values."""

from __future__ import annotations

import pytest

from budgetlint.base.limits import ROUNDS
from budgetlint.base.source import SourceFile
from budgetlint.documents import Loader, plain
from budgetlint.launch.read import script_launches

SCRIPTS: dict[str, list[dict[str, object]]] = {
    # loops
    "for a in 1 2; do python t.py --a $a; done": [{"a": "1"}, {"a": "2"}],
    "for a in 1 2\ndo\n  if x; then python t.py --a $a; fi\ndone": [{"a": "1"}, {"a": "2"}],
    'LRS=(1 2)\nfor a in "${LRS[@]}"; do python t.py --a "$a"; done': [{"a": "1"}, {"a": "2"}],
    'LRS="1 2"\nfor a in $LRS; do python t.py --a $a; done': [{"a": "1"}, {"a": "2"}],
    "for a in 1 2; do for b in 3 4; do python t.py --a $a --b $b; done; done": [
        {"a": "1", "b": "3"}, {"a": "1", "b": "4"}, {"a": "2", "b": "3"}, {"a": "2", "b": "4"},
    ],
    "for a in 1 2; do N=x_$a; python t.py --b $N; done": [{"b": "x_1"}, {"b": "x_2"}],
    "for a in 1 2; do bash -c \"python t.py --a $a\"; done": [{"a": "1"}, {"a": "2"}],
    "for a in 1 2; do sbatch <<EOF\npython t.py --a $a\nEOF\ndone": [{"a": "1"}, {"a": "2"}],
    "for a in 1 2; do sbatch --wrap \"python t.py --a $a\"; done": [{"a": "1"}, {"a": "2"}],
    "bash -c 'for a in 1 2; do python t.py --a $a; done'": [{"a": "1"}, {"a": "2"}],
    "for a in 1 2; do for b in $(ls); do python t.py --a $a --b $b; done; done": [{"a": "1", "b": "${b}"}, {"a": "2", "b": "${b}"}],
    "for a in $(seq 3); do python t.py --a $a; done": [{"a": "1"}, {"a": "2"}, {"a": "3"}],
    "for a in $(ls); do python t.py --a $a; done": [{"a": "${a}"}],
    'for a in "${X[@]}"; do python t.py --a $a; done': [{"a": "${a}"}],
    'for a in "$X/1" "$X/2"; do python t.py --a "$a"; done': [{"a": "${X}/1"}, {"a": "${X}/2"}],
    "for a in $X 2; do python t.py --a $a; done": [{"a": "${a}"}],
    "for a; do python t.py --a $a; done": [{"a": "${a}"}],
    "while x; do python t.py --a $a; done": [{"a": "${a}"}],
    "for a in 1 2; do X=3; done; python t.py --a ${X:-4}": [{"a": "3"}],
    "X=1; for a in 1 2; do python t.py --a ${X:-4}; X=2; done": [{"a": "${X}"}],
    "for a in 1 2; do if [ $a = 2 ]; then X=3; fi; python t.py --a ${X:-4}; done": [{"a": "${X}"}, {"a": "3"}],
    # what is the same for memory is one launch
    "for s in 1 2 3; do python t.py --a 1 --seed $s --output_dir out/$s; done": [{"a": "1", "seed": "1", "output_dir": "out/1"}],
    "for s in 1 2 3; do python t.py a=1 seed=$s; done": [{"a": "1", "seed": "1"}],
    # functions
    'run() { python t.py --a "$1" ; }\nrun 1': [{"a": "1"}],
    'run() { python t.py --a "$1" ; }\nrun 1\nrun 2 &': [{"a": "1"}, {"a": "2"}],
    "function run { python t.py --a $1; }\nrun 1": [{"a": "1"}],
    "function run() {\n  python t.py --a $1\n}\nrun 1": [{"a": "1"}],
    'run() {\n  local a=$1 b=${2:-7}\n  python t.py --a $a --b $b\n}\nrun 1\nrun 2 8': [{"a": "1", "b": "7"}, {"a": "2", "b": "8"}],
    'run() { local a=$1; shift; python t.py --a $a "$@"; }\nrun 1 --b 2 --c': [{"a": "1", "b": "2", "c": True}],
    'run() { shift 2; python t.py --a $1; }\nrun 3 2 1': [{"a": "1"}],
    'run() { "$@"; }\nrun python t.py --a 1': [{"a": "1"}],
    'run() { echo "$1"; eval "$1"; }\nrun "python t.py --a 1"': [{"a": "1"}],
    'one() { python t.py --a $1; }\nall() { one 1; one 2; }\nall': [{"a": "1"}, {"a": "2"}],
    'main() { run 1; }\nrun() { python t.py --a $1; }\nmain "$@"': [{"a": "1"}],
    'run() { python t.py --a $1; }\nfor a in 1 2; do run $a; done': [{"a": "1"}, {"a": "2"}],
    'run() { python t.py --a $1; }\nrun $X': [{"a": "${X}"}],
    'run() { python t.py --a $1 --b ${2:-3}; }\nrun $@ 1': [{"a": "${1}", "b": "${2}"}],
    'run() { python t.py --a $1; }\n': [{"a": "${1}"}],
    'run() { python t.py --a ${X:-1}; }\nX=2\nrun': [{"a": "2"}],
    'run() { python t.py --a ${X:-1}; }\nX=2\nrun\nX=3\nrun': [{"a": "2"}, {"a": "3"}],
    'run() { run; python t.py --a 1; }\nrun': [{"a": "1"}],
}  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_round_is_a_launch_with_its_values(script: str) -> None:
    launches = script_launches(SourceFile("run.sh", script + "\n"))
    assert [plain(launch.program.root, Loader.SHELL) for launch in launches] == SCRIPTS[script]


def test_a_value_of_a_round_stands_where_it_is_written() -> None:
    text = "run() { python t.py --a $1 --b 5; }\nfor x in 11 22; do run $x; done\nrun 33\n"
    found = [
        text[entry.value.span.start : entry.value.span.end]
        for launch in script_launches(SourceFile("run.sh", text))
        for key in ("a", "b")
        if (entry := launch.program.entry(key)) is not None
    ]
    assert found == ["11", "5", "22", "5", "33", "5"]


def test_more_rounds_than_are_read_one_by_one() -> None:
    items = " ".join(map(str, range(ROUNDS.most + 1)))
    (launch,) = script_launches(SourceFile("run.sh", f"for a in {items}; do python t.py --a $a; done\n"))
    assert plain(launch.program.root, Loader.SHELL) == {"a": "${a}"}
