"""The reader, through the door that everybody's comes through."""

from budgetlint.testing import settings_of

TRAIN = "fit:\n  base: Qwen/Qwen2.5-1.5B\n  batch: 4\n  gradient_checkpointing: true\n"


def test_a_file_is_read() -> None:
    (run,) = settings_of({"train.yaml": TRAIN})
    assert run["model"] == "Qwen/Qwen2.5-1.5B"
    assert run["micro_batch"] == 4
    assert run["recompute"] == "full"
    assert run["seq_len"] == 4096


def test_its_program_starts_it() -> None:
    (run,) = settings_of({"train.yaml": TRAIN, "train.sh": "acme-train fit train.yaml\n"})
    assert (run["micro_batch"], run["devices"]) == (4, 1)


def test_a_pin_says_the_version() -> None:
    (run,) = settings_of({"train.yaml": TRAIN, "requirements.txt": "acme-train==2.4\n"})
    assert "seq_len" not in run
