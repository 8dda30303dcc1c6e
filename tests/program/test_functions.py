"""Functions: arguments, defaults, closures, decorators, generators, recursion, beside Python."""

from __future__ import annotations

import pytest
from beside import unknown, wrong

EXACT = {
    "defaults are worked out at the definition": "x = 1\ndef f(a=x):\n    return a\nx = 2\nsink(a=f())",
    "a default that is changed is one object": "def f(a=[]):\n    a.append(1)\n    return a\nf()\nsink(a=f())",
    "a default of a lambda": "x = 1\nf = lambda a=x: a\nx = 2\nsink(a=f())",
    "lambdas of a loop with a default": "fs = []\nfor i in range(3):\n    fs.append(lambda i=i: i)\nsink(a=[f() for f in fs])",
    "lambdas of a loop without": "fs = []\nfor i in range(3):\n    fs.append(lambda: i)\nsink(a=[f() for f in fs])",
    "functions of a loop see the last": 'fs = {}\nfor name in ["a", "b"]:\n    def f():\n        return name\n    fs[name] = f\nsink(a=fs["a"](), b=fs["b"]())',
    "a factory closes over its own names": "def make(n):\n    def f(x):\n        return x * n\n    return f\ntwo, three = make(2), make(3)\nsink(a=two(5), b=three(5))",
    "a counter": "def counter():\n    n = 0\n    def step():\n        nonlocal n\n        n += 1\n        return n\n    return step\na, b = counter(), counter()\na()\nsink(a=a(), b=b())",
    "keyword only": "def f(a, *, b=2, c):\n    return a, b, c\nsink(x=f(1, c=3), y=f(1, b=5, c=6))",
    "positional only": "def f(a, b=2, /, c=3, **k):\n    return a, b, c, k\nsink(x=f(1), y=f(1, 5, a=6, c=7))",
    "star args and kwargs": 'def f(a, *args, b=0, **kw):\n    return a, args, b, kw\nsink(x=f(1, 2, 3, b=4, c=5), y=f(*[1, 2], **{"b": 3, "d": 4}))',
    "handed through": "def g(a, b=2, c=3):\n    return a, b, c\ndef f(*args, **kw):\n    return g(*args, **kw)\nsink(x=f(1, c=9))",
    "kwargs are a new dict": 'def f(**kw):\n    kw["x"] = 5\nd = {"x": 1}\nf(**d)\nsink(x=d["x"])',
    "args are a tuple": "def f(*a):\n    return a\nsink(x=f(1, 2), y=f())",
    "a keyword twice is refused": 'def f(**k):\n    return k\ntry:\n    x = f(a=1, **{"a": 2})\nexcept TypeError:\n    x = 7\nsink(x=x)',
    "by place and by name is refused": "def f(a, **k):\n    return a\ntry:\n    x = f(1, a=2)\nexcept TypeError:\n    x = 7\nsink(x=x)",
    "too many are refused": "def f(a):\n    return a\ntry:\n    x = f(1, 2)\nexcept TypeError:\n    x = 7\nsink(x=x)",
    "an unknown keyword is refused": "def f(a):\n    return a\ntry:\n    x = f(1, b=2)\nexcept TypeError:\n    x = 7\nsink(x=x)",
    "a list is handed over itself": "def f(a):\n    a.append(2)\na = [1]\nf(a)\nsink(a=a)",
    "rebinding an argument changes nothing outside": "def f(a):\n    a = [5]\na = [1]\nf(a)\nsink(a=a)",
    "return on one way": "def f(x):\n    if x:\n        return 1\n    return 2\nsink(a=f(p), b=f(True), c=f(0))",
    "nothing is returned": "def f():\n    pass\nsink(a=f())",
    "nothing on one way": "def f():\n    if p:\n        return 1\nsink(a=f())",
    "recursion": "def f(n):\n    return 1 if n == 0 else n * f(n - 1)\nsink(a=f(5))",
    "two that call each other": "def even(n):\n    return True if n == 0 else odd(n - 1)\ndef odd(n):\n    return False if n == 0 else even(n - 1)\nsink(a=even(6))",
    "defined under a condition": "if p:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\nsink(a=f())",
    "defined again": "def f():\n    return 1\ng = f\ndef f():\n    return 2\nsink(a=f(), b=g())",
    "decorators from below": 'def a(f):\n    return lambda: f() + "a"\ndef b(f):\n    return lambda: f() + "b"\n@a\n@b\ndef f():\n    return "f"\nsink(x=f())',
    "decorators are worked out from above": "log = []\ndef d(n):\n    log.append(n)\n    def inner(f):\n        log.append(-n)\n        return f\n    return inner\n@d(1)\n@d(2)\ndef f():\n    return 1\nsink(log=log)",
    "a decorator that registers": 'known = {}\ndef register(name):\n    def inner(f):\n        known[name] = f\n        return f\n    return inner\n@register("x")\ndef f():\n    return 5\nsink(x=known["x"](), n=len(known))',
    "a decorator that is an object": "class D:\n    def __init__(self, f):\n        self.f = f\n    def __call__(self, *a):\n        return self.f(*a) * 2\n@D\ndef f(x):\n    return x\nsink(x=f(4))",
    "a table of functions": 'def a():\n    return 1\ndef b():\n    return 2\ntable = {"a": a, "b": b}\nsink(x=table["b"](), y=table["a" if p else "b"]())',
    "a lambda in an argument": "def f(g):\n    return g(3)\nsink(x=f(lambda x: x + 1))",
    "names are of the definition": "x = 1\ndef f():\n    return x\ndef g():\n    x = 5\n    return f()\nsink(a=g())",
    "a global that is changed later": "def f():\n    return x\nx = 1\na = f()\nx = 2\nsink(a=a, b=f())",
    "generator in a loop": "def g():\n    yield 1\n    yield 2\nout = []\nfor x in g():\n    out.append(x)\nsink(out=out)",
    "the body of a generator runs between the rounds": 'log = []\ndef g():\n    for i in range(2):\n        log.append(("give", i))\n        yield i\n    log.append("end")\nfor x in g():\n    log.append(("take", x))\nsink(log=log)',
    "a loop over a generator that is left": 'log = []\ndef g():\n    try:\n        for i in range(5):\n            log.append(i)\n            yield i\n    finally:\n        log.append("closed")\nfor x in g():\n    if x == 1:\n        break\nsink(log=log[:3])',
    "a list of a generator": "def g(n):\n    for i in range(n):\n        if i % 2:\n            continue\n        yield i * 10\nsink(a=list(g(5)), b=sum(g(3)), c=[x + 1 for x in g(3)], d=dict((k, k) for k in g(3)), e=max(g(3)))",
    "yield from": "def a():\n    yield 1\n    yield 2\ndef b():\n    yield 0\n    yield from a()\n    yield from [3, 4]\nsink(x=list(b()))",
    "a generator is empty after it": "def g():\n    yield 1\nx = g()\na = list(x)\nb = list(x)\nsink(a=a, b=b)",
    "nobody goes over it, nothing is done": "log = []\ndef g():\n    log.append(1)\n    yield 1\nx = g()\nsink(log=log)",
    "a generator with return": "def g():\n    yield 1\n    return\n    yield 2\nsink(x=list(g()))",
    "unpacking a generator": "def g():\n    yield 1\n    yield 2\na, b = g()\nsink(a=a, b=b)",
    "star of a generator": "def g():\n    yield 1\n    yield 2\ndef f(*a):\n    return a\nsink(x=f(*g()), y=[*g()])",
    "an iterator of an own class": "class A:\n    def __iter__(self):\n        yield 1\n        yield 2\nout = []\nfor x in A():\n    out.append(x)\nsink(x=out, y=list(A()))",
    "return from within a loop over a generator": "def g():\n    yield 1\n    yield 2\ndef f():\n    for x in g():\n        if x == 2:\n            return x * 10\nsink(x=f())",
    "else of a loop over a generator": "def g():\n    yield 1\nfor x in g():\n    pass\nelse:\n    x = 9\nsink(x=x)",
    "async functions": "import asyncio\nasync def f():\n    return 3\nasync def main():\n    return await f()\nsink(x=asyncio.run(main()))",
    "a comprehension has its own names": "x = 5\na = [x for x in range(3)]\nsink(x=x, a=a)",
    "a comprehension in a class": "n = 2\nclass A:\n    n = 3\n    a = [i * n for i in range(n)]\nsink(a=A.a)",
    "nested comprehension": 'sink(a=[[i * j for j in range(2)] for i in range(2)], b=[(i, j) for i in range(2) for j in range(i + 1) if j != 1], c={k: v for k, v in [("x", 1), ("y", 2)]})',
    "functions as values": "sink(a=list(map(lambda x: x + 1, [1, 2])), b=sorted([3, 1, 2], key=lambda x: -x))",
    "partial": "from functools import partial\ndef f(a, b=2, c=3):\n    return a, b, c\nsink(x=partial(f, 1, c=9)(), y=partial(f, b=5)(0, c=1))",
    "arguments are worked out before the call": 'log = []\ndef f(x):\n    log.append(("f", x))\n    return x\ndef g(x):\n    log.append(("g", x))\ng(f(1))\nsink(log=log)',
    "locals do not leak": "def f():\n    y = 1\n    return y\nf()\ntry:\n    x = y\nexcept NameError:\n    x = 2\nsink(x=x)",
    "calls itself with a list": "def collect(n, out=None):\n    out = [] if out is None else out\n    out.append(n)\n    if n:\n        collect(n - 1, out)\n    return out\nsink(a=collect(3), b=collect(1))",
    "the function's own attribute": "def f():\n    return 1\nf.n = 5\nsink(x=f())",
    "doc and name": 'def f():\n    """Text."""\nsink(n=f.__name__)',
    "a nested function by its own name": "def f(n):\n    def g(m):\n        return m if m > 3 else g(m + 1)\n    return g(n)\nsink(x=f(0))",
}
SOUND = {
    "next": "def g():\n    yield 1\n    yield 2\nit = iter(g())\na = next(it)\nb = next(it)\nsink(a=a, b=b)",
    "a decorator with wraps": "import functools\ndef d(f):\n    @functools.wraps(f)\n    def inner(*a, **k):\n        return f(*a, **k) + 1\n    return inner\n@d\ndef f(x, y=2):\n    return x + y\nsink(x=f(1), n=f.__name__)",
    "recursion without an end in sight": "n = 0\ndef f(k):\n    global n\n    n += 1\n    if k:\n        f(k - 1)\nf(30)\nsink(n=n)",
    "deep recursion into a list": "a = []\ndef f(k):\n    a.append(k)\n    if k:\n        f(k - 1)\nf(30)\nsink(n=len(a))",
    "deep recursion through another": "n = 0\ndef g(k):\n    global n\n    n += 1\n    f(k)\ndef f(k):\n    if k:\n        g(k - 1)\nf(30)\nsink(n=n)",
    "deep recursion that changes an object": "class A:\n    n = 0\no = A()\ndef f(k):\n    o.n = k\n    if k < 30:\n        f(k + 1)\nf(0)\nsink(n=o.n)",
    "a default of nobody": "def f(a=p):\n    return a\nsink(x=f())",
    "kwargs of nobody": 'def f(a=1, **k):\n    return a\nd = {"b": 2}\nif p:\n    d["a"] = 5\nsink(x=f(**d))',
    "a keyword that is perhaps given": 'def f(a=1, b=2):\n    return a, b\nd = {}\nif p:\n    d["a"] = 7\nsink(x=f(**d))',
    "positional of nobody": "def f(a=1, *rest):\n    return a\nsink(x=f(*many))",
    "generator on a condition": "def g():\n    yield 1\n    if p:\n        yield 2\nsink(x=list(g()))",
    "generator over nobody's": "def g():\n    for x in many:\n        yield 1\nn = 0\nfor x in g():\n    n += x\nsink(n=n)",
    "break on a condition": "def g():\n    yield 1\n    yield 2\nn = 0\nfor x in g():\n    n = x\n    if p:\n        break\nelse:\n    n += 10\nsink(n=n)",
    "a generator that is left open": "log = []\ndef g():\n    log.append(1)\n    yield 1\n    log.append(2)\n    yield 2\nx = g()\nnext(x)\nsink(n=len(log))",
    "a function that is one of two": "def f():\n    return 1\ndef g():\n    return 2\nh = f if p else g\nsink(x=h())",
    "changes of a function that is perhaps called": "x = 1\ndef f():\n    global x\n    x = 2\nif p:\n    f()\nsink(x=x)",
    "changes of one of two functions": "x = 1\ndef f():\n    global x\n    x = 2\ndef g():\n    global x\n    x = 3\n(f if p else g)()\nsink(x=x)",
    "return in a loop of nobody": "def f():\n    for x in many:\n        return 1\n    return 2\nsink(x=f())",
    "a decorator under a condition": "def d(f):\n    return lambda: f() + 1\ndef n(f):\n    return f\n@(d if p else n)\ndef f():\n    return 1\nsink(x=f())",
    "raise on one way of a function": "def f():\n    if p:\n        raise ValueError\n    return 1\ntry:\n    x = f()\nexcept ValueError:\n    x = 2\nsink(x=x)",
    "local or global": "x = 5\ndef f():\n    if p:\n        x = 1\n    try:\n        return x\n    except NameError:\n        return 9\nsink(x=f())",
}


@pytest.mark.parametrize("name", [*EXACT, *SOUND])
def test_what_is_claimed_is_so(name: str) -> None:
    assert wrong({**EXACT, **SOUND}[name]) == []


@pytest.mark.parametrize("name", EXACT)
def test_what_can_be_known_is_known(name: str) -> None:
    assert unknown(EXACT[name]) == []
