"""The bill at a glance, and its JSON."""

from __future__ import annotations

from dataclasses import replace

import pytest

from budgetlint.base.source import SourceFile, Span
from budgetlint.language.budget import DeviceSpec, Target
from budgetlint.memory.estimate import Estimate, Fork, ForkReading, Opened, Phase, Range, Verdict
from budgetlint.memory.notes import Assumption
from budgetlint.memory.term import Bucket, Term
from budgetlint.report import bill, estimate_json
from budgetlint.report.style import TerminalStyle
from budgetlint.rules_api.context import RunContext
from budgetlint.settings.run import Origin, OriginKind, Run, Setting, Settings

G = 2**30
SOURCE = SourceFile("train.yaml", "optim: adamw_torch\nper_device_train_batch_size: 4\n")


def exactly(size: int) -> Range:
    return Range(size, size, size)


def setting(name: str, key: str, start: int, end: int) -> Setting:
    return Setting(name, SOURCE.text[start:end], Origin(OriginKind.FILE, SOURCE, Span(start, end), key), SOURCE.text[start:end])


OPTIM, BATCH = setting("optimizer", "optim", 7, 18), setting("micro_batch", "per_device_train_batch_size", 48, 49)
DEFAULT = Setting("weights_dtype", "fp32", Origin(OriginKind.DEFAULT, note="transformers 4.57 dtype"), "fp32")
BILL = (
    Term(Bucket.WEIGHTS, 6 * G, "weights", (DEFAULT,)),
    Term(Bucket.GRADIENTS, 6 * G, "gradients", (DEFAULT,)),
    Term(Bucket.OPTIMIZER, 12 * G, "states", (DEFAULT, OPTIM)),
    Term(Bucket.ACTIVATIONS, 5 * G, "kept", (BATCH,)),
    Term(Bucket.CONTEXT, G, "CUDA context"),
)
ESTIMATE = Estimate(
    verdict=Verdict.DOES_NOT_FIT,
    missing=(),
    params=3 * G,
    trainable_params=G,
    peak_phase="step",
    need=Range(30 * G, 29 * G, 31 * G),
    allocated=exactly(29 * G),
    reserved=exactly(30 * G),
    device_total=exactly(31 * G),
    host=exactly(0),
    buckets={term.bucket: term.bytes for term in BILL},
    phases=(Phase("backward", BILL[:4]), Phase("step", BILL[:3])),
    bill=BILL,
    assumptions=(Assumption("no stack is stated: transformers 4.57 is assumed"),),
    limit=21 * G,
    usable_low=24 * G,
    usable_high=24 * G,
)
FORK = Fork(
    (Opened("trl"),),
    (
        ForkReading((">=1.7",), "loss chunked", exactly(19_220_000_000), Verdict.FITS),
        ForkReading(("<1.7",), "loss full", exactly(27_273_000_000), Verdict.DOES_NOT_FIT),
    ),
)
DEVICE = DeviceSpec(None, 8, 25 * G, 24 * G, 24 * G, "24GiB", Origin(OriginKind.BUDGET))


def context(estimate: Estimate | None = ESTIMATE, device: DeviceSpec | None = DEVICE) -> RunContext:
    return RunContext(Run("sft", Settings()), Target("cloud", device), "seq=4096", estimate=estimate)


BILL_TEXT = """\
sft@cloud[seq=4096]: DOES NOT FIT, needs 30.00 GiB, at least 29.00 GiB of 24.00 GiB: 5.00 GiB over
  limit 21.00 GiB = 8x 24GiB: 24.00 GiB (25.77 GB) usable - 3.00 GiB reserved per device
  3,221,225,472 parameters, 1,073,741,824 of them train

  live at the peak, in step
  weights       #####                        6.00 GiB  2.00 B per parameter
  gradients     #####                        6.00 GiB  6.00 B per trained parameter
  optimizer     ##########                  12.00 GiB  12.00 B per trained parameter
  activations   ####                         5.00 GiB
  context, libs #                            1.00 GiB
  need          ########################    30.00 GiB  29.00 GiB to 31.00 GiB
  limit         #################           21.00 GiB
  each tensor, its shape and its code: budgetlint estimate --terms

  phases      backward 29.00 GiB | step 24.00 GiB
  allocated      29.00 GiB   torch.cuda.max_memory_allocated
  reserved       30.00 GiB   the caching allocator's pool
  device         31.00 GiB   what nvidia-smi may show (never judged)

  the lines that cost most
     12.00 GiB  weights_dtype: fp32  transformers 4.57 dtype
     12.00 GiB  optim: adamw_torch  train.yaml:1
      5.00 GiB  per_device_train_batch_size: 4  train.yaml:2
      1.00 GiB  context, libs (no setting)

  assumed
  - no stack is stated: transformers 4.57 is assumed
"""


