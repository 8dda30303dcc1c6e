"""The manual pages of the language problems: why it is refused, a budget that fails and one that passes.

The sections are those of a rule's page (`budgetlint.rules_api.manual`).
"""

from __future__ import annotations


def _page(why: str, fails: str, passes: str) -> str:
    return (
        f"## What it costs\n\n{why}\n\n## Failing\n\n```budget\n{fails}\n```\n\n## Passing\n\n```budget\n{passes}\n```\n\n"
        "## Sources\n\n- the reference of the budget language: `grammar/LANGUAGE.md`\n"
    )


MANUALS = {
    "BL001": _page(
        "The message names what was found and what could stand there. Every broken statement is reported by itself and the "
        "rest of the file is still checked. Words run to a blank or one of `; , = ] }` and are never split in two, so a path "
        "with brackets must be quoted.",
        'device t4\nrun sft\n{\n  config "train.yaml"\n}',
        'device t4\nrun sft {\n  config "train.yaml"\n}',
    ),
    "BL002": _page(
        "A misspelt statement would otherwise be silently without effect, and the run would be judged without it. The message "
        "names the nearest statement; nothing is corrected by itself.",
        "devise 32GiB; model qwen2.5-1.5b",
        "device 32GiB; model qwen2.5-1.5b",
    ),
    "BL003": _page(
        "Every value has a type: a count, a percentage, a date, one of a few words. A figure that fits no type is often a "
        "second figure in disguise (`batch 2x8`) or a unit that does not belong (`seq 4k`); the message says the likely meaning.",
        "tolerance 0.08; seq 4k",
        "tolerance 8%; seq 4096",
    ),
    "BL004": _page(
        "An option that is not read would be a promise that nobody keeps. Names from other tools are recognised and answered "
        "with ours (`rank` is `r`).",
        "lora rank=16",
        "lora r=16",
    ),
    "BL005": _page(
        "An amount is a number and one of B, kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers of 1024). Short "
        "suffixes and other cases have two readings that are 7% apart, the size of an optimizer state; the message prints "
        "each reading in bytes.",
        "device 32gb; reserve 3Gi",
        "device 32GiB; reserve 3GiB",
    ),
    "BL006": _page(
        "A statement without its value says nothing, and a second value where one belongs is usually a word that fell in two.",
        "device",
        "device 32GiB",
    ),
    "BL007": _page(
        "Which of the two holds would depend on their order. Nothing is merged by position: say it once in each scope. A run "
        "block may say again what the top level says; it wins. In a machine of different cards the smallest decides: every process needs "
        "as much.",
        "device 24GiB\ndevice 32GiB",
        "device 24GiB\nrun big { device 32GiB }",
    ),
    "BL008": _page(
        "`$name` needs a `let name = value`, `on NAME` a `target NAME { }` in this file or an included one.",
        "device t4; reserve $headroom",
        "let headroom = 2GiB\ndevice t4; reserve $headroom",
    ),
    "BL009": _page(
        "`include` takes a path relative to the file it stands in, inside the project, at most 8 deep. A file that is included "
        "twice by different ways is read once; a circle is an error.",
        'include "missing.budget"',
        "device t4",
    ),
    "BL010": _page(
        "Names are suggested, never guessed: a tool that took `A100-8` for an A100-80GB has charged people for the wrong card. "
        "A hub id with an owner (`org/name`) that is not in the catalog is only a warning: the verdict is then unknown.",
        "device a100",
        "device a100-80gb",
    ),
    "BL011": _page(
        "Hardware belongs to the top level, a target or a run; what trains to the top level or a run; `target`, `run`, `let`, "
        "`include` and `budget` stand at the top level only.",
        "target box { config train.yaml }",
        "target box { device t4 }",
    ),
    "BL012": _page(
        "A file without `budget N` is version 1 for ever. A higher number means that accepted text may mean something else, so "
        "nothing else of the file is judged.",
        "budget 2; device t4",
        "budget 1; device t4",
    ),
    "BL013": _page(
        "In half a year nobody remembers why a rule was off. `until=` makes the permission end by itself.",
        "device t4; allow does-not-fit",
        'device t4; allow does-not-fit reason="only ever run on the big node" until=2099-01-31',
    ),
    "BL014": _page(
        "Bytes are compared with `<`, `<=`, `>` and `>=`, settings with `==` and `!=`, numbers with all six; both sides must be "
        "of one kind. A percentage needs `of`.",
        "device t4; assert peak <= 90%",
        "device t4; assert peak <= 90% of usable",
    ),
    "BL015": _page(
        "A budget is at most 256 KiB and 20,000 words with what it includes, its matrices have 512 cells in all, blocks nest at most "
        "4 deep, lists at most 4, and a file with 100 problems is reported no "
        "further. The limits keep a check fast whatever the file is.",
        "run a { run b { run c { run d { run e { device t4 } } } } }",
        "run a { device t4 }",
    ),
}
