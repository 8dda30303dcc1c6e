"""Expressions beside Python itself: what the interpreter claims to know is what Python has, type by type; and it does know these."""

from __future__ import annotations

import ast
import collections
import copy
import functools
import itertools
import json
import math
import operator
import os
import re
from collections import OrderedDict
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest

from .following import Unknown, as_python, followed

IMPORTS = """import ast, collections, copy, functools, itertools, json, math, operator, os, re
from collections import OrderedDict
from pathlib import Path
from types import SimpleNamespace
"""
PYTHON = {
    "ast": ast, "collections": collections, "copy": copy, "functools": functools, "itertools": itertools, "json": json, "math": math,
    "operator": operator, "os": os, "re": re, "OrderedDict": OrderedDict, "Path": Path, "SimpleNamespace": SimpleNamespace,
}  # fmt: skip

SCALARS = r"""
len("abc")
len([1, 2, 3])
len({"a": 1})
len({1, 2, 2})
len(())
len(b"ab")
str(3)
str(2.5)
str(1e-05)
str(None)
str(True)
str([1, "a", 2.5])
str({"a": (1,)})
str("x")
str()
str(b"a", "utf-8")
int("12")
int(" 12 ")
int(3.99)
int(True)
int("ff", 16)
int("0x1f", 0)
int()
float("2e-5")
float("inf")
float(3)
float()
bool(0)
bool("")
bool("False")
bool([])
bool([0])
bool({})
bool(None)
bool(0.0)
complex(1, 2)
bytes([1, 2])
bytes(3)
abs(-3)
abs(-2.5)
round(2.5)
round(3.14159, 2)
round(1234, -2)
divmod(17, 5)
pow(2, 10)
pow(2, 10, 7)
ord("a")
chr(97)
hex(255)
oct(8)
bin(5)
repr("a'b")
repr([1, "a"])
ascii("ä")
format(3.14159, ".2f")
format(1000000, ",")
format("a", ">4")
max(3, 1, 2)
max([3, 1, 2])
max("abc")
max([1, -5, 3], key=abs)
min(3, 1.0)
min([], default=4)
max({"a": 1, "b": 2})
max({3, 1})
sum([1, 2, 3])
sum([1, 2], 10)
sum([0.5, 0.25])
sum(range(10))
any([0, 0, 1])
any([])
all([1, "a"])
all([])
all([1, 0])
any(x > 2 for x in [1, 2, 3])
callable(len)
callable(3)
"""

SEQUENCES = r"""
list("abc")
list((1, 2))
list({"a": 1, "b": 2})
list(range(5))
list(range(2, 10, 3))
list(range(5, 0, -2))
tuple([1, 2])
set([1, 2, 1])
frozenset("aa")
list(enumerate(["a", "b"]))
list(enumerate(["a", "b"], 1))
list(enumerate("ab", start=5))
list(zip([1, 2], "ab"))
list(zip([1, 2, 3], "ab"))
list(zip())
dict(zip(["a", "b"], [1, 2]))
sorted([3, 1, 2])
sorted([3, 1, 2], reverse=True)
sorted(["b", "A", "c"], key=str.lower)
sorted({"b": 1, "a": 2})
sorted({3, 1, 2})
sorted({"x": 2, "y": 1}.items(), key=lambda pair: pair[1])
sorted([(1, "b"), (1, "a")])
sorted(["bb", "a"], key=len)
list(reversed([1, 2, 3]))
list(map(str, [1, 2]))
list(map(lambda a, b: a + b, [1, 2], [3, 4]))
list(map(int, "123"))
list(filter(None, [0, 1, "", "a"]))
list(filter(lambda one: one > 1, [1, 2, 3]))
next(iter([1, 2]))
next(iter([]), 7)
next((one for one in [1, 2, 3] if one > 1), None)
[one for one in reversed("abc")]
functools.reduce(lambda a, b: a * b, [1, 2, 3, 4])
functools.reduce(operator.add, [1, 2], 10)
list(itertools.chain([1], [2, 3]))
list(itertools.chain.from_iterable([[1], [2]]))
list(itertools.product([1, 2], "ab"))
list(itertools.islice([1, 2, 3, 4], 2))
list(itertools.islice([1, 2, 3, 4], 1, 3))
list(itertools.repeat(3, 2))
list(itertools.combinations([1, 2, 3], 2))
list(itertools.permutations([1, 2]))
[1, 2, 3].index(2)
[1, 2, 1].count(1)
(1, 2).index(1)
range(5).index(3)
[1, 2].copy()
{1, 2}.union({2, 3})
{1, 2} and sorted({1, 2}.union([3], (4,)))
{1, 2, 3}.intersection([2, 3, 4])
{1, 2, 3}.difference({1})
{1, 2}.symmetric_difference({2, 3})
{1}.issubset({1, 2})
{1, 2}.issuperset([1])
{1}.isdisjoint({2})
{"a": 1}.get("a")
{"a": 1}.get("b")
{"a": 1}.get("b", 5)
{"a": 1, "b": 2}.keys()
{"a": 1, "b": 2}.values()
{"a": 1, "b": 2}.items()
list({"a": 1}.items())
dict(a=1, b=2)
dict({"a": 1}, b=2)
dict([("a", 1), ("b", 2)])
dict.fromkeys(["a", "b"])
dict.fromkeys("ab", 0)
OrderedDict([("a", 1)])
OrderedDict(a=1)["a"]
{"a": 1}.copy()
{**{"a": 1}, "b": 2}.pop("a")
len(range(1000)) if False else 1
"""

