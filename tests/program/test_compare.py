"""The comparison sees what is wrong: one program is run, another that differs from it is what the interpreter reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.compare import faults, followed
from tests.program.execute import Server

HEAD = "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\nfrom peft import LoraConfig, get_peft_model\n"
RUN = """
model = AutoModelForCausalLM.from_pretrained("org/a")
model = get_peft_model(model, LoraConfig(r=8, target_modules=["q", "v"]))
args = TrainingArguments("out", seed=1, bf16=True)
args.seed = 2
Trainer(model=model, args=args)
"""
CHANGES = [
    ("the same", "seed=1", "seed=1", set()),
    ("another number", "r=8", "r=16", {"differs"}),
    ("a number for a truth value", "bf16=True", "bf16=1", {"differs"}),
    ("another item", '["q", "v"]', '["q", "k"]', {"differs"}),
    ("an item more", '["q", "v"]', '["q", "v", "k"]', {"differs"}),
    ("another text", "org/a", "org/b", {"differs"}),
    ("an argument less", ", bf16=True", "", {"closed"}),
    ("an argument more", "bf16=True", "bf16=True, max_steps=5", {"extra", "differs"}),
    ("a change less", "args.seed = 2", "args.seed", {"differs"}),
    ("another change", "args.seed = 2", "args.seed = 3", {"differs"}),
    ("a call less", "Trainer(model=model, args=args)", "", {"missed"}),
    ("a call more", "args.seed = 2", "args.seed = 2; TrainingArguments('more')", {"phantom"}),
    ("no adapter", "model = get_peft_model(model,", "other = (model,", {"missed", "differs"}),
    ("a stop", "args.seed = 2", "args.seed = 2; raise ValueError", {"missed"}),
    ("a stop before all", "model = Auto", "raise ValueError; model = Auto", {"goes on"}),
]


@pytest.mark.parametrize(("what", "old", "new", "kinds"), CHANGES, ids=[change[0] for change in CHANGES])
def test_seen(tmp_path: Path, what: str, old: str, new: str, kinds: set[str]) -> None:
    root = (tmp_path / "program").resolve()
    root.mkdir()
    with Server(root) as server:
        ran = server.execute(HEAD + RUN)
    assert not ran.status, ran.said
    assert old in RUN
    (root / "program.py").write_text(HEAD + RUN.replace(old, new), encoding="utf-8")
    assert kinds == {fault.kind for fault in faults(root, ran, followed(root, "program.py", (), {}))}
