"""Statements made by chance: simple ones, and blocks of them."""

from __future__ import annotations

from textwrap import dedent

from tests.program.chance.expressions import KEYS, Expressions, Names


class Statements(Expressions):
    def body(self, n: Names, pad: str, deep: int, most: int = 3) -> list[str]:
        """Statements of a nested block: names that are new there are not asked for after it."""
        inner, lines = n.copy(), []
        for _ in range(self.random.randint(1, most)):
            lines += self.statement(inner, pad, deep)
        return lines

    def statement(self, n: Names, pad: str = "", deep: int = 2) -> list[str]:
        simple = (self.assign, self.assign, self.change_list, self.change_dict, self.augment, self.alias, self.unpack, self.change_object)
        nested = (self.choose, self.choose, self.each, self.until, self.attempt, self.hand_on, self.managed, self.matched, self.walk)
        return self.random.choice(simple + (nested if deep > 0 else ()))(n, pad, deep)

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
        text = f"""
            @contextmanager
            def {name}(d, key):
                before = d.get(key, 1)
                d[key] = before + 5
                try:
                    yield before
                finally:
                    d[key] = before
            with {name}({d}, {self.key()}) as {value}:
            """
        return [*dedent(text).strip().splitlines(), *self.body(n, "    ", deep - 1)]

    def matched(self, n: Names, pad: str, deep: int) -> list[str]:
        inner = n.copy()
        bound = self.new("n")
        inner.numbers.append(bound)
        return [
            f"{pad}match {self.number(n, 1)}:", f"{pad}    case 0 | 1:", *self.body(n, pad + " " * 8, 0, 1),
            f"{pad}    case {bound} if {bound} > {self.random.randrange(6)}:", *self.body(inner, pad + " " * 8, 0, 1),
            f"{pad}    case _:", *self.body(n, pad + " " * 8, 0, 1),
        ]  # fmt: skip
