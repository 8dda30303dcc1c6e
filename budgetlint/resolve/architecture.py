"""The shape of a run's model: from the catalog, from a checkpoint's config.json in the project, or from the numbers."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator

from budgetlint.base.record import record
from budgetlint.base.source import SourceFile
from budgetlint.catalog.architecture import Architecture
from budgetlint.catalog.models import known_model
from budgetlint.documents import Loader, plain
from budgetlint.documents.load import load
from budgetlint.files.disk import Files
from budgetlint.settings.program import OriginStep
from budgetlint.settings.run import Run, Setting

CONFIG = "config.json"


@record
class ModelShape:
    """The architecture of a run's model, what has to be said of how it is known, and the way there; ``may_be`` are those that its name
    only suggests."""

    known: Architecture | None
    says: str = ""
    steps: tuple[OriginStep, ...] = ()
    may_be: tuple[Architecture, ...] = ()


def architecture_of(files: Files, run: Run) -> Architecture | None:
    """The architecture behind the run's ``model`` setting, None when it cannot be known here."""
    numbers = run.settings.get("model_custom")
    if numbers is not None and numbers.known:
        from budgetlint.language.custom_model import custom_architecture  # the statements' tables: few runs name a model by numbers

        return custom_architecture(numbers.value)
    keys = run.settings.get("model_config")
    if keys is not None and keys.known:
        return _of_keys(str(keys.value))
    setting = run.settings.get("model")
    if setting is None or not setting.known:
        return None
    return named_shape(files, setting)


def named_shape(files: Files, setting: Setting) -> Architecture | None:
    """By a checkpoint's files, else by its name."""
    name = str(setting.value)
    return _local(files, setting, name) or known_model(name)


def _local(files: Files, setting: Setting, name: str) -> Architecture | None:
    for path in config_paths(setting, name):
        if files.exists(path):
            source = files.read(path)
            if isinstance(source, SourceFile):
                return _from_config(source, name)
    return None


def config_paths(setting: Setting, name: str) -> Iterator[str]:
    """``model`` may name the file, or the folder it lies in, from the file that says so or from the working directory."""
    stated_in = setting.origin.source.path if setting.origin.source else ""
    leaf = name if name.endswith(".json") else posixpath.join(name, CONFIG)
    if not name.endswith(".json") and "/" not in name:
        return
    if not posixpath.isabs(leaf):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(stated_in), leaf))
    yield posixpath.normpath(leaf)


def _from_config(source: SourceFile, name: str) -> Architecture | None:
    documents = load(source)
    return _of_values(plain(documents[0].root, Loader.JSON) if documents else None, name)


def _of_keys(text: str) -> Architecture | None:
    """The configuration that a program makes, as the text of a config.json."""
    try:
        return _of_values(json.loads(text), "a configuration of the program")
    except ValueError:
        return None


def _of_values(values: object, name: str) -> Architecture | None:
    if not isinstance(values, dict):
        return None
    from budgetlint.catalog.hf_config import architecture_from_config  # few runs train a checkpoint that lies beside them

    found = architecture_from_config(values, name)
    return found if isinstance(found, Architecture) else None
