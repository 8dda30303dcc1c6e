"""Functions that run beside the program: threads, processes, workers of Ray.

Sources: CPython 3.11 to 3.14 ``threading.py`` Thread, Timer, ``multiprocessing/process.py``; torch 2.x ``multiprocessing``; ray 2.9 to 2.52
``train/data_parallel_trainer.py`` (``train_loop_per_worker`` gets ``train_loop_config`` where it takes something).
"""

from __future__ import annotations

from budgetlint.program.calling import Call
from budgetlint.program.ends import Dead
from budgetlint.program.functions import parameters
from budgetlint.program.objects import Function, Handler, Object
from budgetlint.program.packages.plain import Method
from budgetlint.program.state import GOES_ON, Interpreter, Signal
from budgetlint.program.values import NONE, Items, Map, Opaque, Value

_THREAD, _PROCESS, _RAY = "threading.Thread", "multiprocessing.Process", "ray.train.torch.TorchTrainer"


def _worker(kind: str) -> Handler:
    def made(it: Interpreter, call: Call) -> Value:
        one = Object(kind)
        at = 1 if kind != "threading.Timer" else None
        one.attributes = {
            "target": call.get("target", at) or call.get("function", 1) or NONE, "args": call.get("args", 3 if at else 2) or Items((),
            "tuple"),
            "kwargs": call.get("kwargs", 4 if at else 3) or Map(),
        }  # fmt: skip
        return one

    return made


def _target(base: Value, call: Call) -> tuple[Value, Call] | None:
    """What a worker calls, and with what."""
    target = base.attributes.get("target") if isinstance(base, Object) else None
    if not isinstance(base, Object) or target is None:
        return None
    args, named = base.attributes.get("args"), base.attributes.get("kwargs")
    given = tuple(args.items) if isinstance(args, Items) else ()
    rest = args.more if isinstance(args, Items) else args
    keywords = {str(key): value for key, value in named.items.items()} if isinstance(named, Map) else {}
    return target, call._replace(positional=given, keywords=keywords, rest=rest)


def _beside(it: Interpreter, base: Value, call: Call) -> Value:
    """A thread: what it changes may have been changed when the next line is run, or not yet."""
    found = _target(base, call)
    if found is not None and isinstance(found[0], Function):
        target, given = found
        it.fork([("", lambda: _run(it, target, given)), ("", lambda: GOES_ON)])
    elif found is not None:
        it.disturb(Items(found[1].given()), "a thread was given it", it.place(call.node, call.frame))
    return NONE


def _run(it: Interpreter, target: Value, given: Call) -> Signal:
    try:
        it.call(target, given)
    except Dead:  # it ends alone
        return GOES_ON
    return GOES_ON


def _apart(it: Interpreter, base: Value, call: Call) -> Value:
    """A process: the program sees nothing of what it changes."""
    found = _target(base, call)
    if found is not None:
        apart(it, *found)
    return NONE


def apart(it: Interpreter, target: Value, given: Call) -> None:
    """A call in another process: what decides memory there counts, what it changes is not seen here."""
    if isinstance(target, Function):
        it.stretch(lambda: _run(it, target, given))


def _ray(it: Interpreter, call: Call) -> Value:
    one = Object(_RAY)
    one.attributes = {"loop": call.get("train_loop_per_worker", 0) or NONE, "config": call.get("train_loop_config") or NONE}
    return one


def _fit(it: Interpreter, base: Value, call: Call) -> Value:
    loop = base.attributes.get("loop") if isinstance(base, Object) else None
    if isinstance(base, Object) and isinstance(loop, Function):
        takes = bool(parameters(loop))
        apart(it, loop, call._replace(positional=(base.attributes["config"],) if takes else (), keywords={}, rest=None))
    return Opaque("what a trainer of Ray gives", package="ray")


_PROCESSES = ("multiprocessing.Process", "multiprocessing.context.Process", "torch.multiprocessing.Process")
FUNCTIONS: dict[str, Handler] = {
    _THREAD: _worker(_THREAD), "threading.Timer": _worker("threading.Timer"), **dict.fromkeys(_PROCESSES, _worker(_PROCESS)), _RAY: _ray,
    "ray.train.huggingface.transformers.prepare_trainer": lambda it, call: call.get("trainer", 0) or NONE,
}  # fmt: skip
METHODS: dict[str, Method] = {
    f"{_THREAD}.start": _beside, f"{_THREAD}.run": _beside, "threading.Timer.start": _beside, f"{_PROCESS}.start": _apart,
    f"{_RAY}.fit": _fit,
    **{f"{kind}.{name}": (lambda it, base, call: NONE) for kind in (_THREAD, "threading.Timer", _PROCESS) for name in ("join", "close",
    "cancel", "terminate")},
}  # fmt: skip
