"""One run written in every way that people write it: its values as flags of each parser, in a YAML, JSON or TOML file that the program
opens, as overrides, in a notebook, and as literals of the program.

A surface makes files of a body and its values. The body is the same program text on all of them: where it says ``{name}`` stands an
expression for that value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

Files = dict[str, str]
Values = Mapping[str, Any]
Surface = Callable[[str, Values, str], Files]
"""A body, its values, and the launcher with which it is started."""


def _type(value: Any) -> str:
    return type(value).__name__


def _script(head: str, body: str, values: Values, expression: str, launcher: str, words: str = "") -> Files:
    """The program with its launch. ``expression`` is what stands for a value: ``args.{}``."""
    text = body
    for name in values:
        text = text.replace(f"{{{name}}}", expression.format(name))
    return {"train.py": f"{head}\n\n{text}", "run.sh": f"{launcher} train.py {words}".rstrip() + "\n"}


def word(value: Any) -> str:
    """A value as a word of a shell."""
    text = str(value)
    return text if text and all(one.isalnum() or one in "_./-+=," for one in text) else f"'{text}'"


def flags(values: Values, *, dashes: bool = False, join: str = " ") -> str:
    return " ".join(f"--{name.replace('_', '-') if dashes else name}{join}{word(value)}" for name, value in values.items())


def _switches(values: Values, *, dashes: bool = False) -> str:
    """Flags of which a truth value is ``--x`` or nothing."""
    told = {name: value for name, value in values.items() if not isinstance(value, bool)}
    on = [f"--{name.replace('_', '-') if dashes else name}" for name, value in values.items() if value is True]
    return " ".join([flags(told, dashes=dashes), *on])


# literals


def literals(body: str, values: Values, launcher: str) -> Files:
    text = body
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", repr(value))
    return {"train.py": text, "run.sh": f"{launcher} train.py\n"}


def constants(body: str, values: Values, launcher: str) -> Files:
    upper = {name.upper(): value for name, value in values.items()}
    text = body
    for name in values:
        text = text.replace(f"{{{name}}}", f"{{{name.upper()}}}")
    return _script("\n".join(f"{name} = {value!r}" for name, value in upper.items()), text, upper, "{}", launcher)


def a_dict(body: str, values: Values, launcher: str) -> Files:
    return _script(f"config = {dict(values)!r}", body, values, 'config["{}"]', launcher)


def unstarted(body: str, values: Values, launcher: str) -> Files:
    """A script that no command starts."""
    return {"train.py": literals(body, values, launcher)["train.py"]}


def notebook(body: str, values: Values, launcher: str) -> Files:
    text = literals(body, values, launcher)["train.py"]
    cells = [{"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": text.splitlines(keepends=True)}]
    return {"train.ipynb": json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)}


# files that the program opens

_JSON = "import json\nimport sys\n\nwith open(sys.argv[1]) as file:\n    config = json.load(file)"
_YAML = "import sys\n\nimport yaml\n\nwith open(sys.argv[1]) as file:\n    config = yaml.safe_load(file)"
_TOML = 'import sys\nimport tomllib\n\nwith open(sys.argv[1], "rb") as file:\n    config = tomllib.load(file)'


def yaml_text(values: Values) -> str:
    """YAML that every loader reads alike: numbers with a point and a sign in the exponent, texts in quotes."""
    return "".join(f"{name}: {_scalar(value)}\n" for name, value in values.items())


def _scalar(value: Any) -> str:
    if isinstance(value, float) and "e" in repr(value) and "." not in repr(value):
        return repr(value).replace("e", ".0e")
    return json.dumps(value)


def yaml_file(body: str, values: Values, launcher: str) -> Files:
    return {**_script(_YAML, body, values, 'config["{}"]', launcher, "config.yaml"), "config.yaml": yaml_text(values)}


def json_file(body: str, values: Values, launcher: str) -> Files:
    text = json.dumps(dict(values), indent=2) + "\n"
    return {**_script(_JSON, body, values, 'config["{}"]', launcher, "config.json"), "config.json": text}


def toml_file(body: str, values: Values, launcher: str) -> Files:
    text = "".join(f"{name} = {_scalar(value)}\n" for name, value in values.items())
    return {**_script(_TOML, body, values, 'config["{}"]', launcher, "config.toml"), "config.toml": text}


# parsers of words


def argparse_flags(body: str, values: Values, launcher: str) -> Files:
    head = ["import argparse", "", "parser = argparse.ArgumentParser()"]
    for name, value in values.items():
        asked = 'action="store_true"' if isinstance(value, bool) else f"type={_type(value)}"
        head.append(f'parser.add_argument("--{name}", {asked})')
    head.append("args = parser.parse_args()")
    return _script("\n".join(head), body, values, "args.{}", launcher, _switches(values))


def argparse_defaults(body: str, values: Values, launcher: str) -> Files:
    """Nothing is given: the values are the options' defaults."""
    head = ["import argparse", "", "parser = argparse.ArgumentParser()"]
    for name, value in values.items():
        asked = "lambda text: text == 'True'" if isinstance(value, bool) else _type(value)
        head.append(f'parser.add_argument("--{name}", type={asked}, default={value!r})')
    head.append("args = parser.parse_args()")
    return _script("\n".join(head), body, values, "args.{}", launcher)


