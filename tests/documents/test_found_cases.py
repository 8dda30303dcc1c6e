"""Texts that fuzzing found (`benchmarks/fuzz.py`), shortened: each once raised, hung or took too long somewhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import load
from budgetlint.documents.interpolate import interpolated
from budgetlint.resolve.runs import judge_texts

CALLS = 500_000
"""Functions entered by each."""


@pytest.fixture(autouse=True)
def quick(calls) -> Iterator[None]:
    with calls:
        yield
    assert calls.count < CALLS


PARSED: dict[str, tuple[str, str, bool]] = {
    "a line end of YAML that JSON does not know: the list was looked through for ever": ("x.json", "[\x85\n]", True),
    "the slow YAML parser asserts that a minor version is 1 or 2": ("x.yaml", "a: {b:8}\n---\n%YAML 1.0\n---\nc: 1\n", True),
    "the same, with a version of many digits": ("x.yaml", "a: {b:8}\n---\n%YAML 1.65537\n---\n- 1\n", True),
}


@pytest.mark.parametrize("why", PARSED)
def test_a_found_text_is_parsed_or_refused(why: str) -> None:
    path, text, good = PARSED[why]
    documents = load(SourceFile(path, text))
    problems = [problem for document in documents for problem in document.problems]
    assert bool(problems) is not good
    assert all(problem.location.file == path and problem.cure for problem in problems)


def test_references_that_double_end() -> None:
    text = "a0: xxxxxxxx\n" + "".join(f"a{n + 1}: ${{a{n}}}${{a{n}}}\n" for n in range(40))
    (document,) = load(SourceFile("x.yaml", text))
    assert interpolated(document).root is not None


def test_a_json_text_in_yaml_may_nest_beyond_the_stack() -> None:
    kwargs = '{"a":' * 5_000 + "1" + "}" * 5_000
    keys = "output_dir: x\nper_device_train_batch_size: 1\nlearning_rate: 1e-5\nbf16: true\nsave_steps: 1\nlogging_steps: 1\n"
    text = f"{keys}gradient_checkpointing: true\ngradient_checkpointing_kwargs: '{kwargs}'\n"
    assert judge_texts({"train.yaml": text}).runs


@pytest.mark.parametrize("number", ["4" * 400, "0x" + "f" * 4_000, "1" + ":59" * 1_300])
def test_a_number_beyond_every_float_is_told(number: str) -> None:
    keys = "base_model: gpt2\nadapter: lora\nlora_r: 8\nmicro_batch_size: 1\n"
    (run,) = judge_texts({"train.yaml": f"{keys}sequence_len: {number}\n"}).runs
    assert [misread.origin.key for reading in run.run.readings for misread in reading.misreads] == ["sequence_len"]
