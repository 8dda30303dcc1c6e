"""``budgetlint probe --simulate`` as a user meets it: the table, the JSON, and a cure for everything that stands in the way. No torch."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgetlint.probe import ask as asking
from budgetlint.probe.ask import Failed

RUN = "device a100-80gb; model qwen2.5-0.5b; precision bf16-pure; optimizer adamw impl=fused; batch 4; seq 1024; stack torch@2.13\n"
LIVE = {"bucket": "activations", "op": "mul", "dtype": "bfloat16", "shape": [4, 1024, 4864], "count": 24, "bytes": 956301312}


def answer(request: dict[str, Any], *_: Any) -> dict[str, Any]:
    """What a child would say: weights and one kind of activations."""
    buckets = {"weights": 988065536, "gradients": 0, "optimizer": 0, "activations": 956301312, "logits": 0, "buffers": 0}
    phase = {"moment": "the loss", "bytes": 988065536 + 956301312, "buckets": buckets, "live": [LIVE]}
    return {
        "versions": {"torch": "2.13.0", "transformers": "5.24.0"}, "job": request["job"], "depths": [4, 6], "parameters": 494032768,
        "kernels": ["flash"], "phases": {"backward": phase}, "moments": {"backward: the loss": phase["bytes"]},
        "native": {"reserved": 3 << 30, "least": 2 << 30}, "expandable": {"reserved": 3 << 30, "least": 2 << 30}, "seconds": 4.5,
        "host_bytes": 400 << 20,
    }  # fmt: skip


@pytest.fixture
def probed(shell, monkeypatch: pytest.MonkeyPatch):
    """The command with a stand-in for the child."""

    def of(*arguments: str, child: Any = answer, absent: tuple[str, ...] = (), budget: str = RUN) -> Any:
        monkeypatch.setattr(asking, "ask", child)
        monkeypatch.setattr(asking, "missing", lambda _: absent)
        shell.write("run.budget", budget)
        return shell("probe", "run.budget", "--simulate", *arguments)

    return of


def test_estimate_simulated_and_difference_stand_side_by_side(probed) -> None:
    ran = probed()
    assert ran.code == 0
    assert "1.81 GiB simulated, highest in backward" in ran.out
    assert "4 and 6 of 24 layers, torch 2.13.0, transformers 5.24.0" in ran.out
    rows = {line.split()[0]: line for line in ran.out.splitlines() if line.startswith("    ")}
    assert rows["weights"].split()[1:] == ["0.92", "GiB", "0.92", "GiB", "+0.00", "%"]
    assert "24 x [4 x 1,024 x 4,864] bfloat16, mul" in ran.out
    assert "gets through with 2.00 GiB" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 100


def test_json_has_the_comparison_and_all_that_was_found(probed) -> None:
    ran = probed("--format", "json")
    (run,) = json.loads(ran.out)["runs"]
    weights = run["phases"]["backward"]["buckets"]["weights"]
    assert weights == {"estimate": 988065536, "simulated": 988065536, "difference": 0}
    assert run["simulated"]["depths"] == [4, 6]


def test_progress_is_told_on_standard_error(probed) -> None:
    def child(request: dict[str, Any], _: float, progress: Any) -> dict[str, Any]:
        progress("two steps of 4 of 24 layers")
        return answer(request)

    ran = probed(child=child)
    assert "two steps of 4 of 24 layers" in ran.err
    assert "two steps of 4 of 24 layers ..." not in ran.out


def refusing(error: BaseException) -> Any:
    def child(*_: Any) -> Any:
        raise error

    return child


@pytest.mark.parametrize(
    ("options", "said"),
    (
        ({"absent": ("torch", "transformers")}, "torch, transformers not installed here: pip install 'budgetlint[probe]'"),
        ({"child": refusing(Failed("no result within 120 s: give it more with --time-limit"))}, "--time-limit"),
        ({"child": refusing(KeyboardInterrupt())}, "stopped; nothing is left running"),
        ({"budget": "device a100-80gb; model no-such-model; batch 1; seq 8\n"}, "budgetlint models"),
        ({"budget": RUN.replace("batch 4;", "")}, "--set micro_batch=1"),
        ({"budget": "device a100-80gb; model qwen2.5-0.5b; bach 1\n"}, "run.budget:1:"),
        ({"budget": "device a100-80gb\n"}, "nothing to probe"),
    ),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_stands_in_the_way_is_told_with_its_cure(probed, options: dict[str, Any], said: str) -> None:
    ran = probed(**options)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""


def test_a_run_is_chosen_by_name(probed) -> None:
    two = f"run one {{ {RUN.strip()} }}\nrun two {{ {RUN.strip().replace('0.5b', '1.5b')} }}\n"
    assert probed("--run", "two", budget=two).out.startswith("run.budget#two") or "two" in probed("--run", "two", budget=two).out
    wrong = probed("--run", "tow", budget=two)
    assert (wrong.code, "no run is called 'tow'" in wrong.err) == (2, True)
