"""Which commands of a script write which files: here-documents, ``echo`` and ``printf`` behind ``>``, and those that change one in place.

Sources: POSIX.1-2017 2.7 (redirection), ``cp``, ``mv``, ``sed``, ``tee``; GNU sed 4.9 ``-i``; yq 4 ``-i``; moreutils ``sponge``.
"""

from __future__ import annotations

from collections.abc import Sequence

from budgetlint.base.record import field, open_state, record
from budgetlint.documents.shell_tokens import Array, Token
from budgetlint.documents.shell_words import RawWord

PRINTS = frozenset(("echo", "printf"))
_IN_PLACE = frozenset(("sed", "gsed", "yq", "perl", "dasel"))
_COPIES = frozenset(("cp", "mv", "ln", "rsync", "install"))
_KEEPS = frozenset(("cp", "install"))
PYTHONS = frozenset(("python", "python3"))


@record
class Output:
    """What a command prints: a here-document by its mark and number, or the words of ``echo`` and ``printf``; else nobody knows."""

    at: int
    words: tuple[RawWord, ...] = ()
    mark: RawWord | None = None
    number: int = -1

    @property
    def is_told(self) -> bool:
        return bool(self.words) or self.mark is not None


@record
class RawWrite:
    """``outputs`` is empty where the text is not known; ``source`` is the file that is copied; ``program`` a Python text that writes."""

    target: RawWord | None
    outputs: tuple[Output, ...]
    at: int
    appends: bool = False
    certain: bool = True
    source: RawWord | None = None
    program: Output | None = None


@open_state
class Writes:
    """Of the script that is being read."""

    found: list[RawWrite] = field(default_factory=list)
    target: RawWord | None = None
    appends: bool = False
    mark: RawWord | None = None
    """Of the command that is being read: the file behind ``>``, the mark behind ``<<``."""
    string: RawWord | None = None
    """The word behind ``<<<``."""
    piped: tuple[RawWord, int] | None = None
    """The here-document that a ``cat`` hands to the command behind its pipe."""
    printed: tuple[Output, ...] = ()
    """What the command in front of a pipe prints."""
    marks: int = 0
    outputs: list[Output] = field(default_factory=list)
    """What is printed to nowhere in particular, for a group that is redirected."""
    last_mark: RawWord | None = None
    """Of the command that has just ended."""
    group: int = -1
    """Where the group began that has just ended."""

    def redirected(self, sign: str, word: Token) -> None:
        """The word behind a redirection."""
        if not isinstance(word, RawWord):
            return
        if sign in (">", ">|", "1>", ">>", "1>>", "&>", "&>>"):
            if word.bare != "/dev/null":
                self.target, self.appends = word, sign.endswith(">>")
        elif sign.endswith("<<<"):
            self.string = word
        elif sign.endswith(("<<", "<<-")):
            self.mark = word
            self.marks += 1

    def ends(self, words: Sequence[RawWord | Array], ends: str, *, certain: bool, noted: bool) -> tuple[RawWord, int] | None:
        """The end of a simple command: what it is given to read. ``noted`` if what it writes is looked at here."""
        target, mark, string, printed = self.target, self.mark, self.string, self.printed
        self.target = self.mark = self.string = None
        self.printed = ()
        self.last_mark = mark
        reads = (mark, self.marks - 1) if mark is not None else (string, -1) if string is not None else self.piped
        self.piped = None
        at = words[0].span.start if words else target.span.start if target is not None else 0
        if not words:
            if target is not None and self.group >= 0 and noted:
                self._add(target, tuple(one for one in self.outputs if one.at >= self.group), at, certain)
            self.group = -1
            return None
        self.group = -1
        told = tuple(word for word in words if isinstance(word, RawWord))
        if len(told) != len(words):
            return reads
        name = told[0].bare.rpartition("/")[2]
        if reads is not None and ends == "|" and target is None and _is_only(told, "cat"):
            self.piped = reads
        output = self._output(name, told, reads, printed, at)
        if ends == "|" and target is None:
            self.printed = output
        if noted:
            self._notes(name, told, target, output, at, certain)
            if target is None and ends != "|":
                self.outputs.extend(output or (Output(at),))
        return reads

    def _output(
        self, name: str, words: tuple[RawWord, ...], reads: tuple[RawWord, int] | None, printed: tuple[Output, ...], at: int
    ) -> tuple[Output, ...]:
        """What a command prints, as far as it is told."""
        if name in PRINTS:
            return (Output(at, words),)
        if reads is not None and (_is_only(words, "cat") or name == "tee"):
            return (Output(at, (), reads[0], reads[1]),) if reads[1] >= 0 else ()
        return printed if name == "tee" or _is_only(words, "cat") else ()

    def _notes(
        self, name: str, words: tuple[RawWord, ...], target: RawWord | None, output: tuple[Output, ...], at: int, certain: bool
    ) -> None:
        options = [word.bare for word in words[1:]]
        files = [word for word in words[1:] if not word.bare.startswith("-")]
        if name == "tee" and files:
            appends = "-a" in options or "--append" in options
            self.found.append(RawWrite(files[0], output, at, appends, certain))
        elif name in _COPIES and len(files) == 2:
            self.found.append(RawWrite(files[1], (), at, False, certain, files[0] if name in _KEEPS else None))
        elif name in _IN_PLACE and files and any(one.startswith(("-i", "--in-place", "--inplace", "-pi")) for one in options):
            self.found.extend(RawWrite(one, (), at, False, certain) for one in files)
        elif name == "sponge" and files:
            self.found.append(RawWrite(files[0], (), at, False, certain))
        elif name in PYTHONS:
            self._program(words, at, certain)
        if target is not None:
            self._add(target, output, at, certain)

    def _program(self, words: tuple[RawWord, ...], at: int, certain: bool) -> None:
        """``python - <<EOF``, ``python -c TEXT``"""
        option = words[1].bare if len(words) > 1 else "-"
        if option == "-c" and len(words) > 2:
            self.found.append(RawWrite(None, (), at, False, certain, None, Output(at, words[2:3])))
        elif option == "-" and self.last_mark is not None:
            self.found.append(RawWrite(None, (), at, False, certain, None, Output(at, (), self.last_mark, self.marks - 1)))

    def _add(self, target: RawWord, output: tuple[Output, ...], at: int, certain: bool) -> None:
        known = output if all(one.is_told for one in output) else ()
        self.found.append(RawWrite(target, known, at, self.appends, certain))


def _is_only(words: Sequence[RawWord], name: str) -> bool:
    return len(words) == 1 and words[0].bare == name
