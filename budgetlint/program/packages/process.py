"""``sys``, ``importlib`` and what starts other programs: the words of the launch, where modules are looked for, how a program ends."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from budgetlint.program.calling import Call
from budgetlint.program.ends import Exits
from budgetlint.program.imports import execute
from budgetlint.program.objects import Class, Function, Handler, Object, Package
from budgetlint.program.packages.paths import project_path
from budgetlint.program.packages.plain import Method, unknown
from budgetlint.program.packages.sequences import items_of
from budgetlint.program.state import Interpreter, Launched, text_of
from budgetlint.program.values import NONE, External, Items, Known, Map, Opaque, Open, Value

SEARCH = "sys.path"


def _argv(launched: Launched) -> Value:
    """The program's name as it was started, and its words."""
    name = Opaque("the name of the program", package="sys")
    if launched.words is None:
        return Items((name,), "list", Open("word", "command line"))
    return Items((name, *launched.words))


def _path(launched: Launched) -> Value:
    return Items((), SEARCH, Opaque("a folder in which modules are looked for", package="sys"))


def _exit(it: Interpreter, call: Call) -> Value:
    raise Exits


def _search(it: Interpreter, values: list[Value], at: int | None) -> Value:
    """Folders of the project in which modules are looked for from here on; ``at``: before the others from there, None behind all."""
    for value in values:
        folder = project_path(it, value)
        if folder is None or (at is None and folder in it.modules.search):
            continue
        if at is None:
            it.modules.search.append(folder)
        else:
            it.modules.search.insert(at, folder)
    it.modules.searched()
    return NONE


def _insert(it: Interpreter, base: Value, call: Call) -> Value:
    at, folder = call.get("", 0), call.get("", 1)
    first = at.value if isinstance(at, Known) and isinstance(at.value, int) and at.value in (0, 1) else None
    return _search(it, [folder] if folder is not None else [], first)


def _append(it: Interpreter, base: Value, call: Call) -> Value:
    return _search(it, list(call.positional), None)


def _extend(it: Interpreter, base: Value, call: Call) -> Value:
    items = items_of(it, call.positional[0], call)[0] if len(call.positional) == 1 else []
    return _search(it, items, None)


def _nothing(it: Interpreter, base: Value, call: Call) -> Value:
    return NONE


def _import(it: Interpreter, call: Call) -> Value:
    """``importlib.import_module``: of the repository, or a package; the words of a relative name say whose."""
    name, package = text_of(call.get("name", 0)), text_of(call.get("package", 1))
    if name is None or call.rest is not None or (name.startswith(".") and package is None):
        _any_module(it)
        return unknown("importlib.import_module", call.given(), "importlib")
    whole = name if package is None or not name.startswith(".") else _relative(name, package)
    return named(it, whole)


def _any_module(it: Interpreter) -> None:
    """A module that is not known is imported: what it registers, nobody knows."""
    for module in it.modules.made.values():
        for value in list(module.names.bound.values()):
            if isinstance(value, Map) and value.rest is None and all(isinstance(one, Function | Class) for one in value.items.values()):
                it.heap.write(value, None, Opaque("what a module that is not known registers"), "rest")


def _modules_of(it: Interpreter, call: Call) -> Value:
    """``pkgutil.iter_modules(__path__)``: the modules of the folder of a package, by name."""
    folder = _package_folder(it, call)
    if folder is None:
        return unknown("pkgutil.iter_modules", call.given(), "pkgutil")
    prefix = text_of(call.get("prefix", 1)) or ""
    inner = [path[len(folder) + 1 :] for path in it.modules.files.below(folder)]
    modules = {name.removesuffix(".py"): False for name in inner if "/" not in name and name.endswith(".py")}
    packages = {name.removesuffix("/__init__.py"): True for name in inner if name.count("/") == 1 and name.endswith("/__init__.py")}
    found = sorted({**modules, **packages}.items())
    return Items([_module_info(prefix + name, is_package) for name, is_package in found if name != "__init__"], "list")


