"""Hostile programs: each is followed to its end or to a bound that is counted, whatever it nests, repeats, grows or holds of itself."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable

import pytest

from budgetlint.program.follow import Followed, follow
from budgetlint.program.modules import Trees
from budgetlint.program.state import STEPS
from tests.program.beside import files_of

_PRELUDE = "from transformers import TrainingArguments as sink\nfrom outside import many, p, q, r, f\n"
_DEEP_CALLER = 200
_MOST_MEMORY = 200_000_000

PROGRAMS = {
    "dict10k": "d = {" + ", ".join(f'"k{i}": {i}' for i in range(10000)) + '}\nsink(x=d["k77"])',
    "elif10k": "if many == 0:\n    x = 0\n" + "\n".join(f"elif many == {i}:\n    x = {i}" for i in range(10000)) + "\nsink(x=x)",
    "elif200": "if many == 0:\n    x = 0\n" + "\n".join(f"elif many == {i}:\n    x = {i}" for i in range(200)) + "\nsink(x=x)",
    "parens": "x = " + "(" * 5000 + "1" + ")" * 5000,
    "parens150": "x = " + "(1 + " * 150 + "1" + ")" * 150 + "\nsink(x=x)",
    "plus5000": "x = " + " + ".join(["1"] * 5000) + "\nsink(x=x)",
    "attr5000": "x = many" + ".a" * 5000 + "\nsink(x=x)",
    "call5000": "x = many" + ".a()" * 5000 + "\nsink(x=x)",
    "not5000": "x = " + "not " * 5000 + "p\nsink(x=x)",
    "and5000": "x = " + " and ".join(["many"] * 5000) + "\nsink(x=x)",
    "and5000f": "x = " + " and ".join(f"f({i})" for i in range(5000)) + "\nsink(x=x)",
    "cmp5000": "x = " + " < ".join(["many"] * 5000) + "\nsink(x=x)",
    "lambda": "x = " + "lambda: " * 3000 + "1\nsink(x=x)",
    "listnest": "x = " + "[" * 150 + "]" * 150 + "\ny=[x,x]\nz=x==x\nsink(x=x)",
    "fork2n": "x = 0\n" + "\n".join(f"if f({i}):\n    x += {2**i}" for i in range(400)) + "\nsink(x=x)",
    "forkin": "".join("  " * i + f"if f({i}):\n" for i in range(90)) + "  " * 90 + "x = 1\nsink(x=1)",
    "forkboth": "def g0(): return 1\n"
    + "\n".join(f"def g{i}():\n    if f({i}):\n        return g{i - 1}()\n    else:\n        return g{i - 1}()" for i in range(1, 40))
    + "\nsink(x=g39())",
    "while": "a=[]\nwhile True:\n    a.append(a)\n    a = a + a\n",
    "while2": 'a="x"\nwhile True:\n    a = a + a\n',
    "while3": "n=2\nwhile n > 0:\n    n = n ** n\nsink(n=n)",
    "while4": "a=[0]\nfor x in a:\n    a.append(x+1)\nsink(a=a)",
    "mul": 'a=[1]*10**9\nb="x"*10**10\nc=(1<<10**9)\nd=10**10**10\ne=f"{1:1000000000}"\ng="%1000000000d" % 1\n'
    'h="{:>1000000000}".format(1)\nj=b"x".zfill(10**9)\nk="x".center(10**9)\nl=list(range(10**9))\n'
    "m=bytes(10**9)\nsink(a=1)",
    "self": 'a=[]\na.append(a)\nd={"a":a}\nd["d"]=d\nclass A: pass\no=A()\no.o=o\no.d=d\na.append(o)\nb=[]\n'
    "b.append(b)\nz = a == b\nf(a, d, o)\nsink(a=a, d=d, o=o)\nif a == a: sink(b=b)\nt=(a,)\n"
    "a.append(t)\nt2=(b,)\nb.append(t2)\nif p: u = t\nelse: u = t2\n"
    "sink(u=u, s=str(a), r=repr(d), h=sorted([a]) )\nimport copy\nsink(c=copy.deepcopy(d))\n"
    "import json\nsink(j=json.dumps(d))",
    "tuples": "a=(1,)\nfor i in range(60):\n    a=(a,a)\nif p: b=a\nelse: b=(a,a)\nsink(a=a,b=b)\nx = a == b\nd={a:1}\nsink(n=str(a))",
    "tuples2": "def g():\n    a=(1,)\n    for i in range(60):\n        a=(a,a)\n    return a\na=g()\nb=g()\n"
    "x = b if p else a\nsink(a=x, b=[a==b])\nd={a:1,b:2}\nf(a,b)",
    "lists2": "a=[1]\nfor i in range(60):\n    a=[a,a]\nb=[1]\nfor i in range(60):\n    b=[b,b]\nz = a==b\n"
    "sink(a=a,z=z)\nf(a)\nprint(a in b, a < b, str(a), len(str(b)))\nimport copy\nc=copy.deepcopy(a)\n"
    "sink(c=c)",
    "recur": "def g(n):\n    return g(n+1)\nsink(x=g(0))",
    "recur2": "def g(n):\n    return g(n+1) + g(n+2) + g(n+3)\nsink(x=g(0))",
    "recur3": "g = lambda x: x(x)\nsink(y=g(g))",
    "recur4": 'class A:\n    def __getattr__(self, n):\n        return getattr(self, n + "x")\nsink(x=A().y)',
    "recur5": "class A:\n    @property\n    def x(self):\n        return self.x\nsink(x=A().x)",
    "recur6": "class A:\n    def __eq__(self, o):\n        return self == o\nsink(x=A()==A())",
    "recur7": "class A:\n    def __iter__(self):\n        return iter(self)\nsink(x=list(A()), y=[a for a in A()])",
    "recur8": "class A:\n    def __bool__(self):\n        return bool(self)\nsink(x=1 if A() else 2)",
    "recur9": "class A:\n    def __init__(self):\n        self.a = A()\nsink(x=A())",
    "recur10": "def g():\n    yield from g()\nsink(x=list(g()))",
    "recur11": "class A:\n    def __str__(self):\n        return str(self)\n"
    "    def __len__(self): return len(self)\n    def __enter__(self):\n"
    "        with self as x: return x\nsink(x=str(A()), n=len(A()))\nwith A() as z: pass",
    "recur12": "class A:\n    def __setattr__(self, k, v):\n        self.x = v\nA().y = 1\nsink(x=1)",
    "recur13": "import functools\ng = lambda f: functools.partial(f, f)\nh=g(g)\n"
    "for i in range(50): h = functools.partial(h, h)\nsink(x=h())",
    "recur14": "def d(f):\n    @d\n    def g(): pass\n    return g\n@d\ndef x(): pass\nsink(x=1)",
    "classes": "\n".join(
        ["class A0: pass"] + [f"class A{i}(A{i - 1}):\n    def f(self):\n        return super().f()" for i in range(1, 500)]
    )
    + "\nsink(x=A499().f())",
    "diamond": "class A0: pass\nclass B0: pass\n"
    + "\n".join(f"class A{i}(A{i - 1}, B{i - 1}): pass\nclass B{i}(A{i - 1}, B{i - 1}): pass" for i in range(1, 60))
    + "\nsink(x=A59())",
    "manyfields": "from dataclasses import dataclass\n@dataclass\nclass A:\n"
    + "\n".join(f"    x{i}: int = {i}" for i in range(800))
    + "\nfor i in range(20):\n    a = A()\nsink(x=a.x7)",
    "nestloops": "".join("    " * i + f"for x{i} in many:\n" for i in range(18)) + "    " * 18 + "n = [1]\nsink(x=1)",
    "nestloopsk": "n = 0\n" + "".join("    " * i + f"for x{i} in range(60):\n" for i in range(6)) + "    " * 6 + "n += 1\nsink(n=n)",
    "nesttry": "".join(" " * i + "try:\n" for i in range(18))
    + " " * 18
    + "f()\n"
    + "".join(" " * i + "except Exception:\n" + " " * (i + 1) + "x = 1\n" for i in reversed(range(18)))
    + "sink(x=1)",
    "nesttry2": "def g0(): \n    many[0]\n"
    + "\n".join(
        f"def g{i}():\n    try:\n        g{i - 1}()\n    except KeyError:\n        g{i - 1}()\n    finally:\n        g{i - 1}()"
        for i in range(1, 30)
    )
    + "\ng29()\nsink(x=1)",
    "tryseq": "x = 0\ntry:\n" + "\n".join(f"    x{i} = many[{i}]" for i in range(1000)) + "\nexcept Exception:\n    pass\nsink(x=1)",
    "tryseq2": "x = 0\n" + "\n".join(f"try:\n    x{i} = many[{i}]\nexcept Exception:\n    x{i} = 1" for i in range(2000)) + "\nsink(x=1)",
    "compnest": "x = [" + "1 " + " ".join(f"for x{i} in range(50)" for i in range(8)) + "]\nsink(x=x)",
    "compnest2": "x = " + "[" * 60 + "1" + " for x in many]" * 60 + "\nsink(x=x)",
    "fstr": 'x = f"{many}' + "{p}" * 5000 + '"\nsink(x=x)',
    "literal": "x = " + repr([[i, {"a": i}] for i in range(4000)]) + "\nsink(x=x)\nfor i in range(50): sink(x=x)",
    "frozen": 'x = [{"a": [i]} for i in range(900)]\nfor i in range(60):\n    for j in range(60):\n        sink(x=x)',
    "bigint": "x = " + "9" * 5000 + "\nsink(x=x)",
    "bigint2": "x = 0x" + "f" * 500000 + '\ny = str(x)\nsink(x=f"{x}")',
    "choices": "x = "
    + " or ".join(f"f({i})" for i in range(300))
    + "\nd = {}\n"
    + "\n".join(f"d[many[{i}]] = x" for i in range(300))
    + "\nsink(x=d)",
    "matchmany": "match f():\n" + "\n".join(f"    case {i}:\n        x = {i}" for i in range(5000)) + "\nsink(x=1)",
    "matchnest": "match f():\n    case " + "[" * 80 + "x" + "]" * 80 + ":\n        pass\nsink(x=1)",
    "matchchoice": "x = [1 if p else 2]*100\nmatch x:\n    case [" + ", ".join(f"a{i}" for i in range(100)) + "]:\n        pass\nsink(x=1)",
    "kwargs": 'def g(**k):\n    return g2(**k, a=1)\ndef g2(**k):\n    k["x"] = k\n    return g(**k)\ng()\nsink(x=1)',
    "objgrow": "class N:\n    pass\nn = N()\nfor i in range(64):\n    for j in range(64):\n        m = N()\n"
    "        m.next = n\n        n = m\nf(n)\nsink(n=n)",
    "setattrs": "class A: pass\na = A()\nfor i in range(60):\n    for j in range(60):\n"
    '        setattr(a, f"x{i}_{j}", 1)\nif p: a.y = 1\nfor k in many:\n    a.z = vars(a)\nf(a)\n'
    "sink(**vars(a))",
    "with500": "".join(" " * i + f"with f() as a{i}:\n" for i in range(90)) + " " * 90 + "x = 1\nsink(x=x)",
    "withitems": "with " + ", ".join(f"f() as a{i}" for i in range(1000)) + ":\n    x = 1\nsink(x=x)",
    "deco": "\n".join("@f" for _ in range(3000)) + "\ndef g(): pass\nsink(x=1)",
    "gens": "def g0():\n    yield 1\n"
    + "\n".join(f"def g{i}():\n    for x in g{i - 1}():\n        yield x\n    for x in g{i - 1}():\n        yield x" for i in range(1, 25))
    + "\nsink(x=list(g24()))",
    "unpack": "a = [1]\n" + "\n".join("a = [*a, *a]" for i in range(40)) + "\nsink(x=len(a))",
    "strings": 'a = "x"\nfor i in range(40):\n    a = f"{a}{a}"\nb = ["x"]*900\nc = a.join(b)\nd = a.replace("x", a)\nsink(x=len(d))',
    "null": "x = 1\x00\n",
    "surrogate": 'x = "\\ud800"\nsink(x=x)',
    "tabs": "if p:\n\tx=1\n        y=2\n",
    "empty": "",
    "await": "x = await f()\nreturn 5\nyield 3\n",
    "dots": "from " + "." * 5000 + " import x\nimport " + ".".join(["a"] * 500) + "\nsink(x=1)",
    "del": "del x\ndel many.x\ndel many[0], p\nsink(x=1)",
    "nonlocal": "def g():\n    nonlocal zz\n    zz = 1\ng()\nglobal y\ny=1\nsink(y=y)",
    "slice": "x=[1,2][::0]\n",
    "slice2": 'x="abc"[::0]\ny=many[1:2:0]\nsink(x=1)',
    "argsgrow": "def g(*a):\n    return g(*a, *a)\ng(1)\ndef h(*a, **k):\n    return h(*a, *a, **k)\nh(1)\nsink(x=1)",
    "sumgrow": "a=[1]\nfor i in range(50):\n    a = a + a\n    b = (*a, *a)\nsink(n=1)",
    "zipgrow": "import itertools\na=[1]\nfor i in range(50):\n    a = list(itertools.chain(a, a))\n"
    "for i in range(50):\n    a = [x for y in (a, a) for x in y]\nfor i in range(50):\n    a.extend(a)\n"
    "sink(n=1)",
    "enum": "from enum import Enum\nclass E(Enum):\n" + "\n".join(f"    A{i} = {i}" for i in range(3000)) + "\nsink(x=E(5).name)",
}


SLOW_LITERAL = pytest.param("literal", marks=pytest.mark.slow)


def _from(depth: int, run: Callable[[], Followed]) -> Followed:
    return run() if depth == 0 else _from(depth - 1, run)


def _followed(text: str) -> Followed:
    return follow(Trees(files_of({"train.py": _PRELUDE + text})), "train.py")


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_ends(name: str) -> None:
    """From a caller that is deep in its own calls, and without Python's own limit being what ends it."""
    now = sys.getrecursionlimit()
    got = _from(_DEEP_CALLER, lambda: _followed(PROGRAMS[name]))
    assert got.steps <= STEPS + 1
    assert sys.getrecursionlimit() == now


