"""What a script has made of its variables where a command stands: the same words that bash passes on."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents.shell import read_shell
from budgetlint.documents.shell_work import ShellWork
from budgetlint.launch.read import given_by
from budgetlint.launch.walk import ShellWalk, Stand

BASH = shutil.which("bash")

AS_BASH: dict[str, str] = {
    "the last value in front": "X=1\nprog $X\nX=2\nprog $X",
    "a value of the value before": "X=a\nX=$X.b\nX=${X%.b}c\nprog $X",
    "a branch that runs": 'M=lora\nif [ "$M" = lora ]; then X=8; else X=2; fi\nprog $X',
    "the other branch": 'M=full\nif [ "$M" == "lora" ]; then X=8; elif [[ $M == fu* ]]; then X=4; else X=2; fi\nprog $X',
    "numbers": "N=8\nif [ $N -gt 4 ] && [ $N -le 8 ]; then X=1; else X=4; fi\nprog $X",
    "calculated": "N=8\nif (( N % 3 == 2 && N > 1 )); then X=1; else X=4; fi\nprog $X",
    "nothing set": 'if [ -z "$Q" ]; then X=4; fi\n[[ -n $Q ]] && X=5\n[ "$Q" ] || Y=6\nprog $X $Y',
    "a flag": "T=true\nif $T; then X=4; fi\nif ! false; then Y=5; fi\nprog $X $Y",
    "a case": 'S=large\ncase "$S" in\n small) X=8 ;;\n large|huge) X=1; Y=2 ;;\n *) X=3 ;;\nesac\nprog $X $Y',
    "a case by pattern": "S=qwen-7b\ncase $S in *-7b) X=1 ;; *) X=3 ;; esac\nprog $X",
    "flags by branches": 'A=(--a 1)\nG=1\nif [ "$G" = 1 ]; then A+=(--g); fi\nA+=(--z 2)\nprog "${A[@]}"',
    "a text that grows": 'A="--a 1"\nG=yes\n[ $G = yes ] && A="$A --g"\nA+=" --z"\nprog $A',
    "a list by number": "L=(a b c)\ni=1\nprog ${L[$i]} ${L[i+1]} ${L[0]} ${#L[@]}",
    "a list by name": 'declare -A M=([small]=8 ["large"]=1)\nS=large\nprog ${M[$S]} ${M[small]} "${#M[@]}"',
    "items that are set": "declare -A M\nM[a]=1\nM[b-c]=2\nK=b-c\nL[0]=x\nL[1]=y\nprog ${M[a]} ${M[$K]} ${L[1]} ${L[@]}",
    "its numbers": 'L=(a b)\nfor i in "${!L[@]}"; do prog $i ${L[$i]}; done',
    "braces": "for i in {1..2} x{a,b}; do prog $i; done\nprog {01..03} {3..1} {a..c}z",
    "seq": "for i in $(seq 1 2) $(seq 2 2 4); do prog $i; done",
    "counted": "for ((i=0; i<3; i++)); do prog $i; done",
    "what a loop leaves": 'A=\nN=0\nfor x in a b c; do A="$A --$x"; N=$((N+1)); done\nprog $A $N $x',
    "what a loop over numbers leaves": "N=1\nfor ((i=0; i<3; i++)); do N=$((N*2)); done\nprog $N",
    "while": "N=1\nK=0\nwhile [ $K -lt 3 ]; do N=$((N * 2)); K=$((K + 1)); done\nprog $N $K",
    "until, and a break": "N=0\nuntil false; do N=$((N + 1)); if [ $N -eq 3 ]; then break; fi; done\nprog $N",
    "let and the like": "N=8\nlet M=N/2\n((K = N / 4))\n((N++))\n((M += 1))\nprog $N $M $K",
    "bc": 'N=64\nprog $(echo "$N / 4" | bc) $(( ${N} / (2 * 4) ))',
    "an alternative": 'G=1\nprog ${G:+--g 2} ${Q:+--q} "${Q-d}"',
    "a name that holds a name": "B_small=8\nS=small\nV=B_$S\nprog ${!V}",
    "parts": "X=a/b_c.json\nprog ${X##*/} ${X%.json} ${X//_/-} ${X/_//} $(basename $X .json) $(dirname $X)",
    "fields of a text": "X=a-b-c\nprog $(echo $X | cut -d- -f2) $(echo $X | tr - _)",
    "a subshell": "X=1\n(X=2; prog $X)\nprog a",
    "a chain that goes over lines": "X=1\nfalse &&\n  X=2\ntrue ||\n  X=3\nprog $X",
    "a group that does not run": 'X=2\nfalse && { X=1; prog no; }\nprog $X',
    "nothing behind an exit": "X=1\nif [ $X = 1 ]; then prog a; exit 0; fi\nprog b",
    "a function that sets nothing here": "X=1\nf() { local X=2; prog $X; }\nf\nX=3\nprog $X",
    "a value in front of a command": "A=1\nA=2 B=$A prog $A",
    "first items": 'L=(a b)\nL="c"\nprog "${L[@]}"',
}  # fmt: skip

OPTIONS = """BS=2
SEQ=1024
POS=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --bs) BS="$2"; shift 2 ;;
    --bs=*) BS="${1#*=}"; shift ;;
    --seq) SEQ="$2"; shift; shift ;;
    --lora) LORA=1; shift ;;
    *) POS+=("$1"); shift ;;
  esac
