"""Containers, objects and their other names, beside Python."""

from __future__ import annotations

import pytest
from beside import unknown, wrong

EXACT = {
    "two names of one list": "a = [1]\nb = a\nb.append(2)\nsink(a=a)",
    "a list in a list": "a = []\nb = [a, a]\nb[0].append(1)\nsink(b=b, same=b[0] is b[1])",
    "a copy is shallow": 'a = {"x": [1]}\nb = dict(a)\nc = a.copy()\nd = {**a}\nb["x"].append(2)\nb["y"] = 1\nsink(a=a, c=c, d=d)',
    "times shares": "a = [[]] * 2\na[0].append(1)\nsink(a=a)",
    "a slice is another list": "a = [1, 2]\nb = a[:]\nb.append(3)\nsink(a=a, b=b)",
    "what a call is given is as it was then": 'd = {"x": 1}\nsink(**d)\nd["x"] = 2\nsink(d=d)\nd["x"] = 3',
    "a list is kept by its object": "class A:\n    def __init__(self, items):\n        self.items = items\na = [1]\no = A(a)\na.append(2)\no.items.append(3)\nsink(a=a, b=o.items)",
    "one of two dicts": 'a, b = {"x": 1}, {"x": 2}\nc = a if p else b\nc["x"] = 5\nc["y"] = 6\nsink(a=a["x"], b=b["x"], c=c["x"])',
    "a change on one way is seen by all names": 'a = {"x": 1}\nb = a\nif p:\n    a["x"] = 2\nsink(b=b["x"])',
    "replaced on one way, changed after": 'a = {"x": 1}\nb = a\nif p:\n    a = {"x": 5}\na["x"] = 9\nsink(a=a["x"], b=b["x"])',
    "a list that holds itself": "a = [1]\na.append(a)\nsink(n=len(a), x=a[1][1][0])",
    "a dict that holds itself": 'd = {"x": 1}\nd["self"] = d\nd["self"]["self"]["x"] = 2\nsink(x=d["x"])',
    "objects that hold each other": "class N:\n    def __init__(self, v):\n        self.v, self.next = v, None\na, b = N(1), N(2)\na.next, b.next = b, a\na.next.next.v = 7\nsink(a=a.v, b=b.next.v)",
    "a default dict of lists": 'd = {}\nfor k in ["a", "b", "a"]:\n    d.setdefault(k, []).append(1)\nsink(d=d)',
    "nested update": 'd = {"a": {"x": 1}}\nd["a"].update(y=2)\ne = d["a"]\ne["x"] = 9\nsink(d=d)',
    "tuples hold lists": "a = []\nt = (a, 1)\nt[0].append(2)\nsink(t=t)",
    "global state of a class": 'class S:\n    items = {}\ndef put(k, v):\n    S.items[k] = v\nput("a", 1)\nput("b", 2)\nsink(items=S.items)',
    "swap of containers": "a, b = [1], [2]\na, b = b, a\na.append(3)\nsink(a=a, b=b)",
    "pop and keep": 'd = {"x": [1]}\nx = d.pop("x")\nx.append(2)\nsink(d=d, x=x)',
    "kwargs share values": 'def f(**k):\n    k["a"].append(1)\na = []\nf(a=a)\nsink(a=a)',
    "unpacked lists share items": "a = [[1]]\nb = [*a]\nb[0].append(2)\nsink(a=a)",
    "identity": "a = []\nb = []\nc = a\nsink(x=a is c, y=a == b, z=a is not c)",
    "equal and not the same": 'a, b = {"x": [1]}, {"x": [1]}\nb["x"].append(2)\nsink(a=a, e=a == b)',
    "an iterator of a changed list": "a = [1, 2]\ni = iter(a)\na.append(3)\nsink(x=list(i))",
    "zip keeps its lists": "a = [1]\nz = zip(a, [5, 6])\na.append(2)\nsink(x=list(z))",
    "map is late": "n = 1\nm = map(lambda x: x + n, [1, 2])\nn = 10\nsink(x=list(m))",
}
SOUND = {
    "sorted is another list": "a = [2, 1]\nb = sorted(a)\na.sort()\nsink(a=a, b=b, same=a is b)",
    "aliases through a choice": "a, b = [1], [2]\nc = a if p else b\nc.append(9)\nsink(na=len(a) + len(b))",
    "generator expressions are late": "n = 1\ng = (x + n for x in [1, 2])\nn = 10\nsink(x=list(g))",
    "a generator over a changed list": "a = [1]\ng = (x for x in a)\na.append(2)\nsink(x=list(g))",
    "stored twice under unknown keys": 'd = {}\nd["a" if p else "b"] = 1\nd["a" if q else "b"] = 2\nsink(d=d)',
    "a list of two is changed at one of two places": "a = [1, 2]\na[0 if p else 1] = 9\nsink(a=a)",
    "deleted on one way": 'd = {"x": 1, "y": 2}\nif p:\n    del d["x"]\nsink(d=d, n=len(d), has="x" in d)',
    "popped on one way": "a = [1, 2, 3]\nif p:\n    a.pop(0)\nsink(a=a, first=a[0], n=len(a))",
    "inserted on one way": "a = [2, 3]\nif p:\n    a.insert(0, 1)\nsink(a=a, first=a[0], last=a[-1])",
    "cleared on one way": 'd = {"x": 1}\ne = d\nif p:\n    d.clear()\nsink(e=e, n=len(e))',
    "handed to nobody": 'from acme import change\nd = {"x": 1}\na = [d]\nchange(a)\nsink(x=d.get("x"))',
    "a method of nobody": 'from acme import Thing\nd = {"x": 1}\nt = Thing(d)\nt.run()\nsink(y=1)',
    "held by an object that nobody knows": "from acme import Thing\nclass A:\n    x = 1\na = A()\nt = Thing()\nt.keep(a)\nt.run()\nsink(n=1)",
    "self reference through a choice": "a = [1]\nb = [2, a]\nc = a if p else b\na.append(c)\nsink(n=len(b))",
    "equality of lists that hold themselves": "a = [1]\na.append(a)\nb = a\nsink(x=a == b)",
    "sets are in no order": 's = {"a", "b"}\ns.add("c")\nsink(n=len(s), l=sorted(s), f=list(s))',
    "join of one of two lists": 'a = ["x"]\nif p:\n    a.append("y")\nsink(s=",".join(a))',
    "update by one of two": 'd = {"x": 1}\nd.update({"x": 2} if p else {"y": 3})\nsink(d=d)',
    "update by nobody's": 'd = {"x": 1}\nd.update({k: 2 for k in many})\nsink(x=d["x"], d=d)',
    "star of nobody's": 'd = {"x": 1, **{k: 2 for k in many}, "y": 3}\nsink(y=d["y"], d=d)',
    "a list plus nobody's": "a = [1] + list(many) + [2]\nsink(first=a[0], last=a[-1], a=a)",
    "a slice of nobody's": "a = [1, *many, 2]\nsink(a=a[:1], b=a[1:], c=a[-1:])",
}


@pytest.mark.parametrize("name", [*EXACT, *SOUND])
def test_what_is_claimed_is_so(name: str) -> None:
    assert wrong({**EXACT, **SOUND}[name]) == []


@pytest.mark.parametrize("name", EXACT)
def test_what_can_be_known_is_known(name: str) -> None:
    assert unknown(EXACT[name]) == []
