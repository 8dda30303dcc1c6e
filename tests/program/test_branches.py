"""Conditions, narrowing and `match`, beside Python."""

from __future__ import annotations

import pytest
from beside import unknown, wrong

EXACT = {
    "both ways are a choice": "if p:\n    x = 1\nelse:\n    x = 2\nsink(x=x)",
    "one way only": "x = 1\nif p:\n    x = 2\nsink(x=x)",
    "inside a branch a choice is narrowed": 'x = "a" if p else "b"\nif x == "a":\n    y = 1\n    sink(inside=x)\nelse:\n    y = 2\n    sink(inside=x)\nsink(y=y)',
    "narrowed twice": 'x = "a" if p else "b" if q else "c"\nif x != "a":\n    if x != "b":\n        sink(x=x)',
    "narrowed by not": "x = None if p else 3\nif not x:\n    x = 5\nsink(x=x)",
    "narrowed by is": "x = None if p else 3\nif x is None:\n    x = 5\nsink(x=x)",
    "narrowed by in": 'x = "a" if p else "b" if q else "c"\nif x in ("a", "b"):\n    sink(x=x)',
    "narrowed by and": "x = 1 if p else 5\nif q and x > 3:\n    sink(x=x)",
    "narrowed by isinstance": 'x = 1 if p else "s"\nif isinstance(x, str):\n    sink(x=x)',
    "after an assert": "x = 1 if p else 2\nassert x == 1\nsink(x=x)",
    "after a refusal": "x = 1 if p else 2\nif x == 2:\n    raise ValueError\nsink(x=x)",
    "a helper that changes what is asked": "x = 1 if p else 2\ndef f():\n    global x\n    x = 5\n    return True\nif f() and q:\n    sink(x=x)\nsink(y=x)",
    "a walrus in the test changes what is asked": "x = 1 if p else 2\nif (x := 3) == 3 and q:\n    sink(x=x)\nsink(y=x)",
    "elif": "if p:\n    x = 1\nelif q:\n    x = 2\nelse:\n    x = 3\nsink(x=x)",
    "a known test takes one way": 'x = 0\nif 1 > 2:\n    x = 1\nelif "a" in "abc":\n    x = 2\nsink(x=x)',
    "defined on both ways": "if p:\n    def f():\n        return 1\nelse:\n    f = lambda: 2\nsink(x=f())",
    "keys on one way": 'd = {"x": 1}\nif p:\n    d["y"] = 2\nsink(**d)',
    "the same on both ways": "if p:\n    x = [1, 2]\n    y = 7\nelse:\n    x = [1, 2]\n    y = 7\nsink(x=x, y=y)",
    "or of a choice": "x = None if p else 3\ny = x or 9\nsink(y=y)",
    "if in if": "x = 0\nif p:\n    x = 1\n    if q:\n        x = 2\nelse:\n    if q:\n        x = 3\nsink(x=x)",
    "return in a branch": "def f():\n    if p:\n        return 1\n    x = 2\n    if q:\n        return x\n    return 3\nsink(x=f())",
    "a sink in a branch": "if p:\n    sink(x=1)\nelse:\n    sink(x=2)",
    "a way that dies leaves the other certain": "if p:\n    sink(x=1)\nelse:\n    raise SystemExit\nsink(y=2)",
    "effects of the test are kept": "log = []\ndef f():\n    log.append(1)\n    return p\nif f():\n    log.append(2)\nelse:\n    log.append(3)\nsink(log=log)",
    "conditional expression with effects": "log = []\ndef f(x):\n    log.append(x)\n    return x\ny = f(1) if p else f(2)\nsink(y=y, log=log)",
    "match on a text": 'x = "lora" if p else "full"\nmatch x:\n    case "lora":\n        y = 1\n    case "full":\n        y = 2\n    case _:\n        y = 3\nsink(y=y)',
    "match on a known text": 'match "full":\n    case "lora" | "qlora":\n        y = 1\n    case "full":\n        y = 2\n    case _:\n        y = 3\nsink(y=y)',
    "match with a guard": "x = 5\nmatch x:\n    case n if n > 9:\n        y = 1\n    case n if n > 3:\n        y = n\n    case _:\n        y = 0\nsink(y=y)",
    "match of a sequence": 'match ["a", 1, 2]:\n    case ["b", *rest]:\n        y = 0\n    case ["a", *rest]:\n        y = rest\nsink(y=y)',
    "match of a pair": 'match (1, "x"):\n    case (2, v):\n        y = 0\n    case (1, v):\n        y = v\nsink(y=y)',
    "match of a mapping": 'match {"kind": "lora", "r": 8}:\n    case {"kind": "full"}:\n        y = 0\n    case {"kind": "lora", "r": r, **rest}:\n        y = r\nsink(y=y, rest=rest)',
    "match of a class": "class A:\n    def __init__(self, x):\n        self.x = x\nclass B(A):\n    pass\nmatch B(3):\n    case A(x=5):\n        y = 0\n    case B(x=v):\n        y = v\nsink(y=y)",
    "match of Python's classes": 'match 3:\n    case str():\n        y = "s"\n    case int(n):\n        y = n\nsink(y=y)',
    "match with as": 'match ("x", 2):\n    case ("x", (1 | 2) as n) as whole:\n        y = (n, whole)\nsink(y=y)',
    "match of None": "match None:\n    case None:\n        y = 1\n    case _:\n        y = 2\nsink(y=y)",
    "no case matches": "y = 0\nmatch 5:\n    case 6:\n        y = 1\nsink(y=y)",
    "match of an enum": "from enum import Enum\nclass E(Enum):\n    A = 1\n    B = 2\nmatch E.B:\n    case E.A:\n        y = 1\n    case E.B:\n        y = 2\nsink(y=y)",
    "if main": 'if __name__ == "__main__":\n    x = 1\nelse:\n    x = 2\nsink(x=x)',
    "TYPE_CHECKING": "from typing import TYPE_CHECKING\nx = 1\nif TYPE_CHECKING:\n    x = 2\nsink(x=x)",
    "a flag of two": 'bf16 = p\nfp16 = not bf16\nx = "bf16" if bf16 else "fp16"\nsink(x=x)',
    "two questions of one flag": 'x = 1 if p else 2\ny = "a" if x == 1 else "b"\nsink(y=y)',
}
SOUND = {
    "and, or of nobody": "x = p and 1\ny = q or 2\nsink(y=y if not q else 3)",
    "lists made on both ways": "if p:\n    a = [1]\nelse:\n    a = [2]\na.append(3)\nsink(a=a)",
    "correlated": "x = 1 if p else 2\ny = 10 if p else 20\nsink(x=x + y)",
    "correlated test": "a = [] if p else None\nif a is not None:\n    a.append(1)\nsink(a=a)",
    "match on nobody": "match many:\n    case []:\n        y = 0\n    case [x]:\n        y = x\n    case [x, *rest]:\n        y = len(rest)\nsink(y=y)",
    "match of nobody with a guard": "y = 0\nmatch len(many):\n    case n if n > 2:\n        y = 1\n    case n if p:\n        y = 2\n    case _:\n        y = 3\nsink(y=y)",
    "match of a mapping of several": 'd = {"a": 1}\nif p:\n    d["b"] = 2\nmatch d:\n    case {"b": v}:\n        y = v\n    case {"a": v}:\n        y = v\nsink(y=y)',
    "a capture that does not match binds perhaps": "n = 0\nmatch (len(many), 5):\n    case (1, n):\n        pass\n    case _:\n        pass\nsink(n=n)",
    "a property that changes in the test": "class A:\n    n = 0\n    @property\n    def next(self):\n        self.n += 1\n        return self.n\na = A()\nx = a if p else A()\nif x.next == 1:\n    sink(n=a.n)\nsink(m=a.n)",
    "deep forks": "x = 0\nif p:\n    x += 1\nif q:\n    x += 2\nif r:\n    x += 4\nsink(x=x)",
    "a list is grown on one way": "a = [1]\nif p:\n    a.append(2)\na.append(3)\nsink(a=a, n=len(a), last=a[-1], first=a[0])",
    "items of a list that is grown on one way": 'a = []\nif p:\n    a.append("x")\nif q:\n    a.append("y")\nout = []\nfor one in a:\n    out.append(one)\nsink(out=out)',
    "one of two lists is popped": "a, b = [1, 2], [3]\nc = a if p else b\nc.pop()\nsink(a=a, b=b)",
    "dict is replaced on one way": 'd = {"x": 1}\ne = d\nif p:\n    d = {"x": 2}\nd["x"] += 1\nsink(e=e, d=d)',
    "narrowing an outer name": "x = 1 if p else 2\ndef f():\n    if x == 1:\n        return x\n    return 0\nsink(y=f())",
    "and with effects": "log = []\ndef f(x, v):\n    log.append(x)\n    return v\nif f(1, p) and f(2, q):\n    log.append(3)\nsink(n=len(log))",
    "error in one arm of an expression": 'd = {}\ntry:\n    x = d["a"] if p else 2\nexcept KeyError:\n    x = 3\nsink(x=x)',
    "or with an error": "def f():\n    raise ValueError\ntry:\n    x = p or f()\n    y = 1\nexcept ValueError:\n    y = 2\nsink(y=y)",
}


@pytest.mark.parametrize("name", [*EXACT, *SOUND])
def test_what_is_claimed_is_so(name: str) -> None:
    assert wrong({**EXACT, **SOUND}[name]) == []


@pytest.mark.parametrize("name", EXACT)
def test_what_can_be_known_is_known(name: str) -> None:
    assert unknown(EXACT[name]) == []