done
prog $BS $SEQ ${LORA:-0} "${POS[@]}"
"""
ARGUMENTS: dict[str, tuple[str, list[str]]] = {
    "options": (OPTIONS, ["--bs", "8", "--lora"]),
    "options with a sign": (OPTIONS, ["--bs=8", "--seq", "512"]),
    "what is no option": (OPTIONS, ["x", "--bs", "4", "y"]),
    "a loop over them": ('B=2\nfor a in "$@"; do\n case $a in --bs=*) B="${a#*=}" ;; esac\ndone\nprog $B', ["--bs=8"]),
    "a size": ('case "$1" in\n small) X=8 ;;\n large) X=1 ;;\nesac\nprog $X ${2:-d} $#', ["large"]),
    "one that is not given": ('if [ -z "$2" ]; then X=d; else X=$2; fi\nprog $X', ["a"]),
    "shifted by what is there": ('M=${1:-m}\nO=${2:-o}\nshift $(( $# >= 2 ? 2 : $# ))\nprog $M $O "$@"', ["a", "b", "--c", "1"]),
    "shifted by fewer": ('M=${1:-m}\nO=${2:-o}\nshift $(( $# >= 2 ? 2 : $# ))\nprog $M $O "$@"', ["a"]),
    "shifted by a variable": ('N=2\nshift $N\nprog "$@" $(( $# * 2 )) $(( ${1} + 1 ))', ["a", "b", "3", "4"]),
    "calculated behind a shift": ("shift 1\nif (( $# > 1 )); then X=1; else X=2; fi\n(( N = $# ))\nprog $X $N", ["a", "b"]),
    "counted behind a shift": ("shift\nfor ((i=1; i<=$#; i++)); do prog $i; done", ["a", "b", "c"]),
    "shifted: a word that is left": ('shift "$(( 1 + 1 ))"\nprog "$@"', ["a", "b", "c"]),
    "shifted": ("M=$1\nshift\nprog $M $1 $# $*", ["a", "b", "c"]),
}


def by_bash(text: str, folder: Path, arguments: list[str]) -> list[list[str]]:
    """The arguments of each call of ``prog``, which does nothing but write them down."""
    assert BASH is not None
    head = f'prog() {{ printf "%s\\0" "$#" "$@" >> "{folder}/out"; }}\n'
    (folder / "s.sh").write_text(head + text + "\n", encoding="utf-8")
    (folder / "out").write_text("", encoding="utf-8")
    subprocess.run([BASH, "s.sh", *arguments], cwd=folder, env={"PATH": "/usr/bin:/bin"}, check=False, capture_output=True, timeout=20)
    fields = (folder / "out").read_text(encoding="utf-8").split("\0")[:-1]
    calls, at = [], 0
    while at < len(fields):
        count = int(fields[at])
        calls.append(fields[at + 1 : at + 1 + count])
        at += 1 + count
    return calls


def told(text: str, arguments: list[str] | None = None) -> list[list[str]]:
    """What we say of each call that we come to; ``?`` for what is not known."""
    source, work = SourceFile("s.sh", text), ShellWork()
    script = read_shell(text, work=work, given=given_by(arguments or (), {}))
    commands = (command for command, _ in ShellWalk(source, work).script(script, Stand()))
    return [[word.text if word.is_told else "?" for word in one.words[1:]] for one in commands if one.words[0].text == "prog"]


@pytest.mark.skipif(BASH is None, reason="no bash here")
@pytest.mark.parametrize("text", AS_BASH.values(), ids=AS_BASH)
def test_the_words_are_those_that_bash_passes_on(text: str, tmp_path: Path) -> None:
    assert told(text) == by_bash(text, tmp_path, [])


@pytest.mark.skipif(BASH is None, reason="no bash here")
@pytest.mark.parametrize(("text", "arguments"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_so_are_those_of_a_script_that_is_given_arguments(text: str, arguments: list[str], tmp_path: Path) -> None:
    assert told(text, arguments) == by_bash(text, tmp_path, arguments)


OPEN: dict[str, tuple[str, list[list[str]]]] = {
    "a branch that the machine decides": ("if [ -f x ]; then X=1; fi\nprog $X", [["?"]]),
    "a count of arguments that nobody gives": ('shift $(( $# >= 2 ? 2 : $# ))\nprog "$@" $# $1 ${2:-x} $(( $# ))', [["?"] * 5]),
    "a count that nobody knows": ('shift $N\nshift\nprog "$@" $1', [["?", "?"]]),
    "a branch that an argument decides": ('X=1\nif [ "$1" = a ]; then X=2; fi\nprog $X', [["?"]]),
    "an option loop of a script that is given none": (OPTIONS, [["2", "1024", "?"]]),
    "a variable of a scheduler": ('X=1\nif [ -n "$SLURM_JOB_ID" ]; then X=2; fi\nprog $X', [["?"]]),
    "a branch that somebody may take": (
        'if [ "$DEBUG" = 1 ]; then\n  X=1\n  prog small $X\nelse\n  X=8\n  prog large $X\nfi\nprog $X',
        [["small", "1"], ["large", "8"], ["8"]],
    ),
    "a branch that nobody takes": ('D=0\nif [ "$D" = 1 ]; then\n  prog small\nelse\n  prog large\nfi', [["large"]]),
    "a default that decides": (
        "S=${1:-small}\ncase $S in\n small) X=8 ;;\n large) X=1; prog large $X ;;\nesac\nprog $X",
        [["large", "1"], ["8"]],
    ),
    "who leaves it out is told so": ('if [ -z "$M" ]; then\n  echo usage\n  exit 1\nfi\nprog $M', [["?"]]),
    "the same in a line": ('[ -z "$M" ] && { echo usage; exit 1; }\n[ "$M" ] || exit 1\nprog $M', [["?"]]),
    "a loop that nobody can count": ("N=1\nwhile test -f x; do N=2; done\nprog $N", [["?"]]),
    "in such a loop": ("N=1\nwhile test -f x; do prog $N; N=2; done", [["?"]]),
    "a loop that goes on for long": ("N=0\nwhile [ $N -lt 1000 ]; do N=$((N+1)); done\nprog $N", [["?"]]),
    "a function of the script": ("X=1\nf() { X=$(date); }\nf\nprog $X", [["?"]]),
    "a function that hands on no arguments": ("X=1\nf() { X=$1; }\nf 2\nprog $X", [["?"]]),
    "options that a function reads": ('X=1\nparse() { while [ $# -gt 0 ]; do X=$2; shift; done; }\nparse "$@"\nprog $X', [["1"]]),
    "what only a run could tell": (
        "prog $(nproc) $(nvidia-smi -L | wc -l) $(cat x) $(python -c 'print(1)') 2",
        [["?", "?", "?", "?", "2"]],
    ),
    "an item of a list that may be another": ("L=(a b)\nif test -f x; then L=(c d); fi\nprog ${L[0]}", [["?"]]),
    "a path that would be two words": ('X="a b"\nprog $(basename d/$X)', [["?"]]),
    "an item that is not known": ("L=(a b)\nprog ${L[$Q]}", [["?"]]),
}


@pytest.mark.parametrize(("text", "wanted"), OPEN.values(), ids=OPEN)
def test_what_is_not_known_is_not_told(text: str, wanted: list[list[str]]) -> None:
    assert told(text) == wanted


def test_rounds_are_bounded_in_steps() -> None:
    body = "for x in a b c d e f g h; do\n" * 6 + "A=$x\n" + "done\n" * 6
    work = ShellWork()
    read_shell(body + "prog $A\n", work=work)
    assert work.cut == {}
