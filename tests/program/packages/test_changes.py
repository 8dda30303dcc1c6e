"""Programs that change lists, dicts, sets and objects, beside Python itself: what is claimed to be known is what Python has at the end."""

from __future__ import annotations

import random

import pytest
from following import Unknown, as_python, followed
from test_expressions import same

PROGRAMS = {
    "append": "a = [1]\na.append(2)\nout = a",
    "append through another name": "a = []\nb = a\nb.append(1)\nout = a",
    "append to itself": "a = [1]\na.extend(a)\nout = a",
    "extend by a generator": "a = [1]\na.extend(x * 2 for x in [1, 2])\nout = a",
    "insert": "a = [1, 3]\na.insert(1, 2)\na.insert(-1, 9)\na.insert(50, 8)\nout = a",
    "pop": "a = [1, 2, 3]\nb = a.pop()\nc = a.pop(0)\nout = (a, b, c)",
    "remove": "a = [1, 2, 1]\na.remove(1)\nout = a",
    "clear": "a = [1]\nb = a\na.clear()\nout = b",
    "sort": "a = [3, 1, 2]\na.sort()\nb = ['b', 'A']\nb.sort(key=str.lower, reverse=True)\nout = (a, b)",
    "reverse": "a = [1, 2]\na.reverse()\nout = a",
    "copy is another list": "a = [1]\nb = a.copy()\nb.append(2)\nout = (a, b)",
    "list() is another list": "a = [1]\nb = list(a)\nb.append(2)\nout = (a, b)",
    "a shallow copy shares": "a = [[1]]\nb = list(a)\nb[0].append(2)\nout = a",
    "a deep copy does not": "import copy\na = {'x': [1]}\nb = copy.deepcopy(a)\nb['x'].append(2)\nout = (a, b)",
    "a deep copy keeps one object one": "import copy\nx = []\na = [x, x]\nb = copy.deepcopy(a)\nb[0].append(1)\nout = (a, b)",
    "copy.copy shares": "import copy\na = {'x': [1]}\nb = copy.copy(a)\nb['x'].append(2)\nb['y'] = 1\nout = (a, b)",
    "set add": "a = {1}\na.add(1)\na.add(2)\nout = sorted(a)",
    "set update": "a = {1}\na.update([2, 3], (4,))\na.discard(9)\na.remove(1)\nout = sorted(a)",
    "set differences": "a = {1, 2, 3}\na.difference_update([1])\na.intersection_update({2, 3, 4})\na.symmetric_difference_update({3, 5})\nout = sorted(a)",
    "equal members": "a = {1, True, 1.0}\nout = len(a)",
    "dict update": "a = {'x': 1}\na.update({'y': 2}, z=3)\na.update([('x', 5)])\nout = a",
    "dict pop": "a = {'x': 1}\nb = a.pop('x')\nc = a.pop('x', 7)\nout = (a, b, c)",
    "setdefault": "a = {}\na.setdefault('x', []).append(1)\na.setdefault('x', []).append(2)\na.setdefault('y')\nout = a",
    "popitem": "a = {'x': 1, 'y': 2}\nb = a.popitem()\nout = (a, b)",
    "dict clear": "a = {'x': 1}\nb = a\nb.clear()\nout = a",
    "dict copy": "a = {'x': 1}\nb = dict(a, y=2)\nb['x'] = 3\nout = (a, b)",
    "a view is alive": "a = {'x': 1}\nkeys = a.keys()\na['y'] = 2\nout = list(keys)",
    "values of a view": "a = {'x': 1}\nv = a.values()\ni = a.items()\na['x'] = 5\nout = (list(v), list(i))",
    "an iterator is empty after it was read": "a = iter([1, 2])\nb = list(a)\nout = (b, list(a))",
    "zip is empty after it was read": "a = zip([1], [2])\nb = dict(a)\nout = (b, list(a))",
    "next moves on": "a = iter([1, 2, 3])\nb = next(a)\nc = next(a)\nout = (b, c, list(a))",
    "enumerate": "out = []\nfor at, one in enumerate('ab', 1):\n    out.append(f'{at}{one}')",
    "setattr": "class A:\n    pass\na = A()\nsetattr(a, 'x', 1)\nfor name, value in {'y': 2}.items():\n    setattr(a, name, value)\nout = (a.x, a.y, vars(a))",
    "vars is the object's own": "class A:\n    pass\na = A()\nvars(a).update(x=1)\nvars(a)['y'] = 2\nout = (a.x, a.y)",
    "__dict__ is the object's own": "class A:\n    pass\na = A()\na.__dict__.update({'x': 1})\nout = a.x",
    "hasattr": "class A:\n    x = 1\na = A()\na.y = 2\nout = (hasattr(a, 'x'), hasattr(a, 'y'), hasattr(a, 'z'), getattr(a, 'z', 3))",
    "delattr": "class A:\n    pass\na = A()\na.x = 1\ndelattr(a, 'x')\nout = hasattr(a, 'x')",
    "len of an object": "class A:\n    def __len__(self):\n        return 3\nout = (len(A()), bool(A()))",
    "str of an object": "class A:\n    def __str__(self):\n        return 'me'\nout = str(A())",
    "globals": "x = 1\nglobals()['y'] = 2\nout = (y, globals()['x'])",
    "exec of a text that is known": "x = 1\nexec('x = x + 1\\nz = 5')\nout = (x, z)",
    "asdict": "from dataclasses import dataclass, asdict, field\n@dataclass\nclass B:\n    y: int = 2\n@dataclass\nclass A:\n    x: int = 1\n    b: B = field(default_factory=B)\n"
    "    c: list = field(default_factory=list)\na = A()\nd = asdict(a)\na.c.append(1)\nout = d",
    "replace": "from dataclasses import dataclass, replace\n@dataclass\nclass A:\n    x: int = 1\n    y: int = 2\na = A(5)\nb = replace(a, y=7)\nout = (a.x, a.y, b.x, b.y)",
    "fields": "from dataclasses import dataclass, fields, is_dataclass\n@dataclass\nclass A:\n    x: int = 1\n    y: int = 2\nout = ([f.name for f in fields(A)], is_dataclass(A), is_dataclass(A()))",
    "lru_cache gives one object": "import functools\n@functools.lru_cache\ndef config():\n    return {'x': 1}\nconfig()['x'] = 2\nout = config()",
    "lru_cache called": "import functools\n@functools.lru_cache(maxsize=None)\ndef config():\n    return []\nconfig().append(1)\nout = config()",
    "partial": "import functools\ndef f(a, b, c=3):\n    return (a, b, c)\ng = functools.partial(f, 1, c=5)\nout = g(2)",
    "map with a change": "seen = []\ndef f(x):\n    seen.append(x)\n    return x + 1\nout = (list(map(f, [1, 2])), seen)",
    "environment": "import os\nos.environ['MY_OWN'] = '3'\nos.environ.setdefault('MY_OWN', '4')\nos.environ.setdefault('MY_OTHER', '5')\n"
    "out = (os.environ['MY_OWN'], os.getenv('MY_OTHER'), os.environ.get('MY_THIRD', 'x'), 'MY_OWN' in os.environ)",
    "namespace": "from types import SimpleNamespace\nn = SimpleNamespace(a=1)\nn.b = 2\nn.__dict__.update(c=3)\nout = (vars(n), n.c)",
    "OrderedDict": "from collections import OrderedDict\na = OrderedDict(x=1, y=2)\na.move_to_end('x')\nout = list(a)",
    "defaultdict": "from collections import defaultdict\na = defaultdict(list)\na['x'] = 1\nout = a['x']",
    "namedtuple": "from collections import namedtuple\nP = namedtuple('P', ['a', 'b'])\np = P(1, b=2)\nx, y = p\nout = (p.a, p[1], len(p))",
    "eval": "x = 3\nout = eval('x * 2')",
    "isinstance narrows": "class A:\n    pass\nclass B(A):\n    pass\nb = B()\nout = (isinstance(b, A), isinstance(b, B), isinstance(A(), B), isinstance(b, dict), issubclass(B, A))",
    "a class on dict": "class A(dict):\n    pass\nout = isinstance(A(), dict)",
    "sorted by two": "a = [('b', 1), ('a', 1), ('c', 0)]\nout = sorted(a, key=lambda p: (p[1], p[0]))",
    "stable": "out = sorted(['bb', 'aa', 'c'], key=len)",
    "str of nested": "out = str({'a': [1, (2, None)], 'b': 'x'})",
    "join of keys": "d = {'a': 1, 'b': 2}\nout = ','.join(d)",
    "min of a dict": "d = {'a': 3, 'b': 1}\nout = min(d, key=d.get)",
    "max by items": "d = {'a': 3, 'b': 1}\nout = max(d.items(), key=lambda kv: kv[1])[0]",
    "any of a generator": "seen = [1, 2]\nout = (any(x == 2 for x in seen), all(x for x in seen))",
    "zip of unequal": "out = list(zip('abc', range(2)))",
    "reversed list": "a = [1, 2]\nout = list(reversed(a)) + a[::-1]",
    "filter keeps": "out = list(filter(lambda x: x % 2, range(6)))",
    "update from itself": "a = {'x': 1}\na.update(a)\nout = a",
    "dict of pairs": "out = dict((k, v * 2) for k, v in {'a': 1}.items())",
    "int of text": "out = [int(x) for x in '1,2,3'.split(',')]",
    "sum of lists": "out = len(sum([[1], [2, 3]], []))",
    "count and index": "a = ['x', 'y', 'x']\nout = (a.count('x'), a.index('y'))",
    "try around int": "try:\n    out = int('auto')\nexcept ValueError:\n    out = -1",
    "try around a key": "d = {}\ntry:\n    out = d.pop('x')\nexcept KeyError:\n    out = 0",
}  # fmt: skip
MAY_BE_UNKNOWN = {"sum of lists", "equal members", "str of an object"}


