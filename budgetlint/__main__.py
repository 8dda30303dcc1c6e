"""``python -m budgetlint``, and the console script: what Python may import is settled before anything else is imported.

This is the only module that ends a process. Freeing the modules and tables of a check takes the interpreter a seventh of the time of one
file, and frees nothing that the system does not take back anyway: once everything is written and every exit handler has run, the
process just stops.
"""

import atexit
import gc
import os
import sys

from budgetlint.isolation import search_path


def run() -> None:
    """Run the command line, and end the process with its exit code."""
    gc.disable()  # what is imported is no garbage; `budgetlint.cli.run` says which commands look for some later
    search_path.leave(sys.argv[1:])
    from budgetlint.cli import run as run_command

    leave(run_command())


def leave(code: int) -> None:
    """End the process. Where somebody waits for the interpreter's own end, or output cannot be written, it is the interpreter's."""
    if is_awaited() or not is_flushed():
        sys.exit(code)
    atexit._run_exitfuncs()
    if not is_flushed():  # a handler may have written
        sys.exit(code)
    os._exit(code)


def is_awaited() -> bool:
    """Do a debugger, a profiler, a coverage measurement, ``python -i``, ``python -X dev`` or another thread live on after the command?"""
    threading, monitoring = sys.modules.get("threading"), getattr(sys, "monitoring", None)  # monitoring: since Python 3.12
    if sys.gettrace() or sys.getprofile() or sys.flags.inspect or sys.flags.dev_mode:
        return True
    if monitoring is not None and any(monitoring.get_tool(tool) for tool in range(6)):
        return True
    return threading is not None and threading.active_count() > 1


def is_flushed() -> bool:
    """Is all that was printed written? The interpreter has words and an exit code of its own (120) for what cannot be."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # a stream that was closed before Python began
                stream.flush()
    except (OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    run()
