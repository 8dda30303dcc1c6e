"""Any value in any place of a file of the trainers with their own model code is survived: read, or told."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetlint.base.source import SourceFile
from budgetlint.documents.load import load
from budgetlint.readers import all_readers
from budgetlint.readers.base import complete
from budgetlint.settings.run import Stack
from budgetlint.settings.vocabulary import SETTINGS

FILES = {
    "torchtune": """\
        model:
          _component_: torchtune.models.llama2.lora_llama2
          lora_attn_modules: [q_proj]
          embed_dim: 8
        optimizer: {_component_: torch.optim.AdamW, lr: 1e-4, betas: [0.9, 0.95]}
        loss: {_component_: torch.nn.CrossEntropyLoss}
        batch_size: 2
        run_val_every_n_steps: 1
        ac_mode: selective
        ac_option: 2
        tensor_parallel_dim: 1
    """,
    "litgpt": """\
        checkpoint_dir: a/b
        precision: bf16-true
        quantize: bnb.nf4
        devices: 2
        lora_r: 8
        model_config: {n_embd: 8, n_layer: 1, n_head: 1, padded_vocab_size: 9, intermediate_size: 9}
        train: {global_batch_size: 8, micro_batch_size: 2}
        optimizer: {class_path: torch.optim.AdamW, init_args: {betas: [0.9]}}
    """,
    "llm_foundry": """\
        model: {name: mpt_causal_lm, d_model: 8, n_heads: 2, expansion_ratio: 4, peft_config: {r: 8}}
        train_loader: {name: text, dataset: {packing_ratio: auto}}
        optimizer: {name: decoupled_adamw, betas: [0.9, 0.95]}
        max_duration: 2ep
        global_train_batch_size: 8
        device_train_microbatch_size: 2
        eval_interval: 1
        fsdp_config: {sharding_strategy: FULL_SHARD}
    """,
    "lightning": """\
        seed_everything: 1
        trainer: {devices: 2, strategy: ddp, precision: 16, max_epochs: 1, gradient_clip_val: 1}
        model: {class_path: a.B, init_args: {model_name: x}}
        data: {class_path: a.C, init_args: {batch_size: 2, max_length: 8}}
    """,
    "oumi": """\
        model: {model_name: a/b, model_max_length: 8, torch_dtype_str: bfloat16}
        training: {trainer_type: TRL_SFT, per_device_train_batch_size: 1, optimizer: adamw_torch, use_peft: true}
        peft: {q_lora: true, q_lora_bits: 4, lora_r: 8}
        deepspeed: {enable_deepspeed: true, zero_stage: ZERO_3, offload_param: {device: CPU}}
    """,
}
VALUES = st.sampled_from(
    ["null", "[]", "{}", "-1", "0", "1e99", "true", "auto", ".nan", "1.5", "", "${model}", "${..x}", "[1, [2]]", "{a: {b: 1}}", "9" * 40]
)


@pytest.mark.parametrize("name", sorted(FILES))
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_value_in_any_place_is_survived(name, data):
    reader = next(reader for reader in all_readers() if reader.format == name)
    text = dedent(FILES[name])
    places = [at for at in range(len(text)) if text.startswith(": ", at) and text[at + 2] not in "{["]
    for at in sorted(data.draw(st.sets(st.sampled_from(places), max_size=3)), reverse=True):
        end = min(found for mark in (",", "}", "\n") if (found := text.find(mark, at)) >= 0)
        text = text[: at + 2] + data.draw(VALUES) + text[end:]
    for document in load(SourceFile("run.yaml", text)):
        if document.root is not None:
            reader.recognise(document)
            assert set(complete(reader, reader.read(document).settings, Stack())) <= set(SETTINGS)
