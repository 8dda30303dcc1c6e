"""The class of a script's training arguments, where it stands plainly in that one file.

Plainly: one ``HfArgumentParser`` (transformers 4.46 to 5.24 ``hf_argparser.py``) or ``TrlParser`` (TRL ``scripts/utils.py``) is given a
class that is imported from transformers or TRL and not changed, and what it parses goes to a ``Trainer`` of theirs as ``args``. Else
nothing is said: a class of the script's own may have other defaults, a trainer of its own another optimizer. Nothing is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from budgetlint.base.record import open_state
from budgetlint.base.source import SourceFile
from budgetlint.documents.python import parsed
from budgetlint.readers.hf.program_task import task_of_trainer
from budgetlint.settings.consumer import Sink

_LIBRARIES = ("transformers", "trl")
_PARSERS = ("HfArgumentParser", "TrlParser")
_PARSES = frozenset(("parse_args_into_dataclasses", "parse_args_and_config", "parse_json_file", "parse_yaml_file", "parse_dict"))
_ENDINGS = ("TrainingArguments", "Config")
_NO_ARGUMENTS = frozenset(("ModelConfig", "AutoConfig", "BitsAndBytesConfig", "GenerationConfig", "PretrainedConfig", "LoraConfig"))
_HARMLESS = frozenset(("print", "repr", "str", "vars", "asdict", "isinstance"))
_LOGS = frozenset(("info", "warning", "debug", "error"))


def sink_of(source: SourceFile) -> Sink | None:
    """The class that stands plainly in a script; None where it does not."""
    script = _script(source)
    return script.sink if script is not None else None


def task_of(source: SourceFile) -> str:
    """The task of the trainer of TRL's that a script makes; empty where it makes none, or several kinds."""
    script = _script(source)
    return script.task if script is not None else ""


def _script(source: SourceFile) -> _Script | None:
    """A script's syntax tree, walked once for both questions."""
    if "script" not in source.facts:
        tree = parsed(source.text)
        source.facts["script"] = _Script(tuple(ast.walk(tree))) if tree is not None else None
    found: _Script | None = source.facts["script"]
    return found


@open_state
class _Script:
    nodes: tuple[ast.AST, ...]

    @cached_property
    def sink(self) -> Sink | None:
        parsers = [call for call in self._calls() if self._name(call.func).rpartition(".")[2] in _PARSERS]
        if len(parsers) != 1:
            return None
        at, arguments = self._class(parsers[0])
        names = {self._target(node, at) for node in self.nodes if isinstance(node, ast.Assign) and self._parses(node, parsers[0])}
        if not arguments or len(names) != 1:
            return None
        name = names.pop()
        return Sink(arguments, self._changed()) if name and self._is_handed(name) and not self._is_handled(name) else None

    @cached_property
    def task(self) -> str:
        names = (self._name(call.func) for call in self._calls())
        told = {task_of_trainer(name.removeprefix("trl.")) for name in names if name.startswith("trl.") and name.endswith("Trainer")}
        return told.pop() if len(told) == 1 else ""

    # -- names ---------------------------------------------------------------------------------------------------------------

    def _calls(self) -> Iterator[ast.Call]:
        yield from (node for node in self.nodes if isinstance(node, ast.Call))

    @cached_property
    def imported(self) -> dict[str, str]:
        """What names of transformers and TRL are called in the file: nothing that the file names itself too."""
        found: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] in _LIBRARIES:
                library = (node.module or "").partition(".")[0]
                found.update({alias.asname or alias.name: f"{library}.{alias.name}" for alias in node.names})
            elif isinstance(node, ast.Import):
                found.update({alias.asname or alias.name: alias.name for alias in node.names if alias.name in _LIBRARIES})
        return {name: whole for name, whole in found.items() if name not in self.own}

    @cached_property
    def own(self) -> frozenset[str]:
        """Classes, functions and variables of the file."""
        defined = (node.name for node in self.nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)))
        stored = (node.id for node in self.nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
        return frozenset((*defined, *stored))

    def _name(self, node: ast.AST) -> str:
        """``transformers.Trainer`` for what is imported from there; empty for everything else."""
        if isinstance(node, ast.Name):
            return self.imported.get(node.id, "")
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            library = self.imported.get(node.value.id, "")
            return f"{library}.{node.attr}" if library in _LIBRARIES else ""
        return ""

    # -- the way of the arguments --------------------------------------------------------------------------------------------

    def _class(self, parser: ast.Call) -> tuple[int, str]:
        """Where the one class of training arguments stands among those of the parser, and which it is."""
        given = parser.args[0] if parser.args else next((word.value for word in parser.keywords if word.arg == "dataclass_types"), None)
        classes = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given] if given is not None else []
        names = [(index, self._name(one)) for index, one in enumerate(classes)]
        found = [(index, name) for index, name in names if name.endswith(_ENDINGS) and name.rpartition(".")[2] not in _NO_ARGUMENTS]
        return found[0] if len(found) == 1 else (0, "")

    def _parses(self, node: ast.Assign, parser: ast.Call) -> bool:
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in _PARSES:
            return False
        return call.func.value is parser or (isinstance(call.func.value, ast.Name) and call.func.value.id in self._names_of(parser))

    def _names_of(self, parser: ast.Call) -> frozenset[str]:
        made = (node for node in self.nodes if isinstance(node, ast.Assign) and node.value is parser)
        return frozenset(target.id for node in made for target in node.targets if isinstance(target, ast.Name))

    def _target(self, node: ast.Assign, at: int) -> str:
        """The name that the arguments get; empty where they get none of their own."""
        target = node.targets[0]
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        part = parts[at] if at < len(parts) and not any(isinstance(one, ast.Starred) for one in parts[:at]) else None
        return part.id if isinstance(part, ast.Name) else ""

    def _is_handed(self, name: str) -> bool:
        """Do the arguments go to trainers of the libraries, and to no other trainer?"""
        trainers = [call for call in self._calls() if self._takes_as_args(call, name)]
        return bool(trainers) and all(self._name(call.func).endswith("Trainer") for call in trainers)

    def _takes_as_args(self, call: ast.Call, name: str) -> bool:
        return any(word.arg == "args" and isinstance(word.value, ast.Name) and word.value.id == name for word in call.keywords)

    def _is_handled(self, name: str) -> bool:
        """Are they made anew, or given as a whole to something that is not in this file and may change them?"""
        stores = [node for node in self.nodes if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)]
        parses = sum(isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _PARSES for node in self.nodes)
        if len(stores) > parses:
            return True
        return any(self._is_strange(call) for call in self._calls() if any(getattr(one, "id", "") == name for one in call.args))

    def _is_strange(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Name):
            return call.func.id not in self.own | _HARMLESS
        return not (isinstance(call.func, ast.Attribute) and call.func.attr in _LOGS)

    def _changed(self) -> frozenset[str]:
        """Fields that are set somewhere (``args.bf16 = True``), or whose work the code does itself."""
        stored = (node.attr for node in self.nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
        used = {node.attr for node in self.nodes if isinstance(node, ast.Attribute)}
        words = {word.arg for call in self._calls() for word in call.keywords}
        own = (field for mark, field in _OTHER_WAYS.items() if mark in used | words)
        return frozenset((*stored, *own))


_OTHER_WAYS = {
    "gradient_checkpointing_enable": "gradient_checkpointing",
    "use_gradient_checkpointing": "gradient_checkpointing",
    "optimizers": "optim",
    "optimizer_cls_and_kwargs": "optim",
    "create_optimizer": "optim",
    "autocast": "bf16",
}
"""Methods and arguments that decide what a field of the class would have."""
