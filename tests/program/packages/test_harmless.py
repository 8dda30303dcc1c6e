"""Which calls leave what they are given as it was, and how long a pattern may take."""

from __future__ import annotations

import re
import sys

import pytest

from budgetlint.program.packages import tables
from budgetlint.program.packages.benign import CHANGES, PACKAGES, changes_nothing
from budgetlint.program.packages.patterns import cheap

from .following import followed

HARMLESS = ["logging.getLogger", "wandb.init", "datasets.load_dataset", "numpy.array", "torch.cuda.memory_allocated",
    "torch.nn.utils.clip_grad_norm_",
            "transformers.set_seed", "matplotlib.pyplot.plot", "os.path.getsize", "builtins.print", "ValueError",
            "random.choice"]  # fmt: skip
NOT_HARMLESS = ["acme.patches.apply", "numpy.random.shuffle", "torch.nn.utils.prune.l1_unstructured",
    "torch.ao.quantization.quantize", "liger_kernel.apply",
                "accelerate.dispatch_model", "exec", "builtins.setattr", "torch.distributed.fsdp.fully_shard", "nump.array",
                "wandb2", "peft.inject_adapter_in_model",
                "transformers.integrations.replace_with_bnb_linear", "operator.setitem"]  # fmt: skip


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(name: str) -> None:
    assert changes_nothing(name)


@pytest.mark.parametrize("name", NOT_HARMLESS)
def test_not_harmless(name: str) -> None:
    assert not changes_nothing(name)


def test_every_row_says_why_and_every_exception_is_one() -> None:
    assert all(PACKAGES.values()) and all(CHANGES.values())
    parents = {name: [name.rsplit(".", count)[0] for count in range(1, name.count(".") + 1)] for name in CHANGES}
    assert [name for name, above in parents.items() if not any(one in PACKAGES for one in above)] == []


QUICK = [(r"(\d+)b", "llama-7b"), (r"^model\.layers\.(\d+)\.", "model.layers.12.mlp"), (r"[^\w]", "a" * 1000), (r"a.*b",
    "x" * 900), (r"(?:a|b)c", "bc" * 20),
         (r"(?i)(\d+(?:\.\d+)?)b", "Llama-2-7.5B-hf")]  # fmt: skip
SLOW = [(r"(a+)+$", "a"), (r"(a|aa)*$", "a"), (r"(.*)*", "a"), (r"(a?){20}a", "a"), (r"(a)\1", "aa"), (r".*.*.*x", "a" * 200),
    (r"(?P<x>a)(?P=x)", "aa"),
        ("a" * 300, "a"), (r"a{1,9}b{1,9}c*d*e*", "a" * 100), (r"((a+)?)*", "a")]  # fmt: skip


@pytest.mark.parametrize(("pattern", "text"), QUICK)
def test_patterns_that_are_tried(pattern: str, text: str) -> None:
    assert cheap(pattern, text) and re.search(pattern, text) is not False


@pytest.mark.parametrize(("pattern", "text"), SLOW)
def test_patterns_that_are_not(pattern: str, text: str) -> None:
    assert not cheap(pattern, text)


def test_tables_are_whole() -> None:
    """Every row is a handler; every function of Python's own that a program could call has a name."""
    known = tables()
    assert all(map(callable, [*known.functions.values(), *known.methods.values(), *known.properties.values(), *known.made.values()]))
    assert {"len", "open", "json.load", "os.path.join", "dataclasses.asdict", "builtins.len"} <= known.functions.keys()
    assert {"str.format", "list.append", "dict.get", "path.exists", "set.add", "file.read"} <= known.methods.keys()
    assert {"print", "ValueError", "int"} <= known.builtins.keys()


WRITES = """
import os, shutil, subprocess
os.system("x")
subprocess.run(["x"])
os.mkdir("x")
shutil.rmtree("x")
eval("os.system(1)")
exec("os.mkdir(2)")
"""
_WATCHED = frozenset({"os.system", "subprocess.Popen", "os.mkdir", "shutil.rmtree"})


def test_nothing_of_the_project_is_run() -> None:
    """A program that would write, were it run."""
    seen: list[str] = []
    active = [True]
    sys.addaudithook(lambda event, args: seen.append(event) if active[0] and event in _WATCHED else None)
    followed(WRITES)
    active[0] = False
    assert seen == []