def python_has(text: str) -> object:
    names: dict[str, object] = {"__name__": "__main__"}
    exec(text, names)  # noqa: S102 (a text of this file)
    return names["out"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_known_and_what_python_has(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = followed(PROGRAMS[name])
    assert seen.stopped == ""
    for one in ("MY_OWN", "MY_OTHER"):
        monkeypatch.setenv(one, "")
        monkeypatch.delenv(one)
    try:
        found = as_python(seen["out"])
    except Unknown:
        assert name in MAY_BE_UNKNOWN
        return
    wanted = python_has(PROGRAMS[name])
    assert same(found, wanted), f"{found!r} is not {wanted!r}"


CALLS = (
    "a.append({n})", "a.insert({n}, {m})", "a.extend([{n}, {m}])", "a.extend(b)", "a.remove({n})", "a.pop()", "a.pop({n})", "a.sort()", "a.reverse()", "b = a.copy()",
    "b = list(a)", "a = list(b)", "a.extend(s)", "s.add({n})", "s.discard({n})", "s.remove({n})", "s.update(a)", "s = s.union(b)", "s = s.difference(a)", "s = set(b)",
    "d['k{n}'] = {m}", "d.pop('k{n}', None)", "d.pop('k{n}')", "d.setdefault('k{n}', {m})", "d.update(k{n}={m})", "d.update(zip('xyz', a))", "d.popitem()", "e = dict(d)",
    "d = e.copy()", "a = list(d.values())", "a.append(len(d))", "a.append(d.get('k{n}', {m}))", "b.append(len(a))", "a = sorted(s)", "b = sorted(a, reverse=True)",
    "a = [x for x in a if x != {n}]", "s = {{x for x in a}}", "b = a", "e = d", "a.append(max(a, default={n}))", "a.append(sum(b))", "b.clear()", "d.clear()", "s.clear()",
    "n.setdefault('l{n}', []).append({m})", "n['l{n}'] = a", "n.get('l{n}', b).append({m})", "m = copy.deepcopy(n)", "n = dict(m)", "m = copy.copy(n)", "n.update(m)",
    "b = n.pop('l{n}', b)", "i = iter(a)", "a = list(i)", "b.append(next(i, {m}))", "a.append(len(list(k)))", "k = n.keys()", "k = d.values()", "b = list(k)[:2] and b",
    "o.x{n} = {m}", "setattr(o, 'x{n}', a)", "a.append(getattr(o, 'x{n}', {m}) == {m})", "a.append(hasattr(o, 'x{n}'))", "n['v'] = list(vars(o))", "vars(o).update(x{n}={m})",
    "p = copy.copy(o)", "o = copy.deepcopy(p)", "o, p = p, o", "delattr(o, 'x{n}')", "i = zip(a, b)", "i = map(str, a)", "i = filter(None, a)", "b = list(enumerate(b))",
    "for x in a[:3]: b.append(x)", "for x in list(d): d[x] = {m}", "a.append(sum(1 for x in s if x))", "a = list(reversed(b))", "d = dict(zip('ab', b))", "a[{n}] = {m}",
    "b[-1] = {n}", "del a[{n}]", "del d['k{n}']", "a += b[:2]", "d |= e", "a.append('-'.join(map(str, b[:2])))", "d['n'] = len(n)", "n['t'] = tuple(a[:2])",
    "a.append(next(iter(a), {n}))", "a.append(a.count({n}))", "a.append(a.index({n}))", "b = list(zip(a, b))", "a = a[:3]", "b = b[:3]", "a = [1]", "b = [2]", "s = {{1, 2}}",
)  # fmt: skip


def random_program(seed: int, length: int, conditions: int = 0) -> str:
    """Calls in any order; some under a condition that nobody knows."""
    draw = random.Random(seed)
    lines = ["import os, copy", "class O: pass", "a, b, s, d, e, n, m, o, p = [1, 2], [3], {1}, {'k0': 0}, {}, {}, {'l1': [7]}, O(), O()", "i, k = iter([5, 6]), d.keys()", "UNKNOWN = os.environ.get('NOBODY_SAYS_THIS')"]
    for at in range(length):
        call = draw.choice(CALLS).format(n=draw.randrange(4), m=draw.randrange(4))
        lines.append(f"if UNKNOWN == '{draw.randrange(2)}':\n    {call}" if at < conditions else call)
    return "\n".join(lines)


def names_after(text: str, unknown: str) -> dict[str, object] | None:
    """What Python has at the end; None where the program fails."""
    names: dict[str, object] = {"__name__": "__main__"}
    try:
        exec(text.replace("os.environ.get('NOBODY_SAYS_THIS')", repr(unknown)), names)  # noqa: S102 (made here)
    except Exception:  # noqa: BLE001 (whatever Python says)
        return None
    return {key: names[key] for key in "absdenm"}


@pytest.mark.parametrize("seed", range(150))
def test_programs_of_calls(seed: int) -> None:
    """Nothing that is claimed to be known differs, whatever the condition is."""
    text = random_program(seed, 12, conditions=3 if seed % 3 == 0 else 0)
    seen = followed(text)
    for unknown in "012":
        wanted = names_after(text, unknown)
        if wanted is None:
            continue
        assert seen.stopped == "", text
        for name, there in wanted.items():
            assert held(seen[name], there), f"{text}\n{name}: {seen[name]!r}, Python has {there!r}"


def held(value: object, there: object) -> bool:
    """Whether what is claimed allows what Python has."""
    from budgetlint.program.values import Choice, Items, Known, Map

    if isinstance(value, Known):
        return same(value.value, there)
    if isinstance(value, Choice):
        return any(held(way.value, there) for way in value.ways)
    if isinstance(value, Items):
        return _held_items(value, there)
    if isinstance(value, Map):
        return _held_map(value, there)
    return True


def _held_items(value: object, there: object) -> bool:
    from budgetlint.program.heap import perhaps_absent
    from budgetlint.program.values import Items

    assert isinstance(value, Items)
    if type(there).__name__ != value.kind:
        return False
    known = list(value.items)
    if isinstance(there, set):
        return value.more is not None or (len({repr(one) for one in known}) >= len(there) if not any(map(perhaps_absent, known)) else True)
    if any(map(perhaps_absent, known)):
        return True
    assert isinstance(there, list | tuple)
    fits = len(there) == len(known) if value.more is None else len(there) >= len(known)
    return fits and all(held(one, other) for one, other in zip(known, there, strict=False))


def _held_map(value: object, there: object) -> bool:
    from budgetlint.program.heap import perhaps_absent
    from budgetlint.program.values import Map

    assert isinstance(value, Map) and isinstance(there, dict)
    if value.rest is None and any(key not in value.items for key in there):
        return False
    return all(held(one, there[key]) if key in there else perhaps_absent(one) or value.rest is not None and False for key, one in value.items.items())