def _dataclass(values: Values, name: str = "Arguments") -> str:
    fields = "\n".join(f"    {name}: {_type(value)} = {_empty(value)!r}" for name, value in values.items())
    return f"from dataclasses import dataclass\n\n\n@dataclass\nclass {name}:\n{fields}\n"


def _empty(value: Any) -> Any:
    return type(value)()


def hf_flags(body: str, values: Values, launcher: str) -> Files:
    return _script(_hf(values), body, values, "args.{}", launcher, flags(values))


def hf_yaml(body: str, values: Values, launcher: str) -> Files:
    return {**_script(_hf(values), body, values, "args.{}", launcher, "args.yaml"), "args.yaml": yaml_text(values)}


def hf_json(body: str, values: Values, launcher: str) -> Files:
    text = json.dumps(dict(values), indent=4) + "\n"
    return {**_script(_hf(values), body, values, "args.{}", launcher, "args.json"), "args.json": text}


def _hf(values: Values) -> str:
    return f"""\
import sys
{_dataclass(values)}

from transformers import HfArgumentParser

parser = HfArgumentParser(Arguments)
if sys.argv[1].endswith(".yaml"):
    args = parser.parse_yaml_file(sys.argv[1])[0]
elif sys.argv[1].endswith(".json"):
    args = parser.parse_json_file(sys.argv[1])[0]
else:
    args = parser.parse_args_into_dataclasses()[0]"""


def trl_config(body: str, values: Values, launcher: str) -> Files:
    head = f"{_dataclass(values)}\n\nfrom trl import TrlParser\n\n(args,) = TrlParser(Arguments).parse_args_and_config()"
    return {**_script(head, body, values, "args.{}", launcher, "--config args.yaml"), "args.yaml": yaml_text(values)}


def _in_function(body: str) -> str:
    """The imports, and the rest as the body of a function."""
    lines = body.splitlines()
    first = next(at for at, line in enumerate(lines) if line and not line.startswith(("import ", "from ")))
    return (
        "\n".join(lines[:first])
        + "\n\n{decorators}def main({parameters}):\n"
        + "".join(f"    {line}\n" if line else "\n" for line in lines[first:])
    )


def _function(body: str, values: Values, *, decorators: str = "", parameters: str, end: str, head: str, launcher: str, words: str) -> Files:
    text = _in_function(body)
    for name in values:
        text = text.replace(f"{{{name}}}", name)
    text = text.replace("{decorators}", decorators).replace("{parameters}", parameters)
    return {"train.py": f"{head}\n{text}\n\n{end}\n", "run.sh": f"{launcher} train.py {words}\n"}


def click_flags(body: str, values: Values, launcher: str) -> Files:
    options = "".join(
        f'@click.option("--{name}", {"is_flag=True" if isinstance(value, bool) else f"type={_type(value)}"})\n'
        for name, value in values.items()
    )
    return _function(
        body, values, decorators=f"@click.command()\n{options}", parameters=", ".join(values), end='if __name__ == "__main__":\n    main()',
        head="import click", launcher=launcher, words=_switches(values),
    )  # fmt: skip