def test_what_is_too_long_says_so() -> None:
    assert _followed("\n".join(f"if many == {i}:\n    x = {i}" for i in range(STEPS // 4))).stopped.startswith("the program is too long")
    assert _followed("x = " + "(1 + " * 190 + "1" + ")" * 190).stopped == "the program is nested too deep to follow"


def test_what_was_met_before_a_bound_is_kept() -> None:
    got = _followed("sink(x=1)\n" + "x = " + "(1 + " * 190 + "1" + ")" * 190 + "\nsink(x=2)")
    assert [one.line for one in got.sinks] == [3]


def test_a_caller_that_is_too_deep_gets_an_answer() -> None:
    depth = sys.getrecursionlimit() - 150
    assert _from(depth, lambda: _followed("x = " + "(1 + " * 100 + "1" + ")" * 100)).stopped == "the program is nested too deep to follow"


@pytest.mark.parametrize(
    "name", ["mul", "unpack", "strings", "lists2", "tuples", pytest.param("literal", marks=pytest.mark.slow), "frozen"]
)
def test_memory(name: str) -> None:
    tracemalloc.start()
    try:
        _followed(PROGRAMS[name])
        assert tracemalloc.get_traced_memory()[1] < _MOST_MEMORY
    finally:
        tracemalloc.stop()
