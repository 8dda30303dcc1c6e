"""Marks never leave out a reader that would claim the document.

A document that a recogniser claims is filled with every word of the recogniser's own tables that leaves the claim standing, and
then taken apart key by key, in many orders: as long as the recogniser claims what is left, the marks must let it be asked.
"""

from __future__ import annotations

import random
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from budgetlint.base.source import SourceFile
from budgetlint.documents import Document, Mapping, load
from budgetlint.frameworks._index import MANIFESTS
from budgetlint.readers import all_readers, reader_of, readers_of
from budgetlint.readers.marks import candidates

ROOT = Path(__file__).parents[2]
NOT_HERE = {"deepspeed", "launcher", "olmo_core", "openrlhf", "python_script", "python_trl_script", "xtuner"}
"""Formats without marks."""
SEEDS = {
    "axolotl": "{base_model: m, sequence_len: 1, micro_batch_size: 1, val_set_size: 0, adapter: lora, load_in_4bit: on}",
    "llamafactory": "{model_name_or_path: m, finetuning_type: lora, stage: sft, template: a, do_train: true, cutoff_len: 1, lora_rank: 1}",
    "llamafactory v1": "{model: m, train_dataset: d, micro_batch_size: 1, peft_config: {name: lora}}",
    "accelerate": "{distributed_type: NO, compute_environment: LOCAL_MACHINE, num_processes: 1, use_cpu: false}",
    "hf_training_arguments": "{output_dir: o, per_device_train_batch_size: 1, report_to: none, num_train_epochs: 1, bf16: true}",
    "hf_training_arguments in a section": "{a: {per_device_train_batch_size: 1, save_strategy: a, report_to: b, seed: 1, bf16: true}}",
    "trl": "{model_name_or_path: m, dataset_name: d, learning_rate: 1, report_to: none, num_train_epochs: 1}",
    "alignment_handbook": "{output_dir: o, dataset_mixer: {a: 1}, report_to: none, num_train_epochs: 1, bf16: true}",
    "open_instruct": "{output_dir: o, use_slow_tokenizer: true, report_to: none, num_train_epochs: 1, bf16: true}",
    "lightning": "{trainer: {max_epochs: 1, devices: 1, precision: 16}, model: {class_path: a.B}, seed_everything: 1}",
    "lightning fit": "{fit: {trainer: {max_epochs: 1, devices: 1, precision: 16}, model: {class_path: a.B}}, seed_everything: 1}",
    "litgpt": "{train: {global_batch_size: 1, micro_batch_size: 1}, checkpoint_dir: a, model_name: b}",
    "llm_foundry": "{train_loader: {}, device_train_microbatch_size: 1, global_train_batch_size: 1, max_duration: 1ba, optimizer: {}}",
    "llm_foundry job": "{parameters: {train_loader: {}, device_train_microbatch_size: 1, global_train_batch_size: 1, max_duration: 1ba}}",
    "llm_foundry evaluation": "{models: [], icl_tasks: a, device_eval_batch_size: 1, precision: fp32}",
    "model_config": "{architectures: [A], model_type: a, hidden_size: 1, num_hidden_layers: 1, num_attention_heads: 1, vocab_size: 1}",
    "oumi": "{model: {model_name: m}, training: {trainer_type: TRL_SFT, output_dir: o, learning_rate: 1, optimizer: a, max_steps: 1}}",
    "peft_adapter_config": "{peft_type: LORA, r: 1, lora_alpha: 1, target_modules: [a], bias: none, lora_dropout: 0}",
    "torchtitan": "{training: {}, model: {}, parallelism: {}, optimizer: {}, checkpoint: {}}",
    "torchtune": "{model: {_component_: a.b}, optimizer: {_component_: c.D}}",
    "gpt_neox": "{pipe-parallel-size: 1, num-layers: 1, hidden-size: 1, no-weight-tying: true}",
    "megatron": "{MODEL_ARGS: {--num-layers: 1}}",
    "ms_swift": "{tuner_type: lora, rlhf_type: dpo, model: m, dataset: d, attn_impl: a, quant_bits: 4, max_length: 1}",
    "nemo": "{exp_manager: {}, trainer: {devices: 1}, model: {a: 1}}",
    "nemo rl": "{policy: {}, cluster: {}, grpo: {}, loss_fn: {}, defaults: a.yaml, env: {}, data: {}}",
    "nemo fragment": "{defaults: a.yaml, cluster: {}, env: {}, data: {}}",
    "nemo inference": "{trainer: {devices: 1}, model: {a: 1}, inference: {}, prompts: []}",
    "nemo search": "{train_settings: {a: 1}, inference_settings: {a: 1}}",
    "nemo recipe": "{model: {_target_: nemo.a}, strategy: {_target_: nemo.b}, data: {_target_: nemo.c}, optim: {_target_: nemo.d}}",
    "nemo group": "{model: {a: '${training.run.b}'}, run: {b: 1}}",
    "verl": "{actor_rollout_ref: {}, data: {}, trainer: {}}",
    "verl sft": "{data: {micro_batch_size_per_gpu: 1}, trainer: {a: 1}, optim: {}}",
    "verl generation": "{rollout: {response_length: 1}, trainer: {n_gpus_per_node: 1}}",
    "verl objects": "{a: {b: {_target_: verl.c.D}}}",
}
"""A document for each way in which a recogniser claims one; the first word is the format."""