TEXT = r"""
"abc".upper()
"ABC".lower()
" a ".strip()
"xxaxx".strip("x")
"a,b,c".split(",")
"a b  c".split()
"a,b,c".split(",", 1)
"a,b,c".rsplit(",", 1)
"a\nb".splitlines()
"-".join(["a", "b"])
",".join(str(one) for one in [1, 2])
"".join(["a"])
"abc".replace("b", "x")
"aaa".replace("a", "b", 2)
"abc".startswith("a")
"abc".startswith(("x", "a"))
"abc".endswith("bc")
"abc".find("c")
"abc".find("z")
"abc".index("b")
"abcb".rfind("b")
"abcabc".count("a")
"abc".title()
"hello world".capitalize()
"aBc".swapcase()
"abc".partition("b")
"a.b.c".rpartition(".")
"12".isdigit()
"ab".isalpha()
"ab1".isalnum()
"a b".isidentifier()
"abc".center(9)
"abc".ljust(5, ".")
"abc".rjust(5)
"7".zfill(3)
"a\tb".expandtabs(4)
"abc".removeprefix("a")
"abc".removesuffix("c")
"abc".casefold()
"{} and {}".format(1, "b")
"{0}-{1}-{0}".format("a", 2)
"{name}: {value:.3f}".format(name="lr", value=0.12345)
"{:>6}|{:<4}|{:^5}".format("a", "b", "c")
"{:,}".format(1234567)
"{:05d}".format(42)
"{!r}".format("a")
"{{}}".format()
"abc".encode()
b"abc".decode()
b"abc".upper()
b"a,b".split(b",")
"abc".translate(str.maketrans("a", "x"))
str.upper("abc")
str.join(",", ["a", "b"])
"ä".encode("utf-8").decode("utf-8")
(5).bit_length()
(2.0).is_integer()
(2.5).is_integer()
(0.5).as_integer_ratio()
(10).to_bytes(2, "big")
int.from_bytes(b"\x01\x00", "big")
float.fromhex("0x1.8p1")
bytes.fromhex("ff")
b"ab".hex()
"meta-llama/Llama-2-7b".split("/")[-1]
"a".join("xyz")
"abc".islower()
"x" in "xyz"
"a-b_c".replace("-", "_").split("_")
"Hello"[1:3].upper()
"{:.2%}".format(0.25)
"{:e}".format(12345.678)
"%s-%s" % ("a", 1)
"a".isspace()
"1.5".replace(".", "", 1).isdigit()
" ".join(sorted("b a".split()))
"\n".join(["a", "b"]).splitlines(True)
"tEst".title().swapcase()
"abc".rindex("c")
"abcabc".strip("ac")
"abc".lstrip("a")
"abc".rstrip("c")
"{a}{b}".format(**{"a": 1, "b": 2})
"{}".format([1, "a"])
"{}".format(Path("a/b"))
str(Path("a") / "b")
f"{Path('a/b')}"
"""

