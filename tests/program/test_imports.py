"""Imports: which module a name is of, and when that is run, beside Python."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from beside import unknown, wrong


class Program(NamedTuple):
    """A program of a few files; ``known``: all that arrives can be known."""

    text: str
    files: dict[str, str]
    known: bool = True


PROGRAMS = {
    'a name of a module': Program('from config import lr\nimport config\nsink(a=lr, b=config.lr)', {'config.py': 'lr = 1'}),
    'a module is one': Program('import config\nfrom config import put\nput(5)\nsink(a=config.lr)', {'config.py': 'lr = 1\ndef put(v):\n    global lr\n    lr = v'}),
    'a name that was taken before it changed': Program('from config import lr\nimport config\nconfig.put(5)\nsink(a=lr, b=config.lr)', {'config.py': 'lr = 1\ndef put(v):\n    global lr\n    lr = v'}),
    'a name that is taken after it changed': Program('import config\nconfig.put(5)\nfrom config import lr\nsink(a=lr)', {'config.py': 'lr = 1\ndef put(v):\n    global lr\n    lr = v'}),
    'a module is set from outside': Program('import config\nconfig.lr = 7\nfrom config import show\nsink(a=show())', {'config.py': 'lr = 1\ndef show():\n    return lr'}),
    'packages': Program('from pkg.sub import x\nimport pkg.sub as s\nimport pkg\nsink(a=x, b=s.x, c=pkg.y, d=pkg.sub.x)', {'pkg/__init__.py': 'y = 2', 'pkg/sub.py': 'x = 1'}),
    'relative': Program('from pkg.a import x\nsink(x=x)', {'pkg/__init__.py': 'base = 3', 'pkg/a.py': 'from . import b\nfrom .b import y\nfrom . import base\nx = y + b.y + base', 'pkg/b.py': 'y = 2'}),
    'relative above': Program('from pkg.sub.a import x\nsink(x=x)', {'pkg/__init__.py': '', 'pkg/sub/__init__.py': '', 'pkg/sub/a.py': 'from ..b import y\nfrom .. import b\nx = y + b.y', 'pkg/b.py': 'y = 2'}),
    'relative above the top': Program('try:\n    from pkg.a import x\nexcept ImportError:\n    x = 9\nsink(x=x)', {'pkg/__init__.py': '', 'pkg/a.py': 'from ... import zzz\nx = 1'}, known=False),
    'handed on by the package': Program('from pkg import x\nsink(x=x)', {'pkg/__init__.py': 'from .a import *', 'pkg/a.py': 'x = 1\n_y = 2'}),
    'star with __all__': Program('from m import *\ntry:\n    y\nexcept NameError:\n    y = 9\nsink(x=x, y=y)', {'m.py': "__all__ = ['x']\nx = 1\ny = 2"}),
    'star without private names': Program('_x = 5\nfrom m import *\nsink(x=_x, y=y)', {'m.py': '_x = 1\ny = 2'}),
    'star over an earlier name': Program('x = 5\nfrom m import *\nsink(x=x)', {'m.py': 'x = 1'}),
    'a later name over a star': Program('from m import *\nx = 5\nsink(x=x)', {'m.py': 'x = 1'}),
    'star keeps what it was': Program('from m import *\nimport m\nm.put(5)\nsink(a=x, b=m.x)', {'m.py': 'x = 1\ndef put(v):\n    global x\n    x = v'}),
    'a module that acts when it is imported': Program('import reg\nimport plug\nsink(n=reg.known)', {'reg.py': 'known = []', 'plug.py': "import reg\nreg.known.append('p')"}),
    'modules act in their order': Program('import reg\nimport b\nimport a\nsink(n=reg.known)', {'reg.py': 'known = []', 'a.py': "import reg\nreg.known.append('a')", 'b.py': "import reg\nreg.known.append('b')"}),
    'a module acts once': Program('import reg\nimport plug\nimport plug\nfrom plug import y\nsink(n=reg.known, y=y)', {'reg.py': 'known = []', 'plug.py': "import reg\nreg.known.append('p')\ny = 1"}),
    'acts through a function of its own': Program('import a\nimport reg\nsink(x=reg.x)', {'reg.py': 'x = 1\ndef put(v):\n    global x\n    x = v', 'a.py': 'from reg import put\nput(3)'}),
    'an assignment that calls acts too': Program('import a\nimport reg\nsink(n=reg.known)', {'reg.py': 'known = []\ndef add(v):\n    known.append(v)\n    return v', 'a.py': 'from reg import add\nx = add(1)'}),
    'a decorator that acts': Program('import a\nimport reg\nsink(n=sorted(reg.known))', {'reg.py': 'known = {}\ndef register(f):\n    known[f.__name__] = f\n    return f', 'a.py': 'from reg import register\n@register\ndef one():\n    pass\n@register\nclass Two:\n    pass'}, known=False),
    'an import within that acts': Program('import outer\nimport reg\nsink(n=reg.known)', {'reg.py': 'known = []', 'outer.py': 'import inner', 'inner.py': 'import reg\nreg.known.append(1)'}),
    'names that are bound by what acts': Program('import a\nsink(x=a.x)', {'a.py': 'import b\nx = b.y + 1', 'b.py': 'y = 1\nfor i in range(3):\n    y += i'}),
    'a circle': Program('import a\nsink(x=a.f())', {'a.py': 'import b\ndef f():\n    return b.g()\ny = 5', 'b.py': 'import a\ndef g():\n    return a.y'}),
    'a circle by names': Program('from a import f\nsink(x=f())', {'a.py': 'y = 5\nfrom b import g\ndef f():\n    return g()', 'b.py': 'from a import y\ndef g():\n    return y'}),
    'main is not imported twice': Program("x = 1\nif __name__ == '__main__':\n    x = 2\nsink(x=x)", {}),
    'main of another module': Program('import a\nsink(x=a.x)', {'a.py': "x = 1\nif __name__ == '__main__':\n    x = 2"}),
    'the name of a module': Program('import pkg.a\nsink(x=pkg.a.x)', {'pkg/__init__.py': '', 'pkg/a.py': 'x = __name__'}),
    'imported in a function': Program('def f():\n    from a import x\n    return x\nsink(x=f())', {'a.py': 'x = 1'}),
    'imported in a function, after a change': Program('import reg\ndef f():\n    from a import x\n    return x\nreg.n = 5\nsink(x=f())', {'reg.py': 'n = 1', 'a.py': 'import reg\nx = reg.n'}),
    'a module sees what was set before it was imported': Program('import reg\nreg.n = 5\nimport a\nsink(x=a.x)', {'reg.py': 'n = 1', 'a.py': 'import reg\nx = reg.n + 1'}),
    'and not what is set after': Program('import reg\nimport a\nreg.n = 5\nsink(x=a.x)', {'reg.py': 'n = 1', 'a.py': 'import reg\nx = reg.n + 1'}),
    'from-import sees the value of then': Program('import reg\nfrom a import x\nreg.n = 5\nsink(x=x)', {'reg.py': 'n = 1', 'a.py': 'import reg\nx = reg.n + 1'}),
    'environment before the import': Program("import os\nos.environ['MY_OWN'] = '3'\nimport a\nsink(x=a.x)", {'a.py': "import os\nx = os.environ.get('MY_OWN', '1')"}),
    'environment after the import': Program("import os\nimport a\nos.environ['MY_OWN'] = '3'\nsink(x=a.x)", {'a.py': "import os\nx = os.environ.get('MY_OWN', '1')"}),
    'imported under a condition': Program('if p:\n    from a import x\nelse:\n    from b import x\nsink(x=x)', {'a.py': 'x = 1', 'b.py': 'x = 2'}),
    'imported under a condition, it acts': Program('import reg\nif p:\n    import a\nsink(n=len(reg.known))', {'reg.py': 'known = []', 'a.py': 'import reg\nreg.known.append(1)'}, known=False),
    'not there': Program('try:\n    import not_there_at_all\n    x = 1\nexcept ImportError:\n    x = 2\nsink(x=x)', {}, known=False),
    'a name that is not there': Program('try:\n    from a import nothing\n    x = 1\nexcept ImportError:\n    x = 2\nsink(x=x)', {'a.py': 'y = 1'}, known=False),
    'a module that fails': Program('try:\n    import a\n    x = 1\nexcept ValueError:\n    x = 2\nsink(x=x)', {'a.py': 'raise ValueError'}),
    'a module that fails on one way': Program('try:\n    import a\n    x = 1\nexcept ValueError:\n    x = 2\nsink(x=x)', {'a.py': 'from outside import p\nif p:\n    raise ValueError'}, known=False),
    'getattr of a module': Program("import a\nsink(x=getattr(a, 'x'), y=getattr(a, 'z', 3))", {'a.py': 'x = 1'}, known=False),
    "a module's own getattr": Program('import a\nsink(x=a.x, y=a.zzz)', {'a.py': 'x = 1\ndef __getattr__(name):\n    return name'}, known=False),
    'importlib': Program("import importlib\nm = importlib.import_module('conf.' + 'a')\nsink(x=m.x)", {'conf/__init__.py': '', 'conf/a.py': 'x = 1'}),
    'importlib of one of two': Program("import importlib\nm = importlib.import_module('a' if p else 'b')\nsink(x=m.x)", {'a.py': 'x = 1', 'b.py': 'x = 2'}, known=False),
    'a class of another module': Program('from a import A\nclass B(A):\n    y = 2\nb = B()\nsink(x=b.x, y=b.y, z=b.f())', {'a.py': 'n = 4\nclass A:\n    x = 1\n    def f(self):\n        return n'}),
    'a dataclass of another module': Program('from a import A\nsink(x=A().x)', {'a.py': 'from dataclasses import dataclass, field\nN = 3\n@dataclass\nclass A:\n    x: int = field(default_factory=lambda: N)'}),
    'super of another module': Program('from b import B\nsink(x=B().f())', {'a.py': 'class A:\n    def f(self):\n        return 1', 'b.py': 'import a\nclass B(a.A):\n    def f(self):\n        return super().f() + 1'}),
    'a name of a package or of its module': Program('from pkg import a\nsink(x=a)', {'pkg/__init__.py': 'a = 5', 'pkg/a.py': 'x = 1'}),
    'the module hides what the package says later': Program('import pkg\nimport pkg.a\nsink(x=pkg.a.x)', {'pkg/__init__.py': 'a = 5', 'pkg/a.py': 'x = 1'}, known=False),
    'a namespace package': Program('from pkg.a import x\nsink(x=x)', {'pkg/a.py': 'x = 1'}),
    'as': Program('import pkg.a as b\nfrom pkg import a as d\nsink(x=b.x, y=d.x)', {'pkg/__init__.py': '', 'pkg/a.py': 'x = 1'}),
    'import in a class': Program('class A:\n    from a import x\n    import a\nsink(x=A.x, y=A.a.x)', {'a.py': 'x = 1'}),
    'a name rebound by an import': Program('def json(): return 1\na = json()\nimport json\nsink(a=a, b=json.dumps(1))', {}),
    'an import rebound by a name': Program('from a import x\nx = 5\nsink(x=x)', {'a.py': 'x = 1'}),
    'del of a module name': Program('import a\ndel a.x\ntry:\n    y = a.x\nexcept AttributeError:\n    y = 7\nsink(y=y)', {'a.py': 'x = 1'}, known=False),
    'a tuple of names in one line': Program('from a import (x, y as z)\nsink(x=x, z=z)', {'a.py': 'x, y = 1, 2'}),
    'names of a loop of a module': Program('from a import table\nsink(t=table)', {'a.py': "table = {}\nfor n in ['a', 'b']:\n    table[n] = n * 2"}),
    'a lazy name is changed before it is asked for': Program('from a import items\nimport b\nsink(x=items)', {'a.py': 'items = []', 'b.py': 'import a\na.items.append(1)'}),
    'a module that is changed by another on import': Program('import a\nimport patch\nsink(x=a.f())', {'a.py': 'def f():\n    return 1', 'patch.py': 'import a\na.f = lambda: 2'}),
    'patched before the names are taken': Program('import patch\nfrom a import f\nsink(x=f())', {'a.py': 'def f():\n    return 1', 'patch.py': 'import a\na.f = lambda: 2'}),
    'patched after the names are taken': Program('from a import f\nimport patch\nsink(x=f())', {'a.py': 'def f():\n    return 1', 'patch.py': 'import a\na.f = lambda: 2'}),
    'a local module before a package': Program('import yaml\nsink(x=yaml.x)', {'yaml.py': 'x = 1'}, known=False),
    '__all__ that grows': Program('from m import *\nsink(x=x, y=y)', {'m.py': "from m2 import *\nimport m2\n__all__ = ['x']\n__all__ += m2.__all__\nx = 1", 'm2.py': "__all__ = ['y']\ny = 2"}),
    'a future import': Program('from __future__ import annotations\nfrom a import x\nsink(x=x)', {'a.py': 'from __future__ import annotations\nx = 1'}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_claimed_is_so(name: str) -> None:
    program = PROGRAMS[name]
    assert wrong(program.text, program.files) == []


@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if program.known])
def test_what_can_be_known_is_known(name: str) -> None:
    assert unknown(PROGRAMS[name].text, PROGRAMS[name].files) == []
