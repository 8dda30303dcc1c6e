"""Small training programs, made by chance: each is valid Python, runs, and ends in calls that decide memory.

`program` draws from a ``random.Random``; what is drawn is typed (numbers, texts, lists, dicts, objects), so that hardly any program stops in
an error of its own. Conditions of which nobody knows the outcome stand among those that are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

UNKNOWN = (
    "torch.cuda.is_available()",
    'bool(os.environ.get("NOBODY_SETS_THIS"))',
    'len(load_dataset("d", split="train")) > 2',
    'len(load_dataset("d", split="train")) > 9',
)
KEYS = ("a", "b", "c")
HEAD = """import argparse
import os
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace

import torch
from acme.patches import tune
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
"""


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


class Writer:
    """Draws statements; ``count`` makes names that are new."""

    def __init__(self, random: Random) -> None:
        self.random, self.count = random, 0
        self.words: list[str] = []

    def new(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def one(self, *choices: Callable[[Names], str]) -> Callable[[Names], str]:
        return self.random.choice(choices)

    # expressions

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

    # statements

    def body(self, n: Names, pad: str, deep: int, most: int = 3) -> list[str]:
        """Statements of a nested block: names that are new there are not asked for after it."""
        inner, lines = n.copy(), []
        for _ in range(self.random.randint(1, most)):
            lines += self.statement(inner, pad, deep)
        return lines

    def statement(self, n: Names, pad: str = "", deep: int = 2, loop: bool = False) -> list[str]:
        simple = (self.assign, self.assign, self.change_list, self.change_dict, self.augment, self.alias, self.unpack, self.change_object)
        nested = (self.choose, self.choose, self.each, self.until, self.attempt, self.hand_on, self.managed, self.matched, self.walk)
        top = (self.function, self.klass, self.closure, self.decorated, self.generator)
        kinds = simple + (nested if deep > 0 else ()) + (top if not pad else ())
        return self.random.choice(kinds)(n, pad, deep)

    def assign(self, n: Names, pad: str, deep: int) -> list[str]:
        kind = self.random.choice(("n", "n", "t", "l", "d"))
        made = {"n": self.number, "t": self.text, "l": self.sequence, "d": self.mapping}[kind](n, 2)
        known = {"n": n.numbers, "t": n.texts, "l": n.lists, "d": n.dicts}[kind]
        name = self.random.choice(known) if known and self.random.random() < 0.4 else self.new(kind)
        if name not in known:
            known.append(name)
        return [f"{pad}{name} = {made}" + (" % 97" if kind == "n" else "")]

    def augment(self, n: Names, pad: str, deep: int) -> list[str]:
        if not n.numbers:
            return self.assign(n, pad, deep)
        name = self.random.choice(n.numbers)
        return [f"{pad}{name} {self.random.choice(('+=', '-=', '*='))} {self.number(n, 1)}", f"{pad}{name} %= 97"]

    def alias(self, n: Names, pad: str, deep: int) -> list[str]:
        kind, known = self.random.choice((("l", n.lists), ("d", n.dicts), ("o", n.objects)))
        if not known:
            return self.assign(n, pad, deep)
        name, of = self.new(kind), self.random.choice(known)
        known.append(name)
        return [f"{pad}{name} = {of}"]

    def unpack(self, n: Names, pad: str, deep: int) -> list[str]:
        one, two = self.new("n"), self.new("n")
        lines = [f"{pad}{one}, {two} = {self.number(n, 1)}, {self.number(n, 1)}"]
        if self.random.random() < 0.4:
            rest = self.new("l")
            lines = [f"{pad}{one}, *{rest}, {two} = [{self.number(n, 1)}, *{self.sequence(n, 1)}, {self.number(n, 1)}]"]
            n.lists.append(rest)
        n.numbers += [one, two]
        return [*lines, *([f"{pad}{one}, {two} = {two}, {one}"] if self.random.random() < 0.4 else [])]

    def change_list(self, n: Names, pad: str, deep: int) -> list[str]:
        if not n.lists:
            return self.assign(n, pad, deep)
        name = self.random.choice(n.lists)
        return [pad + self.random.choice((
            f"{name}.append({self.number(n, 1)})",
            f"{name}.extend({self.sequence(n, 1)})",
            f"{name}.insert(0, {self.number(n, 1)})",
            f"{name} += [{self.number(n, 1)}]",
            f"{name}[:1] = [{self.number(n, 1)}]",
            f"{name}.reverse()",
            f"{name}.sort()",
            f"{name}.clear()",
        ))]  # fmt: skip

    def change_dict(self, n: Names, pad: str, deep: int) -> list[str]:
        if not n.dicts:
            return self.assign(n, pad, deep)
        name = self.random.choice(n.dicts)
        return [pad + self.random.choice((
            f"{name}[{self.key()}] = {self.number(n, 1)}",
            f"{name}.update({self.mapping(n, 1)})",
            f"{name}.setdefault({self.key()}, {self.number(n, 1)})",
            f"{name}.pop({self.key()}, None)",
            f"{name} |= {self.mapping(n, 0)}",
            f"{name}.update({self.random.choice(KEYS)}={self.number(n, 1)})",
        ))]  # fmt: skip

    def change_object(self, n: Names, pad: str, deep: int) -> list[str]:
        if not n.objects:
            return self.assign(n, pad, deep)
        name = self.random.choice(n.objects)
        return [pad + self.random.choice((
            f"{name}.size = {self.number(n, 1)}",
            f"{name}.steps += {self.number(n, 1)}",
            f"setattr({name}, {self.random.choice(('size', 'steps'))!r}, {self.number(n, 1)})",
            f"{name}.grow({self.number(n, 1)})",
        ))]  # fmt: skip

    def choose(self, n: Names, pad: str, deep: int) -> list[str]:
        lines = [f"{pad}if {self.condition(n, 1, 0.45)}:", *self.body(n, pad + "    ", deep - 1)]
        if self.random.random() < 0.3:
            lines += [f"{pad}elif {self.condition(n, 1)}:", *self.body(n, pad + "    ", deep - 1)]
        if self.random.random() < 0.5:
            lines += [f"{pad}else:", *self.body(n, pad + "    ", deep - 1)]
        return lines

    def each(self, n: Names, pad: str, deep: int) -> list[str]:
        item = self.new("n")
        over = self.random.choice(
            (f"list({self.sequence(n, 1)})[:5]", f"range({self.random.randrange(4)})", f"list({self.mapping(n, 1)}.values())")
        )
        inner = n.copy()
        inner.numbers.append(item)
        lines = [f"{pad}{item} = 0", f"{pad}for {item} in {over}:", *self.body(inner, pad + "    ", deep - 1)]
        if self.random.random() < 0.4:
            left = self.random.choice(("break", "continue"))
            lines += [f"{pad}    if {self.condition(inner, 1)}:", f"{pad}        {left}", *self.body(inner, pad + "    ", 0, 1)]
        if self.random.random() < 0.25:
            lines += [f"{pad}else:", *self.body(inner, pad + "    ", 0, 1)]
        n.numbers.append(item)
        return lines

    def walk(self, n: Names, pad: str, deep: int) -> list[str]:
        key, value = self.new("t"), self.new("n")
        inner = n.copy()
        inner.texts.append(key)
        inner.numbers.append(value)
        return [f"{pad}for {key}, {value} in sorted({self.mapping(n, 1)}.items()):", *self.body(inner, pad + "    ", deep - 1)]

    def until(self, n: Names, pad: str, deep: int) -> list[str]:
        count = self.new("i")
        lines = [f"{pad}{count} = 0", f"{pad}while {count} < {self.random.randrange(5)}:", f"{pad}    {count} += 1"]
        lines += self.body(n, pad + "    ", deep - 1)
        if self.random.random() < 0.4:
            lines += [f"{pad}    if {self.condition(n, 1)}:", f"{pad}        break"]
        return lines

    def attempt(self, n: Names, pad: str, deep: int) -> list[str]:
        fails = self.random.choice(("int('x')", "{}['a']", "int('3')", "[][0]", "None.x"))
        lines = [f"{pad}try:", *self.body(n, pad + "    ", deep - 1, 2), f"{pad}    {fails}", *self.body(n, pad + "    ", 0, 1)]
        kinds = self.random.choice(("ValueError", "(KeyError, ValueError, IndexError, AttributeError)", "Exception"))
        lines += [f"{pad}except {kinds}:", *self.body(n, pad + "    ", deep - 1, 2)]
        if kinds == "ValueError":
            lines += [f"{pad}except Exception:", f"{pad}    pass"]
        if self.random.random() < 0.3:
            lines += [f"{pad}else:", *self.body(n, pad + "    ", 0, 1)]
        if self.random.random() < 0.3:
            lines += [f"{pad}finally:", *self.body(n, pad + "    ", 0, 1)]
        return lines

    def hand_on(self, n: Names, pad: str, deep: int) -> list[str]:
        """Something is given to a package that nobody knows."""
        if not (n.dicts or n.objects) or self.random.random() < 0.6:
            return self.assign(n, pad, deep)
        return [f"{pad}tune({self.random.choice(n.dicts + n.objects)})"]

    def managed(self, n: Names, pad: str, deep: int) -> list[str]:
        if pad or not n.dicts:
            return self.choose(n, pad, deep)
        name, value = self.new("during"), self.new("n")
        d = self.random.choice(n.dicts)
        n.numbers.append(value)
        return [
            "@contextmanager", f"def {name}(d, key):", "    before = d.get(key, 1)", "    d[key] = before + 5", "    try:", "        yield before",
            "    finally:", "        d[key] = before", f"with {name}({d}, {self.key()}) as {value}:", *self.body(n, "    ", deep - 1),
        ]  # fmt: skip

    def matched(self, n: Names, pad: str, deep: int) -> list[str]:
        inner = n.copy()
        bound = self.new("n")
        inner.numbers.append(bound)
        return [
            f"{pad}match {self.number(n, 1)}:", f"{pad}    case 0 | 1:", *self.body(n, pad + " " * 8, 0, 1),
            f"{pad}    case {bound} if {bound} > {self.random.randrange(6)}:", *self.body(inner, pad + " " * 8, 0, 1),
            f"{pad}    case _:", *self.body(n, pad + " " * 8, 0, 1),
        ]  # fmt: skip

    # definitions

    def function(self, n: Names, pad: str, deep: int) -> list[str]:
        name, takes = self.new("f"), self.random.randrange(1, 4)
        parameters = [self.new("n") for _ in range(takes)]
        inner = Names([*parameters], list(n.texts), list(n.lists), list(n.dicts), dict(n.functions), list(n.objects))
        local = Names([*parameters], functions=dict(n.functions))
        lines = [f"def {name}({', '.join(parameters[:-1])}{', ' if takes > 1 else ''}{parameters[-1]}={self.random.randrange(9)}):"]
        globals_ = [one for one in n.numbers if one.isidentifier()]
        if self.random.random() < 0.3 and globals_:
            shared = self.random.choice(globals_)
            lines += [f"    global {shared}", f"    {shared} = ({shared} + {self.number(local, 1)}) % 97"]
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(local, "    ", 1)
        if self.random.random() < 0.4:
            lines += [f"    if {self.condition(local, 1)}:", f"        return {self.number(local, 1)}"]
        if self.random.random() < 0.3 and inner.lists:
            lines += [f"    {self.random.choice(inner.lists)}.append({parameters[0]})"]
        n.functions[name] = takes
        return [*lines, f"    return {self.number(local, 2)} % 97"]

    def closure(self, n: Names, pad: str, deep: int) -> list[str]:
        name, made = self.new("counter"), self.new("f")
        n.functions[made] = 1
        return [
            f"def {name}(start):", "    total = start", "    def add(by=1):", "        nonlocal total", "        total = (total + by) % 97",
            "        return total", "    return add", f"{made} = {name}({self.number(n, 1)})",
        ]  # fmt: skip

    def decorated(self, n: Names, pad: str, deep: int) -> list[str]:
        wrap, name = self.new("wrap"), self.new("f")
        n.functions[name] = 1
        return [
            f"def {wrap}(by):", "    def outer(function):", "        def call(x=3):", "            return (function(x + by) * 2) % 97",
            "        return call", "    return outer", f"@{wrap}({self.number(n, 1)})", f"def {name}(x=1):", "    return x - 1",
        ]  # fmt: skip

    def generator(self, n: Names, pad: str, deep: int) -> list[str]:
        name, made = self.new("g"), self.new("l")
        n.lists.append(made)
        return [
            f"def {name}(most):", "    at = 0", "    while at < most:", f"        if at != {self.random.randrange(4)}:", "            yield at",
            "        at += 1", f"    yield from [{self.number(n, 0)}]", f"{made} = list({name}({self.random.randrange(5)}))",
        ]  # fmt: skip

    def klass(self, n: Names, pad: str, deep: int) -> list[str]:
        name, sub, made = self.new("C"), self.new("C"), self.new("o")
        n.objects.append(made)
        if self.random.random() < 0.5:
            lines = [
                "@dataclass", f"class {name}:", f"    size: int = {self.random.randrange(9)}", f"    steps: int = {self.random.randrange(9)}",
                "    more: list = field(default_factory=list)", "    @property", "    def twice(self):", "        return self.size * 2",
                "    def grow(self, by):", "        self.size = (self.size + by) % 97", "        self.more.append(by)",
                "@dataclass", f"class {sub}({name}):", f"    steps: int = {self.random.randrange(9)}",
            ]  # fmt: skip
            given = self.random.choice(("", f"size={self.number(n, 1)}", f"{self.number(n, 1)}, {self.number(n, 1)}"))
            lines.append(f"{made} = {self.random.choice((name, sub))}({given})")
            if self.random.random() < 0.4:
                d = self.new("d")
                n.dicts.append(d)
                lines += [
                    f"{made} = replace({made}, steps={self.number(n, 1)})",
                    f"{d} = {{k: v for k, v in asdict({made}).items() if k != 'more'}}",
                ]
            return lines
        return [
            f"class {name}:", f"    steps = {self.random.randrange(9)}", f"    def __init__(self, size={self.random.randrange(9)}):",
            "        self.size = size", "    @property", "    def twice(self):", "        return self.size + self.steps",
            "    def grow(self, by):", "        self.steps = (self.steps + by) % 97", f"class {sub}({name}):",
            f"    steps = {self.random.randrange(9)}", "    def grow(self, by):", "        super().grow(by + 1)", "        self.size += 1",
            f"{made} = {self.random.choice((name, sub))}({self.random.choice(('', self.number(n, 1)))})",
        ]  # fmt: skip

    # the command line, and the end

    def options(self, n: Names) -> list[str]:
        parser, made, lines = "parser", "flags", ["parser = argparse.ArgumentParser()"]
        for at in range(self.random.randint(1, 4)):
            name, kind = f"--opt-{'xyzw'[at]}", self.random.choice(("int", "int", "str", "true", "false", "choice"))
            said = self.random.random() < 0.5
            dest = f"{made}.opt_{'xyzw'[at]}"
            if kind == "int":
                lines.append(
                    f'{parser}.add_argument("{name}", type=int, default={self.random.choice((str(self.random.randrange(9)), repr("7")))})'
                )
                self.words += [name, str(self.random.randrange(20))] if said else []
                n.numbers.append(dest)
            elif kind == "str":
                lines.append(f'{parser}.add_argument("{name}", default="ba-1")')
                self.words += [f"{name}=org/x"] if said else []
                n.texts.append(dest)
            elif kind == "choice":
                lines.append(f'{parser}.add_argument("{name}", choices=["a", "b"], default="a")')
                self.words += [name, "b"] if said else []
                n.texts.append(dest)
            else:
                lines.append(f'{parser}.add_argument("{name}", action="store_{kind}")')
                self.words += [name] if said else []
                n.numbers.append(dest)
        return [*lines, f"{made} = parser.parse_args()"]

    def ending(self, n: Names) -> list[str]:
        lines = [f"model = AutoModelForCausalLM.from_pretrained({self.text(n, 2)}, num_hidden_layers={self.number(n, 2)})"]
        if self.random.random() < 0.4:
            adapt = f"model = get_peft_model(model, LoraConfig(r={self.number(n, 1)}, target_modules={self.sequence(n, 1)}))"
            lines += [f"if {self.condition(n, 1)}:", f"    {adapt}"] if self.random.random() < 0.5 else [adapt]
        given = f"per_device_train_batch_size={self.number(n, 2)}, seed={self.number(n, 1)}"
        if self.random.random() < 0.4:
            lines.append(f"given = {{'max_steps': {self.number(n, 1)}, **({{'save_steps': 3}} if {self.condition(n, 1)} else {{}})}}")
            given += ", **given"
        lines.append(f"args = TrainingArguments({self.text(n, 1)}, {given})")
        if self.random.random() < 0.4:
            change = f"args.{self.random.choice(('seed', 'save_steps', 'per_device_train_batch_size'))} = {self.number(n, 1)}"
            lines += [f"if {self.condition(n, 1)}:", f"    {change}"] if self.random.random() < 0.5 else [change]
        return [*lines, "trainer = Trainer(model, args)", "trainer.train()"]


@dataclass(frozen=True)
class Generated:
    text: str
    words: tuple[str, ...]


def program(random: Random) -> Generated:
    """One program and the words that it is started with."""
    writer, names = Writer(random), Names()
    lines = writer.options(names) if random.random() < 0.5 else []
    for _ in range(random.randint(2, 12)):
        lines += writer.statement(names)
    if random.random() < 0.3:
        lines += ["def main():", *(f"    {line}" for line in writer.ending(names)), 'if __name__ == "__main__":', "    main()"]
    else:
        lines += writer.ending(names)
    return Generated("\n".join([HEAD, *lines, ""]), tuple(writer.words))
