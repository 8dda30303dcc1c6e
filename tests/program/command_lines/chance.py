"""Command lines by chance: the lines of a table, joined and changed as people change and mistype them. The same seed, the same lines."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from random import Random

from tests.program.command_lines.real import Program

_OTHERS = ("--", "-3", "7", "1e-3", "x", "true", "False", "a=b", "", "-", "None")


def lines(program: Program, seed: int, count: int) -> Iterator[str]:
    """Lines that the program's table does not have."""
    random = Random(f"{program.name} {seed}")
    known = [shlex.split(line) for line in program.lines if line not in program.unknown]
    doubtful = {word for line in program.unknown for word in shlex.split(line)} - {word for line in known for word in line}
    pool = sorted({word for line in known for word in line})
    told = set(program.lines)
    while count:
        words = [*random.choice(known), *(random.choice(known) if random.random() < 0.5 else ())]
        for _ in range(random.choice((0, 1, 1, 2))):
            words = random.choice(_CHANGES)(random, words, pool)
        line = shlex.join(words)
        if line not in told and not doubtful & set(words) and words.count("--") < 2:
            told.add(line)
            count -= 1
            yield line


Change = Callable[[Random, list[str], Sequence[str]], list[str]]


def _leave_out(random: Random, words: list[str], pool: Sequence[str]) -> list[str]:
    at = random.randrange(len(words) + 1)
    return words[:at] + words[at + 1 :]


def _put_in(random: Random, words: list[str], pool: Sequence[str]) -> list[str]:
    at = random.randrange(len(words) + 1)
    return [*words[:at], random.choice((*pool, *_OTHERS)), *words[at:]]


def _again(random: Random, words: list[str], pool: Sequence[str]) -> list[str]:
    return [*words, random.choice(words)] if words else words


def _mix(random: Random, words: list[str], pool: Sequence[str]) -> list[str]:
    return random.sample(words, len(words))


def _shorten(random: Random, words: list[str], pool: Sequence[str]) -> list[str]:
    return _at_one(random, words, lambda word: word[: -random.randint(1, 3)] if len(word) > 4 else word)


def _split(random: Random, words: list[str], pool: Sequence[str]) -> list[str]:
    at = next((at for at, word in enumerate(words) if word.startswith("--") and "=" in word), None)
    return words if at is None else [*words[:at], *words[at].split("=", 1), *words[at + 1 :]]


def _join(random: Random, words: list[str], pool: Sequence[str]) -> list[str]:
    at = next((at for at, word in enumerate(words[:-1]) if word.startswith("--") and len(word) > 2 and "=" not in word), None)
    return words if at is None else [*words[:at], f"{words[at]}={words[at + 1]}", *words[at + 2 :]]


def _dash(random: Random, words: list[str], pool: Sequence[str]) -> list[str]:
    return _at_one(random, words, lambda word: word.replace("_", "-") if "_" in word else word[:2] + word[2:].replace("-", "_"))


def _case(random: Random, words: list[str], pool: Sequence[str]) -> list[str]:
    return _at_one(random, words, str.swapcase)


def _at_one(random: Random, words: list[str], change: Callable[[str], str]) -> list[str]:
    if not words:
        return words
    at = random.randrange(len(words))
    return [*words[:at], change(words[at]), *words[at + 1 :]]


_CHANGES: tuple[Change, ...] = (_leave_out, _put_in, _put_in, _again, _mix, _shorten, _split, _join, _dash, _case)
