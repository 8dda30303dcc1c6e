"""Loops, beside Python."""

from __future__ import annotations

import pytest
from beside import unknown, wrong

EXACT = {
    "over a list": 'out = []\nfor i, x in enumerate(["a", "b"]):\n    out.append((i, x))\nsink(out=out)',
    "break": "for x in [1, 2, 3]:\n    if x == 2:\n        break\nsink(x=x)",
    "else after break": "for x in [1, 2]:\n    if x == 2:\n        y = 1\n        break\nelse:\n    y = 2\nsink(y=y)",
    "else without break": "for x in [1, 2]:\n    pass\nelse:\n    y = 2\nsink(y=y)",
    "continue": "out = []\nfor x in range(5):\n    if x % 2:\n        continue\n    out.append(x)\nsink(out=out)",
    "nested with break": "out = []\nfor x in range(3):\n    for y in range(3):\n        if y == 2:\n            break\n        out.append(x * y)\nsink(out=out)",
    "over a dict": 'out = []\nfor k, v in {"a": 1, "b": 2}.items():\n    out.append(k * v)\nfor k in {"a": 1}:\n    out.append(k)\nsink(out=out)',
    "zip": 'out = {}\nfor k, v in zip(["a", "b"], [1, 2]):\n    out[k] = v\nsink(out=out)',
    "while": "n, out = 8, []\nwhile n > 1:\n    out.append(n)\n    n //= 2\nsink(n=n, out=out)",
    "while with break and else": "n = 0\nwhile n < 5:\n    n += 1\n    if n == 3:\n        break\nelse:\n    n = 100\nsink(n=n)",
    "while else": "n = 0\nwhile n < 2:\n    n += 1\nelse:\n    n = 100\nsink(n=n)",
    "while True": "n = 0\nwhile True:\n    n += 1\n    if n > 3:\n        break\nsink(n=n)",
    "the target stays": "for x in range(3):\n    pass\nsink(x=x)",
    "an empty loop binds nothing": "x = 7\nfor x in []:\n    pass\nsink(x=x)",
    "the list that is gone over is replaced": "a = [1, 2]\nout = []\nfor x in a:\n    a = [9]\n    out.append(x)\nsink(out=out, a=a)",
    "a target that is an attribute": "class A: pass\na = A()\nfor a.x in [1, 2]:\n    pass\nsink(x=a.x)",
    "a target that is unpacked": "out = []\nfor (a, b), c in [((1, 2), 3)]:\n    out += [a, b, c]\nsink(out=out)",
    "return from within": "def f():\n    for x in [1, 2, 3]:\n        for y in [4, 5]:\n            if x * y == 10:\n                return (x, y)\nsink(r=f())",
    "functions by a table": "out = []\nfor f in (str, lambda x: x * 2):\n    out.append(f(3))\nsink(out=out)",
    "setattr in a loop": 'class A: pass\na = A()\nfor k, v in {"x": 1, "y": 2}.items():\n    setattr(a, k, v)\nsink(x=a.x, y=a.y)',
    "a condition in the loop": "out = []\nfor x in [1, 2]:\n    out.append(x if p else -x)\nsink(out=out)",
    "a sink in a loop": "for x in [1, 2]:\n    sink(x=x)",
    "a break on a condition, the rest is known": "y = 0\nfor x in [1]:\n    if p:\n        y = 1\n        break\n    y = 2\nelse:\n    y = 3\nsink(y=y)",
    "the same in every round": "for x in many:\n    y = 5\ny = 5\nsink(y=y)",
    "nothing of it is touched": "a = 3\nfor x in many:\n    b = x\nsink(a=a)",
    "set in a loop of nobody": "x = 1\nfor _ in many:\n    x = 2\nsink(x=x)",
}
SOUND = {
    "counted": "n = 0\nfor x in many:\n    n += 1\nsink(n=n)",
    "appended": "a = []\nfor x in many:\n    a.append(x)\nsink(a=a)",
    "handed on": "a, b, c = 1, 2, 3\nfor x in many:\n    a, b, c = b, c, a\nsink(a=a, b=b, c=c)",
    "a chain of hand overs": "a = b = c = d = e = 0\nfor x in many:\n    e = d\n    d = c\n    c = b\n    b = a\n    a = 1\nsink(e=e, d=d, c=c, b=b)",
    "the last one": "x = 0\nfor x in many:\n    pass\nsink(x=x)",
    "break on a condition": "n = 0\nfor i in [1, 2, 3]:\n    n = i\n    if p:\n        break\nsink(n=n, i=i)",
    "continue on a condition": "n = 0\nfor i in [1, 2, 3]:\n    if p:\n        continue\n    n += i\nsink(n=n)",
    "while of nobody": "n = 0\nwhile n < len(many):\n    n += 1\nsink(n=n)",
    "while True with a condition": "n = 0\nwhile True:\n    n += 1\n    if n > 2 or p:\n        break\nsink(n=n)",
    "nested of nobody": "n = 0\nfor x in many:\n    for y in many:\n        n += 1\n    m = n\nsink(n=n)",
    "an object in a loop": "class A:\n    n = 0\na = A()\nfor x in many:\n    a.n = a.n + 1\nsink(n=a.n)",
    "a dict in a loop": 'd = {}\nfor x in many:\n    d[x] = 1\n    d["last"] = x\nsink(d=d)',
    "a first time flag": "first = True\nn = 0\nfor x in many:\n    if first:\n        first = False\n        n = 1\n    else:\n        n = 2\nsink(n=n, first=first)",
    "best so far": "best = None\nfor x in [3, 5, 4]:\n    if best is None or (x > best and p):\n        best = x\nsink(best=best)",
    "else of a loop of nobody": "n = 0\nfor x in many:\n    if p:\n        break\nelse:\n    n = 1\nsink(n=n)",
    "return from a loop of nobody": "def f():\n    n = 0\n    for x in many:\n        n += 1\n        if q:\n            return n\n    return -1\nsink(n=f())",
    "an object that is made in each round": "objects = []\nclass A:\n    def __init__(self, x):\n        self.x = x\nlast = None\nfor x in many:\n    new = A(last)\n    last = new\n    objects.append(new)\nsink(n=len(objects), first=objects[0].x if objects else None)",
    "aliases of rounds": "a = [0]\nb = a\nfor x in many:\n    b = [1]\nb.append(5)\nsink(a=a)",
    "the list grows while it is gone over": "a = [1]\nout = []\nfor x in a:\n    out.append(x)\n    if len(a) < 3:\n        a.append(x + 1)\nsink(out=out)",
    "the dict is changed in the loop": 'd = {"a": 1, "b": 2}\nfor k in list(d):\n    d[k] = d[k] + 1\n    del d[k]\nsink(d=d)',
    "long": "n = 0\nfor i in range(200):\n    n += i\nsink(n=n)",
    "long while": "n = 0\nwhile n < 300:\n    n += 1\nsink(n=n)",
    "swap in a long loop": "a, b = 0, 1\nfor _ in range(100):\n    a, b = b, a + b\nsink(a=a)",
    "a comprehension over nobody": "a = [x for x in many]\nb = [1 for _ in many]\nc = {x: 1 for x in many}\nd = [x for x in [1, 2, 3] if p or x > 1]\nsink(a=a, b=b, c=c, d=d)",
    "a try in a loop": "n = 0\nfor x in [1, 2, 3]:\n    try:\n        if x == 2 and p:\n            raise ValueError\n        n += x\n    except ValueError:\n        n += 100\n        break\nsink(n=n)",
    "finally in a loop of nobody": "n = m = 0\nfor x in many:\n    try:\n        n += 1\n        if p:\n            break\n    finally:\n        m += 1\nsink(n=n, m=m)",
}


@pytest.mark.parametrize("name", [*EXACT, *SOUND])
def test_what_is_claimed_is_so(name: str) -> None:
    assert wrong({**EXACT, **SOUND}[name]) == []


@pytest.mark.parametrize("name", EXACT)
def test_what_can_be_known_is_known(name: str) -> None:
    assert unknown(EXACT[name]) == []