PATHS = r"""
os.path.join("a", "b")
os.path.join("a", "/b")
os.path.join("a/", "b", "c.txt")
os.path.join(Path("a"), "b")
os.path.dirname("a/b/c")
os.path.dirname("a")
os.path.basename("a/b.txt")
os.path.basename("a/")
os.path.split("a/b")
os.path.splitext("a/b.tar.gz")
os.path.splitext("a")[0]
os.path.normpath("a/../b//c/.")
os.path.isabs("/a")
os.path.isabs("a")
os.path.expanduser("a/b")
os.fspath(Path("a"))
os.path.abspath("/a/../b")
os.path.relpath("/a/b", "/a/c")
os.sep
os.sep.join(["a", "b"])
Path("a") / "b"
"a" / Path("b")
Path("a", "b")
Path("a/b.txt").name
Path("a/b.tar.gz").stem
Path("a/b.tar.gz").suffix
Path("a/b.tar.gz").suffixes
Path("a/b").parent
Path("a").parent
Path("a/b/c").parents[1]
Path("/a/b").parts
Path("a/b").as_posix()
Path("a/b").with_suffix(".json")
Path("a/b.txt").with_name("c")
Path("a/b.txt").with_stem("c")
Path("a").joinpath("b", "c")
Path("/a/b").relative_to("/a")
Path("/a").is_absolute()
Path("a/b").is_relative_to("a")
Path("a/../b")
Path("a//b/./c")
Path()
str(Path("a/b").parent.parent)
Path("a/b") == Path("a", "b")
Path("a.txt").match("*.txt")
Path("a").expanduser()
"""

OTHERS = r"""
isinstance(1, int)
isinstance(True, int)
isinstance(1, str)
isinstance("a", (int, str))
isinstance([], list)
isinstance((), (list, tuple))
isinstance({}, dict)
isinstance(None, type(None))
isinstance(1.0, (int, float))
isinstance({}, collections.abc.Mapping)
isinstance([], collections.abc.Sequence)
isinstance("a", collections.abc.Iterable)
isinstance(Path("a"), Path)
isinstance(Path("a"), str)
isinstance("a", os.PathLike)
isinstance(lambda: 1, str)
isinstance({1}, set)
issubclass(bool, int)
issubclass(str, int)
type(1) is int
type("a") == str
type([]) is list
hasattr("a", "upper")
hasattr([], "items")
hasattr({}, "items")
hasattr(SimpleNamespace(a=1), "a")
hasattr(SimpleNamespace(a=1), "b")
getattr(SimpleNamespace(a=1), "a")
getattr(SimpleNamespace(a=1), "b", 3)
getattr("abc", "upper")()
vars(SimpleNamespace(a=1, b=2))
SimpleNamespace(a=1).a
ast.literal_eval("[1, 2, {'a': None}]")
ast.literal_eval("3")
eval("1 + 2")
eval("len('abc')")
json.loads('{"a": [1, 2.5, true, null, "x"]}')
json.loads("3")
json.loads('"a"')
json.dumps({"a": [1, None, True]})
json.dumps({"b": 1, "a": 2}, sort_keys=True, indent=2)
json.loads(json.dumps({"a": (1, 2)}))
math.sqrt(16)
math.ceil(7 / 2)
math.floor(-1.5)
math.log2(8)
math.log(math.e)
math.gcd(12, 18)
math.prod([1, 2, 3])
math.pi
math.inf
math.isclose(0.1 + 0.2, 0.3)
math.pow(2, 3)
math.factorial(5)
math.comb(5, 2)
math.exp(0)
math.isnan(math.nan)
math.trunc(2.7)
math.isqrt(17)
math.fsum([0.1] * 10)
operator.add(1, 2)
operator.itemgetter(1)([1, 2])
operator.itemgetter("a", "b")({"a": 1, "b": 2})
operator.attrgetter("a")(SimpleNamespace(a=1))
operator.mul(3, 4)
functools.partial(max, 3)(1, 2)
functools.partial(int, base=2)("101")
copy.copy([1, 2])
copy.deepcopy({"a": [1]})
collections.namedtuple("P", "a b")(1, b=2).b
re.search(r"(\d+)b", "llama-7b").group(1)
re.match(r"a", "b")
re.match(r"(\w)(\w)", "ab").groups()
re.sub(r"[-.]", "_", "a-b.c")
re.split(r",\s?", "a, b,c")
re.findall(r"\d", "a1b2")
re.fullmatch(r"\d\d", "12") is None
re.compile(r"(?P<x>\d)").search("a1").group("x")
re.compile(r"B", re.I).sub("x", "abc")
re.escape("a.b")
re.match("(?P<n>a)", "a").groupdict()
re.search("b", "abc").start()
re.search("b", "abc").span()
(lambda *args, **kwargs: (args, kwargs))(1, a=2)
max([("a", 1), ("b", 3)], key=operator.itemgetter(1))[0]
{key: value for key, value in dict(a=1).items()}
[*dict(a=1).values()]
int(os.environ.get("NOBODY_SETS_THIS", "7")) if "NOBODY_SETS_THIS" not in {} else 0
sorted(set("hello") - set("l")) if False else sorted(set("hello").difference("l"))
list(dict(sorted({"b": 1, "a": 2}.items())))
sum(len(one) for one in ["a", "bc"])
"_".join(f"{key}={value}" for key, value in {"lr": 2e-5, "bs": 4}.items())
str(round(0.1 + 0.2, 3))
int(float("1e3"))
"a" if bool(json.loads("false")) else "b"
list(map(lambda one: one.strip(), "a, b".split(",")))
"""