def test_the_bill_at_a_glance() -> None:
    assert bill.render(context(), TerminalStyle(blocks=False)) == BILL_TEXT


def test_the_lines_and_the_buckets_add_up_to_the_need() -> None:
    assert sum(line.bytes for line in bill.costly_lines(ESTIMATE.bill)) == ESTIMATE.need.bytes


@pytest.mark.parametrize(
    ("change", "first"),
    [
        ({"verdict": Verdict.FITS, "limit": 40 * G}, "FITS, needs 30.00 GiB, limit 40.00 GiB: 10.00 GiB spare"),
        ({"verdict": Verdict.UNKNOWN, "limit": None}, "INCOMPLETE: device, needs 30.00 GiB; no budget says what the device offers"),
        (
            {"verdict": Verdict.UNKNOWN, "missing": ("seq_len",), "need": Range(20 * G, 19 * G, None)},
            "INCOMPLETE: seq_len, needs 19.00 GiB or more, limit 21.00 GiB",
        ),
        (
            {"usable_high": 29 * G - 1},
            "DOES NOT FIT, needs 30.00 GiB, at least 29.00 GiB (31,138,512,896 bytes) of 29.00 GiB (31,138,512,895 bytes): 1 B over",
        ),
        ({"verdict": Verdict.TIGHT, "limit": 30 * G}, "TOO CLOSE, needs 30.00 GiB (29.00 GiB to 31.00 GiB), limit 30.00 GiB"),
        (
            {"verdict": Verdict.UNKNOWN, "missing": ("badam",), "need": Range(20 * G, 19 * G, None)},
            "NOT MODELLED: badam, needs 19.00 GiB or more, limit 21.00 GiB",
        ),
        (
            {"verdict": Verdict.UNKNOWN, "forks": (FORK,)},
            "DEPENDS ON trl: fits with 1.7 or newer (17.90 GiB), does not fit before (25.40 GiB); "
            "needs 30.00 GiB (29.00 GiB to 31.00 GiB), limit 21.00 GiB",
        ),
    ],
)
def test_the_first_line_is_the_answer(change: dict[str, object], first: str) -> None:
    text = bill.render(context(replace(ESTIMATE, **change)))  # type: ignore[arg-type]
    assert text.splitlines()[0] == f"sft@cloud[seq=4096]: {first}"


def test_the_allowance_is_told_where_batch_or_length_are_missing() -> None:
    text = bill.render(context(replace(ESTIMATE, activation_allowance=4 * G, tokens_that_fit=8192)))
    assert "  allowance       4.00 GiB   left for activations: about 8,192 tokens per micro-batch" in text


def test_a_run_without_an_estimate_says_so() -> None:
    assert "no model is known" in bill.render(context(None))


def test_estimate_json_has_every_field_of_version_1() -> None:
    got = estimate_json.document([context()])
    (run,) = got["runs"]
    fields = (
        "name target cell device limit_bytes verdict missing params trainable_params peak allocated reserved device_total host buckets "
        "phases terms assumptions"
    )
    assert set(fields.split()) <= run.keys()
    assert run["device"] == {"name": "24GiB", "count": 8, "capacity_bytes": 25 * G, "usable_bytes": 24 * G}
    assert run["peak"] == {"phase": "step", "bytes": 30 * G, "low": 29 * G, "high": 31 * G}
    assert set(run["buckets"]) == {"weights", "gradients", "optimizer", "activations", "logits", "buffers"}
    assert run["phases"]["backward"]["bytes"] == 29 * G
    assert {"file": "train.yaml", "line": 1, "key": "optim"}.items() <= run["terms"][2]["because"][1].items()
    assert run["terms"][0]["because"][0]["file"] is None


def test_an_open_end_is_null() -> None:
    (run,) = estimate_json.document([context(replace(ESTIMATE, need=Range(1, 1, None)))])["runs"]
    assert run["peak"]["high"] is None