def typer_flags(body: str, values: Values, launcher: str) -> Files:
    parameters = ", ".join(f"{name}: {_type(value)} = {_empty(value)!r}" for name, value in values.items())
    end = 'if __name__ == "__main__":\n    typer.run(main)'
    return _function(
        body, values, parameters=parameters, end=end, head="import typer", launcher=launcher, words=_switches(values, dashes=True)
    )


def fire_flags(body: str, values: Values, launcher: str) -> Files:
    parameters = ", ".join(f"{name}={_empty(value)!r}" for name, value in values.items())
    end = 'if __name__ == "__main__":\n    fire.Fire(main)'
    return _function(body, values, parameters=parameters, end=end, head="import fire", launcher=launcher, words=flags(values))


def tyro_flags(body: str, values: Values, launcher: str) -> Files:
    head = f"{_dataclass(values)}\n\nimport tyro\n\nargs = tyro.cli(Arguments)"
    return _script(head, body, values, "args.{}", launcher, _switches(values, dashes=True))


# OmegaConf and Hydra


def omegaconf_file(body: str, values: Values, launcher: str) -> Files:
    head = "import sys\n\nfrom omegaconf import OmegaConf\n\nconfig = OmegaConf.load(sys.argv[1])"
    return {**_script(head, body, values, "config.{}", launcher, "config.yaml"), "config.yaml": yaml_text(values)}


def omegaconf_words(body: str, values: Values, launcher: str) -> Files:
    head = "from omegaconf import OmegaConf\n\nconfig = OmegaConf.from_cli()"
    return _script(head, body, values, "config.{}", launcher, _overrides(values))


def hydra_file(body: str, values: Values, launcher: str) -> Files:
    return {**_hydra(body, values, launcher, ""), "conf/config.yaml": yaml_text(values)}


def hydra_words(body: str, values: Values, launcher: str) -> Files:
    empty = {name: _empty(value) for name, value in values.items()}
    return {**_hydra(body, values, launcher, _overrides(values)), "conf/config.yaml": yaml_text(empty)}


def _overrides(values: Values) -> str:
    return " ".join(f"{name}={word(_scalar(value) if isinstance(value, float) else value)}" for name, value in values.items())


def _hydra(body: str, values: Values, launcher: str, words: str) -> Files:
    text = _in_function(body)
    for name in values:
        text = text.replace(f"{{{name}}}", f"config.{name}")
    decorators = '@hydra.main(version_base=None, config_path="conf", config_name="config")\n'
    text = text.replace("{decorators}", decorators).replace("{parameters}", "config")
    return {
        "train.py": f'import hydra\n{text}\n\nif __name__ == "__main__":\n    main()\n',
        "run.sh": f"{launcher} train.py {words}".rstrip() + "\n",
    }


def environment(body: str, values: Values, launcher: str) -> Files:
    """Variables that the script exports before it starts the program."""
    text = body
    for name, value in values.items():
        read = f'os.environ["{name.upper()}"]'
        read = f'{read} == "True"' if isinstance(value, bool) else read if isinstance(value, str) else f"{_type(value)}({read})"
        text = text.replace(f"{{{name}}}", f"({read})" if isinstance(value, bool) else read)
    exports = "".join(f"export {name.upper()}={word(value)}\n" for name, value in values.items())
    return {"train.py": f"import os\n\n{text}", "run.sh": f"{exports}{launcher} train.py\n"}


SURFACES: dict[str, Surface] = {
    "literals": literals, "a dict": a_dict, "constants": constants, "YAML": yaml_file, "JSON": json_file,
    "TOML": toml_file, "argparse": argparse_flags, "argparse's defaults": argparse_defaults, "HfArgumentParser": hf_flags,
    "HfArgumentParser, YAML": hf_yaml, "HfArgumentParser, JSON": hf_json, "TrlParser, YAML": trl_config, "click": click_flags,
    "typer": typer_flags, "fire": fire_flags, "tyro": tyro_flags, "OmegaConf, YAML": omegaconf_file, "OmegaConf, words": omegaconf_words,
    "Hydra, YAML": hydra_file, "Hydra, overrides": hydra_words, "variables": environment,
}  # fmt: skip
UNSTARTED: dict[str, Surface] = {"a script": unstarted, "a notebook": notebook}
"""Nobody says on how many devices they run."""
