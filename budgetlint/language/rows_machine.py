"""The file itself and the machine: statements of the top level, and of hardware."""

from __future__ import annotations

from budgetlint.language.slots import EVERYWHERE, FILE, RUNS, Slot, StatementSpec, amount, switch

FILE_ROWS = (
    StatementSpec("budget", "the version of this language; without it, 1", "budget 1", (FILE,), (Slot("1", "count"),)),
    StatementSpec(
        "include",
        "the statements of another budget, as if they stood here",
        'include "team.budget"',
        (FILE,),
        (Slot("PATH", "path"),),
        repeatable=True,
    ),
    StatementSpec("let", "a value with a name, used as `$name`", "let ctx = 4096", (FILE,), repeatable=True),
    StatementSpec(
        "target",
        "a kind of machine by name",
        "target box { device 4x rtx-3090; host 128GiB }",
        (FILE,),
        (Slot("NAME", "name"),),
        repeatable=True,
        block=True,
        synonyms=("machine", "hardware"),
    ),
    StatementSpec(
        "run",
        "a training job by name; the top level then only holds defaults",
        "run sft { config sft.yaml; seq 2048 }",
        (FILE,),
        (Slot("NAME", "name"),),
        repeatable=True,
        block=True,
        synonyms=("job", "experiment"),
    ),
)

DECLARED_ROWS = (
    StatementSpec(
        "launch",
        "a training command that no script here has, as a shell takes it; `{config}` in it is each file of `config`",
        "launch torchrun --nproc_per_node 8 train.py --config {config}",
        RUNS,
        (Slot("COMMAND", "command"),),
        repeatable=True,
        synonyms=("command", "cmd", "start", "exec", "entrypoint"),
    ),
    StatementSpec(
        "declared",
        "the budget says all that is known of the run: what it leaves out is unresolved, never a framework's default; files that `config` "
        "names are compared with it, and decide nothing",
        "declared; model qwen2.5-0.5b; batch 4; seq 2048",
        RUNS,
        synonyms=("declare", "manual", "handwritten"),
    ),
    StatementSpec(
        "watches",
        "files that the run was declared from: where their texts are others than `seen=` says, there is no verdict",
        "watches train.py conf/*.gin seen=sha256:3f7a90c1d2e4b5a6",
        RUNS,
        (Slot("PATH or GLOB", "path", many=True),),
        (Slot("seen", "hash", "hash of their texts, as `budgetlint check --fix` writes it", required=False, synonyms=("hash", "sha256")),),
        repeatable=True,
        synonyms=("watch", "depends", "sources"),
    ),
)

HARDWARE_ROWS = (
    StatementSpec(
        "device",
        "the card, by any name nvidia-smi or torch prints, or by size; how many in each machine. Or a cloud's machine by its name",
        "device 8x h100-80gb",
        EVERYWHERE,
        (Slot("COUNTx", "count", "cards in each machine", required=False), Slot("NAME or AMOUNT", "device")),
        (
            amount("usable", "what torch can really allocate from"),
            switch("ecc", "memory error correction, which costs 1/16 on GDDR cards"),
            amount("working_set", "Metal's recommended working set"),
        ),
        synonyms=("gpu", "gpus", "card", "accelerator", "vram", "memory", "devices"),
    ),
    StatementSpec("nodes", "machines", "nodes 4", EVERYWHERE, (Slot("N", "count"),), synonyms=("machines", "num_nodes", "nnodes")),
    StatementSpec(
        "host",
        "memory of each machine, for offload",
        "host 512GiB pinned=64GiB",
        EVERYWHERE,
        (Slot("AMOUNT", "amount"),),
        (amount("pinned", "how much of it may be pinned"),),
        synonyms=("ram", "cpu_memory"),
    ),
    StatementSpec(
        "reserve",
        "held back from the device",
        'reserve 3GiB for="desktop"',
        EVERYWHERE,
        (Slot("AMOUNT or PERCENT", "share"),),
        (Slot("for", "text", "whom it is held back for", required=False),),
        synonyms=("headroom", "keep", "reserved", "margin"),
    ),
)