def _module_info(name: str, is_package: bool) -> Value:
    made = Object("pkgutil.ModuleInfo")
    made.attributes = {"module_finder": Opaque("a finder", package="pkgutil"), "name": Known(name), "ispkg": Known(is_package)}
    return made


def _package_folder(it: Interpreter, call: Call) -> str | None:
    """The folder of ``__path__`` of the package that asks, or of one that it names; None where that is not told."""
    node = call.node.args[0] if isinstance(call.node, ast.Call) and call.node.args else None
    module = call.frame.module
    if isinstance(node, ast.Name) and node.id == "__path__":
        return module.folder or None
    given = call.get("path", 0)
    one = given.items[0] if isinstance(given, Items) and given.more is None and len(given.items) == 1 else None
    return project_path(it, one) if one is not None else None


def _relative(name: str, package: str) -> str:
    inner = name.lstrip(".")
    parts = package.split(".")
    kept = parts[: len(parts) - (len(name) - len(inner) - 1)]
    return ".".join([*kept, inner] if inner else kept)


def named(it: Interpreter, dotted: str) -> Value:
    """A module by its whole name."""
    path = it.modules.absolute(dotted)
    if path is None:
        return External(dotted)
    found = it.modules.at(path, dotted)
    if found is None:
        return Opaque(f"{path} cannot be parsed")
    execute(it, found)
    return Package(found)


def _spec(it: Interpreter, call: Call) -> Value:
    """``importlib.util.find_spec``: there for what the program imports in any case; else nobody knows what is installed."""
    name = text_of(call.get("name", 0))
    if name is not None and name.partition(".")[0] in _imported(it):
        made = Object("importlib.machinery.ModuleSpec")
        made.rest = Opaque("of a module", package="importlib")
        return made
    return unknown(f"whether {name or 'a package'} is installed", call.given(), "importlib")


def _imported(it: Interpreter) -> set[str]:
    """Packages that the modules followed so far import at their top."""
    return {name for module in it.modules.made.values() for name in _tops(module.tree)}


def _tops(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]


def _available(name: str) -> Handler:
    """Whether a package is there, asked by its name."""

    def handler(it: Interpreter, call: Call) -> Value:
        if name in _imported(it):
            return Known(True)
        return Opaque(f"whether {name} is installed", package="transformers")

    return handler


def _started(it: Interpreter, call: Call) -> Value:
    """Another program: it changes nothing of this one."""
    made = Object("subprocess.CompletedProcess")
    made.rest = Opaque("what another program gives", package="subprocess")
    return made


def _status(it: Interpreter, call: Call) -> Value:
    return Opaque("what another program gives", package="subprocess")


METHODS: dict[str, Method] = {
    f"{SEARCH}.insert": _insert, f"{SEARCH}.append": _append, f"{SEARCH}.extend": _extend,
    f"{SEARCH}.remove": _nothing, f"{SEARCH}.pop": _nothing,
}  # fmt: skip
_ASKED = ("transformers", "transformers.utils", "transformers.utils.import_utils", "accelerate.utils", "trl.import_utils")
_OPTIONAL = ("peft", "wandb", "datasets", "accelerate", "bitsandbytes", "deepspeed")
FUNCTIONS: dict[str, Handler] = {
    "sys.exit": _exit, "os._exit": _exit, "os.abort": _exit, "importlib.import_module": _import, "pkgutil.iter_modules": _modules_of,
    "__import__": lambda it, call: Opaque("a module", package="builtins"),
    "importlib.util.find_spec": _spec, "subprocess.run": _started, "subprocess.Popen": _started, "subprocess.check_output": _status,
    "subprocess.check_call": _status, "subprocess.call": _status, "os.system": _status, "os.popen": _started,
    **{f"{module}.is_{name}_available": _available(name) for module in _ASKED for name in _OPTIONAL},
}  # fmt: skip
MADE: Mapping[str, Callable[[Launched], Value]] = {"sys.argv": _argv, SEARCH: _path}