REFUSED = r"""
int("a")
int(None)
float("x")
len(3)
max([])
min()
sum(["a"])
next(iter([]))
[1].index(2)
"abc".index("z")
{"a": 1}["b"]
{}.pop("a")
[].pop()
[1].remove(2)
chr(-1)
range(1, 2, 0)
sorted([1, "a"])
"{}{}".format(1)
"a".join([1])
math.sqrt(-1)
json.loads("{")
dict([1])
Path("a").relative_to("b")
Path(3)
os.path.join("a", 3)
bytes.fromhex("x")
divmod(1, 0)
list(3)
zip([1], 3)
"abc".encode("ascii", "nothing") if False else int("")
re.sub("(", "", "a")
getattr(SimpleNamespace(), "a")
{1}.remove(2)
isinstance
{}.popitem()
"""

TOO_LARGE = r"""
"a".ljust(10 ** 9)
"a".center(10 ** 8)
"7".zfill(10 ** 9)
"{:1000000000}".format(1)
"{:>{}}".format(1, 10 ** 9)
format(1, "1000000000")
pow(10, 10 ** 7)
round(5, -10 ** 8)
math.factorial(10 ** 6)
math.comb(10 ** 6, 10 ** 5)
"a".expandtabs(10 ** 9) + "\t".expandtabs(10 ** 9)
("a" * 90000).replace("a", "b" * 90000)
bytes(10 ** 10)
(1).to_bytes(10 ** 9, "big")
list(range(10 ** 12))
("ab" * 1000).join(["x"] * 900)
re.match("(a+)+$", "a" * 30 + "b")
re.match("(a|a)*$", "a" * 30 + "b")
re.match(r"(.*)(.*)(.*)(.*)(.*)x", "a" * 300)
ast.literal_eval("[" * 4000 + "]" * 4000)
list(itertools.product(range(200), range(200), range(200)))
"{0.__class__}".format(1)
"""


def lines(text: str) -> list[str]:
    return [one for one in text.splitlines() if one]


def same(one: object, other: object) -> bool:
    """Equal, and of the same type all the way down; floats bit by bit, dicts in the same order."""
    if isinstance(other, PurePosixPath):
        return isinstance(one, PurePosixPath) and str(one) == str(other)
    if isinstance(one, float) and isinstance(other, float):
        return repr(one) == repr(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return all(map(same, one.items(), other.items())) and len(one) == len(other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def python_has(text: str) -> object:
    """Python's own answer; what can be gone over once, and views, as lists."""
    found = eval(text, dict(PYTHON))
    if isinstance(found, OrderedDict):
        return dict(found)
    listed = {"dict_keys", "dict_values", "dict_items", "zip", "map", "range"}
    return list(found) if type(found).__name__ in listed else found


@pytest.mark.parametrize("text", lines(SCALARS) + lines(SEQUENCES) + lines(TEXT) + lines(PATHS) + lines(OTHERS))
def test_known_and_what_python_has(text: str) -> None:
    seen = followed(f"{IMPORTS}found = {text}\n")
    assert seen.stopped == "", text
    found, wanted = as_python(seen["found"]), python_has(text)
    assert same(found, wanted), f"{found!r} is not {wanted!r}"


@pytest.mark.parametrize("text", lines(REFUSED))
def test_what_python_refuses_is_not_known(text: str) -> None:
    seen = followed(f"{IMPORTS}found = {text}\n")
    try:
        python_has(text)
    except Exception:
        assert seen.stopped or not seen.names.get("found") or not is_known(seen["found"]), text


def is_known(value: object) -> bool:
    try:
        as_python(value)  # type: ignore[arg-type]
    except Unknown:
        return False
    return True


@pytest.mark.parametrize("text", lines(TOO_LARGE))
def test_what_is_too_large_is_not_worked_out(text: str) -> None:
    seen = followed(f"{IMPORTS}found = {text}\nafter = 1\n")
    assert seen.stopped == "" and not is_known(seen["found"]), text


def test_the_tables_are_long_enough() -> None:
    assert sum(len(lines(one)) for one in (SCALARS, SEQUENCES, TEXT, PATHS, OTHERS, REFUSED, TOO_LARGE)) >= 300
