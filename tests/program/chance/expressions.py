"""Expressions made by chance, by type."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

UNKNOWN = (
    "torch.cuda.is_available()",
    'bool(os.environ.get("NOBODY_SETS_THIS"))',
    'len(load_dataset("d", split="train")) > 2',
    'len(load_dataset("d", split="train")) > 9',
)
KEYS = ("a", "b", "c")


@dataclass
class Names:
    """What can be asked for here, by type. ``functions``: how many numbers each takes."""

    numbers: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    dicts: list[str] = field(default_factory=list)
    functions: dict[str, int] = field(default_factory=dict)
    objects: list[str] = field(default_factory=list)

    def copy(self) -> Names:
        return Names(list(self.numbers), list(self.texts), list(self.lists), list(self.dicts), dict(self.functions), list(self.objects))


class Expressions:
    """``count`` makes names that are new; ``deep`` is how deep an expression may still go."""

    def __init__(self, random: Random) -> None:
        self.random, self.count = random, 0
        self.words: list[str] = []

    def new(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def number(self, n: Names, deep: int = 2) -> str:
        if deep <= 0 or self.random.random() < 0.3:
            return self.random.choice(n.numbers) if n.numbers and self.random.random() < 0.7 else str(self.random.randrange(9))
        less = deep - 1
        make = self.random.choice(
            (
                lambda: f"({self.number(n, less)} {self.random.choice('+-*')} {self.number(n, less)})",
                lambda: f"({self.number(n, less)} // {self.random.randrange(1, 5)})",
                lambda: f"({self.number(n, less)} if {self.condition(n, less)} else {self.number(n, less)})",
                lambda: f"len({self.sequence(n, less)})",
                lambda: f"sum({self.sequence(n, less)})",
                lambda: f"max({self.number(n, less)}, {self.number(n, less)})",
                lambda: f"{self.mapping(n, less)}.get({self.key()}, {self.number(n, less)})",
                lambda: f"({self.sequence(n, less)} or [{self.number(n, less)}])[{self.random.choice((0, -1))}]",
                lambda: f"int({self.text(n, 0)}.count('a'))",
                lambda: f"({self.number(n, 0)} or {self.number(n, less)})",
                lambda: f"(lambda x, y=2: x * y)({self.number(n, less)})",
                lambda: self.called(n, less),
                lambda: self.attribute(n),
                lambda: f"next((x for x in {self.sequence(n, less)} if x > {self.random.randrange(4)}), {self.random.randrange(9)})",
            )
        )
        return make()

    def called(self, n: Names, deep: int) -> str:
        if not n.functions:
            return self.number(n, 0)
        name = self.random.choice(list(n.functions))
        given = [self.number(n, deep - 1) for _ in range(n.functions[name])]
        if given and self.random.random() < 0.3:
            return f"{name}(*[{', '.join(given)}])"
        if given and self.random.random() < 0.2:
            given = given[:-1]  # the last has a default
        return f"{name}({', '.join(given)})"

    def attribute(self, n: Names) -> str:
        return f"{self.random.choice(n.objects)}.{self.random.choice(('size', 'steps', 'twice'))}" if n.objects else self.number(n, 0)

    def condition(self, n: Names, deep: int = 1, unknown: float = 0.25) -> str:
        if self.random.random() < unknown:
            return self.random.choice(UNKNOWN)
        less = deep - 1
        make = self.random.choice(
            (
                lambda: f"{self.number(n, less)} {self.random.choice(('<', '>', '==', '!=', '<='))} {self.number(n, less)}",
                lambda: f"{self.text(n, 0)} {self.random.choice(('==', '!=', 'in'))} {self.text(n, 0)}",
                lambda: f"{self.key()} in {self.mapping(n, less)}",
                lambda: f"not {self.number(n, less)}",
                lambda: f"({self.condition(n, less) if deep > 0 else 'True'} {self.random.choice(('and', 'or'))} {self.number(n, 0)} > 2)",
                lambda: f"isinstance({self.number(n, 0)}, int)",
                lambda: f"1 < {self.number(n, 0)} <= 5",
            )
        )
        return make()

    def text(self, n: Names, deep: int = 1) -> str:
        if deep <= 0 or self.random.random() < 0.4:
            return (
                self.random.choice(n.texts)
                if n.texts and self.random.random() < 0.6
                else repr(self.random.choice(("a", "ab", "org/a", "ba-1")))
            )
        less = deep - 1
        make = self.random.choice(
            (
                lambda: 'f"{' + self.number(n, 0) + "}-{" + (self.random.choice(n.texts) if n.texts else "1") + '}"',
                lambda: f"({self.text(n, less)} + {self.text(n, less)})",
                lambda: f"{self.text(n, less)}.upper()",
                lambda: f"{self.text(n, less)}.split('-')[0]",
                lambda: f"'+'.join([{self.text(n, less)}, {self.text(n, less)}])",
                lambda: f"str({self.number(n, less)})",
                lambda: f"({self.text(n, less)} if {self.condition(n, 0)} else {self.text(n, less)})",
            )
        )
        return make()

    def sequence(self, n: Names, deep: int = 1) -> str:
        if deep <= 0 or self.random.random() < 0.4:
            return self.random.choice(n.lists) if n.lists and self.random.random() < 0.7 else f"[{self.number(n, 0)}, {self.number(n, 0)}]"
        less = deep - 1
        make = self.random.choice(
            (
                lambda: f"[x + {self.number(n, 0)} for x in {self.sequence(n, less)} if x != {self.random.randrange(4)}]",
                lambda: f"list(range({self.random.randrange(1, 4)}))",
                lambda: f"sorted({self.sequence(n, less)}, reverse={self.random.choice((True, False))})",
                lambda: f"list({self.mapping(n, less)}.values())",
                lambda: f"({self.sequence(n, less)} + [{self.number(n, less)}])",
                lambda: f"{self.sequence(n, 0)}[{self.random.choice(('1:', ':1', '::-1', ':'))}]",
                lambda: f"[x * y for x, y in zip({self.sequence(n, less)}, {self.sequence(n, less)})]",
                lambda: f"[at * x for at, x in enumerate({self.sequence(n, less)})]",
                lambda: f"list(map(lambda x: x - 1, {self.sequence(n, less)}))",
            )
        )
        return make()

    def mapping(self, n: Names, deep: int = 1) -> str:
        if deep <= 0 or self.random.random() < 0.4:
            plain = f"{{{self.key()}: {self.number(n, 0)}, {self.key()}: {self.number(n, 0)}}}"
            return self.random.choice(n.dicts) if n.dicts and self.random.random() < 0.7 else plain
        less = deep - 1
        make = self.random.choice(
            (
                lambda: f"{{**{self.mapping(n, less)}, {self.key()}: {self.number(n, less)}}}",
                lambda: f"({self.mapping(n, less)} | {self.mapping(n, less)})",
                lambda: f"{{k: v + 1 for k, v in {self.mapping(n, less)}.items() if v != {self.random.randrange(4)}}}",
                lambda: f"dict({self.mapping(n, less)}, {self.random.choice(KEYS)}={self.number(n, less)})",
                lambda: f"dict(zip('ab', {self.sequence(n, less)}))",
                lambda: f"{self.mapping(n, 0)}.copy()",
            )
        )
        return make()

    def key(self) -> str:
        return repr(self.random.choice(KEYS))
