"""The pictures of memory.md: budgets and what `budgetlint estimate --format svg` draws of them.

``python docs/img/regenerate.py`` writes them anew; look at them before they are committed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from budgetlint.cli import main
from budgetlint.commands.console import Console
from budgetlint.report.svg import compared
from budgetlint.resolve.runs import judge_texts

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
STACK = "stack transformers@5.24 torch@2.13 peft@0.21"

BUDGETS = {
    "full-adam": f"""\
{STACK}
run full-fine-tune {{ device h200; model llama-3.1-8b; precision bf16; optimizer adamw; recompute full; batch 1; seq 4096 }}
""",
    "lora": f"""\
{STACK}
run adapter {{ device rtx-4090; model llama-3.1-8b; lora r=16; recompute full; loss fused; batch 1; seq 4096 }}
""",
    "logits": f"""\
{STACK}
run large-vocabulary {{ device rtx-4090; model qwen2.5-0.5b; precision bf16; recompute full; batch 4; seq 2048 }}
""",
    "recompute": f"""\
{STACK}
device a100-80gb; model qwen2.5-7b; lora r=16; loss fused; batch 2; seq 4096
run recompute-none {{ recompute none }}
run recompute-full {{ recompute full }}
""",
}
"""Name of the picture: the budget that it is of."""


def drawn(name: str) -> str:
    """What the command draws of a budget on its standard input."""
    out, err = io.StringIO(), io.StringIO()
    code = main(["estimate", "-", "--format", "svg"], Console(out, err, io.StringIO(BUDGETS[name]), {}, ROOT))
    assert code == 0, err.getvalue()
    return out.getvalue()


def pictures() -> dict[str, str]:
    """Every picture, by the name of its file; the targets are those of ``examples/targets``, as bars alone."""
    fleet = (ROOT / "examples" / "targets" / "fleet.budget").read_text(encoding="utf-8")
    steps = {f"{name}.svg": drawn(name) for name in BUDGETS}
    return {**steps, "targets.svg": compared(judge_texts({}, budget=fleet).runs)}


def regenerate() -> Iterator[str]:
    """Write every picture that is not as drawn; the names of what changed."""
    for name, text in pictures().items():
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            yield f"{name} written"


if __name__ == "__main__":
    print("\n".join(regenerate()) or "nothing changed")
