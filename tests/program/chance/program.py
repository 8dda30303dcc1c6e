"""Whole programs made by chance: a command line, statements, and calls that decide memory."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.program.chance.definitions import Definitions
from tests.program.chance.expressions import Names

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


class Writer(Definitions):
    def options(self, n: Names) -> list[str]:
        """A parser, and by chance words for its options."""
        made = [self._option(n, letter) for letter in "xyzw"[: self.random.randint(1, 4)]]
        return ["parser = argparse.ArgumentParser()", *made, "flags = parser.parse_args()"]

    def _option(self, n: Names, letter: str) -> str:
        name, dest, said = f"--opt-{letter}", f"flags.opt_{letter}", self.random.random() < 0.5
        kind = self.random.choice(("int", "int", "str", "true", "false", "choice"))
        (n.texts if kind in ("str", "choice") else n.numbers).append(dest)
        word = {"int": [name, str(self.random.randrange(20))], "str": [f"{name}=org/x"], "choice": [name, "b"]}
        self.words += word.get(kind, [name]) if said else []
        default = self.random.choice((str(self.random.randrange(9)), "'7'"))
        how = {"int": f"type=int, default={default}", "str": "default='ba-1'", "choice": "choices=['a', 'b'], default='a'"}
        return f"parser.add_argument('{name}', {how.get(kind) or 'action=' + repr('store_' + kind)})"

    def ending(self, n: Names) -> list[str]:
        made = [f"model = AutoModelForCausalLM.from_pretrained({self.text(n, 2)}, num_hidden_layers={self.number(n, 2)})"]
        if self.random.random() < 0.4:
            made += self.perhaps(
                n, f"model = get_peft_model(model, LoraConfig(r={self.number(n, 1)}, target_modules={self.sequence(n, 1)}))"
            )
        given = f"per_device_train_batch_size={self.number(n, 2)}, seed={self.number(n, 1)}"
        if self.random.random() < 0.4:
            made.append(f"given = {{'max_steps': {self.number(n, 1)}, **({{'save_steps': 3}} if {self.condition(n, 1)} else {{}})}}")
            given += ", **given"
        made.append(f"args = TrainingArguments({self.text(n, 1)}, {given})")
        if self.random.random() < 0.4:
            field = self.random.choice(("seed", "save_steps", "per_device_train_batch_size"))
            made += self.perhaps(n, f"args.{field} = {self.number(n, 1)}")
        return [*made, "trainer = Trainer(model, args)", "trainer.train()"]

    def perhaps(self, n: Names, line: str) -> list[str]:
        return [f"if {self.condition(n, 1)}:", f"    {line}"] if self.random.random() < 0.5 else [line]


@dataclass(frozen=True)
class Generated:
    text: str
    words: tuple[str, ...]


def program(random: Random) -> Generated:
    """One program and the words that it is started with."""
    writer, names = Writer(random), Names()
    lines = writer.options(names) if random.random() < 0.5 else []
    for _ in range(random.randint(2, 12)):
        lines += writer.definition(names) if random.random() < 0.25 else writer.statement(names)
    if random.random() < 0.3:
        lines += ["def main():", *(f"    {line}" for line in writer.ending(names)), 'if __name__ == "__main__":', "    main()"]
    else:
        lines += writer.ending(names)
    return Generated("\n".join([HEAD, *lines, ""]), tuple(writer.words))
