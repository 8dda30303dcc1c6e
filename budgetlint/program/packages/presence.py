"""What lies in the repository, and what nobody knows: whether a file is there, what a folder holds."""

from __future__ import annotations

from budgetlint.program.calling import Call
from budgetlint.program.choices import choice
from budgetlint.program.objects import Handler
from budgetlint.program.packages.paths import path_text, project_path
from budgetlint.program.packages.plain import unknown
from budgetlint.program.places import LISTED, Origin
from budgetlint.program.state import Interpreter
from budgetlint.program.values import NONE, Items, Known, Opaque, Value, Way


def exists(it: Interpreter, value: Value, what: str) -> Value:
    """True for what the repository has. Nothing else is said: the program may be started elsewhere, and files may be made."""
    path = project_path(it, value)
    if path is None:
        return unknown(f"whether a {what} is there", [value], "os")
    is_file, is_folder = it.modules.files.is_file(path), path == "" or it.modules.files.is_folder(path)
    held = is_file if what == "file" else is_folder if what == "folder" else is_file or is_folder
    return Known(True, value.origins) if held else Opaque(f"whether there is a {what} {path}", None, "os", value.origins)


def _asked(what: str) -> Handler:
    def handler(it: Interpreter, call: Call) -> Value:
        value = call.get("path", 0) or call.get("s", 0) or call.get("filename", 0)
        return (
            unknown("os.path", call.given(), "os")
            if value is None or call.rest is not None
            else it.each(value, lambda one: exists(it, one, what))
        )

    return handler


def _nothing(it: Interpreter, call: Call) -> Value:
    return NONE


def _listed(what: str) -> Handler:
    """What lies in a folder when the program runs is not known: others write there too."""
    return lambda it, call: Items((), "list", _found(it, what, call))


def _found(it: Interpreter, what: str, call: Call) -> Opaque:
    """It remembers where it was looked for."""
    made = unknown(what, call.given(), "os")
    origins = (listed_in(it, call.positional[0], call), *made.origins) if call.positional else made.origins
    return Opaque(made.why, made.of, made.package, origins)


def listed_in(it: Interpreter, folder: Value, call: Call) -> Origin:
    """``folder`` may be a pattern too."""
    return Origin(LISTED, it.place(call.node, call.frame), path_text(folder) or "")


def _last_checkpoint(it: Interpreter, call: Call) -> Value:
    """The newest ``checkpoint-N`` of a folder, or None (transformers 4.40 to 5.24 ``trainer_utils.py`` get_last_checkpoint)."""
    return choice([Way("", NONE), Way("", _found(it, "get_last_checkpoint", call))])


FUNCTIONS: dict[str, Handler] = {
    "os.path.exists": _asked("path"), "os.path.lexists": _asked("path"), "os.path.isfile": _asked("file"),
    "os.path.isdir": _asked("folder"),
    "os.makedirs": _nothing, "os.mkdir": _nothing, "os.listdir": _listed("os.listdir"), "os.walk": _listed("os.walk"),
    "os.scandir": _listed("os.scandir"), "glob.glob": _listed("glob.glob"), "glob.iglob": _listed("glob.iglob"),
    "transformers.trainer_utils.get_last_checkpoint": _last_checkpoint,
}  # fmt: skip
