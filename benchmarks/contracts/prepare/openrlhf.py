# What a program of OpenRLHF does when it is run: its parser, its checks, and the beginning of `train`, on this machine without engines
# and processes. Whatever is imported and not there, and whatever `train` starts, is a mock.
import ast
import functools
import importlib.util
import os
import pathlib
import sys
import tempfile
from unittest import mock

STARTED = ("ray", "openrlhf.trainer", "openrlhf.models", "openrlhf.datasets", "openrlhf.utils", "vllm", "deepspeed")
REAL = ("openrlhf.utils.config",)
ROOT = next(pathlib.Path(one) for one in sys.path if (pathlib.Path(one) / "openrlhf").is_dir())


class Finder:
    """Modules that start engines are mocks."""

    @staticmethod
    def find_spec(name, _path=None, _target=None):
        if any(name == one or name.startswith(f"{one}.") for one in STARTED) and name not in REAL:
            return importlib.util.spec_from_loader(name, Loader)
        return None


class Loader:
    @staticmethod
    def create_module(spec):
        made = mock.MagicMock(name=spec.name)
        made.__spec__, made.__path__, made.__name__ = spec, [str(ROOT.joinpath(*spec.name.split(".")))], spec.name
        return made

    @staticmethod
    def exec_module(_module): ...


sys.meta_path.insert(0, Finder)
os.chdir(tempfile.mkdtemp())  # programs make their output folders


@functools.cache
def program(name):
    """The module, and what it does when it is run."""
    path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    main = [one for one in tree.body if isinstance(one, ast.If) and "__main__" in ast.unparse(one.test)]
    tree.body = [one for one in tree.body if one not in main]
    return compile(tree, str(path), "exec"), compile(ast.Module([each for one in main for each in one.body], []), str(path), "exec")


@kind("openrlhf")  # noqa: F821
def openrlhf(name, given):
    words = []
    for key, value in given.items():
        if value is True:
            words.append(f"--{key}")
        elif value is not False and value is not None:
            words += [f"--{key}", *map(str, value if isinstance(value, list) else [value])]
    sys.argv = [name, *words]
    names = {"__name__": name}
    module, main = program(name)
    exec(module, names)
    if not name.endswith("train_ppo_ray"):  # the others load data and model at once
        names["train"] = lambda _args: None
    exec(main, names)
