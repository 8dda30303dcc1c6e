"""Shell: what we say a program is given is what bash gives it. Where we do not know, we say so; we never say another word.

Each snippet is run by the real bash with a stub program that writes down its arguments, and read by us. A word that we know must be the
word that bash passed; one that we do not know may stand for any number of words.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from budgetlint.documents.shell import read_shell
from budgetlint.documents.shell_words import Word

BASH = shutil.which("bash")
STUB = """#!/bin/sh
printf '%s\\0' "$#" "$@" >> "$SEEN"
"""

EXACT = {
    "plain": "prog a b",
    "a continued line": "prog a \\\n  b",
    "a continuation inside a word": "prog a\\\nb",
    "a comment behind": "prog a # b",
    "a comment without a blank behind it": "prog a #b",
    "a comment after a semicolon": "prog a;# b",
    "no comment inside a word": "prog a#b c\\#d '#e' \"#f\"",
    "a comment after a continued line": "prog a \\\n  # b \\\n  --c 1",
    "a comment that ends the command": "prog \\\n  # the model\n  --model x",
    "two comments": "prog a \\\n  # b\n  # c\n  --d",
    "a comment that ends in a backslash": "# prog a \\\nprog b",
    "a comment with quotes": "prog a # it's \"b\nprog c",
    "a blank line after a continued one": "prog a \\\n\n  --b",
    "a blank after the backslash": "prog a \\ \nprog b",
    "a backslash at the end": "prog a \\\n",
    "an empty comment": "prog a \\\n#\nprog b",
    "single quotes": "prog 'a $X b' 'c\\nd'",
    "double quotes": 'X=1\nprog "a $X b" "\\$X" "a\\nb" "a\\\\b" "a\\"b"',
    "quotes inside a word": "prog --a=\"b c\"'d'e",
    "a line end in quotes": "prog \"a\nb\" 'c\nd'",
    "a continuation in double quotes": 'prog "a \\\n b"',
    "a backslash in single quotes": "prog 'a \\\n b'",
    "empty arguments": "prog \"\" '' a",
    "an escaped blank": "prog a\\ b",
    "a value with blanks": 'A="--b 4 --c"\nprog $A "$A"',
    "a value with quotes in it": "A=\"--b 'c d'\"\nprog $A",
    "a value that looks like a variable": "A='$B'\nB=1\nprog $A",
    "an empty value": 'A=\nprog a $A b "$A"',
    "blanks around a value": 'A=" a "\nprog x$A$A"y"',
    "a value over lines": 'A="\n  --b 4\n  --c\n"\nprog $A',
    "a quoted default": 'prog "${X:-a b}"',
    "an unquoted default": "prog ${X:-a b}",
    "quotes in an unquoted default": "prog ${X:-'a b'} ${X:-\"c d\"} ${X:-e\\ f}",
    "quotes in a quoted default": 'prog "${X:-"a b"}" "${X:-\'c d\'}"',
    "a default with a variable": 'Y="a b"\nprog ${X:-$Y} "${X:-$Y}" ${X:-"$Y"}',
    "a default of an empty variable": "X=\nprog ${X:-a} ${X-b}",
    "a default that is empty": 'prog ${X:-} "${X:-}" a',
    "a default that holds a brace": 'prog "${X:-{\\"a\\": 1\\}}"',
    "a default of itself": 'X="${X:-a b}"\nprog $X "$X"',
    "an argument with a default": 'prog "${1:-a b}" ${2:-c}',
    "an array": 'A=(--b "4 5" # why\n --c)\nprog "${A[@]}"',
    "an array without quotes": 'A=(--b "4 5")\nprog ${A[@]} ${A[*]}',
    "an array as one word": 'A=(--b 4)\nprog "${A[*]}"',
    "the first of an array": 'A=(--b 4)\nprog $A "$A" ${A}',
    "an array inside a word": 'A=(b c)\nprog "x${A[@]}y"',
    "an empty array": 'A=()\nprog a "${A[@]}" b',
    "an array of an array": 'A=(b "c d")\nB=("${A[@]}" e)\nprog "${B[@]}"',
    "an array that grows": 'A=(--b)\nA+=(--c "d e")\nprog "${A[@]}"',
    "a comment in an array": 'A=(\n  --b 1\n  # --c 2\n  --d 3 # e\n)\nprog "${A[@]}"',
    "a text that grows": 'A="--b"\nA+=" --c"\nprog $A',
    "a default of a variable that is set later": "prog ${X:-a}\nX=1",
    "a variable in front of a command": "X=1 prog ${X:-a}",
    "exported": "export X=4 Y='a b'\nprog $X \"$Y\"",
    "several commands": "prog a; prog b && prog c | cat; (prog d); { prog e; }",
    "in the background": "prog a &\nwait\nprog b",
    "redirections": "prog a > log 2>&1 b < /dev/null 2>>err c",
    "a here-document": "cat > f <<EOF\nprog a\nEOF\nprog b",
    "a quoted here-document": "cat > f <<'EOF'\nprog $(a)\nEOF\nprog b",
    "an indented here-document": "cat > f <<-EOF\n\tprog a\n\tEOF\nprog b",
    "a mark inside a line": "cat > f <<EOF\nx EOF\n EOF\nEOF\nprog b",
    "two here-documents": "cat > f <<A; cat > g <<B\nprog a\nA\nprog b\nB\nprog c",
    "a here-document as a comment": ": <<'COMMENT'\nprog a\nCOMMENT\nprog b",
    "a here-document that the command goes on behind": "prog a <<EOF b\nx\nEOF\nprog c",
    "a here-string": 'cat > f <<< "prog a"\nprog b',
    "arithmetic": "A=16\nprog $((2 * 3)) $((A/4/(1+1))) $(( $A % 5 ))",
    "an exit": "prog a\nexit 0\nprog b",
    "an exit in a subshell": "(exit 0)\nprog b",
    "a program that takes over": "exec prog a\nprog b",
    "a dollar alone": 'prog $ "$" a$',
    "time and not": "time prog a\n! prog b",
    "equals": "prog a=b --c=d",
    "escapes outside of quotes": 'prog a\\$b \\"c\\" \\\\d',
    "a function that is never called": "f() {\n  X=1\n}\nprog a",
    "a text that grows without a blank": "A=a\nA+=b\nprog $A ${A}c",
    "a default for all": ': "${X:=a b}" ${Y:=c}\nprog "$X" $Y',
    "a default for all that has a value": "X=z\n: ${X:=a}\nprog $X",
    "arguments that may replace values": (
        'M="a/b"\nB=8\nwhile [[ "$#" -gt 0 ]]; do\n case $1 in\n  --model) M="$2"; shift ;;\n'
        "  --batch) B=$2; shift ;;\n esac\n shift\ndone\n"
        'prog --m "$M" --b "$B"'
    ),
    "options that may replace values": 'M=a\nwhile getopts "m:" o; do\n case $o in m) M="${OPTARG}" ;; esac\ndone\nprog $M',
    "an exit in a branch": 'if [ -n "$X" ]; then exit 1; fi\n[ -n "$X" ] && exit 1\ncd . || exit 1\nprog a',
    "an exit in a function": "usage() {\n  echo x\n  exit 1\n}\nfunction help { exit 1; }\ntrap 'exit 1' INT\nprog a",
    "an exit in a case": "case x in\n y) exit 1 ;;\nesac\nprog a",
    "a program that takes over the output only": "exec 2> log\nprog a",
    "parts of a value": "X=a/b.c\nprog ${X%.*} ${X##*/} ${X/a/z} ${X:0:1} ${X^^} ${X%%/*} ${X#*/} ${X//b/} ${X%z*} ${X:2}",
    "items of an array": 'A=(a "b c")\nB=${A[0]}\nprog ${A[0]} "${A[1]}" ${#A[@]} "$B"',
    "folders of paths": 'X=a/b/c.yaml\nprog $(dirname "$X") $(basename $X) $(basename "$X" .yaml) '
    '"$(dirname "$(dirname "$X")")" $(dirname d) $(echo $X)',
    "a list with commas is counted": "X=0,1,2\nN=$(echo $X | tr ',' '\\n' | wc -l)\nprog $N $((N * 2))",
    "a comment in backquotes": "prog a `# no` --b 1 `#--c` \\\n  `# d` e",
    "tabs": "prog\ta\t\\\n\tb",
}
"""What we read to the letter."""

NEVER_WRONG = {
    "a variable that is set later": "prog a $X b\nX=1",
    "a default that is assigned": "prog ${X:=a} $X",
    "a loop that counts": "for ((i=0; i<2; i++)); do prog $i x; done",
    "counted in brackets": "N=1\n((N++))\nprog $N",
    "a value from another shell": "X=$(bash -c 'echo a')\nprog $X",
    "a text that may grow": "A=--b\nif true; then A+=' --c'; fi\nA+=' --d'\nprog $A",
    "an array that may grow inside a word": 'A=(a)\ntrue && A+=(b)\nprog "x${A[@]}y"',
    "an empty item inside a word": 'A=(a "" b)\nprog "${A[@]}" "${A[*]}"',
    "two empty arrays": 'A=()\nB=("${A[@]}")\nprog "${B[@]}" a',
    "a function that is called later": "f() { prog $X; }\nX=a\nf",
    "braces": "prog {a,b} x{1..3} {c}",
    "a text in braces": 'prog --json {"a":1,"b":2}',
    "quoted braces": "prog '{a,b}' \"{c,d}\"",
    "escapes of C": "prog $'a\\tb' $'c'",
    "a translated text": 'prog $"a b"',
    "an element of an array": 'A=(a b)\nprog ${A[1]} "${A[0]}" ${#A[@]}',
    "a slice of an array": 'A=(a b c)\nprog "${A[@]:1}"',
    "an element that is set": 'A=(a b)\nA[1]=c\nprog "${A[@]}"',
    "elements by number": 'A=([1]=b [0]=a)\nprog "${A[@]}"',
    "an alternative": "X=1\nprog ${X:+a} ${Y:+b} ${Y+c}",
    "parts of a value that are not followed": "X=a.b/c\nprog ${#X} ${X/[a]/z} ${X/#a/z} ${X%?} ${X~} ${X@Q} ${X: -1} ${X^}",
    "an answer with blanks": 'X="a b"\nprog $(echo "$X") $(basename "$X") ${X%z} "${X%z}" $(dirname "") ${X#*b}',
    "an answer with another separator": 'IFS=,\nX=a,b.c\nprog ${X%.c} "${X%.c}" $(echo $X)',
    "a comment in a substitution": "prog a $(# no\n) b",
    "answers that are not followed": 'X=a/b\nprog $(dirname $X; echo c) $(basename -s b $X) $(cd / && pwd | tail -1) $(dirname $X $X)',
    "a value after its parts": "X=a.b\nprog ${X%.b}\nX=c.b\nprog ${X%.b}",
    "a name that holds a name": "X=Y\nY=1\nprog ${!X}",
    "arguments": 'prog "$@" $* $# $1 "$2"',
    "arguments that are set": 'set -- a "b c"\nprog "$@" $1',
    "two values": "X=1\nprog $X\nX=2\nprog $X",
    "a value of before": "X=1\nX=2 prog $X",
    "a value that is taken away": "X=1\nunset X\nprog a${X}b",
    "another separator": "IFS=,\nX=a,b\nprog $X",
    "a loop": "for X in a b; do prog $X; done",
    "a branch": "X=a\nif true; then X=b; fi\nprog $X",
    "a chain": "X=a\ntrue && X=b\nprog $X",
    "a case": "case x in\n x) X=b;;\n *) X=c;;\nesac\nprog $X",
    "a function": 'f() { prog "$1" x; }\nf a',
    "a function that sets": "X=a\nf() { X=b; }\nf\nprog $X",
    "a subshell that sets": "X=a\n(X=b; prog $X)\nprog $X",
    "read from a text": "read X <<< 'a b'\nprog $X",
    "read from a here-document": "read -r -d '' X <<EOF\na b\nEOF\nprog $X",
    "a command's answer": 'X=$(echo a b)\nprog $X "$X" `echo c`',
    "numbers of other bases": "prog $((2 ** 3)) $((0x10)) $((010)) $[1+1]",
    "a number that is counted": "X=1\nX=$((X + 1))\nlet X++\nprog $X",
    "appended by another name": 'X=a\nprintf -v X b\nprog $X',
    "nested arrays grow in a branch": 'A=(a)\nif true; then A+=(b); fi\nA+=(c)\nprog "${A[@]}"',
    "shifted": "set -- a b\nshift\nprog $1",
    "eval": "X=a\neval X=b\nprog $X",
    "a declared number": "declare -i X=1+2\nprog $X",
    "a lower case": "declare -l X=ABC\nprog $X",
    "a local": "X=a\nf() { local X=b; prog $X; }\nf",
    "while": "N=0\nwhile [ $N -lt 2 ]; do prog $N; N=$((N+1)); done",
}  # fmt: skip
"""What we need not know, and must not say wrong."""

SNIPPETS = {**EXACT, **NEVER_WRONG}


def given_by_bash(text: str, folder: Path) -> list[list[str]]:
    """The arguments of each call of ``prog``, in order."""
    assert BASH is not None
    stub = folder / "bin" / "prog"
    stub.parent.mkdir()
    stub.write_text(STUB, encoding="utf-8")
    stub.chmod(0o755)
    (folder / "run.sh").write_text(text, encoding="utf-8")
    seen = folder / "seen"
    seen.touch()
    environment = {"PATH": f"{stub.parent}{os.pathsep}{os.environ['PATH']}", "SEEN": str(seen), "HOME": str(folder)}
    subprocess.run([BASH, "run.sh"], cwd=folder, env=environment, capture_output=True, check=False, timeout=30)
    return list(_calls(seen.read_bytes().decode().split("\0")[:-1]))


def _calls(fields: list[str]) -> list[list[str]]:
    calls, at = [], 0
    while at < len(fields):
        count = int(fields[at])
        calls.append(fields[at + 1 : at + 1 + count])
        at += 1 + count
    return calls


def told_by_us(text: str) -> list[tuple[Word, ...]]:
    """The arguments of each ``prog`` that we see."""
    found = []
    for command in read_shell(text).commands:
        words = command.words[1:] if command.words[0].text in ("exec", "time", "!") else command.words
        if words and words[0].text == "prog":
            found.append(words[1:])
    return found


def agrees(ours: Sequence[Word], theirs: Sequence[str]) -> bool:
    """Known words stand for themselves, others for any number of words."""
    if not ours:
        return not theirs
    first, rest = ours[0], ours[1:]
    if first.is_told:
        return bool(theirs) and theirs[0] == first.text and agrees(rest, theirs[1:])
    return any(agrees(rest, theirs[count:]) for count in range(len(theirs) + 1))


@pytest.mark.skipif(BASH is None, reason="no bash here")
@pytest.mark.parametrize("text", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_no_word_is_told_that_bash_does_not_pass_on(text: str, tmp_path: Path) -> None:
    theirs, ours = given_by_bash(text, tmp_path), told_by_us(text)
    wrong = [call for call in theirs if not any(agrees(words, call) for words in ours)]
    assert wrong == [], [[(word.text, word.known) for word in words] for words in ours]


@pytest.mark.skipif(BASH is None, reason="no bash here")
@pytest.mark.parametrize("text", EXACT.values(), ids=EXACT.keys())
def test_these_are_read_to_the_letter(text: str, tmp_path: Path) -> None:
    theirs, ours = given_by_bash(text, tmp_path), told_by_us(text)
    assert [[word.text for word in words] for words in ours] == theirs