def only(document: Document, keys: list[str]) -> Document:
    mapping = document.mapping
    assert mapping is not None
    return replace(document, root=replace(mapping, entries=tuple(entry for entry in mapping.entries if entry.key.text in keys)))


def words_of(format: str) -> set[str]:
    """Every word in the tables of keys of a format's recogniser."""
    recogniser = reader_of(format).recognise
    module = import_module(getattr(recogniser, "func", recogniser).__module__)
    tables = [value for name, value in vars(module).items() if name.startswith("_") and isinstance(value, frozenset)]
    return {word for table in tables for word in table}


def grown(seed: Document, format: str) -> Document:
    """The seed with every word of the recogniser's tables that leaves it claimed."""
    claim, mapping = reader_of(format).recognise, seed.mapping
    assert mapping is not None
    (filler,) = load(SourceFile("a.yaml", "\n".join(f"{word}: {{a: 1}}" for word in sorted(words_of(format)) if word not in mapping)))
    entries = [*mapping.entries]
    for entry in filler.mapping.entries if isinstance(filler.root, Mapping) else ():
        if claim(replace(seed, root=replace(mapping, entries=(*entries, entry)))) > 0:
            entries.append(entry)
    return replace(seed, root=replace(mapping, entries=tuple(entries)))


def left_out(document: Document) -> set[str]:
    """The formats that are not asked, and would claim the document."""
    asked = {reader.format for reader in readers_of(document)}
    return {reader.format for reader in all_readers() if reader.format not in asked and reader.recognise(document) > 0}


@pytest.mark.parametrize("suffix", ["yaml", "json", "toml", "shell"])
@pytest.mark.parametrize("name", SEEDS)
def test_what_a_recogniser_claims_is_never_left_out(name, suffix):
    format = name.split()[0]
    claim = reader_of(format).recognise
    seed = replace(load(SourceFile("a.yaml", SEEDS[name]))[0], format=suffix)
    if claim(seed) == 0:
        return pytest.skip(f"no {suffix} is {format}")
    whole, order = grown(seed, format), random.Random(name)
    for _ in range(60):
        keys = list(whole.mapping.keys())
        order.shuffle(keys)
        for key in tuple(keys):
            less = only(whole, [one for one in keys if one != key])
            if claim(less) > 0:
                keys.remove(key)
        assert left_out(only(whole, keys)) == set(), f"recognise claims {keys} ({suffix}), the manifest leaves it out"
    return None


def test_every_format_with_marks_is_tried():
    formats = {format.name for manifest in MANIFESTS for format in manifest.formats}
    assert {name.split()[0] for name in SEEDS} == formats - NOT_HERE, "a document for each in SEEDS"


@pytest.mark.parametrize("folder", ["examples", "tests"])
def test_no_file_of_the_project_is_left_out(folder):
    documents = [
        document
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".yaml", ".yml", ".json", ".toml")
        for document in load(SourceFile(path.name, path.read_text(encoding="utf-8")))
    ]
    assert documents
    assert [document.path for document in documents if left_out(document)] == []


def test_a_stranger_is_shown_to_nobody():
    (document,) = load(SourceFile("a.yaml", "services:\n  web:\n    image: x\n"))
    assert candidates(document) == ()


@pytest.mark.parametrize("format", [reader.format for reader in all_readers()])
def test_a_reader_is_found_by_its_format(format):
    assert reader_of(format).format == format


def test_no_reader_has_a_strangers_name():
    assert reader_of("docker_compose") is None
