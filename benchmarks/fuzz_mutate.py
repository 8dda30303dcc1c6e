"""Mutations that know what a config is made of: bytes, words, lines, blocks, indentation, and pieces of other seeds."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from fuzz_seeds import WORDS

LARGEST = 4096
"""Bytes of a case: nearly every mistake that a large file shows, a small one shows faster."""

_WORDS = tuple(word.encode("utf-8", "surrogatepass") for word in WORDS)

Mutation = Callable[[bytes, Random, tuple[bytes, ...]], bytes]


def mutated(data: bytes, random: Random, others: tuple[bytes, ...], largest: int = LARGEST) -> bytes:
    """``data`` after one to six mutations; ``others`` are what pieces are taken from."""
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        data = random.choice(MUTATIONS)(data, random, others)
    return data[:largest]


def grown(data: bytes, random: Random, size: int) -> bytes:
    """``data`` with one of its pieces (a line, some lines, a few bytes) over and over, numbered or not, up to a size."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    piece = b"\n".join(lines[at : at + random.choice((1, 1, 2, 5, len(lines)))])
    piece += random.choice((b"\n", b"\n", b"\n", b" ", b"", b"\n---\n"))
    times = max(1, (size - len(data)) // max(1, len(piece) + 4))
    before, after = b"\n".join(lines[: at + 1]) + b"\n", b"\n".join(lines[at + 1 :])
    if random.random() < 0.5:  # the digits of it count: names that are all different
        key = piece.strip(b"\n") or b"k"
        many = b"\n".join(re.sub(rb"\w+", rb"\g<0>%d" % number, key, count=1) for number in range(times))
    else:
        many = piece * times
    return (before + many + b"\n" + after)[:size]


def _at(data: bytes, random: Random) -> int:
    return random.randint(0, len(data))


def _flip(data: bytes, random: Random, _others: tuple[bytes, ...]) -> bytes:
    at = _at(data, random)
    return data[:at] + bytes((random.randrange(256),)) + data[at + 1 :]


def _cut(data: bytes, random: Random, _others: tuple[bytes, ...]) -> bytes:
    at = _at(data, random)
    return data[:at] + data[at + random.choice((1, 1, 2, 5, 40)) :]


def _word(data: bytes, random: Random, _others: tuple[bytes, ...]) -> bytes:
    at = _at(data, random)
    return data[:at] + random.choice(_WORDS) * random.choice((1, 1, 1, 2, 30)) + data[at + random.choice((0, 0, 1, 4)) :]


def _repeat(data: bytes, random: Random, _others: tuple[bytes, ...]) -> bytes:
    at = _at(data, random)
    piece = data[at : at + random.choice((1, 2, 8, 60))]
    return data[:at] + piece * random.choice((2, 3, 50)) + data[at:]


def _splice(data: bytes, random: Random, others: tuple[bytes, ...]) -> bytes:
    other = random.choice(others)
    start = _at(other, random)
    at = _at(data, random)
    return data[:at] + other[start : start + random.choice((5, 40, 400))] + data[at:]


def _lines(data: bytes, random: Random, _others: tuple[bytes, ...]) -> bytes:
    """Move, copy, drop or join a line."""
    lines = data.split(b"\n")
    one, two = random.randrange(len(lines)), random.randrange(len(lines))
    what = random.randrange(4)
    if what == 0:
        lines[one], lines[two] = lines[two], lines[one]
    elif what == 1:
        lines.insert(two, lines[one])
    elif what == 2:
        del lines[one]
    else:
        lines[one] += lines.pop(two) if one < two else b" "
    return b"\n".join(lines)


def _indent(data: bytes, random: Random, _others: tuple[bytes, ...]) -> bytes:
    """Move a block of lines to the right or left."""
    lines = data.split(b"\n")
    first = random.randrange(len(lines))
    by = random.choice((b" ", b"  ", b"\t", b"- ", b"a: ", b""))
    for at in range(first, min(len(lines), first + random.choice((1, 3, 99)))):
        lines[at] = by + lines[at] if by else lines[at][1:]
    return b"\n".join(lines)


def _digits(data: bytes, random: Random, _others: tuple[bytes, ...]) -> bytes:
    """Another number where one stands."""
    found = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    if not found:
        return data
    at = random.choice(found)
    other = random.choice((b"0", b"-1", b"1", b"9" * 25, b"1e308", b"1e-9", b"0.5", b"65537", b"_", b"\xd9\xa3"))
    return data[:at] + other + data[at + 1 :]


MUTATIONS: tuple[Mutation, ...] = (_flip, _cut, _word, _word, _repeat, _splice, _lines, _indent, _digits, _digits)
