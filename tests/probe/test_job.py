"""What a run is to the probe: everything it needs in one document, or everything that stands in the way, in words."""

from __future__ import annotations

import pytest

from budgetlint.catalog.models import all_models, architecture_of
from budgetlint.probe.job import Inexpressible, Job, job_of, row_of

RUN = "device a100-80gb; model qwen2.5-1.5b; batch 2; seq 1024; stack torch@2.13 transformers@5.24 peft@0.21"


def test_a_run_as_a_document_survives_the_border(context) -> None:
    job = job_of(context(f"{RUN}; precision bf16-autocast; optimizer adamw impl=fused; recompute full").plan)
    assert Job(**job.model_dump(mode="json")) == job
    assert (job.weights, job.compute, job.autocast, job.recompute, job.optimizer_impl) == (4, 2, True, "full", "fused")


def test_every_architecture_of_the_catalog_survives_the_border() -> None:
    for arch in all_models():
        if not arch.parts:
            back = architecture_of(row_of(arch))
            assert (back.family, back.hidden, back.layers, back.mla, back.extra) == (
                arch.family,
                arch.hidden,
                arch.layers,
                arch.mla,
                arch.extra,
            )


def test_adapted_linears_are_named_by_their_place_in_a_layer(context) -> None:
    job = job_of(context(f"{RUN}; precision bf16-pure; lora r=8 targets=[q_proj, down_proj]").plan)
    assert job.lora is not None
    assert job.lora.targets == ("mlp.down_proj", "self_attn.q_proj")


@pytest.mark.parametrize(
    ("more", "said"),
    (
        ("quant nf4; lora r=8", "quantised base"),
        ("kernels liger", "fused kernels"),
        ("compile on", "torch.compile"),
        ("loss chunked", "the loss 'chunked'"),
        ("also qwen2.5-0.5b role=reference", "models beside"),
        ("parallel tp=2", "parallelism"),
        ("shard zero3", "zero3"),
        ("recompute full offload=on", "offloaded"),
    ),
)
def test_what_it_cannot_build_is_named(context, more: str, said: str) -> None:
    with pytest.raises(Inexpressible, match=said):
        job_of(context(f"{RUN.replace('a100', '8x a100') if 'shard' in more or 'parallel' in more else RUN}; {more}").plan)


def test_what_is_not_known_is_named_with_the_option_that_says_it(context) -> None:
    with pytest.raises(Inexpressible, match=r"--set micro_batch=1.*--set seq_len=1024"):
        job_of(context("device a100-80gb; model qwen2.5-1.5b").plan)
