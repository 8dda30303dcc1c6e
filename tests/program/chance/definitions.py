"""Functions and classes made by chance, each with what uses it."""

from __future__ import annotations

from textwrap import dedent

from tests.program.chance.expressions import Names
from tests.program.chance.statements import Statements


def lines(text: str) -> list[str]:
    return dedent(text).strip("\n").splitlines()


class Definitions(Statements):
    def definition(self, n: Names) -> list[str]:
        some = (
            self.function,
            self.closure,
            self.decorated,
            self.generator,
            self.plain_class,
            self.data_class,
            self.kept_default,
            self.dispatch,
        )
        return self.random.choice((*some, self.forwarded))(n)

    def digit(self) -> int:
        return self.random.randrange(9)

    def function(self, n: Names) -> list[str]:
        name, takes = self.new("f"), self.random.randrange(1, 4)
        parameters = [self.new("n") for _ in range(takes)]
        local = Names([*parameters], functions=dict(n.functions))
        made = [f"def {name}({', '.join([*parameters[:-1], f'{parameters[-1]}={self.digit()}'])}):", *self._outside(n, local)]
        for _ in range(self.random.randint(1, 3)):
            made += self.statement(local, "    ", 1)
        if self.random.random() < 0.4:
            made += [f"    if {self.condition(local, 1)}:", f"        return {self.number(local, 1)}"]
        n.functions[name] = takes
        return [*made, f"    return {self.number(local, 2)} % 97"]

    def _outside(self, n: Names, local: Names) -> list[str]:
        """What a function changes that is not its own."""
        made = []
        shared = [one for one in n.numbers if one.isidentifier()]
        if self.random.random() < 0.3 and shared:
            name = self.random.choice(shared)
            made += [f"    global {name}", f"    {name} = ({name} + {self.number(local, 1)}) % 97"]
        if self.random.random() < 0.3 and n.lists:
            made.append(f"    {self.random.choice(n.lists)}.append({local.numbers[0]})")
        return made

    def closure(self, n: Names) -> list[str]:
        name, made, start = self.new("counter"), self.new("f"), self.number(n, 1)
        n.functions[made] = 1
        return lines(f"""
            def {name}(start):
                total = start
                def add(by=1):
                    nonlocal total
                    total = (total + by) % 97
                    return total
                return add
            {made} = {name}({start})
            """)

    def decorated(self, n: Names) -> list[str]:
        wrap, name, by = self.new("wrap"), self.new("f"), self.number(n, 1)
        n.functions[name] = 1
        return lines(f"""
            def {wrap}(by):
                def outer(function):
                    def call(x=3):
                        return (function(x + by) * 2) % 97
                    return call
                return outer
            @{wrap}({by})
            def {name}(x=1):
                return x - 1
            """)

    def forwarded(self, n: Names) -> list[str]:
        inner, name = self.new("inner"), self.new("f")
        n.functions[name] = 2
        return lines(f"""
            def {inner}(x, *rest, scale={self.digit()}, **more):
                return (x * scale + sum(rest) + len(more)) % 97
            def {name}(*args, **kwargs):
                kwargs.setdefault("scale", {self.digit()})
                return {inner}(*args, **{{**kwargs, "seen": True}})
            """)

    def kept_default(self, n: Names) -> list[str]:
        name = self.new("f")
        n.functions[name] = 1
        return lines(f"""
            def {name}(x=2, seen=[]):
                seen.append(x)
                return sum(seen) % 97
            """)

    def dispatch(self, n: Names) -> list[str]:
        table, made = self.new("table"), self.new("n")
        key = self.key()
        given = "" if key == "'c'" else self.number(n, 1)
        n.numbers.append(made)
        return lines(f"""
            {table} = {{"a": lambda x: x + {self.digit()}, "b": lambda x: x * 2}}
            {table}["c"] = [lambda: at for at in range(3)][{self.random.randrange(3)}]
            {made} = {table}[{key}]({given}) % 97
            """)

    def generator(self, n: Names) -> list[str]:
        name, made = self.new("g"), self.new("l")
        after = self.number(n, 0)
        n.lists.append(made)
        return lines(f"""
            def {name}(most):
                at = 0
                while at < most:
                    if at != {self.random.randrange(4)}:
                        yield at
                    at += 1
                yield from [{after}]
            {made} = list({name}({self.random.randrange(5)}))
            """)

    def plain_class(self, n: Names) -> list[str]:
        name, sub, made = self.new("C"), self.new("C"), self.new("o")
        given = self.random.choice(("", self.number(n, 1)))
        n.objects.append(made)
        return lines(f"""
            class {name}:
                steps = {self.digit()}
                def __init__(self, size={self.digit()}):
                    self.size = size
                @property
                def twice(self):
                    return self.size + self.steps
                def grow(self, by):
                    self.steps = (self.steps + by) % 97
            class {sub}({name}):
                steps = {self.digit()}
                def grow(self, by):
                    super().grow(by + 1)
                    self.size += 1
            {made} = {self.random.choice((name, sub))}({given})
            """)

    def data_class(self, n: Names) -> list[str]:
        name, sub, made = self.new("C"), self.new("C"), self.new("o")
        given = self.random.choice(("", f"size={self.number(n, 1)}", f"{self.number(n, 1)}, {self.number(n, 1)}"))
        n.objects.append(made)
        text = f"""
            @dataclass
            class {name}:
                size: int = {self.digit()}
                steps: int = {self.digit()}
                more: list = field(default_factory=list)
                @property
                def twice(self):
                    return self.size * 2
                def grow(self, by):
                    self.size = (self.size + by) % 97
                    self.more.append(by)
            @dataclass
            class {sub}({name}):
                steps: int = {self.digit()}
            {made} = {self.random.choice((name, sub))}({given})
            """
        return [*lines(text), *(self._replaced(n, made) if self.random.random() < 0.4 else [])]

    def _replaced(self, n: Names, made: str) -> list[str]:
        d, steps = self.new("d"), self.number(n, 1)
        n.dicts.append(d)
        return lines(f"""
            {made} = replace({made}, steps={steps})
            {d} = {{k: v for k, v in asdict({made}).items() if k != 'more'}}
            """)
