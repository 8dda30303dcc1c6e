"""Shell scripts: what a command is given, and where each argument stands; what only a run could tell stays symbolic."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetlint.documents.shell import Command, read_shell
from budgetlint.documents.shell_words import Word


def last(text: str) -> Command:
    return read_shell(text).commands[-1]


def words(text: str) -> list[str]:
    return [word.text for word in last(text).words]


EXPANDED: dict[str, tuple[str, list[str]]] = {
    "plain": ("run a b", ["run", "a", "b"]),
    "line continuation": ("run a \\\n  b", ["run", "a", "b"]),
    "continuation inside a word": ("run a\\\nb", ["run", "ab"]),
    "windows continuation": ("run a \\\r\n  b\r\n", ["run", "a", "b"]),
    "single quotes": ("run 'a $X b'", ["run", "a $X b"]),
    "double quotes": ('X=1\nrun "a $X b"', ["run", "a 1 b"]),
    "quotes inside a word": ("run --a=\"b c\"'d'", ["run", "--a=b cd"]),
    "escapes": ("run a\\ b \"\\$X\" '\\n'", ["run", "a b", "$X", "\\n"]),
    "comment": ("run a # b", ["run", "a"]),
    "hash inside a word": ("run a#b", ["run", "a#b"]),
    "a commented flag ends the command": ("run a \\\n  # --b 1 \\\n  --c", ["--c"]),
    "redirections": ("run a > log 2>&1 < in b &>> x", ["run", "a", "b"]),
    "placeholder": ("run --model <your model> --x", ["run", "--model", "<your model>", "--x"]),
    "literal assignment": ("X=4\nrun $X ${X}", ["run", "4", "4"]),
    "export": ("export X=4 Y='a b'\nrun $X \"$Y\"", ["run", "4", "a b"]),
    "declared": ("declare -r X=4\nreadonly Y=5\nrun $X $Y", ["run", "4", "5"]),
    "fields": ('A="--b 4 --c"\nrun $A', ["run", "--b", "4", "--c"]),
    "no fields in quotes": ('A="--b 4"\nrun "$A"', ["run", "--b 4"]),
    "a string over lines": ('A=" \\\n --b 4 \\\n --c \\\n"\nrun $A', ["run", "--b", "4", "--c"]),
    "array": ('A=(--b "4 5" # why\n --c)\nrun "${A[@]}" ${A[@]} $A', ["run", "--b", "4 5", "--c", "--b", "4", "5", "--c", "--b"]),
    "array grown": ('A=(--b)\nA+=(--c 1)\nrun "${A[@]}"', ["run", "--b", "--c", "1"]),
    "text grown": ('A="--b"\nA+=" --c 1"\nrun $A', ["run", "--b", "--c", "1"]),
    "array grown in a branch": ('A=(--b)\nif x; then A+=(--c); fi\nrun "${A[@]}"', ["run", "--b", "${...}"]),
    "default": ("run ${X:-4} ${Y-5} ${Z:=6}", ["run", "4", "5", "6"]),
    "default of itself": ("X=${X:-4}\nrun $X", ["run", "4"]),
    "default of a set variable": ("X=3\nrun ${X:-4}", ["run", "3"]),
    "default in a default": ("Y=7\nrun ${X:-${Y}}", ["run", "7"]),
    "empty value": ("X=\nrun a $X b", ["run", "a", "b"]),
    "chain of variables": ("A=1\nB=$A\nC=${B}2\nrun $C", ["run", "12"]),
    "environment in front": ("A=1 B=2 run x", ["run", "x"]),
    "not set": ("run $X", ["run", "${X}"]),
    "set twice": ("X=1\nX=2\nrun $X", ["run", "2"]),
    "set in a branch": ("if a; then X=1; fi\nrun $X", ["run", "${X}"]),
    "set in a one-line branch": ('[ -z "$X" ] && X=1\nrun $X', ["run", "1"]),
    "set in a one-line branch that nobody knows": ("[ -f x ] && X=1\nrun $X", ["run", "${X}"]),
    "set in a loop": ("while a; do X=1; done\nrun $X", ["run", "${X}"]),
    "set in a function": ("f() {\n X=1\n}\nrun $X", ["run", "${X}"]),
    "set in a case": ("case $1 in\n a|b) X=1 ;;\n *) X=2 ;;\nesac\nrun $X", ["run", "${X}"]),
    "behind a case": ("case $1 in (a) y ;; esac\nX=1\nrun $X", ["run", "1"]),
    "loop variable": ("for X in 1 2; do\n run $X\ndone", ["run", "${X}"]),
    "read": ("read X\nrun $X", ["run", "${X}"]),
    "argument": ("run $1 ${2:-x} $@", ["run", "${1}", "x", "${@}"]),
    "from an argument": ("X=$1\nrun $X", ["run", "${1}"]),
    "command substitution": ("X=$(ls)\nrun $X/a `b c`", ["run", "$(ls)/a", "$(b c)"]),
    "the working directory": ("X=$(pwd)\nrun $X/a ${PWD}/b `pwd`/c", ["run", "./a", "./b", "./c"]),
    "the script's folder": ('X=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)\nrun $X/a', ["run", "./a"]),
    "above the script's folder": ('X=$(cd "$(dirname $0)"/..; pwd)\nrun $X/a $(dirname $(dirname $0))', ["run", "./../a", "./.."]),
    "another folder": ("run $(cd x && pwd) $(dirname $X)", ["run", "x", "$(dirname $X)"]),
    "arithmetic": ("A=16\nrun $((2 * 3)) $((A/4/(1+1))) $(( $A % 5 ))", ["run", "6", "2", "1"]),
    "expr": ("A=16\nrun $(expr $A / 2) `expr 2 \\* $A`", ["run", "8", "32"]),
    "arithmetic on a default": ("A=${A:-16}\nB=$((A / 2))\nrun $B", ["run", "8"]),
    "one of two": (
        "A=4\nrun $((A > 2 ? 1 : 0)) $((A < 2 ? 1 : A == 4 ? 2 : 3)) $(( (A ? 5 : 6) + 1 )) $((1 ? 2))",
        ["run", "1", "2", "6", "$((1 ? 2))"],
    ),
    "division cuts towards zero": ("run $((7 / 2)) $((-7 / 2)) $((1 - 3))", ["run", "3", "-3", "-2"]),
    "arithmetic that fails": ("run $((1 / 0)) $((2 +)) $(((2)", ["run", "$((1 / 0))", "$((2 +))", "$(((2)"]),
    "arithmetic on what is not known": ("run $((X * 2)) $((2 ** 3))", ["run", "$((X * 2))", "$((2 ** 3))"]),
    "an argument may replace a default": ('M=a\nwhile [ "$1" ]; do case $1 in -m) M=$2; shift;; esac; shift; done\nrun $M', ["run", "a"]),
    "an option may replace a default": ("M=a\nwhile getopts m: o; do M=$OPTARG; done\nrun $M", ["run", "a"]),
    "a flag's value that an argument has to give": (
        "M=\nwhile getopts m: o; do M=$OPTARG; done\nrun --m $M --x 1",
        ["run", "--m", "${M}", "--x", "1"],
    ),
    "the same at the end, in quotes": ('M=""\ncase $1 in -m) M="$2";; esac\nrun --m "${M}"', ["run", "--m", "${M}"]),
    "a flag's value that nothing sets": ("M=\nrun --m $M --x 1", ["run", "--m", "--x", "1"]),
    "more flags that an argument may give": ("M=\ncase $1 in -m) M=$2;; esac\nrun --x 1 $M --y 2", ["run", "--x", "1", "--y", "2"]),
    "an argument may choose a value": ('M=a\nif [ "$1" ]; then M=b; fi\nrun $M', ["run", "${M}"]),
    "pattern removal": ("X=a.b\nrun ${X%.b} ${Y%.b} ${X%?b}", ["run", "a", "${Y}", "${X}"]),
    "refers to itself": ('X="$X a"\nrun $X', ["run", "${X}", "a"]),
    "here-document": ("cat <<EOF\nX=1\nrun no\nEOF\nrun yes", ["run", "yes"]),
    "here-document with tabs": ("cat <<-'E'\n\trun no\n\tE\nrun yes", ["run", "yes"]),
    "read from a here-document": ("read -r -d '' C <<EOF\nrun --a \\\n --b 1\nEOF\n$C", ["run", "--a", "--b", "1"]),
    "pipe": ("run a | tee log", ["tee", "log"]),
    "subshell": ("(cd x && run a)", ["run", "a"]),
    "double brackets": ('[[ "$X" == "a" && b < c ]] && run a', ["run", "a"]),
    "group": ("{ run a; }", ["run", "a"]),
    "process substitution": ("run > >(tee log) a", ["run", "a"]),
}


@pytest.mark.parametrize("case", EXPANDED)
def test_words(case: str) -> None:
    text, expected = EXPANDED[case]
    assert words(text) == expected


def test_several_commands_are_several() -> None:
    script = read_shell("a 1; b 2 && c 3\nif x; then d 4; else e 5; fi")
    assert [" ".join(word.text for word in command.words) for command in script.commands] == ["a 1", "b 2", "c 3", "x", "d 4", "e 5"]


def test_environment_in_front_of_a_command() -> None:
    assert {name: word.text for name, word in last("N=2\nA=0,1 B=$N run").environment.items()} == {"A": "0,1", "B": "2"}


@pytest.mark.parametrize(
    ("text", "word", "where"),
    [
        ("run --x 12", "12", "12"),
        ('run --x "1 2"', "1 2", '"1 2"'),
        ("N=12\nrun --x $N", "12", "12"),
        ("run --x ${N:-12}", "12", "12"),
        ("N=12\nrun --x a$N", "a12", "a$N"),
        ('A="--x 12"\nrun $A', "12", "12"),
        ("A=(--x 12)\nrun ${A[@]}", "12", "12"),
    ],
)
def test_the_value_stands_where_it_is_written(text: str, word: str, where: str) -> None:
    found = next(one for one in last(text).words if one.text == word)
    assert text[found.span.start : found.span.end] == where
    if where == "12":
        assert found.span.start == text.index("12")


def test_the_rest_of_a_word_keeps_its_place() -> None:
    text = 'run --flag="value"'
    rest = last(text).words[1].after(len("--flag="))
    assert (rest.text, text[rest.span.start : rest.span.end]) == ("value", 'value"')


def test_given_variables_are_weaker_than_the_script() -> None:
    outside = {"A": Word("9", last("x 9").words[1].span, True, last("x 9").words[1].atoms)}
    assert [word.text for word in read_shell("run $A", given=outside).commands[0].words] == ["run", "9"]
    assert [word.text for word in read_shell("A=1\nrun $A", given=outside).commands[0].words] == ["run", "1"]


BOMBS = {
    "doubling": "A=x\n" + "\n".join(f"{new}=${old}${old}${old}" for old, new in pairwise("ABCDEFGHIJKLMNOPQRST")) + "\nrun $T",
    "deep defaults": "run " + "${a:-" * 3000 + "}" * 3000,
    "open quotes": "run " + "\"'" * 5000,
    "open substitutions": "run " + "$(" * 20000,
    "open braces": "run " + "${" * 20000,
    "here-documents": "cat " + "<<A " * 3000 + "\n" + "x\n" * 3000,
    "long line": "run " + "a " * 60000,
    "ring": "A=$B\nB=$A\nrun $A",
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end_in_time(name: str) -> None:
    assert read_shell(BOMBS[name]).commands is not None


PIECES = [
    *("run", "$A", "${A:-x}", "A=1", "A+=(b)", "A=(", ")", "(", "if", "then", "fi", "case", "in", "esac", ";;", ";", "\n", "'", '"'),
    *("\\", "<<E", "E", "$(", "`", "${", "}", "{", "f()", "&&", "|", ">", "#", " ", "\t", "[[", "]]", "for", "do", "done", "--x=1", "é"),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join) | st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    for command in read_shell(text).commands:
        for word in command.words:
            assert 0 <= word.span.start <= word.span.end <= len(text)
            assert word.text == "".join(atom.text for atom in word.atoms)


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ('a=" "\na=" --x $a"\na="--y=3 ${a}"\npython t.py $a\n', ["--y=3", "--x"]),
        ('a="x"\na+=" y"\na="$a z"\na+=" w"\npython t.py $a\n', ["x", "y", "z", "w"]),
        ('a=--b\npython t.py $a\na="$a --c"\n', ["--b"]),
        ('a=--b\nb="$a --k"\na="$a --c"\npython t.py $b\n', ["--b", "--k"]),
        ('a=--b\nif true; then\na="$a --c"\nfi\npython t.py $a\n', ["--b", "--c"]),
        ('a=--b\na="$a $a"\npython t.py $a\n', ["--b", "--b"]),
        ('L=(a b)\nL="$L c"\npython t.py ${L[@]}\n', ["a", "c", "b"]),
    ],
)
def test_a_variable_that_is_put_around_itself(script: str, wanted: list[str]) -> None:
    (command,) = [one for one in read_shell(script).commands if one.words[0].text == "python"]
    assert [word.text for word in command.words[2:]] == wanted


def test_a_variable_that_grows_by_itself_is_copied_only_so_often() -> None:
    script = "a=" + "x" * 1000 + "\n" + 'a="$a y"\n' * 20_000 + "python t.py $a\n"
    assert not any("x" in word.text for command in read_shell(script).commands for word in command.words)
